package gitobjects

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func isKind(err, kind error) bool { return errors.Is(err, kind) }

// TestTooLarge: a content that is too large is refused by its head. What follows is not read: here it is cut off or garbage.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	content := strings.Repeat("a line\n", 200_000)
	whole := parseID(t, strings.TrimSpace(gitWith(t, dir, content, "hash-object", "-w", "--stdin")))
	delta := parseID(t, strings.TrimSpace(gitWith(t, dir, content[:len(content)-7], "hash-object", "-w", "--stdin")))
	loose := filepath.Join(dir, ".git", "objects", whole.String()[:2], whole.String()[2:])
	limit := int64(len(content))

	check := func(where string, id ID, limit int64, want error) {
		t.Helper()
		r := open(t, dir)
		if got, err := r.Blob(id, limit); !isKind(err, want) || want == nil && r.BlobID(got) != id {
			t.Errorf("%s, limit %d: %d bytes, %v, want %v", where, limit, len(got), err, want)
		}
	}
	check("loose", whole, limit, nil)
	check("loose", whole, limit-1, ErrTooLarge)
	check("loose", whole, -1, ErrTooLarge)
	was := read(t, loose)
	must(t, os.Chmod(loose, 0o644))
	must(t, os.WriteFile(loose, was[:len(was)/2], 0o644))
	check("loose, cut off", whole, limit, ErrDamaged)
	check("loose, cut off", whole, limit-1, ErrTooLarge)
	must(t, os.WriteFile(loose, was, 0o644))

	gitWith(t, dir, whole.String()+"\n"+delta.String()+"\n", "pack-objects", "-q", ".git/objects/pack/pack")
	git(t, dir, "prune-packed", "-q")
	packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	if out := git(t, dir, "verify-pack", "-v", packs[0]); !strings.Contains(out, "chain length = 1: 1 object") {
		t.Fatal(out)
	}
	check("packed", whole, limit, nil)
	check("packed", whole, limit-1, ErrTooLarge)
	check("delta", delta, limit-7, nil) // its base is larger
	check("delta", delta, limit-8, ErrTooLarge)
	pack := read(t, packs[0])
	for i := 20; i < 200; i++ { // the first object is whole: its head has at most 20 bytes
		pack[i] = 0xff
	}
	must(t, os.Chmod(packs[0], 0o644))
	must(t, os.WriteFile(packs[0], pack, 0o644))
	check("packed, damaged", whole, limit, ErrDamaged)
	check("packed, damaged", whole, limit-1, ErrTooLarge)
}

// TestOtherContent: a whole object under the name of another one is refused, and found where it is right.
func TestOtherContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	file := func(id ID) string { return filepath.Join(dir, ".git", "objects", id.String()[:2], id.String()[2:]) }
	a := parseID(t, strings.TrimSpace(gitWith(t, dir, "a", "hash-object", "-w", "--stdin")))
	b := parseID(t, strings.TrimSpace(gitWith(t, dir, "b", "hash-object", "-w", "--stdin")))
	gitWith(t, dir, b.String()+"\n", "pack-objects", "-q", ".git/objects/pack/pack")
	must(t, os.Rename(file(a), file(b)))
	must(t, os.MkdirAll(filepath.Dir(file(a)), 0o755))
	must(t, os.Link(file(b), file(a)))
	r := open(t, dir)
	if content, err := r.Blob(b, 10); string(content) != "b" {
		t.Errorf("%q, %v", content, err)
	}
	must(t, os.Remove(file(a)))
	must(t, os.MkdirAll(filepath.Dir(file(a)), 0o755))
	write(t, dir, "x", "x")
	x := parseID(t, strings.TrimSpace(gitWith(t, dir, "x", "hash-object", "-w", "--stdin")))
	must(t, os.Rename(file(x), file(a)))
	if content, err := r.Blob(a, 10); !isKind(err, ErrDamaged) {
		t.Errorf("%q, %v", content, err)
	}
}

// TestNoWaiting: a named pipe in the place of a file is refused.
func TestNoWaiting(t *testing.T) {
	t.Parallel()
	dir := newRepo(t, 9)
	id := parseID(t, strings.TrimSpace(git(t, dir, "rev-parse", "HEAD:noise")))
	for _, name := range []string{".git/objects/" + id.String()[:2] + "/" + id.String()[2:], ".git/index", ".git/config", ".git/objects/info/alternates", ".git/objects/pack/pack-x.idx"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		os.Remove(file)
		if out, err := exec.Command("mkfifo", file).CombinedOutput(); err != nil {
			t.Skipf("NOT RUN: mkfifo: %v %s", err, out)
		}
	}
	if _, err := Open(dir); !isKind(err, ErrDamaged) {
		t.Errorf("config: %v", err)
	}
	must(t, os.Remove(filepath.Join(dir, ".git", "config")))
	r := open(t, dir)
	if _, err := r.Index(); !isKind(err, ErrDamaged) {
		t.Errorf("index: %v", err)
	}
	if _, err := r.Blob(id, 1<<20); !isKind(err, ErrDamaged) {
		t.Errorf("blob: %v", err)
	}
}

