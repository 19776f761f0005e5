package setup

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

var withHooks = []*Client{claudeCode, codex, gemini, opencode}

// hooksOf returns the text of the file with the client's hooks.
func hooksOf(t *testing.T, c *Client, h Host) string {
	t.Helper()
	b, err := os.ReadFile(c.hooks.file(h, User))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

// TestHooksOnly checks that hooks alone leave the servers and the client's own tools as they are, also when they are taken back.
func TestHooksOnly(t *testing.T) {
	for _, c := range withHooks {
		h, o := account(t), asked
		o.HooksOnly = true
		apply(t, c, h, o)
		if text := hooksOf(t, c, h); !strings.Contains(text, "hook") || strings.Contains(text, "serve") || strings.Contains(text, "deny") || strings.Contains(text, "exclude") {
			t.Errorf("%s: %s", c.Name, text)
		}
		if files := below(t, h.Home); len(files) != 1 {
			t.Errorf("%s: it wrote %q", c.Name, slices.Collect(maps.Keys(files)))
		}
		states := Inspect(h, "")
		if i := slices.IndexFunc(states, func(st State) bool { return st.Client == c.Name }); i >= 0 && (states[i].Configured || states[i].Hooks != "on") {
			t.Errorf("%s: doctor says %+v", c.Name, states[i])
		}
		apply(t, c, h, asked) // and the server
		full := below(t, h.Home)
		apply(t, c, h, o)
		if name := same(full, below(t, h.Home)); name != "" {
			t.Errorf("%s: hooks that are there already changed %s", c.Name, name)
		}
		o.Remove = true
		apply(t, c, h, o)
		if text := hooksOf(t, c, h); strings.Contains(text, " hook ") || strings.Contains(text, `"hook"`) {
			t.Errorf("%s: hooks are left: %s", c.Name, text)
		}
		if p := plan(t, c, h, asked); slices.ContainsFunc(p.Steps, func(s *Step) bool {
			return s.Change && s.Purpose != "its hooks call emend" && !strings.HasSuffix(s.Purpose, "; its hooks call emend")
		}) {
			t.Errorf("%s: taking back the hooks took more", c.Name)
		}
		o = asked
		o.Remove = true
		apply(t, c, h, o)
		if left := below(t, h.Home); len(left) > 0 {
			t.Errorf("%s: left %v", c.Name, left)
		}
	}
}

// TestShellOff checks that hooks go when they are not wanted any more, and that those of own tools stay where these stay on.
func TestShellOff(t *testing.T) {
	shells := map[string]string{"claude-code": "Bash", "codex": "Bash", "gemini": "run_shell_command", "opencode": `"bash"`}
	for _, c := range withHooks {
		h, o := account(t), asked
		apply(t, c, h, o)
		if !strings.Contains(hooksOf(t, c, h), shells[c.Name]) {
			t.Errorf("%s: no hook for its shell: %s", c.Name, hooksOf(t, c, h))
		}
		o.Shell = Off
		p := apply(t, c, h, o)
		if text := hooksOf(t, c, h); strings.Contains(text, " hook "+c.Name) != (c == codex) || strings.Contains(text, shells[c.Name]) {
			t.Errorf("%s, off: %s", c.Name, text)
		}
		if p := plan(t, c, h, o); p.Changes() {
			t.Errorf("%s: a second time it would change something", c.Name)
		}
		if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "A shell goes around emend") {
			t.Errorf("%s: %s", c.Name, notes)
		}
		o.KeepTools = true
		apply(t, c, h, o)
		if text := hooksOf(t, c, h); !strings.Contains(text, "hook") || strings.Contains(text, shells[c.Name]) {
			t.Errorf("%s, own tools stay: %s", c.Name, text)
		}
	}
	for _, c := range Clients { // nothing is there, and nothing is said of hooks
		h, o := account(t), asked
		o.Shell = Off
		if p := apply(t, c, h, o); p.Hook != nil && c != codex || slices.ContainsFunc(p.Steps, func(s *Step) bool { return s.Purpose == "no hooks of emend" }) {
			t.Errorf("%s: %+v", c.Name, p)
		}
	}
}

