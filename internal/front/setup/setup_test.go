package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

// TestOptions checks that the options are in the command that the client starts.
func TestOptions(t *testing.T) {
	h := account(t)
	o := Options{Scope: User, Binary: "/opt/emend", Profile: "codex", ReadOnly: true, RequireHash: true}
	want := []string{"/opt/emend", "serve", "--profile", "codex", "--read-only", "--require-hash"}
	if p := plan(t, claudeCode, h, o); !slices.Equal(p.Command, want) {
		t.Errorf("%q", p.Command)
	}
	lenient := Options{Scope: User, Binary: "/opt/emend", Lenient: true}
	if p := plan(t, claudeCode, h, lenient); !slices.Equal(p.Command, []string{"/opt/emend", "serve", "--lenient"}) {
		t.Errorf("lenient: %q", p.Command)
	}
	h.ProjectNamed = true
	if p := plan(t, vscode, h, o); p.Command[len(p.Command)-1] != h.Project {
		t.Errorf("bound to %q: %q", h.Project, p.Command)
	}
	h.ProjectNamed = false
	if p := plan(t, vscode, h, o); p.Command[len(p.Command)-1] != "${workspaceFolder}" {
		t.Errorf("not bound: %q", p.Command)
	}
	o = asked
	o.KeepTools = true
	o.Shell = Off
	if p := plan(t, claudeCode, h, o); strings.Contains(p.Steps[1].Diff, "deny") {
		t.Errorf("own tools were to stay: %+v", p.Steps)
	}
}

// TestHTTP checks that every client connects to a running server, and that no file has a token.
func TestHTTP(t *testing.T) {
	for _, c := range Clients {
		h, o := account(t), asked
		o.URL = "http://127.0.0.1:8765/mcp"
		apply(t, c, h, o)
		i := slices.IndexFunc(Inspect(h, ""), func(st State) bool { return st.Client == c.Name })
		if st := Inspect(h, "")[i]; st.URL != o.URL || st.Problem != "" {
			t.Errorf("%s: %+v", c.Name, st)
		}
		o.URL = "http://me:hunter2@127.0.0.1:8765/mcp"
		apply(t, c, h, o)
		if st := Inspect(h, "")[i]; strings.Contains(st.URL, "hunter2") {
			t.Errorf("%s: doctor prints %s", c.Name, st.URL)
		}
	}
}

func TestScopes(t *testing.T) {
	o := asked
	o.Scope = Project
	if _, err := zed.Plan(account(t), o); !errors.Is(err, fail.NotFound) {
		t.Errorf("%v", err)
	}
}

// TestFailingCommand checks that setup reports a client's command that fails, or that does not do what it says.
func TestFailingCommand(t *testing.T) {
	h := account(t)
	for _, argv := range [][]string{{"false"}, {"true"}} {
		p := plan(t, codex, h, asked)
		p.Steps[0].Commands, p.Steps[0].expected = [][]string{argv}, codexTable
		if err := p.Apply(t.Context()); !errors.Is(err, fail.CommandFailed) || p.Written {
			t.Errorf("%s: %v", argv, err)
		}
	}
}

// TestOwnCommands checks that a client's command is planned if the account has the program and nothing would be lost.
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
		h.LookPath = func(p string) (string, error) { return "/usr/bin/" + p, nil }
		f := tc.c.serverFile(h, User)
		if err := errors.Join(os.MkdirAll(filepath.Dir(f), 0o755), os.WriteFile(f, []byte(tc.text), 0o600)); err != nil {
			t.Fatal(err)
		}
		got := ""
		if run := plan(t, tc.c, h, asked).Steps[0].Commands; run != nil {
			got = strings.Join(run[0], " ")
		}
		if got != tc.want {
			t.Errorf("%s, %q: %s, want %s", tc.c.Name, tc.text, got, tc.want)
		}
	}
}

// TestCommandThatWorks checks that a client's command is run, after a backup.
func TestCommandThatWorks(t *testing.T) {
	h := account(t)
	give(t, codex, h, User, "model = \"x\"\n")
	p := plan(t, codex, h, asked)
	ready := filepath.Join(h.Home, "ready.toml")
	if err := os.WriteFile(ready, p.Steps[0].newContent, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Steps[0].Commands, p.Steps[0].expected = [][]string{{"cp", ready, p.Steps[0].File}}, codexTable
	if err := p.Apply(t.Context()); err != nil || !p.Written {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(p.Steps[0].Backup); err != nil || string(kept) != "model = \"x\"\n" {
		t.Errorf("the backup: %q, %v", kept, err)
	}
}

// TestOtherBuild checks that doctor notes a client that starts another emend, and no copy of this one. None is run.
func TestOtherBuild(t *testing.T) {
	h, o, self := account(t), asked, filepath.Join(t.TempDir(), "emend")
	o.Binary = filepath.Join(t.TempDir(), "emend")
	apply(t, cursor, h, o)
	for text, want := range map[string]string{
		"this build":  "",
		"other build": "it starts " + o.Binary + ", which is another build of emend than this one",
		"a":           "it starts " + o.Binary + ", which is another build of emend than this one",
	} {
		for file, text := range map[string]string{self: "this build", o.Binary: text} {
			if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if st := Inspect(h, self)[0]; st.Note != want || st.Problem != "" {
			t.Errorf("%q: %+v", text, st)
		}
	}
	o.Binary = filepath.Join(t.TempDir(), "npx")
	if err := os.WriteFile(o.Binary, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, note := programState(h, o.Binary, self); note != "" {
		t.Errorf("of npx it says %q", note)
	}
}
