package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/patch"
)

// Unified is the unified diff, as git and GNU diff write it and as models do.
var Unified = &Dialect{
	Name: "unified", Doc: "a unified diff, as of git and GNU diff: one place for every hunk; line numbers decide if all are right",
	Parse:     parseWith(&unifiedGrammar),
	Print:     printUnified,
	PrintHunk: printUnifiedHunk,
	Claims:    claimsFormat(unifiedFormat),
	Rules: func(o Options) Rules {
		r := emendRules(o)
		r.RepeatPaths, r.MakeParents, r.Bytes, r.MustChange, r.RootPaths, r.FromNothing, r.NamesBefore = true, true, true, true, true, true, true
		r.ToAdd, r.ToUpdate = "A new file has /dev/null in the line ---.", "To change the file, write its path in the line --- instead of /dev/null."
		return r
	},
	Words: Words{Hunks: true},
}

var (
	unifiedGrammar        = grammar{name: "unified", reader: readUnified, lenient: &lenientUnifiedGrammar}
	lenientUnifiedGrammar = grammar{name: "unified", reader: readUnified, reports: true, decodes: true, written: decode.Unified}
)

// unifiedReader reads a unified diff file by file.
type unifiedReader struct {
	*parser
	ended    bool // the text ends in a newline
	mail     bool // a commit stands around the diff, as git format-patch, git show and hg export write it
	inside   bool // a Markdown fence is open
	envelope bool // so is an envelope
	below    bool // the line above is one of a hunk
	property bool // what follows is about properties in Subversion
	goesOnAt int  // the line up to which goesOn has looked
}

func readUnified(p *parser, text string) {
	p.lines = startLines(text, 1)
	u := &unifiedReader{parser: p, ended: strings.HasSuffix(text, "\n")}
	for p.ok && p.err == nil {
		if u.beginsFile() {
			u.property = false
			u.readFile()
		} else {
			u.readAround()
		}
	}
	if u.envelope {
		p.refuse(max(1, p.n-1), endPatch, fmt.Sprintf("the envelope around the diff has no line %q", endPatch), cutOffHint)
	}
	if len(p.out.Patch.Sections) == 0 {
		p.refuse(max(1, p.n-1), wantSection, "the text has no diff of a file", "Begin the diff of every file with the lines --- a/path and +++ b/path.")
	}
}

// next returns the line below the current one.
func (l lines) next() string {
	l.advance()
	return l.line
}

// beginsPair reports whether l is the line --- of a file header, with the line +++ below.
func (l lines) beginsPair() bool {
	return strings.HasPrefix(l.line, "--- ") && strings.HasPrefix(l.next(), "+++ ")
}

func (u *unifiedReader) belowBeginsPair() bool {
	l := u.lines
	l.advance()
	return l.beginsPair()
}

func (l lines) beginsFile() bool {
	return l.beginsPair() || hasPrefix("diff --git ", "Index: ")(l.line)
}

// isLast reports whether no file follows.
func (u *unifiedReader) isLast() bool {
	l := u.lines
	l.skipBlank()
	return !l.ok || !l.beginsFile()
}

// beginsHeader reports whether a line is the beginning of one that a diff has between hunks.
func beginsHeader(line string) bool {
	return slices.ContainsFunc(append(headerLines, "@@ ", "--- ", "+++ "), func(key string) bool { return strings.HasPrefix(key, line) })
}

// readAround reads a line that belongs to no file.
func (u *unifiedReader) readAround() {
	begun := len(u.out.Patch.Sections) > 0
	below := u.below
	u.below = false
	switch {
	case u.blank():
	case u.takeEnvelope():
	case u.refuseOther():
	case begun && !u.ended && u.rest == "" && beginsHeader(u.line):
		u.refuse(u.n, "", "the text ends within this line: "+fail.Quote(u.line), cutOffHint)
	case strings.HasPrefix(u.line, "diff -") && u.belowBeginsPair(): // the command line of GNU diff
	case isCommit(u.line) && begun:
		u.refuse(u.n, "", "a second commit begins here", "Apply the commits one after the other, each as a patch of its own.")
	case isCommit(u.line) || !begun && hasPrefix("From: ", "Subject: ")(u.line):
		u.mail = true
	case u.mail && !begun:
	case u.mail && u.isSignature(): // the version of git follows
		u.advance()
	case strings.HasPrefix(u.line, "@@"):
		u.refuse(u.n, "--- a/path", "a hunk stands below no file", "Write the lines --- a/path and +++ b/path above the first hunk of a file.")
	case decode.IsFence(u.line) && u.g.reports:
		u.inside = !u.inside
		u.report(u.n, "a Markdown fence was taken off")
	case u.property || begun && hasPrefix("Property changes on: ")(u.line): // strictly refused above
		u.property = true
		u.setLineAside(u.n, u.line)
	case begun && (below || u.inside || strings.IndexByte("-+ \\", u.line[0]) >= 0 && !u.fenceClosed() && !u.isRule()):
		u.refuseMark()
	case u.g.reports:
		u.setLineAside(u.n, u.line)
	default:
		what := "before"
		if begun {
			what = "after"
		}
		u.refuse(u.n, "--- a/path", fmt.Sprintf("%s %s the diff of a file: %s", kindOf(u.line), what, fail.Quote(u.line)),
			"Send the diff alone‹lenient:, or pass {} to have the text around it set aside›.")
	}
	u.fenced = u.fenced || u.inside
	u.advance()
}

