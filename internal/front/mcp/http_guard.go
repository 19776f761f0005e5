package mcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// no is the refusal of a request, before any tool has seen it.
type no struct {
	by    string // for the counts
	code  int
	msg   string
	later bool // it may be tried again in a second
	bad   bool // the connection is of no use any more
}

// stranger refuses what a web page sends: a name that was made to point here, and another page's origin. The token would
// keep it out as well; this is so that no mistake with a token is enough.
func (h *HTTP) stranger(r *http.Request) *no {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local != nil && loopback(local.String()) && !loopback(r.Host) {
		return &no{by: "host", code: http.StatusForbidden,
			msg: "the Host header names another machine: ask for 127.0.0.1 or localhost, and let a proxy in front set it so"}
	}
	origins := r.Header.Values("Origin")
	if len(origins) > 1 || len(origins) == 1 && !own(origins[0], r.Host) {
		return &no{by: "origin", code: http.StatusForbidden, msg: "requests of web pages are not answered: the Origin header is not this server's own"}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return nil
	}
	return &no{by: "origin", code: http.StatusForbidden, msg: "requests of web pages are not answered: the browser says that this one comes from another site"}
}

// own reports whether an origin is the host that the request is for. A page over https cannot be on the port that serves
// http, so that the scheme says nothing more; behind a proxy it is another one.
func own(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.EqualFold(u.Host, host) &&
		u.Path == "" && u.User == nil
}

// loopback reports whether a host, with a port or without, is this machine for this machine alone.
func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// admit asks for the token, and bounds how much one address asks for. Those without a token have a count of their own, so
// that they take nothing from the others.
func (h *HTTP) admit(r *http.Request) *no {
	where, _, _ := net.SplitHostPort(r.RemoteAddr)
	refusal := h.token(r)
	if refusal != nil {
		where = "?" + where
	}
	if !h.rate.allow(where) {
		return &no{by: "rate", code: http.StatusTooManyRequests, later: true, msg: "too many requests in a second: wait for one, and then ask less often"}
	}
	return refusal
}

func (h *HTTP) token(r *http.Request) *no {
	out := &no{by: "token", code: http.StatusUnauthorized}
	all := r.Header.Values("Authorization")
	if len(all) == 0 {
		out.msg = "a token is needed: send the header Authorization: Bearer TOKEN, where TOKEN is what the server's token file has"
		return out
	}
	scheme, token, _ := strings.Cut(all[0], " ")
	if len(all) > 1 || !strings.EqualFold(scheme, "Bearer") || !isToken(strings.TrimSpace(token), h.Token) {
		out.msg = "the token is wrong: send the header Authorization: Bearer TOKEN, where TOKEN is what the server's token file has now"
		return out
	}
	return nil
}
