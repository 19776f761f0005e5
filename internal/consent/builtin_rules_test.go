package consent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/emendtest"
)

// builtIn returns a workspace with files that built-in rules ask about, and a person who answers.
func builtIn(t *testing.T, policy string) *asked {
	t.Helper()
	s := emendtest.NewStory(t, "AGENTS.md", "one\n", ".circleci/config.yml", "one\n", "free.txt", "free\n", "a.sql", "one\n")
	var o []emend.Option
	if policy != "" {
		file := filepath.Join(t.TempDir(), "policy.toml")
		s.Must(os.WriteFile(file, []byte(policy), 0o600))
		o = append(o, emend.Policy(file))
	}
	return &asked{Story: s.Opened(s.WS.Root(), o...)}
}

func (a *asked) withAsker(f func(context.Context, api.Question) (string, error)) {
	a.Ctx = emend.WithAsker(a.Ctx, f)
}

var twoBuiltIn = patchOf(update("AGENTS.md", "one", "two"), update(".circleci/config.yml", "one", "two"), update("free.txt", "free", "f"))

// TestBuiltInAsk: one question covers all paths of a call, whole or section by section, and says why it is asked. A no refuses.
func TestBuiltInAsk(t *testing.T) {
	for _, sequential := range []bool{false, true} {
		a := builtIn(t, "")
		a.withAsker(a.answer)
		a.Must(a.apply(api.PatchOptions{Sequential: sequential}, twoBuiltIn))
		a.check("write .circleci/config.yml", "write AGENTS.md")
		if p := a.questions[0].Paths[1]; !p.BuiltIn || p.Rule != "AGENTS.md" || p.Why == "" {
			t.Errorf("%+v", p)
		}
		for _, c := range a.calls() {
			if c.AskedBy != "a test" && c.Files[0].Path != "free.txt" || len(c.Marks) > 0 {
				t.Errorf("%+v", c)
			}
		}
		a = builtIn(t, "")
		a.withAsker(a.answer)
		a.no = fmt.Errorf("no")
		before := a.Tree()
		if err := a.apply(api.PatchOptions{Sequential: sequential}, twoBuiltIn); err == nil || !strings.Contains(err.Error(), `built-in rule "`) {
			t.Errorf("%v", err)
		}
		a.Has(before)
	}
}

func (a *asked) calls() []api.LoggedCall {
	a.Helper()
	l, err := a.WS.Timeline(a.Ctx, api.TimelineRequest{})
	a.Must(err)
	return l.Calls
}

// TestBuiltInUnasked: where nobody can be asked, without an asker or with one that finds nobody, the change is made and marked;
// unless the policy denies that, or has a rule of its own about another path of the call.
func TestBuiltInUnasked(t *testing.T) {
	nobody := func(context.Context, api.Question) (string, error) {
		return "", fmt.Errorf("no page: %w", api.ErrNoPage)
	}
	for name, asker := range map[string]func(context.Context, api.Question) (string, error){"no asker": nil, "nobody there": nobody} {
		for _, sequential := range []bool{false, true} {
			a := builtIn(t, "")
			if asker != nil {
				a.withAsker(asker)
			}
			a.Must(a.apply(api.PatchOptions{Sequential: sequential}, twoBuiltIn))
			marked := map[string]string{}
			for _, c := range a.calls() {
				for _, f := range c.Files {
					marked[f.Path] = strings.Join(f.Marks, "; ")
				}
				if c.AskedBy != "" || (len(c.Marks) == 1) != (c.Files[0].Path != "free.txt" || c.FileCount > 1) {
					t.Errorf("%s: %+v", name, c)
				}
			}
			if marked["AGENTS.md"] != `nobody was asked (rule "AGENTS.md")` || marked[".circleci/config.yml"] == "" || marked["free.txt"] != "" {
				t.Errorf("%s, %t: %q", name, sequential, marked)
			}
			for policy, why := range map[string]string{
				"[write]\nunasked = \"deny\"\n":                             "approv",
				"[write]\nask = [\"AGENTS.md\"]\n":                          "the policy requires",
				"[write]\nask = [\"free.txt\"]\nunasked = \"allow\"\n":      "the policy requires",
				"[write]\nunasked = \"deny\"\nallow = [\".circleci/**\"]\n": "AGENTS.md",
			} {
				a := builtIn(t, policy)
				if asker != nil {
					a.withAsker(asker)
				}
				if err := a.apply(api.PatchOptions{}, twoBuiltIn); err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("%s, %q: %v", name, policy, err)
				}
			}
		}
	}
}

// TestBuiltInEveryVerb: every call that changes files goes the same way, and undo too.
func TestBuiltInEveryVerb(t *testing.T) {
	a := builtIn(t, "")
	step := func(what string, err error) {
		t.Helper()
		a.Must(err)
		c := a.calls()[0]
		if len(c.Marks) != 1 || c.Marks[0] != "nobody was asked" {
			t.Errorf("%s: %+v", what, c)
		}
	}
	_, err := a.WS.Create(a.Ctx, api.CreateRequest{Path: "CLAUDE.md", Content: "x\n"})
	step("create", err)
	_, err = a.WS.Edit(a.Ctx, api.EditRequest{Path: "CLAUDE.md", ExpectedSha256: a.Sha("CLAUDE.md"), Edits: []api.TextEdit{{OldText: "x", NewText: "y"}}})
	step("edit", err)
	_, err = a.WS.Write(a.Ctx, api.WriteRequest{Path: "CLAUDE.md", ExpectedSha256: a.Sha("CLAUDE.md"), Content: "z\n"})
	step("write", err)
	_, err = a.WS.Move(a.Ctx, api.MoveRequest{FromPath: "free.txt", ToPath: "GEMINI.md", Plain: true})
	step("move to", err)
	_, err = a.WS.Move(a.Ctx, api.MoveRequest{FromPath: "GEMINI.md", ToPath: "free.txt", Plain: true})
	step("move from", err)
	gone, err := a.WS.Delete(a.Ctx, api.DeleteRequest{Path: "CLAUDE.md"})
	step("delete", err)
	_, err = a.WS.Restore(a.Ctx, api.RestoreRequest{TrashedPath: gone.Data.TrashedTo})
	step("restore", err)
	_, err = a.WS.Undo(a.Ctx, api.UndoRequest{Entry: a.calls()[0].Entry})
	step("undo", err)
}

// TestPlanOfBuiltInAsk: a plan says that a person will be asked, if there is one.
func TestPlanOfBuiltInAsk(t *testing.T) {
	for _, there := range []bool{true, false} {
		a := builtIn(t, "")
		if there {
			a.withAsker(a.answer)
		}
		p, err := a.WS.Plan(a.Ctx, twoBuiltIn, api.PatchOptions{})
		a.Must(err)
		if got := strings.Contains(p.Result().Text(), `requires approval (built-in rule "AGENTS.md", instructions that agents follow)`); got != there {
			t.Errorf("%t: %s", there, p.Result().Text())
		}
		a.check()
	}
}
