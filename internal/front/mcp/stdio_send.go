package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Write sends a response, a notification or a request to the client. It sends nothing for a call that was cancelled.
func (s *stdioConn) Write(_ context.Context, msg jsonrpc.Message) error {
	defer s.wake()
	switch m := msg.(type) {
	case *jsonrpc.Response:
		s.mu.Lock()
		c := s.queue.beginAnswer(m.ID)
		s.mu.Unlock()
		if c == nil || !c.cancelled {
			m.Error = clientError(m.Error)
			s.send(m)
		}
		s.mu.Lock()
		s.queue.endAnswer(c)
		s.mu.Unlock()
	case *jsonrpc.Request:
		if m.IsCall() {
			s.mu.Lock()
			s.unanswered[m.ID] = true
			s.mu.Unlock()
		}
		s.send(m)
	}
	return nil
}

func (s *stdioConn) wake() {
	select {
	case s.wakeup <- struct{}{}:
	default:
	}
}

func (s *stdioConn) send(m jsonrpc.Message) {
	b, err := encodeMessage(m)
	if err != nil {
		s.log.Error("a message cannot be written", "error", err)
		return
	}
	s.writeLine(b)
}

// encodeMessage encodes a message as one line. The SDK has just encoded the result of a call, as one line too; its own
// EncodeMessage would parse it once more.
func encodeMessage(m jsonrpc.Message) ([]byte, error) {
	r, ok := m.(*jsonrpc.Response)
	if !ok || r.Error != nil || len(r.Result) == 0 || !r.ID.IsValid() {
		return jsonrpc.EncodeMessage(m)
	}
	id, err := plainJSON(r.ID.Raw())
	if err != nil {
		return nil, err
	}
	const head, middle = `{"jsonrpc":"2.0","id":`, `,"result":`
	out := make([]byte, 0, len(head)+len(id)+len(middle)+len(r.Result)+2)
	out = append(append(append(append(out, head...), id...), middle...), r.Result...)
	return append(out, '}'), nil
}

func (s *stdioConn) sendRefusal(r *lineRefusal) {
	b, err := json.Marshal(r)
	if err != nil {
		s.log.Error("a message cannot be written", "error", err)
		return
	}
	s.writeLine(b)
}

// writeLine writes one line. It returns no error, as the SDK would then drop the calls in hand.
func (s *stdioConn) writeLine(b []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	select {
	case <-s.outputGone:
		return
	default:
	}
	for piece := range slices.Chunk(append(b, '\n'), writeChunk) {
		if _, err := s.out.Write(piece); err != nil {
			s.log.Warn("the client reads no more", "error", err)
			s.once.leave.Do(func() { close(s.outputGone) })
			return
		}
		s.written.Add(1)
	}
}

// writeChunk is how much is written at once. A client that takes that much within [clientPatience] still reads.
const writeChunk = 64 << 10

// clientError gives an error a code and shortens the message, which may repeat what the client sent.
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
