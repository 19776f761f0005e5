package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/fail"
)

// counted is a tree that counts the directories that it opened, and those that are open.
type counted struct {
	tree
	mu                  *sync.Mutex
	opened, now, atOnce *int
}

type countedDir struct {
	handle
	of counted
}

func (c counted) openDir(names []string) (handle, error) {
	h, err := c.tree.openDir(names)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.opened++
	*c.now++
	*c.atOnce = max(*c.atOnce, *c.now)
	return countedDir{h, c}, nil
}

func (d countedDir) close() {
	d.handle.close()
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	*d.of.now--
}

func count(g *Guard) counted {
	c := counted{g.tree, new(sync.Mutex), new(int), new(int), new(int)}
	g.tree = c
	return c
}

// many returns some directories with so many files in each.
func many(dirs, files int) (all map[string]string, paths []string) {
	all = map[string]string{".git/hooks/x": "", ".vscode/": ""}
	for d := range dirs {
		for f := range files {
			p := fmt.Sprintf("s/d%d/f%d", d, f)
			all[p] = p
			paths = append(paths, p)
		}
	}
	return all, paths
}

// TestBatch: a batch finds what is found path by path, with several goroutines at once, and opens no directory twice.
func TestBatch(t *testing.T) {
	dir := t.TempDir()
	files, paths := many(5, 40)
	files["s/link"], files["s/d0/dir/"] = "-> d0", ""
	plant(t, dir, files)
	paths = append(paths, "s/link/f1", "s/none", "no/such", "s/d0/dir", ".git/hooks/x", "../x", "s/d1/../d2/f3")
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		alone := open(dir, Options{})
		c := count(g)
		v := g.NewBatch()
		var all sync.WaitGroup
		for part := range slices.Chunk(paths, 10) {
			all.Go(func() {
				for _, p := range part {
					e, got, err := v.Fetch(context.Background(), p, Request{Write: true}, 1<<10)
					e2, err2 := alone.Resolve(p, Request{Write: true})
					if e != e2 || fmt.Sprint(err) != fmt.Sprint(err2) {
						t.Errorf("%s: %+v, %v, alone %+v, %v", p, e, err, e2, err2)
					}
					if (got != nil) != (err == nil && e.Kind == Regular) || got != nil && (got.Data != e.Rel || got.Sum != sum(got.Data) || got.Err != nil) {
						t.Errorf("%s: read %+v", p, got)
					}
				}
			})
		}
		all.Wait()
		check(t, v.Recheck())
		v.Close()
		// Two goroutines may open one directory at the same time, and Recheck opens each once more.
		if most := 8 * len(slices.Collect(slices.Chunk(paths, 10))); *c.opened > most || *c.now != 0 {
			t.Errorf("%d directories were opened, %d at once, %d are open", *c.opened, *c.atOnce, *c.now)
		}
	})
}

// TestBatchHoldsFew: with one directory after the other, each is opened once, and only so many are kept open.
func TestBatchHoldsFew(t *testing.T) {
	dir := t.TempDir()
	files, paths := many(3*maxCachedDirs, 2)
	plant(t, dir, files)
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		c := count(g)
		v := g.NewBatch()
		for _, p := range paths {
			_, _, err := v.Fetch(context.Background(), p, Request{Write: true}, 1<<10)
			check(t, err)
		}
		if *c.opened > 3*maxCachedDirs+20 || *c.atOnce > maxCachedDirs+4 {
			t.Errorf("%d directories were opened, %d at once", *c.opened, *c.atOnce)
		}
		check(t, v.Recheck())
		v.Close()
		if *c.now != 0 {
			t.Errorf("%d directories are open", *c.now)
		}
	})
}

// tight is a tree in a process that may have so many directories open, and one file besides.
type tight struct {
	counted
	most int
}

type tightDir struct {
	handle
	of tight
}

func (t tight) full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return *t.now > t.most
}

func (t tight) openDir(names []string) (handle, error) {
	h, err := t.counted.openDir(names)
	if err == nil && t.full() {
		h.close()
		err = syscall.EMFILE
	}
	if err != nil {
		return nil, err
	}
	return tightDir{h, t}, nil
}

func (d tightDir) openRegular(name string) (File, error) {
	d.of.mu.Lock()
	full := *d.of.now >= d.of.most
	d.of.mu.Unlock()
	if full {
		return File{}, syscall.EMFILE
	}
	return d.handle.openRegular(name)
}

// TestBatchWithFewHandles: a process that may open few files finds the same as one that holds many directories.
func TestBatchWithFewHandles(t *testing.T) {
	dir := t.TempDir()
	files, paths := many(maxCachedDirs, 2)
	plant(t, dir, files)
	each(t, func(t *testing.T, open opener) {
		for most := 4; most < 9; most++ {
			g := open(dir, Options{})
			c := count(g)
			g.tree = tight{c, most}
			v := g.NewBatch()
			for _, p := range paths {
				_, got, err := v.Fetch(context.Background(), p, Request{Write: true}, 1<<10)
				if err != nil || got == nil || got.Err != nil || got.Data != p {
					t.Fatalf("of %d, %s: %+v, %v", most, p, got, err)
				}
			}
			check(t, v.Recheck())
			v.Close()
			if *c.now != 0 {
				t.Errorf("%d directories are open", *c.now)
			}
		}
	})
}

