package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/hunktest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Sections of one path apply in order, until they have read too much of what those before them left.
func TestRereads(t *testing.T) {
	section := func(old, now string) patch.Section {
		return patch.Section{Op: patch.Update, Path: "f", Hunks: []patch.Hunk{{Lines: []patch.Line{patch.Line("-" + old), patch.Line("+" + now)}}}}
	}
	p := patch.Patch{Sections: []patch.Section{section("a", "b"), section("b", "c"), section("c", "d")}}
	for left, want := range map[int]error{4: nil, 3: fail.CommandFailed} {
		b := newBuilder(t.Context(), dialect.Codex.Rules(dialect.Options{}), Memory{"f": "a\n"}, Options{})
		b.rereads = left
		if _, err := b.build(p); !errors.Is(err, want) {
			t.Errorf("%d bytes may be read: %v", left, err)
		}
	}
}

// build parses text in the named dialect and plans it on tree.
func build(t *testing.T, name, text string, tree Memory, o Options) (*Plan, error) {
	t.Helper()
	d, ok := dialect.Named(name)
	if !ok {
		t.Fatalf("no dialect %s", name)
	}
	p, err := d.Parse(text, dialect.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return Build(t.Context(), p.Patch, d.Rules(dialect.Options{}), tree, o)
}

func envelope(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

// after applies the steps of p to a copy of tree.
func after(p *Plan, tree Memory) string {
	out := Memory{}
	maps.Copy(out, tree)
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
	var list []string
	for name, data := range out {
		list = append(list, fmt.Sprintf("%s=%q", name, data))
	}
	for i := range list { // few: sorted by hand
		for j := i + 1; j < len(list); j++ {
			if list[j] < list[i] {
				list[i], list[j] = list[j], list[i]
			}
		}
	}
	return strings.Join(list, " ")
}

func TestBuild(t *testing.T) {
	tree := Memory{"a": "1\n2\n", "b": "x\n", "d/c": "y\n", "bin": "\x00\x01"}
	sumA := text.Sum("1\n2\n")
	tests := []struct {
		name, dialect, text string
		expect              map[string]string
		want                string // the tree, or "!kind reason, kind reason"
	}{
		{name: "several files", dialect: "comma", text: envelope("*** Update File: a", "@@", "-1", "+I", "*** Delete File: b", "*** Add File: n", "+new"),
			want: `a="I\n2\n" bin="\x00\x01" d/c="y\n" n="new\n"`},
		{name: "every failure", dialect: "comma", text: envelope("*** Update File: a", "@@", "-9", "*** Delete File: z", "*** Add File: b", "+x", "*** Add File: e/f", "+x"),
			want: "!patch_apply_error context_not_found, not_found, already_exists, not_found"},
		{name: "one path twice", dialect: "emend", text: envelope("*** Update File: a", "@@", "-1", "+I", "*** Delete File: ./a"),
			want: "!patch_apply_error duplicate_path"},
		{name: "one path twice, in order", dialect: "codex", text: envelope("*** Update File: a", "@@", "-1", "+I", "*** Update File: ./a", "@@", "-I", "+J"),
			want: `a="J\n2\n" b="x\n" bin="\x00\x01" d/c="y\n"`},
		{name: "delete, then add", dialect: "codex", text: envelope("*** Delete File: a", "*** Add File: a", "+new"),
			want: `a="new\n" b="x\n" bin="\x00\x01" d/c="y\n"`},
		{name: "add, then update", dialect: "codex", text: envelope("*** Add File: q/n", "+one", "*** Update File: q/n", "@@", "-one", "+two"),
			want: `a="1\n2\n" b="x\n" bin="\x00\x01" d/c="y\n" q/n="two\n"`},
		{name: "move", dialect: "emend", text: envelope("*** Move File: a -> d/a"),
			want: `b="x\n" bin="\x00\x01" d/a="1\n2\n" d/c="y\n"`},
		{name: "move and edit", dialect: "emend", text: envelope("*** Update File: a", "*** Move to: a2", "@@", "-1", "+I"),
			want: `a2="I\n2\n" b="x\n" bin="\x00\x01" d/c="y\n"`},
		{name: "move onto itself", dialect: "emend", text: envelope("*** Move File: a -> ./a"), want: "!command_failed same_path"},
		{name: "move onto itself in codex", dialect: "codex", text: envelope("*** Update File: a", "*** Move to: ./a", "@@", "-1", "+I"),
			want: `a="I\n2\n" b="x\n" bin="\x00\x01" d/c="y\n"`},
		{name: "move over another", dialect: "emend", text: envelope("*** Move File: a -> b"), want: "!already_exists"},
		{name: "move over another in codex", dialect: "codex", text: envelope("*** Update File: a", "*** Move to: b", "@@", "-1", "+I"),
			want: `b="I\n2\n" bin="\x00\x01" d/c="y\n"`},
		{name: "move a binary file", dialect: "emend", text: envelope("*** Move File: bin -> bin2"),
			want: `a="1\n2\n" b="x\n" bin2="\x00\x01" d/c="y\n"`},
		{name: "update a binary file", dialect: "emend", text: envelope("*** Update File: bin", "@@", "-x"), want: "!binary_file"},
		{name: "delete a binary file", dialect: "emend", text: envelope("*** Delete File: bin"), want: `a="1\n2\n" b="x\n" d/c="y\n"`},
		{name: "a directory", dialect: "emend", text: envelope("*** Delete File: d"), want: "!not_found special_file"},
		{name: "no parent", dialect: "emend", text: envelope("*** Add File: e/f", "+x"), want: "!not_found"},
		{name: "parents made", dialect: "chimera", text: envelope("*** Add File: e/f", "+x"), want: `a="1\n2\n" b="x\n" bin="\x00\x01" d/c="y\n" e/f="x"`},
		{name: "a file where a directory is needed", dialect: "codex", text: envelope("*** Add File: e", "+x", "*** Add File: e/f", "+x"), want: "!command_failed bad_arguments"},
		{name: "add over a file", dialect: "codex", text: envelope("*** Add File: b", "+n"), want: `a="1\n2\n" b="n\n" bin="\x00\x01" d/c="y\n"`},
		{name: "expected hash", dialect: "comma", expect: map[string]string{"a": sumA, "zzz": "whatever"}, text: envelope("*** Delete File: a"),
			want: `b="x\n" bin="\x00\x01" d/c="y\n"`},
		{name: "another hash", dialect: "comma", expect: map[string]string{"a": text.Sum("")}, text: envelope("*** Delete File: a"), want: "!stale_file"},
		{name: "ill-formed hash", dialect: "comma", expect: map[string]string{"a": "abc"}, text: envelope("*** Delete File: a"), want: "!stale_file"},
		{name: "hash of a file that is gone", dialect: "comma", expect: map[string]string{"z": sumA}, text: envelope("*** Delete File: z"), want: "!stale_file"},
		{name: "absence asserted", dialect: "comma", expect: map[string]string{"n": ""}, text: envelope("*** Add File: n", "+x"),
			want: `a="1\n2\n" b="x\n" bin="\x00\x01" d/c="y\n" n="x\n"`},
		{name: "absence asserted, but there", dialect: "codex", expect: map[string]string{"a": ""}, text: envelope("*** Add File: a", "+x"), want: "!already_exists"},
		{name: "add with a hash", dialect: "comma", expect: map[string]string{"n": sumA}, text: envelope("*** Add File: n", "+x"), want: "!stale_file"},
		{name: "hash of a move's source", dialect: "comma", expect: map[string]string{"a": text.Sum("")}, text: envelope("*** Move File: a -> n"), want: "!stale_file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := build(t, tt.dialect, tt.text, tree, Options{Expect: tt.expect})
			got := ""
			if err != nil {
				var kinds []string
				for _, e := range fail.All(err) {
					kinds = append(kinds, strings.TrimSpace(string(e.Kind)+" "+e.Reason))
				}
				got = "!" + strings.Join(kinds, ", ")
			} else {
				got = after(p, tree)
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestManySections(t *testing.T) {
	var lines []string
	for i := range 100_000 {
		lines = append(lines, fmt.Sprintf("*** Add File: f%d", i), "+x")
	}
	p, err := build(t, "emend", envelope(lines...), Memory{}, Options{})
	if err != nil || len(p.Steps) != 100_000 {
		t.Fatalf("err = %v", err)
	}
	_, err = build(t, "emend", envelope(append(lines, "*** Add File: f7", "+x")...), Memory{}, Options{})
	if errs := fail.All(err); len(errs) != 1 || errs[0].Reason != fail.DuplicatePath {
		t.Errorf("err = %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Build(ctx, patch.Patch{Sections: []patch.Section{{Op: patch.Delete, Path: "a"}}}, dialect.Rules{}, Memory{"a": ""}, Options{})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, fail.CommandFailed) {
		t.Errorf("err = %v", err)
	}
}

// TestCRInside: a CR inside of an added line cuts it in two, and a CR never joins a LF behind it that is another line's.
func TestCRInside(t *testing.T) {
	tests := []struct {
		file  string
		hunk  []string
		want  string
		edits []text.Change
	}{
		{"a\rb\n", []string{" a", "-b", "+"}, "a\r\r\n", []text.Change{{A0: 1, A1: 2, B0: 1, B1: 2}}},
		{"a\rb\n\n", []string{" a", "-b"}, "a\r\r\n", []text.Change{{A0: 1, A1: 3, B0: 1, B1: 2}}},
		{"a\rb\rc\n\nd\n", []string{"-b", "-c", "-", "+x", "+"}, "a\rx\r\r\nd\n", []text.Change{{A0: 1, A1: 4, B0: 1, B1: 3}}},
		{"a\nb\n", []string{"-a", "+x\ry", "+"}, "x\ry\n\nb\n", []text.Change{{A0: 0, A1: 1, B0: 0, B1: 3}}},
		{"a\r", []string{"-a", "+x\r", "+y"}, "x\r\ry\r", []text.Change{{A0: 0, A1: 1, B0: 0, B1: 3}}},
		{"a\n", []string{"-a", "+x\r"}, "x\r\n", []text.Change{{A0: 0, A1: 1, B0: 0, B1: 1}}},
		{"a\n", []string{"-a", "+\ufeffx\ry"}, "\ufeffx\ry\n", []text.Change{{A0: 0, A1: 1, B0: 0, B1: 2}}},
	}
	for _, tt := range tests {
		p, err := build(t, "emend", envelope(append([]string{"*** Update File: f", "@@"}, tt.hunk...)...), Memory{"f": tt.file}, Options{})
		if err != nil {
			t.Errorf("%q in %q: %v", tt.hunk, tt.file, err)
			continue
		}
		if got := p.Steps[0]; got.After != tt.want || !slices.Equal(got.Edits, tt.edits) {
			t.Errorf("%q in %q: %q with edits %v, want %q with %v", tt.hunk, tt.file, got.After, got.Edits, tt.want, tt.edits)
		}
	}
}

// FuzzBuild: whatever a patch says, planning it neither panics nor fails for no reason, and outside of the edits
// that it reports every byte of the file is kept.
func FuzzBuild(f *testing.F) {
	f.Add(envelope("*** Update File: f", "@@ a", " a", "-b", "+c", "\\ No newline at end of file"), "a\r\nb")
	f.Add(envelope("*** Update File: f", "@@", "-a", "+b", "@@", "-b", "*** Move File: g -> h"), "a\nb\n")
	f.Add(envelope("*** Update File: f", " a", "+b", "", "*** Delete File: f"), "\ufeffa\rb\n\n")
	f.Add("*** Update File: f\n@@ a\n-b\n+c\n", "a\n  b\n")
	f.Add(envelope("*** Update File: f", "@@", "+x", "*** End of File"), "a")
	f.Add(envelope("*** Update File: f", "@@", " a", "+\rxy"), "a")
	f.Add(envelope("*** Update File: f", "@@", " a", "-b", "+"), "a\rb\n")
	f.Fuzz(func(t *testing.T, patchText, file string) {
		for _, d := range dialect.All {
			for _, o := range []dialect.Options{{}, {Lenient: true}} {
				parsed, err := d.Parse(patchText, o)
				if err != nil {
					continue
				}
				show := func(h patch.Hunk) (string, bool) { return d.PrintHunk(h) }
				p, err := Build(t.Context(), parsed.Patch, d.Rules(o), Memory{"f": file, "g": file}, Options{Print: show})
				if err != nil {
					for _, e := range fail.All(err) {
						if e.Kind == fail.Unknown || e.Msg == "" {
							t.Fatalf("%s: %#v", d.Name, e)
						}
					}
					continue
				}
				for _, s := range p.Steps {
					if s.Op == patch.Update || s.Op == patch.Move {
						checkStep(t, d, &s)
					}
				}
			}
		}
	})
}

func checkStep(t *testing.T, d *dialect.Dialect, s *Step) {
	t.Helper()
	hunktest.CheckEdits(t, s.Before, s.After, s.Edits, s.Bytes)
	a, b := text.Split(s.Before), text.Split(s.After)
	if a.HasBOM() && !b.HasBOM() {
		t.Fatalf("%s: the BOM of %q is gone from %q", d.Name, s.Before, s.After)
	}
	for _, h := range s.Hunks {
		if h.Line < 1 || h.Line > a.Len()+1 || h.Rung == 0 {
			t.Fatalf("%s: a hunk landed on %+v in %d lines", d.Name, h, a.Len())
		}
	}
}

// TestSwapped: hunks that stand under each other's headers get no correction, however much the files are alike.
func TestSwapped(t *testing.T) {
	files := Memory{"v1": "package one\n\n// generated by a tool\n// of the first kind\n", "v2": "package two\n\n// generated by a tool\n// of the second kind\n"}
	section := func(path, kind string) []string {
		return []string{"*** Update File: " + path, "@@", " // generated by a tool", "+// and more", " // of the " + kind + " kind"}
	}
	for _, tt := range []struct {
		first, second string
		offered       int
	}{{"second", "first", 0}, {"other", "second", 1}} {
		_, err := build(t, "emend", envelope(append(section("v1", tt.first), section("v2", tt.second)...)...), files,
			Options{Print: func(patch.Hunk) (string, bool) { return "shown", true }})
		offered := 0
		for _, e := range fail.All(err) {
			if e.Nearest != nil && e.Nearest.Corrected != "" {
				offered++
			}
		}
		if offered != tt.offered {
			t.Errorf("%s and %s: %d hunks have a correction, want %d: %v", tt.first, tt.second, offered, tt.offered, err)
		}
	}
}

// TestOtherCase: a move onto the same file is refused if the names differ in case only, and means another file otherwise.
func TestOtherCase(t *testing.T) {
	for _, c := range []struct {
		from, to string
		same     bool
		refused  bool
	}{
		{"dir/readme.md", "dir/README.md", true, true},
		{"dir/readme.md", "dir/README.md", false, false}, // two files, where names differ by case
		{"dir/readme.md", "dir/other.md", true, false},   // a second name of the file
	} {
		from, to := File{Rel: c.from, Kind: Regular, Inode: 1}, File{Rel: c.to, Kind: Regular, Inode: 2}
		if c.same {
			to.Inode = 1
		}
		err := OtherCase(from, to)
		if (err != nil) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
