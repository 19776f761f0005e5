package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
)

// Detect returns the dialect of a text that names none: the one that claims it. No text is claimed by two. If none
// claims it, the error, of kind PatchParse, says what the text looks like and what to send instead.
//
// A claimed text may still be refused when it is read; such a refusal says more than this error could.
func Detect(text string) (*Dialect, error) {
	if _, err := checkText(text); err != nil {
		return nil, err
	}
	for _, d := range All {
		if d.Claims != nil && d.Claims(text) {
			return d, nil
		}
	}
	return nil, notAPatch(text)
}

// hasEnvelope reports whether text has a line that begins an envelope. The line must be exact except for white space at
// its end; before any section it may have white space at both ends.
func hasEnvelope(text string) bool {
	sections := false
	for l := startLines(text, 1); l.ok; l.advance() {
		if f := l.format(); f == unifiedFormat || f == searchReplaceFormat {
			return false
		}
		if trimEnd(l.line) == beginPatch || !sections && strings.TrimSpace(strings.TrimPrefix(l.line, bom)) == beginPatch {
			return true
		}
		_, _, header := emendGrammar.header(l.line)
		sections = sections || header
	}
	return false
}

// format is a family of dialects that a line of a text shows.
type format uint8

const (
	noFormat format = iota
	envelopeFormat
	sectionFormat // a section without an envelope
	unifiedFormat
	searchReplaceFormat
)

// format returns the format that the current line belongs to, if only one format has such a line.
func (l lines) format() format {
	switch {
	case l.beginsEnvelopedDiff():
		return unifiedFormat
	case trimEnd(l.line) == beginPatch || strings.TrimSpace(strings.TrimPrefix(l.line, bom)) == beginPatch:
		return envelopeFormat
	case isHeader(l.line):
		return sectionFormat
	case isSearch(l.line), decode.IsEscapedSearch(l.line):
		return searchReplaceFormat
	case strings.HasPrefix(l.line, "diff --git ") || l.beginsPair() || strings.HasPrefix(l.line, "--- ") && strings.Contains(l.line, `\n+++ `):
		return unifiedFormat
	}
	return noFormat
}

// beginsEnvelopedDiff reports whether l begins an envelope that has the diff of a file instead of sections.
func (l lines) beginsEnvelopedDiff() bool {
	if trimEnd(l.line) != beginPatch {
		return false
	}
	l.advance()
	l.skipBlank()
	return l.ok && (l.beginsPair() || strings.HasPrefix(l.line, "diff --git "))
}

// claimsFormat returns the function that claims a text of a format, also one that is in a JSON string, or indented.
func claimsFormat(f format) func(text string) bool {
	return func(text string) bool {
		if inner, ok := unwrapJSONText(text, isFormat(f)); ok {
			text = inner
		} else if plain, ok := withoutIndent(text); ok {
			text = plain
		}
		return firstFormat(text) == f
	}
}

func isFormat(f format) func(text string) bool {
	return func(text string) bool { return firstFormat(text) == f }
}

// firstFormat returns the format of the first line that shows one. The parser of that format refuses lines of others below it.
func firstFormat(text string) format {
	for l := startLines(strings.TrimPrefix(text, bom), 1); l.ok; l.advance() {
		if f := l.format(); f != noFormat {
			return f
		}
	}
	return noFormat
}

// claimsEnvelope claims every text with an envelope, including one that is still a JSON string, or the inside of one.
func claimsEnvelope(text string) bool {
	if hasEnvelope(text) || strings.HasPrefix(strings.TrimSpace(text), beginPatch+`\n`) {
		return true
	}
	_, ok := unwrapJSONText(text, hasEnvelope)
	return ok
}

// claimsSections claims a text without an envelope whose first section line is Add, Update or Delete. A misspelt or a half
// envelope counts as one. It does not claim a text of which supyagent would skip a line below a header.
func claimsSections(text string) bool {
	if claimsEnvelope(text) || !beginsWithSection(text) || hasEnd(text) {
		return false
	}
	p := read(&supyagentGrammar, text)
	return p.err != nil || p.dropped == 0
}

// beginsWithSection reports whether the first section line of text is Add, Update or Delete.
func beginsWithSection(text string) bool {
	for l := startLines(text, 1); l.ok; l.advance() {
		if f := l.format(); f == unifiedFormat || f == searchReplaceFormat {
			return false
		}
		if _, _, ok := emendGrammar.header(l.line); ok {
			_, _, ok = supyagentGrammar.header(l.line)
			return ok
		}
		if isMisspelt(l.line) {
			return false
		}
	}
	return false
}

