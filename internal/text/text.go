// Package text turns bytes into lines and back without loss: line ends, the byte order mark, the last newline.
//
// It decodes nothing. A line is whatever stands between two line ends, valid UTF-8 or not.
package text

import (
	"math"
	"strings"
)

// Ends are the line ends that Split knows. A CR that a LF follows belongs to it.
const (
	LF   = "\n"
	CRLF = "\r\n"
	CR   = "\r"
	None = "" // the last line of a text without a final newline
)

// BOM is the byte order mark of UTF-8. It is not part of the first line.
const BOM = "\uFEFF"

// MaxSize is the largest text that Split takes; an offset must fit 32 bits.
const MaxSize = math.MaxUint32

// Lines is a text split into lines. It holds the text itself and 4 bytes for a line.
type Lines struct {
	data   string
	start  []uint32 // of each line, and the end of the last
	onlyLF bool     // see SplitLF
}

// Split splits data, which must not be longer than MaxSize, into lines. The empty text has none. It takes time linear in
// data, whatever the line ends are.
func Split(data string) *Lines {
	pos := 0
	if strings.HasPrefix(data, BOM) {
		pos = len(BOM)
	}
	hasCR := strings.IndexByte(data, '\r') >= 0
	l := &Lines{data: data, start: make([]uint32, 0, ends(data[pos:], hasCR)+2)}
	l.start = append(l.start, uint32(pos))
	for pos < len(data) {
		end := len(data)
		if i := strings.IndexByte(data[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		if hasCR {
			l.cutCR(pos, end)
		}
		l.start = append(l.start, uint32(end))
		pos = end
	}
	return l
}

// SplitLF is Split for programs to which only LF ends a line, and a CR or a byte order mark is content.
func SplitLF(data string) *Lines {
	l := &Lines{data: data, start: make([]uint32, 1, strings.Count(data, LF)+2), onlyLF: true}
	for pos := 0; pos < len(data); {
		end := len(data)
		if i := strings.IndexByte(data[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		l.start = append(l.start, uint32(end))
		pos = end
	}
	return l
}

// OnlyLF reports whether SplitLF made l.
func (l *Lines) OnlyLF() bool { return l.onlyLF }

// ends counts the line ends in data.
func ends(data string, hasCR bool) int {
	n := strings.Count(data, LF)
	if hasCR {
		n += strings.Count(data, CR) - strings.Count(data, CRLF)
	}
	return n
}

// cutCR appends the lines inside data[pos:end] that end in a lone CR, except for one that ends at end itself.
func (l *Lines) cutCR(pos, end int) {
	for {
		i := strings.IndexByte(l.data[pos:end], '\r')
		if i < 0 {
			return
		}
		pos += i + 1
		if pos == end || pos == end-1 && l.data[pos] == '\n' {
			return
		}
		l.start = append(l.start, uint32(pos))
	}
}

// Len returns the number of lines.
func (l *Lines) Len() int { return len(l.start) - 1 }

// HasBOM reports whether the text begins with a byte order mark.
func (l *Lines) HasBOM() bool { return l.start[0] > 0 }

// Raw returns lines i up to but not including j as they stand in the text. Raw(0, Len()) is the text without its BOM.
func (l *Lines) Raw(i, j int) string { return l.data[l.start[i]:l.start[j]] }

// Offset returns the byte at which line i begins; for i = Len() the length of the text.
func (l *Lines) Offset(i int) int { return int(l.start[i]) }

// Line returns line i without its end.
func (l *Lines) Line(i int) string {
	raw := l.Raw(i, i+1)
	return raw[:len(raw)-len(l.End(i))]
}

// Strings returns lines i up to but not including j, without their ends; nil if there are none.
func (l *Lines) Strings(i, j int) []string {
	if i >= j {
		return nil
	}
	out := make([]string, 0, j-i)
	for ; i < j; i++ {
		out = append(out, l.Line(i))
	}
	return out
}

// End returns the line end of line i.
func (l *Lines) End(i int) string {
	end := End(l.Raw(i, i+1))
	switch {
	case !l.onlyLF:
	case end == CRLF:
		return LF
	case end == CR:
		return None
	}
	return end
}

// Open reports whether the text has lines and no newline at its end.
func (l *Lines) Open() bool {
	n := l.Len()
	return n > 0 && l.End(n-1) == None
}

// End returns the line end of raw.
func End(raw string) string {
	n := len(raw)
	switch {
	case n == 0:
	case raw[n-1] == '\r':
		return CR
	case raw[n-1] == '\n' && n > 1 && raw[n-2] == '\r':
		return CRLF
	case raw[n-1] == '\n':
		return LF
	}
	return None
}

// Binary reports whether data is not text: a NUL is in its first 8,192 bytes.
func Binary(data string) bool {
	return strings.IndexByte(data[:min(len(data), 8192)], 0) >= 0
}
