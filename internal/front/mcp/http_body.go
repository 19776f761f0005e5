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
func (h *HTTP) readBody(w *response, r *http.Request) ([]byte, *httpRefusal) {
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		return nil, &httpRefusal{reason: "body", code: http.StatusUnsupportedMediaType, msg: "the body is compressed, which is not read here: send it as it is", closeConn: true}
	}
	w.ctl.SetReadDeadline(time.Now().Add(h.BodyTimeout)) //nolint:errcheck // a connection that has none is a test's
	b, err := io.ReadAll(io.LimitReader(r.Body, h.MaxBody+1))
	h.metrics.received.Add(int64(len(b)))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &httpRefusal{reason: "slow", code: http.StatusRequestTimeout, msg: fmt.Sprintf("the body did not come within %s", h.BodyTimeout), closeConn: true}
	case err != nil:
		return nil, &httpRefusal{reason: "body", code: http.StatusBadRequest, msg: "the body was cut short", closeConn: true}
	case int64(len(b)) > h.MaxBody:
		return nil, h.tooLarge()
	}
	w.ctl.SetReadDeadline(time.Time{}) //nolint:errcheck // as above
	if len(b) > 0 && !json.Valid(b) {
		return nil, &httpRefusal{reason: "body", code: http.StatusBadRequest, msg: "the body is not JSON, or is nested too deeply: send one JSON-RPC message"}
	}
	if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '[' {
		return nil, &httpRefusal{reason: "body", code: http.StatusBadRequest, msg: "a batch is not taken: send one JSON-RPC message in a request"}
	}
	if tooManyValues(b) {
		return nil, &httpRefusal{reason: "body", code: http.StatusRequestEntityTooLarge, msg: tooManyValuesMessage}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return b, nil
}

// hold makes room for the body of a request. One that does not say how large it is needs as much as is allowed, until it is
// there.
func (h *HTTP) reserveBody(r *http.Request) (size int64, refusal *httpRefusal) {
	size = r.ContentLength
	if size > h.MaxBody {
		return 0, h.tooLarge()
	}
	if size < 0 {
		size = h.MaxBody
	}
	if h.bodyBytes.Add(size) > 8*h.MaxBody {
		h.bodyBytes.Add(-size)
		return 0, &httpRefusal{reason: "memory", code: http.StatusServiceUnavailable, retryLater: true, closeConn: true, msg: "too much is being sent at once: send it again in a second"}
	}
	return size, nil
}

func (h *HTTP) tooLarge() *httpRefusal {
	return &httpRefusal{reason: "body", code: http.StatusRequestEntityTooLarge, closeConn: true,
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
func wantsAnswer(body []byte) bool {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	return json.Unmarshal(body, &m) != nil || m.ID != nil && m.Method != ""
}

// reply is the answer to a request: each write has to be taken in time, and what was sent is counted.
type response struct {
	http.ResponseWriter
	ctl      *http.ResponseController
	writeTimeout time.Duration
	unsent     *atomic.Int64
	code     int
	sent     int64
	onStatus     func(code int) // hears of the code before the client does
}

func (w *response) WriteHeader(code int) {
	if w.code == 0 && code >= 200 {
		w.code = code
		if w.onStatus != nil {
			w.onStatus(code)
		}
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *response) Write(b []byte) (int, error) {
	if w.code == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.extendDeadline()
	w.unsent.Add(int64(len(b)))
	defer w.unsent.Add(-int64(len(b)))
	n, err := w.ResponseWriter.Write(b)
	w.sent += int64(n)
	return n, err
}

// FlushError is what [http.ResponseController] calls.
func (w *response) FlushError() error {
	w.extendDeadline()
	return w.ctl.Flush()
}

// Unwrap lets the protocol's library reach what is below.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) extendDeadline() {
	w.ctl.SetWriteDeadline(time.Now().Add(w.writeTimeout)) //nolint:errcheck // a connection that has none is a test's
}

// end is called when all is written but for what is in a buffer.
func (w *response) finish() {
	w.extendDeadline()
	if w.code == 0 {
		w.code = http.StatusOK
	}
}

func (w *response) refuse(n *httpRefusal) {
	if w.code != 0 {
		return // too late
	}
	if n.code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="emend"`)
	}
	if n.retryLater {
		w.Header().Set("Retry-After", "1")
	}
	if n.closeConn {
		w.Header().Set("Connection", "close")
	}
	http.Error(w, "emend: "+n.msg, n.code)
}
