package vfstest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shape formats a tree in one line: "a=content d/ d/b->target".
func shape(m *Disk) string {
	var all []string
	tree := m.Snapshot()
	for _, path := range slices.Sorted(maps.Keys(tree)) {
		n := tree[path]
		switch n.Mode.Type() {
		case 0:
			path += "=" + n.Data
		case fs.ModeDir:
			path += "/"
		case fs.ModeSymlink:
			path += "->" + n.Target
		}
		all = append(all, path)
	}
	return strings.ReplaceAll(strings.Join(all, " "), "\x00", "0")
}

// shapes returns all trees that m may have after a power cut.
func shapes(t testing.TB, m *Disk) []string {
	t.Helper()
	found := map[string]bool{}
	all, err := Enumerate(100_000, 1, func(choose func(int) int) error {
		found[shape(m.Crash(choose))] = true
		return nil
	})
	must(t, err)
	if !all {
		t.Fatal("too many states to see them all")
	}
	return slices.Sorted(maps.Keys(found))
}

// doing makes calls that must all succeed.
type doing struct {
	t testing.TB
	vfs.Dir
}

func (d doing) put(name, data string, sync bool) {
	d.t.Helper()
	f, err := d.Create(name, 0o644)
	must(d.t, err)
	_, err = f.Write([]byte(data))
	must(d.t, err)
	if sync {
		must(d.t, f.Sync())
	}
	must(d.t, f.Close())
}

func (d doing) add(name, data string) {
	d.t.Helper()
	f, err := d.Append(name, 0o644)
	must(d.t, err)
	_, err = f.Write([]byte(data))
	must(d.t, errors.Join(err, f.Close()))
}

func (d doing) move(name, as string, how vfs.RenameMode) {
	d.t.Helper()
	must(d.t, d.Rename(name, d.Dir, as, how))
}

