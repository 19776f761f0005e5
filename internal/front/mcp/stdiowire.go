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
type wire struct {
	log      *slog.Logger
	in       io.ReadCloser
	arrivals chan arrival
	freed    chan struct{} // something may have become due; one signal stands for many
	closed   chan struct{}
	leave    func() // called when nothing more comes

	// Only Read has these; each of the channels is nil once it has come.
	greeted bool // by a hello that wants to be followed by another
	from    <-chan arrival
	stop    <-chan struct{}
	left    <-chan struct{}

	writing sync.Mutex // of one line
	out     io.WriteCloser
	written atomic.Int64  // pieces of lines
	gone    chan struct{} // nobody reads the output

	mu    sync.Mutex
	desk  desk
	asked map[jsonrpc.ID]bool // what the client was asked and has not answered
	once  struct{ close, leave sync.Once }
}

// arrival is a message that came, or why a line was none.
type arrival struct {
	msg  jsonrpc.Message
	size int
	bad  *refused
}

func newWire(ctx context.Context, in io.ReadCloser, out io.WriteCloser, log *slog.Logger, leave func()) *wire {
	w := &wire{log: log, in: in, out: out, stop: ctx.Done(), arrivals: make(chan arrival), freed: make(chan struct{}, 1),
		closed: make(chan struct{}), gone: make(chan struct{}), leave: leave,
		desk: desk{calls: map[jsonrpc.ID]*call{}}, asked: map[jsonrpc.ID]bool{}}
	w.from, w.left = w.arrivals, w.gone
	return w
}

// listen reads lines until there are no more.
func (w *wire) listen() {
	defer close(w.arrivals)
	from := newLines(w.in, maxLine)
	for {
		l, err := from.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				w.log.Warn("the input cannot be read", "error", err)
			}
			return
		}
		a := arrival{size: l.size}
		if a.msg, a.bad = message(l); a.msg == nil && a.bad == nil {
			continue
		}
		select {
		case w.arrivals <- a:
		case <-w.closed:
			return
		}
	}
}

// Read returns the next message that is to be worked on. The end of the input is told when all is answered: at once the
// library would give up the calls in hand.
func (w *wire) Read(context.Context) (jsonrpc.Message, error) {
	for {
		m, over := w.next()
		if over {
			return nil, io.EOF
		}
		if m != nil {
			return m, nil
		}
		select {
		case a, ok := <-w.from:
			if !ok {
				w.from = nil
			} else if m := w.take(a); m != nil {
				return m, nil
			}
		case <-w.freed:
		case <-w.stop:
			w.from, w.stop = nil, nil
			w.dismiss()
		case <-w.left:
			w.from, w.left = nil, nil
			w.dismiss()
		case <-w.closed:
			return nil, io.EOF
		}
	}
}

// next is what can be handed out without another line, and whether nothing will come any more. After the end of the input
// no answer of the client can come, and whoever waits for one is told.
func (w *wire) next() (m jsonrpc.Message, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.from == nil {
		w.leave()
		for id := range w.asked {
			delete(w.asked, id)
			return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client has gone"}}, false
		}
		if w.desk.idle() {
			return nil, true
		}
	}
	return w.desk.due(), false
}

// working reports whether a call has begun whose answer is not there.
func (w *wire) working() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.desk.working()
}

// Close ends the reading and the writing.
func (w *wire) Close() error {
	w.once.close.Do(func() {
		close(w.closed)
		w.in.Close()
		w.out.Close()
	})
	return nil
}
