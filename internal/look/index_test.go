package look

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/vfs"
)

func someIndex(r *rand.Rand) *index {
	x := &index{at: time.Unix(0, r.Int64()), head: audit.Head{Seq: r.Uint64(), H: "h"}, next: r.Uint64(), dirs: []dirIndex{}}
	path := ""
	for range r.IntN(20) {
		x.dirs = append(x.dirs, makeDirIndex(path, someFiles(r, path)))
		path = join(path, string(rune('a'+r.IntN(26))))
	}
	return x
}

func someFiles(r *rand.Rand, dir string) (out []file) {
	for i := range r.IntN(10) {
		f := file{path: join(dir, fmt.Sprint("f", i)), mode: []fs.FileMode{0o644, 0o755 | fs.ModeDir, 0o777 | fs.ModeSymlink, fs.ModeNamedPipe}[r.IntN(4)], ino: r.Uint64(), flags: flags(r.IntN(8))}
		if !f.mode.IsDir() {
			f.size, f.mtime, f.ctime, f.copy = r.Int64(), r.Int64()-1<<62, r.Int64(), uint64(r.IntN(2))*r.Uint64()
			f.link, f.sum, f.blob = []string{"", "to"}[r.IntN(2)], []string{"", "sum"}[r.IntN(2)], []string{"", "blob"}[r.IntN(2)]
		}
		out = append(out, f)
	}
	return out
}

func decode(b []byte) (*index, error) { return decodeIndex(bytes.NewReader(b), int64(len(b))) }

// TestIndexRoundTrip: an index is read as it was written, and one that was damaged anywhere is not read.
func TestIndexRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		x := someIndex(r)
		text := x.encode()
		got, err := decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if got.sum = 0; !reflect.DeepEqual(got, x) {
			t.Fatalf("\n%+v\n%+v", got, x)
		}
		i := r.IntN(len(text))
		text[i] ^= 1 << r.IntN(8)
		if _, err := decode(text); err == nil {
			t.Fatalf("damaged at %d, and read", i)
		}
		if _, err := decode(text[:i]); err == nil {
			t.Fatalf("cut off at %d, and read", i)
		}
	}
}

// TestDirIndexRoundTrip: the files of a directory are read as they were written, and its copies are counted.
func TestDirIndexRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		files := someFiles(r, "d/e")
		d := makeDirIndex("d/e", files)
		if got := d.list(); !slices.Equal(got, files) {
			t.Fatalf("\n%+v\n%+v", got, files)
		}
		var want copied
		for _, f := range files {
			if f.copy != 0 {
				want.add(copied{1, f.size})
			}
		}
		if d.copies != want {
			t.Fatalf("%+v, want %+v", d.copies, want)
		}
		if len(files) > 0 && (&dirIndex{files: d.files, text: d.text[:len(d.text)-1]}).each(func(*file) bool { return true }) {
			t.Fatal("cut off, and read")
		}
	}
}

// TestSameIsOfOneIndex: what a look says of an index that it did not write counts for that index alone.
func TestSameIsOfOneIndex(t *testing.T) {
	at, head := time.Unix(7, 0), audit.Head{Seq: 8, H: "h"}
	for _, tt := range []struct {
		same *sameIndex
		want bool
	}{{nil, false}, {&sameIndex{Sum: 1, At: at, Head: head}, true}, {&sameIndex{Sum: 2, At: at, Head: head}, false}} {
		x := &index{sum: 1}
		tt.same.correct(x)
		if got := x.at.Equal(at) && x.head == head; got != tt.want {
			t.Errorf("%+v makes %+v", tt.same, x)
		}
	}
}

