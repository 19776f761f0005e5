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

	"github.com/emend-dev/emend/internal/fail"
)

// account is a home directory of its own, with a project in it and no program of any client.
func account(t *testing.T) Host {
	t.Helper()
	home := t.TempDir()
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	none := func(string) (string, error) { return "", errors.New("not found") }
	return Host{Home: home, Project: project, OS: "linux", Env: func(string) string { return "" }, Look: none}
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

// below is every file below dir, with its content.
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

// configs are what people have in the files that setup edits, in every layout that the client reads.
func configs(f form, servers string) []string {
	if f == tomlForm {
		return []string{"", "model = \"x\" # why\n", "model = \"x\"\r\n\r\n[mcp_servers.other]\r\ncommand = \"y\" # z\r\n",
			"[mcp_servers.emend]\ncommand = \"old\"\n\n# of the next\n[tools]\nweb_search = true\n", "\xef\xbb\xbfmodel = \"x\""}
	}
	out := []string{"", "{}", "{}\n", " \n", "{\"" + servers + "\": {}}", "\xef\xbb\xbf{\r\n    \"a\": [\r\n        1\r\n    ]\r\n}\r\n",
		"{\n\t\"" + servers + "\": {\n\t\t\"other\": {\"command\": \"x\"},\n\t\t\"emend\": {\"command\": \"old\", \"args\": [\"serve\", \"--read-only\"]}\n\t},\n\t\"z\": 1\n}\n",
		`{"permissions":{"deny":["Read(./.env)"],"allow":[]},"tools":{"exclude":["x"]},"permission":{"bash":"ask"},"agent":{"tool_permissions":{"tools":{"terminal":{"default":"confirm"}}}}}`}
	if f >= commentedJSON {
		out = append(out, "// head\n{\n  // the theme\n  \"theme\": \"dark\" /* not light */\n} // end")
	}
	if f == jsonC {
		out = append(out, "{\n  \"theme\": \"dark\", // ours\n  \""+servers+"\": {\n    \"other\": { \"command\": \"x\", },\n  },\n}\n")
	}
	return out
}

// TestWriteThenRemove: for every client, scope and layout, a written setup is complete, writing it again changes nothing,
// doctor sees it, and without it every file of the account is what it was, byte by byte.
func TestWriteThenRemove(t *testing.T) {
	for _, c := range Clients {
		for _, scope := range c.scopes {
			at := c.server(Host{Env: func(string) string { return "" }}, scope)
			for _, text := range configs(at.form, at.path[0]) {
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
				if info, err := os.Stat(c.server(h, scope).file); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("%s %s, %q: the mode is %v, %v", c.Name, scope, text, info.Mode(), err)
				}
				o.Remove = true
				apply(t, c, h, o)
				if name := same(before, below(t, h.Home)); name != "" {
					t.Errorf("%s %s, %q: %s is not as before: %q", c.Name, scope, text, name, below(t, h.Home)[name])
				}
			}
		}
	}
}

// give puts the text into every file that the client's setup concerns.
func give(t *testing.T, c *Client, h Host, s Scope, text string) {
	t.Helper()
	files := []string{c.server(h, s).file}
	if c.tools != nil {
		for _, r := range c.tools(h, s) {
			files = append(files, r.file)
		}
	}
	for _, f := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(f), 0o755), os.WriteFile(f, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
}

func seen(t *testing.T, c *Client, h Host, s Scope, text string) {
	t.Helper()
	states := Look(h, "devel")
	i := slices.IndexFunc(states, func(st State) bool { return st.Client == c.Name && st.Scope == s })
	if i < 0 || !states[i].There {
		t.Fatalf("%s %s, %q: doctor does not see it: %+v", c.Name, s, text, states)
	}
	st, want := states[i], "off"
	if c.tools == nil {
		want = "stay on"
	}
	if st.Tools != want || st.Command[0] != "/opt/emend" || !strings.Contains(st.Problem, "not there") {
		t.Errorf("%s %s, %q: doctor says %+v", c.Name, s, text, st)
	}
}

// TestNothingThere: on an account without any file, the files are made, for their owner alone, and are gone afterwards.
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

