package guard

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestBirthTime: the time at which a file was created stays, whatever is written into it and wherever it is moved.
func TestBirthTime(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "abc", "link": "-> a"})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		ask := func(name string) (time.Time, bool) {
			e, err := g.Resolve(name, Request{})
			check(t, err)
			return g.BirthTime(e)
		}
		at, ok := ask("a")
		if !ok {
			t.Skip("NOT RUN: the file system does not say when a file was made")
		}
		then := time.Date(2020, 2, 2, 3, 4, 5, 0, time.UTC)
		check(t, os.WriteFile(filepath.Join(dir, "a"), []byte("abcdef"), 0o644))
		check(t, os.Chtimes(filepath.Join(dir, "a"), then, then.Add(30*365*24*time.Hour)))
		check(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
		if now, ok := ask("b"); !ok || !now.Equal(at) || at.After(time.Now()) {
			t.Errorf("made at %v, and later %v, %v", at, now, ok)
		}
		check(t, os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "a")))
		if at, ok := ask("link"); ok {
			t.Errorf("a link was made at %v", at)
		}
	})
}
