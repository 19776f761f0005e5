package mcp

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// take looks at what came: it returns what is to be handed out at once.
func (w *wire) take(a arrival) jsonrpc.Message {
	switch m := a.msg.(type) {
	case *jsonrpc.Response:
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.asked[m.ID] {
			delete(w.asked, m.ID)
			return m
		}
	case *jsonrpc.Request:
		if !m.IsCall() {
			return w.notice(m)
		}
		if bad := w.admit(m, a.size); bad != nil {
			w.send(bad)
		} else if m.Method == "initialize" {
			w.greeted = true
		}
	default:
		w.send(a.bad)
	}
	return nil
}

// busy is the code of a call that may be sent again later.
const busy = -32000

// admit lets a call in. An id that is taken is not repeated in the answer: it would be read as that of the other call.
func (w *wire) admit(m *jsonrpc.Request, size int) *refused {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, _ := json.Marshal(m.ID.Raw())
	if w.desk.calls[m.ID] != nil {
		return refuse(nil, jsonrpc.CodeInvalidRequest, "the id %s is that of a call in hand: give each call its own", id)
	}
	if w.desk.full(size) {
		return refuse(id, busy, "busy: %d calls with %d bytes wait; send it again when some are answered", len(w.desk.queue), w.desk.held)
	}
	w.desk.add(m, size)
	return nil
}

// notice returns what the library should know of a notification. The rest of it, and all others, are dropped here: they
// would be queued without a limit.
func (w *wire) notice(m *jsonrpc.Request) jsonrpc.Message {
	switch m.Method {
	case "notifications/initialized":
		if w.greeted {
			w.greeted = false // a second one would be an error in the log of the server
			return &jsonrpc.Request{Method: m.Method}
		}
	case "notifications/cancelled":
		var about struct {
			ID json.RawMessage `json:"requestId"`
		}
		json.Unmarshal(m.Params, &about) //nolint:errcheck // then there is no id
		id, ok := identifier(about.ID)
		w.mu.Lock()
		defer w.mu.Unlock()
		if ok && w.desk.cancel(id) {
			return &jsonrpc.Request{Method: m.Method, Params: json.RawMessage(`{"requestId":` + string(about.ID) + `}`)}
		}
	}
	return nil
}

// dismiss refuses the calls that have not begun: the server ends.
func (w *wire) dismiss() {
	w.mu.Lock()
	ids := w.desk.waiting()
	w.mu.Unlock()
	for _, id := range ids {
		raw, _ := json.Marshal(id.Raw())
		w.send(refuse(raw, busy, "the server ends, and this call was not begun"))
	}
}
