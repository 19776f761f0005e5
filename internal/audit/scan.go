package audit

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"unicode/utf8"
)

// lineScanner reads a line as [Record.body] writes it: these fields, in this order, without space. encoding/json reads any
// other line, and takes ten times as long.
type lineScanner struct {
	b   []byte
	at  int
	bad bool // the line is written otherwise
}

// scanRecord reads a line. ok is false if it is not written as [encode] writes it; then it may still be a record.
func scanRecord(line []byte) (r *Record, ok bool) {
	if len(line) == 0 || line[0] != '{' {
		return nil, false
	}
	s, r := &lineScanner{b: line, at: 1}, &Record{V: version}
	if s.must("v"); s.number(math.MaxInt) != version {
		return nil, false
	}
	s.must("seq")
	r.Seq = s.number(math.MaxUint64)
	s.must("ts")
	from := s.at
	if s.text(); s.bad || r.TS.UnmarshalJSON(line[from:s.at]) != nil {
		return nil, false
	}
	s.must("prev")
	r.Prev = s.text()
	s.must("kind")
	r.Kind = Kind(s.text())
	r.Group = int(s.size("group"))
	s.optional("tx", &r.Tx)
	s.optional("idem", &r.Idem)
	s.optional("request", &r.Request)
	s.optional("dialect", &r.Dialect)
	if s.field("actor") {
		s.object(func() { s.actor(&r.Actor) })
	}
	s.optional("policyHash", &r.PolicyHash)
	if s.field("ops") {
		s.list(func() { r.Ops = append(r.Ops, s.op()) })
	}
	if s.field("acts") {
		s.list(func() { r.Acts = append(r.Acts, s.act()) })
	}
	s.must("ok")
	r.OK = s.flag()
	s.optional("errorKind", &r.ErrorKind)
	s.optional("message", &r.Message)
	if s.field("asked") {
		r.Asked = new(Asked)
		s.object(func() {
			s.must("by")
			r.Asked.By = s.text()
			s.must("paths")
			r.Asked.Paths = s.texts()
		})
	}
	if s.field("seen") {
		r.Seen = new(Seen)
		s.object(func() { s.seen(r.Seen) })
	}
	if s.field("undoes") {
		r.Undoes = s.texts()
	}
	if s.field("parts") {
		s.list(func() { r.Parts = append(r.Parts, s.part()) })
	}
	s.optional("void", &r.Void)
	s.optional("since", &r.Since)
	s.must("h")
	r.H = s.text()
	s.skip("}")
	return r, !s.bad && s.at == len(line)
}

func (s *lineScanner) actor(a *Actor) {
	s.optional("client", &a.Client)
	s.optional("session", &a.Session)
	s.optional("agent", &a.Agent)
	s.optional("tool", &a.Tool)
	s.optional("call", &a.Call)
	s.optional("turn", &a.Turn)
}

func (s *lineScanner) seen(to *Seen) {
	s.must("since")
	from := s.at
	if s.text(); s.bad || to.Since.UnmarshalJSON(s.b[from:s.at]) != nil {
		s.bad = true
		return
	}
	s.optional("command", &to.Command)
	s.optional("result", &to.Result)
	if s.field("others") {
		to.Others = s.texts()
	}
}

func (s *lineScanner) part() (p Part) {
	s.object(func() {
		s.must("entry")
		p.Entry = s.text()
		s.must("path")
		p.Path = s.text()
		if s.field("hunks") {
			s.list(func() { p.Hunks = append(p.Hunks, int(s.number(math.MaxInt))) })
		}
		p.Of = int(s.size("of"))
		s.must("files")
		p.Files = int(s.number(math.MaxInt))
	})
	return p
}

func (s *lineScanner) op() (p Op) {
	s.object(func() {
		s.must("operation")
		p.Operation = s.text()
		s.must("path")
		p.Path = s.text()
		s.optional("toPath", &p.ToPath)
		s.optional("beforeSha256", &p.Before)
		s.optional("afterSha256", &p.After)
		p.Mode = s.mode()
		p.Size = s.size("size")
		p.Files = int(s.size("files"))
		if s.field("hunks") {
			s.list(func() {
				var h Hunk
				s.bad = h.UnmarshalText([]byte(s.text())) != nil || s.bad
				p.Hunks = append(p.Hunks, h)
			})
		}
		p.HunksMore = int(s.size("hunksMore"))
		s.optional("unasked", &p.Unasked)
		if s.field("keys") {
			s.list(func() {
				var k Key
				s.bad = k.UnmarshalText([]byte(s.text())) != nil || s.bad
				p.Keys = append(p.Keys, k)
			})
		}
		s.optional("noUndo", &p.NoUndo)
	})
	return p
}

