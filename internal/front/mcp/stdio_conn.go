package mcp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/emend-dev/emend/internal/panics"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// stdioConn is the SDK's connection to the one client of a pair of streams. It hands out messages one by one, queues
// the calls that are too many, and reports the end of the input only when every call that was read is answered.
type stdioConn struct {
	log        *slog.Logger
	in         io.ReadCloser
	incoming   chan incoming
	wakeup     chan struct{} // signals that a queued call may be ready; one signal stands for many
	closed     chan struct{}
	clientGone func() // called when nothing more can come from the client

	// Only Read uses these. Each channel becomes nil once it was received from.
	awaitInitialized bool // initialize was received, and notifications/initialized may follow
	input            <-chan incoming
	stopping         <-chan struct{}
	noReader         <-chan struct{}

	writing    sync.Mutex // held while one line is written
	out        io.WriteCloser
	written    atomic.Int64  // counts the chunks that were written
	outputGone chan struct{} // closed when nobody reads the output

	mu         sync.Mutex
	queue      callQueue
	unanswered map[jsonrpc.ID]bool // requests to the client that it has not answered
	once       struct{ close, leave sync.Once }
}

// incoming is a message, or the refusal of a line that is none.
type incoming struct {
	msg     jsonrpc.Message
	size    int
	refusal *lineRefusal
}

func newStdioConn(ctx context.Context, in io.ReadCloser, out io.WriteCloser, log *slog.Logger, clientGone func()) *stdioConn {
	w := &stdioConn{log: log, in: in, out: out, stopping: ctx.Done(), incoming: make(chan incoming), wakeup: make(chan struct{}, 1),
		closed: make(chan struct{}), outputGone: make(chan struct{}), clientGone: clientGone,
		queue: callQueue{calls: map[jsonrpc.ID]*call{}}, unanswered: map[jsonrpc.ID]bool{}}
	w.input, w.noReader = w.incoming, w.outputGone
	return w
}

// readLines reads lines until the end of the input.
func (s *stdioConn) readLines() {
	defer close(s.incoming)
	from := newLineReader(s.in, maxLine)
	for {
		l, err := from.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.log.Warn("the input cannot be read", "error", err)
			}
			return
		}
		a := incoming{size: l.size}
		if err := panics.Call(func() error { a.msg, a.refusal = parseMessage(l); return nil }); err != nil {
			s.log.Error("a message could not be read", "error", err)
			a.refusal = refuseLine(nil, jsonrpc.CodeInternalError, "%v", errDefect.Message)
		}
		if a.msg == nil && a.refusal == nil {
			continue
		}
		select {
		case s.incoming <- a:
		case <-s.closed:
			return
		}
	}
}

// Read returns the next message for the SDK. It reports the end of the input when all calls are answered, since the
// SDK drops the calls in hand at that moment.
func (s *stdioConn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		m, ended := s.nextReady()
		if ended {
			return nil, io.EOF
		}
		if m != nil {
			return m, nil
		}
		select {
		case a, ok := <-s.input:
			if !ok {
				s.input = nil
			} else if m := s.receive(a); m != nil {
				return m, nil
			}
		case <-s.wakeup:
		case <-s.stopping:
			s.input, s.stopping = nil, nil
			s.refuseQueued()
		case <-s.noReader:
			s.input, s.noReader = nil, nil
			s.refuseQueued()
		case <-s.closed:
			return nil, io.EOF
		}
	}
}

// nextReady returns a message that can be handed out without reading another line, and whether the session is over.
// After the end of the input the client answers nothing, so requests to it fail.
func (s *stdioConn) nextReady() (m jsonrpc.Message, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.input == nil {
		s.clientGone()
		for id := range s.unanswered {
			delete(s.unanswered, id)
			return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client has gone"}}, false
		}
		if s.queue.idle() {
			return nil, true
		}
	}
	return s.queue.next(), false
}

// working reports whether a call runs that has no result yet.
func (s *stdioConn) working() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.working()
}

// Close closes both streams.
func (s *stdioConn) Close() error {
	s.once.close.Do(func() {
		close(s.closed)
		s.in.Close()
		s.out.Close()
	})
	return nil
}
