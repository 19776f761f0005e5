package emend_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// sudden is a context that has ended when it was asked so often, and tells nobody before.
type sudden struct {
	context.Context
	left atomic.Int32
}

func (s *sudden) Err() error {
	if s.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestAheadLeft: a plan that ends early leaves nobody behind who reads for it (the race detector sees it).
func TestAheadLeft(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("*** Begin Patch\n")
	for i := range 200 {
		name := fmt.Sprint("f", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "*** Update File: %s\n@@\n-old\n+new\n", name)
	}
	text.WriteString("*** End Patch\n")
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for left := range 30 {
		ctx := &sudden{Context: context.Background()}
		ctx.left.Store(int32(left))
		if _, err := ws.Plan(ctx, text.String(), api.PatchOptions{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d: %v", left, err)
		}
	}
}