func (s *lineScanner) act() (a Act) {
	s.object(func() {
		s.must("do")
		a.Do = Do(s.text())
		s.must("path")
		a.Path = s.text()
		s.optional("to", &a.To)
		a.Slot = int(s.size("slot"))
		a.Old, a.New = s.ident("old"), s.ident("new")
		s.optional("from", &a.From)
		a.Gone = s.field("gone") && s.flag()
		a.Mode = s.mode()
		s.optional("source", &a.Source)
		a.Empty = s.field("empty") && s.flag()
	})
	return a
}

func (s *lineScanner) ident(name string) *Ident {
	if !s.field(name) {
		return nil
	}
	i := new(Ident)
	s.object(func() {
		s.must("ino")
		i.Ino = s.number(math.MaxUint64)
		s.optional("sha256", &i.Sum)
		i.Size = s.size("size")
		i.Link = s.field("link") && s.flag()
		i.Mode = s.mode()
	})
	return i
}

func (s *lineScanner) mode() fs.FileMode {
	if !s.field("mode") {
		return 0
	}
	return fs.FileMode(s.number(math.MaxUint32))
}

func (s *lineScanner) size(name string) int64 {
	if !s.field(name) {
		return 0
	}
	return int64(s.number(math.MaxInt))
}

// field passes the name of a field, if it comes next.
func (s *lineScanner) field(name string) bool {
	at := s.at
	if s.bad {
		return false
	}
	if s.b[at-1] != '{' {
		if at == len(s.b) || s.b[at] != ',' {
			return false
		}
		at++
	}
	rest := s.b[at:]
	n := len(name)
	if len(rest) < n+3 || rest[0] != '"' || string(rest[1:n+1]) != name || rest[n+1] != '"' || rest[n+2] != ':' {
		return false
	}
	s.at = at + n + 3
	return true
}

func (s *lineScanner) must(name string) { s.bad = !s.field(name) || s.bad }

func (s *lineScanner) optional(name string, to *string) {
	if s.field(name) {
		*to = s.text()
	}
}

// skip passes text, and reports whether it was there.
func (s *lineScanner) skip(text string) bool {
	if s.bad || !bytes.HasPrefix(s.b[s.at:], []byte(text)) {
		s.bad = true
		return false
	}
	s.at += len(text)
	return true
}

func (s *lineScanner) object(fields func()) {
	if s.skip("{") {
		fields()
		s.skip("}")
	}
}

// list reads a list that is not empty.
func (s *lineScanner) list(element func()) {
	for s.skip("["); !s.bad; {
		element()
		if s.bad || s.at == len(s.b) || s.b[s.at] != ',' {
			break
		}
		s.at++
	}
	s.skip("]")
}

func (s *lineScanner) texts() (all []string) {
	if !s.bad && bytes.HasPrefix(s.b[s.at:], []byte("null")) {
		s.at += len("null")
		return nil
	}
	s.list(func() { all = append(all, s.text()) })
	return all
}

func (s *lineScanner) flag() bool {
	if !s.bad && bytes.HasPrefix(s.b[s.at:], []byte("true")) {
		s.at += len("true")
		return true
	}
	s.skip("false")
	return false
}

// number reads a number up to most.
func (s *lineScanner) number(most uint64) (n uint64) {
	from := s.at
	for ; !s.bad && s.at < len(s.b) && s.b[s.at]-'0' <= 9; s.at++ {
		digit := uint64(s.b[s.at] - '0')
		if n > (most-digit)/10 {
			s.bad = true
		}
		n = 10*n + digit
	}
	if s.at == from || s.at > from+1 && s.b[from] == '0' {
		s.bad = true
	}
	return n
}

// text reads a string.
func (s *lineScanner) text() string {
	from := s.at
	if s.bad || from == len(s.b) || s.b[from] != '"' {
		s.bad = true
		return ""
	}
	high, escaped := byte(0), false
	for i := from + 1; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '"':
			s.at = i + 1
			return s.unquote(s.b[from:s.at], high >= utf8.RuneSelf, escaped)
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			s.bad = true
			return ""
		default:
			high |= c
		}
	}
	s.bad = true
	return ""
}

// unquote returns what a string in quotes stands for.
func (s *lineScanner) unquote(quoted []byte, high, escaped bool) (text string) {
	if high && !utf8.Valid(quoted) {
		s.bad = true
		return ""
	}
	if !escaped {
		return string(quoted[1 : len(quoted)-1])
	}
	s.bad = json.Unmarshal(quoted, &text) != nil
	return text
}
