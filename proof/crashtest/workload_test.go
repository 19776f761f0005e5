package main

import (
	"context"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// Every patch must do what its two trees show: three updates, one add, one delete, one move to another directory.
func TestPatchesLeadFromTreeToTree(t *testing.T) {
	w := newWork(3, 12)
	d := dialect.All[slices.IndexFunc(dialect.All, func(d *dialect.Dialect) bool { return d.Name == "emend" })]
	o := dialect.Options{Lenient: true}
	for i, text := range w.patches {
		parsed, err := d.Parse(text, o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Build(context.Background(), parsed.Patch, d.Rules(o), plan.Memory(texts(w.trees[i])), plan.Options{})
		if err != nil {
			t.Fatalf("patch %d: %v", i, err)
		}
		if len(p.Steps) != 6 {
			t.Errorf("patch %d has %d steps, want 6", i, len(p.Steps))
		}
		if got := after(texts(w.trees[i]), p.Steps); !maps.Equal(got, texts(w.trees[i+1])) {
			t.Errorf("patch %d makes another tree than the one that is expected", i)
		}
	}
}

func after(files map[string]string, steps []plan.Step) map[string]string {
	for _, s := range steps {
		delete(files, s.Path)
		switch s.Op {
		case patch.Delete:
		case patch.Move:
			files[s.To] = s.After
		default:
			files[s.Path] = s.After
		}
	}
	return files
}

func texts(t tree) map[string]string {
	out := map[string]string{}
	for p, e := range t {
		if !e.mode.IsDir() {
			out[p] = e.text
		}
	}
	return out
}

func TestWorkIsWhatTheSeedSays(t *testing.T) {
	if !reflect.DeepEqual(newWork(7, 4), newWork(7, 4)) {
		t.Error("one seed makes two works")
	}
	if reflect.DeepEqual(newWork(7, 4).patches, newWork(8, 4).patches) {
		t.Error("two seeds make one work")
	}
}

func TestTextsAreSmallAndLarge(t *testing.T) {
	var sizes []int
	for _, e := range newWork(1, 6).trees[6] {
		if !e.mode.IsDir() {
			sizes = append(sizes, len(e.text))
		}
	}
	if slices.Min(sizes) > 100 || slices.Max(sizes) < 9000 {
		t.Errorf("sizes %v", sizes)
	}
}

func TestLook(t *testing.T) {
	w := newWork(1, 4)
	alien := func(p string) tree {
		t := maps.Clone(w.trees[2])
		t[p] = entry{mode: 0o644, text: "neither"}
		return t
	}
	file := slices.Sorted(maps.Keys(texts(w.trees[2])))[0]
	mode := maps.Clone(w.trees[2])
	mode[file] = entry{mode: fs.FileMode(0o600), text: mode[file].text}
	half := maps.Clone(w.trees[2])
	maps.DeleteFunc(half, func(p string, _ entry) bool { return p == file })
	for _, tc := range []struct {
		got  tree
		mark mark
		want treeState
	}{
		{w.trees[2], mark{2, 2}, right},
		{w.trees[2], mark{2, 1}, right},
		{w.trees[2], mark{3, 2}, right},
		{w.trees[2], mark{3, 3}, old},
		{w.trees[3], mark{2, 2}, mixed}, // ahead of the mark
		{half, mark{2, 2}, mixed},
		{alien("stray"), mark{2, 2}, mixed},
		{alien(file), mark{2, 2}, torn},
		{mode, mark{2, 2}, torn},
	} {
		if got := w.classify(tc.got, tc.mark); got != tc.want {
			t.Errorf("at %v: %s, want %s", tc.mark, got, tc.want)
		}
		if _, err := w.verify(tc.got, tc.mark); (err == nil) != (tc.want == right) {
			t.Errorf("at %v, %s: verify says %v", tc.mark, tc.want, err)
		}
	}
}

func TestDifferNames(t *testing.T) {
	want := tree{"a": {0o644, "x"}, "b": {0o644, "x"}, "c": {0o755, "x"}}
	got := tree{"b": {0o644, "xy"}, "c": {0o644, "x"}, "d": {}}
	said := differ(want, got)
	for _, w := range []string{"a is missing", "b has another text (2 bytes, not 1)", "c has mode", "d should not be there"} {
		if !strings.Contains(said, w) {
			t.Errorf("%q does not say %q", said, w)
		}
	}
}
