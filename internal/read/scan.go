package read

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/text"
)

// pass learns all about a file in one go over its bytes, and keeps only the lines that were asked for. What it needs of
// memory does not grow with the file.
type pass struct {
	first, last int // the lines to keep, from 1
	room        int // how many bytes may be kept
	allowBinary bool

	begun  bool
	binary bool
	hasBOM bool
	hash   hash.Hash
	utf8   utf8Check
	plain  []byte // a part with LF line ends, where it had others

	kept            []byte // with LF line ends
	line            int    // the line that the next byte is in
	open            bool   // the last byte was not a line end
	cr              bool   // the last byte was a CR
	nLF, nCRLF, nCR int    // line ends of each kind
}

// beside is how many bytes are worth a goroutine.
const beside = 64 << 10

// utf8Check tells whether bytes that come in parts are UTF-8.
type utf8Check struct {
	begun []byte // a code point that has begun
	bad   bool
}

func newPass(first, last, most int, allowBinary bool) *pass {
	// One code point more than is allowed, so that a cut can be told from an end.
	return &pass{first: first, last: last, room: most + utf8.UTFMax, allowBinary: allowBinary, hash: sha256.New(), line: 1}
}

// add takes the next bytes; the first of them must be at least as many as tell text from binary, or all there are. Of
// all that there is to learn the hash takes longest, so it is made beside.
func (p *pass) add(b []byte) error {
	if len(b) < beside {
		p.hash.Write(b) // never fails
		return p.look(b)
	}
	var hashing sync.WaitGroup
	hashing.Go(func() { p.hash.Write(b) })
	defer hashing.Wait()
	return p.look(b)
}

func (p *pass) look(b []byte) error {
	if !p.begun {
		p.begun, p.binary = true, text.Binary(string(b[:min(len(b), 8192)]))
		if p.binary && !p.allowBinary {
			return errBinary
		}
		if !p.binary {
			b, p.hasBOM = bytes.CutPrefix(b, []byte(text.BOM))
		}
	}
	if p.binary {
		p.keep(b)
		return nil
	}
	p.utf8.add(b)
	p.lines(p.normal(b))
	return nil
}

// normal is b with a LF for every line end, which it counts. It holds until the next call.
func (p *pass) normal(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	after := p.cr
	p.cr = b[len(b)-1] == '\r'
	if after && b[0] == '\n' {
		p.nCR, p.nCRLF, b = p.nCR-1, p.nCRLF+1, b[1:]
	}
	i := bytes.IndexByte(b, '\r')
	if i < 0 {
		p.nLF += bytes.Count(b, []byte("\n"))
		return b
	}
	out := p.plain[:0]
	for ; i >= 0; i = bytes.IndexByte(b, '\r') {
		p.nLF += bytes.Count(b[:i], []byte("\n"))
		out = append(append(out, b[:i]...), '\n')
		if b = b[i+1:]; len(b) > 0 && b[0] == '\n' {
			b = b[1:]
			p.nCRLF++
		} else {
			p.nCR++
		}
	}
	p.nLF += bytes.Count(b, []byte("\n"))
	p.plain = append(out, b...)
	return p.plain
}

// lines counts the lines in b and keeps what was asked for.
func (p *pass) lines(b []byte) {
	if len(b) == 0 {
		return
	}
	end := p.line + bytes.Count(b, []byte("\n"))
	p.open = b[len(b)-1] != '\n'
	for len(b) > 0 && p.line <= p.last && end >= p.first && len(p.kept) < p.room {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		if p.line >= p.first {
			p.keep(b[:n])
		}
		if b[n-1] == '\n' {
			p.line++
		}
		b = b[n:]
	}
	p.line = end
}

func (p *pass) keep(b []byte) {
	p.kept = append(p.kept, b[:min(len(b), p.room-len(p.kept))]...)
}

// count is how many lines the file has.
func (p *pass) count() int {
	if p.open {
		return p.line
	}
	return p.line - 1
}

// style is the word for the line ends.
func (p *pass) style() string {
	switch {
	case p.nLF+p.nCRLF+p.nCR == 0:
		return "none"
	case p.nCRLF+p.nCR == 0:
		return "lf"
	case p.nLF+p.nCR == 0:
		return "crlf"
	case p.nLF+p.nCRLF == 0:
		return "cr"
	}
	return "mixed"
}

func (p *pass) sum() string { return hex.EncodeToString(p.hash.Sum(nil)) }

// content is what was kept as text of at most most bytes, and whether that cut it.
func (p *pass) content(most int) (content string, cut bool) {
	content = valid(p.kept)
	if len(content) <= most {
		return content, false
	}
	for most > 0 && !utf8.RuneStart(content[most]) {
		most--
	}
	return content[:most], true
}

// valid is b with U+FFFD for each byte that is not part of UTF-8.
func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for _, r := range string(b) {
		out.WriteRune(r)
	}
	return out.String()
}

func (c *utf8Check) add(b []byte) {
	if c.bad {
		return // whatever comes
	}
	for len(c.begun) > 0 && len(b) > 0 {
		c.begun, b = append(c.begun, b[0]), b[1:]
		if utf8.FullRune(c.begun) {
			c.bad = !utf8.Valid(c.begun)
			c.begun = c.begun[:0]
		}
	}
	if c.bad {
		return
	}
	n := len(b)
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				n -= i
			}
			break
		}
	}
	c.bad = !utf8.Valid(b[:n])
	c.begun = append(c.begun, b[n:]...)
}

// ok reports whether all that came was UTF-8, the last code point whole.
func (c *utf8Check) ok() bool { return !c.bad && len(c.begun) == 0 }
