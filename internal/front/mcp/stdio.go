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
	maxWaiting = 1 << 14   // calls that wait for their turn
	maxHeld    = 256 << 20 // bytes of all of those
)

// patience is how long a server that is told to end waits for the client to read on.
const patience = 2 * time.Second

// Stdio serves one client over a pair of streams, one message a line. At the end of the input the calls that were read are
// worked on and answered; when ctx ends those that have begun are, and the others refused; when nobody reads the output any
// more those that have begun are finished. Then it returns nil.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	signal.Ignore(syscall.SIGPIPE) // it would end the process, with the calls in hand, when nobody reads standard output
	present, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	w := newWire(ctx, in, out, s.Log, leave)
	session, err := s.all.Connect(context.WithValue(context.WithoutCancel(ctx), presentKey{}, present), w, nil)
	if err != nil {
		return err
	}
	over := make(chan error, 1)
	go func() { over <- session.Wait() }()
	select {
	case err = <-over:
		return err
	case <-ctx.Done():
		return w.part(over)
	}
}

// presentKey has, of a call over a pair of streams, the context that ends when no more can come from the client: a call that waits
// for somebody else is then given up, though others are worked on.
type presentKey struct{}

// whilePresent has cancel called when the client has gone.
func whilePresent(ctx context.Context, cancel func()) (stop func() bool) {
	present, ok := ctx.Value(presentKey{}).(context.Context)
	if !ok {
		return func() bool { return true }
	}
	return context.AfterFunc(present, cancel)
}

// part waits for the end after the server was told to: as long as a call is worked on, and as long as the client reads.
func (w *wire) part(over <-chan error) error {
	for before := w.written.Load(); ; {
		select {
		case err := <-over:
			return err
		case <-time.After(patience):
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
func (w *wire) Connect(context.Context) (sdk.Connection, error) {
	go w.listen()
	return w, nil
}

// SessionID is empty: over a pair of streams there is one session.
func (w *wire) SessionID() string { return "" }
