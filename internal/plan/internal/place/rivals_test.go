package place

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/hunktest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// TestRivals: a place that lacks something has a rival where that stands.
func TestRivals(t *testing.T) {
	file := []string{
		"one() {", "    open(a)", "    use(a)", "    close(a)", "}", // 1
		"two() {", "  open(a)", "  use(a)", "  close(a)", "}", // 6
		"three() {", "open(b)", "log(b)", "use(b)", "close(b)", "}", // 11
		"four() {", "open(c)", "close(c)", "}", // 17
		"five() {", "open(c)", "log(c)", "drop(c)", "close(c)", "done(c)", "}", // 21
		"drop(c)", "end", // 28
		"six() {", "say(“d”)", "end(d)", "}", "six() {", "say(\"d\")", "end(d)", // 30
		"seven() {", "open(e)", "log(e)", "use(e)", "close(e)", "done(e)", "eight() {", "open(e)", "use(e)", "close(e)", "done(f)", // 37
	}
	for _, tt := range []struct {
		name     string
		hunk     []string
		from, to int // lines of the file, from 1
		gaps     bool
		want     int
	}{
		{"indented otherwise, and as it is elsewhere", []string{"   open(a)", "-  use(a)", "+  take(a)", "   close(a)"}, 2, 4, false, 7},
		{"as it is", []string{"   open(a)", "-  use(a)", "+  take(a)", "   close(a)"}, 7, 9, false, 0},
		{"indented otherwise, and nowhere as it is", []string{"    open(a)", "-   use(a)", "+   take(a)", "    close(a)"}, 2, 4, false, 0},
		{"as it is but for a line further away", []string{" three() {", " open(b)", "-log(b)", " use(b)", " shut(b)"}, 11, 15, false, 0},
		{"a mistake, and gone from elsewhere", []string{" open(c)", "-drop(c)", "+let(c)", " close(c)", " over(c)"}, 22, 26, true, 0},
		{"gone from between its context", []string{" open(c)", "-drop(c)", "+let(c)", " close(c)", " }"}, 28, 29, true, 18},
		{"an addition between lines that stand together elsewhere", []string{" open(c)", "+use(c)", " close(c)"}, 22, 25, true, 18},
		{"an addition between lines that stand together nowhere", []string{" open(b)", "+more(b)", " use(b)"}, 12, 14, true, 0},
		{"gone from between its context, as it is within what it removes", []string{" open(c)", "-drop(c)", "-open(c)", " close(c)", " }"}, 18, 20, true, 0},
		{"typography, and without it elsewhere", []string{" six() {", "-say(\"d\")", "+cry()", " end(d)"}, 30, 32, false, 0},
		{"typography and a gap, and without them elsewhere", []string{" six() {", "-say(\"d\")", "+cry()", " end(d)"}, 30, 32, true, 34},
		{"an addition above a bracket, with another indentation elsewhere", []string{"  use(a)", "   close(a)", "+  done(a)", " }"}, 3, 5, false, 9},
		{"an addition between brackets", []string{"   close(a)", " }", "+done(a)", " }"}, 4, 5, false, 0},
		{"gone from between all context, of which a line is another here", []string{" open(e)", "-log(e)", "+note(e)", " use(e)", "+more(e)", " close(e)", " done(f)"}, 38, 42, false, 44},
		{"gone from between all context, which is here", []string{" open(e)", "-log(e)", "+note(e)", " use(e)"}, 38, 40, false, 0},
		{"removed with another indentation, among context as it is", []string{" two() {", "   open(a)", "-    use(a)", "   close(a)"}, 6, 9, false, 3},
		{"what it leaves, elsewhere", []string{" open(c)", "-wrong(c)", "+close(c)"}, 22, 24, false, 18},
		{"only brackets are changed", []string{" }", "-}", " end"}, 27, 29, false, 0},
	} {
		c := Claim{Lines: hunktest.Hunk(tt.hunk...).Lines, From: tt.from - 1, To: tt.to, Gaps: tt.gaps}
		nothing := Claim{Lines: hunktest.Hunk(" x", "-y").Lines}
		if got := Rivals(text.Split(joined(file)), []Claim{nothing, c, c}, []Claim{c}); got[0] != 0 || got[1] != tt.want || got[2] != tt.want {
			t.Errorf("%s: %v, want %d", tt.name, got, tt.want)
		}
	}
}

// TestRivalsOfOthers: lines that another hunk means are no rival.
func TestRivalsOfOthers(t *testing.T) {
	file := text.Split("one() {\n    open(a)\n    use(a)\n}\ntwo() {\n  open(a)\n  use(a)\n}\n")
	h := hunktest.Hunk("   open(a)", "-  use(a)", "+  take(a)").Lines
	first, second := Claim{Lines: h, From: 1, To: 3}, Claim{Lines: h, From: 5, To: 7}
	if got := Rivals(file, []Claim{first}, []Claim{first}); got[0] != 6 {
		t.Errorf("alone: %v", got)
	}
	if got := Rivals(file, []Claim{first}, []Claim{first, second}); got[0] != 0 {
		t.Errorf("beside a hunk at line 6: %v", got)
	}
}

// TestRivalsUnknown: what would take too long is not found out, and refused.
func TestRivalsUnknown(t *testing.T) {
	const n = 4000
	h := hunktest.Hunk(` say("a")`)
	for range n / 2 {
		h.Lines = append(h.Lines, " a", "-a", "+b")
	}
	_, err := place(text.Split("say(“a”)\n"+strings.Repeat("a\n", n)), []patch.Hunk{h}, hunktest.Lenient)
	if all := fail.All(err); len(all) != 1 || !strings.Contains(all[0].Msg, "so many are alike") {
		t.Errorf("%v", err)
	}
}

// TestRivalledIsRefused: lenient places nothing by its looser rungs where the lines to change stand elsewhere to the byte.
func TestRivalledIsRefused(t *testing.T) {
	twin := []string{"one() {", "    open(a)", "    use(a)", "    close(a)", "}"}
	moved := []string{"end", "  open(a)", "  use(a)", "  close(a)"}
	h := hunktest.Hunk(" one() {", "   open(a)", "-  use(a)", "+  take(a)", "   close(a)", " }")
	for name, tt := range map[string]struct {
		file []string
		want string // the refusal; "" if it is placed
	}{
		"alone":      {twin, ""},
		"beside it":  {append(twin[:5:5], moved...), "line 7 has those that it changes"},
		"once again": {append(twin[:5:5], "end", "  open(a)", "use(a)"), ""},
	} {
		out, err := place(text.Split(joined(tt.file)), []patch.Hunk{h}, hunktest.Lenient)
		if tt.want == "" {
			if err != nil || !strings.Contains(out.after, "    take(a)") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if lines, ok := Find(text.Split(joined(tt.file)), []patch.Hunk{h}, hunktest.Lenient, false).WithMissingMarks(0); ok {
			t.Errorf("%s: %q", name, lines)
		}
		all := fail.All(err)
		if len(all) != 1 || !strings.Contains(all[0].Msg, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
