package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// body reads the body of a request, whole: within its bounds, in time, and only if it is JSON. The protocol's library then
// reads it again, from memory.
func (h *HTTP) body(w *reply, r *http.Request) ([]byte, *no) {
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		return nil, &no{by: "body", code: http.StatusUnsupportedMediaType, msg: "the body is compressed, which is not read here: send it as it is", bad: true}
	}
	w.ctl.SetReadDeadline(time.Now().Add(h.Body)) //nolint:errcheck // a connection that has none is a test's
	b, err := io.ReadAll(io.LimitReader(r.Body, h.MaxBody+1))
	h.stats.in.Add(int64(len(b)))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &no{by: "slow", code: http.StatusRequestTimeout, msg: fmt.Sprintf("the body did not come within %s", h.Body), bad: true}
	case err != nil:
		return nil, &no{by: "body", code: http.StatusBadRequest, msg: "the body was cut short", bad: true}
	case int64(len(b)) > h.MaxBody:
		return nil, h.tooLarge()
	}
	w.ctl.SetReadDeadline(time.Time{}) //nolint:errcheck // as above
	if len(b) > 0 && !json.Valid(b) {
		return nil, &no{by: "body", code: http.StatusBadRequest, msg: "the body is not JSON, or is nested too deeply: send one JSON-RPC message"}
	}
	if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '[' {
		return nil, &no{by: "body", code: http.StatusBadRequest, msg: "a batch is not taken: send one JSON-RPC message in a request"}
	}
	if crowded(b) {
		return nil, &no{by: "body", code: http.StatusRequestEntityTooLarge, msg: tooCrowded}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return b, nil
}

// hold makes room for the body of a request. One that does not say how large it is needs as much as is allowed, until it is
// there.
func (h *HTTP) hold(r *http.Request) (size int64, refusal *no) {
	size = r.ContentLength
	if size > h.MaxBody {
		return 0, h.tooLarge()
	}
	if size < 0 {
		size = h.MaxBody
	}
	if h.held.Add(size) > 8*h.MaxBody {
		h.held.Add(-size)
		return 0, &no{by: "memory", code: http.StatusServiceUnavailable, later: true, bad: true, msg: "too much is being sent at once: send it again in a second"}
	}
	return size, nil
}

func (h *HTTP) tooLarge() *no {
	return &no{by: "body", code: http.StatusRequestEntityTooLarge, bad: true,
		msg: fmt.Sprintf("the body is larger than %d bytes: make several calls of it, or start the server with a larger --max-body", h.MaxBody)}
}

// claimsStateless reports whether a message says itself that it is of a revision without sessions.
func claimsStateless(body []byte) bool {
	const key = "io.modelcontextprotocol/protocolVersion"
	if !bytes.Contains(body, []byte(key)) {
		return false
	}
	var m struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	return json.Unmarshal(body, &m) == nil && m.Params.Meta[key] != nil
}

// begins reports whether a message wants an answer. Others belong to calls in hand: they cancel one, or answer what it asked.
func begins(body []byte) bool {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	return json.Unmarshal(body, &m) != nil || m.ID != nil && m.Method != ""
}

// reply is the answer to a request: each write has to be taken in time, and what was sent is counted.
type reply struct {
	http.ResponseWriter
	ctl      *http.ResponseController
	patience time.Duration
	owed     *atomic.Int64
	code     int
	sent     int64
	head     func(code int) // hears of the code before the client does
}

func (w *reply) WriteHeader(code int) {
	if w.code == 0 && code >= 200 {
		w.code = code
		if w.head != nil {
			w.head(code)
		}
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *reply) Write(b []byte) (int, error) {
	if w.code == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.hurry()
	w.owed.Add(int64(len(b)))
	defer w.owed.Add(-int64(len(b)))
	n, err := w.ResponseWriter.Write(b)
	w.sent += int64(n)
	return n, err
}

// FlushError is what [http.ResponseController] calls.
func (w *reply) FlushError() error {
	w.hurry()
	return w.ctl.Flush()
}

// Unwrap lets the protocol's library reach what is below.
func (w *reply) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *reply) hurry() {
	w.ctl.SetWriteDeadline(time.Now().Add(w.patience)) //nolint:errcheck // a connection that has none is a test's
}

// end is called when all is written but for what is in a buffer.
func (w *reply) end() {
	w.hurry()
	if w.code == 0 {
		w.code = http.StatusOK
	}
}

func (w *reply) refuse(n *no) {
	if w.code != 0 {
		return // too late
	}
	if n.code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="emend"`)
	}
	if n.later {
		w.Header().Set("Retry-After", "1")
	}
	if n.bad {
		w.Header().Set("Connection", "close")
	}
	http.Error(w, "emend: "+n.msg, n.code)
}
