package change_test

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/emendtest"
	"github.com/emend-dev/emend/internal/text"
)

// TestInsertLines checks what becomes of line ends, the byte order mark and the last newline.
func TestInsertLines(t *testing.T) {
	for _, row := range []struct {
		before string
		n      int
		lines  string
		after  string
	}{
		{"a\nb\n", 0, "x", "x\na\nb\n"},
		{"a\nb\n", 1, "x\n", "a\nx\nb\n"},
		{"a\nb\n", 2, "x\ny", "a\nb\nx\ny\n"},
		{"a\nb\n", 1, "\n", "a\n\nb\n"},
		{"a\nb\n", 1, "x\n\n", "a\nx\n\nb\n"},
		{"a\r\nb\n", 1, "x\ny\n", "a\r\nx\r\ny\r\nb\n"},
		{"a\r\nb\n", 0, "x", "x\r\na\r\nb\n"},
		{"a\nb\r\n", 1, "x\r\ny\r\n", "a\nx\ny\nb\r\n"},
		{"a\rb\r", 1, "x", "a\rx\rb\r"},
		{"a\r\nb", 2, "x", "a\r\nb\r\nx"},
		{"a\r\nb", 2, "x\n", "a\r\nb\r\nx\r\n"},
		{"a", 1, "x", "a\nx"},
		{"a", 1, "x\n", "a\nx\n"},
		{"a", 0, "x", "x\na"},
		{"", 0, "x", "x"},
		{"", 0, "x\n", "x\n"},
		{text.BOM + "a\n", 0, "x", text.BOM + "x\na\n"},
		{text.BOM, 0, "x\n", text.BOM + "x\n"},
		{"\xff\n\xfe\n", 1, "x", "\xff\nx\n\xfe\n"},
	} {
		s := emendtest.NewStory(t, "f", row.before)
		a, err := s.WS.Host().Insert(s.Ctx, api.InsertRequest{Path: "f", After: row.n, Text: row.lines})
		if err != nil {
			t.Errorf("%q after line %d of %q: %v", row.lines, row.n, row.before, err)
			continue
		}
		want := api.LineRange{StartLine: row.n + 1, EndLine: row.n + max(1, strings.Count(strings.TrimSuffix(row.lines, "\n"), "\n")+1)}
		if after := s.Read("f"); after != row.after || a.Data.Lines != want {
			t.Errorf("%q after line %d of %q: %q, lines %v; want %q, %v", row.lines, row.n, row.before, after, a.Data.Lines, row.after, want)
		}
	}
}
