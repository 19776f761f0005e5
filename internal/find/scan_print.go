package find

import (
	"bytes"
	"strconv"

	"github.com/emend-dev/emend/internal/report"
)

// print prints a line that matches.
func (l *lineScanner) print(at *lineMatch) {
	l.printHead(at.number)
	l.out = append(l.out, l.head...)
	if len(at.line) <= previewBytes && report.IsPlain(at.line) {
		l.out = append(l.out, at.line...)
	} else {
		l.out = append(l.out, report.OneLine(preview(at.line, at.col))...)
	}
	l.endLine()
}

// printHead makes head, path:line:, from the one before: they often differ in the last digit only.
func (l *lineScanner) printHead(n int) {
	if len(l.head) == 0 {
		l.head = append(append(l.head, report.OneLine(join(l.dir, l.name))...), ':')
		l.headPath, l.headLine = len(l.head), -10
	}
	if more := n - l.headLine; n%10 >= more {
		l.head[len(l.head)-2] += byte(more)
	} else {
		l.head = append(strconv.AppendInt(l.head[:l.headPath], int64(n), 10), ':')
	}
	l.headLine = n
}

// endLine ends a printed line.
func (l *lineScanner) endLine() {
	if l.out = append(l.out, '\n'); len(l.out) >= printBytes {
		l.texts = append(l.texts, l.out)
		if l.out = l.printer.buffer(); l.onFull != nil {
			l.onFull()
		}
	}
}

// takePrinted returns what was printed. A small piece is copied into memory of its own size.
func (l *lineScanner) takePrinted() [][]byte {
	texts := l.texts
	l.texts = nil
	switch {
	case len(l.out) > printBytes/16:
		texts = append(texts, l.out)
		l.out = l.printer.buffer()
	case len(l.out) > 0:
		texts = append(texts, bytes.Clone(l.out))
		l.out = l.out[:0]
	}
	return texts
}
