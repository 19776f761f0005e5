// Package gate is what stands before a server that answers on a port: it tells requests of programs, and of the server's
// own pages, from those that somebody else's page has a browser send, and bounds how many come. It knows no files and no
// tools.
package gate

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Refusal says why a request is not answered. Its status is 403.
type Refusal struct {
	By  string // the header that says so, in a word, for counts
	Msg string
}

// Stranger refuses what a web page sends: a name that was made to point here, and another page's origin. A token would keep
// it out as well; this is so that no mistake with a token is enough. It is nil for all others.
func Stranger(r *http.Request) *Refusal {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local != nil && Loopback(local.String()) && !Loopback(r.Host) {
		return &Refusal{"host", "the Host header names another machine: ask for 127.0.0.1 or localhost, and let a proxy in front set it so"}
	}
	origins := r.Header.Values("Origin")
	if len(origins) > 1 || len(origins) == 1 && !own(origins[0], r.Host) {
		return &Refusal{"origin", "requests of web pages are not answered: the Origin header is not this server's own"}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return nil
	}
	return &Refusal{"origin", "requests of web pages are not answered: the browser says that this one comes from another site"}
}

// own reports whether an origin is the host that the request is for. A page over https cannot be on the port that serves
// http, so that the scheme says nothing more; behind a proxy it is another one.
func own(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.EqualFold(u.Host, host) &&
		u.Path == "" && u.User == nil
}

// Loopback reports whether a host, with a port or without, is this machine for this machine alone.
func Loopback(host string) bool {
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
