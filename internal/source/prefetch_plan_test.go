package source_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// hundredFiles returns a workspace with a hundred files, and a patch that changes each of them.
func hundredFiles(t *testing.T, options ...emend.Option) (w *emend.Workspace, text string) {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	for i := range 100 {
		path := fmt.Sprintf("d%d/f%d", i%3, i)
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755),
			os.WriteFile(filepath.Join(dir, path), fmt.Appendf(nil, "a\n%d\nc\n", i), 0o644)); err != nil {
			t.Fatal(err)
		}
		has := i
		if i%10 == 7 {
			has = -1 // no line of the file
		}
		if i%10 == 8 {
			path = ".git/" + path
		}
		fmt.Fprintf(&b, "*** Update File: %s\n@@\n-%d\n+x\n", path, has)
	}
	w, err := emend.Open(dir, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, b.String() + "*** End Patch\n"
}

// A prefetched file is refused when its turn comes: in the order of the patch, each failure once.
func TestManyFilesAreRefusedInOrder(t *testing.T) {
	w, text := hundredFiles(t)
	_, err := w.Plan(context.Background(), text, api.PatchOptions{})
	refused, ok := errors.AsType[*emend.Refusal](err)
	if !ok {
		t.Fatal(err)
	}
	var got, want []string
	for _, f := range refused.Failures {
		got = append(got, fmt.Sprint(f.Section, " ", f.Kind))
	}
	for i := 7; i < 100; i += 10 {
		want = append(want, fmt.Sprint(i+1, " ", fail.PatchApply), fmt.Sprint(i+2, " ", fail.PermissionDenied))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// Files count against the limit in the order of the plan, not in that of prefetching.
func TestManyFilesOverTheLimit(t *testing.T) {
	w, text := hundredFiles(t, emend.WithLimits(api.Limits{TotalBytes: 30}))
	_, err := w.Plan(context.Background(), text, api.PatchOptions{})
	refused, ok := errors.AsType[*emend.Refusal](err)
	if !ok {
		t.Fatal(err)
	}
	// Each of the first files has six bytes: the sixth is one too many.
	if first := refused.Failures[0]; first.Section != 6 || first.Reason != fail.Limit {
		t.Errorf("section %d: %v", first.Section, first)
	}
}

func TestManyFilesAreCancelled(t *testing.T) {
	w, text := hundredFiles(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.Plan(ctx, text, api.PatchOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}