// TestSettled: a directory needs another look if anything of it differs, or if something is left to do for a file in it.
func TestSettled(t *testing.T) {
	at := time.Unix(0, 1000)
	young := at.Add(time.Hour).UnixNano()
	entry := find.Entry{Name: "f", Info: vfs.Info{ID: vfs.ID{Ino: 4}, Mode: 0o644, Size: 1, ModTime: at, ChangeTime: at, Links: 1}}
	was := file{path: "f", mode: 0o644, size: 1, mtime: 1000, ctime: 1000, ino: 4, sum: "sum", blob: "blob"}
	dir := find.Entry{Name: "d", Info: vfs.Info{ID: vfs.ID{Ino: 5}, Mode: fs.ModeDir | 0o755, Size: 7, ModTime: at, ChangeTime: at}}
	wasDir := file{path: "d", mode: fs.ModeDir | 0o755, ino: 5}
	for name, tc := range map[string]struct {
		change func(was, wasDir *file, now, dir *find.Entry)
		want   bool
	}{
		"the same":            {func(*file, *file, *find.Entry, *find.Entry) {}, true},
		"kept as a copy":      {func(was, _ *file, _, _ *find.Entry) { was.blob, was.copy = "", 1 }, true},
		"a directory's times": {func(_, _ *file, _, dir *find.Entry) { dir.ModTime = at.Add(1) }, true},
		"another name":        {func(was, _ *file, _, _ *find.Entry) { was.path = "g" }, false},
		"another size":        {func(_, _ *file, now, _ *find.Entry) { now.Size++ }, false},
		"another time":        {func(_, _ *file, now, _ *find.Entry) { now.ModTime = at.Add(1) }, false},
		"changed since":       {func(_, _ *file, now, _ *find.Entry) { now.ChangeTime = at.Add(1) }, false},
		"another file":        {func(_, _ *file, now, _ *find.Entry) { now.ID.Ino++ }, false},
		"permissions":         {func(_, _ *file, now, _ *find.Entry) { now.Mode = 0o600 }, false},
		"another link":        {func(_, _ *file, now, _ *find.Entry) { now.Link = "x" }, false},
		"a hard link":         {func(_, _ *file, now, _ *find.Entry) { now.Links = 2 }, false},
		"just written then":   {func(was, _ *file, _, _ *find.Entry) { was.flags = fresh }, false},
		"just written":        {func(was, _ *file, now, _ *find.Entry) { now.ChangeTime, was.ctime = time.Unix(0, young), young }, false},
		"just written, again": {func(was, _ *file, now, _ *find.Entry) {
			now.ChangeTime, was.ctime, was.flags = time.Unix(0, young), young, fresh
		}, false},
		"never read":         {func(was, _ *file, _, _ *find.Entry) { was.sum = "" }, false},
		"not kept":           {func(was, _ *file, _, _ *find.Entry) { was.blob = "" }, false},
		"ignored now":        {func(_, _ *file, _, dir *find.Entry) { dir.Ignored = true }, false},
		"a mount now":        {func(_, _ *file, _, dir *find.Entry) { dir.Other = true }, false},
		"another directory":  {func(_, _ *file, _, dir *find.Entry) { dir.ID.Ino++ }, false},
		"entered now":        {func(_, wasDir *file, _, _ *find.Entry) { wasDir.flags = unentered }, false},
		"a directory's mode": {func(_, _ *file, _, dir *find.Entry) { dir.Mode = fs.ModeDir | 0o700 }, false},
	} {
		was, wasDir, now, dir := was, wasDir, entry, dir
		tc.change(&was, &wasDir, &now, &dir)
		d := makeDirIndex("", []file{was, wasDir})
		if got := d.isSettled([]find.Entry{now, dir}, young); got != tc.want {
			t.Errorf("%s: settled %v", name, got)
		}
	}
	socket := find.Entry{Name: "s", Info: vfs.Info{Mode: fs.ModeSocket}}
	d := makeDirIndex("", []file{was, wasDir})
	for name, tc := range map[string]struct {
		now  []find.Entry
		want bool
	}{
		"a socket":      {[]find.Entry{socket, entry, socket, dir, socket}, true},
		"one less":      {[]find.Entry{entry, socket}, false},
		"one more":      {[]find.Entry{entry, dir, entry}, false},
		"another order": {[]find.Entry{dir, entry}, false},
		"none":          {nil, false},
	} {
		if got := d.isSettled(tc.now, young); got != tc.want {
			t.Errorf("%s: settled %v", name, got)
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
		"given up":           {func(was, _ *file) { was.sum, was.flags = "", unread }, 0, 0},
		"given up, changed":  {func(was, now *file) { was.sum, was.flags = "", unread; now.mtime++ }, 1, 0},
		"never read, and so": {func(was, _ *file) { was.sum, was.flags = "", fresh }, 0, 1},
	} {
		then, now := was, was
		now.sum, now.blob, now.copy = "", "", 0
		tc.change(&then, &now)
		changed, unread := carry([]*file{&then}, []*file{&now})
		if len(changed) != tc.changed || len(unread) != tc.unread {
			t.Errorf("%s: %d changed, %d unread", name, len(changed), len(unread))
		}
	}
}

// FuzzIndex: no text makes decodeIndex panic, or take more memory than the text has bytes for.
func FuzzIndex(f *testing.F) {
	f.Add(someIndex(rand.New(rand.NewPCG(3, 4))).encode()[len(magic)+4:])
	f.Fuzz(func(t *testing.T, body []byte) {
		x, err := decode(appendChecksum(append([]byte(magic+"0000"), body...)))
		if err != nil {
			return
		}
		files := 0
		for i := range x.dirs {
			files += len(x.dirs[i].list())
		}
		if len(x.dirs)+files > len(body) {
			t.Errorf("%d directories and %d files of %d bytes", len(x.dirs), files, len(body))
		}
	})
}