// TestShellRun checks that shell commands are run through emend only where the client's rules still judge the model's command.
func TestShellRun(t *testing.T) {
	for _, c := range Clients {
		o := asked
		o.Shell, o.RunProgram = Run, "/opt/emend-run"
		_, err := c.Plan(account(t), o)
		if (err == nil) != (c == claudeCode) || err != nil && !errors.Is(err, fail.NotFound) {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	o := asked
	o.Shell = Run
	if _, err := claudeCode.Plan(account(t), o); err == nil || !strings.Contains(err.Error(), "emend-run") {
		t.Errorf("no program: %v", err)
	}
	h := account(t)
	give(t, claudeCode, h, User, `{"env":{"A":"b"}}`)
	before := below(t, h.Home)
	o.RunProgram = "/opt/emend-run"
	apply(t, claudeCode, h, o)
	if text := hooksOf(t, claudeCode, h); !strings.Contains(text, `"CLAUDE_CODE_SHELL_PREFIX": "/opt/emend-run"`) || !strings.Contains(text, "PreToolUse") {
		t.Errorf("%s", text)
	}
	apply(t, claudeCode, h, asked)
	if text := hooksOf(t, claudeCode, h); strings.Contains(text, "SHELL_PREFIX") || !strings.Contains(text, `"A"`) {
		t.Errorf("back to witness: %s", text)
	}
	apply(t, claudeCode, h, o)
	o.Remove = true
	apply(t, claudeCode, h, o)
	if name := same(before, below(t, h.Home)); name != "" {
		t.Errorf("%s is not as before: %s", name, below(t, h.Home)[name])
	}

	give(t, claudeCode, h, User, `{"env":{"CLAUDE_CODE_SHELL_PREFIX":"/home/me/wrap"}}`)
	o.Remove = false
	if _, err := claudeCode.Plan(h, o); err == nil || !strings.Contains(err.Error(), "has a value already") {
		t.Errorf("a person's own prefix: %v", err)
	}
	o.Remove = true
	if p := plan(t, claudeCode, h, o); p.Changes() {
		t.Errorf("a person's own prefix would be taken: %+v", p.Steps[0].Diff)
	}
}

// TestOthersHooks checks that a person's own hooks stay, in the order in which they are.
func TestOthersHooks(t *testing.T) {
	for _, c := range []*Client{claudeCode, codex, gemini} {
		h, o := account(t), asked
		o.HooksOnly = true
		event := map[*Client]string{gemini: "BeforeTool"}[c]
		if event == "" {
			event = "PreToolUse"
		}
		text := "{\"hooks\": {\"" + event + "\": [\n  {\"hooks\": [{\"command\": \"first\"}]},\n  OURS\n  {\"hooks\": [{\"command\": \"emend hook " + c.Name + "x\"}]}\n]}}\n"
		for _, ours := range []string{"", `{"hooks": [{"command": "/old/emend hook ` + c.Name + `"}]},`, `{"hooks": [{"command": "emend hook ` + c.Name + ` --off"}]}, {"hooks": [{"command": "'/a b/emend.exe' hook ` + c.Name + ` || exit 1"}]},`} {
			// What a person wrote by hand comes back, as it was.
			write(t, c.hooks.file(h, User), strings.Replace(text, "OURS", ours, 1))
			apply(t, c, h, o)
			got := hooksOf(t, c, h)
			if n := strings.Count(got, " hook "+c.Name+" "); n != len(c.hooks.settings(nil, "")) {
				t.Errorf("%s, %q: %d hooks of emend:\n%s", c.Name, ours, n, got)
			}
			if first, last := strings.Index(got, `"first"`), strings.Index(got, c.Name+`x"`); first < 0 || last < first {
				t.Errorf("%s, %q: others' hooks:\n%s", c.Name, ours, got)
			}
			o.Remove = true
			apply(t, c, h, o)
			if got := hooksOf(t, c, h); got != strings.Replace(text, "OURS", ours, 1) {
				t.Errorf("%s, %q: taken back:\n%s", c.Name, ours, got)
			}
			o.Remove = false
		}
		mixed := "{\"hooks\": {\"" + event + "\": [{\"hooks\": [{\"command\": \"emend hook " + c.Name + "\"}, {\"command\": \"mine\"}]}]}}"
		write(t, c.hooks.file(h, User), mixed)
		if _, err := c.Plan(h, o); err == nil || !strings.Contains(err.Error(), "stands in one group") {
			t.Errorf("%s: a group with another hook: %v", c.Name, err)
		}
	}
	h := account(t)
	write(t, opencode.hooks.file(h, User), "export const Mine = 1\n")
	if _, err := opencode.Plan(h, asked); err == nil || !strings.Contains(err.Error(), "not a file that setup wrote") {
		t.Errorf("another plugin of that name: %v", err)
	}
	o := asked
	o.Remove = true
	if p := plan(t, opencode, h, o); p.Changes() {
		t.Error("another plugin of that name would be removed")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestCallsHook checks what is taken for a hook of emend.
func TestCallsHook(t *testing.T) {
	for line, want := range map[string]bool{
		"emend hook codex": true, "/opt/emend hook codex || exit 1": true, "'/my apps/emend' hook codex --off || exit 1": true,
		`'C:\apps\emend.exe' hook codex || exit 1`: true, "emend-2 hook codex": true,
		"emend hook codex-cli": false, "emend hook gemini": false, "/home/emend/bin/other hook codex": false, "amend hook codex": false, "": false,
	} {
		if callsHook(line, "codex") != want {
			t.Errorf("%q: %t", line, !want)
		}
	}
}

// TestShellLine runs the line that clients run: an emend that is missing or too old must end it with 1.
func TestShellLine(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "it's here $HOME")
	for name, script := range map[string]string{"good": "[ \"$1 $2\" = 'hook codex' ]", "old": "exit 2", "missing": ""} {
		program := filepath.Join(dir, name)
		if script != "" {
			write(t, program, "#!/bin/sh\n"+script+"\n")
			if err := os.Chmod(program, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(sh, "-c", shellLine([]string{program, "hook", "codex"}))
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != map[string]int{"good": 0, "old": 1, "missing": 1}[name] {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}