// TestCrashStates spells every state that a power cut can leave, for each kind of disk.
func TestCrashStates(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  map[string]string
		do      func(d doing)
		journal []string
		strict  []string
	}{{
		name:    "nothing happened",
		before:  map[string]string{"a": "A", "d/": "", "d/b": "B", "l": "-> a"},
		do:      func(doing) {},
		journal: []string{"a=A d/ d/b=B l->a"},
		strict:  []string{"a=A d/ d/b=B l->a"},
	}, {
		name:    "create, nothing synced",
		do:      func(d doing) { d.put("a", "1234", false) },
		journal: []string{"", "a=", "a=0000", "a=12", "a=123", "a=1234"},
		strict:  []string{"", "a=", "a=0000", "a=12", "a=123", "a=1234"},
	}, {
		name:    "create, file synced: only a journal keeps the name",
		do:      func(d doing) { d.put("a", "1234", true) },
		journal: []string{"a=1234"},
		strict:  []string{"", "a=1234"},
	}, {
		name:    "create, directory synced: the content may be lost",
		do:      func(d doing) { d.put("a", "12", false); must(d.t, d.Sync()) },
		journal: []string{"a=", "a=00", "a=1", "a=12"},
		strict:  []string{"a=", "a=00", "a=1", "a=12"},
	}, {
		name:    "create, both synced",
		do:      func(d doing) { d.put("a", "12", true); must(d.t, d.Sync()) },
		journal: []string{"a=12"},
		strict:  []string{"a=12"},
	}, {
		name:    "append: what was there stays",
		before:  map[string]string{"log": "one."},
		do:      func(d doing) { d.add("log", "two.") },
		journal: []string{"log=one.", "log=one.0000", "log=one.tw", "log=one.two", "log=one.two."},
		strict:  []string{"log=one.", "log=one.0000", "log=one.tw", "log=one.two", "log=one.two."},
	}, {
		name:   "truncate and write: any of the two, or less",
		before: map[string]string{"a": "xy"},
		do: func(d doing) {
			f, err := d.Append("a", 0)
			must(d.t, err)
			must(d.t, f.Truncate(0))
			_, err = f.Write([]byte("AB"))
			must(d.t, err)
		},
		journal: []string{"a=", "a=00", "a=A", "a=AB", "a=xy"},
		strict:  []string{"a=", "a=00", "a=A", "a=AB", "a=xy"},
	}, {
		name:   "write over the beginning: the rest is in doubt with it",
		before: map[string]string{"a": ""},
		do: func(d doing) {
			f, err := d.Create("b", 0o644)
			must(d.t, err)
			d.add("b", "wxyz")
			must(d.t, errors.Join(f.Sync(), d.Sync()))
			_, err = f.Write([]byte("AB"))
			must(d.t, err)
		},
		journal: []string{"a= b=", "a= b=0000", "a= b=AB", "a= b=ABy", "a= b=AByz", "a= b=wxyz"},
		strict:  []string{"a= b=", "a= b=0000", "a= b=AB", "a= b=ABy", "a= b=AByz", "a= b=wxyz"},
	}, {
		name:   "a file's sync keeps the name that it was made with, and no other",
		before: map[string]string{"a": "A"},
		do: func(d doing) {
			must(d.t, d.Link("a", d.Dir, "b"))
			f, err := d.Open("a")
			must(d.t, err)
			must(d.t, f.Sync())
		},
		journal: []string{"a=A", "a=A b=A"},
		strict:  []string{"a=A", "a=A b=A"},
	}, {
		name:   "truncate: all or the beginning",
		before: map[string]string{"a": "xyz"},
		do: func(d doing) {
			f, err := d.Append("a", 0)
			must(d.t, err)
			must(d.t, f.Truncate(1))
		},
		journal: []string{"a=x", "a=xyz"},
		strict:  []string{"a=x", "a=xyz"},
	}, {
		name:   "truncate and write: what was there may be lost",
		before: map[string]string{"a": "xy"},
		do: func(d doing) {
			f, err := d.Append("a", 0)
			must(d.t, err)
			must(d.t, f.Truncate(0))
			_, err = f.Write([]byte("xy"))
			must(d.t, err)
		},
		journal: []string{"a=", "a=00", "a=x", "a=xy"},
		strict:  []string{"a=", "a=00", "a=x", "a=xy"},
	}, {
		name:    "rename: a journal has one name or the other, else both or neither",
		before:  map[string]string{"a": "A"},
		do:      func(d doing) { d.move("a", "b", vfs.NoReplace) },
		journal: []string{"a=A", "b=A"},
		strict:  []string{"", "a=A", "a=A b=A", "b=A"},
	}, {
		name:    "rename, directory synced: the old name is gone for good",
		before:  map[string]string{"a": "A"},
		do:      func(d doing) { d.move("a", "b", vfs.NoReplace); must(d.t, d.Sync()) },
		journal: []string{"b=A"},
		strict:  []string{"b=A"},
	}, {
		name:   "rename to another directory, one of the two synced",
		before: map[string]string{"a": "A", "d/": ""},
		do: func(d doing) {
			sub, err := d.Dir.Dir("d")
			must(d.t, err)
			must(d.t, errors.Join(d.Rename("a", sub, "a", vfs.NoReplace), sub.Sync()))
		},
		journal: []string{"d/ d/a=A"},
		strict:  []string{"a=A d/ d/a=A", "d/ d/a=A"},
	}, {
		name:    "exchange",
		before:  map[string]string{"a": "A", "b": "B"},
		do:      func(d doing) { d.move("a", "b", vfs.Exchange) },
		journal: []string{"a=A b=B", "a=B b=A"},
		strict:  []string{"a=A b=A", "a=A b=B", "a=B b=A", "a=B b=B"},
	}, {
		name:   "order: a journal never has the second without the first",
		before: map[string]string{"a": "", "b": ""},
		do: func(d doing) {
			must(d.t, d.Remove("a"))
			must(d.t, d.Remove("b"))
		},
		journal: []string{"", "a= b=", "b="},
		strict:  []string{"", "a=", "a= b=", "b="},
	}, {
		name:   "a value in between may be the one that is found",
		before: map[string]string{"a": "A", "b": "B"},
		do: func(d doing) {
			d.move("b", "a", vfs.Replace)
			must(d.t, d.Remove("a"))
		},
		journal: []string{"", "a=A b=B", "a=B"},
		strict:  []string{"", "a=A", "a=A b=B", "a=B", "a=B b=B", "b=B"},
	}, {
		name:   "a value in between does not come back after a sync",
		before: map[string]string{"a": "A", "b": "B"},
		do: func(d doing) {
			d.move("b", "a", vfs.Replace)
			must(d.t, errors.Join(d.Remove("a"), d.Sync()))
		},
		journal: []string{""},
		strict:  []string{""},
	}, {
		name:   "another directory's sync: a journal keeps what came before it, too",
		before: map[string]string{"d/": "", "d/x": "X", "a": "A"},
		do: func(d doing) {
			must(d.t, d.Remove("a"))
			sub, err := d.Dir.Dir("d")
			must(d.t, err)
			must(d.t, sub.Remove("x"))
			must(d.t, sub.Sync())
		},
		journal: []string{"d/"},
		strict:  []string{"a=A d/", "d/"},
	}, {
		name:   "a directory that is not kept takes along what was synced in it",
		before: map[string]string{},
		do: func(d doing) {
			must(d.t, d.Mkdir("d", 0o755))
			sub, err := d.Dir.Dir("d")
			must(d.t, err)
			doing{d.t, sub}.put("x", "X", true)
			must(d.t, sub.Sync())
		},
		journal: []string{"d/ d/x=X"},
		strict:  []string{"", "d/ d/x=X"},
	}, {
		name:   "a directory moves with all that is in it, and is never in two places",
		before: map[string]string{"d/x": "X"},
		do:     func(d doing) { d.move("d", "e", vfs.NoReplace) },
		journal: []string{"d/ d/x=X",
			"e/ e/x=X"},
		strict: []string{"", "d/ d/x=X", "e/ e/x=X"},
	}, {
		name:   "a file with two names is one file",
		before: map[string]string{"a": ""},
		do: func(d doing) {
			must(d.t, d.Link("a", d.Dir, "b"))
			must(d.t, d.Sync())
			d.add("a", "1")
		},
		journal: []string{"a= b=", "a=0 b=0", "a=1 b=1"},
		strict:  []string{"a= b=", "a=0 b=0", "a=1 b=1"},
	}, {
		name:   "datasync does nothing for a name",
		before: map[string]string{},
		do: func(d doing) {
			f, err := d.Create("a", 0o644)
			must(d.t, err)
			_, err = f.Write([]byte("12"))
			must(d.t, errors.Join(err, f.Datasync()))
		},
		journal: []string{"", "a=12"},
		strict:  []string{"", "a=12"},
	}} {
		for kind, want := range map[Kind][]string{Journal: c.journal, Strict: c.strict} {
			t.Run(fmt.Sprint(c.name, "/", kind), func(t *testing.T) {
				m := NewDisk(kind)
				must(t, m.Plant(c.before))
				c.do(doing{t, m.Root()})
				if have := shapes(t, m); !slices.Equal(have, want) {
					t.Errorf("found %q\nwant  %q", have, want)
				}
			})
		}
	}
}

