package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	tests := []struct {
		done, total int
		what        string
		width       int
		want        string
	}{
		{0, 0, "src/lib", 80, "emend: 0 so far, src/lib"},
		{5, 0, "src/lib", 80, "emend: 5 so far, src/lib"},
		{5, 10, "files", 80, "emend: 5 of 10 files [##########..........]"},
		{0, 10, "files", 80, "emend: 0 of 10 files [....................]"},
		{10, 10, "files", 80, "emend: 10 of 10 files [####################]"},
		{11, 10, "files", 80, "emend: 11 of 10 files [####################]"},
		{5, 10, "files", 30, "emend: 5 of 10 files"},
		{5, 10, "files", 10, "emend: 5 o"},
		{5, 10, "files", -1, ""},
		{1, 0, "of a\x1b[2J\nb", 80, `emend: 1 so far, of a\x1b[2J\nb`},
	}
	for _, tt := range tests {
		if got := progressLine(tt.done, tt.total, tt.what, tt.width); got != tt.want {
			t.Errorf("barLine(%d, %d, %q, %d) = %q, want %q", tt.done, tt.total, tt.what, tt.width, got, tt.want)
		}
	}
}

// The bar is removed at the end. It shows nothing before progressDelay, nor after the end, and there is none without a
// terminal.
func TestProgressBar(t *testing.T) {
	var out bytes.Buffer
	b := &progressBar{w: &out, width: func() int { return 80 }}
	b.update(1, 2, "files")
	b.update(2, 2, "files") // within progressInterval
	b.finish()
	b.next = time.Time{}
	b.update(2, 2, "files")
	if got := out.String(); strings.Count(got, "emend:") != 1 || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%q", got)
	}
	out.Reset()
	b = &progressBar{w: &out, width: func() int { return 80 }, next: time.Now().Add(time.Hour)}
	b.update(1, 2, "files")
	b.finish()
	if out.Len() > 0 {
		t.Errorf("%q", &out)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, a := range []*app{{err: &out}, {err: file}, {err: file, ttyErr: true, quiet: true}} {
		if b := a.newProgressBar(); b != nil {
			t.Error("a bar where nobody looks")
		}
	}
	(*progressBar)(nil).finish()
}
