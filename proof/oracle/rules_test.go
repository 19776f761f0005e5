//go:build oracle

package oracle

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
	"golang.org/x/text/unicode/norm"
)

// rule is an intended difference. It explains a disagreement if there is none without it.
type rule struct {
	name string
	// without returns the case without what the two programs treat differently. It reports false if the case has none of it.
	without func(c tcase) (tcase, bool)
	// blur removes the difference from a resulting file. applies reports whether it may be used for a case and its plan.
	blur    func(data string) string
	applies func(c tcase, ours outcome) bool
	// refuses reports whether this is why emend refused what the program accepted.
	refuses func(e *fail.Error) bool
}

// partial is the one difference that is not about the meaning of the patch: both refuse it, but the program leaves the changes
// that it had made.
const partial = "partial-commit"

// rules are the differences in docs/differences.md, with the same names.
var rules = []rule{
	{name: "separators", without: noSeparators},
	{name: "doubled-end", without: oneEnd},
	{name: "leading-end-of-file", without: noLeadingMarker},
	{name: "carriage-returns", without: noCarriageReturns},
	{name: "phantom-blank", without: noPhantomBlank},
	{name: "blank-removal", without: noBlankRemoval},
	{name: "anchored-addition", without: noAnchoredAddition}, // after rules that can turn a hunk into one
	{name: "path-controls", without: noPathControls},
	{name: "self-move", without: noSelfMove},
	{name: "byte-order-mark", without: noMark},
	{name: "not-utf-8", without: onlyUTF8},
	{name: "binary", without: noNUL},
	{name: "normal-form", without: composed},
	// Rules that blur outcomes follow those that change the case and so produce new outcomes.
	{name: "reindent", blur: unindent, applies: loose},
	{name: "crooked", refuses: crooked},
	{name: "file-to-directory", refuses: func(e *fail.Error) bool { return strings.HasSuffix(e.Msg, throughFile) }},
	{name: "padded-path", refuses: func(e *fail.Error) bool { return strings.Contains(e.Msg, "has white space before it") }},
	{name: "line-ends", blur: onlyLF, applies: mixed},
}

// loose reports whether a hunk was placed with its indentation ignored.
func loose(_ tcase, ours outcome) bool {
	for _, s := range ours.steps {
		for _, h := range s.Hunks {
			if h.Rung >= patch.Whitespace {
				return true
			}
		}
	}
	return false
}

// crooked reports whether a hunk was refused because no single shift of its indentation fits.
func crooked(e *fail.Error) bool {
	return e.Kind == fail.PatchApply && strings.Contains(e.Msg, "only when indentation is ignored")
}

var indent = regexp.MustCompile(`(^|[\r\n])[ \t\x{a0}\x{2003}]+`)

// unindent removes leading white space from lines.
func unindent(s string) string { return indent.ReplaceAllString(s, "$1") }

// mixed reports whether a file has more than one kind of line end, or could get one.
func mixed(c tcase, _ outcome) bool {
	for _, data := range c.files {
		crlf := strings.Count(data, "\r\n")
		kinds := 0
		for _, n := range []int{crlf, strings.Count(data, "\n") - crlf, strings.Count(data, "\r") - crlf} {
			kinds += min(n, 1)
		}
		if kinds > 1 {
			return true
		}
	}
	return false
}

// onlyLF converts all line ends. A CR and a LF after it become one, since they may come from two lines or be one line end.
func onlyLF(s string) string {
	return regexp.MustCompile(`[\r\n]+`).ReplaceAllString(s, "\n")
}

// eachHunk rewrites the hunks of a patch: their lines, including a first line with "@@". Any line that cannot be part of a hunk
// ends it.
func eachHunk(c tcase, rewrite func(hunk []string) []string) (tcase, bool) {
	var out, hunk []string
	flush := func() {
		out = append(out, rewrite(hunk)...)
		hunk = nil
	}
	for line := range strings.SplitAfterSeq(c.patch, "\n") {
		switch {
		case strings.HasPrefix(line, "@@"):
			flush()
			hunk = append(hunk, line)
		case line != "" && strings.ContainsRune(" +-\n\r", rune(line[0])) && strings.TrimSpace(line) != "*** End Patch":
			hunk = append(hunk, line)
		default:
			flush()
			out = append(out, line)
		}
	}
	flush()
	next := strings.Join(out, "")
	return tcase{c.files, next}, next != c.patch
}

// noAnchoredAddition removes the anchors of hunks that only add.
func noAnchoredAddition(c tcase) (tcase, bool) {
	return eachHunk(c, func(hunk []string) []string {
		if len(hunk) > 1 && strings.HasPrefix(hunk[0], "@@ ") && lastOld(hunk) < 0 {
			hunk[0] = "@@\n"
		}
		return hunk
	})
}

// lastOld returns the index of the last line of a hunk that must be in the file, or -1. Empty lines at the end are separators.
func lastOld(hunk []string) int {
	for n := len(hunk); n > 0 && strings.TrimSpace(hunk[n-1]) == ""; n-- {
		hunk = hunk[:n-1]
	}
	last := -1
	for i, line := range hunk {
		if !strings.HasPrefix(line, "@@") && line[0] != '+' {
			last = i
		}
	}
	return last
}

