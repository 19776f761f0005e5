package dialect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// devNull is the name of a side that has no file.
const devNull = "/dev/null"

// diffHeader holds the lines above the hunks of one file.
type diffHeader struct {
	line     int
	git      string // the two names of "diff --git"
	index    string // of "Index:"
	hasNames bool   // there are the lines --- and +++
	old, new string // the names on them, with what stands before the path
	noOld    bool   // there is no file before
	noNew    bool   // or afterwards

	from, to string // of a rename or a copy
	op       patch.Op
	mode     string // afterwards, as git writes it
	oldMode  string
	blob     string // of the content before
	newBlob  string // of the content afterwards, as the line index has it
	similar  string // "similarity index"

	hint string // how to mend what section refuses
}

// readHeader reads the lines above the hunks of a file.
func (u *unifiedReader) readHeader() (h diffHeader) {
	h.line = u.n
	for first := true; u.ok && u.err == nil; u.advance() {
		key, value := cutHeader(strings.TrimSuffix(u.line, "\r"))
		switch {
		case u.beginsPair():
			u.readNames(&h)
			return h
		case key == "" && u.refuseOther(), key == "", !first && (key == "diff --git " || key == "Index: "):
			return h
		case key == "rename from ", key == "copy from ":
			h.from = u.name(value)
		case key == "rename to ":
			h.op, h.to = patch.Move, u.name(value)
		case key == "copy to ":
			h.op, h.to = patch.Copy, u.name(value)
		default:
			h.set(key, value)
		}
		first = false
	}
	return h
}

// headerLines are the beginnings of the lines of a header.
var headerLines = []string{"diff --git ", "Index: ", "old mode ", "new mode ", "new file mode ", "deleted file mode ", "copy from ", "copy to ",
	"rename from ", "rename to ", "similarity index ", "dissimilarity index ", "index ", "====", "RCS file: ", "retrieving revision ", "diff -"}

func cutHeader(line string) (key, value string) {
	for _, key := range headerLines {
		if value, ok := strings.CutPrefix(line, key); ok {
			return key, value
		}
	}
	return "", ""
}

func (h *diffHeader) set(key, value string) {
	switch key {
	case "diff --git ":
		h.git = value
	case "Index: ":
		h.index = strings.TrimSpace(value)
	case "old mode ":
		h.oldMode = value
	case "new mode ":
		h.mode = value
	case "new file mode ":
		h.op, h.mode = patch.Add, value
	case "deleted file mode ":
		h.op, h.oldMode = patch.Delete, value
	case "index ":
		names, mode, _ := strings.Cut(value, " ")
		if mode != "" && h.mode == "" {
			h.oldMode = mode
		}
		old, new, _ := strings.Cut(names, "..")
		if h.newBlob = new; len(old) >= 7 && isHex(old) && strings.Trim(old, "0") != "" {
			h.blob = old
		}
	case "similarity index ":
		h.similar = strings.TrimSpace(value)
	}
}

// emptyBlobs are the names of the empty content in git, in its two formats.
var emptyBlobs = []string{"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"}

func isEmptyBlob(name string) bool {
	return len(name) >= 7 && (strings.HasPrefix(emptyBlobs[0], name) || strings.HasPrefix(emptyBlobs[1], name))
}

// readNames reads the lines --- and +++.
func (u *unifiedReader) readNames(h *diffHeader) {
	h.hasNames = true
	read := func(prefix string) (name, label string) {
		name, label = cutLabel(strings.TrimSuffix(strings.TrimPrefix(u.line, prefix), "\r"))
		name = u.name(name)
		u.advance()
		return name, label
	}
	var old, new string
	h.old, old = read("--- ")
	h.new, new = read("+++ ")
	h.old, h.new = asDevNull(h.old, h.new), asDevNull(h.new, h.old)
	h.noOld = h.old == devNull || saysNone(old) || old == "(revision 0)"
	h.noNew = h.new == devNull || saysNone(new)
}