// takeEnvelope takes off a line of the envelope around a diff, or refuses it.
func (u *unifiedReader) takeEnvelope() bool {
	begins := u.beginsEnvelopedDiff()
	if !begins && !u.endsEnvelope() {
		return false
	}
	u.envelope = begins
	if u.g.reports {
		u.report(u.n, "an envelope around the diff was taken off")
		return true
	}
	u.refuse(u.n, "--- a/path", "a unified diff in an envelope: "+fail.Quote(u.line), fmt.Sprintf("Send the diff alone, without %q and %q.", beginPatch, endPatch))
	return true
}

// endsEnvelope reports whether the current line ends the envelope that is open.
func (u *unifiedReader) endsEnvelope() bool { return u.envelope && trimEnd(u.line) == endPatch }

// refuseMark refuses a line of a hunk that has no mark.
func (u *unifiedReader) refuseMark() {
	u.refuse(u.n, `" ", "-", "+" or "@@"`, "no line of a hunk begins like this: "+fail.Quote(u.line),
		`Begin every line of a hunk with " " (context), "-" or "+".`+u.lenientHint())
}

// refuseForeign refuses the line that ended a hunk, if it stands right below and is none of a diff.
func (u *unifiedReader) refuseForeign() bool {
	if !u.ok || !u.below || u.line == "" || u.line[0] == '@' || u.beginsFile() || u.refuseOther() {
		return false
	}
	u.refuseMark()
	return true
}

func (u *unifiedReader) lenientHint() string {
	if u.g.reports {
		return ""
	}
	return "‹lenient: If it is text around the diff, pass {}.›"
}

// fenceClosed reports whether the diff stood in a Markdown fence that has ended.
func (u *unifiedReader) fenceClosed() bool { return u.fenced && !u.inside }

// isCommit reports whether a line begins a commit: that of a mail, of git log, or of hg export.
func isCommit(line string) bool {
	if line == "# HG changeset patch" {
		return true
	}
	for _, prefix := range []string{"From ", "commit "} {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			id, _, _ := strings.Cut(rest, " ")
			if (len(id) == 40 || len(id) == 64) && isHex(id) {
				return true
			}
		}
	}
	return false
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdef") == "" }

// refuseOther refuses, by name, a line of another format.
func (u *unifiedReader) refuseOther() bool {
	what, hint := "", "Send everything in one format."
	switch line := u.line; {
	case line == "GIT binary patch":
		what, hint = "a binary patch", "Write the file with another tool: a patch of lines cannot hold it."
	case hasPrefix("Binary files ", "Files ")(line) && strings.HasSuffix(line, " differ"):
		what, hint = "a binary file, whose contents the diff does not have", "Write the file with another tool: a patch of lines cannot hold it."
	case hasPrefix("diff --cc ", "diff --combined ", "@@@ ")(line):
		what, hint = "a combined diff, which has two old files", "Send the diff against one of the two: git diff HEAD, or git show -m."
	case strings.HasPrefix(line, "\x1b["):
		what, hint = "a line in the colours of a terminal", "Send it without colours, as git diff --no-color writes it."
	case isSearch(line) || isReplace(line):
		what = "a SEARCH/REPLACE block beside a unified diff"
	case u.endsEnvelope():
		return false
	case hasPrefix("*** Begin Patch", endPatch)(line):
		what = "an envelope beside a unified diff"
	case isHeader(line):
		what = "a section of another format beside a unified diff"
	case hasPrefix("Submodule ")(line) && strings.Contains(line, ".."):
		what, hint = "the log of a submodule", "Change the submodule with git."
	case line == "~" || isWordDiff(u.lines):
		what, hint = "a word diff, which does not say what becomes of lines", "Send a diff of lines, as git diff writes it without options for words."
	case !u.g.reports && hasPrefix("Property changes on: ")(line):
		what, hint = "a change of properties in Subversion, which is none of a file's lines", "Leave it out‹lenient:, or pass {} to have it set aside›."
	case isContextDiff(u.lines):
		what, hint = "a context diff", "Send a unified diff: diff -u."
	default:
		return false
	}
	u.refuse(u.n, "--- a/path", "this is "+what+": "+fail.Quote(u.line), hint)
	return true
}