// noPhantomBlank drops an empty context line if it is the last line to look for and additions follow it.
func noPhantomBlank(c tcase) (tcase, bool) { return noLastBlank(c, " ") }

// noBlankRemoval drops the removal of an empty line if it is the last line to look for.
func noBlankRemoval(c tcase) (tcase, bool) { return noLastBlank(c, "-") }

func noLastBlank(c tcase, mark string) (tcase, bool) {
	return eachHunk(c, func(hunk []string) []string {
		last := lastOld(hunk)
		if last < 0 {
			return hunk
		}
		if line := strings.TrimRight(hunk[last], "\r\n"); line != mark && (line != "" || mark == "-") {
			return hunk
		}
		return slices.Delete(slices.Clone(hunk), last, last+1)
	})
}

var separator = regexp.MustCompile(`(?m)^[ \t]*\r*\n((?:[ \t]*\r*\n)*[ \t]*(?:\*\*\* (?:Add|Delete|Update|End|Environment)|@@))`)

// noSeparators drops the empty lines before a header.
func noSeparators(c tcase) (tcase, bool) {
	out := separator.ReplaceAllString(c.patch, "$1")
	for {
		next := separator.ReplaceAllString(out, "$1")
		if next == out {
			break
		}
		out = next
	}
	return tcase{c.files, out}, out != c.patch
}

var (
	ends       = regexp.MustCompile(`(?:(?m:^)[ \t]*\*\*\* End Patch[ \t]*\r?\n)+(\s*\*\*\* End Patch\s*)$`)
	leadingEOF = regexp.MustCompile(`(?m)(^[ \t]*\*\*\* (?:Update File|Move to): .*\n)(?:\*\*\* End of File[ \t]*\r?\n)+`)
)

// oneEnd keeps one of several "End Patch" lines at the end.
func oneEnd(c tcase) (tcase, bool) {
	out := ends.ReplaceAllString(c.patch, "$1")
	return tcase{c.files, out}, out != c.patch
}

// noLeadingMarker drops "End of File" lines before the first hunk of a section.
func noLeadingMarker(c tcase) (tcase, bool) {
	out := leadingEOF.ReplaceAllString(c.patch, "$1")
	return tcase{c.files, out}, out != c.patch
}

// noCarriageReturns drops carriage returns at the ends of the patch's lines.
func noCarriageReturns(c tcase) (tcase, bool) {
	out := regexp.MustCompile(`\r+\n`).ReplaceAllString(c.patch, "\n")
	return tcase{c.files, out}, out != c.patch
}

var header = regexp.MustCompile(`(?m)^([ \t]*\*\*\* (?:Add File|Delete File|Update File|Move to): )(.*)$`)

// noPathControls drops tabs and carriage returns inside paths.
func noPathControls(c tcase) (tcase, bool) {
	out := header.ReplaceAllStringFunc(c.patch, func(line string) string {
		m := header.FindStringSubmatch(line)
		return m[1] + strings.NewReplacer("\t", "", "\r", "").Replace(m[2])
	})
	return tcase{c.files, out}, out != c.patch
}

// noSelfMove drops "Move to" lines that name the file itself.
func noSelfMove(c tcase) (tcase, bool) {
	lines := strings.SplitAfter(c.patch, "\n")
	var out []string
	for i, line := range lines {
		to, isMove := strings.CutPrefix(strings.TrimSpace(line), "*** Move to: ")
		if isMove && i > 0 {
			from := strings.TrimPrefix(strings.TrimSpace(lines[i-1]), "*** Update File: ")
			if path.Clean(from) == path.Clean(to) {
				continue
			}
		}
		out = append(out, line)
	}
	return tcase{c.files, strings.Join(out, "")}, len(out) < len(lines)
}

// eachFile rewrites the contents of the files.
func eachFile(c tcase, rewrite func(string) string) (tcase, bool) {
	files := maps.Clone(c.files)
	for name, data := range files {
		files[name] = rewrite(data)
	}
	return tcase{files, c.patch}, !maps.Equal(files, c.files)
}

func noMark(c tcase) (tcase, bool) {
	return eachFile(c, func(s string) string { return strings.TrimPrefix(s, text.BOM) })
}

func onlyUTF8(c tcase) (tcase, bool) {
	out, changed := eachFile(c, func(s string) string { return strings.ToValidUTF8(s, "?") })
	out.patch = strings.ToValidUTF8(c.patch, "?")
	return out, changed || out.patch != c.patch
}

func noNUL(c tcase) (tcase, bool) {
	return eachFile(c, func(s string) string { return strings.ReplaceAll(s, "\x00", "?") })
}

// composed converts the whole case to normal form C.
func composed(c tcase) (tcase, bool) {
	out, changed := eachFile(c, func(s string) string {
		if !utf8.ValidString(s) {
			return s
		}
		return norm.NFC.String(s)
	})
	out.patch = norm.NFC.String(c.patch)
	return out, changed || out.patch != c.patch
}

// names returns the names of the rules.
func names() []string {
	out := []string{partial}
	for _, r := range rules {
		out = append(out, r.name)
	}
	slices.Sort(out)
	return out
}
