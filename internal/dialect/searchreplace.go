package dialect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/patch"
	"znkr.io/diff"
)

// SearchReplace is the SEARCH/REPLACE block, as aider, Cline and Roo have it.
var SearchReplace = &Dialect{
	Name: "search-replace", Doc: "SEARCH/REPLACE blocks, as of aider, Cline and Roo: exactly one place for every block",
	Parse:     parseWith(&searchReplaceGrammar),
	Print:     printBlocks,
	PrintHunk: printBlock,
	Claims:    claimsFormat(searchReplaceFormat),
	Rules: func(o Options) Rules {
		r := emendRules(o)
		r.RepeatPaths, r.MakeParents, r.MustChange, r.AnyOrder, r.Unmarked, r.AddFills = true, true, true, true, true, true
		r.ToAdd, r.ToUpdate = "An empty SEARCH makes a new file.", "To change the file, write lines of it in SEARCH."
		return r
	},
	Words: Words{Hunks: true},
}

var (
	searchReplaceGrammar        = grammar{name: "search-replace", reader: readBlocks, lenient: &lenientSearchReplaceGrammar}
	lenientSearchReplaceGrammar = grammar{name: "search-replace", reader: readBlocks, reports: true, decodes: true, written: decode.Blocks}
)

// A block is made up of three lines, its marks, each of as many characters as the others: five to nine, usually seven.
const (
	usualMark = 7
	divider   = "======="
	firstMark = "<<<<<<< SEARCH"
	lastMark  = ">>>>>>> REPLACE"
)

// blockMark reads a line as a mark of a block: the character and how often it stands there. Cline writes - and + instead of < and >.
func blockMark(line string) (c byte, n int, ok bool) {
	line = trimEnd(line)
	if line == "" {
		return 0, 0, false
	}
	c = line[0]
	word := strings.TrimLeft(line, line[:1])
	switch n = len(line) - len(word); c {
	case '<', '-':
		ok = word == " SEARCH" || word == " SEARCH>"
	case '=':
		ok = word == ""
	case '>', '+':
		ok = word == " REPLACE"
	}
	return c, n, ok && 5 <= n && n <= 9
}

// markOf writes a mark.
func markOf(c byte, n int) string {
	return strings.Repeat(string(c), n) + map[byte]string{'<': " SEARCH", '-': " SEARCH", '>': " REPLACE", '+': " REPLACE"}[c]
}

// isSearch reports whether a line begins a block.
func isSearch(line string) bool {
	c, _, ok := blockMark(line)
	return ok && (c == '<' || c == '-')
}

// mayBeMark reports whether a line of code is one that a block whose marks have n characters has a backslash before: a mark, a line of a
// conflict, or one that Roo writes below the first.
func mayBeMark(line string, n int) bool {
	if _, m, ok := blockMark(line); ok && m == n {
		return true
	}
	run := strings.TrimLeft(line, line[:min(1, len(line))])
	conflict := line != "" && strings.IndexByte("<>|-", line[0]) >= 0 && len(line)-len(run) == usualMark && (run == "" || run[0] == ' ')
	return conflict || hasPrefix(":start_line:", ":end_line:")(line)
}

