package mcp

import (
	"context"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/emend-dev/emend/internal/panics"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The limits for the one client over standard input and output. What exceeds them is answered with an error, and the
// session goes on.
const (
	maxLine       = 64 << 20  // bytes of one message
	maxRunning    = 64        // calls that run
	maxQueued     = 1 << 14   // calls that wait
	maxQueueBytes = 256 << 20 // bytes of all calls that run or wait
)

// clientPatience is how long a stopping server waits for a client that does not read.
const clientPatience = 2 * time.Second

// Stdio serves one client over a pair of streams, one message a line. It returns nil when the session is over:
//   - At the end of the input, all calls that were read run and are answered.
//   - When ctx is done, the calls that run are answered and the others are refused.
//   - When nobody reads the output any more, the calls that run finish.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	signal.Ignore(syscall.SIGPIPE) // SIGPIPE would end the process, with the calls in hand, when nobody reads standard output
	present, clientGone := context.WithCancel(context.WithoutCancel(ctx))
	defer clientGone()
	conn := newStdioConn(ctx, in, out, s.Log, clientGone)
	session, err := s.sdk.Connect(context.WithValue(context.WithoutCancel(ctx), clientPresentKey{}, present), conn, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	s.start("the session", func() { ended <- panics.Call(session.Wait) })
	select {
	case err = <-ended:
		return err
	case <-ctx.Done():
		return conn.drain(ended)
	}
}

// clientPresentKey is the key of a context that ends when nothing more can come from the client. A call that waits
// for a person then gives up, while other calls go on.
type clientPresentKey struct{}

// cancelWhenClientGone calls cancel when nothing more can come from the client.
func cancelWhenClientGone(ctx context.Context, cancel func()) (stop func() bool) {
	present, ok := ctx.Value(clientPresentKey{}).(context.Context)
	if !ok {
		return func() bool { return true }
	}
	return context.AfterFunc(present, cancel)
}

// drain waits for the end of a session that was told to stop, as long as a call runs or the client reads.
func (s *stdioConn) drain(ended <-chan error) error {
	for before := s.written.Load(); ; {
		select {
		case err := <-ended:
			return err
		case <-time.After(clientPatience):
		}
		if now := s.written.Load(); now != before || s.working() {
			before = now
			continue
		}
		return nil
	}
}

// Connect returns w itself. The SDK's own connection ends a session at the first line that is no message, and drops
// the calls in hand at the end of the input.
func (s *stdioConn) Connect(context.Context) (sdk.Connection, error) {
	panics.Go(s.readLines, panics.LogTo(s.log, "reading the input"))
	return s, nil
}

// SessionID is empty: there is one session over a pair of streams.
func (s *stdioConn) SessionID() string { return "" }
