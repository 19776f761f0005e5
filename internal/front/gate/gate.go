// Package gate protects a server on a port, before any of its handlers run. It refuses requests that a web page of another
// site has a browser send, compares tokens, and limits how many connections and calls there are. It knows no files and no
// tools.
package gate

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Refusal says why a request gets the status 403.
type Refusal struct {
	By  string // "host" or "origin": the header that gave it away, for counts and logs
	Msg string
}

// CheckOrigin refuses a request that another site's page sent: one to a host name that was made to point at this machine (DNS
// rebinding), one with a foreign Origin, and one of which the browser says that it crosses sites. It returns nil for all
// others. A token keeps such pages out as well; with this check, one mistake with a token is not enough.
func CheckOrigin(r *http.Request) *Refusal {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local != nil && IsLoopback(local.String()) && !IsLoopback(r.Host) {
		return &Refusal{"host", "the Host header names another machine: ask for 127.0.0.1 or localhost, and let a proxy in front set it so"}
	}
	origins := r.Header.Values("Origin")
	if len(origins) > 1 || len(origins) == 1 && !sameOrigin(origins[0], r.Host) {
		return &Refusal{"origin", "requests of web pages are not answered: the Origin header is not this server's own"}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return nil
	}
	return &Refusal{"origin", "requests of web pages are not answered: the browser says that this one comes from another site"}
}

// sameOrigin reports whether an origin is the host that the request names. The scheme is not compared: a page over https
// cannot come from a port that serves http, and a proxy in front may change it.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.EqualFold(u.Host, host) &&
		u.Path == "" && u.User == nil
}

// IsLoopback reports whether a host, with or without a port, is this machine and cannot be reached from others.
func IsLoopback(host string) bool {
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
