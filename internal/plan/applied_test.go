package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// five is a patch of every kind of section, fiveBefore what it is for.
var (
	five = envelope("*** Add File: new", "+n",
		"*** Update File: up", "@@", " a", "-b", "+B", " c", "@@", " x", "-y", " z",
		"*** Delete File: del",
		"*** Move File: from -> to",
		"*** Update File: old", "*** Move to: moved", "@@", " 1", "-2", "+II", " 3")
	fiveBefore = Memory{"up": "a\nb\nc\nd\nx\ny\nz\n", "del": "gone\n", "from": "same\n", "old": "0\n1\n2\n3\n4\n", "dir/keep": ""}
	fiveHashes = map[string]string{"new": "", "up": text.Sum(fiveBefore["up"]), "del": text.Sum("gone\n"), "from": text.Sum("same\n"), "old": text.Sum(fiveBefore["old"])}
)

// applying is tree with p applied.
func applying(p *Plan, tree Memory) Memory {
	out := maps.Clone(tree)
	for _, s := range p.Steps {
		switch s.Op {
		case patch.Delete:
			delete(out, s.Path)
		case patch.Move:
			delete(out, s.Path)
			out[s.To] = s.After
		default:
			out[s.Path] = s.After
		}
	}
	return out
}

// told is what an idempotent plan does and leaves out: "up[0 1] -new", or the kinds of its refusals.
func told(p *Plan, err error) string {
	var out []string
	if err != nil {
		for _, e := range fail.All(err) {
			out = append(out, "!"+string(e.Kind))
		}
		return strings.Join(out, " ")
	}
	for _, s := range p.Steps {
		out = append(out, s.Writes)
	}
	for _, s := range p.Skipped {
		out = append(out, "-"+s.Path)
		if s.Hunks != nil {
			out = append(out, fmt.Sprint(s.Hunks))
		}
	}
	return strings.Join(out, " ")
}

// TestRetry: a whole patch that is sent again does nothing, with the hashes that its sender knows and without; and where
// nothing of it was applied, all of it is.
func TestRetry(t *testing.T) {
	for _, expect := range []map[string]string{nil, fiveHashes} {
		first, err := build(t, "emend", five, fiveBefore, Options{Expect: expect, Idempotent: true})
		if err != nil || first.Skipped != nil || len(first.Steps) != 5 {
			t.Fatalf("the first time: %s", told(first, err))
		}
		tree := applying(first, fiveBefore)
		again, err := build(t, "emend", five, tree, Options{Expect: expect, Idempotent: true})
		if want := "-new -up [0 1] -del -from -old [0]"; told(again, err) != want || !again.Applied() {
			t.Errorf("again: %s", told(again, err))
		}
		_, err = build(t, "emend", five, tree, Options{Expect: expect})
		all := fail.All(err)
		if slices.ContainsFunc(all, func(e *fail.Error) bool { return !e.Already }) || !strings.HasPrefix(all[0].Msg, "the whole patch is already applied") {
			t.Errorf("without the setting: %v", err)
		}
	}
}

// TestPartly: of every single section of the five that is taken back, and of every single one that is left.
func TestPartly(t *testing.T) {
	first, err := build(t, "emend", five, fiveBefore, Options{})
	if err != nil {
		t.Fatal(err)
	}
	done := applying(first, fiveBefore)
	only := func(tree, from Memory, paths ...string) Memory {
		out := maps.Clone(tree)
		for _, p := range paths {
			delete(out, p)
			if data, ok := from[p]; ok {
				out[p] = data
			}
		}
		return out
	}
	tests := []struct {
		paths            []string
		back             string // with the section taken back, and the rest applied
		left, leftNoHash string // with it applied, and the rest not
		backHash         string // as back, with hashes
	}{
		{[]string{"new"}, "!not_found !not_found", "up del to moved -new", "up del to moved -new", "new -up [0 1] -del -from -old [0]"},
		{[]string{"up"}, "!not_found !not_found", "new del to moved -up [0 1]", "new del to moved -up [0 1]", "up -new -del -from -old [0]"},
		{[]string{"del"}, "!not_found", "new up to moved -del", "!not_found", "del -new -up [0 1] -from -old [0]"},
		{[]string{"from", "to"}, "!not_found", "new up del moved -from", "!not_found", "to -new -up [0 1] -del -old [0]"},
		{[]string{"old", "moved"}, "!not_found !not_found", "new up del to -old [0]", "new up del to -old [0]", "moved -new -up [0 1] -del -from"},
	}
	for _, tt := range tests {
		back, left := only(done, fiveBefore, tt.paths...), only(fiveBefore, done, tt.paths...)
		for _, row := range []struct {
			tree   Memory
			expect map[string]string
			want   string
		}{{back, nil, tt.back}, {back, fiveHashes, tt.backHash}, {left, fiveHashes, tt.left}, {left, nil, tt.leftNoHash}} {
			p, err := build(t, "emend", five, row.tree, Options{Idempotent: true, Expect: row.expect})
			if got := told(p, err); got != row.want {
				t.Errorf("%q, hashes %t: %s, want %s", tt.paths, row.expect != nil, got, row.want)
			}
			if err == nil && !maps.Equal(applying(p, row.tree), done) {
				t.Errorf("%q: %q", tt.paths, applying(p, row.tree))
			}
		}
	}
}