// label is what programs write behind a name: a date, or what Subversion says of its versions. A tab stands before it, which models turn
// into spaces.
var label = pattern(`(\t.*| +(\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?( [-+]\d{4})?|\((revision \d+|working copy|nonexistent)\)))$`)

func cutLabel(value string) (name, what string) {
	if at := label().FindStringIndex(value); at != nil {
		return value[:at[0]], strings.TrimSpace(value[at[0]:])
	}
	return value, ""
}

// saysNone reports whether the label behind a name says that there is no file: the time is the one that GNU diff gives such a file, or
// Subversion says so.
func saysNone(label string) bool {
	if label == "(nonexistent)" {
		return true
	}
	at, err := time.Parse("2006-01-02 15:04:05.999999999 -0700", label)
	return err == nil && at.Equal(time.Unix(0, 0))
}

// asDevNull returns /dev/null for a name that is meant to be it: with a/ or b/ before it, as models write it.
func asDevNull(name, other string) string {
	if rest := strings.TrimPrefix(afterFirst(name), "/"); rest == "dev/null" && name != other && afterFirst(name) != afterFirst(other) {
		return devNull
	}
	return name
}

// name reads a path, which may be quoted.
func (u *unifiedReader) name(value string) string {
	if strings.HasPrefix(value, `"`) {
		name, rest, ok := unquote(value)
		if !ok || strings.TrimLeft(rest, " \t") == rest && rest != "" {
			u.refuse(u.n, wantPath, "the quoted path does not end, or has an unknown escape: "+fail.Quote(value), `Quote a path as git does: "a/tab\there", or write it as it is.`)
		}
		return name
	}
	name := value
	if trimmed := strings.TrimSpace(name); trimmed != name {
		if !u.g.reports {
			u.refuse(u.n, wantPath, fmt.Sprintf("the path %s has white space around it", fail.Quote(name)), "Write one space before the path and nothing, or a tab, after it.")
		}
		u.report(u.n, "the white space around the path %s was taken off", fail.Quote(trimmed))
		name = trimmed
	}
	if bare := bareName(name); u.g.reports && bare != name {
		u.report(u.n, "the path was read as %s", fail.Quote(bare))
		name = bare
	}
	return name
}

// aroundName is what models write around and behind a path that is no part of it.
var aroundName = pattern("^(`([^`]+)`|\\*\\*([^*]+)\\*\\*|'([^']+)')$|^(.+?) +\\([a-z][a-z ]*\\)$")

func bareName(name string) string {
	if m := aroundName().FindStringSubmatch(name); m != nil {
		return m[2] + m[3] + m[4] + m[5]
	}
	return name
}

// unquote reads a path in double quotes, as git and GNU diff write it, and returns what follows.
func unquote(s string) (name, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case c != '\\':
			b.WriteByte(c)
		case i+1 == len(s):
			return "", "", false
		case '0' <= s[i+1] && s[i+1] <= '3' && i+3 < len(s) && isOctal(s[i+2]) && isOctal(s[i+3]):
			b.WriteByte((s[i+1]-'0')<<6 | (s[i+2]-'0')<<3 | (s[i+3] - '0'))
			i += 3
		default:
			n := strings.IndexByte(`"\abtnvfr`, s[i+1])
			if n < 0 {
				return "", "", false
			}
			b.WriteByte("\"\\\a\b\t\n\v\f\r"[n])
			i++
		}
	}
	return "", "", false
}

func isOctal(c byte) bool { return '0' <= c && c <= '7' }

