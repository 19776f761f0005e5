package mcp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// wire is the connection with the one client of a pair of streams. It hands out messages one by one, holds back the calls
// that are too many, and says that the input is over only when all that was read is answered.
type stdioConn struct {
	log      *slog.Logger
	in       io.ReadCloser
	incoming chan incoming
	wakeup    chan struct{} // something may have become due; one signal stands for many
	closed   chan struct{}
	clientGone    func() // called when nothing more comes

	// Only Read has these; each of the channels is nil once it has come.
	awaitInitialized bool // by a hello that wants to be followed by another
	input    <-chan incoming
	stopping    <-chan struct{}
	noReader    <-chan struct{}

	writing sync.Mutex // of one line
	out     io.WriteCloser
	written atomic.Int64  // pieces of lines
	outputGone    chan struct{} // nobody reads the output

	mu    sync.Mutex
	queue  callQueue
	unanswered map[jsonrpc.ID]bool // what the client was asked and has not answered
	once  struct{ close, leave sync.Once }
}

// arrival is a message that came, or why a line was none.
type incoming struct {
	msg  jsonrpc.Message
	size int
	refusal  *lineRefusal
}

func newStdioConn(ctx context.Context, in io.ReadCloser, out io.WriteCloser, log *slog.Logger, clientGone func()) *stdioConn {
	w := &stdioConn{log: log, in: in, out: out, stopping: ctx.Done(), incoming: make(chan incoming), wakeup: make(chan struct{}, 1),
		closed: make(chan struct{}), outputGone: make(chan struct{}), clientGone: clientGone,
		queue: callQueue{calls: map[jsonrpc.ID]*call{}}, unanswered: map[jsonrpc.ID]bool{}}
	w.input, w.noReader = w.incoming, w.outputGone
	return w
}

// listen reads lines until there are no more.
func (w *stdioConn) readLines() {
	defer close(w.incoming)
	from := newLineReader(w.in, maxLine)
	for {
		l, err := from.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				w.log.Warn("the input cannot be read", "error", err)
			}
			return
		}
		a := incoming{size: l.size}
		if a.msg, a.refusal = parseMessage(l); a.msg == nil && a.refusal == nil {
			continue
		}
		select {
		case w.incoming <- a:
		case <-w.closed:
			return
		}
	}
}

// Read returns the next message that is to be worked on. The end of the input is told when all is answered: at once the
// library would give up the calls in hand.
func (w *stdioConn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		m, over := w.nextReady()
		if over {
			return nil, io.EOF
		}
		if m != nil {
			return m, nil
		}
		select {
		case a, ok := <-w.input:
			if !ok {
				w.input = nil
			} else if m := w.receive(a); m != nil {
				return m, nil
			}
		case <-w.wakeup:
		case <-w.stopping:
			w.input, w.stopping = nil, nil
			w.refuseQueued()
		case <-w.noReader:
			w.input, w.noReader = nil, nil
			w.refuseQueued()
		case <-w.closed:
			return nil, io.EOF
		}
	}
}

// next is what can be handed out without another line, and whether nothing will come any more. After the end of the input
// no answer of the client can come, and whoever waits for one is told.
func (w *stdioConn) nextReady() (m jsonrpc.Message, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.input == nil {
		w.clientGone()
		for id := range w.unanswered {
			delete(w.unanswered, id)
			return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client has gone"}}, false
		}
		if w.queue.idle() {
			return nil, true
		}
	}
	return w.queue.next(), false
}

// working reports whether a call has begun whose answer is not there.
func (w *stdioConn) working() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queue.working()
}

// Close ends the reading and the writing.
func (w *stdioConn) Close() error {
	w.once.close.Do(func() {
		close(w.closed)
		w.in.Close()
		w.out.Close()
	})
	return nil
}
