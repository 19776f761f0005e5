package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/caller"
)

// fakeLooker records what it is asked.
type fakeLooker struct {
	asked  []api.LookRequest
	actors []api.Actor
	look   func(context.Context) error
}

func (f *fakeLooker) Look(ctx context.Context, r api.LookRequest) (*api.Look, error) {
	f.asked, f.actors = append(f.asked, r), append(f.actors, caller.Actor(ctx))
	if f.look != nil {
		return nil, f.look(ctx)
	}
	return &api.Look{Files: 1}, nil
}

// hooked is an account with a workspace in which hooks are called.
type hooked struct {
	*testing.T
	root   string
	fake   *fakeLooker
	opened []string
	in     io.Reader
	refuse error // of opening the workspace
}

func newHooked(t *testing.T) *hooked {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &hooked{T: t, root: filepath.Join(dir, "w"), fake: &fakeLooker{}}
	if err := os.MkdirAll(filepath.Join(h.root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, filepath.Join(dir, "home"))
	}
	return h
}

// run runs emend with the event as its input. It must end with 0 and print nothing on standard output.
func (h *hooked) run(event string, args ...string) (stderr string) {
	h.Helper()
	var out, errs bytes.Buffer
	a := &app{in: strings.NewReader(event), out: &out, err: &errs, env: func(string) string { return "" },
		openLooker: func(root string) (looker, func(), error) {
			h.opened = append(h.opened, root)
			return h.fake, func() {}, h.refuse
		}}
	if h.in != nil {
		a.in = h.in
	}
	if code := a.run(h.Context(), args); code != 0 || out.Len() > 0 {
		h.Errorf("%s: exit code %d, standard output %q", args, code, out.String())
	}
	return errs.String()
}

// before is an event in the workspace.
func (h *hooked) before() string {
	return `{"hook_event_name":"PreToolUse","session_id":"s","prompt_id":"p","tool_use_id":"t1","tool_name":"Edit",` +
		`"tool_input":{"file_path":"` + filepath.ToSlash(filepath.Join(h.root, "a.txt")) + `"},"cwd":"` + filepath.ToSlash(h.root) + `"}`
}

func TestHook(t *testing.T) {
	h := newHooked(t)
	if said := h.run(h.before(), "hook", "claude-code"); said != "" {
		t.Errorf("standard error: %q", said)
	}
	want := api.Actor{Client: "claude-code", Session: "s", Tool: "Edit", Call: "t1", Turn: "p"}
	if len(h.fake.asked) != 1 || h.fake.actors[0] != want || h.opened[0] != h.root {
		t.Fatalf("asked %+v by %+v in %q", h.fake.asked, h.fake.actors, h.opened)
	}
	if r := h.fake.asked[0]; r.Moment != api.BeforeCall || strings.Join(r.Paths, " ") != "a.txt" || r.Missed != nil {
		t.Errorf("%+v", r)
	}
	for _, args := range [][]string{{"hook", "claude-code", "--off"}, {"hook", "claude-code"}} {
		event := h.before()
		if len(args) == 2 {
			event = strings.Replace(event, "Edit", "Read", 1)
		}
		if said := h.run(event, args...); said != "" || len(h.fake.asked) != 1 {
			t.Errorf("%s: it looked, or said %q", args, said)
		}
	}
	if h.run(h.before(), "hook", "claude-code", "--witness"); len(h.fake.asked) != 2 {
		t.Error("--witness does not look")
	}
}

// TestHookFailures has all that can go wrong. Each is one line on standard error, and nothing else that a client would see.
func TestHookFailures(t *testing.T) {
	h := newHooked(t)
	for _, tc := range []struct {
		name, event, want string
		args              []string
		look              func(context.Context) error
		refuse            error
	}{
		{name: "an unknown client", event: h.before(), args: []string{"hook", "emacs"}, want: `"emacs" has no hooks`},
		{name: "a look fails", event: h.before(), look: func(context.Context) error { return errors.New("the disk\nis full") }, want: "the disk is full"},
		{name: "a panic", event: h.before(), look: func(context.Context) error { panic("boom") }, want: "a defect in emend: panic: boom"},
		{name: "a store that is locked", event: h.before(), refuse: errors.New("the store is locked"), want: "the store is locked"},
		{name: "control characters", event: h.before(), look: func(context.Context) error { return errors.New("\x1b[2Jx") }, want: `[2Jx`},
		{name: "a directory that is gone, in no workspace", event: strings.ReplaceAll(h.before(), h.root, "/nowhere"), refuse: errors.New("no"), want: "failed: no"},
	} {
		h.fake.look, h.refuse = tc.look, tc.refuse
		args := tc.args
		if args == nil {
			args = []string{"hook", "claude-code"}
		}
		said := h.run(tc.event, args...)
		if !strings.Contains(said, tc.want) || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "emend: ") || strings.Contains(said, "\x1b") {
			t.Errorf("%s: it says %q", tc.name, said)
		}
	}
	for _, args := range [][]string{{"hook"}, {"hook", "codex", "--shine"}, {"hook", "codex", "claude-code"}, {"hook", "codex", "--off", "--witness"},
		{"hook", "codex", "-C", "/nowhere"}, {"hook", "codex", "--durability", "some"}} {
		if said := h.run(h.before(), args...); !strings.HasPrefix(said, "emend: ") {
			t.Errorf("%s: %q", args, said)
		}
	}
}

type broken struct{}