// TestRefused: a file that cannot be read, or that the client could not read, stays as it is.
func TestRefused(t *testing.T) {
	for _, c := range Clients {
		f := c.server(Host{Env: func(string) string { return "" }}, User).form
		for _, text := range []string{"{", "\x00\x01", "\xff\xfe{\x00}\x00", "{\"a\": 1} x", "[", "mcp_servers = 1\n"} {
			if f == tomlForm && text == "[" {
				text = "[a"
			}
			h := account(t)
			give(t, c, h, User, text)
			before := below(t, h.Home)
			p, err := c.Plan(h, asked)
			if err == nil {
				t.Errorf("%s: %q was planned: %+v", c.Name, text, p.Steps[0])
			}
			if name := same(before, below(t, h.Home)); name != "" {
				t.Errorf("%s: %q: %s changed", c.Name, text, name)
			}
			for _, st := range Look(h, "devel") {
				if st.Client == c.Name && st.Problem == "" && !(f == tomlForm && strings.HasPrefix(text, "mcp")) {
					t.Errorf("%s: %q: doctor has nothing to say", c.Name, text)
				}
			}
		}
	}
	for c, text := range map[*Client]string{claudeCode: "{} // comment", gemini: "{\"a\": 1,}"} {
		h := account(t)
		give(t, c, h, User, text)
		if _, err := c.Plan(h, asked); !errors.Is(err, fail.PatchParse) {
			t.Errorf("%s does not read %q: %v", c.Name, text, err)
		}
	}
}

