package commit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOrigin: a store stays that of its place when its log gets files, and is not one if its origin is no file.
func TestOrigin(t *testing.T) {
	place, err := Preferred(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if place, err = place.Make(); err != nil {
		t.Fatal(err)
	}
	logDir := filepath.Join(place.Dir, logName)
	if err := os.WriteFile(filepath.Join(logDir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, changed := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(time.Hour)} {
		if err := os.Chtimes(logDir, changed, changed); err != nil {
			t.Fatal(err)
		}
		if err := place.CheckOrigin(); err != nil {
			t.Errorf("after a change of its log: %v", err)
		}
	}
	origin := filepath.Join(place.Dir, originName)
	for name, replace := range map[string]func() error{
		"nothing":     func() error { return nil },
		"a directory": func() error { return os.Mkdir(origin, 0o700) },
		"other text":  func() error { return os.WriteFile(origin, []byte("1 1\n"), 0o600) },
	} {
		if err := os.RemoveAll(origin); err != nil {
			t.Fatal(err)
		}
		if err := replace(); err != nil {
			t.Fatal(err)
		}
		if err := place.CheckOrigin(); err == nil || !strings.Contains(err.Error(), "was not made here") {
			t.Errorf("origin is %s: %v", name, err)
		}
	}
}
