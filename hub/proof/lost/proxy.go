// Package lost proves that nothing is lost between workspaces and a hub: many workspaces ship while the hub is killed and the network
// misbehaves; in the end the hub has every record once, in order, and every chain verifies.
package lost

import (
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// proxy stands between workspaces and a hub. It cuts connections, delays, and now and then sends a piece twice or in another order, which
// TLS has to notice.
type proxy struct {
	to    string
	l     net.Listener
	calm  atomic.Bool // it only passes on
	cuts  atomic.Int64
	mixed atomic.Int64

	mu   sync.Mutex
	open map[net.Conn]bool
}

func newProxy(to string) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{to: to, l: l, open: map[net.Conn]bool{}}
	go p.serve()
	return p, nil
}

func (p *proxy) serve() {
	for {
		in, err := p.l.Accept()
		if err != nil {
			return
		}
		go func() {
			out, err := net.DialTimeout("tcp", p.to, 5*time.Second)
			if err != nil {
				in.Close()
				return
			}
			p.keep(in, true)
			var both sync.WaitGroup
			both.Go(func() { p.pass(in, out) })
			both.Go(func() { p.pass(out, in) })
			both.Wait()
			p.keep(in, false)
		}()
	}
}

func (p *proxy) keep(c net.Conn, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if on {
		p.open[c] = true
	} else {
		delete(p.open, c)
	}
}

// pass copies pieces until a side ends.
func (p *proxy) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf, held := make([]byte, 32<<10), []byte(nil)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		piece := buf[:n]
		if !p.calm.Load() {
			switch r := rand.IntN(10000); {
			case r < 40: // the piece is dropped, and with it the connection
				p.cuts.Add(1)
				return
			case r < 60: // twice
				p.mixed.Add(1)
				piece = append(append([]byte(nil), piece...), piece...)
			case r < 80: // later than the next one
				p.mixed.Add(1)
				held = append([]byte(nil), piece...)
				continue
			case r < 300:
				time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
			}
		}
		if _, err := to.Write(piece); err != nil {
			return
		}
		if held != nil {
			if _, err := to.Write(held); err != nil {
				return
			}
			held = nil
		}
	}
}

// cut ends a part of the connections.
func (p *proxy) cut(part float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		if rand.Float64() < part {
			p.cuts.Add(1)
			c.Close()
		}
	}
}
