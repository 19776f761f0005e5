//go:build npm

package interop

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/emend-dev/emend/internal/tool"
)

// inspector is the inspector's command line, connected to one server.
type inspector struct {
	launcher string
	target   []string // how to reach the server
}

// listed is the inspector's output for a method that lists.
type listed struct {
	Result struct {
		Tools             []struct{ Name string }
		Resources         []struct{ URI string }
		ResourceTemplates []struct{ URITemplate string }
		Contents          []struct{ Text string }
	}
}

// inspect returns the inspector for a server with some flags. It starts the server, or the server is already running.
func inspect(t *testing.T, transport string, flags ...string) *inspector {
	t.Helper()
	i := &inspector{launcher: filepath.Join(install(t, "inspector"), "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")}
	if transport == "http" {
		i.target = overHTTP(shipped(t, flags...))
		return i
	}
	i.target = append([]string{program, "serve"}, flags...)
	return i
}

func overHTTP(url, token string) []string {
	return []string{url + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + token}
}

// do runs one method, which must succeed.
func (i *inspector) do(t *testing.T, into any, args ...string) {
	t.Helper()
	got := i.try(t, args...)
	if got.code != 0 {
		t.Fatalf("%v: exit %d\n%s%s", args, got.code, got.out, got.err)
	}
	if err := json.Unmarshal([]byte(got.out), into); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, got.out)
	}
}

func (i *inspector) try(t *testing.T, args ...string) said {
	t.Helper()
	return run(t, slices.Concat([]string{i.launcher, "--cli"}, i.target, []string{"--format", "json"}, args)...)
}

// called is the result of a tool.
type called struct {
	Content           []struct{ Text string }
	StructuredContent *struct {
		OK   bool
		Data map[string]any
	}
	IsError bool
}

func (i *inspector) call(t *testing.T, name string, args map[string]any) called {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Result called }
	i.do(t, &r, "--method", "tools/call", "--tool-name", name, "--tool-args-json", string(text))
	if r.Result.IsError || len(r.Result.Content) != 1 {
		t.Fatalf("%s: %+v", name, r.Result)
	}
	return r.Result
}

// TestInspectorSchemas has the inspector check the schemas of every set of tools that a server can have: do they mean the same
// to all clients?
func TestInspectorSchemas(t *testing.T) {
	dir, other := workspace(t, nil), workspace(t, nil)
	surfaces := map[string][]string{
		"emend, read only":      {dir, "--read-only"},
		"emend, hashes":         {dir, "--require-hash"},
		"emend, two workspaces": {"--workspace", "one=" + dir, "--workspace", "two=" + other},
	}
	for _, name := range tool.ProfileNames() {
		surfaces[name] = []string{dir, "--profile", name}
	}
	for name, flags := range surfaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := inspect(t, "stdio", flags...).try(t, "--method", "tools/list", "--strict")
			var list listed
			if err := json.Unmarshal([]byte(got.out), &list); err != nil || len(list.Result.Tools) == 0 {
				t.Fatalf("%v\n%s%s", err, got.out, got.err)
			}
			if got.code != 0 || got.err != "" {
				t.Errorf("exit %d: %s", got.code, got.err)
			}
			t.Logf("inspector: %s: %d tools, nothing to complain about", name, len(list.Result.Tools))
		})
	}
}

// TestInspectorComplains has the inspector check a bad schema, which it must report.
func TestInspectorComplains(t *testing.T) {
	i := inspect(t, "stdio")
	i.target = overHTTP(fixtureServer(t))
	if got := i.try(t, "--method", "tools/list", "--strict"); got.err == "" {
		t.Error("it has nothing to say about a type that is two")
	}
}

// TestInspectorResources lists and reads the resources, over both transports and with both generations of the protocol.
func TestInspectorResources(t *testing.T) {
	for transport, era := range map[string]string{"stdio": "modern", "http": "legacy"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			i := inspect(t, transport, workspace(t, map[string]string{"a.txt": "one\n"}))
			do := func(args ...string) (out listed) {
				i.do(t, &out, slices.Concat([]string{"--protocol-era", era, "--method"}, args)...)
				return out
			}
			if got := do("resources/list").Result.Resources; len(got) != 2 {
				t.Errorf("resources: %v", got)
			}
			if got := do("resources/templates/list").Result.ResourceTemplates; len(got) != 1 {
				t.Errorf("templates: %v", got)
			}
			if got := do("resources/read", "--uri", "emend://file/a.txt").Result.Contents; len(got) != 1 || got[0].Text != "one\n" {
				t.Errorf("a.txt: %v", got)
			}
		})
	}
}
