//go:build unix

package setup

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestProgramThatIsNoFile checks that doctor names a program that is a pipe, and does not block on it. Anybody may
// have written a project's files.
func TestProgramThatIsNoFile(t *testing.T) {
	h, o := account(t), asked
	o.Binary = filepath.Join(h.Home, "pipe")
	if err := syscall.Mkfifo(o.Binary, 0o755); err != nil {
		t.Fatal(err)
	}
	apply(t, cursor, h, o)
	if st := Inspect(h, "")[0]; st.Problem != "it starts "+o.Binary+", which is no program" {
		t.Errorf("%+v", st)
	}
}
