package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
)

// testClient is a workspace with files, a server over it, and what a client of the SDK needs to reach it over a pair
// of pipes.
type testClient struct {
	*testing.T
	dir   string
	ws    *emend.Workspace
	srv   *Server
	ended chan error
}

// newTestClient makes a workspace from pairs of names and contents.
func newTestClient(t *testing.T, c Config, files ...string) *testClient {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if err := os.Mkdir(filepath.Join(dir, ".emend"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := emend.Open(dir, emend.KeepReads())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	c.Workspaces = []tool.Workspace{{Workspace: ws}}
	return &testClient{T: t, dir: dir, ws: ws, srv: New(c), ended: make(chan error, 1)}
}

// serve connects a client that speaks a revision, or its newest one.
func (r *testClient) serve(o *sdk.ClientOptions, revision string) *sdk.ClientSession {
	r.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() { r.ended <- r.srv.Stdio(context.Background(), inR, outW) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "probe", Version: "1.2"}, o)
	session, err := client.Connect(r.Context(), &sdk.IOTransport{Reader: outR, Writer: inW, MaxLineLength: -1}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		session.Close()
		if err := <-r.ended; err != nil {
			r.Error(err)
		}
	})
	return session
}

// serveHTTP connects a client over HTTP.
func (r *testClient) serveHTTP(revision string) *sdk.ClientSession {
	r.Helper()
	at := httptest.NewServer(r.srv.HTTP(HTTPConfig{Token: "token"}))
	client := sdk.NewClient(&sdk.Implementation{Name: "probe", Version: "1.2"}, nil)
	session, err := client.Connect(r.Context(), &sdk.StreamableClientTransport{Endpoint: at.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{}}},
		&sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { session.Close(); at.Close() })
	return session
}

// call calls a tool that must succeed.
func (r *testClient) call(s *sdk.ClientSession, tool string, args any, meta sdk.Meta) string {
	r.Helper()
	out, err := s.CallTool(r.Context(), &sdk.CallToolParams{Name: tool, Arguments: args, Meta: meta})
	if err != nil {
		r.Fatal(err)
	}
	text := fmt.Sprint(out.Content[0].(*sdk.TextContent).Text)
	if out.IsError {
		r.Fatal(text)
	}
	return text
}

// revisions are those that the server must speak.
var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}
