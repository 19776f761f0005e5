package gate

import (
	"net"
	"sync"
)

// Bound is l for at most so many connections at a time. full hears of each that was turned away.
func Bound(l net.Listener, most int, full func()) net.Listener {
	return &bounded{Listener: l, slots: make(chan struct{}, most), full: full}
}

// bounded is a listener that turns away those who would be too many, instead of letting them wait for somebody to leave.
type bounded struct {
	net.Listener
	slots chan struct{}
	full  func()
}

func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.slots <- struct{}{}:
			return &slot{Conn: c, leave: sync.OnceFunc(func() { <-b.slots })}, nil
		default:
			b.full()
			c.Close()
		}
	}
}

type slot struct {
	net.Conn
	leave func()
}

func (s *slot) Close() error {
	defer s.leave()
	return s.Conn.Close()
}
