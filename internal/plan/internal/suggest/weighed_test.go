package suggest

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/hunktest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// TestWeighed: what is offered for a hunk of which much is not in the file, and what is not.
func TestWeighed(t *testing.T) {
	file := []string{
		"func first(a int) int {", "\tstart := begin(a)", "\tlog(start)", "\treturn start", "}", "",
		"func second(b int) int {", "\tleft := begin(b)", "\tright := end(b)", "\treturn left + right", "}", "",
		"func third(c int) int {", "\treturn c", "}", "+more() {",
	}
	for _, tt := range []struct {
		name string
		hunk []string
		want string // the corrected lines that are added or removed; "" if none is offered
		hint string
	}{
		{"context that is nowhere, around a line that is here only", []string{" invented := line(1)", " another := invented", "-\tright := end(b)", "+\tright := end(b) + 1", " and(more)", " of(it)"},
			"-\tright := end(b)|+\tright := end(b) + 1", ""},
		{"an addition beside invented context, and a replacement that is here only", []string{" invented := line(1)", "+\tmore()", " another := invented", "-\tright := end(b)", "+\tright := end(b) + 1", " and(more)"}, "", ""},
		{"an addition beside a bracket that has no line with words beside it", []string{" \treturn c + 1", " }", "+more()", " invented(line)", "-\tright := end(b)", "+\tright := end(b) + 1", " and(more)"}, "", ""},
		{"an added line that is context without its mark", []string{" \treturn start", "+more() {", " }", " func second(b int) int {", "-\tleft := begin(b)", "+\tleft := begin(b) + 1"}, "", "lost the space"},
		{"an added line below a blank one that is not there", []string{" ", " func first(a int) int {", " \tstart := begin(a)", "+\tmore()", " \tlog(start)"}, "", ""},
		{"context of another place, around a line that is here only", []string{" func first(a int) int {", " \tstart := begin(a)", " \tlog(start)", "-\tright := end(b)", "+\tright := end(b) + 1"}, "", ""},
		{"a mistake in context and in a removed line", []string{" func second(b int) int {", "-\tleft := begn(b)", "+\tleft := begin(b) + 2", " \tright := edn(b)", " \treturn left + right"},
			"-\tleft := begin(b)|+\tleft := begin(b) + 2", ""},
		{"an added line among lines of which one is elsewhere", []string{" func second(b int) int {", " \tleft := begin(b)", " \tlog(start)", "+\tmore()", " \treturn left + right"}, "", "away from its other lines"},
		{"an added line below a bracket that is not there", []string{" \tright := end(b)", " \treturn left + right", "+\tmore()", " }}"}, "", ""},
		{"a removed line that has no words, and another that is not there", []string{" \treturn c", "-}", "+} // third", " invented(line)"}, "", "have no words"},
		{"a line that is here once and in the hunk twice", []string{" \tlog(start)", " \tstart := begin(a)", " \tlog(start)", "+\tmore()"}, "", "away from its other lines"},
		{"what is left has no words", []string{" func first(a int) int {", "-\told := begin(a)", "+\tstart := begin(a)", " \tlog(start)", " \treturn start", "+", " }"}, "", ""},
		{"numbers before the marks, so that all is context", []string{" 3\t \tlog(start)", " 4\t-\treturn start", " 5\t }"}, "", "changes nothing"},
		{"a line of context that the hunk has twice", []string{" func second(b int) int {", " \tleft := begin(b)", " \tleft := begin(b)", "+\tmore()", " \tright := end(b)"}, "+\tmore()", ""},
		{"a line of context that the hunk has twice, with an addition between", []string{" func second(b int) int {", " \tleft := begin(b)", "+\tmore()", " \tleft := begin(b)", " \tright := end(b)"}, "", ""},
		{"lines in another order", []string{" func second(b int) int {", "-\tright := end(b)", " \tleft := begin(b)", "+\tright := end(b)", "+", " \treturn left + right", " }"}, "", "away from its other lines"},
		{"an added line at the end, below two lines in another order", []string{" func second(b int) int {", "-\tleft := begin(b)", "+\tleft := begin(b, 1)", " \treturn left + right", " \tright := end(b)", "+\tmore()"}, "", "away from its other lines"},
		{"an added line at the beginning, above two lines in another order", []string{"+\tmore()", " \tleft := begin(b)", " func second(b int) int {", "-\tright := end(b)", "+\tright := end(b, 1)", " \treturn left + right"}, "", "away from its other lines"},
		{"one of two blank lines, of which one is there, and another line", []string{" \tlog(start)", " \treturn start", " }", " ", "-", "-func second(b int) int {", " \tleft := begin(b)"}, "", ""},
		{"an added line above a bracket that stands just outside of the place", []string{"-\tleft := begin(b)", "+\tleft := begin(b, 1)", " \tright := end(b)", " }", " \treturn left + right", "+\tmore()"}, "", "\"}\" is not there"},
		{"an added line at the margin, among lines too far right", []string{" \t\tleft := begn(b)", "+label:", "+\t\tmore()", " \t\tright := end(b)"}, "", ""},
		{"half of it is made", []string{" func first(a int) int {", "-\told := begin(a)", "+\tstart := begin(a)", " \tlog(start)", "-\treturn start", "+\treturn start + 1", " }"},
			"-\treturn start|+\treturn start + 1", ""},
		{"all of it is made", []string{" func first(a int) int {", "-\told := begin(a)", "+\tstart := begin(a)", " \tlog(start)"}, "", "Leave this hunk out"},
		{"only brackets of it are made", []string{" \treturn start", "-)", "+}", " ", "-func second(b int) int {", "+func second(b, c int) int {"}, "", ""},
		{"a removed line that is gone, beside one that is similar", []string{" func second(b int) int {", "-\tleft := begun(b)", "+\tmore()", " \tright := end(b)", " \tlog(right)", " \treturn left + right"}, "", ""},
		{"a similar removed line, away from the line above it in the hunk", []string{" func second(b int) int {", "-\tright := edn(b)", "+\tright := end(b) + 1", " \treturn left + right", " }"}, "", ""},
		{"a removed line that is not there, for one that is", []string{" func second(b int) int {", " \tleft := begin(b)", "-\tright := edn(b)", "+\tlog(start)", " \treturn left + right"}, "", "the change may be made"},
		{"context of which a line is elsewhere, around a line that is here only", []string{" invented(w)", " invented(x)", " \tlog(start)", "-\tright := end(b)", "+\tright := end(b) + 1", " invented(y)", " invented(z)"}, "", ""},
	} {
		h := hunk(tt.hunk...)
		var fixed patch.Hunk
		_, err := settle(text.Split(joined(file)), []patch.Hunk{h}, order, func(h patch.Hunk) (string, bool) { fixed = h; return "shown", true })
		all := fail.All(err)
		if len(all) != 1 {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got []string
		for _, l := range fixed.Lines {
			if l.Mark() != ' ' {
				got = append(got, string(l))
			}
		}
		if strings.Join(got, "|") != tt.want || !strings.Contains(all[0].Hint, tt.hint) {
			t.Errorf("%s: offered %q, hint %q", tt.name, got, all[0].Hint)
		}
	}
}

// TestWithoutAnchors: an anchor that leads elsewhere is left out if nothing else in the file is like the hunk.
func TestWithoutAnchors(t *testing.T) {
	file := []string{"func one() {", "\talpha()", "\tbeta()", "}", "", "func two() {", "\tgamma()", "}"}
	for _, tt := range []struct {
		name  string
		extra []string // below the file
		hunk  []string
		want  bool
	}{
		{"nothing like it below the anchor", nil, []string{" \talpha()", "-\tbeta()", "+\tbeta(1)"}, true},
		{"a line of it below the anchor", []string{"\talpha()"}, []string{" \talpha()", "-\tbeta()", "+\tbeta(1)"}, false},
		{"what it adds is below the anchor", []string{"\tbeta(1)"}, []string{" \talpha()", "-\tbeta()", "+\tbeta(1)"}, false},
		{"a mistake in a line of it, and nothing like it below the anchor", nil, []string{" \talpa()", "-\tbeta()", "+\tbeta(1)"}, false},
		{"a single line with words", nil, []string{"-\tbeta()", "+\tbeta(1)", " }"}, false},
	} {
		h := hunk(tt.hunk...)
		h.Anchors = []string{"func two() {"}
		var fixed patch.Hunk
		_, err := settle(text.Split(joined(append(file[:len(file):len(file)], tt.extra...))), []patch.Hunk{h}, hunktest.Ordered, func(h patch.Hunk) (string, bool) { fixed = h; return "shown", true })
		all := fail.All(err)
		if len(all) != 1 {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if offered := all[0].Nearest != nil && all[0].Nearest.Corrected != ""; offered != tt.want || offered && fixed.Anchors != nil {
			t.Errorf("%s: offered %t, %q: %s", tt.name, offered, fixed.Anchors, all[0].Hint)
		}
	}
}

// TestRivalled: nothing is offered for a hunk that lacks at its place what stands elsewhere to the byte.
func TestRivalled(t *testing.T) {
	first := []string{"// how a door is opened", "// and closed", "first() {", "    open(door)", "    turn(key)", "    close(door)", "    lock(door)", "    walk(home)", "}", ""}
	block := []string{"notes", "  open(door)", "  turn(key)", "  close(door)", "more notes"}
	whole := hunk(" // how a door is opened", " // and closed", " first() {", "   open(door)", "-  turn(key)", "+  hold(key)", "   close(door)", "   lock(doro)", "   walk(home)", " }")
	gap := hunk(" // how a door is opened", " first() {", "     open(door)", "-    turn(key)", "+    hold(key)", "     close(door)", "     lock(door)", "     walk(home)", " }")
	long := hunk(" // and closed", " first() {", "     open(door)", "     turn(key)", "+    hold(key)", " go(home)", "     close(door)", "     lock(door)", "     walk(home)", " }")
	away := hunk(" first() {", "     open(door)", "-    close(door)", "+    slam(door)", "     lock(door)", "     walk(home)", " }")
	gone := hunk(" }", "-    turn(key)", "+    hold(key)", " sleep(well)", " dream(on)", " wake(up)")
	elided := hunk(" // how a door is opened", " ...", "     open(door)", "-    turn(key)", "+    hold(key)", "     close(door)", "     lock(door)", "     walk(home)", " }")
	for _, tt := range []struct {
		name string
		file []string
		hunk patch.Hunk
		want string // the hint; "" if a correction is offered
	}{
		{"a twin at another indentation", first, whole, ""},
		{"a twin at another indentation, and the lines themselves", append(first[:10:10], block...), whole, "Around line 12 of the file"},
		{"a line left out", first, gap, ""},
		{"a line left out, and the lines once more", append(first[:10:10], "x", "    open(door)", "    turn(key)", "    close(door)"), gap, "Around line 12 of the file"},
		{"lines left out for an ellipsis, and the lines once more", append(first[:10:10], "x", "    open(door)", "    turn(key)", "    close(door)"), elided, ""},
		{"a removed line above the context, with invented context", []string{"    turn(key)", "  }", "sleep(well)", "dream(on)", "wake(up)"}, gone, ""},
		{"a removed line above the context, which is there without it", []string{"    turn(key)", "}", "sleep(well)", "dream(on)", "wake(up)"}, gone, "Around line 2 of the file"},
		{"a line of context that is not there", first, long, ""},
		{"a line of context that is elsewhere, twice", append(first[:10:10], "go(home)", "and", "go(home)"), long, "stands in the file, and not here"},
		{"a removed line that is away from its neighbour", append([]string{"first() {", "    open(door)", "    hang(coat)"}, first[5:]...), away, ""},
		{"a removed line that is away from its neighbour, beside one like it", append([]string{"first() {", "    open(door)", "    close(dour)"}, first[5:]...), away, "Compare with"},
	} {
		offered := false
		_, err := settle(text.Split(joined(tt.file)), []patch.Hunk{tt.hunk}, order, func(patch.Hunk) (string, bool) { offered = true; return "shown", true })
		if hint := fail.All(err)[0].Hint; offered != (tt.want == "") || !strings.Contains(hint, tt.want) {
			t.Errorf("%s: offered is %v, the hint %q", tt.name, offered, hint)
		}
	}
}

// TestJoinedLines: below a line that holds two of the file, what is added goes below the second of them.
func TestJoinedLines(t *testing.T) {
	file := []string{"void first() {", "    open(door);", "    return door;", "}", "", "void second() {", "    close(door); }"}
	for _, tt := range []struct {
		name    string
		hunk    patch.Hunk
		offered bool
	}{
		{"below two lines", hunk("     open(door);", "     return door; }", "+// more"), false},
		{"above two lines", hunk("+// more", " void first() { open(door);", "     return door;"), false},
		{"below a line with a mistake", hunk("     opne(door);", "     return door;", " }", "+// more"), true},
	} {
		offered := false
		if _, err := settle(text.Split(joined(file)), []patch.Hunk{tt.hunk}, order, func(patch.Hunk) (string, bool) { offered = true; return "shown", true }); err == nil || offered != tt.offered {
			t.Errorf("%s: offered is %v: %v", tt.name, offered, err)
		}
	}
}

// TestBesideCopy: a line that the hunk shows is away from its place, and beside a copy of the line that it removes.
func TestBesideCopy(t *testing.T) {
	vet := []string{"vet:", "  steps:", "  - setup", "  with:", "    version: 1", "  - run: vet", "  - run: done", ""}
	h := hunk("   steps:", "   - setup", "   with:", "-    version: 1", "+    version: 2", "   - run: push", "   - run: done")
	for _, tt := range []struct {
		name  string
		below []string
		want  string // the hint; "" if a correction is offered
	}{
		{"beside a copy", []string{"push:", "    version: 1", "  - run: push", "again:", "  - run: push"}, "beside another line like the one to be removed"},
		{"beside a line much like it", []string{"push:", "    version: 11", "  - run: push", "again:", "  - run: push"}, "beside another line like the one to be removed"},
		{"beside nothing", []string{"push:", "    version: 1", "", "  - run: push", "again:", "  - run: push"}, "stands in the file, and not here"},
		{"beside nothing, and elsewhere is no such line to remove", []string{"push:", "  - run: push", "again:", "  - run: push"}, ""},
	} {
		offered := false
		_, err := settle(text.Split(joined(append(vet[:len(vet):len(vet)], tt.below...))), []patch.Hunk{h}, order, func(patch.Hunk) (string, bool) { offered = true; return "shown", true })
		if hint := fail.All(err)[0].Hint; offered != (tt.want == "") || !strings.Contains(hint, tt.want) {
			t.Errorf("%s: offered is %v, the hint %q", tt.name, offered, hint)
		}
	}
}