// Permissions and owner that were not synced may be the old ones.
func TestCrashAttributes(t *testing.T) {
	for _, sync := range []bool{false, true} {
		m := NewDisk(Journal)
		must(t, m.Plant(map[string]string{"new": "N", "old": "O"}))
		must(t, m.Change("old", func(i *vfs.Info) { i.Mode, i.UID = 0o600|fs.ModeSetuid, 7 }))
		from, err := m.Root().Open("old")
		must(t, err)
		f, err := m.Root().Open("new")
		must(t, err)
		lost, err := f.CopyAttributes(from)
		must(t, err)
		if !slices.Equal(lost, []string{"setuid bit"}) {
			t.Errorf("lost %v", lost)
		}
		if sync {
			must(t, f.Sync())
		} else {
			must(t, f.Datasync())
		}
		found := map[Node]bool{}
		_, err = Enumerate(10, 1, func(choose func(int) int) error {
			found[m.Crash(choose).Snapshot()["new"]] = true
			return nil
		})
		must(t, err)
		old, kept := found[Node{Mode: 0o644, Data: "N"}], found[Node{Mode: 0o600, UID: 7, Data: "N"}]
		if old == sync || !kept {
			t.Errorf("synced %v: found %v", sync, found)
		}
	}
}

// random makes n random changes to m, and calls after each.
func random(t *testing.T, m *Disk, r *rand.Rand, n int, after func(root vfs.Dir)) {
	root := m.Root()
	must(t, errors.Join(root.Mkdir("p", 0o755), root.Mkdir("q", 0o755)))
	p, perr := root.Dir("p")
	q, qerr := root.Dir("q")
	must(t, errors.Join(perr, qerr))
	dirs := []vfs.Dir{root, p, q}
	m.Settle()
	name := func() string { return string(rune('a' + r.IntN(4))) }
	for range n {
		d, to := dirs[r.IntN(3)], dirs[r.IntN(3)]
		switch r.IntN(9) {
		case 0, 1, 2:
			if f, err := d.Append(name(), 0o644); err == nil {
				f.Write([]byte(name()))
				if r.IntN(3) == 0 {
					must(t, f.Sync())
				}
				f.Close()
			}
		case 3:
			d.Remove(name())
		case 4:
			d.Link(name(), to, name())
		case 5, 6, 7:
			d.Rename(name(), to, name(), vfs.RenameMode(r.IntN(3)))
		case 8:
			must(t, d.Sync())
		}
		after(root)
	}
}

