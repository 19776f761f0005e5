package mcp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend/internal/tool"
)

func TestFileResources(t *testing.T) {
	r := newTestClient(t, Config{}, "a.txt", "hello\n", "empty", "", "sub/x.md", "# x\n", "b.bin", "\x00\x01", "ü 100%41.go", "package x\n", ".env", "SECRET=1\n", "q?r#s", "q\n",
		"big", strings.Repeat("x\n", maxResource/2), "bigger", strings.Repeat("x\n", maxResource/2+1), "crlf", "a\r\nb\r\n")
	for _, revision := range revisions {
		s := r.serve(nil, revision)
		for _, row := range []struct{ path, mime, text, fails string }{
			{path: "a.txt", mime: "text/plain", text: "hello\n"},
			{path: "empty", mime: "text/plain"},
			{path: "sub/x.md", mime: "text/markdown", text: "# x\n"},
			{path: "sub%2Fx.md", mime: "text/markdown", text: "# x\n"},
			{path: "%C3%BC%20100%2541.go", mime: "text/x-go", text: "package x\n"},
			{path: "ü 100%2541.go", mime: "text/x-go", text: "package x\n"},
			{path: "q?r#s", mime: "text/plain", text: "q\n"},
			{path: "b.bin", mime: "application/octet-stream", text: "\x00\x01"},
			{path: "crlf", mime: "text/plain", text: "a\nb\n"},
			{path: "big", mime: "text/plain", text: strings.Repeat("x\n", maxResource/2)},
			{path: "bigger", fails: "read it with read_file"},
			{path: "none.txt", fails: "Resource not found"},
			{path: "ü 100%41.go", fails: "Resource not found"}, // unescaped once: this is "ü 100A.go"
			{path: "%252e%252e/a.txt", fails: "Resource not found"},
			{path: "%zz", fails: "Resource not found"},
			{path: "", fails: "the path is empty"},
			{path: ".env", fails: "protected from reading"},
			{path: "../a.txt", fails: "leaves the workspace"},
			{path: "..%2Fa.txt", fails: "leaves the workspace"},
			{path: "sub/%2e%2e/%2e%2e/a.txt", fails: "leaves the workspace"},
			{path: "/etc/passwd", fails: "absolute path"},
			{path: "%2Fetc%2Fpasswd", fails: "absolute path"},
			{path: "a%00b", fails: "NUL"},
		} {
			if strings.HasPrefix(row.path, "big") && revision < statelessRevision {
				continue // megabytes are the same in each
			}
			out, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "emend://file/" + row.path})
			if row.fails != "" {
				if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInvalidParams || !strings.Contains(e.Message, row.fails) {
					t.Errorf("%s, %q: %v, want %s", revision, row.path, err, row.fails)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %q: %v", revision, row.path, err)
				continue
			}
			c := out.Contents[0]
			if c.Text == "" && c.Blob == nil {
				t.Errorf("%s, %q: neither a text nor a blob", revision, row.path)
			}
			if c.Text+string(c.Blob) != row.text || c.MIMEType != row.mime || len(c.Meta["sha256"].(string)) != 64 || out.CacheScope != "private" || out.TTLMs != 0 {
				t.Errorf("%s, %q: %.100q %q %s %v %s %d", revision, row.path, c.Text, c.Blob, c.MIMEType, c.Meta, out.CacheScope, out.TTLMs)
			}
		}
		s.Close()
	}
}

func TestLogAndTrashResources(t *testing.T) {
	r := newTestClient(t, Config{}, "a.txt", "hello\n")
	s := r.serve(nil, "")
	read := func(uri string) string {
		out, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		return out.Contents[0].Text + string(out.Contents[0].Blob)
	}
	if log, trash := read("emend://log"), read("emend://trash"); log != "" || trash != "[]" {
		t.Errorf("before anything: %q, %q", log, trash)
	}
	r.call(s, "create_file", map[string]any{"path": "b.txt", "content": "b\n"}, nil)
	r.call(s, "delete_file", map[string]any{"path": "a.txt"}, nil)
	lines := strings.Split(strings.TrimSpace(read("emend://log")), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"delete"`) || !strings.Contains(lines[1], `"b.txt"`) || !json.Valid([]byte(lines[0])) {
		t.Errorf("the log: %q", lines)
	}
	if trash := read("emend://trash"); !strings.Contains(trash, `"path":"a.txt"`) || !json.Valid([]byte(trash)) {
		t.Errorf("the trash: %s", trash)
	}
}

// TestCapabilities checks that the server offers exactly what it announces.
func TestCapabilities(t *testing.T) {
	for _, revision := range revisions {
		r := newTestClient(t, Config{})
		s := r.serve(nil, revision)
		caps, err := json.Marshal(s.InitializeResult().Capabilities)
		if err != nil || string(caps) != `{"resources":{},"tools":{}}` {
			t.Errorf("%s: %s, %v", revision, caps, err)
		}
		list, err := s.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 2 {
			t.Errorf("%s: %v, %v", revision, list, err)
		}
		templates, err := s.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != "emend://file/{+path}" {
			t.Errorf("%s: %v, %v", revision, templates, err)
		}
		if err := s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "emend://log"}); err == nil && revision < "2026" {
			t.Errorf("%s: subscribed to what never changes", revision)
		}
		s.Close()
	}
}

// TestOthersHaveNoResources checks that the profiles of other systems have no resources.
func TestOthersHaveNoResources(t *testing.T) {
	for _, profile := range tool.Profiles {
		r := newTestClient(t, Config{Tools: tool.Options{Profile: profile}})
		s := r.serve(nil, "")
		if offered := s.InitializeResult().Capabilities.Resources != nil; offered != (profile == tool.Emend) {
			t.Errorf("%s: resources are offered: %t", profile.Name, offered)
		}
	}
}

// TestSeveralWorkspaces checks that with several workspaces, URIs begin with the name of one.
func TestSeveralWorkspaces(t *testing.T) {
	r := newTestClient(t, Config{}, "a.txt", "hello\n")
	r.srv.Workspaces = []tool.Workspace{{Name: "one", Workspace: r.ws}, {Name: "two-words_2", Workspace: r.ws}}
	r.srv = New(r.srv.Config)
	s := r.serve(nil, "")
	for _, uri := range []string{"emend://one/file/a.txt", "emend://two-words_2/file/a.txt", "emend://one/log"} {
		if _, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if _, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "emend://file/a.txt"}); err == nil {
		t.Error("a file without a workspace was read")
	}
}
