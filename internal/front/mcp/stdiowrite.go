package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Write answers a call, or tells or asks the client something. A call that was cancelled gets no answer.
func (w *stdioConn) Write(_ context.Context, msg jsonrpc.Message) error {
	defer w.wake()
	switch m := msg.(type) {
	case *jsonrpc.Response:
		w.mu.Lock()
		c := w.queue.beginAnswer(m.ID)
		w.mu.Unlock()
		if c == nil || !c.cancelled {
			m.Error = clientError(m.Error)
			w.send(m)
		}
		w.mu.Lock()
		w.queue.endAnswer(c)
		w.mu.Unlock()
	case *jsonrpc.Request:
		if m.IsCall() {
			w.mu.Lock()
			w.unanswered[m.ID] = true
			w.mu.Unlock()
		}
		w.send(m)
	}
	return nil
}

func (w *stdioConn) wake() {
	select {
	case w.wakeup <- struct{}{}:
	default:
	}
}

func (w *stdioConn) send(m jsonrpc.Message) {
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		w.log.Error("a message cannot be written", "error", err)
		return
	}
	w.writeLine(b)
}

func (w *stdioConn) sendRefusal(r *lineRefusal) {
	b, err := json.Marshal(r)
	if err != nil {
		w.log.Error("a message cannot be written", "error", err)
		return
	}
	w.writeLine(b)
}

// line writes one line. An error is no error of the library's: it would give up the calls in hand.
func (w *stdioConn) writeLine(b []byte) {
	w.writing.Lock()
	defer w.writing.Unlock()
	select {
	case <-w.outputGone:
		return
	default:
	}
	for piece := range slices.Chunk(append(b, '\n'), writeChunk) {
		if _, err := w.out.Write(piece); err != nil {
			w.log.Warn("the client reads no more", "error", err)
			w.once.leave.Do(func() { close(w.outputGone) })
			return
		}
		w.written.Add(1)
	}
}

// pieceBytes is how much is written at once: a client that takes so much within [patience] reads on.
const writeChunk = 64 << 10

// worded is an error as the client gets it: with a code, and without all of what it sent.
func clientError(err error) error {
	if err == nil {
		return nil
	}
	out := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		out.Code, out.Data = e.Code, e.Data
		if e.Code == 0 {
			out.Code = jsonrpc.CodeInvalidRequest
		}
	}
	const head, tail = 600, 200
	if n := len(out.Message); n > head+tail {
		out.Message = strings.ToValidUTF8(out.Message[:head]+" … "+out.Message[n-tail:], "")
	}
	return out
}
