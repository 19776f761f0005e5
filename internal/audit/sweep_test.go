package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// ledger is what the log reported for each record.
type ledger struct {
	synced  []Head // acknowledged, durable
	written []Head // acknowledged
	refused []Head // NotWritten, asked for with sync
}

// append notes the outcome of an append. It returns the error unless it is [NotWritten], after which work continues.
func (a *ledger) append(l *Log, r *Record, sync bool) error {
	return a.appendAll(l, []*Record{r}, sync)
}

func (a *ledger) appendAll(l *Log, all []*Record, sync bool) error {
	err := l.AppendAll(all, sync)
	if _, ok := errors.AsType[*NotWritten](err); ok {
		for _, r := range all {
			if sync {
				a.refused = append(a.refused, r.head())
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, r := range all {
		a.written = append(a.written, r.head())
	}
	if sync {
		a.synced, err = durable(l, a.written)
	}
	return err
}

// durable returns the records that a sync made durable: all before it, except those that an earlier failed sync cost.
func durable(l *Log, written []Head) ([]Head, error) {
	out := slices.Clone(written)
	for r, err := range l.Backward() {
		if err != nil {
			return nil, err
		}
		if since, ok := r.lastSure(); ok {
			out = slices.DeleteFunc(out, func(h Head) bool { return h.Seq > since.Seq && h.Seq < r.Seq })
		}
	}
	return out, nil
}

// work appends transactions as a commit does, in small segments, to whatever another process left.
func (a *ledger) work(dir vfs.Dir, prefix string, n int) error {
	l, err := Open(dir, Options{SegmentSize: 1400})
	if err != nil {
		return err
	}
	defer l.Close()
	for i := range n {
		tx := fmt.Sprint(prefix, i)
		for _, r := range []*Record{{Kind: Denied}, {Kind: Commit, Tx: tx}, {Kind: Applied, Tx: tx, OK: true}} {
			if err := l.Refresh(); err != nil {
				return err
			}
			if err := a.append(l, r, r.Kind == Commit); err != nil {
				return err
			}
		}
		group := []*Record{{Kind: Commit, Tx: tx + "a", Group: 1}, {Kind: Commit, Tx: tx + "b"}}
		if err := a.appendAll(l, group, true); err != nil {
			return err
		}
		if err := a.appendAll(l, []*Record{{Kind: Applied, Tx: tx + "a", Group: 2}, {Kind: Applied, Tx: tx + "b", Group: 1}}, false); err != nil {
			return err
		}
	}
	return nil
}

// check opens the log as the next process would, and checks every promise.
func check(dir vfs.Dir, promised, refused []Head) error {
	l, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	defer l.Close()
	if _, err := l.SetTornAside(); err != nil {
		return err
	}
	if err := l.Sync(); err != nil {
		return err
	}
	if err := l.Append(&Record{Kind: Failed, Message: "next"}, true); err != nil {
		return err
	}
	rep, err := Verify(dir, append(slices.Clone(promised), l.Head())...)
	if err != nil || !rep.Whole() || rep.Torn > 0 {
		return fmt.Errorf("%+v, %w", rep, err)
	}
	return consistent(l, rep, refused)
}

// consistent compares the three ways to read the log, and checks that it has nothing that it must not have.
func consistent(l *Log, rep Report, refused []Head) error {
	var back, there []Head
	for r, err := range l.Backward() {
		if err != nil {
			return fmt.Errorf("backward: %w", err)
		}
		back = append(back, r.head())
	}
	for r, err := range l.Forward(0) {
		if err != nil {
			return fmt.Errorf("forward: %w", err)
		}
		there = append(there, r.head())
	}
	slices.Reverse(back)
	if !slices.Equal(back, there) || len(there) != rep.Records || len(there) == 0 || there[len(there)-1] != l.Head() {
		return fmt.Errorf("%d records forward, %d backward, %d verified", len(there), len(back), rep.Records)
	}
	for _, h := range refused {
		if slices.Contains(there, h) {
			return fmt.Errorf("record %v was refused and is there", h)
		}
	}
	_, err := l.Pending()
	return err
}

// Every call fails, in every way; then the next process runs, perhaps after a power cut; then the power is cut again. With -short it
// is one call in five, others in each way.
func TestSweep(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 5
	}
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for mode := range 8 {
			after, dead, reads := mode&1 != 0, mode&2 != 0, mode&4 != 0
			t.Run(fmt.Sprintf("%v,after=%v,dead=%v,reads=%v", kind, after, dead, reads), func(t *testing.T) {
				n, undecided := mode%step, 0
				for ; ; n += step {
					fault := &vfstest.Fault{At: n, Err: syscall.ENOSPC, After: after, Dead: dead, Reads: reads}
					stop, doubt := sweepOne(t, kind, fault)
					if stop {
						break
					}
					if doubt {
						undecided++
					}
				}
				if n < 20 {
					t.Errorf("only %d calls failed", n)
				}
				if !dead && undecided > 0 {
					t.Errorf("one failing call left %d appends undecided", undecided)
				}
			})
		}
	}
}

func sweepOne(t *testing.T, kind vfstest.Kind, fault *vfstest.Fault) (stop, undecided bool) {
	m := vfstest.NewDisk(kind)
	newLog(t, m.Root(), Options{}).Close()
	var a ledger
	err := a.work(fault.Wrap(m.Root()), "a", 4)
	if !fault.Fired() {
		return true, false
	}
	what := fmt.Sprintf("call %d (%s)", fault.At, fault.Trace()[len(fault.Trace())-1])
	_, undecided = errors.AsType[*Undecided](err)
	m.Kill()
	// The power goes, and the next process finds what is left.
	crashes(t, what+", power cut", m, a)
	// The next process comes, works on, and the power goes then.
	if err := a.recover(m.Root()); err != nil {
		t.Fatalf("%s: next process: %v", what, err)
	}
	if err := a.work(m.Root(), "b", 2); err != nil {
		t.Fatalf("%s: going on: %v", what, err)
	}
	crashes(t, what+", next process, power cut", m, a)
	if err := check(m.Root(), a.written, a.refused); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return false, undecided
}

// recover does what the first process after a failure does before anything else.
func (a *ledger) recover(dir vfs.Dir) error {
	l, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	defer l.Close()
	if _, err := l.SetTornAside(); err != nil {
		return err
	}
	return l.Sync()
}

func crashes(t *testing.T, what string, m *vfstest.Disk, a ledger) {
	t.Helper()
	if _, err := vfstest.Enumerate(60, 1, func(choose func(int) int) error {
		return check(m.Crash(choose).Root(), a.synced, a.refused)
	}); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// More calls fail after the first one, until the log gives up: it reports that, and never reports anything false.
func TestEverythingFails(t *testing.T) {
	for _, ops := range []string{"datasync", "write", "truncate,write", "datasync,truncate", "datasync,write", "datasync,append", "sync directory,datasync"} {
		m := vfstest.NewDisk(vfstest.Journal)
		l := newLog(t, m.Root(), Options{})
		first := add1(t, l, Record{Kind: Commit, Tx: "a"})
		l.Close()
		l = reopen(t, &broken{directory: m.Root(), ops: ops})
		r := Record{Kind: Commit, Tx: "b"}
		err := l.Append(&r, true)
		_, undecided := errors.AsType[*Undecided](err)
		_, refused := errors.AsType[*NotWritten](err)
		if !undecided && !refused || !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", ops, err)
		}
		if undecided {
			for what, err := range map[string]error{"append": l.Append(&Record{Kind: Failed}, false), "refresh": l.Refresh(), "sync": l.Sync(), "restart": l.Restart("")} {
				if _, ok := errors.AsType[*Undecided](err); !ok {
					t.Errorf("%s: then %s says %v", ops, what, err)
				}
			}
		}
		a := ledger{synced: []Head{first.head()}}
		if refused {
			a.refused = []Head{r.head()}
		}
		crashes(t, ops, m, a)
		if err := a.recover(m.Root()); err != nil {
			t.Fatal(err)
		}
		if err := a.work(m.Root(), "c", 2); err != nil {
			t.Fatal(err)
		}
		crashes(t, ops+", next process", m, a)
	}
}

// directory is vfs.Dir by a name that is none of its methods.
type directory = vfs.Dir

// broken is a directory of which some calls always fail.
type broken struct {
	directory
	ops string
}

func (b *broken) fails(op string) bool { return slices.Contains(strings.Split(b.ops, ","), op) }

func (b *broken) Append(name string, perm fs.FileMode) (vfs.File, error) {
	f, err := b.directory.Append(name, perm)
	if err == nil && b.fails("append") && name != segmentName(1) {
		f.Close()
		return nil, syscall.EIO
	}
	return &brokenFile{f, b}, err
}

func (b *broken) Sync() error {
	if b.fails("sync directory") {
		return syscall.EIO
	}
	return b.directory.Sync()
}

type brokenFile struct {
	vfs.File
	b *broken
}

func (f *brokenFile) Write(p []byte) (int, error) {
	if f.b.fails("write") {
		n, _ := f.File.Write(p[:len(p)/3])
		return n, syscall.EIO
	}
	return f.File.Write(p)
}

func (f *brokenFile) Datasync() error {
	if f.b.fails("datasync") {
		return syscall.EIO
	}
	return f.File.Datasync()
}

func (f *brokenFile) Truncate(size int64) error {
	if f.b.fails("truncate") {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}

// A full disk refuses, and the log goes on when there is room again.
func TestFullDisk(t *testing.T) {
	for room := range 700 {
		m := vfstest.NewDisk(vfstest.Journal)
		l := newLog(t, m.Root(), Options{})
		first := add1(t, l, Record{Kind: Commit, Tx: "a"})
		m.SetSpace(int64(room), 10)
		a := ledger{synced: []Head{first.head()}, written: []Head{first.head()}}
		for range 3 {
			r := &Record{Kind: Commit, Tx: "b"}
			if err := a.append(l, r, true); err != nil {
				t.Fatalf("room for %d: %v", room, err)
			}
		}
		m.SetSpace(1<<30, 10)
		r := &Record{Kind: Commit, Tx: "c"}
		if err := a.append(l, r, true); err != nil || a.synced[len(a.synced)-1] != r.head() {
			t.Fatalf("room for %d, then enough: %v", room, err)
		}
		if err := check(m.Root(), a.written, a.refused); err != nil {
			t.Fatalf("room for %d: %v", room, err)
		}
	}
}

// A process can be killed while it makes the log.
func TestCreateSweep(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for n := 0; ; n++ {
			m := vfstest.NewDisk(kind)
			fault := &vfstest.Fault{At: n / 2, After: n%2 == 1, Dead: true}
			if _, err := Create(fault.Wrap(m.Root()), Options{}); !fault.Fired() {
				break
			} else if err == nil {
				t.Errorf("call %d: no error", n/2)
			}
			m.Kill()
			again := func(choose func(int) int) error {
				root := m.Crash(choose).Root()
				l, err := Create(root, Options{})
				if err != nil {
					return err
				}
				return errors.Join(l.Close(), check(root, []Head{l.Head()}, nil))
			}
			if _, err := vfstest.Enumerate(60, 1, again); err != nil {
				t.Fatalf("call %d: %v", n/2, err)
			}
			if err := check(m.Root(), nil, nil); err != nil {
				t.Fatalf("call %d: %v", n/2, err)
			}
		}
	}
}

// After a failed sync the system drops what it could not write, and calls the next sync a success.
func TestFailedSyncIsNotTrusted(t *testing.T) {
	for n := 0; ; n++ {
		m := vfstest.NewDisk(vfstest.Journal)
		newLog(t, m.Root(), Options{}).Close()
		d := &forgetful{directory: m.Root(), at: n, lost: map[string]bool{}}
		var a ledger
		if err := a.work(d, "a", 4); err != nil {
			t.Fatalf("sync %d: %v", n, err)
		}
		if len(d.lost) == 0 {
			break
		}
		if err := a.work(d, "b", 2); err != nil {
			t.Fatalf("sync %d, next process: %v", n, err)
		}
		crashes(t, fmt.Sprint("sync ", n), m, a)
	}
}

// forgetful is a directory in which sync number at fails, and none of that file has an effect from then on, unless it
// is written from the beginning.
type forgetful struct {
	directory
	at, syncs int
	lost      map[string]bool
}

func (d *forgetful) Append(name string, perm fs.FileMode) (vfs.File, error) {
	f, err := d.directory.Append(name, perm)
	return &forgetfulFile{f, d, name}, err
}

type forgetfulFile struct {
	vfs.File
	d    *forgetful
	name string
}

func (f *forgetfulFile) Datasync() error {
	f.d.syncs++
	if f.d.syncs == f.d.at+1 {
		f.d.lost[f.name] = true
		return syscall.EIO
	}
	if f.d.lost[f.name] {
		return nil
	}
	return f.File.Datasync()
}

func (f *forgetfulFile) Truncate(size int64) error {
	if size == 0 {
		f.d.lost[f.name] = false
	}
	return f.File.Truncate(size)
}

// once is a directory of which one call fails once; a write that fails is all there, or half of it.
func once(m *vfstest.Disk, ops string, half bool) *onceDir {
	return &onceDir{directory: m.Root(), ops: strings.Split(ops, ","), half: half}
}

type onceDir struct {
	directory
	ops  []string // each fails once, in this order
	half bool
}

func (d *onceDir) fails(op string) bool {
	if len(d.ops) == 0 || d.ops[0] != op {
		return false
	}
	d.ops = d.ops[1:]
	return true
}

func (d *onceDir) Append(name string, perm fs.FileMode) (vfs.File, error) {
	f, err := d.directory.Append(name, perm)
	return &onceFile{f, d}, err
}

type onceFile struct {
	vfs.File
	d *onceDir
}

func (f *onceFile) Write(p []byte) (int, error) {
	if !f.d.fails("write") {
		return f.File.Write(p)
	}
	if f.d.half {
		p = p[:len(p)/2]
	}
	n, _ := f.File.Write(p)
	return n, syscall.EIO
}

func (f *onceFile) Datasync() error {
	if f.d.fails("datasync") {
		return syscall.EIO
	}
	return f.File.Datasync()
}

func (f *onceFile) Truncate(size int64) error {
	if f.d.fails("truncate") {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}

// The same for a group: none of its records counts.
func TestGroupRefusedOnce(t *testing.T) {
	for ops, void := range map[string]int{"datasync": 2, "write": 0, "write,truncate": 2, "write,datasync": 2} {
		m := vfstest.NewDisk(vfstest.Journal)
		newLog(t, m.Root(), Options{}).Close()
		l := reopen(t, once(m, ops, true))
		var a ledger
		group := []*Record{{Kind: Commit, Tx: "a", Idem: "one", Group: 1}, {Kind: Commit, Tx: "b", Idem: "two"}}
		if err := a.appendAll(l, group, true); err != nil || len(a.refused) != 2 {
			t.Fatalf("%s: %v, refused %v", ops, err, a.refused)
		}
		for _, key := range []string{"one", "two"} {
			if got, err := l.ByKey(key); got != nil || err != nil {
				t.Errorf("%s: by the key %s of a refused one %+v, %v", ops, key, got, err)
			}
		}
		if err := a.append(l, &Record{Kind: Commit, Tx: "c"}, true); err != nil || len(a.synced) != 1 {
			t.Fatalf("%s: going on: %v", ops, err)
		}
		crashes(t, ops, m, a)
		if rep := whole(t, m.Root()); rep.Void != void || rep.Torn > 0 {
			t.Errorf("%s: %+v", ops, rep)
		}
	}
}

// The key of a member of a group is free when the member was taken back, and not when another one was.
func TestKeysOfGroup(t *testing.T) {
	l := newLog(t, disk(t, nil), Options{})
	addAll(t, l, []*Record{{Kind: Commit, Tx: "a", Idem: "a", Group: 2}, {Kind: Commit, Tx: "b", Idem: "b", Group: 1}, {Kind: Commit, Tx: "c", Idem: "c"}})
	addAll(t, l, []*Record{{Kind: Abort, Tx: "a", Group: 3}, {Kind: Applied, Tx: "b", Group: 2}, {Kind: Applied, Tx: "c", Group: 1}})
	for key, want := range map[string]bool{"a": false, "b": true, "c": true} {
		if r, err := l.ByKey(key); err != nil || r != nil != want {
			t.Errorf("key %s: %+v, %v", key, r, err)
		}
	}
}

// A record that was refused is void, by name, or cut off durably; its key is free, and the same log goes on.
func TestRefusedOnce(t *testing.T) {
	for ops, void := range map[string]int{"datasync": 1, "write": 0, "write,truncate": 1, "write,datasync": 1} {
		for _, half := range []bool{false, true} {
			m := vfstest.NewDisk(vfstest.Journal)
			newLog(t, m.Root(), Options{}).Close()
			l := reopen(t, once(m, ops, half))
			var a ledger
			r := &Record{Kind: Commit, Tx: "a", Idem: "key"}
			if err := a.append(l, r, true); err != nil || len(a.refused) != 1 {
				t.Fatalf("%s: %v, refused %v", ops, err, a.refused)
			}
			crashes(t, ops, m, a)
			if got, err := l.ByKey("key"); got != nil || err != nil {
				t.Errorf("%s: by the key of the refused one %+v, %v", ops, got, err)
			}
			if err := a.append(l, &Record{Kind: Commit, Tx: "b"}, true); err != nil || len(a.synced) != 1 {
				t.Fatalf("%s: going on: %v", ops, err)
			}
			crashes(t, ops+", going on", m, a)
			if rep := whole(t, m.Root()); rep.Void != void || rep.Torn > 0 {
				t.Errorf("%s: %+v", ops, rep)
			}
		}
	}
}
