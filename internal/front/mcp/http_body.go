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
	"time"
)

// readBody reads the whole body of a request, within the limits of size and time, and refuses what is not JSON. It
// puts the bytes back into the request for the SDK.
func (h *HTTP) readBody(w *response, r *http.Request) ([]byte, *httpRefusal) {
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		return nil, &httpRefusal{reason: "body", code: http.StatusUnsupportedMediaType, msg: "the body is compressed, which is not read here: send it as it is", closeConn: true}
	}
	w.ctl.SetReadDeadline(time.Now().Add(h.BodyTimeout)) //nolint:errcheck // only a test's connection has no deadlines
	b, err := readAll(r.Body, r.ContentLength, h.MaxBody)
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
	r.Body, r.ContentLength = &bodyBytes{b}, int64(len(b))
	return b, nil
}

// readAll reads a body of size bytes, or of up to most+1 if its size is not known. With a known size it makes no copies.
func readAll(body io.Reader, size, most int64) ([]byte, error) {
	if size < 0 {
		return io.ReadAll(io.LimitReader(body, most+1))
	}
	b := make([]byte, size)
	n, err := io.ReadFull(body, b)
	return b[:n], err
}

// bodyBytes is a body that was read. It lets go of what the SDK has read of it, since the request stays as long as the call.
type bodyBytes struct{ left []byte }

func (b *bodyBytes) Read(p []byte) (int, error) {
	if len(b.left) == 0 {
		b.left = nil
		return 0, io.EOF
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

func (b *bodyBytes) Close() error { return nil }

// reserveBody reserves memory for a request by the length of its body. A body of unknown length reserves the maximum until it
// is read.
func (h *HTTP) reserveBody(r *http.Request) (size int64, refusal *httpRefusal) {
	size = r.ContentLength
	if size > h.MaxBody {
		return 0, h.tooLarge()
	}
	if size < 0 {
		size = h.MaxBody
	}
	if !h.memory.take(size, h.BodyWait) {
		return 0, &httpRefusal{reason: "memory", code: http.StatusServiceUnavailable, retryLater: true, closeConn: true, msg: "too much is being sent at once: send it again in a second"}
	}
	return size, nil
}

func (h *HTTP) tooLarge() *httpRefusal {
	return &httpRefusal{reason: "body", code: http.StatusRequestEntityTooLarge, closeConn: true,
		msg: fmt.Sprintf("the body is larger than %d bytes: make several calls of it, or start the server with a larger --max-body", h.MaxBody)}
}

// claimsStateless reports whether a message itself names a revision without sessions.
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

// wantsAnswer reports whether a message is a request that gets an answer. Other messages belong to calls in hand:
// they cancel one, or answer its question.
func wantsAnswer(body []byte) bool {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	return json.Unmarshal(body, &m) != nil || m.ID != nil && m.Method != ""
}
