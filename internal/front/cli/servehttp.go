package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/report"
)

// maxMaxBody is what --max-body may be: a body is read into memory.
const maxMaxBody = 1 << 30

func (a *app) serveHTTP(ctx context.Context, s *mcp.Server, f *serveFlags) error {
	body, err := parseSize(f.maxBody)
	if err != nil || body == 0 || body > maxMaxBody {
		return badUse("serve", "--max-body: %q is not a size up to 1GiB: write 500, 64KiB or 16MiB", f.maxBody)
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
		network = "tcp4" // 0.0.0.0 is not [::] as well
	}
	l, err := net.ListenTCP(network, addr)
	if err != nil {
		return fmt.Errorf("cannot serve at %s: %w; name another port, or 0 for a free one", fail.Quote(f.http), err)
	}
	token, file, made, err := a.token(s, f) // only now: a server that has the address goes on with the token of the file
	if err != nil {
		l.Close()
		return err
	}
	url := fmt.Sprintf("%s://%s/mcp", map[bool]string{true: "https", false: "http"}[len(certs) > 0], l.Addr())
	a.greet(s, f, url, token, file, made)
	h := s.HTTP(mcp.HTTPConfig{Token: token, MaxBody: body, MaxRate: f.maxRate, MaxSessions: f.maxSessions, Grace: f.grace})
	a.shut(s.Workspaces, s.Log)
	return h.Serve(ctx, l, certs...)
}

// greet says where the server is. The token is shown when it is made, and never again; never in a log.
func (a *app) greet(s *mcp.Server, f *serveFlags, url, token, file string, made bool) {
	if f.logFormat == "json" {
		s.Log.Info("serving", "url", url, "token_file", file, "token_made", made)
		return
	}
	if !a.quiet {
		fmt.Fprintf(a.err, "emend: serving %s; Ctrl-C ends it\n", url)
		if len(s.Workspaces) > 1 {
			fmt.Fprintf(a.err, "emend: the workspaces: %s\n", names(s.Workspaces))
		}
	}
	switch {
	case made:
		fmt.Fprintf(a.err, "emend: a token was made. It is shown this once, and kept in %s. Clients send:\n  Authorization: Bearer %s\n", report.Escape(file), token)
	case !a.quiet:
		fmt.Fprintf(a.err, "emend: clients send the token that is in %s\n", report.Escape(file))
	}
}

// token is what clients must send, and the file that has it; made says that it is new.
func (a *app) token(s *mcp.Server, f *serveFlags) (token, file string, made bool, err error) {
	file = f.tokenFile
	if file == "" {
		if file, err = a.tokenFile(); err != nil {
			return "", "", false, err
		}
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", "", false, &usage{"serve", err}
	}
	for _, w := range s.Workspaces {
		if within(w, file) && !strings.HasSuffix(file, ".key") {
			return "", "", false, badUse("serve", "--token-file: %s is in the workspace %s, where the agent could read it: name one outside, or one that ends in .key",
				fail.Quote(file), w.Name)
		}
	}
	if f.newToken {
		token, err = mcp.NewToken(file)
		return token, file, true, err
	}
	token, made, err = mcp.Token(file)
	return token, file, made, err
}

// tokenFile is where the token is kept when nobody names a file.
func (a *app) tokenFile() (string, error) {
	dir, err := a.configDir()
	return filepath.Join(dir, "emend", "serve.key"), err
}

// address is where to listen: on this machine alone, unless a person said otherwise.
func (f *serveFlags) address() (*net.TCPAddr, error) {
	at := f.http
	if strings.HasPrefix(at, ":") {
		at = "127.0.0.1" + at
	}
	addr, err := net.ResolveTCPAddr("tcp", at)
	if err != nil {
		return nil, badUse("serve", "--http: %s is not an address: write 127.0.0.1:7433, or :0 for any free port (%w)", fail.Quote(f.http), err)
	}
	if f.remote || addr.IP.IsLoopback() {
		return addr, nil
	}
	return nil, badUse("serve", "--http: %s can be reached from other machines: say 127.0.0.1, or add --remote with --tls-cert and --tls-key", fail.Quote(f.http))
}

// certs are what the server shows of itself; none where it serves without TLS.
func (f *serveFlags) certs() ([]tls.Certificate, error) {
	switch {
	case f.noTLS && !f.remote:
		return nil, badUse("serve", "--no-tls is for --remote: on this machine alone TLS is not needed")
	case f.noTLS && f.cert+f.key != "":
		return nil, badUse("serve", "--no-tls and --tls-cert do not go together: leave one out")
	case f.cert == "" && f.key == "":
		if f.remote && !f.noTLS {
			return nil, badUse("serve", "--remote needs --tls-cert and --tls-key; behind a proxy that has TLS, add --no-tls instead")
		}
		return nil, nil
	case f.cert == "" || f.key == "":
		return nil, badUse("serve", "--tls-cert and --tls-key go together")
	}
	c, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, badUse("serve", "--tls-cert, --tls-key: %w", err)
	}
	return []tls.Certificate{c}, nil
}
