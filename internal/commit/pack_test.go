package commit

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// content is what a test knows of something that the history has.
type content struct {
	text  string
	mode  fs.FileMode
	mtime time.Time
	size  int64
}

// contents reads everything that the history has, by the names under which people ask for it.
func (w *world) contents(t *testing.T) map[string]content {
	t.Helper()
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out, err := readHistory(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func readHistory(s *Store) (map[string]content, error) {
	names, err := s.hist.Names("")
	if err != nil {
		return nil, err
	}
	out := map[string]content{}
	for _, name := range names {
		slot := strings.TrimSuffix(name, ".old")
		if _, _, ok := history.ParseSlot(slot); !ok {
			text, err := s.hist.ReadText(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out[name] = content{text: text}
			continue
		}
		f, is, err := s.hist.Open(slot)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			return nil, err
		}
		out[slot] = content{string(b), is.Mode, is.ModTime.UTC(), is.Size}
	}
	return out, nil
}

// versioned makes a world whose history has versions of files, a deleted one, and texts. It returns the transactions.
func versioned(t *testing.T, kind vfstest.Kind) (w *world, txs []string) {
	t.Helper()
	w = newWorld(t, kind, files)
	if err := w.disk.Change("a.txt", func(i *vfs.Info) { i.Mode, i.ModTime = 0o750, time.Unix(1_000_000_000, 7) }); err != nil {
		t.Fatal(err)
	}
	for i, set := range [][]wish{
		{{op: "update", path: "a.txt", text: "one\n2\n"}, {op: "delete", path: "d.txt"}},
		{{op: "update", path: "a.txt", text: strings.Repeat("long\n", 40)}},
		{{op: "update", path: "a.txt", text: strings.Repeat("long\n", 39)}, {op: "move", path: "m.txt", to: "m2.txt"}, {op: "update", path: "sub/y.txt", text: "y"}},
	} {
		d, err := w.do(plain, Tx{Changes: w.changes(t, set), Texts: func(d *Done) (string, string) {
			return fmt.Sprintf("the diff of %d\n", i), fmt.Sprintf("the answer of %d\n", i)
		}})
		if err != nil {
			t.Fatal(err)
		}
		txs = append(txs, d.Tx)
	}
	return w, txs
}

// loose lists what is not packed.
func (w *world) loose(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(w.holds(t), func(name string) bool { return name == "packs" })
}

// packFiles lists the files in the directory of the packs.
func (w *world) packFiles(t *testing.T) []string {
	t.Helper()
	dir, err := tree(w.disk.Root).OpenDir(storeName + "/slots/packs")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	names, err := dir.Names()
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// What is packed is what it was, its files are gone from the slots, and the format says that there are packs.
func TestPack(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		w, _ := versioned(t, kind)
		had, tree := w.contents(t), w.visible(t)
		if err := w.pack(plain); err != nil {
			t.Fatal(err)
		}
		if left := w.loose(t); len(left) > 0 {
			t.Errorf("%v: %q are not packed", kind, left)
		}
		if got := w.contents(t); !maps.Equal(got, had) || len(had) < 9 {
			t.Errorf("%v: the history has %v, want %v", kind, got, had)
		}
		if got := w.visible(t); !maps.Equal(got, tree) {
			t.Errorf("%v: %s", kind, diff(got, tree))
		}
		if f := w.packFiles(t); len(f) != 1 {
			t.Errorf("%v: %q", kind, f)
		}
		if got := w.read(t, storeName+"/format"); got != laterFormat+"\ntop ..\n" {
			t.Errorf("the format is %q", got)
		}
		// More are added to the same pack.
		for i := range 3 {
			if err := w.run(plain, w.changes(t, []wish{{op: "update", path: "a.txt", text: fmt.Sprint("more", i)}})); err != nil {
				t.Fatal(err)
			}
			had = w.contents(t)
			if err := w.pack(plain); err != nil {
				t.Fatal(err)
			}
			if got := w.contents(t); !maps.Equal(got, had) {
				t.Errorf("%v: the history has %v, want %v", kind, got, had)
			}
		}
		if f := w.packFiles(t); len(f) != 1 {
			t.Errorf("%v: %q", kind, f)
		}
	}
}

// When packing is done, no power cut takes anything of what is packed, also if nothing was synced after the changes.
func TestPackIsDurable(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		w, _ := versioned(t, kind)
		had := w.contents(t)
		if err := w.pack(plain); err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(seed, 3))
			got := w.cut(r.IntN).contents(t)
			for name, c := range had {
				if got[name] != c {
					t.Fatalf("%v, seed %d: %s is %+v, want %+v", kind, seed, name, got[name], c)
				}
			}
		}
	}
}

