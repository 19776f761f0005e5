package source_test

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

// endingContext is cancelled after a number of calls of Err. Its Done channel never closes.
type endingContext struct {
	context.Context
	left atomic.Int32
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestPrefetchEndsWithPlan: a plan that ends early leaves no goroutine reading (the race detector would tell).
func TestPrefetchEndsWithPlan(t *testing.T) {
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
		ctx := &endingContext{Context: context.Background()}
		ctx.left.Store(int32(left))
		if _, err := ws.Plan(ctx, text.String(), api.PatchOptions{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d: %v", left, err)
		}
	}
}
