package gitobjects

import (
	"bytes"
	"compress/zlib"
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// seed returns a file that git wrote, for the corpus: making a repository in each worker would take longer than the fuzzing.
// TestSeeds makes them.
func seed(t testing.TB, name string) []byte { return read(t, filepath.Join("testdata", name)) }

var makeSeeds = flag.Bool("gitobjects.seeds", false, "make the files of testdata again")

// TestSeeds: what git wrote can be read.
func TestSeeds(t *testing.T) {
	if *makeSeeds {
		dir := t.TempDir()
		git(t, dir, "init", "-q")
		save := func(pattern, name string) {
			files, _ := filepath.Glob(filepath.Join(dir, ".git", pattern))
			must(t, os.MkdirAll("testdata", 0o755))
			must(t, os.WriteFile(filepath.Join("testdata", name), read(t, files[0]), 0o644))
		}
		for _, name := range []string{"a", "d/b", "d/c"} {
			write(t, dir, name, strings.Repeat("a few lines\n", 50)+name)
		}
		git(t, dir, "add", "-A")
		save("index", "index2")
		save("objects/??/*", "loose")
		git(t, dir, "update-index", "--index-version=4")
		save("index", "index4")
		git(t, dir, "config", "core.splitIndex", "true")
		git(t, dir, "config", "splitIndex.maxPercentChange", "100")
		git(t, dir, "update-index", "--index-version=2")
		git(t, dir, "update-index", "--split-index")
		write(t, dir, "d/b", "replaced")
		must(t, os.Remove(filepath.Join(dir, "d", "c")))
		write(t, dir, "d/e", "new")
		git(t, dir, "add", "-A")
		save("index", "split")
		save("sharedindex.*", "shared")
		git(t, dir, "commit", "-q", "-m", "x")
		git(t, dir, "repack", "-q", "-adf")
		save("objects/pack/*.pack", "pack")
		save("objects/pack/*.idx", "idx")
	}
	format := objectFormats["sha1"]
	for _, name := range []string{"index2", "index4", "shared"} {
		if x, err := parseIndex(string(seed(t, name)), format, 0); err != nil || len(x.entries) != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzIndex: no text is read with more memory than a small multiple of its size, and no path leads out.
func FuzzIndex(f *testing.F) {
	f.Add(string(seed(f, "index2")), "", false)
	f.Add(string(seed(f, "index4")), "", false)
	f.Add(string(seed(f, "split")), string(seed(f, "shared")), false)
	f.Fuzz(func(t *testing.T, own, shared string, long bool) {
		format := objectFormats["sha1"]
		if long {
			format = objectFormats["sha256"]
		}
		x, err := parseIndex(own, format, math.MaxUint64)
		if err != nil {
			return
		}
		entries := x.entries
		if base, err := parseIndex(shared, format, math.MaxUint64); err == nil {
			if entries, err = x.mergeInto(base); err != nil {
				return
			}
		}
		entries, err = sorted(entries)
		if err != nil {
			return
		}
		size := 0
		for i, e := range entries {
			size += len(e.Path)
			if !inTree(e.Path) || len(e.ID) != format.size || i > 0 && e.Path < entries[i-1].Path {
				t.Fatalf("%+v", e)
			}
			if found := (&Index{entries}).Find(e.Path); e.Stage == 0 && (found == nil || found.Path != e.Path) {
				t.Fatalf("Find(%q) = %v", e.Path, found)
			}
		}
		if size > 17*(len(own)+len(shared))+2<<20 {
			t.Fatalf("paths of %d bytes from %d", size, len(own)+len(shared))
		}
	})
}

// FuzzPack: whatever is in a pack and its index, each object is read or refused.
func FuzzPack(f *testing.F) {
	f.Add(seed(f, "pack"), seed(f, "idx"))
	f.Fuzz(func(t *testing.T, data, idx []byte) {
		x, err := openPackIndex(bytes.NewReader(idx), int64(len(idx)), 20)
		if err != nil {
			return
		}
		if len(data) >= 20 { // the sum need not be found
			data = append(bytes.Clone(data[:len(data)-20]), x.packSum...)
		}
		p := &pack{}
		if p.use(x, bytes.NewReader(data), int64(len(data)), 20) != nil {
			return
		}
		const limit = 1 << 16
		var z inflater
		for at := range min(int64(len(data)), 200) {
			if content, err := z.objectAt(p, blobObject, at, limit, limit); len(content) > limit || err != nil && content != nil {
				t.Fatalf("at %d: %d bytes, %v", at, len(content), err)
			}
		}
		for i := range min(len(idx)/20, 100) {
			at, err := x.find(ID(idx[20*i:][:20]))
			if err == nil && at >= 0 {
				z.objectAt(p, blobObject, at, limit, limit)
			}
		}
	})
}

// FuzzPackIndex: an object that the index has is found where git has it, whatever else is asked.
func FuzzPackIndex(f *testing.F) {
	f.Add(seed(f, "idx"), strings.Repeat("x", 20))
	f.Fuzz(func(t *testing.T, idx []byte, id string) {
		for _, size := range []int{20, 32} {
			if x, err := openPackIndex(bytes.NewReader(idx), int64(len(idx)), size); err == nil && len(id) >= size {
				x.find(ID(id[:size]))
			}
		}
	})
}

// FuzzDelta: a delta makes what it says, or is refused.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("hello"), []byte("\x05\x03\x91\x01\x02\x01!"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		const limit = 1 << 16
		out, err := applyDelta(base, delta, limit)
		c := cursor{text: string(delta)}
		if from, size := c.size(0, 0), c.size(0, 0); err == nil && (int64(len(base)) != from || int64(len(out)) != size || size > limit) {
			t.Fatalf("%d bytes of %d", len(out), size)
		}
	})
}

// FuzzLoose: an object says its size, or is refused.
func FuzzLoose(f *testing.F) {
	f.Add(seed(f, "loose"), true)
	f.Add([]byte("blob 3\x00abc"), false)
	f.Fuzz(func(t *testing.T, data []byte, compressed bool) {
		if !compressed {
			var b bytes.Buffer
			z := zlib.NewWriter(&b)
			z.Write(data)
			z.Close()
			data = b.Bytes()
		}
		if content, err := new(inflater).loose(bytes.NewReader(data), blobObject, 1<<16); len(content) > 1<<16 || err != nil && content != nil {
			t.Fatalf("%d bytes, %v", len(content), err)
		}
	})
}

// FuzzConfig: no configuration and no line of alternates ends in a panic.
func FuzzConfig(f *testing.F) {
	f.Add("[core]\nrepositoryformatversion = 1\n[extensions] objectformat = sha256")
	f.Add("\"a\\")
	f.Fuzz(func(t *testing.T, text string) {
		if format, err := formatIn(text); err == nil && format.new().Size() != format.size {
			t.Fatal(format.size)
		}
		if path := alternatePath(text); runtime.GOOS == "linux" && strings.HasPrefix(text, "#") && path != "" {
			t.Fatalf("%q", path)
		}
	})
}
