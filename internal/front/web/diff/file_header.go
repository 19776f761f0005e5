package diff

import "strings"

// startsFile reports whether line s, which rest follows, begins the diff of a file.
func (p *parser) startsFile(s, rest string) bool {
	if strings.HasPrefix(s, "--- ") {
		return strings.HasPrefix(rest, "+++ ") && !p.unnumbered
	}
	return strings.HasPrefix(s, "diff --git ") || strings.HasPrefix(s, "*** ")
}

// header reads s as a line of a file's header, and reports whether it is one. If the current file has a hunk already, the
// line begins the next file. With single set it is not read then.
func (p *parser) header(s string) bool {
	key, value := cutHeader(s)
	if key == "" {
		return false
	}
	if p.hasHunk || beginsFile(key) && key != "--- " && p.hasFile() {
		if p.single || !beginsFile(key) {
			return false
		}
		p.beginFile()
	}
	if beginsFile(key) {
		p.endHunk()
	}
	p.file.setHeader(key, value)
	p.unnumbered = p.unnumbered || key == "*** Add File: " || key == "*** Update File: "
	p.file.headerLines = append(p.file.headerLines, p.lineNumber)
	return true
}

// headerPrefixes are the beginnings of the known lines of a header.
var headerPrefixes = []string{
	"diff --git ", "old mode ", "new mode ", "new file mode ", "deleted file mode ", "rename from ", "rename to ", "copy from ", "copy to ", "index ", "--- ", "+++ ", "Binary files ",
	"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "*** Begin Patch",
}

func cutHeader(s string) (key, value string) {
	for _, h := range headerPrefixes {
		if value, ok := strings.CutPrefix(s, h); ok {
			return h, value
		}
	}
	return "", ""
}

// beginsFile reports whether a header line with this prefix is the first of its file.
func beginsFile(key string) bool {
	switch key {
	case "diff --git ", "--- ", "*** Begin Patch", "*** Add File: ", "*** Update File: ", "*** Delete File: ":
		return true
	}
	return false
}

// setHeader notes what a header line says.
func (f *File) setHeader(key, value string) {
	switch key {
	case "diff --git ":
		f.From, f.To = splitNames(value)
	case "--- ":
		f.setName(value, &f.From, "a/", Added)
	case "+++ ":
		f.setName(value, &f.To, "b/", Deleted)
	case "new file mode ":
		f.Op, f.Link = Added, value == "120000"
	case "deleted file mode ":
		f.Op, f.Link = Deleted, value == "120000"
	case "rename from ":
		f.From, f.Op = unquote(value), Moved
	case "rename to ":
		f.To, f.Op = unquote(value), Moved
	case "Binary files ":
		f.Binary = true
	case "*** Add File: ":
		f.To, f.Op = value, Added
	case "*** Update File: ":
		f.From, f.To = value, value
	case "*** Delete File: ":
		f.From, f.Op = value, Deleted
	case "*** Move to: ":
		f.To, f.Op = value, Moved
	}
}

// setName reads the name in "--- a/name", which a tab and a date may follow.
func (f *File) setName(value string, to *string, prefix string, without Op) {
	value, _, _ = strings.Cut(value, "\t")
	if value == "/dev/null" {
		f.Op = without
		return
	}
	*to = strings.TrimPrefix(unquote(value), prefix)
}

// splitNames reads "a/name b/name". Names with spaces are quoted, or both the same.
func splitNames(s string) (from, to string) {
	if strings.HasPrefix(s, `"`) {
		i := 1
		for i < len(s) && s[i] != '"' {
			if s[i] == '\\' {
				i++
			}
			i++
		}
		i = min(i+1, len(s))
		from, to = s[:i], strings.TrimPrefix(s[i:], " ")
	} else if half := len(s) / 2; len(s)%2 == 1 && s[half] == ' ' && s[:half] == "a/"+strings.TrimPrefix(s[half+1:], "b/") {
		from, to = s[:half], s[half+1:]
	} else if i := strings.LastIndex(s, " b/"); i >= 0 {
		from, to = s[:i], s[i+1:]
	} else {
		from, to, _ = strings.Cut(s, " ")
	}
	return strings.TrimPrefix(unquote(from), "a/"), strings.TrimPrefix(unquote(to), "b/")
}

// unquote reads a name as git writes it. Names with control characters are in quotes and have escapes.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte("abtnvfr", s[i]); at >= 0 {
			b.WriteByte(byte('\a' + at))
		} else if i+2 < len(s) && isOctal(s[i]) && isOctal(s[i+1]) && isOctal(s[i+2]) {
			b.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isOctal(c byte) bool { return '0' <= c && c <= '7' }
