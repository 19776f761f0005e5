//go:build unix

package read_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// TestReadSpecial: special files are never opened. To open a FIFO without a writer would block for ever.
func TestReadSpecial(t *testing.T) {
	ws := emendtest.Workspace(t)
	if err := syscall.Mkfifo(filepath.Join(ws.Root(), "fifo"), 0o600); err != nil {
		t.Skipf("no FIFO here: %v", err)
	}
	l, err := net.Listen("unix", filepath.Join(ws.Root(), "s"))
	if err != nil {
		t.Skipf("no socket here: %v", err)
	}
	defer l.Close()
	if err := os.Symlink("fifo", filepath.Join(ws.Root(), "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"fifo", "s", "link"} {
		_, err := ws.Read(t.Context(), api.ReadRequest{Path: path, AllowBinary: true})
		if e, ok := errors.AsType[*fail.Error](err); !ok || e.Reason != "special_file" {
			t.Errorf("%s: %v", path, err)
		}
	}
}
