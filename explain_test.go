package emend_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/patch"
)

// TestExplainIsPlan: Explain and Plan agree on the hunks, their lines and the refusals, over the patches and trees of the
// scenarios, in every dialect.
func TestExplainIsPlan(t *testing.T) {
	landed, refused := 0, 0
	for _, dir := range []string{"apply", "dialects", "engine"} {
		names, err := filepath.Glob("cmd/emend/testdata/script/" + dir + "/*.txtar")
		if err != nil || len(names) == 0 {
			t.Fatalf("no scenarios: %v", err)
		}
		for _, name := range names {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var files []string
			patches := map[string]bool{}
			for _, f := range ar.Files {
				files = append(files, f.Name, string(f.Data))
				if strings.Contains(string(f.Data), "*** ") {
					patches[string(f.Data)] = true
				}
			}
			ws := emendtest.Workspace(t, files...)
			for _, text := range slices.Sorted(maps.Keys(patches)) {
				for _, d := range append([]string{"auto"}, emend.Dialects()...) {
					for _, o := range []api.PatchOptions{{Dialect: d}, {Dialect: d, Lenient: true, Tolerance: patch.Unicode}, {Dialect: d, Idempotent: true}} {
						if agrees(t, name, ws, text, o) {
							landed++
						} else {
							refused++
						}
					}
				}
			}
		}
	}
	if landed < 100 || refused < 100 {
		t.Errorf("too few to show anything: %d landed, %d were refused", landed, refused)
	}
	t.Logf("%d landed, %d were refused", landed, refused)
}

func agrees(t *testing.T, name string, ws *emend.Workspace, text string, o api.PatchOptions) bool {
	t.Helper()
	p, no := ws.Plan(t.Context(), text, o)
	e, err := ws.Explain(t.Context(), text, o)
	if err != nil {
		t.Fatalf("%s (%+v): %v", name, o, err)
	}
	if e.Value().Lands != (no == nil) || e.Value().Lands != (e.Err() == nil) {
		t.Fatalf("%s (%+v): %s, and planned: %v\n%s", name, o, e.Value().Says, no, text)
	}
	if no != nil {
		if e.Err().Error() != no.Error() {
			t.Errorf("%s (%+v): explained: %v\nplanned: %v", name, o, e.Err(), no)
		}
		return false
	}
	sections := slices.DeleteFunc(slices.Clone(e.Value().Files), func(f explain.File) bool { return f.Verdict == explain.AlreadyApplied })
	for i, f := range p.Files() {
		for k, h := range f.Hunks {
			got := sections[i].Hunks[k]
			if (got.Verdict == explain.AlreadyApplied) != h.Skipped {
				t.Errorf("%s (%+v): hunk %d of %s is %s, and planned as %+v", name, o, k+1, f.Path, got.Verdict, h)
			}
			if !h.Skipped && (got.Line != h.Line || got.Rung != h.Rung.String() || got.Others != h.Others) {
				t.Errorf("%s (%+v): hunk %d of %s is explained as %+v, and planned as %+v", name, o, k+1, f.Path, got, h)
			}
		}
	}
	return true
}

// TestExplainLeavesNothing: Explain makes no store, takes no lock, logs nothing and touches no file.
func TestExplainLeavesNothing(t *testing.T) {
	ws := emendtest.Workspace(t, "a.txt", "one\n")
	for _, text := range []string{emendtest.Envelope("*** Update File: a.txt", "@@", "-one", "+1"), emendtest.Envelope("*** Update File: a.txt", "@@", "-two"), "no patch"} {
		if _, err := ws.Explain(t.Context(), text, api.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	err := filepath.WalkDir(ws.Root(), func(name string, _ fs.DirEntry, err error) error {
		names = append(names, filepath.Base(name))
		return err
	})
	if data, _ := os.ReadFile(filepath.Join(ws.Root(), "a.txt")); err != nil || len(names) != 2 || string(data) != "one\n" {
		t.Errorf("%q, %v; a.txt is %q", names, err, data)
	}
}

// TestExplainCannot: Explain fails only if it cannot look at the files at all.
func TestExplainCannot(t *testing.T) {
	ws := emendtest.Workspace(t, "a.txt", "one\n")
	text := emendtest.Envelope("*** Update File: a.txt", "@@", "-one", "+1")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ws.Explain(ended, text, api.PatchOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := ws.Explain(t.Context(), text, api.PatchOptions{Base: "a.txt"}); !errors.Is(err, fail.NotFound) {
		t.Errorf("a base that is no directory: %v", err)
	}
	e, err := ws.Explain(t.Context(), text, api.PatchOptions{Dialect: "none"})
	if err != nil || e.Value().Lands || len(e.Value().Unread) != 1 {
		t.Errorf("no dialect: %+v, %v", e, err)
	}
	ws.Close()
	if _, err := ws.Explain(t.Context(), text, api.PatchOptions{}); !errors.Is(err, fail.CommandFailed) {
		t.Errorf("closed: %v", err)
	}
}

// TestExplainLimits: a plan that exceeds a limit is explained as refused.
func TestExplainLimits(t *testing.T) {
	ws := emendtest.Workspace(t, "a.txt", "one\n")
	small, err := emend.Open(ws.Root(), emend.WithLimits(api.Limits{FileBytes: 6}))
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	e, err := small.Explain(t.Context(), emendtest.Envelope("*** Update File: a.txt", "@@", "-one", "+a longer line"), api.PatchOptions{})
	if err != nil || e.Value().Lands || e.Value().Files[0].Kind != fail.FileTooLarge || e.Value().Files[0].Hunks[0].Line != 1 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestExplainAsks: Explain shows a file with an ask rule only after a person allows it.
func TestExplainAsks(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte("[read]\nask = [\"a.txt\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := emendtest.Workspace(t, "a.txt", "hunter2\n").Root()
	ws, err := emend.Open(dir, emend.Policy(policy))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	text := emendtest.Envelope("*** Update File: a.txt", "@@", "-hunter3", "+x")
	said := func(ctx context.Context) string {
		e, err := ws.Explain(ctx, text, api.PatchOptions{})
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		e.WriteText(&b, 0, false) //nolint:errcheck // a builder takes all
		return b.String()
	}
	answer := func(err error) context.Context {
		return emend.WithAsker(t.Context(), func(context.Context, api.Question) (string, error) { return "somebody", err })
	}
	for name, ctx := range map[string]context.Context{"nobody is there": t.Context(), "no": answer(errors.New("no"))} {
		if got := said(ctx); strings.Contains(got, "hunter2") || !strings.Contains(got, "approv") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := said(answer(nil)); !strings.Contains(got, "hunter2") {
		t.Errorf("yes: %s", got)
	}
}
