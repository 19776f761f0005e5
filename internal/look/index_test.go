package look

import (
	"io/fs"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/audit"
)

func someIndex(r *rand.Rand) *index {
	x := &index{at: time.Unix(0, r.Int64()), head: audit.Head{Seq: r.Uint64(), H: "h"}, next: r.Uint64(), files: []file{}}
	path := "a"
	for range r.IntN(50) {
		path = path[:1+r.IntN(len(path))] + string(rune('a'+r.IntN(26))) + "/" + string(rune('a'+r.IntN(26)))
		f := file{path: path, mode: []fs.FileMode{0o644, 0o755 | fs.ModeDir, 0o777 | fs.ModeSymlink, fs.ModeNamedPipe}[r.IntN(4)], ino: r.Uint64(), flags: flags(r.IntN(16))}
		if !f.mode.IsDir() {
			f.size, f.mtime, f.ctime, f.copy = r.Int64(), r.Int64()-1<<62, r.Int64(), r.Uint64()
			f.link, f.sum, f.blob = []string{"", "to"}[r.IntN(2)], []string{"", "sum"}[r.IntN(2)], []string{"", "blob"}[r.IntN(2)]
		}
		x.files = append(x.files, f)
	}
	return x
}

// TestIndexRoundTrip: an index is read as it was written, and one that was damaged anywhere is not read.
func TestIndexRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		x := someIndex(r)
		text := x.encode()
		got, err := decodeIndex(text)
		if err != nil || !reflect.DeepEqual(got, x) {
			t.Fatalf("%v\n%+v\n%+v", err, got, x)
		}
		i := r.IntN(len(text))
		text[i] ^= 1 << r.IntN(8)
		if _, err := decodeIndex(text); err == nil {
			t.Fatalf("damaged at %d, and read", i)
		}
		if _, err := decodeIndex(text[:i]); err == nil {
			t.Fatalf("cut off at %d, and read", i)
		}
	}
}

// TestCarry: a file is read unless the last look says the same of it and had read it long enough after it was written.
func TestCarry(t *testing.T) {
	was := file{path: "a", mode: 0o644, size: 1, mtime: 2, ctime: 3, ino: 4, sum: "sum", blob: "blob", copy: 5}
	for name, tc := range map[string]struct {
		change          func(was, now *file)
		changed, unread int
	}{
		"the same":           {func(_, _ *file) {}, 0, 0},
		"another size":       {func(_, now *file) { now.size++ }, 1, 0},
		"another time":       {func(_, now *file) { now.mtime++ }, 1, 0},
		"changed since":      {func(_, now *file) { now.ctime++ }, 1, 0},
		"another file":       {func(_, now *file) { now.ino++ }, 1, 0},
		"permissions":        {func(_, now *file) { now.mode = 0o755 }, 1, 0},
		"just written then":  {func(was, _ *file) { was.flags = fresh }, 1, 0},
		"never read":         {func(was, _ *file) { was.sum = "" }, 0, 1},
		"never read, and so": {func(was, _ *file) { was.sum, was.flags = "", fresh }, 0, 1},
	} {
		then, now := was, was
		now.sum, now.blob, now.copy = "", "", 0
		tc.change(&then, &now)
		changed, unread := carry([]file{then}, []file{now})
		if len(changed) != tc.changed || len(unread) != tc.unread {
			t.Errorf("%s: %d changed, %d unread", name, len(changed), len(unread))
		}
	}
}

// FuzzIndex: no text makes decodeIndex panic, or take more memory than the text has bytes for.
func FuzzIndex(f *testing.F) {
	f.Add(someIndex(rand.New(rand.NewPCG(3, 4))).encode()[len(magic):])
	f.Fuzz(func(t *testing.T, body []byte) {
		if x, err := decodeIndex(seal(body)); err == nil && len(x.files) > len(body) {
			t.Errorf("%d files of %d bytes", len(x.files), len(body))
		}
	})
}

// seal makes an index of a body, whatever it is.
func seal(body []byte) []byte {
	return appendChecksum(append([]byte(magic), body...))
}