// QuotePath quotes a path as git does in a diff.
func QuotePath(p string) string {
	if !strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		return p
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		switch c := p[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// section returns the section of the header, without hunks, or what is wrong with it.
func (h *diffHeader) section() (s patch.Section, wrong string) {
	s = patch.Section{Op: h.op, Line: h.line, Blob: h.blob}
	gitOld, gitNew := splitGit(h.git)
	switch {
	case h.noOld && h.noNew:
		return s, "the header says that there is no file before and none afterwards"
	case h.noOld && s.Op == 0:
		s.Op = patch.Add
	case h.noNew && s.Op == 0:
		s.Op = patch.Delete
	case s.Op == 0:
		s.Op = patch.Update
	}
	h.hint = "Write the same path on both lines, with a/ and b/ before it or without. A file that moves has the lines rename from and rename to below diff --git."
	switch {
	case s.Op == patch.Move || s.Op == patch.Copy:
		s.Path, s.To = h.from, h.to
		if s.Path == "" || s.To == "" {
			return s, "a rename or a copy needs two lines, from and to"
		}
		if h.hasNames && !(names(h.old, s.Path) && names(h.new, s.To)) {
			return s, fmt.Sprintf("the lines --- and +++ name other files than the %s", s.Op)
		}
	case !h.hasNames:
		s.Path, wrong = commonPath(gitOld, gitNew, h.index)
	case s.Op != patch.Add && h.noOld, s.Op != patch.Delete && h.noNew:
		h.hint = "Write /dev/null on the line --- of a file that is new, or on the line +++ of one that goes, and on no other."
		return s, "the lines of the header do not agree whether the file is added or deleted"
	case h.old == devNull:
		s.Path = withoutPrefix(h.new, gitOld, gitNew)
	case h.new == devNull:
		s.Path = withoutPrefix(h.old, gitOld, gitNew)
	default:
		s.Path, wrong = commonPath(h.old, h.new, h.index)
	}
	switch {
	case wrong != "":
		return s, wrong
	case s.Path == "":
		h.hint = "Write the lines --- a/path and +++ b/path."
		return s, "the header names no path"
	}
	return s, h.setMode(&s)
}

// lacksHunks says why a diff of a file without hunks cannot be whole, or returns "" if it can be. last says that the text ends with it,
// and open that no newline ends the text.
func (h *diffHeader) lacksHunks(op patch.Op, last, open bool) (wrong, hint string) {
	switch {
	case op == patch.Add && h.newBlob != "" && !isEmptyBlob(h.newBlob):
		return "the new file is not empty by its line index, and no lines of it follow", cutOffHint
	case op == patch.Delete && last && open:
		return "the text ends in the header of a file that goes, and no newline ends it", "The text may have been cut off: send it again, whole. If it is whole, end it with a newline."
	case op == patch.Add && h.newBlob == "" && last:
		return "no lines of the new file follow", "The text may have been cut off: send it again, whole. If the file is to be empty, write index 0000000..e69de29 below its mode."
	case op != patch.Add && op != patch.Delete && (h.similar != "" && h.similar != "100%" || h.newBlob != h.blob && strings.Trim(h.newBlob, "0") != ""):
		return "the header says that the content changes, and no hunks follow", cutOffHint
	case (op == patch.Move || op == patch.Copy) && last && open && !h.gitNames():
		return fmt.Sprintf("the line diff --git names other files than the %s", op), cutOffHint
	}
	return "", ""
}

const cutOffHint = "The text may have been cut off: send it again, whole."

// gitNames reports whether the line diff --git, if there is one, has the names of the rename or the copy.
func (h *diffHeader) gitNames() bool {
	if h.git == "" {
		return true
	}
	if strings.Contains(h.git, `"`) {
		old, new := splitQuoted(h.git)
		return names(old, h.from) && names(new, h.to)
	}
	before, ok := strings.CutSuffix(h.git, h.to)
	i := strings.LastIndexByte(before, ' ')
	return ok && i >= 0 && names(before[:i], h.from) && strings.IndexByte(before[i+1:]+"/", '/') >= len(before[i+1:])-1
}

// setMode says what becomes of the mode, of which there are two.
func (h *diffHeader) setMode(s *patch.Section) (wrong string) {
	h.mode, h.oldMode = wholeMode(h.mode), wholeMode(h.oldMode)
	for _, mode := range []string{h.mode, h.oldMode} {
		switch {
		case mode == "" || strings.HasPrefix(mode, "100") && len(mode) == 6 && strings.Trim(mode, "01234567") == "":
		case mode == "120000" && s.Op == patch.Delete:
		case mode == "120000":
			h.hint = "Make the link with another tool."
			return "the diff is of a symbolic link"
		case mode == "160000":
			h.hint = "Change the submodule with git."
			return "the diff is of a submodule"
		default:
			h.hint = "Modes are 100644 and 100755."
			return "the mode " + fail.Quote(mode) + " is none of a file"
		}
	}
	switch executable := h.mode != "" && (h.mode[3]-'0')&1 != 0; {
	case h.mode == "" || s.Op == patch.Add && !executable:
	case executable:
		s.Mode = patch.Executable
	default:
		s.Mode = patch.NotExecutable
	}
	return ""
}

// wholeMode returns a mode as git writes it. Models write it as chmod reads it.
func wholeMode(mode string) string {
	if bits := strings.TrimPrefix(mode, "0"); len(bits) == 3 && strings.Trim(bits, "01234567") == "" {
		return "100" + bits
	}
	return mode
}

// names reports whether a name of --- or +++ is that of path.
func names(name, path string) bool { return name == path || afterFirst(name) == path }

// afterFirst returns a path without its first name.
func afterFirst(p string) string {
	_, rest, _ := strings.Cut(p, "/")
	return rest
}

// commonPath returns the path of a file whose two sides have these names: they are the same, or differ in the first name of the path only,
// or only one has a/ or b/ before it, or the old one is a backup, or the new one a draft. index is the name on a line above, which counts if the names are of two files.
func commonPath(old, new, index string) (path, wrong string) {
	switch rest := afterFirst(new); {
	case old == new:
		return new, ""
	case rest != "" && afterFirst(old) == rest:
		return rest, ""
	case old == "a/"+new || isBackup(old, new):
		return new, ""
	case new == "b/"+old || new == old+newSuffix:
		return old, ""
	case rest != "" && isBackup(afterFirst(old), rest):
		return rest, ""
	case rest != "" && rest == afterFirst(old)+newSuffix:
		return afterFirst(old), ""
	case index != "":
		return index, ""
	case !strings.Contains(old+new, "/"): // a\x and b\x, as on Windows
		if o, n := strings.TrimPrefix(old, `a\`), strings.TrimPrefix(new, `b\`); o == n {
			return n, ""
		}
	}
	return "", fmt.Sprintf("the header names two files, %s and %s", fail.Quote(old), fail.Quote(new))
}

// newSuffix ends the name of a changed copy of a file.
const newSuffix = ".new"

func isBackup(name, of string) bool {
	rest, ok := strings.CutPrefix(name, of)
	return ok && slices.Contains([]string{".orig", ".old", ".bak", "~"}, rest)
}

// withoutPrefix returns the path of a file that one side has. The line diff --git shows whether something stands before it.
func withoutPrefix(name, gitOld, gitNew string) string {
	switch {
	case gitOld != "" && gitOld == gitNew:
		return name
	case gitOld != "":
		return afterFirst(name)
	case strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/"):
		return name[2:]
	}
	return name
}

// splitGit splits the two names of "diff --git", which are those of one file; it returns none if they are not.
func splitGit(s string) (old, new string) {
	if strings.HasPrefix(s, `"`) || strings.HasSuffix(s, `"`) {
		return splitQuoted(s)
	}
	half := len(s) / 2
	if len(s)%2 == 0 || s[half] != ' ' {
		return "", ""
	}
	if old, new = s[:half], s[half+1:]; old == new || afterFirst(old) == afterFirst(new) {
		return old, new
	}
	return "", ""
}

// splitQuoted splits two names of which one or both are quoted.
func splitQuoted(s string) (old, new string) {
	if strings.HasPrefix(s, `"`) {
		old, rest, ok := unquote(s)
		rest, spaced := strings.CutPrefix(rest, " ")
		if !ok || !spaced {
			return "", ""
		}
		if new = rest; strings.HasPrefix(rest, `"`) {
			new, _, _ = unquote(rest)
		}
		return old, new
	}
	i := strings.Index(s, ` "`)
	if i < 0 {
		return "", ""
	}
	new, _, _ = unquote(s[i+1:])
	return s[:i], new
}
