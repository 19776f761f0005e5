package read_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/read"
	"github.com/emend-dev/emend/internal/workspace"
)

// TestAskedReadsAreNotKept: what a server shows is kept whole, whatever part was asked for, unless a person had to allow it.
func TestAskedReadsAreNotKept(t *testing.T) {
	dir, policy := t.TempDir(), filepath.Join(t.TempDir(), "policy.toml")
	for name, data := range map[string]string{filepath.Join(dir, "f"): "one\ntwo\n", filepath.Join(dir, "asked"): "hush\n",
		filepath.Join(dir, "binary"): "a\x00b", policy: "[read]\nask = [\"asked\"]\n"} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Open(dir, workspace.Config{Policy: policy, KeepReads: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(func() {}) })
	ctx := caller.WithAsker(t.Context(), func(context.Context, api.Question) (string, error) { return "a person", nil })
	for _, r := range []api.ReadRequest{{Path: "f", StartLine: 2}, {Path: "asked"}, {Path: "binary", AllowBinary: true}} {
		if _, err := read.File(ctx, w, r); err != nil {
			t.Fatal(r.Path, err)
		}
	}
	if got := w.Reads("f", ""); len(got) != 1 || got[0].Data != "one\ntwo\n" {
		t.Errorf("f: %+v", got)
	}
	for _, name := range []string{"asked", "binary"} {
		if got := w.Reads(name, ""); len(got) > 0 {
			t.Errorf("%s is kept: %+v", name, got)
		}
	}
}
