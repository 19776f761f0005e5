package modpairs

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Two versions of one module and one of another, as the proxy of a tiny world would have them.
var world = map[string]map[string]string{
	"example.test/a@v1.0.0": {"go.mod": "module example.test/a\n", "same.txt": "same\n", "dir/old.txt": "gone\n", "crlf.txt": "1\r\n2\r\n", "swap.txt": "ab"},
	"example.test/a@v1.1.0": {"go.mod": "module example.test/a\n", "same.txt": "same\n", "dir/new.txt": "", "crlf.txt": "1\r\n3\r\n", "swap.txt": "ba"},
	"example.test/b@v0.1.0": {"go.mod": "module example.test/b\n", "same.txt": "other\n"},
}

func TestPairs(t *testing.T) {
	trees := treesOf(t)
	pairs, err := Pairs(trees)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pairs {
		before, after, err := p.Load()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %v %v %q %q", p.Path, p.HasOld, p.HasNew, before, after))
	}
	want := []string{
		`crlf.txt true true "1\r\n2\r\n" "1\r\n3\r\n"`,
		`dir/new.txt false true "" ""`,
		`dir/old.txt true false "gone\n" ""`,
		`swap.txt true true "ab" "ba"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// treesOf lays the world out as the module cache would.
func treesOf(t *testing.T) []Tree {
	cache := t.TempDir()
	var trees []Tree
	for _, id := range slices.Sorted(maps.Keys(world)) {
		dir := filepath.Join(cache, filepath.FromSlash(id))
		for name, data := range world[id] {
			write(t, filepath.Join(dir, name), data)
		}
		module, version, _ := strings.Cut(id, "@")
		trees = append(trees, Tree{Version{module, version, ""}, dir, 0})
	}
	return trees
}

func TestFetch(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	if runtime.GOOS == "windows" {
		t.Skip("file URLs of a Windows path")
	}
	dir := t.TempDir()
	env := []string{"GOPROXY=file://" + proxy(t, dir), "GONOPROXY=", "GOPRIVATE=", "GOMODCACHE=" + filepath.Join(dir, "cache"), "GOFLAGS=-modcacherw"}
	a := Version{"example.test/a", "v1.0.0", sum(world["example.test/a@v1.0.0"], "example.test/a@v1.0.0")}
	trees, err := Fetch(context.Background(), []Version{a}, env...)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(trees[0].Dir, "crlf.txt")); string(data) != "1\r\n2\r\n" || trees[0].Zip == 0 {
		t.Errorf("fetched %q, %v, zip of %d bytes", data, err, trees[0].Zip)
	}
	for _, bad := range []struct {
		v    Version
		want string
	}{
		{Version{a.Module, a.Version, "h1:AAAA"}, "checksum is " + a.Sum + ", want h1:AAAA"},
		{Version{a.Module, "v9.9.9", a.Sum}, "example.test/a@v9.9.9: "},
	} {
		if _, err := Fetch(context.Background(), []Version{bad.v}, env...); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want %q", bad.v, err, bad.want)
		}
	}
}

// proxy writes the world in the layout that the go command downloads from.
func proxy(t *testing.T, dir string) string {
	root := filepath.Join(dir, "proxy")
	for id, files := range world {
		module, version, _ := strings.Cut(id, "@")
		at := filepath.Join(root, module, "@v", version)
		write(t, at+".info", `{"Version":"`+version+`"}`)
		write(t, at+".mod", files["go.mod"])
		f, err := os.Create(at + ".zip")
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			w, err := z.Create(id + "/" + name)
			if err == nil {
				_, err = w.Write([]byte(files[name]))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return root
}

// sum is the h1: hash of a module: the hash of a list of the hashes of its files.
func sum(files map[string]string, id string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%x  %s/%s\n", sha256.Sum256([]byte(files[name])), id, name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func write(t *testing.T, name, data string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestReadList(t *testing.T) {
	list, err := ReadList(strings.NewReader("# remark\n\n a v1 h1:x \nb v2 h1:y\n"))
	if want := []Version{{"a", "v1", "h1:x"}, {"b", "v2", "h1:y"}}; err != nil || !slices.Equal(list, want) {
		t.Errorf("got %v, %v", list, err)
	}
	for _, bad := range []string{"a v1\n", "a v1 x\n", "a v1 h1:x more\n"} {
		if _, err := ReadList(strings.NewReader("\n" + bad)); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestSample(t *testing.T) {
	items := []int{1, 2, 3, 4, 5, 6, 7, 8}
	a, b := Sample(items, 3, 1), Sample(items, 3, 1)
	if len(a) != 3 || !slices.Equal(a, b) || !slices.IsSorted(a) {
		t.Errorf("got %v and %v", a, b)
	}
	if slices.Equal(a, Sample(items, 3, 2)) {
		t.Errorf("seeds 1 and 2 both give %v", a)
	}
	if !slices.Equal(Sample(items, 0, 1), items) || !slices.Equal(Sample(items, 9, 1), items) {
		t.Error("no limit does not give all")
	}
}
