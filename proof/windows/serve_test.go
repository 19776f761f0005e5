package windows

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client of the official SDK changes a file by the server, over standard input and output and over HTTP.
func TestServeStdio(t *testing.T) {
	p := newPlace(t, files)
	cmd := p.command(t.Context(), "serve")
	s, err := sdk.NewClient(&sdk.Implementation{Name: "proof"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	must(t, err)
	defer s.Close()
	p.change(s)
}

func TestServeHTTP(t *testing.T) {
	p := newPlace(t, files)
	cmd := p.command(t.Context(), "serve", p.dir, "--http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	defer cmd.Wait() //nolint:errcheck // it is killed
	defer cmd.Process.Kill()
	lines, url := bufio.NewScanner(stderr), ""
	for url == "" && lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "emend: serving "); ok {
			url, _, _ = strings.Cut(rest, ";")
		}
	}
	if url == "" {
		t.Fatal("the server did not say where it is")
	}
	go func() {
		for lines.Scan() {
		}
	}()
	token, err := os.ReadFile(filepath.Join(p.home, "emend", "serve.key"))
	must(t, err)
	client := &http.Client{Transport: bearer(strings.TrimSpace(string(token)))}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "proof"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: client}, nil)
	must(t, err)
	defer s.Close()
	p.change(s)
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// change applies a patch by a session, and is refused the second time.
func (p *place) change(s *sdk.ClientSession) {
	p.t.Helper()
	params := &sdk.CallToolParams{Name: "apply_patch", Arguments: map[string]any{"patch": everything, "dialect": "codex"}}
	for i, refused := range []bool{false, true} {
		got, err := s.CallTool(p.t.Context(), params)
		must(p.t, err)
		if got.IsError != refused {
			p.t.Errorf("call %d: %+v", i, got)
		}
	}
	if now := p.tree(); now["a.txt"] != "one\nTWO\n" || now["new/deep/n.txt"] != "new\n" {
		p.t.Errorf("%q", now)
	}
}
