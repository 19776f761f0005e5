package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// Detect finds the dialect of a text that names none: the one that claims it. No text is claimed by two. When none
// claims it the error, of kind PatchParse, says what the text looks like and what to send instead.
//
// A claim is not a reading: a claimed text may still be refused, strictly read, with better words than here.
func Detect(text string) (*Dialect, error) {
	if _, err := clean(text); err != nil {
		return nil, err
	}
	for _, d := range All {
		if d.Claims != nil && d.Claims(text) {
			return d, nil
		}
	}
	return nil, mistaken(text)
}

// enveloped reports whether text holds an envelope: its first line, with white space around it at most, before any
// section, or exactly anywhere.
func enveloped(text string) bool {
	sections := false
	for l := walk(text, 1); l.ok; l.advance() {
		if trimEnd(l.line) == beginPatch || !sections && strings.TrimSpace(strings.TrimPrefix(l.line, bom)) == beginPatch {
			return true
		}
		_, _, header := emendGrammar.header(l.line)
		sections = sections || header
	}
	return false
}

// claimsEnvelope is the claim to every text with an envelope, also one that is still a JSON string.
func claimsEnvelope(text string) bool {
	if enveloped(text) {
		return true
	}
	_, ok := unwrapped(text)
	return ok
}

// claimsSections is the claim to every text without an envelope whose first section line is Add, Update or Delete. A
// misspelt envelope is not none.
func claimsSections(text string) bool {
	if claimsEnvelope(text) {
		return false
	}
	for l := walk(text, 1); l.ok; l.advance() {
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

// looks are what people send instead of a patch. The first one that knows a line of the text names it.
var looks = []struct {
	what  string
	knows func(line string) bool
	hint  string
}{
	{"its first line is misspelt", isMisspelt, "Write the markers exactly so. "},
	{"it looks like SEARCH/REPLACE blocks", prefixed("<<<<<<<", "------- SEARCH"), "Turn every block into a hunk: the search lines with \"-\", the others with \"+\". "},
	{"it looks like a unified diff", prefixed("diff --git ", "--- ", "+++ ", "Index: "), "Replace the file headers by *** Update File: lines and put markers around the whole. "},
	{"it has sections, but no " + beginPatch, prefixed("*** "), ""},
	{"it has hunks, but no envelope", prefixed("@@"), ""},
	{"it is fenced, but there is no patch inside", prefixed("```", "~~~"), ""},
	{"it looks like JSON", prefixed("{", "[", `"`), "Send the patch as the value of the field for it, once encoded. "},
}

func prefixed(prefixes ...string) func(string) bool {
	return func(line string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(line, p) {
				return true
			}
		}
		return false
	}
}

// isMisspelt knows "*** BEGIN PATCH", "** Begin Patch", "*** Begin Patch ***" and the like.
func isMisspelt(line string) bool {
	const most = 64
	return len(line) <= most && strings.Contains(line, "*") &&
		strings.EqualFold(strings.Join(strings.Fields(strings.ReplaceAll(line, "*", " ")), ""), "beginpatch")
}

// mistaken says what a text without a patch in it looks like.
func mistaken(text string) *fail.Error {
	for _, look := range looks {
		for l := walk(text, 1); l.ok; l.advance() {
			if look.knows(l.line) {
				return &fail.Error{Kind: fail.PatchParse, Line: l.n, Expected: beginPatch,
					Msg: fmt.Sprintf("the text is no patch: %s: %s", look.what, fail.Quote(l.line)), Hint: look.hint + sendThis}
			}
		}
	}
	first := walk(text, 1)
	first.toText()
	return &fail.Error{Kind: fail.PatchParse, Line: first.n, Expected: beginPatch,
		Msg: "the text is no patch: it begins with " + fail.Quote(first.line), Hint: sendThis}
}