// unescape takes off the backslash before a line of code that may be taken for one of a block.
func unescape(line string, n int) string {
	if rest := strings.TrimLeft(line, `\`); rest != line && mayBeMark(rest, n) {
		return line[1:]
	}
	return line
}

// escape puts a backslash before a line that would be read as one of a block, or that begins with such a backslash.
func escape(line string) string {
	rest := strings.TrimLeft(line, `\`)
	_, n, ok := blockMark(line)
	if ok && n == usualMark || rest != line && mayBeMark(rest, usualMark) || hasPrefix(":start_line:", ":end_line:")(line) {
		return `\` + line
	}
	return line
}

// blockReader reads SEARCH/REPLACE blocks.
type blockReader struct {
	*parser
	path   string // of the blocks that follow
	pathAt int
	named  bool // the path stands above the next block
	words  bool // it may be text
	inside bool // a Markdown fence is open
}

func readBlocks(p *parser, text string) {
	p.lines = startLines(text, 1)
	u := &blockReader{parser: p}
	for p.ok && p.err == nil {
		if isSearch(p.line) {
			u.readBlock()
		} else {
			u.readAround()
		}
	}
	if u.named && p.err == nil {
		u.setAside(u.pathAt, u.path)
	}
	if len(p.out.Patch.Sections) == 0 {
		p.refuse(max(1, p.n-1), wantSection, "the text has no SEARCH/REPLACE block", "Begin every block with the line "+firstMark+".")
	}
}

// readAround reads a line outside of the blocks: a path, a Markdown fence, or other text.
func (u *blockReader) readAround() {
	line := trimEnd(u.line)
	switch {
	case line == "":
	case decode.IsFence(line):
		if u.inside = !u.inside; u.inside && u.g.reports && !u.named {
			u.readFence(line)
		}
	case line == divider || isReplace(line):
		u.refuse(u.n, firstMark, "this line belongs to no block: "+fail.Quote(line),
			`If it is code, write a backslash before it; if a block is to end here, begin it with `+firstMark+".")
	case line == beginPatch || line == endPatch || isHeader(line), u.beginsPair(), hasPrefix("diff --git ", "@@ ")(line):
		u.refuse(u.n, firstMark, "this is no SEARCH/REPLACE block: "+fail.Quote(line), "Send everything in one format.")
	case u.g.reports && tag().MatchString(line):
		u.setLineAside(u.n, line)
	default:
		if u.named {
			u.setAside(u.pathAt, u.path)
		}
		u.path, u.pathAt, u.named = u.line, u.n, true
	}
	u.advance()
}

// setAside is about a line that is neither path nor block.
func (u *blockReader) setAside(n int, line string) {
	if u.g.reports {
		u.setLineAside(n, line)
		return
	}
	u.refuse(n, "a path, or "+firstMark, "text around the blocks: "+fail.Quote(line),
		"Write nothing above a block but the path of its file‹lenient:, or pass {} to have other text set aside›.")
}

func isReplace(line string) bool {
	c, _, ok := blockMark(line)
	return ok && (c == '>' || c == '+')
}

// tag is a line that holds nothing but tags of XML, in which programs put what a model calls.
var tag = pattern(`^ *(?:</?[a-zA-Z_-]+>|<!\[CDATA\[|\]\]>| )+$`)

// fencePath is what follows a Markdown fence that names a file: "x.go", "go x.go", "go:x.go", `go title="x.go"`.
var fencePath = pattern("^[`~]{3,} *(?:[a-zA-Z0-9+#_-]+[ :] *)?(?:\\{?(?:title|file|filename|path)=|\\{)?[\"']?([^\\s\"'{}:]*[./][^\\s\"'{}:]*)[\"']?\\}?$")

// readFence takes the path of the blocks from the line of a fence.
func (u *blockReader) readFence(line string) {
	if m := fencePath().FindStringSubmatch(line); m != nil {
		u.path, u.pathAt, u.named = m[1], u.n, true
		u.report(u.n, "the path was read as %s", fail.Quote(u.path))
	}
}

// readPath takes the line above a block as its path.
func (u *blockReader) readPath() {
	if !u.named {
		if u.path == "" {
			u.refuse(u.n, wantPath, "the block names no file", "Write the path of the file on a line of its own above the block.")
		}
		return
	}
	p := trimEnd(u.path)
	if u.words = false; u.g.reports {
		p = u.bareName(p)
	}
	if u.named = false; p != strings.TrimSpace(p) || strings.ContainsRune(":.,;!?", rune(p[len(p)-1])) {
		u.refuse(u.pathAt, wantPath, "the line above the block is no path: "+fail.Quote(u.path),
			"Write the path of the file alone on the line above the block.")
	}
	u.path = p
}

// pathLine is what models write around a path: a list, a heading, a comment, a tag, and a word that says that it is one.
var pathLine = pattern(`(?i)^ *(?:[-*+] |\d+[.)] |#+ ?|// ?|/\* ?|<!-- ?|<(?:path|file|file_path|filename)>)? *(?:\**(?:file|filename|file name|path|file path|filepath)(?::\**|\**:) *)?(.*?) *(?:\*/|-->|</[a-z_]+>)?(:?)$`)

// bareName takes off what models write around a path. A line of several words is text, unless a file has it for its name.
func (u *blockReader) bareName(p string) string {
	m := pathLine().FindStringSubmatch(p)
	bare := strings.TrimSuffix(m[1], ":")
	marked := bareName(strings.Trim(bare, "*`\"'"))
	if in := strings.Split(bare, "`"); len(in) == 3 && strings.HasSuffix(p, ":") { // "Update `x.go`:"
		marked = in[1]
	}
	if u.words = strings.ContainsAny(marked, " \t") && marked == bare; u.words || marked == "" {
		return strings.TrimSpace(p)
	}
	if marked != p {
		u.report(u.pathAt, "the path was read as %s", fail.Quote(marked))
	}
	return marked
}

// readBlock reads one block.
func (u *blockReader) readBlock() {
	u.readPath()
	at := u.n
	first, n, _ := blockMark(u.line)
	last := byte('>')
	if first == '-' {
		last = '+'
	}
	u.advance()
	start := u.readStart()
	search := u.readPart(at, '=', last, n)
	u.advance()
	replace := u.readPart(at, last, 0, n)
	u.advance()
	if u.err != nil {
		return
	}
	u.add(at, start, search, replace)
}

// readStart reads the line numbers that Roo writes below the first line, and returns the first; 0 for none.
func (u *blockReader) readStart() (start int) {
	for _, key := range []string{":start_line:", ":end_line:"} {
		value, ok := strings.CutPrefix(trimEnd(u.line), key)
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if !isNumber(value) {
			u.refuse(u.n, "a number", "no line number: "+fail.Quote(u.line), "Write the number of the first line of the block, or leave the line out.")
		}
		if n, _ := strconv.Atoi(value); key == ":start_line:" {
			start = n
		}
		if u.advance(); trimEnd(u.line) == "-------" {
			u.advance()
			return start
		}
	}
	return start
}

// readPart reads the lines up to the mark that ends a part of the block that began on line at. other is the mark that must not come
// first. Marks have n characters.
func (u *blockReader) readPart(at int, end, other byte, n int) (part []string) {
	loose := u.g.reports && end != '=' && u.endsOtherwise(end, n)
	for ; u.ok && u.err == nil; u.advance() {
		switch c, m, ok := blockMark(u.line); {
		case ok && c == end && m == n, loose && isReplace(u.line):
			if c != end || m != n {
				u.report(u.n, "the line %s was read as %s", fail.Quote(trimEnd(u.line)), markOf(end, n))
			}
			return part
		case ok && m == n:
			msg := fmt.Sprintf("the block has the line %s, which may be code, before the one that ends this part: %s", fail.Quote(trimEnd(u.line)), markOf(end, n))
			hint := `Write a backslash before every line of code that looks like one of a block: \` + divider + "."
			if c == other {
				msg, hint = fmt.Sprintf("the block has no line %s", markOf('=', n)), "Write that line between the lines to look for and those to put there."
			}
			u.refuse(u.n, markOf(end, n), msg, hint)
		}
		part = append(part, unescape(u.line, n))
	}
	u.refuse(max(at, u.n-1), markOf(end, n), fmt.Sprintf("the block that begins on line %d does not end", at), cutOffHint)
	return nil
}

// endsOtherwise reports whether the block does not have the mark c of n characters at its end, and has one of another number, or as the other
// programs write it.
func (u *blockReader) endsOtherwise(c byte, n int) bool {
	others := 0
	for l := u.lines; l.ok && !isSearch(l.line); l.advance() {
		if d, m, _ := blockMark(l.line); isReplace(l.line) {
			if d == c && m == n {
				return false
			}
			others++
		}
	}
	return others == 1
}

// add adds a block to the patch: to the section above, if it is of the same file.
func (u *blockReader) add(at, start int, search, replace []string) {
	sections := u.out.Patch.Sections
	switch last := len(sections) - 1; {
	case len(search) == 0 && len(replace) == 0:
		u.refuse(at, "lines", "the block is empty", "Write the lines to look for and those to put there.")
	case len(search) == 0 && start > 0:
		u.refuse(at, "a line", "the block has a line number, and no line to look for", "Write the line above or below, in both parts.")
	case len(search) == 0 && u.words:
		u.refuse(u.pathAt, wantPath, "the line above the block may be a path or text: "+fail.Quote(u.path), "Write a path with spaces in it between backticks.")
	case len(search) == 0:
		u.out.Patch.Sections = append(sections, patch.Section{Op: patch.Add, Path: u.path, Line: at, Content: strings.Join(replace, "\n") + "\n"})
	default:
		h := patch.Hunk{Line: at + 1, At: start, Lines: blockLines(search, replace)}
		if !changes(h) {
			u.refuse(at, "", "the block changes nothing: both parts are the same", "Leave it out, or write what is to stand there.")
			return
		}
		if last >= 0 && sections[last].Op == patch.Update && sections[last].Path == u.path {
			sections[last].Hunks = append(sections[last].Hunks, h)
			return
		}
		u.out.Patch.Sections = append(sections, patch.Section{Op: patch.Update, Path: u.path, Line: at, Hunks: []patch.Hunk{h}})
	}
}

// minimalLines bounds the lines of a block for the shortest diff there is. That of a larger one takes about linear time.
const minimalLines = 500

// blockLines returns the lines of a hunk that turns old into new. A line of both is context.
func blockLines(old, new []string) []patch.Line {
	lines := make([]patch.Line, 0, len(old)+len(new))
	add := func(mark string, part []string) {
		for _, l := range part {
			lines = append(lines, patch.Line(mark+l))
		}
	}
	how := diff.Fast()
	if len(old)+len(new) <= minimalLines {
		how = diff.Minimal()
	}
	at := 0
	for _, c := range diff.Hunks(old, new, diff.Context(0), how) {
		add(" ", old[at:c.PosX])
		add("-", old[c.PosX:c.EndX])
		add("+", new[c.PosY:c.EndY])
		at = c.EndX
	}
	add(" ", old[at:])
	return lines
}

// printBlocks writes p as aider has it. It cannot say that a file goes or moves, what a mode becomes, or how a file ends.
func printBlocks(p patch.Patch) (string, error) {
	w := &printer{g: &searchReplaceGrammar}
	w.writeEnvironment(p.Environment)
	for i := range p.Sections {
		s := &p.Sections[i]
		w.section, w.path, w.hunk = i+1, s.Path, 0
		switch {
		case s.Op != patch.Add && s.Op != patch.Update:
			w.cannot("a section with the operation %s", s.Op)
		case s.Mode != patch.KeepMode:
			w.cannot("whether a file is executable")
		case s.Op == patch.Add && (!strings.HasSuffix(s.Content, "\n") || len(s.Hunks) > 0):
			w.cannot("a new file that does not end in a newline")
		case s.Op == patch.Add:
			w.writeLine(s.Path)
			w.writeLines(0, nil, strings.Split(strings.TrimSuffix(s.Content, "\n"), "\n"))
		case len(s.Hunks) == 0 || s.To != "" || s.Content != "":
			w.cannot("an update without hunks")
		}
		for k := range s.Hunks {
			w.hunk = k + 1
			if k == 0 {
				w.writeLine(s.Path)
			}
			w.writeBlock(s.Hunks[k])
		}
	}
	if len(p.Sections) == 0 {
		w.cannot("a patch without sections")
	}
	return w.proved(p, sameBlocks)
}

// sameBlocks reports whether b looks for the same as a, and leaves the same.
func sameBlocks(a, b *patch.Section) bool {
	if a.Op != b.Op || a.Path != b.Path || a.Content != b.Content || len(a.Hunks) != len(b.Hunks) {
		return false
	}
	for k := range a.Hunks {
		x, y := &a.Hunks[k], &b.Hunks[k]
		if strings.Join(x.Old(), "\n") != strings.Join(y.Old(), "\n") || strings.Join(x.New(), "\n") != strings.Join(y.New(), "\n") {
			return false
		}
	}
	return true
}

func (w *printer) writeBlock(h patch.Hunk) {
	switch {
	case !w.isHunk(&h):
	case len(h.Anchors) > 0:
		w.cannot("what the anchor %s means", fail.Quote(h.Anchors[0]))
	case h.OldOpen || h.NewOpen || h.AtEnd:
		w.cannot("how a file ends")
	case !hasOld(h.Lines):
		w.cannot("lines that are added without a line beside them")
	default:
		w.writeLines(h.At, h.Old(), h.New())
	}
}

func (w *printer) writeLines(at int, old, new []string) {
	write := func(lines []string) {
		for _, l := range lines {
			w.writeBodyLine(escape(l))
		}
	}
	w.writeLine(firstMark)
	if at > 0 {
		w.writeLine(fmt.Sprintf(":start_line:%d\n-------", at))
	}
	write(old)
	w.writeLine(divider)
	write(new)
	w.writeLine(lastMark)
}

// printBlock writes h alone.
func printBlock(h patch.Hunk) (string, bool) {
	w := &printer{g: &searchReplaceGrammar}
	w.writeBlock(h)
	return w.String(), w.err == nil
}
