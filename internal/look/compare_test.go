package look

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// list makes files of short forms: "path kind content inode", where kind is f for a file, x for one that can be run, d for a
// directory, o for a directory that was not entered, l for a link and p for a pipe. A file is h if it has other names, w if it is fresh.
func list(forms ...string) (out []*file) {
	for _, form := range forms {
		part := append(strings.Fields(form), "", "", "")
		f := &file{path: part[0], mode: 0o644, ctime: 1, mtime: 1}
		if part[3] != "" {
			fmt.Sscan(part[3], &f.ino)
		}
		for _, k := range part[1] {
			switch k {
			case 'x':
				f.mode = 0o755
			case 'd':
				f.mode = fs.ModeDir | 0o755
			case 'D':
				f.mode = fs.ModeDir | 0o700
			case 'o':
				f.mode, f.flags = fs.ModeDir|0o755, unentered
			case 'l':
				f.mode, f.link = fs.ModeSymlink|0o777, part[2]
			case 'p':
				f.mode = fs.ModeNamedPipe | 0o644
			case 'h':
				f.flags |= linked
			case 'w':
				f.flags |= fresh
			}
		}
		if f.mode.IsRegular() {
			f.sum, f.size = part[2], int64(len(part[2]))
		}
		out = append(out, f)
	}
	return out
}

// words describes changes.
func words(all []change) string {
	var out []string
	for _, c := range all {
		switch {
		case c.old == nil:
			out = append(out, "A "+c.now.path)
		case c.now == nil:
			out = append(out, "D "+c.old.path)
		case c.moved():
			out = append(out, "R "+c.old.path+" "+c.now.path)
		default:
			out = append(out, "M "+c.old.path)
		}
	}
	return strings.Join(out, ", ")
}

func TestCompare(t *testing.T) {
	tests := []struct {
		name     string
		was, now []*file
		want     string
	}{
		{"nothing", list("a f 1 1", "d d"), list("a f 1 1", "d d"), ""},
		{"another inode, the same content", list("a f 1 1"), list("a f 1 2"), ""},
		{"content", list("a f 1 1"), list("a f 2 1"), "M a"},
		{"permissions", list("a f 1 1"), list("a x 1 1"), "M a"},
		{"permissions of a directory", list("d d"), list("d D"), "M d"},
		{"new and gone", list("a f 1 1", "c f 3 3"), list("b f 2 2", "c f 3 3"), "D a, A b"},
		{"moved", list("a f 1 1"), list("b f 1 1"), "R a b"},
		{"moved to an earlier name", list("b f 1 1"), list("a f 1 1"), "R b a"},
		{"moved and changed", list("a f 1 1"), list("b f 2 1"), "D a, A b"},
		{"moved, and its permissions changed", list("a f 1 1"), list("b x 1 1"), "D a, A b"},
		{"moved over", list("a f 1 1", "b f 2 2"), list("b f 1 1"), "D a, M b"},
		{"changed places", list("a f 1 1", "b f 2 2"), list("a f 2 2", "b f 1 1"), "M a, M b"},
		{"a hard link gone and another made", list("a fh 1 1"), list("b fh 1 1"), "D a, A b"},
		{"a new name beside", list("a f 1 1"), list("a fh 1 1", "b fh 1 1"), "A b"},
		{"an inode used again by two", list("a f 1 1"), list("b f 1 1", "c f 1 1"), "R a b, A c"},
		{"a link", list("l l x"), list("l l y"), "M l"},
		{"a link that is made again", list("l l x 1"), list("l l x 2"), ""},
		{"a link over a file", list("a f 1 1"), list("a l b 2"), "M a"},
		{"a file over a link", list("a l b 1"), list("a f 1 2"), "M a"},
		{"a directory over a file", list("a f 1 1"), list("a d", "a/b f 2 2"), "D a, A a, A a/b"},
		{"a file over a directory", list("a d", "a/b f 2 2"), list("a f 1 1"), "D a, A a, D a/b"},
		{"a pipe over a file", list("a f 1 1"), list("a p"), "D a, A a"},
		{"a file over a pipe", list("a p"), list("a f 1 1"), "D a, A a"},
		{"a pipe", list(), list("p p"), "A p"},
		{"a pipe stays", list("p p"), list("p p"), ""},
		{"ignored from now on", list("b d", "b/x f 1 1"), list("b o"), ""},
		{"no longer ignored", list("b o"), list("b d", "b/x f 1 1"), ""},
		{"ignored, with a name like another", list("b d", "b/x f 1 1", "bc f 2 2"), list("b o"), "D bc"},
		{"no content is known", list("a f  1"), list("a f  1"), ""},
		{"all gone", list("a f 1 1", "d d", "d/x f 2 2", "l l x"), nil, "D a, D d, D d/x, D l"},
		{"all new", nil, list("a f 1 1", "d d", "d/x f 2 2", "l l x"), "A a, A d, A d/x, A l"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := words(compare(tt.was, tt.now)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestCompareKeeps: what is kept of a file stays with it, wherever it goes.
func TestCompareKeeps(t *testing.T) {
	was := list("a f 1 1", "b f 2 2", "c f 3 3")
	for i := range was {
		was[i].copy = uint64(i + 7)
	}
	now := list("b f 2 5", "c f 4 3", "d f 1 1")
	compare(was, now)
	if now[0].copy != 8 || now[1].copy != 0 || now[2].copy != 7 {
		t.Errorf("the copies are %d, %d, %d, want 8, 0, 7", now[0].copy, now[1].copy, now[2].copy)
	}
}

func TestMerge(t *testing.T) {
	was, now := list("a f", "b f", "d f"), list("b f", "c f", "d f", "e f")
	var got []string
	merge(was, now, func(a, b *file) { got = append(got, a.path+b.path) }, func(f *file) { got = append(got, "-"+f.path) }, func(f *file) { got = append(got, "+"+f.path) })
	if want := []string{"-a", "bb", "+c", "dd", "+e"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
