package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/emend-dev/emend/fail"
)

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	noise := make([]byte, 1<<20+17)
	rand.New(rand.NewSource(1)).Read(noise)
	files := map[string]string{"empty": "", "a": "abc", "sub/noise": string(noise), "nul": "a\x00b\xff"}
	plant(t, dir, files)
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for path, want := range files {
			e, err := g.Resolve(path, Request{})
			check(t, err)
			data, hash, err := g.Load(context.Background(), e)
			if err != nil || data != want || hash != sum(want) {
				t.Errorf("%s: %d bytes, %s, %v", path, len(data), hash, err)
			}
		}
	})
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"d/f": "", ".env": "", "gone": "", "was/f": ""})
	check(t, os.WriteFile(filepath.Join(dir, "huge"), nil, 0o644))
	check(t, os.Truncate(filepath.Join(dir, "huge"), 1<<32))
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for path, want := range map[string]string{"d": notFound, "none": notFound, "no/such": notFound, ".": notFound, "huge": "file_too_large"} {
			e, err := g.Resolve(path, Request{})
			check(t, err)
			_, _, err = g.Load(context.Background(), e)
			refused(t, err, want)
			if e, _ := errors.AsType[*fail.Error](err); path == "d" && !strings.Contains(e.Hint, "directory") {
				t.Errorf("hint %q", e.Hint)
			}
		}
		for rel, want := range map[string]string{"../x": badArguments, "/etc/passwd": badArguments, "": badArguments,
			".env": denied, "d/f": stale} {
			_, _, err := g.Load(context.Background(), Entry{Rel: rel, HasParent: true, Kind: Regular})
			refused(t, err, want)
		}
	})
}

func TestLoadNoticesAnotherDirectory(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"d/f": "one", "e/f": "two"})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		e, err := g.Resolve("d/f", Request{})
		check(t, err)
		swap := func() {
			for _, names := range [][2]string{{"d", "x"}, {"e", "d"}, {"x", "e"}} {
				check(t, os.Rename(filepath.Join(dir, names[0]), filepath.Join(dir, names[1])))
			}
		}
		swap()
		_, _, err = g.Load(context.Background(), e)
		refused(t, err, stale)
		swap()
	})
}

// TestLoadIsFrugal: the content is in memory once.
func TestLoadIsFrugal(t *testing.T) {
	const size = 32 << 20
	dir := t.TempDir()
	plant(t, dir, map[string]string{"big": strings.Repeat("0123456789abcdef", size/16)})
	g, err := Open(dir, Options{})
	check(t, err)
	defer g.Close()
	e, err := g.Resolve("big", Request{})
	check(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	data, _, err := g.Load(context.Background(), e)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err != nil || len(data) != size || got > size+size/8 {
		t.Errorf("%d bytes took %d, %v", len(data), got, err)
	}
}

func TestReadAllTakesWhatComes(t *testing.T) {
	for _, size := range []int64{0, 1, 5, 1 << 20} {
		data, hash, err := readAll(context.Background(), iotest.DataErrReader(strings.NewReader("hello")), "f", size)
		if data != "hello" || hash != sum("hello") || err != nil {
			t.Errorf("size %d: %q, %v", size, data, err)
		}
	}
	broken := errors.New("i/o error")
	if _, _, err := readAll(context.Background(), iotest.ErrReader(broken), "f", 1); err != broken {
		t.Errorf("err = %v", err)
	}
}

// cancelling cancels after so many reads.
type cancelling struct {
	cancel func()
	left   int
}

func (c *cancelling) Read(p []byte) (int, error) {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	if c.left < 0 {
		return 0, io.EOF
	}
	return len(p), nil
}

func TestLoadIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, _, err := readAll(ctx, &cancelling{cancel, 3}, "f", 100)
	refused(t, err, "command_failed/cancelled")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	dir := t.TempDir()
	plant(t, dir, map[string]string{"f": "f"})
	g, err := Open(dir, Options{})
	check(t, err)
	defer g.Close()
	e, err := g.Resolve("f", Request{})
	check(t, err)
	_, _, err = g.Load(ctx, e)
	refused(t, err, "command_failed/cancelled")
}
