package modpairs

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/proof/npm"
)

// file returns a regular file of an archive.
func file(name, data string) entryOf {
	return entryOf{tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: 0o644}, data}
}

type entryOf struct {
	tar.Header
	data string
}

// archive returns what npm would have fetched.
func archive(t *testing.T, entries ...entryOf) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.data); err != nil {
			t.Fatal(err)
		}
	}
	// An entry that is shorter than its size cannot be closed. The reader must not get that far.
	if err := w.Close(); err != nil && !strings.Contains(err.Error(), "missed writing") {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// kept puts an archive where npm would have put it and returns its version as in a list.
func kept(t *testing.T, name, version string, entries ...entryOf) Version {
	data := archive(t, entries...)
	sum := sha512.Sum512(data)
	v := Version{name, version, "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	write(t, filepath.Join(os.Getenv("EMEND_NPM_DIR"), "archives", npm.Archive(v.String())), string(data))
	return v
}

func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	dirEntry := entryOf{Header: tar.Header{Typeflag: tar.TypeDir, Name: "package/src/", Mode: 0o755}}
	data := archive(t, file("package/package.json", "{}\n"), dirEntry, file("package/src/a..b.js", "1\r\n"), file("package/empty", ""))
	if err := unpack(bytes.NewReader(data), dir); err != nil {
		t.Fatal(err)
	}
	got, err := sizes(dir)
	if err != nil || len(got) != 3 || got["package.json"] != 3 || got["src/a..b.js"] != 3 || got["empty"] != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestUnpackRefuses(t *testing.T) {
	link := func(kind byte, to string) entryOf {
		return entryOf{Header: tar.Header{Typeflag: kind, Name: "package/link", Linkname: to}}
	}
	huge := file("package/huge", "")
	huge.Size = mostBytes + 1
	for _, c := range []struct {
		name    string
		entries []entryOf
		want    string
	}{
		{"symbolic link", []entryOf{link(tar.TypeSymlink, "package.json")}, "not a regular file"},
		{"hard link", []entryOf{file("package/a", "x"), link(tar.TypeLink, "package/a")}, "not a regular file"},
		{"device", []entryOf{{Header: tar.Header{Typeflag: tar.TypeChar, Name: "package/null"}}}, "not a regular file"},
		{"parent", []entryOf{file("package/../../outside", "x")}, "not a plain name"},
		{"parent of the package", []entryOf{file("../outside", "x")}, "not a plain name"},
		{"parent within", []entryOf{file("package/a/../b", "x")}, "not a plain name"},
		{"absolute", []entryOf{file("/outside", "x")}, "not a plain name"},
		{"absolute below", []entryOf{file("package//outside", "x")}, "not a plain name"},
		{"no directory", []entryOf{file("outside", "x")}, "not a plain name"},
		{"twice", []entryOf{file("package/a", "x"), file("package/a", "y")}, "exists"},
		{"too big", []entryOf{huge}, "unpacks to more than"},
		{"too many", slices.Repeat([]entryOf{{Header: tar.Header{Typeflag: tar.TypeDir, Name: "package/d/"}}}, mostFiles+1), "more than 20000 entries"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "a", "b")
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			err := unpack(bytes.NewReader(archive(t, c.entries...)), dir)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if there, err := filepath.Glob(filepath.Join(root, "*", "outside")); err != nil || there != nil {
				t.Errorf("%v, %v: written outside", there, err)
			}
		})
	}
}

func TestFetchPackages(t *testing.T) {
	t.Setenv("EMEND_NPM_DIR", t.TempDir())
	t.Setenv("PATH", "") // without npm
	v := kept(t, "@scope/name", "1.0.0", file("package/a.js", "a\n"))
	for range 2 { // the second time nothing is unpacked
		trees, err := FetchPackages(t.Context(), []Version{v}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(trees[0].Dir, "a.js")); string(data) != "a\n" || trees[0].Zip == 0 {
			t.Errorf("fetched %q, %v, archive of %d bytes", data, err, trees[0].Zip)
		}
	}
	bad := Version{v.Module, v.Version, "sha512-AAAA"}
	want := fmt.Sprintf("%s: checksum is %s, want sha512-AAAA", v, v.Sum)
	if _, err := FetchPackages(t.Context(), []Version{bad}, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	if _, err := FetchPackages(t.Context(), []Version{{"absent", "1.0.0", v.Sum}}, io.Discard); !errors.Is(err, ErrNotHad) {
		t.Errorf("without npm: %v", err)
	}
}

// TestHalfUnpacked uses a truncated archive. Nothing may stay that looks like the package.
func TestHalfUnpacked(t *testing.T) {
	t.Setenv("EMEND_NPM_DIR", t.TempDir())
	v := kept(t, "bad", "1.0.0", file("package/a.js", "a\n"), file("../b.js", "b\n"))
	for range 2 {
		if _, err := FetchPackages(t.Context(), []Version{v}, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "bad@1.0.0: ") {
			t.Fatalf("got %v", err)
		}
	}
	left, err := os.ReadDir(filepath.Join(os.Getenv("EMEND_NPM_DIR"), "archives"))
	if err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}
