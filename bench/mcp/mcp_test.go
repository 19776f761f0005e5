package main

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/emend-dev/emend/bench/internal/line"
)

// TestChecks: an answer that lacks something, or has something more, must be rejected, in both languages.
func TestChecks(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"wide/a.txt", "wide/b7.txt", "c/d7.txt"} {
		if err := write(filepath.Join(dir, name), content(0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	ours := &side{server: server{"ours", nil, &line.Our}, dir: dir, at: make([]int, 1000)}
	theirs := &side{server: server{"theirs", nil, &line.Their}, dir: dir, at: make([]int, 1000)}
	edited := &side{server: server{"theirs", nil, &line.Their}, dir: dir, at: slices.Repeat([]int{1}, 1000)}
	search := checkSearch("7.txt")
	for _, tc := range []struct {
		name  string
		check func(*side, int, string) error
		side  *side
		text  string
		good  bool
	}{
		{"list", checkList, ours, "wide: 2 entries\nfile 5 wide/a.txt\nfile 5 wide/b7.txt", true},
		{"list, one less", checkList, ours, "wide: 1 entry\nfile 5 wide/a.txt", false},
		{"list", checkList, theirs, "[FILE] a.txt\n[FILE] b7.txt", true},
		{"list, one more", checkList, theirs, "[FILE] a.txt\n[FILE] b7.txt\n[DIR] x", false},
		{"list, sizes", checkList, theirs, "[FILE] a.txt          3.41 KB\n[FILE] b7.txt          3.41 KB\n\nTotal: 2 files", true},
		{"tree", checkTree, ours, ".: 5 entries\ndir - c/\ndir - wide/\nfile 5 wide/a.txt\nfile 5 wide/b7.txt\nfile 5 c/d7.txt", true},
		{"tree, a directory less", checkTree, ours, ".: 4 entries\ndir - wide/\nfile 5 wide/a.txt\nfile 5 wide/b7.txt\nfile 5 c/d7.txt", false},
		{"tree", checkTree, theirs, `[{"name":"c","type":"directory","children":[{"name":"d7.txt","type":"file"}]},{"name":"wide","type":"directory","children":[` +
			`{"name":"a.txt","type":"file"},{"name":"b7.txt","type":"file"}]}]`, true},
		{"tree, empty", checkTree, theirs, `[]`, false},
		{"search", search, ours, "2 paths in 3 files searched\nc/d7.txt\nwide/b7.txt", true},
		{"search", search, theirs, dir + "/c/d7.txt\n" + dir + "/wide/b7.txt", true},
		{"search, one less", search, theirs, dir + "/c/d7.txt", false},
		{"read", checkRead, ours, "header\n" + content(0, 0), true},
		{"read", checkRead, theirs, content(0, 0), true},
		{"read, an older file", checkRead, edited, content(0, 0), false},
		{"read, cut", checkRead, theirs, content(0, 0)[:100], false},
	} {
		if err := tc.check(tc.side, 0, tc.text); (err == nil) != tc.good {
			t.Errorf("%s of %s: %v", tc.name, tc.side.name, err)
		}
	}
}

// TestEdited: a tree without one of the edits must be rejected.
func TestEdited(t *testing.T) {
	s := &side{server: server{"ours", nil, &line.Our}, dir: t.TempDir(), at: []int{0, 2}}
	for i := range s.at {
		if err := write(filepath.Join(s.dir, fileName(i)), content(i, s.at[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
	s.at[1]++
	if err := s.check(); err == nil {
		t.Error("an edit that is not there is not missed")
	}
}

func TestQuantile(t *testing.T) {
	all := []time.Duration{5, 1, 4, 2, 3}
	if got := []time.Duration{quantile(all, 0), quantile(all, 0.5), quantile(all, 0.99)}; !slices.Equal(got, []time.Duration{1, 3, 5}) {
		t.Errorf("%v", got)
	}
}
