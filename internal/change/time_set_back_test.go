//go:build linux || darwin

package change_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/emendtest"
)

// An edit of the same size whose modification time was set back is an edit all the same.
func TestTimeSetBack(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	long := time.Now().Add(-time.Hour)
	save := func(text string) {
		if err := errors.Join(os.WriteFile(name, []byte(text), 0o644), os.Chtimes(name, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	save("one\nold\n")
	ws := emendtest.Open(t, dir)
	plan, err := ws.Plan(context.Background(), "*** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** End Patch\n", api.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	save("one\nnew\n")
	if _, err := ws.Commit(context.Background(), plan); !errors.Is(err, fail.Stale) {
		t.Errorf("committed over it: %v", err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "one\nnew\n" {
		t.Errorf("the file is %q, %v", b, err)
	}
}