func (*broken) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestHookUnclear: of an event that cannot be read, or not to its end, the tree is looked at, and the look is told.
func TestHookUnclear(t *testing.T) {
	h := newHooked(t)
	t.Chdir(h.root)
	for _, tc := range []struct {
		name, want string
		in         io.Reader
	}{
		{"no JSON", "not JSON", strings.NewReader("{")},
		{"nothing", "not JSON", strings.NewReader("")},
		{"a broken input", "broken pipe", &broken{}},
		{"another type", "session_id is of another type", strings.NewReader(strings.Replace(h.before(), `"s"`, "7", 1))},
		{"too much", "it has over 67108864 bytes", strings.NewReader(strings.Replace(h.before(), "{", `{"x":"`+strings.Repeat("x", 100<<20)+`",`, 1))},
	} {
		h.in, h.opened, h.fake.asked = tc.in, nil, nil
		h.fake.look = func(context.Context) error { return errors.New("the disk is full") }
		said := h.run("", "hook", "claude-code")
		h.fake.look, h.in = nil, nil
		h.run(h.before(), "hook", "claude-code")
		if strings.Count(said, "emend: ") != 2 || !strings.Contains(said, tc.want) || len(h.opened) != 2 || h.opened[0] != h.root {
			t.Errorf("%s: it says %q, opened %q", tc.name, said, h.opened)
			continue
		}
		first, second := h.fake.asked[0], h.fake.asked[1]
		if first.Moment != api.AtUnclear || len(first.Missed) != 1 || !strings.Contains(first.Missed[0], tc.want) {
			t.Errorf("%s: asked %+v", tc.name, first)
		}
		if len(second.Missed) != 2 || !strings.Contains(strings.Join(second.Missed, "\n"), tc.want) {
			t.Errorf("%s: after a look that failed: %q", tc.name, second.Missed)
		}
	}
}

// TestHookMissed checks that the next look is told why looks failed, and the one after it is not.
func TestHookMissed(t *testing.T) {
	h := newHooked(t)
	fail := func(why string) {
		h.fake.look = func(context.Context) error { return errors.New(why) }
		h.run(h.before(), "hook", "claude-code")
	}
	fail("first")
	fail("second") // it was told of the first, and hands it on
	other := newHooked(t)
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, filepath.Join(filepath.Dir(h.root), "home"))
	}
	if other.run(other.before(), "hook", "claude-code"); other.fake.asked[0].Missed != nil {
		t.Errorf("another workspace is told %q", other.fake.asked[0].Missed)
	}
	h.fake.look = nil
	h.run(h.before(), "hook", "claude-code")
	told := h.fake.asked[2].Missed
	if len(told) != 2 || !strings.Contains(told[0], "first") && !strings.Contains(told[1], "first") ||
		!strings.Contains(told[1], "the look of claude-code, before Edit failed: ") {
		t.Errorf("told %q", told)
	}
	if h.run(h.before(), "hook", "claude-code"); h.fake.asked[3].Missed != nil {
		t.Errorf("told again: %q", h.fake.asked[3].Missed)
	}
	for range 100 {
		noteMissed(h.root, strings.Repeat("x", 10000))
	}
	h.run(h.before(), "hook", "claude-code")
	size := 0
	for _, why := range h.fake.asked[4].Missed {
		size += len(why)
	}
	if size == 0 || size > maxMissed+maxMissedLine {
		t.Errorf("told of %d bytes", size)
	}
	if left, _ := filepath.Glob(missedFile(h.root) + "*"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// TestHookGivesUp checks that a look, or an input, that hangs does not hold up the agent.
func TestHookGivesUp(t *testing.T) {
	for moment, limit := range map[string]time.Duration{"Stop": hookLimit, "SessionEnd": hookEndLimit} {
		h := newHooked(t)
		synctest.Test(t, func(t *testing.T) {
			h.T = t
			hang := make(chan struct{})
			defer close(hang)
			h.fake.look = func(context.Context) error { <-hang; return nil }
			start := time.Now()
			said := h.run(`{"hook_event_name":"`+moment+`","session_id":"s","cwd":"`+h.root+`"}`, "hook", "claude-code")
			if took := time.Since(start); took != limit || !strings.Contains(said, "it gave up after "+limit.String()) {
				t.Errorf("%s: after %v: %q", moment, took, said)
			}
		})
	}
	h := newHooked(t)
	t.Chdir(h.root)
	synctest.Test(t, func(t *testing.T) {
		h.T = t
		r, w := io.Pipe()
		defer w.Close()
		h.in = r
		start := time.Now()
		if said := h.run("", "hook", "codex"); time.Since(start) != hookLimit || !strings.Contains(said, "gave up") {
			t.Errorf("an input without end: %q", said)
		}
	})
	h.T, h.in = t, nil
	if h.run(h.before(), "hook", "claude-code"); len(h.fake.asked) != 1 || len(h.fake.asked[0].Missed) != 1 {
		t.Errorf("after an input without end: asked %+v", h.fake.asked)
	}
}

// TestHookTooWide: an agent that was started at home is told once, and nothing is compared or noted.
func TestHookTooWide(t *testing.T) {
	h := newHooked(t)
	home := os.Getenv("HOME")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	said := h.run(strings.ReplaceAll(h.before(), h.root, home), "hook", "claude-code")
	if !strings.Contains(said, "it is no project") || len(h.opened) > 0 {
		t.Errorf("%q, opened %q", said, h.opened)
	}
}
