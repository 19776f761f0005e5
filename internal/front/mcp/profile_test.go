package mcp_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/tool"
)

// agent is a client that was written for one system. It knows that system's documentation and nothing about emend.
type agent struct {
	*testing.T
	dir     string
	session *sdk.ClientSession
}

// hire starts a server with a profile over a directory with files, and an agent that uses it.
func hire(t *testing.T, profile string, files map[string]string) *agent {
	t.Helper()
	p, ok := tool.ProfileNamed(profile)
	if !ok {
		t.Fatalf("no profile %s", profile)
	}
	dir := t.TempDir()
	place(t, dir, files)
	return &agent{t, dir, connect(t, mcp.Config{Workspaces: []tool.Workspace{{Workspace: workspace(t, dir)}}, Tools: tool.Options{Profile: p}})}
}

// absolute returns the absolute path of a file, where a call may have one.
func (a *agent) absolute(name string) string {
	return a.dir + "/" + name
}

func place(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func workspace(t testing.TB, dir string) *emend.Workspace {
	t.Helper()
	ws, err := emend.Open(dir, emend.Store(filepath.Join(t.TempDir(), "store")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

func connect(t testing.TB, c mcp.Config) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	if _, err := mcp.New(c).SDK().Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool.
func (a *agent) call(name string, args any) *sdk.CallToolResult {
	a.Helper()
	r, err := a.session.CallTool(a.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		a.Fatalf("%s: %v", name, err)
	}
	return r
}

// text calls a tool whose result is only text.
func (a *agent) text(name string, args any) (text string, refused bool) {
	a.Helper()
	r := a.call(name, args)
	if r.StructuredContent != nil {
		a.Errorf("%s: an object beside the text: %v", name, r.StructuredContent)
	}
	return said(a, r), r.IsError
}

// asText returns the object of a refusal without what its text leaves out, since the words are there already.
func asText(v any) any {
	o, _ := v.(map[string]any)
	if failure, ok := o["error"].(map[string]any); ok {
		if details, ok := failure["details"].(map[string]any); ok {
			delete(details, "failures")
			if delete(details, "places"); len(details) == 0 {
				delete(failure, "details")
			}
		}
	}
	if meta, ok := o["_meta"].(map[string]any); ok {
		if delete(meta, "error"); len(meta) == 0 {
			delete(o, "_meta")
		}
	}
	return v
}

// object calls a tool whose result is an object with these fields, and the same object as text. It decodes the object
// into into.
func (a *agent) object(name string, args, into any, fields ...string) {
	a.Helper()
	r := a.call(name, args)
	text := said(a, r)
	b, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		a.Fatalf("%s: %v", name, err)
	}
	var one, other any
	if err := json.Unmarshal([]byte(text), &other); err != nil || json.Unmarshal(b, &one) != nil || !equal(asText(one), other) {
		a.Errorf("%s: the text is not the object: %s", name, text)
	}
	object := one.(map[string]any)
	if ok := object["ok"]; ok == r.IsError {
		a.Errorf("%s: ok is %v and isError %t", name, ok, r.IsError)
	}
	for field := range object {
		if field != "_meta" && !slices.Contains(fields, field) {
			a.Errorf("%s: the result has a field %s", name, field)
		}
	}
}

func equal(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

func said(t testing.TB, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d contents", len(r.Content))
	}
	text, ok := r.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("the content is %T", r.Content[0])
	}
	return text.Text
}

// tree returns the files on disk.
func (a *agent) tree() map[string]string {
	a.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(a.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(a.dir, name)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		a.Fatal(err)
	}
	return out
}

// has checks the files on disk.
func (a *agent) has(want map[string]string) {
	a.Helper()
	if got := a.tree(); !maps.Equal(got, want) {
		a.Errorf("the directory has %q, want %q", got, want)
	}
}

// offers checks which tools are offered.
func (a *agent) offers(want ...string) {
	a.Helper()
	r, err := a.session.ListTools(a.Context(), nil)
	if err != nil {
		a.Fatal(err)
	}
	var got []string
	for _, t := range r.Tools {
		got = append(got, t.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		a.Errorf("the tools are %q", got)
	}
}

// TestTokens checks that what every request of a model carries stays small: the tools as tools/list returns them, and
// the instructions. A token is counted as four bytes, which is what common tokenizers need for such text, within
// about a tenth. docs/profiles.md says how many each profile has.
func TestTokens(t *testing.T) {
	const most = 3815
	doc, err := os.ReadFile("../../../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range tool.Profiles {
		a := hire(t, p.Name, nil)
		r, err := a.session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		sum := len(a.session.InitializeResult().Instructions)
		for _, tool := range r.Tools {
			b, err := json.Marshal(tool)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%-9s %-14s %4d tokens", p.Name, tool.Name, len(b)/4)
			sum += len(b)
		}
		t.Logf("%-9s %-14s %4d tokens", p.Name, "in all", sum/4)
		if p == tool.Emend && sum/4 > most {
			t.Errorf("%d tokens, and %d are allowed", sum/4, most)
		}
		row := regexp.MustCompile("(?m)^\\| `" + p.Name + "` .*\\| about ([0-9,]+) \\|$").FindSubmatch(doc)
		if row == nil {
			t.Errorf("docs/profiles.md has no row for %s", p.Name)
			continue
		}
		if said, _ := strconv.Atoi(strings.ReplaceAll(string(row[1]), ",", "")); said < sum/4-10 || said > sum/4+10 {
			t.Errorf("docs/profiles.md says that %s has about %d tokens, and it has %d", p.Name, said, sum/4)
		}
	}
}

// TestSeveralWorkspaces checks that with several workspaces, every tool of every profile requires the name of one and
// works in that one.
func TestSeveralWorkspaces(t *testing.T) {
	for _, p := range tool.Profiles {
		t.Run(p.Name, func(t *testing.T) {
			api, web := t.TempDir(), t.TempDir()
			a := &agent{t, web, connect(t, mcp.Config{Tools: tool.Options{Profile: p},
				Workspaces: []tool.Workspace{{Name: "api", Workspace: workspace(t, api)}, {Name: "web", Workspace: workspace(t, web)}}})}
			r, err := a.session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range r.Tools {
				asksWhich(t, tool)
			}
			field := r.Tools[0].InputSchema.(map[string]any)["required"].([]any)[1].(string)
			for _, row := range []struct {
				args map[string]any
				says string
			}{
				{map[string]any{field: ""}, "workspace is missing"},
				{map[string]any{field: "", "workspace": "x"}, `workspace is "x"`},
				{map[string]any{field: "", "workspace": 1}, "workspace is 1"},
			} {
				if p == tool.Chimera {
					row.args["patch"] = "x"
				}
				r := a.call(r.Tools[0].Name, row.args)
				if text := said(t, r); !r.IsError || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), row.says) || !strings.Contains(text, "api, web") {
					t.Errorf("%v: %s", row.args, text)
				}
			}
			text := "*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\n"
			name, args := "apply_patch", map[string]any{"patch": text}
			switch p {
			case tool.OpenAI:
				args = map[string]any{"type": "create_file", "path": "a.txt", "diff": "+one\n"}
			case tool.Anthropic:
				name, args = editTool, map[string]any{"command": "create", "path": "a.txt", "file_text": "one\n"}
			}
			args["workspace"] = "web"
			if r := a.call(name, args); r.IsError {
				t.Errorf("%s", said(t, r))
			}
			if got := a.tree(); len(got) != 1 || !strings.HasPrefix(got["a.txt"], "one") {
				t.Errorf("web has %q", got)
			}
			if names, err := os.ReadDir(api); err != nil || len(names) != 0 {
				t.Errorf("api has %v, %v", names, err)
			}
		})
	}
}

// asksWhich checks that a tool requires a workspace as its first argument, and that its example names one.
func asksWhich(t *testing.T, tool *sdk.Tool) {
	t.Helper()
	var s struct {
		Properties map[string]struct{ Enum []string }
		Required   []string
	}
	b, err := json.Marshal(tool.InputSchema)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil || len(s.Required) == 0 || s.Required[0] != "workspace" || !slices.Equal(s.Properties["workspace"].Enum, []string{"api", "web"}) {
		t.Errorf("%s: %s, %v", tool.Name, b, err)
	}
	if !strings.Contains(tool.Description, `Example: {"workspace":"api","`) {
		t.Errorf("%s: %s", tool.Name, tool.Description)
	}
}
