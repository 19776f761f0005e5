//go:build npm

package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is emend, as it is shipped.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "emend")
	build := exec.Command("go", "build", "-o", program, "../../cmd/emend")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