// A file stays in its slot if a pack would not keep all of it, or it is not what was displaced.
func TestNotPacked(t *testing.T) {
	for what, prepare := range map[string]func(w *world, slots vfs.Dir, slot string) error{
		"setuid": func(w *world, _ vfs.Dir, slot string) error {
			return w.alter(slot, func(i *vfs.Info) { i.Mode |= fs.ModeSetuid })
		},
		"another owner": func(w *world, _ vfs.Dir, slot string) error { return w.alter(slot, func(i *vfs.Info) { i.UID = 7 }) },
		"a second name": func(w *world, slots vfs.Dir, slot string) error { return slots.Link(slot, w.disk.Root(), "second") },
		"staged":        func(w *world, slots vfs.Dir, slot string) error { return createText(slots, history.NewLink(slot), "x") },
		"written to":    func(_ *world, slots vfs.Dir, slot string) error { return ways["in place"](slots, slot, "later\n") },
		"open": func(_ *world, slots vfs.Dir, slot string) error {
			_, err := slots.Append(slot, 0o600)
			return err
		},
	} {
		w, txs := versioned(t, vfstest.Journal)
		slot, slots := history.Slot(txs[0], 0), w.slots(t)
		if err := prepare(w, slots, slot); err != nil {
			t.Fatal(err)
		}
		had := w.contents(t)
		if err := w.pack(plain); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if left := w.loose(t); !slices.Contains(left, slot) || len(left) > 2 {
			t.Errorf("%s: %q are not packed", what, left)
		}
		if got := w.contents(t); !maps.Equal(got, had) {
			t.Errorf("%s: the history has %v, want %v", what, got, had)
		}
	}
	// A page of zeros may be a hole.
	w := newWorld(t, vfstest.Journal, map[string]string{"s": strings.Repeat("x", 4096) + strings.Repeat("\x00", 4096) + "end"})
	if err := errors.Join(w.run(plain, w.changes(t, []wish{{op: "delete", path: "s"}})), w.pack(plain)); err != nil {
		t.Fatal(err)
	}
	if left := w.loose(t); len(left) != 1 {
		t.Errorf("a hole: %q", left)
	}
}

func (w *world) alter(slot string, change func(*vfs.Info)) error {
	return w.disk.Change(storeName+"/slots/"+slot, change)
}

