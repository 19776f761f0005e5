package mcp

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// take looks at what came: it returns what is to be handed out at once.
func (w *stdioConn) receive(a incoming) jsonrpc.Message {
	switch m := a.msg.(type) {
	case *jsonrpc.Response:
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.unanswered[m.ID] {
			delete(w.unanswered, m.ID)
			return m
		}
	case *jsonrpc.Request:
		if !m.IsCall() {
			return w.filterNotification(m)
		}
		if bad := w.enqueue(m, a.size); bad != nil {
			w.sendRefusal(bad)
		} else if m.Method == "initialize" {
			w.awaitInitialized = true
		}
	default:
		w.sendRefusal(a.refusal)
	}
	return nil
}

// busy is the code of a call that may be sent again later.
const codeBusy = -32000

// admit lets a call in. An id that is taken is not repeated in the answer: it would be read as that of the other call.
func (w *stdioConn) enqueue(m *jsonrpc.Request, size int) *lineRefusal {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, _ := json.Marshal(m.ID.Raw())
	if w.queue.calls[m.ID] != nil {
		return refuseLine(nil, jsonrpc.CodeInvalidRequest, "the id %s is that of a call in hand: give each call its own", id)
	}
	if w.queue.full(size) {
		return refuseLine(id, codeBusy, "busy: %d calls with %d bytes wait; send it again when some are answered", len(w.queue.queue), w.queue.bytes)
	}
	w.queue.add(m, size)
	return nil
}

// notice returns what the library should know of a notification. The rest of it, and all others, are dropped here: they
// would be queued without a limit.
func (w *stdioConn) filterNotification(m *jsonrpc.Request) jsonrpc.Message {
	switch m.Method {
	case "notifications/initialized":
		if w.awaitInitialized {
			w.awaitInitialized = false // a second one would be an error in the log of the server
			return &jsonrpc.Request{Method: m.Method}
		}
	case "notifications/cancelled":
		var about struct {
			ID json.RawMessage `json:"requestId"`
		}
		json.Unmarshal(m.Params, &about) //nolint:errcheck // then there is no id
		id, ok := parseID(about.ID)
		w.mu.Lock()
		defer w.mu.Unlock()
		if ok && w.queue.cancel(id) {
			return &jsonrpc.Request{Method: m.Method, Params: json.RawMessage(`{"requestId":` + string(about.ID) + `}`)}
		}
	}
	return nil
}

// dismiss refuses the calls that have not begun: the server ends.
func (w *stdioConn) refuseQueued() {
	w.mu.Lock()
	ids := w.queue.removeQueued()
	w.mu.Unlock()
	for _, id := range ids {
		raw, _ := json.Marshal(id.Raw())
		w.sendRefusal(refuseLine(raw, codeBusy, "the server ends, and this call was not begun"))
	}
}