// TestChangedSince: other changes that were made after setup stay when it is taken back.
func TestChangedSince(t *testing.T) {
	h := account(t)
	give(t, opencode, h, User, "{\n  // mine\n  \"theme\": \"dark\"\n}\n")
	apply(t, opencode, h, asked)
	file := opencode.server(h, User).file
	text, _ := os.ReadFile(file)
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"dark"`, `"light"`, 1)), 0o640); err != nil {
		t.Fatal(err)
	}
	o := asked
	o.Remove = true
	apply(t, opencode, h, o)
	got, _ := os.ReadFile(file)
	if want := "{\n  // mine\n  \"theme\": \"light\"\n}\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if kept, err := os.ReadFile(file + ".emend-backup"); err != nil || !strings.Contains(string(kept), "dark") {
		t.Errorf("the backup: %q, %v", kept, err)
	}
}

// TestChangedMeanwhile: what was shown is not written over what somebody saved since.
func TestChangedMeanwhile(t *testing.T) {
	for _, text := range []string{"", "{\"a\": 1}"} {
		h := account(t)
		file := cursor.server(h, User).file
		if text != "" {
			give(t, cursor, h, User, text)
		}
		p := plan(t, cursor, h, asked)
		give(t, cursor, h, User, "{\"b\": 2}")
		if err := p.Apply(t.Context()); !errors.Is(err, fail.Stale) || p.Written {
			t.Errorf("%q: %v", text, err)
		}
		if got, _ := os.ReadFile(file); string(got) != "{\"b\": 2}" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestReadOnly(t *testing.T) {
	h := account(t)
	give(t, cursor, h, User, "{}")
	file := cursor.server(h, User).file
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := cursor.Plan(h, asked); !errors.Is(err, fail.PermissionDenied) {
		t.Errorf("planned: %v", err)
	}
}

// TestLinks: people keep their dotfiles in a repository. The link stays, what it leads to is edited.
func TestLinks(t *testing.T) {
	h := account(t)
	kept := filepath.Join(h.Home, "dotfiles.json")
	file := cursor.server(h, User).file
	err := errors.Join(os.WriteFile(kept, []byte("{}"), 0o644), os.MkdirAll(filepath.Dir(file), 0o755), os.Symlink(kept, file))
	if err != nil {
		t.Fatal(err)
	}
	p := apply(t, cursor, h, asked)
	link, err := os.Readlink(file)
	if err != nil || link != kept || filepath.Base(p.Steps[0].Target) != "dotfiles.json" {
		t.Errorf("the link is %q, %v; the step says %q", link, err, p.Steps[0].Target)
	}
	if text, _ := os.ReadFile(kept); !strings.Contains(string(text), "/opt/emend") {
		t.Errorf("%q", text)
	}
	os.Remove(kept) //nolint:errcheck // the next line fails if it stays
	if _, err := cursor.Plan(h, asked); !errors.Is(err, fail.NotFound) {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

// TestBackups: none is overwritten, and one that says the same is enough.
func TestBackups(t *testing.T) {
	h := account(t)
	give(t, cursor, h, User, "{}")
	first := cursor.server(h, User).file + ".emend-backup"
	if err := os.WriteFile(first, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := apply(t, cursor, h, asked)
	if got, _ := os.ReadFile(first); string(got) != "somebody's" {
		t.Errorf("the backup was overwritten: %q", got)
	}
	if got, _ := os.ReadFile(p.Steps[0].Backup); string(got) != "{}" || p.Steps[0].Backup == first {
		t.Errorf("%s has %q", p.Steps[0].Backup, got)
	}
}

// TestOptions: what is asked for is in the command that the client starts.
func TestOptions(t *testing.T) {
	h := account(t)
	o := Options{Scope: User, Binary: "/opt/emend", Profile: "codex", ReadOnly: true, Hash: true}
	want := []string{"/opt/emend", "serve", "--profile", "codex", "--read-only", "--require-hash"}
	if p := plan(t, claudeCode, h, o); !slices.Equal(p.Command, want) {
		t.Errorf("%q", p.Command)
	}
	h.Bound = true
	if p := plan(t, vscode, h, o); p.Command[len(p.Command)-1] != h.Project {
		t.Errorf("bound to %q: %q", h.Project, p.Command)
	}
	h.Bound = false
	if p := plan(t, vscode, h, o); p.Command[len(p.Command)-1] != "${workspaceFolder}" {
		t.Errorf("not bound: %q", p.Command)
	}
	o = asked
	o.KeepTools = true
	if p := plan(t, claudeCode, h, o); len(p.Steps) != 1 {
		t.Errorf("own tools were to stay: %+v", p.Steps)
	}
}

// TestHTTP: every client connects to a server that runs, and no file has a token.
func TestHTTP(t *testing.T) {
	for _, c := range Clients {
		h, o := account(t), asked
		o.URL = "http://127.0.0.1:8765/mcp"
		apply(t, c, h, o)
		i := slices.IndexFunc(Look(h, "devel"), func(st State) bool { return st.Client == c.Name })
		if st := Look(h, "devel")[i]; st.URL != o.URL || st.Problem != "" {
			t.Errorf("%s: %+v", c.Name, st)
		}
	}
}

func TestScopes(t *testing.T) {
	o := asked
	o.Scope = Project
	if _, err := codex.Plan(account(t), o); !errors.Is(err, fail.NotFound) {
		t.Errorf("%v", err)
	}
}

// TestFailingCommand: when a client's own command fails, or does not do what it says, setup says so.
func TestFailingCommand(t *testing.T) {
	h := account(t)
	for _, argv := range [][]string{{"false"}, {"true"}} {
		p := plan(t, codex, h, asked)
		p.Steps[0].Run, p.Steps[0].wants = [][]string{argv}, codexTable
		if err := p.Apply(t.Context()); !errors.Is(err, fail.CommandFailed) || p.Written {
			t.Errorf("%s: %v", argv, err)
		}
	}
}

// TestOwnCommands: a client's command is planned where the account has the program and nothing would be lost.
func TestOwnCommands(t *testing.T) {
	for _, tc := range []struct {
		c    *Client
		text string
		want string
	}{
		{claudeCode, "{}", `claude mcp add-json --scope user emend {"type":"stdio","command":"/opt/emend","args":["serve"]}`},
		{claudeCode, `{"mcpServers":{"emend":{"command":"old"}}}`, "claude mcp remove --scope user emend"},
		{codex, "", "codex mcp add emend -- /opt/emend serve"},
		{codex, "[mcp_servers.other]\nargs = [] # a comment that the program would drop\n", ""},
		{vscode, "", `code --add-mcp {"args":["serve","${workspaceFolder}"],"command":"/opt/emend","name":"emend","type":"stdio"}`},
		{gemini, "{}", ""},
	} {
		h := account(t)
		h.Look = func(p string) (string, error) { return "/usr/bin/" + p, nil }
		f := tc.c.server(h, User).file
		if err := errors.Join(os.MkdirAll(filepath.Dir(f), 0o755), os.WriteFile(f, []byte(tc.text), 0o600)); err != nil {
			t.Fatal(err)
		}
		got := ""
		if run := plan(t, tc.c, h, asked).Steps[0].Run; run != nil {
			got = strings.Join(run[0], " ")
		}
		if got != tc.want {
			t.Errorf("%s, %q: %s, want %s", tc.c.Name, tc.text, got, tc.want)
		}
	}
}

// TestEveryClientIsListed reads the sources: a client that is written and not listed would be offered to nobody.
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