func TestApplied(t *testing.T) {
	up := func(path string, lines ...string) []string {
		return append([]string{"*** Update File: " + path, "@@"}, lines...)
	}
	change := up("f", " a", "-b", "+B", " c")
	f := "a\nB\nc\nd\n"
	tests := []struct {
		name, dialect string
		tree          Memory
		lines         []string
		expect        map[string]string
		want          string
	}{
		{"a section", "emend", Memory{"f": f}, change, nil, "-f [0]"},
		{"a hash from before", "emend", Memory{"f": f}, change, map[string]string{"f": text.Sum("a\nb\nc\nd\n")}, "-f [0]"},
		{"a hash from before, and one hunk to do", "emend", Memory{"f": "a\nB\nc\nd\ne\n"}, append(slices.Clone(change), "@@", " d", "-e", "+E"),
			map[string]string{"f": text.Sum("x")}, "!stale_file"},
		{"a hash of now, and one hunk to do", "emend", Memory{"f": "a\nB\nc\nd\ne\n"}, append(slices.Clone(change), "@@", " d", "-e", "+E"),
			map[string]string{"f": text.Sum("a\nB\nc\nd\ne\n")}, "f -f [0]"},
		{"a hash of now: what the edge has is no repetition", "emend", Memory{"f": f}, up("f", " c", "+d"), map[string]string{"f": text.Sum(f)}, "!patch_apply_error"},
		{"a hash of now: what the edge has is to be added once more", "emend", Memory{"f": f}, up("f", " c", "+d", " d"), map[string]string{"f": text.Sum(f)}, "f"},
		{"what the edge has", "emend", Memory{"f": f}, up("f", " c", "+d"), nil, "-f [0]"},
		{"what the edge has, after a change since", "emend", Memory{"f": f}, up("f", " c", "+d"), map[string]string{"f": text.Sum("x")}, "-f [0]"},
		{"a hash, and another change since", "emend", Memory{"f": "a\nb\nc\nx\n"}, change, map[string]string{"f": text.Sum("x")}, "!stale_file"},
		{"a file with other bytes", "emend", Memory{"n": "y\n"}, []string{"*** Add File: n", "+x"}, nil, "!already_exists"},
		{"a file with as many other bytes", "emend", Memory{"n": "x\r"}, []string{"*** Add File: n", "+x"}, nil, "!already_exists"},
		{"a directory", "emend", Memory{"n/x": ""}, []string{"*** Add File: n", "+x"}, nil, "!already_exists"},
		{"a file that is replaced by itself", "codex", Memory{"n": "x\n"}, []string{"*** Add File: n", "+x"}, nil, "-n"},
		{"a file that is replaced", "codex", Memory{"n": "y\n"}, []string{"*** Add File: n", "+x"}, nil, "n"},
		{"nothing but a deletion", "emend", Memory{}, []string{"*** Delete File: f"}, nil, "!not_found"},
		{"nothing but a deletion, with a hash", "emend", Memory{}, []string{"*** Delete File: f"}, map[string]string{"f": text.Sum("x")}, "-f"},
		{"a deletion of what has changed", "emend", Memory{"f": f}, []string{"*** Delete File: f"}, map[string]string{"f": text.Sum("x")}, "!stale_file"},
		{"nothing but a move", "emend", Memory{"g": f}, []string{"*** Move File: f -> g"}, nil, "!not_found"},
		{"nothing but a move, with a hash", "emend", Memory{"g": f}, []string{"*** Move File: f -> g"}, map[string]string{"f": text.Sum(f)}, "-f"},
		{"a move to what is something else", "emend", Memory{"g": f}, []string{"*** Move File: f -> g"}, map[string]string{"f": text.Sum("x")}, "!stale_file"},
		{"a move to nowhere", "emend", Memory{"n": "x\n"}, []string{"*** Move File: f -> g", "*** Add File: n", "+x"}, nil, "!not_found"},
		{"a move of a missing file, and something to do", "emend", Memory{"g": "g"}, []string{"*** Move File: f -> g", "*** Add File: n", "+x"}, nil, "!not_found"},
		{"a deletion of a missing file, and something to do", "emend", Memory{"f": "a\nb\nc\n"}, append([]string{"*** Delete File: g"}, change...), nil, "!not_found"},
		{"a move, deletion and nothing that proves them", "emend", Memory{"g": "g"}, []string{"*** Move File: f -> g", "*** Delete File: h"}, nil, "!not_found !not_found"},
		{"a move with a hunk that the destination has not", "emend", Memory{"g": "x\n"}, []string{"*** Update File: f", "*** Move to: g", "@@", " a", "-b", "+B", " c"}, nil, "!not_found"},
		{"a move with its hunk applied where it was", "emend", Memory{"f": f}, []string{"*** Update File: f", "*** Move to: g", "@@", " a", "-b", "+B", " c"}, nil, "g -f [0]"},
		{"a file that is both made and moved to", "emend", Memory{"g": "g\n"}, []string{"*** Move File: f -> g", "*** Add File: g", "+g"}, nil, "!not_found !patch_apply_error"},
		{"one path twice", "emend", Memory{"f": f}, append(slices.Clone(change), up("./f", " a", "-b", "+B", " c")...), nil, "!patch_apply_error"},
		{"one path twice, in order", "codex", Memory{"f": f}, append(slices.Clone(change), up("f", " c", "-x", "+d")...), nil, "-f [0] -f [0]"},
		{"what an earlier section wrote", "codex", Memory{"f": "a\nb\nc\nd\n"}, append(slices.Clone(change), change...), nil, "!patch_apply_error"},
		{"what an earlier section made", "codex", Memory{}, append([]string{"*** Add File: f", "+a", "+B", "+c"}, change...), nil, "!patch_apply_error"},
		{"what an earlier section deleted", "codex", Memory{"f": "x\n"}, []string{"*** Delete File: f", "*** Delete File: f"}, nil, "!not_found"},
		{"what an earlier section deleted, with a hash", "codex", Memory{"f": "x\n"}, []string{"*** Delete File: f", "*** Delete File: f"},
			map[string]string{"f": text.Sum("x\n")}, "!stale_file"},
		{"a binary file", "emend", Memory{"f": "a\nB\nc\n\x00"}, change, map[string]string{"f": text.Sum("x")}, "!stale_file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := build(t, tt.dialect, envelope(tt.lines...), tt.tree, Options{Expect: tt.expect, Idempotent: true})
			if got := told(p, err); got != tt.want {
				t.Errorf("%s, want %s (%v)", got, tt.want, err)
			}
		})
	}
}

// TestAppliedTold: without the setting what is applied stays refused, by the same kind, and says so.
func TestAppliedTold(t *testing.T) {
	text := envelope("*** Add File: n", "+x", "*** Update File: f", "@@", " a", "-b", "+B", " c", "@@", " d", "-e", "+E", "*** Delete File: gone")
	_, err := build(t, "emend", text, Memory{"n": "x\n", "f": "a\nB\nc\nd\ne\n"}, Options{})
	all := fail.All(err)
	want := []struct {
		kind    fail.Kind
		already bool
		msg     string
	}{{fail.AlreadyExists, true, "(the section is already applied)"}, {fail.PatchApply, true, "(the hunk is already applied)"}, {fail.NotFound, false, "no such file to delete"}}
	if len(all) != len(want) {
		t.Fatalf("%v", err)
	}
	for i, w := range want {
		e := all[i]
		if e.Kind != w.kind || e.Already != w.already || !strings.HasSuffix(e.Msg, w.msg) || strings.Contains(e.Hint, "‹idempotent:") != w.already {
			t.Errorf("%d: %+v, want %+v", i, e, w)
		}
	}
}