// TestRecheck: a change between the first path and the last is noticed, if the last path alone would have been refused for
// it.
func TestRecheck(t *testing.T) {
	move := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { check(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to))) }
	}
	link := func(target, name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { check(t, os.Symlink(target, filepath.Join(dir, name))) }
	}
	tests := []struct {
		name  string
		paths []string
		do    func(t *testing.T, dir string)
		want  error // nil for none
	}{
		{"nothing", []string{"a/b/f", "a/b/g"}, func(*testing.T, string) {}, nil},
		{"the directory is moved away", []string{"a/b/f", "a/b/g"}, move("a/b", "a/c"), fail.Stale},
		{"the directory is moved, one path", []string{"a/b/f"}, move("a/b", "a/c"), nil},
		{"another gets its name", []string{"a/b/f", "a/b/g"}, func(t *testing.T, dir string) {
			move("a/b", "a/c")(t, dir)
			check(t, os.Mkdir(filepath.Join(dir, "a/b"), 0o755))
		}, fail.Stale},
		{"a link gets its name", []string{"a/b/f", "a/b/g"}, func(t *testing.T, dir string) {
			move("a/b", "a/c")(t, dir)
			link("c", "a/b")(t, dir)
		}, fail.Stale},
		{"one above it is another", []string{"a/b/f", "a/b/g"}, func(t *testing.T, dir string) {
			move("a", "z")(t, dir)
			check(t, os.Mkdir(filepath.Join(dir, "a"), 0o755))
			move("z/b", "a/b")(t, dir)
		}, fail.Stale},
		{"a protected name leads to it", []string{"a/b/f", "a/b/g"}, link("a/b", ".vscode"), fail.Stale},
		{"a protected name leads to one above it", []string{"a/b/f", "a/b/g"}, link("a", ".idea"), fail.Stale},
		{"a protected name leads to one of two", []string{"a/b/f", "e/f"}, link("e", ".husky"), fail.Stale},
		{"a protected name leads elsewhere", []string{"a/b/f", "a/b/g"}, link("e", ".vscode"), nil},
		{"a protected name appears", []string{"a/b/f", "a/b/g"}, move("e", ".vscode"), nil},
		{"a file called .git points to it", []string{"a/b/f", "a/b/g"}, func(t *testing.T, dir string) {
			plant(t, dir, map[string]string{"a/.git": "gitdir: b"})
		}, fail.Stale},
		{"a protected name leads to it, after one at the root", []string{"l", "a/b/f"}, link("a/b", ".vscode"), fail.Stale},
		{"a protected file gets a second name at the root", []string{"l", "m"}, func(t *testing.T, dir string) {
			check(t, os.Link(filepath.Join(dir, "m"), filepath.Join(dir, ".envrc")))
		}, fail.PermissionDenied},
		{"a protected file gets a second name", []string{"a/b/f", "a/b/l"}, func(t *testing.T, dir string) {
			check(t, os.Link(filepath.Join(dir, "a/b/l"), filepath.Join(dir, ".envrc")))
		}, fail.PermissionDenied},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			each(t, func(t *testing.T, open opener) {
				dir := t.TempDir()
				plant(t, dir, map[string]string{"a/b/f": "f", "a/b/g": "g", "a/b/k": "k", "e/f": "f"})
				for _, name := range []string{"a/b/l", "l", "m"} {
					check(t, os.Link(filepath.Join(dir, "a/b/k"), filepath.Join(dir, name)))
				}
				v := open(dir, Options{}).NewBatch()
				defer v.Close()
				for _, p := range test.paths {
					_, _, err := v.Fetch(context.Background(), p, Request{Write: true}, 1<<10)
					check(t, err)
				}
				test.do(t, dir)
				if err := v.Recheck(); !errors.Is(err, test.want) {
					t.Errorf("err = %v, want %v", err, test.want)
				}
			})
		})
	}
}

// What the rules protect at the root is found among few names, which are listed, and among many.
func TestProtectedDirsAtRoot(t *testing.T) {
	each(t, func(t *testing.T, open opener) {
		for _, files := range []int{0, maxListed - 3, 2 * maxListed} {
			dir := t.TempDir()
			for i := range files {
				plant(t, dir, map[string]string{fmt.Sprintf("file%d", i): ""})
			}
			for _, want := range [][]*rule{nil, rootDirRules[:len(rootDirRules)/2], rootDirRules} {
				for _, r := range want {
					plant(t, dir, map[string]string{r.pattern + "/": ""})
				}
				b := open(dir, Options{}).NewBatch()
				var got []*rule
				for _, d := range b.findProtectedDirs(nil, rootDirRules) {
					got = append(got, d.rule)
				}
				b.Close()
				if !slices.Equal(got, want) {
					t.Errorf("with %d files %d of %d directories are found", files, len(got), len(want))
				}
			}
		}
	})
}
