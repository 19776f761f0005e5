package plan

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/hunktest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

func survey(t *testing.T, tree Memory, o Options, r dialect.Rules, sections ...patch.Section) *Survey {
	t.Helper()
	s, err := BuildSurvey(context.Background(), patch.Patch{Sections: sections}, r, tree, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func updates(path string, hunks ...patch.Hunk) patch.Section {
	return patch.Section{Op: patch.Update, Path: path, Line: 1, Hunks: hunks}
}

// TestSurvey: a hunk that fails hides none of the others, and every old line knows which line of the file it stands for.
func TestSurvey(t *testing.T) {
	s := survey(t, Memory{"f": "a\nb\nc\nd\na\n"}, Options{}, dialect.Rules{Place: dialect.Unique, Ladder: hunktest.Loose.Ladder}, updates("f",
		hunktest.Hunk(" b", "-c", "+C"), hunktest.Hunk("-nowhere"), hunktest.Hunk(" C ", "-d"), hunktest.Hunk("-a"), hunktest.Hunk("-b", "-c")))
	if s.Plan != nil || len(s.Refused) != 3 || len(s.Sections) != 1 || len(s.Sections[0].Failed) != 3 {
		t.Fatalf("%+v", s)
	}
	got := s.Sections[0]
	if got.File.Len() != 5 {
		t.Errorf("the file has %d lines", got.File.Len())
	}
	want := []struct {
		line, by int
		lines    []int
		kind     fail.Kind
	}{
		{line: 2, lines: []int{2, 3}},
		{kind: fail.PatchApply},
		{line: 4, lines: []int{0, 4}},
		{kind: fail.MultipleMatches},
		{kind: fail.Overlapping, by: 1},
	}
	for k, w := range want {
		h := got.Hunks[k]
		if h.At.Line != w.line || h.Rival != w.by || !reflect.DeepEqual(h.Lines, w.lines) {
			t.Errorf("hunk %d: at %v, lines %v, by %d; want %+v", k+1, h.At, h.Lines, h.Rival, w)
		}
		if w.kind == "" && h.Err != nil || w.kind != "" && !errors.Is(h.Err, w.kind) {
			t.Errorf("hunk %d: %v, want %q", k+1, h.Err, w.kind)
		}
	}
}

// TestSurveyOfWhatChanged: where the hunks of a stale file stand now is known as well.
func TestSurveyOfWhatChanged(t *testing.T) {
	s := survey(t, Memory{"f": "a\nb\n"}, Options{Expect: map[string]string{"f": "old"}}, hunktest.Strict, updates("f", hunktest.Hunk("-b")), updates("g", hunktest.Hunk("-b")))
	if f := s.Sections[0]; !errors.Is(f.Failed, fail.Stale) || len(f.Failed) != 1 || len(f.Hunks) != 1 || f.Hunks[0].At.Line != 2 {
		t.Errorf("%+v", f)
	}
	if g := s.Sections[1]; !errors.Is(g.Failed, fail.NotFound) || g.Hunks != nil || g.File != nil {
		t.Errorf("%+v", g)
	}
}

// TestSurveyIsBuild: over every patch and every tree of the scenarios, in every dialect, strict and lenient, a survey says
// what Build says: the same plan, or the same refusals, each with its hunk.
func TestSurveyIsBuild(t *testing.T) {
	landed, refused := 0, 0
	err := filepath.WalkDir("../../cmd/emend/testdata/script", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".txtar" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		tree, patches := Memory{}, map[string]string{}
		for _, f := range txtar.Parse(data).Files {
			tree[f.Name] = string(f.Data)
			if strings.Contains(string(f.Data), "File: ") {
				patches[f.Name] = string(f.Data)
			}
		}
		for file, text := range patches {
			for _, d := range dialect.All {
				for _, o := range []dialect.Options{{}, {Lenient: true}, {Tolerance: patch.Unicode}} {
					if parsed, err := d.Parse(text, o); err == nil {
						for _, again := range []bool{false, true} {
							if sameAsBuild(t, name+" "+file+" "+d.Name, parsed.Patch, d.Rules(o), tree, Options{Print: d.PrintHunk, Idempotent: again}) {
								landed++
							} else {
								refused++
							}
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if landed < 100 || refused < 100 {
		t.Errorf("too few to show anything: %d landed, %d were refused", landed, refused)
	}
	t.Logf("%d landed, %d were refused", landed, refused)
}

func sameAsBuild(t *testing.T, name string, p patch.Patch, r dialect.Rules, tree Memory, o Options) bool {
	t.Helper()
	want, no := Build(context.Background(), p, r, tree, o)
	got, err := BuildSurvey(context.Background(), p, r, tree, o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !reflect.DeepEqual(want, got.Plan) || (no == nil) != (got.Refused == nil) || no != nil && !reflect.DeepEqual(no, error(got.Refused)) {
		t.Errorf("%s: Build says %+v, %v\nand the survey %+v, %v", name, want, no, got.Plan, got.Refused)
		return no == nil
	}
	byHunk := map[[2]int]*fail.Error{}
	for _, e := range got.Refused {
		byHunk[[2]int{e.Section, e.Hunk}] = e
	}
	for i, s := range got.Sections {
		for k := range s.Hunks {
			if h := &s.Hunks[k]; h.Err != byHunk[[2]int{i + 1, k + 1}] {
				t.Errorf("%s: section %d, hunk %d: %v, but Build says %v", name, i+1, k+1, h.Err, byHunk[[2]int{i + 1, k + 1}])
			} else if h.Err == nil && !h.At.Skipped {
				standsThere(t, name, s.File, h)
			}
		}
		if no == nil && len(s.Hunks) != len(s.Step.Hunks) {
			t.Errorf("%s: %d hunks, want %d", name, len(s.Hunks), len(s.Step.Hunks))
		}
		for k := range s.Step.Hunks {
			if s.Hunks[k].At != s.Step.Hunks[k] {
				t.Errorf("%s: hunk %d at %v, want %v", name, k+1, s.Hunks[k].At, s.Step.Hunks[k])
			}
		}
	}
	return no == nil
}

// standsThere checks that the lines that a hunk is said to stand on are the ones that it looks for.
func standsThere(t *testing.T, name string, file *text.Lines, h *HunkPlace) {
	t.Helper()
	old := (&patch.Hunk{Lines: h.Hunk.Lines[:len(h.Hunk.Lines)-h.Cut]}).Old()
	if len(h.Lines) != len(old) {
		t.Fatalf("%s: %d numbers for %d lines", name, len(h.Lines), len(old))
	}
	for i, n := range h.Lines {
		if n > 0 && !match.Same(h.At.Rung, old[i], file.Line(n-1)) {
			t.Errorf("%s: %q is said to stand on line %d, which is %q", name, old[i], n, file.Line(n-1))
		}
	}
}
