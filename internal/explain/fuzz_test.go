package explain

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
)

// FuzzExplain: whatever a patch and a file say, each line is shown for what it is, in its place, and nothing is obeyed.
func FuzzExplain(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		said := string(ar.Files[0].Data)
		for how := range uint8(2 * len(dialect.All)) {
			f.Add(how, strings.ReplaceAll(said, "Update File: a.go", "Update File: f"), string(ar.Files[min(1, len(ar.Files)-1)].Data))
		}
	}
	f.Fuzz(func(t *testing.T, how uint8, said, file string) {
		if len(said) > 10_000 || len(file) > 10_000 {
			t.Skip("slow, and shows nothing else")
		}
		settings := map[string]string{"dialect": dialect.Names()[int(how/2)%len(dialect.All)]}
		if how%2 == 1 {
			settings["lenient"], settings["tolerance"] = "yes", "unicode"
		}
		e := explained(t, said, plan.Memory{"f": file, "d/g": file}, settings)
		all := textOf(t, e, Layout{}) + textOf(t, e, Layout{Width: 100}) + htmlOf(t, e)
		if i := strings.IndexFunc(all, obeyed); i >= 0 {
			t.Fatalf("%q", all[max(0, i-40):i+20])
		}
		if len(e.Files) == 1 && e.Files[0].Path == "f" { // else the file is as the sections before leave it
			showsIt(t, &e.Files[0], between(text.Split(file), 1, len(file)))
		}
	})
}

// showsIt checks that the rows of a section are the lines of the file that they say they are, in order.
func showsIt(t *testing.T, f *File, lines []string) {
	t.Helper()
	for _, h := range f.Hunks {
		if (h.Verdict == Lands) != (h.Kind == "") && h.Verdict != NotSought {
			t.Errorf("hunk %d %s: %s", h.Number, h.Verdict, h.Kind)
		}
		for _, v := range h.Views {
			at := 0
			for _, r := range v.Rows {
				if r.Line == 0 {
					continue
				}
				if r.Line <= at || r.Line > len(lines) || r.Pairing != Folded && r.File != lines[r.Line-1] {
					t.Errorf("hunk %d: %+v after line %d", h.Number, r, at)
				}
				if (r.Pairing == Same) != (r.File == r.Patch) && (r.Pairing == Same || r.Pairing == Differs) {
					t.Errorf("hunk %d: %+v", h.Number, r)
				}
				at = r.Line
			}
		}
	}
}
