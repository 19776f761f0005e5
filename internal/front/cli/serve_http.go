package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"runtime/debug"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/front/web"
	"github.com/emend-dev/emend/internal/report"
)

// maxBodyLimit is the limit of --max-body. A body is read into memory.
const maxBodyLimit = 1 << 30

func (a *app) serveHTTP(ctx context.Context, s *mcp.Server, f *serveFlags) error {
	body, err := parseSize(f.maxBody)
	if err != nil || body == 0 || body > maxBodyLimit {
		return usageErrorf("serve", "--max-body: %q is not a size up to 1GiB: write 500, 64KiB or 16MiB", f.maxBody)
	}
	certs, err := f.certs()
	if err != nil {
		return err
	}
	addr, err := f.address()
	if err != nil {
		return err
	}
	network := "tcp"
	if addr.IP.To4() != nil {
		network = "tcp4" // so that 0.0.0.0 does not listen at [::] too
	}
	l, err := net.ListenTCP(network, addr)
	if err != nil {
		return fmt.Errorf("cannot serve at %s: %w; name another port, or 0 for a free one", fail.Quote(f.http), err)
	}
	at := fmt.Sprintf("%s://%s", map[bool]string{true: "https", false: "http"}[len(certs) > 0], l.Addr())
	clients, pages, err := a.loadTokens(s, f) // after listening: a server that has the address already keeps its tokens
	if err != nil {
		l.Close()
		return err
	}
	a.announceServer(s, f, at+"/mcp", clients)
	c := mcp.HTTPConfig{Token: clients.token, MaxBody: body, MaxRate: f.maxRate, MaxSessions: f.maxSessions, Grace: f.grace}
	if pages != nil {
		a.announcePages(s, f, at+web.Base, pages)
		site := newPages(s, f, pages.token)
		defer site.Close()
		defer context.AfterFunc(ctx, func() { site.Close() })()
		c.Pages = site
	}
	h := s.HTTP(c)
	if a.env("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(h.MemoryLimit())
	}
	a.enterLandlock(s.Workspaces, s.Log)
	return h.Serve(ctx, l, certs...)
}

// newPages returns the pages over the workspaces of a server. With --read-only they change nothing.
func newPages(s *mcp.Server, f *serveFlags, token string) *web.Site {
	c := web.Config{Token: token, ReadOnly: f.readOnly, Version: s.Version, Log: s.Log}
	for _, w := range s.Workspaces {
		c.Workspaces = append(c.Workspaces, web.Workspace{Name: w.Name, Workspace: w.Workspace})
	}
	return web.New(c)
}

// announceServer prints the address of the server. It prints a token once, when it is made, and never to a log.
func (a *app) announceServer(s *mcp.Server, f *serveFlags, url string, k *tokenFile) {
	if f.logFormat == "json" {
		s.Log.Info("serving", "url", url, "token_file", k.path, "token_made", k.isNew)
		return
	}
	if !a.quiet {
		fmt.Fprintf(a.err, "emend: serving %s; Ctrl-C ends it\n", url)
		if len(s.Workspaces) > 1 {
			fmt.Fprintf(a.err, "emend: the workspaces: %s\n", listNames(s.Workspaces))
		}
	}
	switch {
	case k.isNew:
		fmt.Fprintf(a.err, "emend: a token was made. It is shown this once, and kept in %s. Clients send:\n  Authorization: Bearer %s\n", report.Escape(k.path), k.token)
	case !a.quiet:
		fmt.Fprintf(a.err, "emend: clients send the token that is in %s\n", report.Escape(k.path))
	}
}

// announcePages prints the address of the pages. At a terminal the address has the token in it; elsewhere the name of
// the token's file is printed.
func (a *app) announcePages(s *mcp.Server, f *serveFlags, url string, k *tokenFile) {
	switch {
	case f.logFormat == "json":
		s.Log.Info("serving pages", "url", url, "token_file", k.path, "token_made", k.isNew)
	case a.quiet && !k.isNew:
	case a.ttyErr:
		fmt.Fprintf(a.err, "emend: what agents do is shown at %s\n", url+"#token="+k.token)
	default:
		fmt.Fprintf(a.err, "emend: what agents do is shown at %s, with the token that is in %s\n", url, report.Escape(k.path))
	}
}

// address returns the address to listen at. Without --remote only one of this machine is accepted.
func (f *serveFlags) address() (*net.TCPAddr, error) {
	addr, err := resolveAddr(f.http)
	if err != nil {
		return nil, usageErrorf("serve", "--http: %s is not an address: write 127.0.0.1:7433, or :0 for any free port (%w)", fail.Quote(f.http), err)
	}
	if f.remote || addr.IP.IsLoopback() {
		return addr, nil
	}
	return nil, usageErrorf("serve", "--http: %s can be reached from other machines: say 127.0.0.1, or add --remote with --tls-cert and --tls-key", fail.Quote(f.http))
}

// certs returns the certificates of the server, or none without TLS.
func (f *serveFlags) certs() ([]tls.Certificate, error) {
	switch {
	case f.noTLS && !f.remote:
		return nil, usageErrorf("serve", "--no-tls is for --remote: on this machine alone TLS is not needed")
	case f.noTLS && f.cert+f.key != "":
		return nil, usageErrorf("serve", "--no-tls and --tls-cert do not go together: leave one out")
	case f.cert == "" && f.key == "":
		if f.remote && !f.noTLS {
			return nil, usageErrorf("serve", "--remote needs --tls-cert and --tls-key; behind a proxy that has TLS, add --no-tls instead")
		}
		return nil, nil
	case f.cert == "" || f.key == "":
		return nil, usageErrorf("serve", "--tls-cert and --tls-key go together")
	}
	c, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, usageErrorf("serve", "--tls-cert, --tls-key: %w", err)
	}
	return []tls.Certificate{c}, nil
}
