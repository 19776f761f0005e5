package suggest

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/patch"
)

// difference words how the file's line differs from the line of the hunk, which it calls name.
func difference(have, want, name string) string {
	a, x := indent.Cut(have)
	b, y := indent.Cut(want)
	trim := func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }
	switch {
	case x == y:
		return fmt.Sprintf("indentation: the file has %s, %s %s", fail.Quote(a), name, fail.Quote(b))
	case trim(have) == trim(want):
		return fmt.Sprintf("trailing white space: the file has %s, %s %s", fail.Quote(have[len(trim(have)):]), name, fail.Quote(want[len(trim(want)):]))
	case match.Same(patch.Whitespace, have, want):
		return "indentation and trailing white space: the file has " + fail.Quote(have) + ", " + name + " " + fail.Quote(want)
	case match.Same(patch.Unicode, have, want):
		return "typography (quotes, dashes, spaces, accents): the file has " + fail.Quote(have) + ", " + name + " " + fail.Quote(want)
	}
	return "a changed line: the file has " + fail.Quote(have) + ", " + name + " " + fail.Quote(want)
}

func lineRange(p fail.Place) string {
	if p.First == p.Last {
		return fmt.Sprintf("line %d", p.First)
	}
	return fmt.Sprintf("lines %d-%d", p.First, p.Last)
}