func isHeader(line string) bool {
	_, _, ok := emendGrammar.header(line)
	return ok
}

// isWordDiff reports whether l has marks within it, as git diff --word-diff writes them, or a line soon below has.
func isWordDiff(l lines) bool {
	for n := 0; n < 8 && l.ok && l.line != "" && !hasPrefix(" ", "+", "-", "@@", `\`, "diff ", "```")(l.line); n++ {
		if strings.Contains(l.line, "[-") && strings.Contains(l.line, "-]") || strings.Contains(l.line, "{+") && strings.Contains(l.line, "+}") {
			return true
		}
		l.advance()
	}
	return false
}

// isContextDiff reports whether a context diff begins at l.
func isContextDiff(l lines) bool {
	return l.line == "***************" || strings.HasPrefix(l.line, "*** ") && strings.HasPrefix(l.next(), "--- ")
}

// readFile reads the diff of one file.
func (u *unifiedReader) readFile() {
	h := u.readHeader()
	if u.err != nil {
		return
	}
	s, err := h.section()
	if err != "" {
		u.refuse(h.line, wantPath, err, h.hint)
		return
	}
	hunks, right := u.readHunks(h.hasNames)
	if u.err != nil || u.refuseOther() {
		return
	}
	if !right {
		for k := range hunks {
			hunks[k].At = 0
		}
	}
	if len(hunks) == 0 {
		msg, hint := h.lacksHunks(s.Op, u.isLast(), !u.ended)
		if h.hasNames && u.atMark() {
			msg, hint = "the lines below the file header have no line @@ above them", "Write a line @@ above the first line of every hunk‹lenient:, or pass {} to have them read as one hunk›."
		} else if msg == "" && h.hasNames && s.Op != patch.Delete {
			msg, hint = "the file header has no hunks below", "Begin every hunk with a line @@, below +++, or leave the file out."
		}
		if msg != "" {
			u.refuse(h.line, wantHunk, msg, hint)
		}
	}
	if isSubmodule(hunks) {
		u.refuse(h.line, "", "the diff is of a submodule", "Change the submodule with git.")
	}
	if u.err == nil {
		u.fill(&s, hunks)
	}
	if u.err != nil {
		u.err.Path = s.Path
		return
	}
	u.out.Patch.Sections = append(u.out.Patch.Sections, s)
}

// isSubmodule reports whether all that a diff changes is the commit of a submodule.
func isSubmodule(hunks []patch.Hunk) bool {
	if len(hunks) != 1 {
		return false
	}
	for _, l := range hunks[0].Lines {
		if id, ok := strings.CutPrefix(l.Text(), "Subproject commit "); !ok || !isHex(strings.TrimSuffix(id, "-dirty")) {
			return false
		}
	}
	return true
}

// fill gives s what its hunks say.
func (u *unifiedReader) fill(s *patch.Section, hunks []patch.Hunk) {
	only := map[patch.Op]byte{patch.Add: '+', patch.Delete: '-'}[s.Op]
	var content strings.Builder
	for k := range hunks {
		h := &hunks[k]
		if only == 0 {
			continue
		}
		h.Lines, h.Blank = h.Lines[:len(h.Lines)-h.Blank], 0
		for _, l := range h.Lines {
			if s.Op == patch.Add && strings.TrimRight(string(l), " \r") == "" {
				u.refuse(h.Line, "+", `an empty line without "+" inside of a new file`, `Write "+" for every line of the file, the empty ones too.`)
				return
			}
			if l.Mark() != only {
				u.refuse(h.Line, string(only), fmt.Sprintf("the diff of a file that is to %s has another line than those with %q: %s", s.Op, only, fail.Quote(string(l))),
					"Write /dev/null, new file mode or deleted file mode in the header only for a file that is not there before, or afterwards.")
				return
			}
			content.WriteString(l.Text())
			content.WriteByte('\n')
		}
	}
	switch {
	case s.Op == patch.Add:
		s.Content = content.String()
		if n := len(hunks); n > 0 && hunks[n-1].NewOpen {
			s.Content = strings.TrimSuffix(s.Content, "\n")
		}
		return
	case s.Op == patch.Update && s.Mode == patch.KeepMode && !slices.ContainsFunc(hunks, changes):
		if u.refuseForeign() || u.err != nil {
			return
		}
		u.refuse(s.Line, `"-" or "+"`, "the diff changes nothing", `Mark the lines that go with "-" and those that come with "+", or leave the file out.`)
		u.err.Path = s.Path
		return
	}
	s.Hunks = hunks
}

func changes(h patch.Hunk) bool {
	return slices.ContainsFunc(h.Lines, func(l patch.Line) bool { return l.Mark() != ' ' })
}
