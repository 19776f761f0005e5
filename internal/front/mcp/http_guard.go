package mcp

import (
	"net"
	"net/http"
	"strings"

	"github.com/emend-dev/emend/internal/front/gate"
)

// no is the refusal of a request, before any tool has seen it.
type httpRefusal struct {
	reason    string // for the counts
	code  int
	msg   string
	retryLater bool // it may be tried again in a second
	closeConn   bool // the connection is of no use any more
}

// stranger refuses what a web page sends.
func (h *HTTP) refuseCrossSite(r *http.Request) *httpRefusal {
	if is := gate.Stranger(r); is != nil {
		return &httpRefusal{reason: is.By, code: http.StatusForbidden, msg: is.Msg}
	}
	return nil
}

// admit asks for the token, and bounds how much one address asks for. Those without a token have a count of their own, so
// that they take nothing from the others.
func (h *HTTP) authorize(r *http.Request) *httpRefusal {
	where, _, _ := net.SplitHostPort(r.RemoteAddr)
	refusal := h.checkToken(r)
	if refusal != nil {
		where = "?" + where
	}
	if !h.rate.Allow(where) {
		return tooOften()
	}
	return refusal
}

func tooOften() *httpRefusal {
	return &httpRefusal{reason: "rate", code: http.StatusTooManyRequests, retryLater: true, msg: "too many requests in a second: wait for one, and then ask less often"}
}

func (h *HTTP) checkToken(r *http.Request) *httpRefusal {
	out := &httpRefusal{reason: "token", code: http.StatusUnauthorized}
	all := r.Header.Values("Authorization")
	if len(all) == 0 {
		out.msg = "a token is needed: send the header Authorization: Bearer TOKEN, where TOKEN is what the server's token file has"
		return out
	}
	scheme, token, _ := strings.Cut(all[0], " ")
	if len(all) > 1 || !strings.EqualFold(scheme, "Bearer") || !gate.Same(strings.TrimSpace(token), h.Token) {
		out.msg = "the token is wrong: send the header Authorization: Bearer TOKEN, where TOKEN is what the server's token file has now"
		return out
	}
	return nil
}
