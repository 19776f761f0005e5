package mcp

import (
	"context"
	"io"
	"os/signal"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The limits of the one client over standard input and output. What goes beyond them is answered with an error, and the
// session goes on.
const (
	maxLine    = 64 << 20  // bytes of one message
	maxRunning = 64        // calls that are worked on
	maxQueued = 1 << 14   // calls that wait for their turn
	maxQueueBytes    = 256 << 20 // bytes of all of those
)

// patience is how long a server that is told to end waits for the client to read on.
const clientPatience = 2 * time.Second

// Stdio serves one client over a pair of streams, one message a line. At the end of the input the calls that were read are
// worked on and answered; when ctx ends those that have begun are, and the others refused; when nobody reads the output any
// more those that have begun are finished. Then it returns nil.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	signal.Ignore(syscall.SIGPIPE) // it would end the process, with the calls in hand, when nobody reads standard output
	present, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	w := newStdioConn(ctx, in, out, s.Log, leave)
	session, err := s.sdk.Connect(context.WithValue(context.WithoutCancel(ctx), clientPresentKey{}, present), w, nil)
	if err != nil {
		return err
	}
	over := make(chan error, 1)
	go func() { over <- session.Wait() }()
	select {
	case err = <-over:
		return err
	case <-ctx.Done():
		return w.drain(over)
	}
}

// presentKey has, of a call over a pair of streams, the context that ends when no more can come from the client: a call that waits
// for somebody else is then given up, though others are worked on.
type clientPresentKey struct{}

// whilePresent has cancel called when the client has gone.
func cancelWhenClientGone(ctx context.Context, cancel func()) (stop func() bool) {
	present, ok := ctx.Value(clientPresentKey{}).(context.Context)
	if !ok {
		return func() bool { return true }
	}
	return context.AfterFunc(present, cancel)
}

// part waits for the end after the server was told to: as long as a call is worked on, and as long as the client reads.
func (w *stdioConn) drain(over <-chan error) error {
	for before := w.written.Load(); ; {
		select {
		case err := <-over:
			return err
		case <-time.After(clientPatience):
		}
		if now := w.written.Load(); now != before || w.working() {
			before = now
			continue
		}
		return nil
	}
}

// Connect makes w its own connection: the library's ends a session at the first line that is no message, and gives up the
// calls in hand at the end of the input.
func (w *stdioConn) Connect(context.Context) (sdk.Connection, error) {
	go w.readLines()
	return w, nil
}

// SessionID is empty: over a pair of streams there is one session.
func (w *stdioConn) SessionID() string { return "" }
