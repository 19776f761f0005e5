package mcp

import (
	"net"
	"net/http"
	"strings"

	"github.com/emend-dev/emend/internal/front/gate"
)

// no is the refusal of a request, before any tool has seen it.
type no struct {
	by    string // for the counts
	code  int
	msg   string
	later bool // it may be tried again in a second
	bad   bool // the connection is of no use any more
}

// stranger refuses what a web page sends.
func (h *HTTP) stranger(r *http.Request) *no {
	if is := gate.Stranger(r); is != nil {
		return &no{by: is.By, code: http.StatusForbidden, msg: is.Msg}
	}
	return nil
}

// admit asks for the token, and bounds how much one address asks for. Those without a token have a count of their own, so
// that they take nothing from the others.
func (h *HTTP) admit(r *http.Request) *no {
	where, _, _ := net.SplitHostPort(r.RemoteAddr)
	refusal := h.token(r)
	if refusal != nil {
		where = "?" + where
	}
	if !h.rate.Allow(where) {
		return tooOften()
	}
	return refusal
}

func tooOften() *no {
	return &no{by: "rate", code: http.StatusTooManyRequests, later: true, msg: "too many requests in a second: wait for one, and then ask less often"}
}

func (h *HTTP) token(r *http.Request) *no {
	out := &no{by: "token", code: http.StatusUnauthorized}
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
