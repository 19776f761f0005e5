package dialect

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

func update(h ...patch.Hunk) patch.Section {
	return patch.Section{Op: patch.Update, Path: "f", Hunks: h}
}

func hunk(lines ...patch.Line) patch.Hunk { return patch.Hunk{Lines: lines} }

func anchored(how patch.How, anchor string, lines ...patch.Line) patch.Hunk {
	return patch.Hunk{Lines: lines, Anchors: []string{anchor}, How: how}
}

func atEnd(h patch.Hunk) patch.Hunk { h.AtEnd = true; return h }

func TestPrint(t *testing.T) {
	open := func(old, new bool, lines ...patch.Line) patch.Hunk {
		return patch.Hunk{Lines: lines, OldOpen: old, NewOpen: new}
	}
	add := func(content string) patch.Section { return patch.Section{Op: patch.Add, Path: "f", Content: content} }
	for _, tt := range []struct {
		name string
		d    *Dialect
		s    patch.Section
		want string // what stands below "*** Update File: f", or the whole section; "!" and words of a refusal
	}{
		{"a hunk", Emend, update(hunk(" a", "-b", "+c")), "@@\n a\n-b\n+c\n"},
		{"a hunk", Comma, update(hunk(" a", "-b", "+c")), "@@\n a\n-b\n+c\n"},
		{"a hunk", Codex, update(hunk(" a", "-b", "+c")), "@@\n a\n-b\n+c\n"},
		{"a hunk gains an anchor", Supyagent, update(hunk("+c", " a", "-b")), "@@ a\n+c\n a\n-b\n"},
		{"unless it is no anchor", Supyagent, update(hunk("-b "), hunk("-"), hunk("-a @@")), "@@\n-b \n@@\n-\n@@\n-a @@\n"},
		{"hunks without @@", Chimera, update(hunk("-a"), hunk("-b")), "-a\n@@\n-b\n"},
		{"blank context", Emend, update(patch.Hunk{Lines: []patch.Line{"-a", " "}, Blank: 1}), "@@\n-a\n \n"},

		{"an anchor", Emend, update(anchored(patch.Narrow, "f()", "-a")), "@@ f()\n-a\n"},
		{"narrow is not dropped", Comma, update(anchored(patch.Narrow, "f()", "-a")), `! comma cannot say what the anchor "f()" means`},
		{"narrow is not dropped", Chimera, update(anchored(patch.Narrow, "f()", "-a")), `! chimera cannot say what the anchor "f()" means`},
		{"nor seek", Comma, update(anchored(patch.Seek, "f()", "-a")), `! comma cannot say what the anchor "f()" means`},
		{"nor for additions at the end", Chimera, update(atEnd(anchored(patch.Seek, "f()", "+a"))), "! chimera cannot say that lines are added"},
		{"narrow is not sought", Codex, update(anchored(patch.Narrow, "f()", "-a")), `! codex cannot say what the anchor "f()" means`},
		{"narrow does not adjoin", Supyagent, update(anchored(patch.Narrow, "f()", "-a")), "! supyagent cannot say what"},
		{"additions depend on it", Comma, update(anchored(patch.Narrow, "f()", "+a")), `! comma cannot say that lines are added after "f()"`},
		{"additions depend on it", Chimera, update(anchored(patch.Seek, "f()", "+a")), "! chimera cannot say that lines are added"},
		{"seek narrows", Emend, update(anchored(patch.Seek, " f() ", "-a")), "@@ f()\n-a\n"},
		{"seek is not a header of a unified diff", Emend, update(anchored(patch.Seek, "-1 +1 @@ x", "-a")), "! cannot say the anchor"},
		{"seek", Codex, update(anchored(patch.Seek, " f()", "-a")), "@@  f()\n-a\n"},
		{"seek a blank line", Codex, update(anchored(patch.Seek, " ", "-a")), "! cannot say the anchor"},
		{"seek and add adjoins", Supyagent, update(anchored(patch.Seek, "f()", "+a")), "@@ f()\n+a\n"},
		{"seek does not", Supyagent, update(anchored(patch.Seek, "f()", "-a")), "! supyagent cannot say what"},
		{"adjoin", Supyagent, update(anchored(patch.Adjoin, "  f()", "-a")), "@@   f()\n-a\n"},
		{"adjoin an odd text", Supyagent, update(anchored(patch.Adjoin, "f @@", "-a")), "! cannot say the anchor"},
		{"adjoin becomes context", Emend, update(anchored(patch.Adjoin, "f()", "-a")), "@@\n f()\n-a\n"},
		{"adjoin becomes context", Chimera, update(anchored(patch.Adjoin, "f()", "+a")), " f()\n+a\n"},
		{"unless the block begins with it", Codex, update(anchored(patch.Adjoin, "a", "+x", "-a")), "@@\n+x\n-a\n"},
		{"stacked", Codex, update(patch.Hunk{Lines: []patch.Line{"-a"}, Anchors: []string{"a", "b"}, How: patch.Seek}), "! cannot say what"},

		{"the end of the file", Emend, update(atEnd(hunk("-a"))), "@@\n-a\n*** End of File\n"},
		{"additions there", Emend, update(atEnd(hunk("+a"))), "@@\n+a\n*** End of File\n"},
		{"additions there", Codex, update(atEnd(hunk("+a"))), "@@\n+a\n"},
		{"additions there", Chimera, update(atEnd(hunk("+a"))), "+a\n"},
		{"additions to an empty file", Codex, update(hunk("+a")), "@@\n+a\n"},
		{"the end of the file", Comma, update(atEnd(hunk("-a"))), "! comma cannot say that a hunk is at the end"},
		{"the end of the file", Chimera, update(atEnd(hunk("-a"))), "! chimera cannot say that a hunk is at the end"},
		{"the end of the file", Supyagent, update(atEnd(hunk("-a"))), "! supyagent cannot say that a hunk is at the end"},

		{"a missing newline", Comma, update(open(true, true, "-a", "+b")), "@@\n-a\n" + nonl + "\n+b\n" + nonl + "\n"},
		{"on both sides at once", Emend, update(open(true, true, "-a", " b")), "@@\n-a\n b\n" + nonl + "\n"},
		{"only afterwards", Emend, update(open(false, true, " a")), "@@\n-a\n+a\n" + nonl + "\n"},
		{"only before", Emend, update(open(true, false, " a")), "@@\n-a\n" + nonl + "\n+a\n"},
		{"afterwards, above a removed line", Emend, update(open(true, true, " a", "-b")), "@@\n-a\n-b\n" + nonl + "\n+a\n" + nonl + "\n"},
		{"with no line to say it of", Emend, update(open(false, true, "-a")), "! how the file ends"},
		{"a missing newline", Codex, update(open(false, true, "+a", "-b")), "! codex cannot say whether a file ends without a newline"},
		{"a missing newline", Chimera, update(open(true, true, "-a")), "! chimera cannot say whether"},

		{"a line that ends in CR", Emend, update(hunk("-a\r")), "@@\n-a\r\n"},
		{"a line of two", Emend, update(hunk("-a\nb")), "! a line that holds a newline"},
		{"a line with NUL", Emend, update(hunk("-\x00")), "! a line that holds a newline or a NUL"},
		{"a line without a mark", Emend, update(hunk("a")), "! which has no mark"},
		{"an empty line", Emend, update(hunk("")), "! which has no mark"},
		{"a hunk without lines", Emend, update(hunk()), "! a hunk without lines"},
		{"an update without hunks", Emend, update(), "! an update without hunks"},
		{"an update without hunks", Supyagent, update(), ""},

		{"added", Emend, add("a\nb\n"), "*** Add File: f\n+a\n+b\n"},
		{"added, empty last line", Comma, add("a\n\n"), "*** Add File: f\n+a\n+\n+\n"},
		{"added, no newline", Comma, add("a"), "*** Add File: f\n+a\n" + nonl + "\n"},
		{"added, a newline", Emend, add("\n"), "*** Add File: f\n+\n+\n"},
		{"added, nothing", Emend, add(""), "*** Add File: f\n"},
		{"added, a newline", Codex, add("\n"), "*** Add File: f\n+\n"},
		{"added, no newline", Codex, add("a"), "! codex cannot say a file that does not end in a newline"},
		{"added, no newline", Supyagent, add("a"), "! supyagent cannot say a file"},
		{"added, no newline", Chimera, add("a"), "*** Add File: f\n+a\n"},
		{"added, a newline", Chimera, add("a\n"), "*** Add File: f\n+a\n+\n"},
		{"added, with NUL", Chimera, add("\x00"), "! NUL byte"},

		{"a move", Emend, patch.Section{Op: patch.Move, Path: "a", To: "b"}, "*** Move File: a -> b\n"},
		{"a move of an arrow", Emend, patch.Section{Op: patch.Move, Path: "a -> b", To: "c"}, "*** Update File: a -> b\n*** Move to: c\n"},
		{"a move of half an arrow", Emend, patch.Section{Op: patch.Move, Path: "a ->", To: "c"}, "*** Update File: a ->\n*** Move to: c\n"},
		{"a move of an arrow", Comma, patch.Section{Op: patch.Move, Path: "a -> b", To: "c"}, `! comma cannot say a move of "a -> b" to "c"`},
		{"a move", Codex, patch.Section{Op: patch.Move, Path: "a", To: "b", Hunks: []patch.Hunk{hunk("-x")}}, "*** Update File: a\n*** Move to: b\n@@\n-x\n"},
		{"a move without hunks", Codex, patch.Section{Op: patch.Move, Path: "a", To: "b"}, "! codex cannot say a move without hunks"},
		{"a move", Supyagent, patch.Section{Op: patch.Move, Path: "a", To: "b"}, "! supyagent cannot say a move"},
		{"a move", Chimera, patch.Section{Op: patch.Move, Path: "a", To: "b"}, "! chimera cannot say a move"},
		{"a path of two lines", Emend, patch.Section{Op: patch.Delete, Path: "a\nb"}, "! the path"},
		{"a path with space around it", Emend, patch.Section{Op: patch.Delete, Path: " a"}, "! the path"},
		{"a path with space after it", Chimera, patch.Section{Op: patch.Delete, Path: "a "}, "! the path"},
		{"no path", Supyagent, patch.Section{Op: patch.Delete}, "! the path"},
		{"nothing to do", Emend, patch.Section{Path: "a"}, "! a section that does nothing"},
		{"a mode", Emend, patch.Section{Op: patch.Update, Path: "f", Mode: patch.Executable, Hunks: []patch.Hunk{hunk("-a")}}, "! whether a file is executable"},
		{"a new file with a mode", Codex, patch.Section{Op: patch.Add, Path: "f", Mode: patch.Executable, Content: "a\n"}, "! whether a file is executable"},
		{"a copy", Emend, patch.Section{Op: patch.Copy, Path: "a", To: "b"}, "! a copy"},
		{"additions at a number", Chimera, update(patch.Hunk{At: 1, Lines: []patch.Line{"+a"}}), "! that lines are added above line 1"},
		{"a delete with hunks", Emend, patch.Section{Op: patch.Delete, Path: "a", Hunks: []patch.Hunk{hunk("-a")}}, "! does not belong"},
	} {
		t.Run(tt.d.Name+" "+tt.name, func(t *testing.T) {
			got, err := tt.d.Print(patch.Patch{Sections: []patch.Section{tt.s}})
			if words, refuses := strings.CutPrefix(tt.want, "! "); refuses {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("got %q, %v; want a refusal that says %q", got, err, words)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if tt.s.Op == patch.Update {
				want = "*** Update File: f\n" + want
			}
			if tt.d != Supyagent {
				want = beginPatch + "\n" + want + endPatch + "\n"
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if _, err := tt.d.Parse(got, Options{}); err != nil {
				t.Errorf("what was printed does not read: %v", err)
			}
		})
	}
}

func TestPrintNamesThePlace(t *testing.T) {
	_, err := Comma.Print(patch.Patch{Sections: []patch.Section{{Op: patch.Delete, Path: "a"}, update(hunk("-a"), atEnd(hunk("-b")))}})
	e := refusal(t, err)
	if e.Kind != fail.CommandFailed || e.Reason != fail.BadArguments || e.Section != 2 || e.Path != "f" || e.Hunk != 2 {
		t.Errorf("%+v", e)
	}
	if _, err := Emend.Print(patch.Patch{}); err == nil {
		t.Error("a patch without sections was printed")
	}
	if _, err := Emend.Print(patch.Patch{Environment: "e", Sections: []patch.Section{{Op: patch.Delete, Path: "a"}}}); err == nil {
		t.Error("emend printed an environment")
	}
}

func TestPrintHunk(t *testing.T) {
	for _, tt := range []struct {
		d    *Dialect
		h    patch.Hunk
		want string
		ok   bool
	}{
		{Emend, anchored(patch.Narrow, "f", " a", "-b"), "@@ f\n a\n-b\n", true},
		{Chimera, hunk(" a", "-b"), "@@\n a\n-b\n", true},
		{Supyagent, hunk(" a", "-b"), "@@ a\n a\n-b\n", true},
		{Comma, atEnd(hunk("-b")), "", false},
	} {
		if got, ok := tt.d.PrintHunk(tt.h); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%s: %q, %v; want %q, %v", tt.d.Name, got, ok, tt.want, tt.ok)
		}
	}
}

// settled is p as Print settles it: see there for the three things that do not come back.
func settled(d *Dialect, p patch.Patch) patch.Patch {
	p.Sections = slices.Clone(p.Sections)
	for i := range p.Sections {
		s := &p.Sections[i]
		s.Line = 0
		s.Hunks = slices.Clone(s.Hunks)
		for k := range s.Hunks {
			h := &s.Hunks[k]
			h.Line, h.Blank = 0, 0
			first, ok := firstOld(h.Lines)
			if ok && h.How == patch.Adjoin && len(h.Anchors) == 1 && h.Anchors[0] == first {
				h.Anchors, h.How = nil, 0
			}
		}
	}
	return p
}

// comesBack checks that what d read comes back from its printer and that whatever another dialect prints of it is
// read by that dialect.
func comesBack(d *Dialect, p patch.Patch) error {
	text, err := d.Print(p)
	if err != nil && d == Codex && strings.Contains(fmt.Sprint(p), "\r") {
		return nil // read from a line that ended in two, of which one was dropped
	}
	if err != nil {
		return fmt.Errorf("%s read it and cannot say it: %w", d.Name, err)
	}
	again, err := d.Parse(text, Options{})
	if err != nil {
		return fmt.Errorf("%s printed %q and does not read it: %w", d.Name, text, err)
	}
	if a, b := settled(d, p), settled(d, again.Patch); !reflect.DeepEqual(a, b) {
		return fmt.Errorf("%s\n%s\nprinted as\n%s\ncame back as\n%s", d.Name, show(a), text, show(b))
	}
	for _, other := range All {
		text, err := other.Print(p)
		if err != nil {
			var e *fail.Error
			if !errors.As(err, &e) || e.Kind != fail.CommandFailed || e.Reason != fail.BadArguments {
				return fmt.Errorf("%s refused with %v", other.Name, err)
			}
			continue
		}
		got, err := other.Parse(text, Options{})
		if err != nil {
			return fmt.Errorf("%s printed %q and does not read it: %w", other.Name, text, err)
		}
		if a, b := effectIn(other, p), effectIn(other, got.Patch); a != b {
			return fmt.Errorf("%s said\n%s\nas\n%s", other.Name, a, b)
		}
	}
	return nil
}

// effectIn is the effect of p as d can say it: a block shows both sides of a change, and not which lines of them go and come.
func effectIn(d *Dialect, p patch.Patch) string {
	if d != SearchReplace {
		return effect(p)
	}
	var b strings.Builder
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "%s %q %q\n", s.Op, s.Path, s.Content)
		for _, h := range s.Hunks {
			fmt.Fprintf(&b, "%q %q\n", h.Old(), h.New())
		}
	}
	return b.String()
}