// What there is to pack is found by the index, past all that came since and whatever cannot be packed. Without an index the log is
// read, and the same is found.
func TestPackableByIndex(t *testing.T) {
	t.Cleanup(audit.IndexEvery(5000))
	w, txs := versioned(t, vfstest.Journal)
	if err := w.alter(history.Slot(txs[0], 1), func(i *vfs.Info) { i.UID = 7 }); err != nil {
		t.Fatal(err)
	}
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 400 {
		tx := fmt.Sprint("20260101-000000-", i)
		r := &audit.Record{Kind: audit.Commit, Tx: tx, OK: true, Message: strings.Repeat("x", 500)}
		if err := s.log.AppendAll([]*audit.Record{r, {Kind: audit.Applied, Tx: tx, OK: true}}, false); err != nil {
			t.Fatal(err)
		}
	}
	const index = "00000001.idx-part"
	logs, err := s.dir.Dir("log")
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	read := new(int)
	if s, err = w.open(func(d vfs.Dir) vfs.Dir { return countedDir{d, read} }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, s.keepLoose = range []int{0, 3, 399, 400, 401, 402, 403} {
		*read = 0
		with, err := s.packable(true)
		if err != nil {
			t.Fatal(err)
		}
		if want := min(3, 403-s.keepLoose); len(with) != want {
			t.Errorf("all but %d: %d transactions are to be packed, want %d", s.keepLoose, len(with), want)
		}
		if s.keepLoose == 3 && *read > 100_000 {
			t.Errorf("%d bytes of the log were read", *read)
		}
		if err := logs.Rename(index, logs, "away", vfs.Replace); err != nil {
			t.Fatal(err)
		}
		without, err := s.packable(true)
		if err = errors.Join(err, logs.Rename("away", logs, index, vfs.Replace)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(with, without) {
			t.Errorf("all but %d: with the index %v, without %v", s.keepLoose, with, without)
		}
	}
}

// countedDir counts the bytes that are read at a place of a file.
type countedDir struct {
	directory
	n *int
}

type countedFile struct {
	vfs.File
	n *int
}

func (d countedDir) Dir(name string) (vfs.Dir, error) {
	sub, err := d.directory.Dir(name)
	if err != nil {
		return nil, err
	}
	return countedDir{sub, d.n}, nil
}

func (d countedDir) Open(name string) (vfs.File, error) {
	f, err := d.directory.Open(name)
	if err != nil {
		return nil, err
	}
	return countedFile{f, d.n}, nil
}

func (f countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	*f.n += n
	return n, err
}

// What failed, is pending or was taken back is never packed.
func TestPackBesideOthers(t *testing.T) {
	packed := 0
	for n := 0; ; n++ {
		w, _ := versioned(t, vfstest.Journal)
		f := &vfstest.Fault{At: n, After: true, Dead: true}
		w.run(f.Wrap, w.changes(t, []wish{{op: "update", path: "a.txt", text: "again\n"}, {op: "delete", path: "b.txt"}}))
		if !f.Fired() {
			break
		}
		w.disk.Kill()
		s, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		pending, err := s.Pending()
		if err != nil {
			t.Fatal(err)
		}
		names := w.holds(t)
		done, err := s.Pack(context.Background(), true)
		if err != nil || (pending != nil) != (done.Files == 0) {
			t.Fatalf("%s: %+v, %v, with %+v pending", where(f), done, err, pending)
		}
		if got := w.holds(t); pending != nil && !slices.Equal(got, names) {
			t.Fatalf("%s: %q became %q", where(f), names, got)
		}
		packed += done.Files
		if _, err := s.Recover(context.Background()); err != nil {
			t.Fatalf("%s: %v", where(f), err)
		}
		unlock, err := s.lock(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if done, err := s.Pack(context.Background(), false); done.Files > 0 || err != nil {
			t.Fatalf("packed beside somebody at work: %v", err)
		}
		unlock()
		s.Close()
	}
	if packed == 0 {
		t.Error("nothing was packed")
	}
}

// Who has much to pack waits for its turn: the slots of a store that is never left alone would fill up.
func TestPackWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, vfstest.Journal, files)
		for i := range packTxs + 1 {
			if _, err := w.do(plain, Tx{Changes: w.changes(t, []wish{{op: "update", path: "a.txt", text: fmt.Sprintln(i)}})}); err != nil {
				t.Fatal(err)
			}
		}
		s, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, late := range []bool{true, false} {
			unlock, err := s.lock(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			var done history.Packed
			ended := make(chan error)
			go func() {
				var err error
				done, err = s.Pack(ctx, false)
				ended <- err
			}()
			synctest.Wait()
			select {
			case err := <-ended:
				t.Fatalf("it did not wait: %+v, %v", done, err)
			default:
			}
			if late {
				time.Sleep(2 * time.Second)
				synctest.Wait()
			} else {
				unlock()
			}
			if err := <-ended; err != nil || late != (done.Files == 0) {
				t.Errorf("late %v: %+v, %v", late, done, err)
			}
			if late {
				unlock()
			}
			cancel()
		}
	})
}

