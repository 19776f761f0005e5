package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

// TestRefused checks that a file stays as it is if it cannot be read, or if the client could not read it.
func TestRefused(t *testing.T) {
	for _, c := range Clients {
		f := c.format
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
			for _, st := range Inspect(h, "") {
				if st.Client == c.Name && st.Problem == "" && !(f == tomlForm && strings.HasPrefix(text, "mcp")) {
					t.Errorf("%s: %q: doctor has nothing to say", c.Name, text)
				}
			}
		}
	}
	for c, text := range map[*Client]string{claudeCode: "{} // comment", gemini: "{\"a\": 1,}"} {
		h := account(t)
		give(t, c, h, User, text)
		if _, err := c.Plan(h, asked); !errors.Is(err, fail.CommandFailed) {
			t.Errorf("%s does not read %q: %v", c.Name, text, err)
		}
	}
}

// TestChangedSince checks that removal keeps other changes that were made after the setup.
func TestChangedSince(t *testing.T) {
	h := account(t)
	give(t, opencode, h, User, "{\n  // mine\n  \"theme\": \"dark\"\n}\n")
	apply(t, opencode, h, asked)
	file := opencode.serverFile(h, User)
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

// TestChangedMeanwhile checks that setup does not overwrite what was saved after the plan was made.
func TestChangedMeanwhile(t *testing.T) {
	for _, text := range []string{"", "{\"a\": 1}"} {
		h := account(t)
		file := cursor.serverFile(h, User)
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
	file := cursor.serverFile(h, User)
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := cursor.Plan(h, asked); !errors.Is(err, fail.PermissionDenied) {
		t.Errorf("planned: %v", err)
	}
}

// TestLinks checks that a linked file stays a link, and that its target is edited. People keep their dotfiles in a
// repository.
func TestLinks(t *testing.T) {
	h := account(t)
	kept := filepath.Join(h.Home, "dotfiles.json")
	file := cursor.serverFile(h, User)
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

// TestLinkedDirectory checks that the plan says where a linked directory of a project leads.
func TestLinkedDirectory(t *testing.T) {
	h, o := account(t), asked
	o.Scope = Project
	elsewhere := filepath.Join(h.Home, "elsewhere")
	if err := errors.Join(os.Mkdir(elsewhere, 0o755), os.Symlink("../elsewhere", filepath.Join(h.Project, ".cursor"))); err != nil {
		t.Fatal(err)
	}
	if got := plan(t, cursor, h, o).Steps[0].Target; !strings.HasSuffix(got, filepath.Join("elsewhere", "mcp.json")) {
		t.Errorf("it leads to %q", got)
	}
	if got := plan(t, vscode, h, o).Steps[0].Target; got != "" {
		t.Errorf("no link, and it leads to %q", got)
	}
}

// TestBackups checks that no backup is overwritten, and that one with the same content is enough.
func TestBackups(t *testing.T) {
	h := account(t)
	give(t, cursor, h, User, "{}")
	first := cursor.serverFile(h, User) + ".emend-backup"
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

// TestRemoveAfterTwo checks that removal leaves no entry of an earlier setup, of which a later one made a backup.
func TestRemoveAfterTwo(t *testing.T) {
	for _, c := range Clients {
		h, o := account(t), asked
		text := map[format]string{tomlForm: "model = \"a\"\n"}[c.format]
		if text == "" {
			text = "{\n  \"theme\": \"a\"\n}\n"
		}
		give(t, c, h, User, text)
		apply(t, c, h, o)
		file := c.serverFile(h, User)
		is, _ := os.ReadFile(file)
		save(t, file, strings.Replace(string(is), `"a"`, `"b"`, 1))
		o.ReadOnly = true
		apply(t, c, h, o)
		o.Remove = true
		apply(t, c, h, o)
		if got, _ := os.ReadFile(file); string(got) != strings.Replace(text, `"a"`, `"b"`, 1) {
			t.Errorf("%s: it still has\n%s", c.Name, got)
		}
	}
}

// TestRemoveWhatItMade checks that nothing is left of a file that setup made, and then changed.
func TestRemoveWhatItMade(t *testing.T) {
	for _, c := range Clients {
		h, o := account(t), asked
		apply(t, c, h, o)
		o.ReadOnly = true
		apply(t, c, h, o)
		o.Remove = true
		apply(t, c, h, o)
		for file, text := range below(t, h.Home) {
			t.Errorf("%s: %s is left:\n%s", c.Name, file, text)
		}
	}
}

// TestRemoveStops checks that the agent has its own edit tools if removal fails half way.
func TestRemoveStops(t *testing.T) {
	h, o := account(t), asked
	apply(t, claudeCode, h, o)
	o.Remove = true
	p := plan(t, claudeCode, h, o)
	save(t, claudeCode.serverFile(h, User), "{\"mcpServers\": {\"emend\": {}, \"somebody\": {}}}")
	if err := p.Apply(t.Context()); !errors.Is(err, fail.Stale) {
		t.Fatal(err)
	}
	if st := Inspect(h, "")[0]; st.Tools != "on" || !st.Configured {
		t.Errorf("%+v", st)
	}
}

func save(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}
