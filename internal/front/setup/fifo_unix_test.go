//go:build unix

package setup

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestProgramThatIsNoFile: doctor reads a project's files, which anybody may have written: a program that is a pipe is
// named, and not waited for.
func TestProgramThatIsNoFile(t *testing.T) {
	h, o := account(t), asked
	o.Binary = filepath.Join(h.Home, "pipe")
	if err := syscall.Mkfifo(o.Binary, 0o755); err != nil {
		t.Fatal(err)
	}
	apply(t, cursor, h, o)
	if st := Look(h, "devel")[0]; st.Problem != "it starts "+o.Binary+", which is no program" {
		t.Errorf("%+v", st)
	}
}