// Packing fails, is killed, or loses power, at every call: the history has everything that it had, and the next packing
// completes and leaves nothing behind.
func TestPackFails(t *testing.T) {
	points := 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for mode := range 8 {
			after, dead, grows := mode&1 > 0, mode&2 > 0, mode&4 > 0
			base, _ := versioned(t, kind)
			base.disk.Settle()
			if grows {
				if err := base.pack(plain); err != nil {
					t.Fatal(err)
				}
				if err := base.run(plain, base.changes(t, []wish{{op: "update", path: "a.txt", text: "more\n"}, {op: "delete", path: "b.txt"}})); err != nil {
					t.Fatal(err)
				}
				base.disk.Settle()
			}
			had, tree := base.contents(t), base.visible(t)
			step := 3 // the modes begin at different calls
			if *whole {
				step = 1
			}
			for n := mode % step; ; n += step {
				w := base.cut(func(int) int { return 0 })
				f := &vfstest.Fault{At: n, After: after, Dead: dead, Err: []error{syscall.EIO, syscall.ENOSPC}[n%2]}
				err := w.pack(f.Wrap)
				if !f.Fired() {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				w.disk.Kill()
				look := func(w *world, where string) {
					t.Helper()
					points++
					if got := w.contents(t); !maps.Equal(got, had) {
						t.Fatalf("%v, %s: the history has %v, want %v", kind, where, got, had)
					}
					if o, err := w.recover(plain); err != nil || o.Tx != "" && o.End != Complete {
						t.Fatalf("%v, %s: recovery: %+v, %v", kind, where, o, err)
					}
					if err := w.pack(plain); err != nil {
						t.Fatalf("%v, %s, then: %v", kind, where, err)
					}
					if got := w.contents(t); !maps.Equal(got, had) {
						t.Fatalf("%v, %s, then: the history has %v, want %v", kind, where, got, had)
					}
					if loose, packs := w.loose(t), w.packFiles(t); len(loose) > 0 || len(packs) != 1 {
						t.Fatalf("%v, %s, then: %q, %q", kind, where, loose, packs)
					}
					if got := w.visible(t); !maps.Equal(got, tree) {
						t.Fatalf("%v, %s: %s", kind, where, diff(got, tree))
					}
				}
				look(w.cut(func(int) int { return 0 }), where(f)+", power cut")
				_, err = vfstest.Enumerate(6, uint64(n), func(choose func(int) int) error {
					look(w.cut(choose), where(f)+", power cut")
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				look(w, where(f))
			}
		}
	}
	t.Logf("%d points", points)
}

// A purge or a pruning of packed contents fails, is killed, or loses power, at every call: what it removes is there as it was,
// or gone on record; everything else is there. Run again it completes, and no byte of what is gone is left.
func TestPurgeOfPacksFails(t *testing.T) {
	points := 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for mode := range 16 {
			byName, asked, after, dead := mode&1 > 0, mode&2 > 0, mode&4 > 0, mode&8 > 0
			base, txs := versioned(t, kind)
			if err := base.pack(plain); err != nil {
				t.Fatal(err)
			}
			if err := base.run(plain, base.changes(t, []wish{{op: "update", path: "a.txt", text: "more\n"}})); err != nil {
				t.Fatal(err)
			}
			base.disk.Settle()
			had, tree := base.contents(t), base.visible(t)
			what := Removal{Records: []audit.Record{{Kind: audit.Purge, Message: "first"}, {Kind: audit.Purge, Message: "second"}}, Txs: txs[:1]}
			if byName {
				what.Txs, what.Names = nil, history.Names(history.Slot(txs[0], 0))
			}
			kept := maps.Clone(had)
			maps.DeleteFunc(kept, func(name string, _ content) bool {
				return slices.Contains(what.Names, name) || slices.Contains(what.Txs, strings.Split(name, ".")[0])
			})
			step := 3
			if *whole {
				step = 1
			}
			for n := mode % step; ; n += step {
				w := base.cut(func(int) int { return 0 })
				f := &vfstest.Fault{At: n, After: after, Dead: dead}
				err := w.purge(f.Wrap, what.again(), asked)
				if !f.Fired() {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				points++
				w.disk.Kill()
				if asked || n%2 == 0 {
					w.disk = w.disk.Crash(func(cuts int) int { return n % cuts })
				}
				got := w.contents(t)
				for name, c := range had {
					is, there := got[name]
					_, stays := kept[name]
					if there && is != c || stays && !there {
						t.Fatalf("%v, %s: %s is %v, %v, want %v", kind, where(f), name, is, there, c)
					}
				}
				if logged := w.records(t, audit.Purge); len(got) < len(had) && logged == 0 {
					t.Fatalf("%s: %d contents became %d with nothing on record", where(f), len(had), len(got))
				}
				if err := w.purge(plain, what.again(), asked); err != nil {
					t.Fatalf("%s, then: %v", where(f), err)
				}
				if got := w.contents(t); !maps.Equal(got, kept) {
					t.Fatalf("%s, then: the history has %v, want %v", where(f), got, kept)
				}
				if p := w.packFiles(t); len(p) != 1 {
					t.Fatalf("%s, then: %q", where(f), p)
				}
				if got := w.visible(t); !maps.Equal(got, tree) {
					t.Fatalf("%s: %s", where(f), diff(got, tree))
				}
			}
		}
	}
	t.Logf("%d points", points)
}

// Damage in any byte of a pack is found: what is read is what was packed, or an error.
func TestDamagedPack(t *testing.T) {
	w, _ := versioned(t, vfstest.Journal)
	if err := w.pack(plain); err != nil {
		t.Fatal(err)
	}
	had := w.contents(t)
	file := storeName + "/slots/packs/" + w.packFiles(t)[0]
	data := w.read(t, file)
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir, err := tree(w.disk.Root).OpenDir(path.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(data) {
		bad := []byte(data)
		bad[i] ^= 1 << (i % 8)
		if err := ways["in place"](dir, path.Base(file), string(bad)); err != nil {
			t.Fatal(err)
		}
		fresh, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		if err := fresh.hist.Check(); !errors.Is(err, history.ErrDamaged) {
			t.Fatalf("byte %d: %v", i, err)
		}
		for name, want := range had {
			var got string
			if _, _, slot := history.ParseSlot(name); !slot {
				got, err = fresh.hist.ReadText(name)
			} else if f, _, operr := fresh.hist.Open(name); operr == nil {
				b, _ := io.ReadAll(f)
				got, err = string(b), nil
			} else {
				err = operr
			}
			if err == nil && got != want.text || err != nil && !errors.Is(err, history.ErrDamaged) {
				t.Fatalf("byte %d: %s is %q, %v", i, name, got, err)
			}
		}
		if _, err := fresh.Pack(context.Background(), true); err != nil {
			t.Fatalf("byte %d: packing: %v", i, err)
		}
		fresh.Close()
		if got := w.read(t, file); got != string(bad) {
			t.Fatalf("byte %d: packing changed the damaged pack", i)
		}
	}
}

// Beside a damaged pack others are made, and it stays as it is. Nothing is removed of what it may have, and no record says so.
func TestPackBesideDamage(t *testing.T) {
	for _, at := range []int{3, 40, -60, -3} { // the header, a frame, the index, the footer
		w, txs := versioned(t, vfstest.Journal)
		if err := w.pack(plain); err != nil {
			t.Fatal(err)
		}
		first := w.packFiles(t)[0]
		file := storeName + "/slots/packs/" + first
		bad := []byte(w.read(t, file))
		bad[(at+len(bad))%len(bad)] ^= 1
		dir, err := tree(w.disk.Root).OpenDir(path.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		if err := ways["in place"](dir, first, string(bad)); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			text := fmt.Sprintf("later %d\n", i)
			if err := errors.Join(w.run(plain, w.changes(t, []wish{{op: "update", path: "a.txt", text: text}})), w.pack(plain)); err != nil {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
		if loose, packs := w.loose(t), w.packFiles(t); len(loose) > 0 || len(packs) != 2 || w.read(t, file) != string(bad) {
			t.Fatalf("byte %d: %q, %q", at, loose, packs)
		}
		s, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readHistory(s); !errors.Is(err, history.ErrDamaged) {
			t.Errorf("byte %d: the history is read: %v", at, err)
		}
		s.Close()
		indexed := at == 40
		for _, asked := range []bool{true, false} {
			what := Removal{Records: []audit.Record{{Kind: audit.Purge}}, Names: []string{history.Slot(txs[0], 0)}}
			if err := w.purge(plain, what, asked); !errors.Is(err, history.ErrDamaged) {
				t.Errorf("byte %d, asked %v: %v", at, asked, err)
			}
		}
		if n := w.records(t, audit.Purge); !indexed && n > 0 {
			t.Errorf("byte %d: %d records of purges", at, n)
		}
		if w.read(t, file) != string(bad) {
			t.Errorf("byte %d: a purge changed the damaged pack", at)
		}
	}
}

// A process that syncs nothing packs what others made durable: it stays so.
func TestPackSyncs(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		w, txs := versioned(t, kind)
		w.disk.Settle()
		had := w.contents(t)
		w.noSync = true
		if err := w.pack(plain); err != nil {
			t.Fatal(err)
		}
		look := func() {
			t.Helper()
			for seed := range uint64(100) {
				if got := w.cut(rand.New(rand.NewPCG(seed, 5)).IntN).contents(t); !maps.Equal(got, had) {
					t.Fatalf("%v, seed %d: the history has %v, want %v", kind, seed, got, had)
				}
			}
		}
		look()
		w.disk.Settle()
		what := Removal{Records: []audit.Record{{Kind: audit.Purge}}, Names: []string{history.Slot(txs[0], 0)}}
		if err := w.purge(plain, what, false); err != nil {
			t.Fatal(err)
		}
		delete(had, what.Names[0])
		look()
	}
}

// What somebody wrote and did not sync is durable once it is packed, whether or not the times of the file can tell a change after the
// sync. What they can tell of is synced before the lock is taken.
func TestPackSyncsOthersFiles(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for _, recent := range []bool{false, true} {
			w := newWorld(t, kind, files)
			w.recent = recent
			if err := ways["in place"](w.disk.Root(), "a.txt", "by somebody who syncs nothing\n"); err != nil {
				t.Fatal(err)
			}
			if err := w.run(plain, w.changes(t, []wish{{op: "update", path: "a.txt", text: "1\n"}})); err != nil {
				t.Fatal(err)
			}
			had, f := w.contents(t), &vfstest.Fault{At: -1}
			if err := w.pack(f.Wrap); err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(100) {
				if got := w.cut(rand.New(rand.NewPCG(seed, 5)).IntN).contents(t); !maps.Equal(got, had) {
					t.Fatalf("%v, recent %v, seed %d: the history has %v, want %v", kind, recent, seed, got, had)
				}
			}
			calls := f.Trace()
			locked := slices.IndexFunc(calls, func(call string) bool { return strings.Contains(call, lockName) })
			synced := slices.IndexFunc(calls, func(call string) bool { return strings.HasPrefix(call, "sync 20") })
			if locked < 0 || synced < 0 || recent != (synced > locked) {
				t.Errorf("%v, recent %v: the lock is call %d, the sync of the file call %d of %q", kind, recent, locked, synced, calls)
			}
		}
	}
}

// A transaction whose file comes back from a pack while a purge waits for the lock is not taken for garbage.
func TestPurgeBesideBack(t *testing.T) {
	w, txs := versioned(t, vfstest.Journal)
	if err := w.pack(plain); err != nil {
		t.Fatal(err)
	}
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	had := w.contents(t)
	what := Removal{Records: []audit.Record{{Kind: audit.Purge}}, Txs: txs[1:2]}
	known := &knownTxs{txs: map[string]bool{txs[1]: true}, head: s.log.Head()} // an index leads to what was asked for, no more
	if err := s.hist.Leave(history.Slot(txs[0], 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.removeAll(what, known); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(had, func(name string, _ content) bool {
		return name == history.Slot(txs[0], 0) || strings.HasPrefix(name, txs[1])
	})
	if got := w.contents(t); !maps.Equal(got, had) || len(had) == 0 {
		t.Errorf("the history has %v, want %v", got, had)
	}
}

// The format file stays its owner's when the superuser packs.
func TestPackKeepsOwner(t *testing.T) {
	w, _ := versioned(t, vfstest.Journal)
	if err := w.disk.Change(storeName+"/format", func(i *vfs.Info) { i.UID, i.GID, i.ModTime = 7, 8, time.Unix(1_000_000_000, 0) }); err != nil {
		t.Fatal(err)
	}
	if err := w.pack(plain); err != nil {
		t.Fatal(err)
	}
	is, err := w.disk.Root().Dir(storeName)
	if err != nil {
		t.Fatal(err)
	}
	f, err := is.Stat("format")
	if err != nil || f.UID != 7 || f.GID != 8 || !f.ModTime.Equal(time.Unix(1_000_000_000, 0)) || w.read(t, storeName+"/format") != laterFormat+"\ntop ..\n" {
		t.Errorf("%+v, %v", f, err)
	}
}

// Packing meets an error in any call, also of those that only look: the history has everything.
func TestPackCannotRead(t *testing.T) {
	base, _ := versioned(t, vfstest.Journal)
	base.disk.Settle()
	had := base.contents(t)
	for n := 0; ; n++ {
		w := base.cut(func(int) int { return 0 })
		f := &vfstest.Fault{At: n, Reads: true}
		w.pack(f.Wrap) //nolint:errcheck // what counts is what is there
		if !f.Fired() {
			break
		}
		if got := w.contents(t); !maps.Equal(got, had) {
			t.Fatalf("%s: the history has %v, want %v", where(f), got, had)
		}
		if err := w.pack(plain); err != nil {
			t.Fatal(err)
		}
		if got := w.contents(t); !maps.Equal(got, had) || len(w.loose(t)) > 0 {
			t.Fatalf("%s, then: the history has %v, want %v; loose %q", where(f), got, had, w.loose(t))
		}
	}
}

var packRuns = flag.Int("packs", 30, "random histories of TestPackedHistories")

// Random histories with changes, files that come back, packing, pruning, purges, kills and power cuts: what should be there
// is what it was, and nothing of what was purged is in any byte of the store.
func TestPackedHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*packRuns) {
		h := &packedHistory{Rand: rand.New(rand.NewPCG(seed, 11)), t: t, want: map[string]content{}, seed: seed}
		h.run()
		if t.Failed() {
			return
		}
	}
}

type packedHistory struct {
	*rand.Rand
	t    *testing.T
	w    *world
	seed uint64
	want map[string]content // what the history should have
	gone []string           // secrets that were purged
	log  []string
	n    int
}

func (h *packedHistory) fail(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("seed %d: %s\n  %s", h.seed, fmt.Sprintf(format, args...), strings.Join(h.log, "\n  "))
}

func (h *packedHistory) say(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// secret is a text that nothing else has.
func (h *packedHistory) secret() string {
	h.n++
	return fmt.Sprintf("<%016x%016x %d>", h.Uint64(), h.Uint64(), h.n)
}

func (h *packedHistory) run() {
	kind := []vfstest.Kind{vfstest.Journal, vfstest.Strict}[h.IntN(2)]
	tree := map[string]string{}
	for i := range 4 {
		tree[fmt.Sprint("f", i)] = h.text("")
	}
	h.w = newWorld(h.t, kind, tree)
	h.say("%v", kind)
	for range 25 {
		switch h.IntN(8) {
		case 0, 1, 2, 3:
			h.change()
		case 4:
			h.back()
		case 5:
			h.pack()
		case 6:
			h.remove()
		case 7:
			h.cut()
		}
		h.check()
	}
}

// text edits a text: a line with a secret among others.
func (h *packedHistory) text(was string) string {
	lines := strings.SplitAfter(was, "\n")
	if len(lines) < 5 {
		lines = strings.SplitAfter(strings.Repeat("a line of the file\nanother one, longer than that\n", 20), "\n")
	}
	lines[h.IntN(len(lines)-1)] = h.secret() + "\n"
	return strings.Join(lines, "")
}

// do commits changes, and notes what the history should have of them.
func (h *packedHistory) do(set []wish, texts bool) *Done {
	changes := h.w.changes(h.t, set)
	old := map[int]content{}
	for i, c := range changes {
		if c.Old != nil {
			old[i] = content{h.w.read(h.t, c.Path), c.Old.Mode, c.Old.ModTime.UTC(), c.Old.Size}
		}
	}
	diff := ""
	if texts {
		diff = "diff " + h.secret()
	}
	d, err := h.w.do(plain, Tx{Changes: changes, Texts: func(*Done) (string, string) { return diff, "" }})
	if err != nil {
		h.fail("%v: %v", set, err)
	}
	for i, slot := range d.Slots {
		if slot != "" {
			h.want[slot] = old[i]
		}
	}
	if texts {
		h.want[history.DiffName(d.Tx)] = content{text: diff}
	}
	h.say("%s: %v", d.Tx, set)
	return d
}

func (h *packedHistory) change() {
	p := fmt.Sprint("f", h.IntN(4))
	there := h.w.change(h.t, p).Old != nil
	switch {
	case !there:
		h.do([]wish{{op: "add", path: p, text: h.text("")}}, true)
	case h.IntN(4) == 0:
		h.do([]wish{{op: "delete", path: p}}, true)
	default:
		if h.IntN(3) == 0 {
			perm := []fs.FileMode{0o600, 0o644, 0o755}[h.IntN(3)]
			if err := h.w.disk.Change(p, func(i *vfs.Info) { i.Mode = perm }); err != nil {
				h.fail("%v", err)
			}
		}
		h.do([]wish{{op: "update", path: p, text: h.text(h.w.read(h.t, p))}}, true)
	}
}

// back brings a kept file back to its place or another one.
func (h *packedHistory) back() {
	slot := h.any(func(name string) bool { _, _, ok := history.ParseSlot(name); return ok })
	if slot == "" {
		return
	}
	was := h.want[slot]
	p := fmt.Sprint("f", h.IntN(4))
	h.w.kept = map[string]kept{"k": {slot: slot, old: &Old{Sum: sum(was.text)}}}
	h.do([]wish{{op: "bring", path: p, text: "k"}}, false)
	delete(h.want, slot)
	if is := h.w.stat(h.t, p); h.w.read(h.t, p) != was.text || is.Mode != was.mode || !is.ModTime.Equal(was.mtime) {
		h.fail("%s came back as %+v, want %+v", slot, is, was)
	}
}

func (h *packedHistory) any(accept func(name string) bool) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(h.want)), func(name string) bool { return !accept(name) })
	if len(names) == 0 {
		return ""
	}
	return names[h.IntN(len(names))]
}

// pack packs, at times until it fails, is killed or loses power.
func (h *packedHistory) pack() {
	if h.IntN(2) == 0 {
		h.say("pack")
		if err := h.w.pack(plain); err != nil {
			h.fail("%v", err)
		}
		return
	}
	h.w.disk.Settle() // texts are not synced, and may be lost: that is not what is tested
	f := &vfstest.Fault{At: h.IntN(30), After: h.IntN(2) == 0, Dead: h.IntN(2) == 0}
	err := h.w.pack(f.Wrap)
	h.say("pack: %v, %v", f.Fired(), err)
	h.end()
}

// remove purges a transaction or prunes names.
func (h *packedHistory) remove() {
	name := h.any(func(string) bool { return true })
	if name == "" {
		return
	}
	tx, _, _ := strings.Cut(name, ".")
	what := Removal{Records: []audit.Record{{Kind: audit.Purge, Message: "x"}}, Txs: []string{tx}}
	purge := h.IntN(2) == 0
	if !purge {
		what.Txs, what.Names = nil, []string{name, history.OldLink(name)}
	}
	if h.IntN(3) == 0 {
		h.w.disk.Settle()
		f := &vfstest.Fault{At: h.IntN(12), After: h.IntN(2) == 0, Dead: h.IntN(2) == 0}
		err := h.w.purge(f.Wrap, what.again(), purge)
		h.say("remove %s: %v, %v", name, f.Fired(), err)
		h.end()
	}
	if err := h.w.purge(plain, what.again(), purge); err != nil {
		h.fail("%v", err)
	}
	h.say("removed %v %v", what.Txs, what.Names)
	for have, c := range h.want {
		if have == name || purge && strings.HasPrefix(have, tx+".") {
			delete(h.want, have)
			h.purged(c)
		}
	}
}

// purged notes the secrets of a content that are nowhere else.
func (h *packedHistory) purged(c content) {
	var elsewhere strings.Builder
	for _, other := range h.want {
		elsewhere.WriteString(other.text)
	}
	for p := range h.w.visible(h.t) {
		if strings.HasPrefix(p, "f") {
			elsewhere.WriteString(h.w.read(h.t, p))
		}
	}
	for line := range strings.SplitSeq(c.text, "\n") {
		if at := strings.Index(line, "<"); at >= 0 && !strings.Contains(elsewhere.String(), line[at:]) {
			h.gone = append(h.gone, line[at:])
		}
	}
}

func (h *packedHistory) cut() {
	h.w.disk.Settle()
	h.end()
}

// end kills the process, or cuts the power; then the store is recovered.
func (h *packedHistory) end() {
	h.w.disk.Kill()
	if h.IntN(2) == 0 {
		h.w = h.w.cut(h.IntN)
		h.say("power cut")
	}
	if _, err := h.w.recover(plain); err != nil {
		h.fail("recovery: %v", err)
	}
}

func (h *packedHistory) check() {
	got := h.w.contents(h.t)
	for name, c := range h.want {
		if got[name] != c {
			h.fail("%s is %+v, want %+v", name, got[name], c)
		}
	}
	for name := range got {
		if _, ok := h.want[name]; !ok {
			h.fail("the history has %s", name)
		}
	}
	all, err := vfstest.Snapshot(h.w.disk.Root())
	if err != nil {
		h.t.Fatal(err)
	}
	for p, n := range all {
		if !strings.HasPrefix(p, storeName) {
			continue
		}
		text := n.Data
		if strings.Contains(p, "/packs/") {
			text += inflateAll(n.Data)
		}
		for _, secret := range h.gone {
			if strings.Contains(text, secret) {
				h.fail("%q was purged, and is in %s", secret, p)
			}
		}
	}
}

// inflateAll decompresses what can be decompressed from any byte of a file on: it knows nothing about packs.
func inflateAll(data string) string {
	var all strings.Builder
	z := flate.NewReader(nil)
	for i := range len(data) {
		z.(flate.Resetter).Reset(strings.NewReader(data[i:]), nil)
		var b bytes.Buffer
		io.Copy(&b, z)
		if b.Len() > 100 {
			all.Write(b.Bytes())
		}
	}
	return all.String()
}
