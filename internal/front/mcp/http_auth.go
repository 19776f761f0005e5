package mcp

import (
	"net"
	"net/http"
	"strings"

	"github.com/emend-dev/emend/internal/front/gate"
)

// httpRefusal is the answer to a request that reaches no tool.
type httpRefusal struct {
	reason     string // label of the metrics and the log
	code       int
	msg        string
	retryLater bool // the same request may succeed in a second
	closeConn  bool // the connection cannot be used any further
}

// refuseCrossSite refuses a request that a web page of another site sent.
func (h *HTTP) refuseCrossSite(r *http.Request) *httpRefusal {
	if refusal := gate.CheckOrigin(r); refusal != nil {
		return &httpRefusal{reason: refusal.By, code: http.StatusForbidden, msg: refusal.Msg}
	}
	return nil
}

// authorize checks the token and the request rate of an address. Requests without a valid token are counted apart, so
// that they use up nothing of the rate of other clients.
func (h *HTTP) authorize(r *http.Request) *httpRefusal {
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	refusal := h.checkToken(r)
	if refusal != nil {
		address = "?" + address
	}
	if !h.rate.Allow(address) {
		return tooOften()
	}
	return refusal
}

func tooOften() *httpRefusal {
	return &httpRefusal{reason: "rate", code: http.StatusTooManyRequests, retryLater: true, msg: "too many requests in a second: wait for one, and then ask less often"}
}

func (h *HTTP) checkToken(r *http.Request) *httpRefusal {
	out := &httpRefusal{reason: "token", code: http.StatusUnauthorized}
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		out.msg = "a token is needed: send the header Authorization: Bearer TOKEN, where TOKEN is what the server's token file has"
		return out
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") || !gate.SameToken(strings.TrimSpace(token), h.Token) {
		out.msg = "the token is wrong: send the header Authorization: Bearer TOKEN, where TOKEN is what the server's token file has now"
		return out
	}
	return nil
}
