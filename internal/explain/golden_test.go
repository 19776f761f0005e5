package explain

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

var update = flag.Bool("update", false, "write the texts and pages down anew")

// explained is what a scenario's patch is on its tree.
func explained(t testing.TB, text string, tree plan.Memory, settings map[string]string) *Explanation {
	t.Helper()
	var d *dialect.Dialect
	var err error
	if name, ok := settings["dialect"]; ok {
		d, _ = dialect.Named(name)
	} else {
		d, err = dialect.Detect(text)
	}
	v := report.View{Dialect: d}
	if err != nil {
		return Unreadable(v, text, err)
	}
	o := dialect.Options{Lenient: settings["lenient"] != ""}
	if settings["tolerance"] == "unicode" {
		o.Tolerance = patch.Unicode
	}
	parsed, err := d.Parse(text, o)
	if err != nil {
		return Unreadable(v, text, err)
	}
	v.Patch, v.Passed = parsed.Patch, parsed.Passed
	opts := plan.Options{Print: d.PrintHunk, Idempotent: settings["idempotent"] != ""}
	if file, sum, ok := strings.Cut(settings["expect"], "="); ok {
		opts.Expect = map[string]string{file: sum}
	}
	s, err := plan.BuildSurvey(context.Background(), v.Patch, d.Rules(o), tree, opts)
	if err != nil {
		t.Fatal(err)
	}
	return Of(v, s)
}

// TestGolden: a scenario in testdata is one verdict: its first lines say how the patch is read ("lenient: yes"), its files
// are the patch, in Go's quotes where it has what an editor would not keep, the tree, and what is shown of it in a pipe, on
// a terminal of 110 columns, and as a page, whose head is left out. With -update they are written anew.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 15 {
		t.Fatalf("%d scenarios: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			settings := map[string]string{}
			for line := range strings.Lines(string(ar.Comment)) {
				if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
					settings[key] = value
				}
			}
			tree, text, keep := plan.Memory{}, "", ar.Files[:0]
			golden := map[string]string{}
			for _, f := range ar.Files {
				data := string(f.Data)
				if rest, quoted := strings.CutSuffix(f.Name, ".quoted"); quoted {
					f.Name, data = rest, unquoted(t, data)
				}
				switch {
				case f.Name == "patch":
					text = data
				case strings.HasPrefix(f.Name, "want."):
					golden[f.Name] = data
					continue
				default:
					tree[f.Name] = data
				}
				keep = append(keep, f)
			}
			e := explained(t, text, tree, settings)
			got := map[string]string{"want.txt": textOf(t, e, Layout{}), "want.side": textOf(t, e, Layout{Width: 110}), "want.html": bodyOf(t, e)}
			if *update {
				ar, _ := txtar.ParseFile(name)
				keep = ar.Files[:len(keep)]
				for _, n := range []string{"want.txt", "want.side", "want.html"} {
					keep = append(keep, txtar.File{Name: n, Data: []byte(got[n])})
				}
				ar.Files = keep
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for n, want := range golden {
				if got[n] != want {
					t.Errorf("%s:\n%s\nwant:\n%s", n, got[n], want)
				}
			}
			if len(golden) != len(got) {
				t.Errorf("%d texts are written down, want %d", len(golden), len(got))
			}
		})
	}
}

// unquoted reads lines that are written as Go strings.
func unquoted(t testing.TB, data string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(data) {
		s, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		b.WriteString(s)
	}
	return b.String()
}

func textOf(t testing.TB, e *Explanation, l Layout) string {
	t.Helper()
	var b strings.Builder
	if err := e.WriteText(&b, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func htmlOf(t testing.TB, e *Explanation) string {
	t.Helper()
	var b strings.Builder
	if err := e.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func bodyOf(t testing.TB, e *Explanation) string {
	t.Helper()
	page := htmlOf(t, e)
	return page[strings.Index(page, "<body>"):]
}
