package suggest

import (
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// TestLeftOutAmongReplaced: a blank line that a hunk leaves out among lines that it replaces stays where it is if marks say so. Where nobody
// wrote marks, it may belong between any two of the new lines, and nothing is offered.
func TestLeftOutAmongReplaced(t *testing.T) {
	const file = "func f() {\n\tfirst(1)\n\n\tsecond(2)\n}\n"
	replaced := hunk(" func f() {", "-\tfirst(1)", "-\tsecond(2)", "+\tthird(3)", "+\tfourth(4)", " }")
	removed := hunk(" func f() {", "-\tfirst(1)", "-\tsecond(2)", " }")
	for _, tc := range []struct {
		name     string
		hunk     patch.Hunk
		unmarked bool
		offered  bool
	}{
		{"replaced, with marks", replaced, false, true},
		{"replaced, without", replaced, true, false},
		{"removed, without", removed, true, true},
	} {
		r := strict
		r.Unmarked = tc.unmarked
		_, err := settle(text.Split(file), []patch.Hunk{tc.hunk}, r, lines)
		n := fail.All(err)[0].Nearest
		if n == nil || (n.Corrected != "") != tc.offered {
			t.Errorf("%s: %+v", tc.name, n)
		}
	}
	if !dialect.SearchReplace.Rules(dialect.Options{}).Unmarked || dialect.Unified.Rules(dialect.Options{}).Unmarked {
		t.Error("only blocks have no marks")
	}
}

// TestReplacedBesideGap: a blank line that a block leaves out stands above what the block replaces, and may belong among the new lines, unless
// the first of these is like the first of the old ones.
func TestReplacedBesideGap(t *testing.T) {
	const file = "func f() {\n\tsource := open(1)\n\n\tif options(2).check {\n\t\tstop(3)\n\n\t}\n}\n"
	for _, tc := range []struct {
		name     string
		hunk     patch.Hunk
		unmarked bool
		offered  bool
	}{
		{"with marks", hunk(" \tsource := open(1)", "-\tif options(2).check {", "+\tall := context(4)", "+\tif all.check {", " \t\tstop(3)"), false, true},
		{"another line first", hunk(" \tsource := open(1)", "-\tif options(2).check {", "+\tall := context(4)", "+\tif all.check {", " \t\tstop(3)"), true, false},
		{"a like line first", hunk(" \tsource := open(1)", "-\tif options(2).check {", "+\tif all(2).check {", "+\t\tall := context(4)", " \t\tstop(3)"), true, true},
		{"another line last", hunk(" \tif options(2).check {", "+\t\tall := context(4)", "-\t\tstop(3)", " \t}", " }"), true, false},
		{"nothing takes its place", hunk(" \tsource := open(1)", "-\tif options(2).check {", " \t\tstop(3)"), true, true},
	} {
		r := strict
		r.Unmarked = tc.unmarked
		_, err := settle(text.Split(file), []patch.Hunk{tc.hunk}, r, lines)
		if n := fail.All(err)[0].Nearest; n == nil || (n.Corrected != "") != tc.offered {
			t.Errorf("%s: %+v: %s", tc.name, n, fail.All(err)[0].Hint)
		}
	}
}

// TestPartlyAdded: where nobody wrote marks, lines that stand above what a hunk replaces, and that it adds, may be applied already.
func TestPartlyAdded(t *testing.T) {
	const file = "func f() {\n\tprepare(9)\n\tadmin := roles(12)\n\n\tenabled := roles(34)\n\tif !enabled {\n\t\tpanic(56)\n\t}\n\tlast(3)\n}\n"
	h := hunk(" func f() {", " \tprepare(9)", "-\tenabled := roles(34)", "-\tif !enabled {", "+\tadmin := roles(12)", "+", "+\tif !admin {", " \t\tpanic(56)", " \t}", " \tlast(3)", " }")
	for _, unmarked := range []bool{false, true} {
		r := strict
		r.Unmarked = unmarked
		_, err := settle(text.Split(file), []patch.Hunk{h}, r, lines)
		if n := fail.All(err)[0].Nearest; n == nil || (n.Corrected == "") != unmarked {
			t.Errorf("unmarked %v: %+v", unmarked, n)
		}
	}
}

// TestSlidesOverGap: a block of lines that is added may be the one above or the one below a line that both share. If the file has another line
// there, marks say on which side of it the new lines go, and without marks nobody knows.
func TestSlidesOverGap(t *testing.T) {
	added := hunk(" func f() {", " \tfirst(1)", " }", "+", "+func g() {", "+\tsecond(2)", "+}", " ", " func h() {")
	taken := hunk(" func f() {", " \tfirst(1)", " }", "-", "-func g() {", "-\tsecond(2)", "-}", " ", " func h() {")
	for _, tc := range []struct {
		name, file string
		hunk       patch.Hunk
		unmarked   bool
		offered    bool
	}{
		{"marks", "func f() {\n\tfirst(1)\n\tnew(3)\n}\n\nfunc h() {\n", added, false, true},
		{"a line above the end that both have", "func f() {\n\tfirst(1)\n\tnew(3)\n}\n\nfunc h() {\n", added, true, false},
		{"a line above the block", "func f() {\n\tfirst(1)\n}\n// new\n\nfunc h() {\n", added, true, false},
		{"a line further up", "func f() {\n\tnew(3)\n\tfirst(1)\n}\n\nfunc h() {\n", added, true, true},
		{"another line further up", "func e() {\n\tfirst(1)\n}\n\nfunc h() {\n", added, true, true},
		{"what is removed, and a line above the end", "func f() {\n\tfirst(1)\n\tnew(3)\n}\n\nfunc g() {\n\tsecond(2)\n}\n\nfunc h() {\n", taken, true, false},
	} {
		r := strict
		r.Unmarked = tc.unmarked
		_, err := settle(text.Split(tc.file), []patch.Hunk{tc.hunk}, r, lines)
		if err == nil {
			t.Fatalf("%s: it has its place", tc.name)
		}
		n := fail.All(err)[0].Nearest
		if n == nil || (n.Corrected != "") != tc.offered {
			t.Errorf("%s: %+v, %s", tc.name, n, fail.All(err)[0].Hint)
		}
	}
}
