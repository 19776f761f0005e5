package replace

import (
	"sort"
	"strings"

	"github.com/emend-dev/emend/internal/text"
)

// view is a text as edits see it: every line end is LF, and there is no byte order mark.
type view struct {
	file *text.Lines
	body string   // the text without its mark
	text string   // the view
	from []uint32 // by line, where it begins in the view, and the end of the last; nil where the view is the body
}

func newView(file *text.Lines) *view {
	body := file.Raw(0, file.Len())
	v := &view{file: file, body: body, text: body}
	if !strings.Contains(body, text.CR) {
		return v
	}
	var b strings.Builder
	b.Grow(len(body))
	v.from = make([]uint32, 0, file.Len()+1)
	for i := range file.Len() {
		v.from = append(v.from, uint32(b.Len()))
		b.WriteString(file.Line(i))
		if file.End(i) != text.None {
			b.WriteString(text.LF)
		}
	}
	v.from, v.text = append(v.from, uint32(b.Len())), b.String()
	return v
}

// offset returns the byte of the file for byte i of the view.
func (v *view) offset(i int) uint32 {
	if v.from == nil {
		return v.after(i)
	}
	n := sort.Search(v.file.Len(), func(n int) bool { return int(v.from[n+1]) > i })
	return uint32(v.file.Offset(n) + i - int(v.from[n]))
}

// after returns the byte of the file for byte i of its body.
func (v *view) after(i int) uint32 { return uint32(v.file.Offset(0) + i) }

// lineAt returns the line that contains byte at of the file; the last line for the end of the file.
func lineAt(file *text.Lines, at int) int {
	n := sort.Search(file.Len(), func(n int) bool { return file.Offset(n+1) > at })
	return max(0, min(n, file.Len()-1))
}

// lineFrom returns the first line that begins at byte at of the file or after it.
func lineFrom(file *text.Lines, at int) int {
	return sort.Search(file.Len(), func(n int) bool { return file.Offset(n) >= at })
}
