package guard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestStream(t *testing.T) {
	dir := t.TempDir()
	noise := make([]byte, 3*blockSize+17)
	rand.New(rand.NewSource(1)).Read(noise)
	files := map[string]string{"empty": "", "a": "abc", "sub/noise": string(noise), "block": string(noise[:blockSize]), "nul": "a\x00b\xff"}
	plant(t, dir, files)
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for path, want := range files {
			e, err := g.Resolve(path, Request{})
			check(t, err)
			f, err := g.Stream(e)
			check(t, err)
			got, err := io.ReadAll(f)
			f.Close()
			if err != nil || string(got) != want {
				t.Errorf("%s: %d bytes, %v", path, len(got), err)
			}
			hash, size, err := g.Hash(context.Background(), e)
			if err != nil || hash != sum(want) || size != int64(len(want)) {
				t.Errorf("%s: %s of %d bytes, %v", path, hash, size, err)
			}
		}
	})
}

// TestStreamRefuses: what cannot be loaded cannot be streamed, except for a file that is only too large.
func TestStreamRefuses(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"d/f": "", ".env": "", "link": "-> d/f"})
	check(t, os.WriteFile(filepath.Join(dir, "huge"), nil, 0o644))
	check(t, os.Truncate(filepath.Join(dir, "huge"), 1<<33))
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for path, want := range map[string]string{"d": notFound, "none": notFound, "no/such": notFound, ".": notFound, "link": "command_failed/special_file"} {
			e, err := g.Resolve(path, Request{})
			check(t, err)
			_, err = g.Stream(e)
			refused(t, err, want)
			_, _, err = g.Hash(context.Background(), e)
			refused(t, err, want)
		}
		for rel, want := range map[string]string{"../x": badArguments, "/etc/passwd": badArguments, "": badArguments,
			".env": denied, "d/f": stale} {
			_, err := g.Stream(Entry{Rel: rel, HasParent: true, Kind: Regular})
			refused(t, err, want)
		}
		e, err := g.Resolve("huge", Request{})
		check(t, err)
		f, err := g.Stream(e)
		check(t, err)
		f.Close()
	})
}

func TestEachBlockTakesWhatComes(t *testing.T) {
	data := strings.Repeat("0123456789", blockSize/5)
	for _, r := range []io.Reader{strings.NewReader(data), iotest.DataErrReader(strings.NewReader(data)), iotest.HalfReader(strings.NewReader(data))} {
		var got bytes.Buffer
		size, err := eachBlock(context.Background(), r, "f", func(b []byte) error {
			if len(b) < blockSize && got.Len()+len(b) < len(data) {
				t.Errorf("a block of %d bytes in the middle", len(b))
			}
			got.Write(b)
			return nil
		})
		if err != nil || size != int64(len(data)) || got.String() != data {
			t.Errorf("%d bytes, %v", size, err)
		}
	}
	broken := errors.New("i/o error")
	if _, err := eachBlock(context.Background(), iotest.ErrReader(broken), "f", func([]byte) error { return nil }); err != broken {
		t.Errorf("err = %v", err)
	}
	if _, err := eachBlock(context.Background(), strings.NewReader("x"), "f", func([]byte) error { return broken }); err != broken {
		t.Errorf("err = %v", err)
	}
}

func TestHashIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	blocks := 0
	_, err := eachBlock(ctx, &cancelling{cancel, 3}, "f", func([]byte) error { blocks++; return nil })
	refused(t, err, "command_failed/cancelled")
	if blocks != 3 {
		t.Errorf("%d blocks", blocks)
	}
}

// A file of any size is hashed in the same memory.
func TestHashIsFrugal(t *testing.T) {
	const size = 64 << 20
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "big"), []byte("head"), 0o644))
	check(t, os.Truncate(filepath.Join(dir, "big"), size))
	want := sha256.New()
	want.Write([]byte("head"))
	want.Write(make([]byte, size-4))
	g, err := Open(dir, Options{})
	check(t, err)
	defer g.Close()
	e, err := g.Resolve("big", Request{})
	check(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	hash, n, err := g.Hash(context.Background(), e)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err != nil || n != size || got > 4<<20 || hash != hex.EncodeToString(want.Sum(nil)) {
		t.Errorf("%s of %d bytes took %d, %v", hash, n, got, err)
	}
}

// A link is followed for reading if it stays inside and both names may be read.
func TestFollowForReading(t *testing.T) {
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	plant(t, dir, map[string]string{"ws/d/real.txt": "real", "ws/link": "-> d/real.txt", "ws/two": "-> link", "ws/.env": "secret", "ws/env": "-> .env",
		"ws/id_rsa": "-> d/real.txt", "ws/out": "-> ../outside", "outside": "no", "ws/none": "-> gone", "ws/round": "-> round",
		"ws/abs": "-> " + filepath.Join(ws, "d/real.txt")})
	each(t, func(t *testing.T, open opener) {
		g := open(ws, Options{})
		for _, path := range []string{"link", "two", "abs"} {
			e, err := g.Resolve(path, Request{Follow: true})
			check(t, err)
			if e.Rel != "d/real.txt" || e.Kind != Regular || e.Via != path {
				t.Errorf("%s leads to %+v", path, e)
			}
			data, _, err := g.Load(context.Background(), e)
			if err != nil || data != "real" {
				t.Errorf("%s: %q, %v", path, data, err)
			}
		}
		for path, want := range map[string]string{"env": denied, "id_rsa": denied, "out": "outside_workspace", "round": badArguments} {
			_, err := g.Resolve(path, Request{Follow: true})
			refused(t, err, want)
		}
		if e, err := g.Resolve("none", Request{Follow: true}); err != nil || e.Kind != Missing || e.Rel != "gone" {
			t.Errorf("a link to nothing: %+v, %v", e, err)
		}
		if e, err := g.Resolve("link", Request{Follow: true, Write: true}); err != nil || e.Kind != Symlink {
			t.Errorf("for writing: %+v, %v", e, err)
		}
	})
}

func TestSiblings(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"d/b.go": "", "d/a.go": "", "d/.env": "", "d/c/x": "", "d/z\u202eb": ""})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for path, want := range map[string][]string{"d/none": {"a.go", "b.go", "c"}, "none": {"d"}, "no/such": nil, ".": nil} {
			e, err := g.Resolve(path, Request{})
			check(t, err)
			if got := g.Siblings(e); !slices.Equal(got, want) {
				t.Errorf("%s: %q", path, got)
			}
		}
	})
}
