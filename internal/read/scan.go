package read

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/text"
)

// scanner reads a file in one pass, in blocks. It counts lines, hashes, detects the encoding and the line ends, and
// keeps only the lines that were asked for, so its memory does not grow with the file.
type scanner struct {
	first, last int // the lines to keep, from 1
	budget      int // the most bytes to keep
	allowBinary bool

	started    bool
	binary     bool
	hasBOM     bool
	hash       hash.Hash
	utf8       utf8Check
	normalized []byte // buffer for a block whose line ends became LF

	kept            []byte // with LF line ends
	line            int    // number of the line that the next byte belongs to
	unfinished      bool   // the last line has no line end yet
	afterCR         bool   // the last byte was a CR
	nLF, nCRLF, nCR int    // line ends of each kind
}

// hashInParallelFrom is the size in bytes from which a block is hashed in a goroutine of its own.
const hashInParallelFrom = 64 << 10

// errBinary stops the scan of a binary file, unless the caller allows one.
var errBinary = errors.New("binary")

func newScanner(first, last, maxBytes int, allowBinary bool) *scanner {
	// One code point more than the limit tells a cut from the end of the file.
	return &scanner{first: first, last: last, budget: maxBytes + utf8.UTFMax, allowBinary: allowBinary, hash: sha256.New(), line: 1}
}

// add scans the next block. The first block must be long enough to tell text from binary, or be the whole file. Hashing
// takes longest, so a large block is hashed in parallel.
func (s *scanner) add(b []byte) error {
	if len(b) < hashInParallelFrom {
		s.hash.Write(b) // never fails
		return s.scan(b)
	}
	var hashing panics.Group
	hashing.Go(func() { s.hash.Write(b) })
	defer hashing.Wait()
	return s.scan(b)
}

func (s *scanner) scan(b []byte) error {
	if !s.started {
		s.started, s.binary = true, text.Binary(string(b[:min(len(b), 8192)]))
		if s.binary && !s.allowBinary {
			return errBinary
		}
		if !s.binary {
			b, s.hasBOM = bytes.CutPrefix(b, []byte(text.BOM))
		}
	}
	if s.binary {
		s.keep(b)
		return nil
	}
	s.utf8.add(b)
	s.addLines(s.normalize(b))
	return nil
}

// normalize returns b with LF for each line end, and counts the line ends by kind. The result is valid until the next
// call.
func (s *scanner) normalize(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	after := s.afterCR
	s.afterCR = b[len(b)-1] == '\r'
	if after && b[0] == '\n' {
		s.nCR, s.nCRLF, b = s.nCR-1, s.nCRLF+1, b[1:]
	}
	i := bytes.IndexByte(b, '\r')
	if i < 0 {
		s.nLF += bytes.Count(b, []byte("\n"))
		return b
	}
	out := s.normalized[:0]
	for ; i >= 0; i = bytes.IndexByte(b, '\r') {
		s.nLF += bytes.Count(b[:i], []byte("\n"))
		out = append(append(out, b[:i]...), '\n')
		if b = b[i+1:]; len(b) > 0 && b[0] == '\n' {
			b = b[1:]
			s.nCRLF++
		} else {
			s.nCR++
		}
	}
	s.nLF += bytes.Count(b, []byte("\n"))
	s.normalized = append(out, b...)
	return s.normalized
}

// addLines counts the lines of b, and keeps those that were asked for.
func (s *scanner) addLines(b []byte) {
	if len(b) == 0 {
		return
	}
	end := s.line + bytes.Count(b, []byte("\n"))
	s.unfinished = b[len(b)-1] != '\n'
	for len(b) > 0 && s.line <= s.last && end >= s.first && len(s.kept) < s.budget {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		if s.line >= s.first {
			s.keep(b[:n])
		}
		if b[n-1] == '\n' {
			s.line++
		}
		b = b[n:]
	}
	s.line = end
}

func (s *scanner) keep(b []byte) {
	s.kept = append(s.kept, b[:min(len(b), s.budget-len(s.kept))]...)
}

// lineCount returns the number of lines in the file.
func (s *scanner) lineCount() int {
	if s.unfinished {
		return s.line
	}
	return s.line - 1
}

// newlineStyle returns the name of the line ends: none, lf, crlf, cr or mixed.
func (s *scanner) newlineStyle() string {
	switch {
	case s.nLF+s.nCRLF+s.nCR == 0:
		return "none"
	case s.nCRLF+s.nCR == 0:
		return "lf"
	case s.nLF+s.nCR == 0:
		return "crlf"
	case s.nLF+s.nCRLF == 0:
		return "cr"
	}
	return "mixed"
}

func (s *scanner) sum() string { return hex.EncodeToString(s.hash.Sum(nil)) }

// content returns the kept text, at most maxBytes long and cut between code points, and whether it was cut.
func (s *scanner) content(maxBytes int) (content string, cut bool) {
	content = validUTF8(s.kept)
	if len(content) <= maxBytes {
		return content, false
	}
	for maxBytes > 0 && !utf8.RuneStart(content[maxBytes]) {
		maxBytes--
	}
	return content[:maxBytes], true
}

// validUTF8 returns b as text, with U+FFFD for each byte that is not UTF-8.
func validUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for _, r := range string(b) {
		out.WriteRune(r)
	}
	return out.String()
}

// utf8Check checks whether a text that comes in blocks is UTF-8.
type utf8Check struct {
	partial []byte // the bytes of a code point that the block cut
	invalid bool
}

func (c *utf8Check) add(b []byte) {
	if c.invalid {
		return // no later block makes it valid
	}
	for len(c.partial) > 0 && len(b) > 0 {
		c.partial, b = append(c.partial, b[0]), b[1:]
		if utf8.FullRune(c.partial) {
			c.invalid = !utf8.Valid(c.partial)
			c.partial = c.partial[:0]
		}
	}
	if c.invalid {
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
	c.invalid = !utf8.Valid(b[:n])
	c.partial = append(c.partial, b[n:]...)
}

// ok reports whether all blocks were UTF-8 and the last code point is complete.
func (c *utf8Check) ok() bool { return !c.invalid && len(c.partial) == 0 }