func TestNotBlob(t *testing.T) {
	t.Parallel()
	dir := newRepo(t, 8)
	commit := parseID(t, strings.TrimSpace(git(t, dir, "rev-parse", "HEAD")))
	tree := parseID(t, strings.TrimSpace(git(t, dir, "rev-parse", "HEAD:")))
	for _, packed := range []bool{false, true} {
		if packed {
			git(t, dir, "gc", "-q")
		}
		r := open(t, dir)
		for id, want := range map[ID]error{commit: ErrKind, tree: ErrKind, ID(strings.Repeat("x", 20)): ErrNotFound, "": ErrNotFound, ID(strings.Repeat("x", 32)): ErrNotFound} {
			if _, err := r.Blob(id, 1<<20); !isKind(err, want) {
				t.Errorf("packed %v: %s: %v, want %v", packed, id, err, want)
			}
		}
	}
}

// TestIndexLeavesOut: no entry leads out of the work tree, or into .git.
func TestIndexLeavesOut(t *testing.T) {
	t.Parallel()
	names := []string{"../x", "./x", "/x", ".GIT/hooks/x", ".git", "a", "a/", "a/../../x", "a//b", "a/.Git", "a/b", "b/..", "c"}
	slices.Sort(names)
	x, err := parseIndex(indexOf(2, names...), objectFormats["sha1"], 0)
	must(t, err)
	entries, err := sorted(x.entries)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Path)
	}
	if fmt.Sprint(got) != "[a a/b c]" {
		t.Errorf("%q", got)
	}
}

