package dialect

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/emend-dev/emend/fail"
)

// lines walks through a text line by line, without copying.
type lines struct {
	rest string // what comes after line
	line string // without its newline
	n    int    // its number
	ok   bool   // there is a line
}

// startLines starts at the first line of text, whose number is n.
func startLines(text string, n int) lines {
	l := lines{rest: text, n: n - 1}
	l.advance()
	return l
}

func (l *lines) advance() {
	l.n++
	if l.ok = l.rest != ""; !l.ok {
		l.line = ""
		return
	}
	l.line, l.rest, _ = strings.Cut(l.rest, "\n")
}

// blank reports whether the line is white space.
func (l *lines) blank() bool { return strings.TrimSpace(l.line) == "" }

// skipBlank goes on to the next line that is not white space.
func (l *lines) skipBlank() {
	for l.ok && l.blank() {
		l.advance()
	}
}

// countLines returns the number of lines of text, at least 1.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// checkText refuses what no dialect reads, and turns CRLF into LF if every line ends so.
func checkText(text string) (string, *fail.Error) {
	if i := strings.IndexByte(text, 0); i >= 0 {
		n := strings.Count(text[:i], "\n") + 1
		return "", &fail.Error{Kind: fail.PatchParse, Line: n, Expected: wantText,
			Msg:  fmt.Sprintf("the patch text is binary (NUL byte on line %d)", n),
			Hint: "Send text. A binary file cannot be written by a patch."}
	}
	if strings.TrimSpace(text) == "" {
		return "", &fail.Error{Kind: fail.PatchParse, Line: 1, Expected: wantPatch, Msg: "the patch text is empty", Hint: exampleHint}
	}
	if n := strings.Count(text, "\n"); n > 0 && n == strings.Count(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text, nil
}

// exampleHint shows what a patch looks like.
const exampleHint = `Send the patch in this form:
*** Begin Patch
*** Update File: path/to/file
@@
-a line to remove
+a line to add
*** End Patch`

// pattern returns a regular expression that is compiled when it is first needed: few texts need one.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