// effect is what must not change when a patch is said in another dialect: operations, paths, contents, and the
// lines that come and go.
func effect(p patch.Patch) string {
	var b strings.Builder
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "%s %q %q %q\n", s.Op, s.Path, s.To, s.Content)
		for _, h := range s.Hunks {
			fmt.Fprintf(&b, " open %v %v", h.OldOpen, h.NewOpen)
			for _, l := range h.Lines {
				if l.Mark() != ' ' {
					fmt.Fprintf(&b, " %q", string(l))
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestExamplesComeBack(t *testing.T) {
	for _, text := range examples(t) {
		for _, d := range All {
			if got, err := d.Parse(text, Options{}); err == nil {
				if err := comesBack(d, got.Patch); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// Values that no parser made: whatever is printed reads back as it is, or is refused.
func TestPrintNeverMisleads(t *testing.T) {
	printed := map[string]int{}
	for seed := range uint64(10_000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := randomPatch(rng)
		for _, d := range All {
			text, err := d.Print(p)
			if err != nil {
				continue
			}
			printed[d.Name]++
			got, err := d.Parse(text, Options{})
			if err != nil {
				t.Fatalf("seed %d: %s printed %q and does not read it: %v", seed, d.Name, text, err)
			}
			if err := comesBack(d, got.Patch); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if a, b := moved(effectIn(d, p)), moved(effectIn(d, got.Patch)); a != b {
				t.Fatalf("seed %d: %s said\n%s\nas\n%s\nin\n%s", seed, d.Name, a, b, text)
			}
		}
	}
	for _, d := range All {
		if printed[d.Name] < 300 {
			t.Errorf("%s printed only %d of the patches: the test shows little", d.Name, printed[d.Name])
		}
	}
}

// moved is an effect without the lines of hunks whose markers were made sayable by removing and adding a line.
func moved(effect string) string {
	lines := strings.Split(effect, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, " open") && strings.Contains(l, "true") {
			lines[i] = " open"
		}
	}
	return strings.Join(lines, "\n")
}

func randomPatch(rng *rand.Rand) patch.Patch {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	path := func() string {
		return pick("a", "b/c", "a", "b", "d e", "a -> b", " a", "a ", "->", "-> b", "a\r", "", "a\nb", "*** End Patch", "f")
	}
	body := func() string {
		return pick("", "a", "b", "  a", "a ", "b\r", "*** End Patch", "@@", "@@ x", "x @@", nonl, "*** End of File", "-", "+", "\\", "é")
	}
	var p patch.Patch
	for range 1 + rng.IntN(2) {
		s := patch.Section{Op: patch.Op(1 + rng.IntN(4)), Path: path()}
		switch s.Op {
		case patch.Add:
			for range rng.IntN(4) {
				s.Content += body() + "\n"
			}
			if rng.IntN(3) == 0 {
				s.Content += body()
			}
		case patch.Move:
			s.To = path()
		}
		for range rng.IntN(3) {
			if s.Op != patch.Update && s.Op != patch.Move {
				break
			}
			h := patch.Hunk{AtEnd: rng.IntN(6) == 0, OldOpen: rng.IntN(6) == 0, NewOpen: rng.IntN(6) == 0}
			for range rng.IntN(5) {
				h.Lines = append(h.Lines, patch.Line(pick(" ", "-", "+")+body()))
			}
			for range max(0, rng.IntN(5)-2) {
				h.Anchors = append(h.Anchors, body())
				h.How = patch.How(rng.IntN(3))
			}
			s.Hunks = append(s.Hunks, h)
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}
