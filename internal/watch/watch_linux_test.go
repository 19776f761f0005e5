package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestMost: a watch with a limit listens to no more directories, and does not know then.
func TestMost(t *testing.T) {
	w, err := New()
	if err != nil {
		t.Skip("NOT RUN: ", err)
	}
	defer w.Close()
	w.Most(3)
	for i := range 4 {
		if w.Full() {
			t.Fatalf("full with %d directories", i)
		}
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w.Add(int(f.Fd()), dir)
		if _, ok := w.Changed(); ok != (i < 3) {
			t.Errorf("with %d directories it knows: %v", i+1, ok)
		}
	}
	if !w.Full() {
		t.Error("not full")
	}
}
