package gate

import (
	"net"
	"sync"
)

// LimitConns returns a listener with at most n open connections. It closes further ones at once, and calls full for each,
// instead of letting them wait for a free place as netutil.LimitListener does.
func LimitConns(l net.Listener, n int, full func()) net.Listener {
	return &limitListener{Listener: l, places: make(chan struct{}, n), full: full}
}

type limitListener struct {
	net.Listener
	places chan struct{}
	full   func()
}

func (l *limitListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.places <- struct{}{}:
			return &countedConn{Conn: c, release: sync.OnceFunc(func() { <-l.places })}, nil
		default:
			l.full()
			c.Close()
		}
	}
}

// countedConn gives its place back when it is closed.
type countedConn struct {
	net.Conn
	release func()
}

func (c *countedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
