package setup

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// account returns a new home directory with a project in it and no program of any client.
func account(t *testing.T) Host {
	t.Helper()
	home := t.TempDir()
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	none := func(string) (string, error) { return "", errors.New("not found") }
	return Host{Home: home, Project: project, OS: "linux", Env: func(string) string { return "" }, LookPath: none}
}

var asked = Options{Scope: User, Binary: "/opt/emend", Profile: "emend"}

func plan(t *testing.T, c *Client, h Host, o Options) *Plan {
	t.Helper()
	p, err := c.Plan(h, o)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return p
}

func apply(t *testing.T, c *Client, h Host, o Options) *Plan {
	t.Helper()
	p := plan(t, c, h, o)
	if err := p.Apply(t.Context()); err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return p
}

// below returns the content of every file below dir.
func below(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same(a, b map[string]string) string {
	for name := range a {
		if a[name] != b[name] {
			return name
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			return name
		}
	}
	return ""
}

// configs returns contents of a settings file, in every layout that the client reads.
func configs(f format, servers string) []string {
	if f == tomlForm {
		return []string{
			"", "model = \"x\" # why\n", "model = \"x\"\r\n\r\n[mcp_servers.other]\r\ncommand = \"y\" # z\r\n",
			"[mcp_servers.emend]\ncommand = \"old\"\n\n# of the next\n[tools]\nweb_search = true\n", "\xef\xbb\xbfmodel = \"x\"",
		}
	}
	out := []string{
		"", "{}", "{}\n", " \n", "{\"" + servers + "\": {}}",
		"\xef\xbb\xbf{\r\n    \"a\": [\r\n        1\r\n    ]\r\n}\r\n",
		"{\n\t\"" + servers + "\": {\n\t\t\"other\": {\"command\": \"x\"},\n" +
			"\t\t\"emend\": {\"command\": \"old\", \"args\": [\"serve\", \"--read-only\"]}\n\t},\n\t\"z\": 1\n}\n",
		`{"permissions":{"deny":["Read(./.env)"],"allow":[]},"tools":{"exclude":["x"]},"permission":{"bash":"ask"},` +
			`"agent":{"tool_permissions":{"tools":{"terminal":{"default":"confirm"}}}}}`,
		"{\n  \"env\": {\"A\": \"b\"},\n  \"hooks\": {\n    \"SessionEnd\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}],\n" +
			"    \"Stop\": [\n      {\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"emend hooked claude-code\"}\n        ]\n      }\n    ]\n  }\n}\n",
	}
	if f >= commentedJSON {
		out = append(out, "// head\n{\n  // the theme\n  \"theme\": \"dark\" /* not light */\n} // end")
	}
	if f == jsonC {
		out = append(out, "{\n  \"theme\": \"dark\", // ours\n  \""+servers+"\": {\n    \"other\": { \"command\": \"x\", },\n  },\n}\n")
	}
	return out
}

// TestWriteThenRemove checks for every client, scope and layout: a written setup is complete, writing it again
// changes nothing, doctor sees it, and after its removal every file of the account is what it was, byte by byte.
func TestWriteThenRemove(t *testing.T) {
	for _, c := range Clients {
		for _, scope := range c.scopes() {
			for _, text := range configs(c.format, c.servers) {
				h, o := account(t), asked
				o.Scope = scope
				give(t, c, h, scope, text)
				before := below(t, h.Home)
				if p := apply(t, c, h, o); !p.Changes() || !p.Written {
					t.Errorf("%s %s, %q: nothing was written", c.Name, scope, text)
				}
				written := below(t, h.Home)
				if p := apply(t, c, h, o); p.Changes() || same(written, below(t, h.Home)) != "" {
					t.Errorf("%s %s, %q: written again it changed %s", c.Name, scope, text, same(written, below(t, h.Home)))
				}
				seen(t, c, h, scope, text)
				if info, err := os.Stat(c.serverFile(h, scope)); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("%s %s, %q: the mode is %v, %v", c.Name, scope, text, info.Mode(), err)
				}
				// Removal works whatever the options were when the setup was written.
				o.ReadOnly = true
				apply(t, c, h, o)
				o.ReadOnly, o.Remove = false, true
				apply(t, c, h, o)
				if name := same(before, below(t, h.Home)); name != "" {
					t.Errorf("%s %s, %q: %s is not as before: %q", c.Name, scope, text, name, below(t, h.Home)[name])
				}
			}
		}
	}
}

// give writes the text into every file that the client's setup edits.
func give(t *testing.T, c *Client, h Host, s Scope, text string) {
	t.Helper()
	for _, f := range []string{c.serverFile(h, s), c.toolsFile(h, s)} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(f), 0o755), os.WriteFile(f, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
}

func seen(t *testing.T, c *Client, h Host, s Scope, text string) {
	t.Helper()
	states := Inspect(h, "")
	i := slices.IndexFunc(states, func(st State) bool { return st.Client == c.Name && st.Scope == s })
	if i < 0 || !states[i].Configured {
		t.Fatalf("%s %s, %q: doctor does not see it: %+v", c.Name, s, text, states)
	}
	st, want := states[i], "off"
	if c.ownTools == nil {
		want = "stay on"
	}
	if hooks := map[bool]string{true: "on"}[c.hooks != nil]; st.Hooks != hooks {
		t.Errorf("%s %s, %q: doctor says its hooks are %q", c.Name, s, text, st.Hooks)
	}
	if st.Tools != want || st.Command[0] != "/opt/emend" || !strings.Contains(st.Problem, "not there") {
		t.Errorf("%s %s, %q: doctor says %+v", c.Name, s, text, st)
	}
}

// TestNothingThere checks an account without any file: the files are made for their owner alone, and removal removes
// them.
func TestNothingThere(t *testing.T) {
	for _, c := range Clients {
		h := account(t)
		apply(t, c, h, asked)
		for name := range below(t, h.Home) {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %s: %v, %v", c.Name, name, info.Mode(), err)
			}
		}
		o := asked
		o.Remove = true
		apply(t, c, h, o)
		if left := below(t, h.Home); len(left) > 0 {
			t.Errorf("%s: left %v", c.Name, left)
		}
	}
}

// TestEveryClientIsListed reads the sources: a client that is missing from Clients would never be offered.
func TestEveryClientIsListed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && len(lit.Elts) > 1 {
				if id, ok := lit.Type.(*ast.Ident); ok && id.Name == "Client" {
					written++
				}
			}
			return true
		})
	}
	if written != len(Clients) {
		t.Errorf("%d clients are written, %d are listed in Clients", written, len(Clients))
	}
}