func TestIndexRefuses(t *testing.T) {
	t.Parallel()
	sha1 := objectFormats["sha1"]
	extension := func(name, data string) string {
		text := indexOf(2, "a")
		return text[:len(text)-20] + name + string([]byte{0, 0, 0, byte(len(data))}) + data + text[len(text)-20:]
	}
	for name, tc := range map[string]struct {
		text string
		want error
	}{
		"empty":             {"", ErrDamaged},
		"zeros":             {strings.Repeat("\x00", 100), ErrDamaged},
		"version 1":         {indexOf(1, "a"), ErrUnsupported},
		"version 5":         {indexOf(5, "a"), ErrUnsupported},
		"count":             {strings.Replace(indexOf(2, "a"), "\x00\x00\x00\x01", "\xff\xff\xff\xff", 1), ErrDamaged},
		"order":             {indexOf(2, "b", "a"), ErrDamaged},
		"twice":             {indexOf(2, "a", "a"), ErrDamaged},
		"cut off":           {indexOf(2, "a", "b")[:130], ErrDamaged},
		"unknown extension": {extension("newx", ""), ErrUnsupported},
		"optional":          {extension("NEWX", "data"), nil},
		"sparse":            {extension("sdir", ""), nil},
		"short link":        {extension("link", "data"), ErrDamaged},
		"no link":           {extension("link", strings.Repeat("\x00", 20)), nil},
		"version 4 bomb":    {bomb(), ErrDamaged},
	} {
		x, err := parseIndex(tc.text, sha1, 0)
		if err == nil {
			_, err = sorted(x.entries)
		}
		if !isKind(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

// indexOf returns an index with entries for these names, in this order.
func indexOf(version byte, names ...string) string {
	var b strings.Builder
	b.WriteString("DIRC\x00\x00\x00" + string(rune(version)) + string([]byte{0, 0, byte(len(names) >> 8), byte(len(names))}))
	for _, name := range names {
		entry := strings.Repeat("\x00", 24) + "\x00\x00\x81\xa4" + strings.Repeat("\x00", 12) + strings.Repeat("i", 20) + string([]byte{byte(len(name) >> 8), byte(len(name))}) + name
		b.WriteString(entry + strings.Repeat("\x00", 8-len(entry)%8))
	}
	return b.String() + strings.Repeat("s", 20)
}

// bomb returns an index of version 4 whose names have a prefix of a megabyte in common.
func bomb() string {
	var b strings.Builder
	b.WriteString("DIRC\x00\x00\x00\x04\x00\x00\xff\xff")
	for i := range 0xffff {
		b.WriteString(strings.Repeat("\x00", 62) + "\x00")
		if i == 0 {
			b.WriteString(strings.Repeat("p", 1<<20))
		}
		b.WriteString("x\x00")
	}
	return b.String() + strings.Repeat("s", 20)
}

// packOf returns an open pack with these objects and the places where it has them. An object is its head and what is
// compressed.
func packOf(objects ...[2]string) (*pack, []int64, error) {
	var b bytes.Buffer
	b.WriteString("PACK\x00\x00\x00\x02\x00\x00\x00\x00")
	var at []int64
	for _, o := range objects {
		at = append(at, int64(b.Len()))
		b.WriteString(o[0])
		z := zlib.NewWriter(&b)
		z.Write([]byte(o[1]))
		z.Close()
	}
	b.WriteString(strings.Repeat("s", 20))
	p := &pack{}
	return p, at, p.use(&packIndex{idSize: 20, packSum: strings.Repeat("s", 20)}, bytes.NewReader(b.Bytes()), int64(b.Len()), 20)
}

// sizeOf returns how many bytes an object takes in a pack.
func sizeOf(t *testing.T, object [2]string) int {
	t.Helper()
	_, at, err := packOf(object, object)
	must(t, err)
	return int(at[1] - at[0])
}

// head returns the head of an object in a pack.
func head(kind byte, size int) string {
	out := []byte{kind<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		out[len(out)-1] |= 0x80
		out = append(out, byte(size&0x7f))
	}
	return string(out)
}

func number(n int) string {
	var out []byte
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return string(append(out, byte(n)))
}

func TestPackRefuses(t *testing.T) {
	t.Parallel()
	copyAll := func(size int) string {
		return number(size) + number(size) + string([]byte{0xf0, byte(size), byte(size >> 8), byte(size >> 16)})
	}
	// Each delta of the chain copies a content of 64 KiB: together more than a call may make.
	const held = 64 << 10
	chain := [][2]string{{head(3, held), strings.Repeat("x", held)}}
	for range maxWork + 1 {
		delta := copyAll(held)
		chain = append(chain, [2]string{head(6, len(delta)) + backwards(sizeOf(t, chain[len(chain)-1])), delta})
	}
	tooLarge := [2]string{head(3, held+1), "x"}
	for name, tc := range map[string]struct {
		objects [][2]string
		want    error
	}{
		"whole":                   {[][2]string{{head(3, 1), "x"}}, nil},
		"shorter than it says":    {[][2]string{{head(3, 2), "x"}}, ErrDamaged},
		"longer than it says":     {[][2]string{{head(3, 1), "xx"}}, ErrDamaged},
		"a tree":                  {[][2]string{{head(2, 1), "x"}}, ErrKind},
		"type 0":                  {[][2]string{{head(0, 1), "x"}}, ErrKind},
		"type 5":                  {[][2]string{{head(5, 1), "x"}}, ErrKind},
		"base before the pack":    {[][2]string{{head(6, 1) + backwards(13), "x"}}, ErrDamaged},
		"base is the delta":       {[][2]string{{head(6, 4) + backwards(0), "\x01\x01\x01x"}}, ErrDamaged},
		"base is too large":       {[][2]string{tooLarge, {head(6, 4) + backwards(sizeOf(t, tooLarge)), "\x01\x01\x01x"}}, ErrTooLarge},
		"delta is too large":      {[][2]string{{head(6, held+1) + backwards(1), "x"}}, ErrTooLarge},
		"size has no end":         {[][2]string{{strings.Repeat("\xb0", 12), "x"}}, ErrDamaged},
		"size of many bits":       {[][2]string{{"\xbf\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "x"}}, ErrDamaged},
		"as much work as allowed": {chain[:maxWork+1], nil},
		"more work than bounds":   {chain, ErrTooLarge},
	} {
		p, at, err := packOf(tc.objects...)
		must(t, err)
		if _, err := new(inflater).objectAt(p, blobObject, at[len(at)-1], held, held); !isKind(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

// backwards writes the distance to a base.
func backwards(n int) string {
	out := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		out = append([]byte{0x80 | byte(n&0x7f)}, out...)
	}
	return string(out)
}

func TestDeltaRefuses(t *testing.T) {
	t.Parallel()
	for delta, want := range map[string]string{
		"\x05\x05\x90\x05":          "hello",
		"\x05\x03\x91\x01\x02\x01!": "el!",
		"\x05\x00":                  "",
		"":                          "error", "\x05": "error", "\x04\x05\x90\x05": "error", "\x05\x05\x90\x06": "error",
		"\x05\x05\x91\x01\x05": "error", "\x05\x05\x90": "error", "\x05\x05\x00": "error", "\x05\x05\x06hello": "error",
		"\x05\x04\x90\x05": "error", "\x05\x06\x90\x05": "error", "\x05\x05\xff\xff\xff\xff\xff\xff\xff\xff": "error",
		"\x05\xff\xff\xff\xff\x7f\x90\x05": "error", "\x05\x05\x80": "error",
	} {
		out, err := applyDelta([]byte("hello"), []byte(delta), 100)
		got := string(out)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %q, %v, want %q", delta, out, err, want)
		}
	}
	// It stops at the first byte too many.
	if _, err := applyDelta([]byte("hello"), []byte("\x05\x04\x90\x05"), 100); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}