// hasEnd reports whether text has a line that ends an envelope.
func hasEnd(text string) bool {
	for l := startLines(text, 1); l.ok; l.advance() {
		if trimEnd(l.line) == endPatch {
			return true
		}
	}
	return false
}

// lookalikes lists what people send instead of a patch. The first entry that matches a line of the text names it.
var lookalikes = []struct {
	what  string
	knows func(line string) bool
	hint  string
}{
	{"it has the colours of a terminal", func(line string) bool { return strings.Contains(line, "\x1b[") }, "Send it without colours, as git diff --no-color writes it. "},
	{"its first line is misspelt", isMisspelt, "Write the markers exactly so. "},
	{"it is a context diff", hasPrefix("***************"), "‹dialect:Send a unified diff, as diff -u writes it, or an envelope. ›"},
	{"it is a diff without context", isNormalDiff, "‹dialect:Send a unified diff, as diff -u writes it, or an envelope. ›"},
	{"it is the log of a submodule", hasPrefix("Submodule "), "Change the submodule with git. "},
	{"it is a binary patch", hasPrefix("GIT binary patch"), "Write the file with another tool: a patch of lines cannot hold it. "},
	{"it looks like SEARCH/REPLACE blocks", hasPrefix("<<<<<<<", "-------", ">>>>>>>"), "‹dialect:Begin every block with <<<<<<< SEARCH, below the path of its file, or send an envelope. ›"},
	{"it looks like a unified diff", hasPrefix("--- ", "+++ ", "Index: ", "diff -"), "‹dialect:Begin the diff of every file with the two lines --- a/path and +++ b/path, or send an envelope. ›"},
	{"it has sections, but no " + beginPatch, hasPrefix("*** "), ""},
	{"it has the hunks of a unified diff, but names no file", hasPrefix("@@ -"), "‹dialect:Begin the diff of every file with the two lines --- a/path and +++ b/path, or send an envelope. ›"},
	{"it has hunks, but no envelope", hasPrefix("@@"), ""},
	{"it is a script for ed, or as RCS writes it", isEditScript, "‹dialect:Send a unified diff, as diff -u writes it, or an envelope. ›"},
	{"it is fenced, but there is no patch inside", hasPrefix("```", "~~~"), ""},
	{"it looks like JSON", hasPrefix("{", "[", `"`), "Send the patch as the value of the field for it, once encoded. "},
}

func hasPrefix(prefixes ...string) func(string) bool {
	return func(line string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(line, p) {
				return true
			}
		}
		return false
	}
}

// isMisspelt matches "*** BEGIN PATCH", "** Begin Patch", "*** Begin Patch ***" and the like.
func isMisspelt(line string) bool {
	const most = 64
	return len(line) <= most && strings.Contains(line, "*") &&
		strings.EqualFold(strings.Join(strings.Fields(strings.ReplaceAll(line, "*", " ")), ""), "beginpatch")
}

// isNormalDiff matches the command above the lines of diff without -u: "2c2", "3,4d2".
func isNormalDiff(line string) bool {
	from, to, ok := strings.Cut(strings.Map(func(r rune) rune {
		if strings.ContainsRune("acd", r) {
			return ' '
		}
		return r
	}, line), " ")
	return ok && isLines(from) && isLines(to)
}

// isEditScript matches a command of diff -e, "3,4d", and of diff -n, "a3 2".
func isEditScript(line string) bool {
	if len(line) < 2 {
		return false
	}
	if strings.IndexByte("acd", line[len(line)-1]) >= 0 {
		return isLines(line[:len(line)-1])
	}
	at, n, ok := strings.Cut(line[1:], " ")
	return ok && strings.IndexByte("ad", line[0]) >= 0 && isNumber(at) && isNumber(n)
}

func isLines(s string) bool {
	first, last, ok := strings.Cut(s, ",")
	return isNumber(first) && (!ok || isNumber(last))
}

// notAPatch says what a text without a patch in it looks like.
func notAPatch(text string) *fail.Error {
	for _, look := range lookalikes {
		for l := startLines(text, 1); l.ok; l.advance() {
			if look.knows(l.line) {
				return &fail.Error{Kind: fail.PatchParse, Line: l.n, Expected: beginPatch,
					Msg: fmt.Sprintf("the text is no patch: %s: %s", look.what, fail.Quote(l.line)), Hint: look.hint + exampleHint}
			}
		}
	}
	first := startLines(text, 1)
	first.skipBlank()
	return &fail.Error{Kind: fail.PatchParse, Line: first.n, Expected: beginPatch,
		Msg: "the text is no patch: it begins with " + fail.Quote(first.line), Hint: exampleHint}
}
