package diff

import (
	"strconv"
	"strings"
)

// parser reads line by line. A hunk with numbers has as many lines as it says, whatever they look like.
type parser struct {
	one      bool // file
	n        int  // the number of the line, from 1 on
	files    []*File
	f        *File
	old, new int32 // the numbers of the next lines; 0 where they are not known
	olds     int   // lines that the hunk still has to have
	news     int
	full     bool // the file has a hunk
	in       bool // a hunk
	free     bool // in a section of a patch without numbers: each line with a sign is of it
}

func (p *parser) read(text string) {
	p.begin()
	p.f.lines = make([]line, 0, min(strings.Count(text, "\n")+1, MaxLines))
	for text != "" {
		if p.n == MaxLines {
			p.note(unread(text))
			break
		}
		s := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			s, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		p.n++
		p.line(s, text)
	}
	for _, f := range p.files {
		f.finish()
	}
}

func (p *parser) begin() {
	p.f = &File{Op: Changed}
	p.files, p.full = append(p.files, p.f), false
	p.leave()
}

func (p *parser) leave() { p.in, p.free, p.olds, p.news, p.old, p.new = false, false, 0, 0, 0, 0 }

// line reads s, which rest follows.
func (p *parser) line(s, rest string) {
	switch {
	case (p.olds > 0 || p.news > 0) && p.content(s):
	case s == `\ No newline at end of file` && p.last() != nil:
		p.last().open = true
	case strings.HasPrefix(s, "@@"):
		p.hunk(s)
	case p.starts(s, rest):
		if !p.head(s) {
			p.note(s)
		}
	case (p.in || p.free) && p.content(s):
	case p.head(s):
	default:
		p.note(s)
	}
}

// last is the line before, if it is one of a file and is not known to be open.
func (p *parser) last() *line {
	if n := len(p.f.lines); n > 0 && p.f.lines[n-1].kind <= Del && !p.f.lines[n-1].open {
		return &p.f.lines[n-1]
	}
	return nil
}

// content reads a line of a hunk.
func (p *parser) content(s string) bool {
	l := line{text: s, kind: Same, bare: true}
	if s != "" {
		l.text, l.bare = s[1:], false
		switch s[0] {
		case '+':
			l.kind = Add
		case '-':
			l.kind = Del
		case ' ':
		default:
			return false
		}
	}
	p.full = true
	if l.kind != Add {
		l.old, p.old, p.olds = p.old, next(p.old), p.olds-1
	}
	if l.kind != Del {
		l.new, p.new, p.news = p.new, next(p.new), p.news-1
	}
	p.f.lines = append(p.f.lines, l)
	return true
}

func next(n int32) int32 {
	if n == 0 {
		return 0
	}
	return n + 1
}

// hunk reads the head of one: "@@ -1,2 +3,4 @@ words", or one without numbers.
func (p *parser) hunk(s string) {
	free := p.free
	p.leave()
	p.in, p.free, p.full = true, free, true
	p.f.lines = append(p.f.lines, line{text: s, kind: Hunk, bare: true})
	ranges, _, ok := strings.Cut(strings.TrimPrefix(s, "@@ -"), " @@")
	before, after, both := strings.Cut(ranges, " +")
	old, olds, okOld := span(before)
	now, news, okNew := span(after)
	if !ok || !both || !okOld || !okNew {
		return
	}
	p.old, p.olds, p.new, p.news = max(old, 1), olds, max(now, 1), news
	if olds == 0 {
		p.old++ // a range of no lines names the line before it
	}
	if news == 0 {
		p.new++
	}
}

// span reads "12,3", or "12" for one line.
func span(s string) (at int32, n int, ok bool) {
	first, count, counted := strings.Cut(s, ",")
	v, err := strconv.ParseUint(first, 10, 31)
	if err != nil || v > 1<<30 {
		return 0, 0, false
	}
	if !counted {
		return int32(v), 1, true
	}
	n64, err := strconv.ParseUint(count, 10, 30)
	return int32(v), int(n64), err == nil
}

func (p *parser) note(s string) {
	after := "# what comes to stand there is not shown" // belongs to the file before it
	if !p.one && strings.HasPrefix(s, "# ") && p.begun() && !strings.HasPrefix(s, after) {
		p.begin()
	}
	p.in = false
	p.f.lines = append(p.f.lines, line{text: s, kind: Note, bare: true})
}

// begun reports whether the text has already said which file it is about, or has a hunk.
func (p *parser) begun() bool { return p.full || p.f.From != "" || p.f.To != "" }
