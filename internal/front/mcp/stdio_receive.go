package mcp

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// receive handles what was read, and returns the message that must be handed out at once, if there is one.
func (s *stdioConn) receive(a incoming) jsonrpc.Message {
	switch m := a.msg.(type) {
	case *jsonrpc.Response:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.unanswered[m.ID] {
			delete(s.unanswered, m.ID)
			return m
		}
	case *jsonrpc.Request:
		if !m.IsCall() {
			return s.filterNotification(m)
		}
		if bad := s.enqueue(m, a.size); bad != nil {
			s.sendRefusal(bad)
		} else if m.Method == "initialize" {
			s.awaitInitialized = true
		}
	default:
		s.sendRefusal(a.refusal)
	}
	return nil
}

// codeBusy is the code of a call that may be sent again later.
const codeBusy = -32000

// enqueue admits a call. The refusal of an id that is in use does not repeat the id: the client would take it for the
// answer to the other call.
func (s *stdioConn) enqueue(m *jsonrpc.Request, size int) *lineRefusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, _ := json.Marshal(m.ID.Raw())
	if s.queue.calls[m.ID] != nil {
		return refuseLine(nil, jsonrpc.CodeInvalidRequest, "the id %s is that of a call in hand: give each call its own", id)
	}
	if s.queue.full(size) {
		return refuseLine(id, codeBusy, "busy: %d calls with %d bytes wait; send it again when some are answered", len(s.queue.queue), s.queue.bytes)
	}
	s.queue.add(m, size)
	return nil
}

// filterNotification returns what the SDK needs of a notification. It drops everything else, since the SDK would
// queue it without a limit.
func (s *stdioConn) filterNotification(m *jsonrpc.Request) jsonrpc.Message {
	switch m.Method {
	case "notifications/initialized":
		if s.awaitInitialized {
			s.awaitInitialized = false // a second one would be an error in the server's log
			return &jsonrpc.Request{Method: m.Method}
		}
	case "notifications/cancelled":
		var params struct {
			ID json.RawMessage `json:"requestId"`
		}
		json.Unmarshal(m.Params, &params) //nolint:errcheck // then there is no id
		id, ok := parseID(params.ID)
		s.mu.Lock()
		defer s.mu.Unlock()
		if ok && s.queue.cancel(id) {
			return &jsonrpc.Request{Method: m.Method, Params: json.RawMessage(`{"requestId":` + string(params.ID) + `}`)}
		}
	}
	return nil
}

// refuseQueued refuses the calls that do not run yet, because the server stops.
func (s *stdioConn) refuseQueued() {
	s.mu.Lock()
	ids := s.queue.removeQueued()
	s.mu.Unlock()
	for _, id := range ids {
		raw, _ := json.Marshal(id.Raw())
		s.sendRefusal(refuseLine(raw, codeBusy, "the server ends, and this call was not begun"))
	}
}
