package commit

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Tidy removes old drafts beside the store, and nothing else, whatever the names of the directories above.
func TestTidy(t *testing.T) {
	top := t.TempDir()
	const draft = ".emend.20200101-000000-abcdefghij"
	for _, dir := range []string{"gl/[ab]", "gl/a", "gl/b", `gl/\`} {
		if err := os.MkdirAll(filepath.Join(top, dir, draft), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	young := ".emend.29990101-000000-abcdefghij"
	if err := errors.Join(os.Mkdir(filepath.Join(top, "gl/[ab]", young), 0o755), os.Mkdir(filepath.Join(top, "gl/[ab]", ".emend.mine"), 0o755)); err != nil {
		t.Fatal(err)
	}
	Place{Dir: filepath.Join(top, "gl/[ab]/.emend")}.Tidy()
	for name, want := range map[string]bool{"gl/[ab]/" + draft: false, "gl/[ab]/" + young: true, "gl/[ab]/.emend.mine": true,
		"gl/a/" + draft: true, "gl/b/" + draft: true, `gl/\/` + draft: true} {
		if isDir(filepath.Join(top, name)) != want {
			t.Errorf("%s is there: %v", name, !want)
		}
	}
}

// BenchmarkMake makes stores, which the first change in a tree waits for. EMEND_BENCH_DIR names a directory on the disk to measure.
func BenchmarkMake(b *testing.B) {
	top, err := os.MkdirTemp(os.Getenv("EMEND_BENCH_DIR"), "make")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(top)
	for i := 0; b.Loop(); i++ {
		dir := filepath.Join(top, strconv.Itoa(i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if _, err := (Place{Dir: filepath.Join(dir, ".emend"), Top: dir}).Make(); err != nil {
			b.Fatal(err)
		}
	}
}