// A crash does not change the disk that crashes. If nothing is lost, the new disk is the same. A disk after a crash has nothing
// more to lose.
func TestCrashLaws(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := NewDisk(Kind(seed % 2))
		random(t, m, r, 40, func(vfs.Dir) {
			before := shape(m)
			crashed := m.Crash(r.IntN)
			if after := shape(m); after != before {
				t.Fatalf("seed %d: a crash changed the disk from\n%s\nto\n%s", seed, before, after)
			}
			once := shape(crashed)
			if again := shape(crashed.Crash(refuse(t))); again != once {
				t.Fatalf("seed %d: crashed twice: from\n%s\nto\n%s", seed, once, again)
			}
			counted(t, crashed)
		})
		before := shape(m)
		m.Settle()
		if after := shape(m.Crash(refuse(t))); after != before {
			t.Fatalf("seed %d: all was durable, but\n%s\nis\n%s", seed, before, after)
		}
	}
}

// refuse fails the test if a disk has anything to choose.
func refuse(t *testing.T) func(int) int {
	return func(n int) int { t.Fatalf("asked to choose one of %d", n); return 0 }
}

// counted checks the number of names of every file.
func counted(t *testing.T, m *Disk) {
	t.Helper()
	names, links := map[vfs.ID]uint64{}, map[vfs.ID]uint64{}
	for path := range m.Snapshot() {
		d, name := m.Root(), path
		if dir, base, ok := strings.Cut(path, "/"); ok {
			sub, err := d.Dir(dir)
			must(t, err)
			d, name = sub, base
		}
		info, err := d.Stat(name)
		must(t, err)
		if !info.Mode.IsDir() {
			names[info.ID]++
			links[info.ID] = info.Links
		}
	}
	if !maps.Equal(names, links) {
		t.Fatalf("links %v, counted %v", links, names)
	}
}

// A journal is as it was at some moment after the last sync of every directory, except for contents.
func TestJournalKeepsOrder(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := NewDisk(Journal)
		var history []string
		random(t, m, r, 60, func(root vfs.Dir) {
			history = append(history, names(m))
			if r.IntN(8) == 0 {
				for _, name := range []string{"p", "q"} {
					d, err := root.Dir(name)
					must(t, errors.Join(err, d.Sync()))
				}
				must(t, root.Sync())
				history = history[len(history)-1:]
			}
			for range 3 {
				// The first entry is from after the first change, which may be lost as well.
				if found := names(m.Crash(r.IntN)); found != start && !slices.Contains(history, found) {
					t.Fatalf("seed %d: found\n%s\nwhich never was, since\n%s", seed, found, strings.Join(history, "\n"))
				}
			}
		})
	}
}

const start = "p#2 q#3" // what random begins with

// names formats a tree without its contents, but with inode numbers.
func names(m *Disk) string {
	var all []string
	var walk func(d vfs.Dir, prefix string)
	walk = func(d vfs.Dir, prefix string) {
		list, _ := d.Names()
		for _, name := range list {
			info, _ := d.Stat(name)
			all = append(all, fmt.Sprint(prefix, name, "#", info.ID.Ino))
			if sub, err := d.Dir(name); err == nil {
				walk(sub, prefix+name+"/")
			}
		}
	}
	walk(m.Root(), "")
	slices.Sort(all)
	return strings.Join(all, " ")
}
