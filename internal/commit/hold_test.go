package commit

import (
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// busyFile is a file that a program has open for writing. With each lease that it refuses the program writes a byte.
type busyFile struct {
	vfs.File
	writer vfs.File
	left   int // leases to refuse
}

func (f *busyFile) Lease() (release func() bool, open bool) {
	if f.left--; f.left < 0 {
		f.writer.Close()
		return f.File.Lease()
	}
	f.writer.Write([]byte("x")) //nolint:errcheck // the size shows whether it did
	return f.File.Lease()
}

// A commit waits a moment for a program that has a file open for writing, and then looks at the file again.
func TestPatience(t *testing.T) {
	for _, tt := range []struct {
		name     string
		patience time.Duration
		refuses  int
		busy     bool
	}{
		{"nobody", time.Minute, 0, false},
		{"closed in time", time.Minute, 3, false},
		{"never closed", time.Millisecond, 1 << 30, true},
		{"without patience", 0, 1, true},
	} {
		w := newWorld(t, vfstest.Journal, files)
		top := w.top()
		defer top.Close()
		held, err := top.Open("a.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		writer, err := top.Append("a.txt", 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
		f := &busyFile{File: held, writer: writer, left: tt.refuses}
		a := &act{held: f}
		if a.oldInfo, err = held.Stat(); err != nil {
			t.Fatal(err)
		}
		busy, err := (&transaction{s: &Store{opts: Options{Patience: tt.patience}}}).takeLease(a)
		if err != nil || busy != tt.busy {
			t.Errorf("%s: busy %v, %v", tt.name, busy, err)
		}
		if want := int64(len(files["a.txt"]) + tt.refuses); !busy && a.oldInfo.Size != want {
			t.Errorf("%s: the file has %d bytes, want %d", tt.name, a.oldInfo.Size, want)
		}
		if leased := a.held.(*busyFile).left < 0; leased == tt.busy {
			t.Errorf("%s: a lease is there: %v", tt.name, leased)
		}
		a.releaseLease()
	}
}
