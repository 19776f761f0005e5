package audit

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// story writes a log of small segments as a store has it, with an index that is extended often: transactions one after the
// other, undos of earlier ones, refusals, keys, and now and then a sync that fails.
func story(t testing.TB, rnd *rand.Rand, n int) *Log {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o := Options{SegmentSize: 6000, Now: func() time.Time { now = now.Add(time.Minute); return now }}
	m := vfstest.NewDisk(vfstest.Journal)
	l := newLog(t, m.Root(), o)
	var txs, open []string
	var group []*Record // commits that are appended together
	path := func() string { return fmt.Sprintf("d%d/e%d/f%d", rnd.IntN(2), rnd.IntN(2), rnd.IntN(4)) }
	sum := func() string { return hash([]byte{byte(rnd.IntN(9))}) }
	grouped := 0
	for i := range n {
		r := Record{Kind: Failed, Actor: Actor{Session: fmt.Sprint("s", rnd.IntN(4)), Agent: fmt.Sprint("a", rnd.IntN(2)), Client: "c\"", Tool: `,"ops":[`},
			Message: strings.Repeat("x", rnd.IntN(200)), Ops: []Op{{Operation: "update", Path: path()}}}
		switch {
		case rnd.IntN(4) == 0:
		case len(open) > 0 && len(group) == 0:
			k := rnd.IntN(len(open))
			r = Record{Kind: []Kind{Applied, Applied, Abort, Recovered}[rnd.IntN(4)], Tx: open[k], OK: rnd.IntN(2) == 0, Group: grouped * len(open)}
			open = slices.Delete(open, k, k+1)
		default:
			r.Kind, r.Tx, r.OK, r.Idem = Commit, fmt.Sprintf("20260131-12%02d-%d", rnd.IntN(4), i), true, fmt.Sprint("key", rnd.IntN(n/2))
			r.Ops = []Op{{Operation: "move", Path: path(), ToPath: path(), Before: sum(), After: sum()}}
			r.Acts = []Act{{Do: DoMove, Path: path(), To: path(), Old: &Ident{Sum: sum()}, New: &Ident{Sum: sum()}}}
			if len(txs) > 0 && rnd.IntN(4) == 0 {
				r.Kind, r.Undoes = Undo, []string{txs[rnd.IntN(len(txs))], txs[rnd.IntN(len(txs))]}
				r.Parts = []Part{{Entry: txs[rnd.IntN(len(txs))], Path: r.Ops[0].Path, Hunks: []int{i}, Of: n, Files: 1}}
			}
			txs, open, group = append(txs, r.Tx), append(open, r.Tx), append(group, &r)
			if rnd.IntN(3) == 0 {
				continue
			}
			grouped = min(1, len(group)-1)
			for i, c := range group {
				c.Group = len(group) - 1 - i
			}
			addAll(t, l, group)
			group = nil
			continue
		}
		if rnd.IntN(40) == 0 && len(open) == 0 {
			failing, err := Open(once(m, "datasync", false), o)
			if err != nil {
				t.Fatal(err)
			}
			r := &Record{Kind: Undo, Tx: fmt.Sprint("void", i), OK: true, Undoes: slices.Clone(txs)}
			err = failing.Append(r, true)
			failing.Close()
			if err := l.Refresh(); err != nil {
				t.Fatal(err)
			}
			if err == nil { // the sync of a full segment failed instead
				add1(t, l, Record{Kind: Applied, Tx: r.Tx, OK: true})
			}
		}
		add1(t, l, r)
	}
	return l
}

// asked are keys with what a record that has one of them has in it.
func asked(rnd *rand.Rand, whole []*Record) (keys Keys, has func(*Record) bool) {
	r := whole[rnd.IntN(len(whole))]
	keys = Keys{}
	path, sum := "d0/e1", "none"
	if len(r.Ops) > 0 {
		path, sum = r.Ops[0].Path, r.Ops[0].Before
	}
	if rnd.IntN(2) == 0 && strings.Count(path, "/") == 2 {
		path = path[:strings.LastIndexByte(path, '/')]
	}
	below := func(p string) bool { return p == path || strings.HasPrefix(p, path+"/") }
	all := []struct {
		kind  KeyKind
		value string
		has   func(*Record) bool
	}{
		{ByPath, path, func(r *Record) bool {
			return slices.ContainsFunc(r.Ops, func(o Op) bool { return below(o.Path) || below(o.ToPath) }) ||
				slices.ContainsFunc(r.Acts, func(a Act) bool { return below(a.Path) || below(a.To) })
		}},
		{BySum, sum, func(r *Record) bool {
			return slices.ContainsFunc(r.Ops, func(o Op) bool { return o.Before == sum || o.After == sum }) ||
				slices.ContainsFunc(r.Acts, func(a Act) bool { return a.Old.Sum == sum || a.New.Sum == sum })
		}},
		{BySession, r.Actor.Session, func(o *Record) bool { return o.Actor.Session == r.Actor.Session }},
		{ByAgent, r.Actor.Agent, func(o *Record) bool { return o.Actor.Agent == r.Actor.Agent }},
		{ByClient, `c"`, func(o *Record) bool { return o.Actor.Client == `c"` }},
		{ByTool, `,"ops":[`, func(o *Record) bool { return o.Actor.Tool == `,"ops":[` }},
		{ByTx, r.Tx, func(o *Record) bool { return o.Tx == r.Tx }},
		{ByTxPrefix, "20260131-1201", func(o *Record) bool { return o.Kind.isCommit() && strings.HasPrefix(o.Tx, "20260131-1201") }},
		{ByUndone, r.Tx, func(o *Record) bool { return slices.Contains(o.TakesBack(), r.Tx) }},
		{ByIdem, r.Idem, func(o *Record) bool { return o.Idem == r.Idem }},
	}
	var wanted []func(*Record) bool
	for range 1 + rnd.IntN(2) {
		if a := all[rnd.IntN(len(all))]; a.value != "" {
			keys.Add(a.kind, a.value)
			wanted = append(wanted, a.has)
		}
	}
	return keys, func(r *Record) bool {
		return slices.ContainsFunc(wanted, func(has func(*Record) bool) bool { return has(r) })
	}
}

// answer words what a query yields of the records that are wanted, what became of each, and the damages.
func answer(l *Log, q Query, has func(*Record) bool) string {
	var b strings.Builder
	ends, undos := map[string]*Record{}, map[string][]uint64{}
	q.Learn = func(r *Record) {
		if r.Kind.isEnd() && ends[r.Tx] == nil {
			ends[r.Tx] = r
		}
		for _, tx := range slices.Compact(slices.Sorted(slices.Values(r.TakesBack()))) {
			if !slices.Contains(undos[tx], r.Seq) {
				undos[tx] = append(undos[tx], r.Seq)
			}
		}
	}
	w := l.Walk(q)
	for r, err := range w.Records() {
		if err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		q.Learn(r)
		if !has(r) {
			continue
		}
		fmt.Fprint(&b, r.Seq, " ", r.H)
		if r.Kind.isCommit() {
			if end := w.End(r); end != nil {
				q.Learn(end)
			}
			for _, u := range w.Undos(r.Tx) {
				q.Learn(u)
			}
			if end := ends[r.Tx]; end != nil {
				fmt.Fprint(&b, " ended ", end.Seq)
			}
			slices.Sort(undos[r.Tx])
			fmt.Fprint(&b, " undone ", undos[r.Tx])
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// copyOf copies a log, with the indexes that it has or without.
func copyOf(t testing.TB, l *Log, with bool, damage func(name, data string) string) vfs.Dir {
	t.Helper()
	files := map[string]string{}
	for _, name := range names(t, l.dir) {
		if with || IsSegment(name) {
			files[name] = damage(name, read(t, l.dir, name))
		}
	}
	return disk(t, files)
}

func intact(_, data string) string { return data }

// sameAnswers compares random queries with an index and without one.
func sameAnswers(t testing.TB, rnd *rand.Rand, with, without *Log, whole []*Record, n int) {
	t.Helper()
	for range n {
		keys, has := asked(rnd, whole)
		q := Query{Keys: keys}
		if rnd.IntN(3) == 0 {
			q.Keys, has = nil, func(*Record) bool { return true }
		}
		if rnd.IntN(2) == 0 {
			q.Before = uint64(1 + rnd.IntN(len(whole)+3))
		}
		if rnd.IntN(4) == 0 {
			q.Until = whole[rnd.IntN(len(whole))].TS
			has = func(was func(*Record) bool) func(*Record) bool {
				return func(r *Record) bool { return was(r) && !r.TS.After(q.Until) }
			}(has)
		}
		if got, want := answer(with, q, has), answer(without, q, has); got != want {
			t.Fatalf("%+v\n%s\nwithout an index\n%s", q, got, want)
		}
		idem := fmt.Sprint("key", rnd.IntN(40))
		got, err := with.ByKey(idem)
		want, err2 := without.ByKey(idem)
		if err != nil || err2 != nil || (got == nil) != (want == nil) || got != nil && got.H != want.H {
			t.Fatalf("%s: %+v, %v; without an index %+v, %v", idem, got, err, want, err2)
		}
	}
}

// Whatever a log has, every query is answered with an index as without.
func TestIndexLies(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for range 8 {
		indexing(t, int64(500+rnd.IntN(3000)))
		l := story(t, rnd, 120)
		if rnd.IntN(2) == 0 { // a damage, and a log that goes on
			bad := segmentName(1 + rnd.IntN(len(l.state.segments)))
			l = reopen(t, copyOf(t, l, false, func(name, data string) string {
				if at := rnd.IntN(len(data)); name == bad {
					return data[:at] + "~" + data[at+1:]
				}
				return data
			}))
			if l.Err() != nil {
				if err := l.Restart("damaged"); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 20 {
				tx := fmt.Sprintf("20260131-1205-%d", i)
				add1(t, l, Record{Kind: Commit, Tx: tx, OK: true, Ops: []Op{{Path: "d0/e0/f1"}}})
				add1(t, l, Record{Kind: Applied, Tx: tx, OK: true})
			}
		}
		var whole []*Record
		for r := range l.Backward() {
			if r != nil {
				whole = append(whole, r)
			}
		}
		sameAnswers(t, rnd, l, reopen(t, copyOf(t, l, false, intact)), whole, 40)
	}
}

var everyByte = flag.Bool("every-byte", false, "damage an index in every byte; without it, in one of 101")

// isWhole reports whether the index of that name agrees with its segment, and each of its pages with its checksum.
func isWhole(t testing.TB, dir vfs.Dir, name string) bool {
	t.Helper()
	number, suffix, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	f, info, err := openSegment(dir, n)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x := openTable(dir, n, f, info.Size, "."+suffix)
	if x == nil {
		return false
	}
	defer x.close()
	for i := range recordPages(x.records) + keyPages(x.keys) {
		if _, err := x.page(i); err != nil {
			return false
		}
	}
	return true
}

// An index with a wrong byte, or one that is cut, misleads no query. Whoever reads the byte finds it, and after some appends the
// index is whole again.
func TestIndexIsDamaged(t *testing.T) {
	indexing(t, 2000)
	rnd := rand.New(rand.NewPCG(13, 14))
	l := story(t, rnd, 14)
	whole := all(t, l, Query{})
	without := reopen(t, copyOf(t, l, false, intact))
	dir := copyOf(t, l, true, intact)
	with := reopen(t, dir)
	files := slices.DeleteFunc(names(t, dir), IsSegment)
	if len(files) == 0 {
		t.Fatal("there is no index")
	}
	step := 101
	if *everyByte {
		step = 1
	}
	for _, name := range files {
		good := read(t, dir, name)
		for at := rnd.IntN(step); at < len(good); at += step {
			for _, bad := range []string{good[:at], good[:at] + string(good[at]^byte(1+rnd.IntN(255))) + good[at+1:]} {
				if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				put(t, dir, name, bad)
				sameAnswers(t, rnd, with, without, whole, 1)
				put(t, dir, name+"2", bad) // a query may have removed the index
				if err := dir.Rename(name+"2", dir, name, vfs.Replace); err != nil {
					t.Fatal(err)
				}
				mends := rnd.IntN(50) == 0
				fresh := dir
				if mends {
					fresh = copyOf(t, with, true, intact)
				}
				if isWhole(t, fresh, name) {
					t.Fatalf("%s: nobody finds that byte %d of %d is wrong", name, at, len(good))
				}
				if mends {
					again := reopen(t, fresh)
					for range 20 {
						add1(t, again, Record{Kind: Failed, Message: strings.Repeat("x", 300)})
					}
					for _, n := range names(t, fresh) {
						if !IsSegment(n) && !isWhole(t, fresh, n) {
							t.Fatalf("byte %d of %d of %s was wrong, and after some appends %s still is", at, len(good), name, n)
						}
					}
					if len(names(t, fresh)) < len(names(t, dir)) {
						t.Fatalf("byte %d of %d of %s was wrong, and the index was not made again: %q", at, len(good), name, names(t, fresh))
					}
				}
			}
		}
	}
}

// A call on a file of an index that fails costs no record: appends go on, and every query is answered as without an index.
// After a power cut the promises of the log hold.
func TestIndexSweep(t *testing.T) {
	indexing(t, 700)
	for mode := range 8 {
		after, dead, reads := mode&1 != 0, mode&2 != 0, mode&4 != 0
		hit := 0
		for n := 0; ; n++ {
			m := vfstest.NewDisk(vfstest.Journal)
			newLog(t, m.Root(), Options{}).Close()
			fault := &vfstest.Fault{At: n, Err: syscall.ENOSPC, After: after, Dead: dead, Reads: reads}
			var a ledger
			err := a.work(fault.Wrap(m.Root()), "a", 4)
			if !fault.Fired() {
				break
			}
			what := fault.Trace()[n]
			if !strings.Contains(what, ".idx") {
				continue // TestSweep fails those
			}
			hit++
			if !dead && (err != nil || len(a.written) != 28) {
				t.Fatalf("call %d (%s): %v, %d records", n, what, err, len(a.written))
			}
			if m.Kill(); hit%9 == 0 {
				crashes(t, what, m, a)
			}
			l := reopen(t, m.Root())
			add1(t, l, Record{Kind: Failed}) // somebody goes on
			without := reopen(t, copyOf(t, l, false, intact))
			for _, tx := range []string{"a0", "a3", "none"} {
				keys := Keys{}
				keys.Add(ByTx, tx)
				has := func(r *Record) bool { return r.Tx == tx }
				if got, want := answer(l, Query{Keys: keys}, has), answer(without, Query{Keys: keys}, has); got != want {
					t.Fatalf("call %d (%s): %s\nwithout an index\n%s", n, what, got, want)
				}
			}
		}
		if hit < 10 {
			t.Errorf("only %d calls on an index failed", hit)
		}
	}
}

// An index grows with the segment, is complete when that is full, and is made for segments that have none, some of it with
// each append.
func TestIndexGrows(t *testing.T) {
	indexing(t, 1000)
	l := story(t, rand.New(rand.NewPCG(15, 16)), 300)
	bare := reopen(t, copyOf(t, l, false, intact))
	bare.segmentSize = 6000
	segs := l.state.segments
	for i := 0; ; i++ {
		missing := 0
		for _, n := range segs[:len(segs)-1] {
			if info, err := bare.dir.Stat(tableName(n, wholeSuffix)); err != nil && len(read(t, bare.dir, segmentName(n))) >= 1000 || err == nil && info.Size == 0 {
				missing++
			}
		}
		if missing == 0 {
			if i < len(segs)-2 {
				t.Errorf("%d indexes in %d appends", len(segs), i)
			}
			break
		}
		if i > 3*len(segs) {
			t.Fatalf("%d of %d segments have no index after %d appends", missing, len(segs), i)
		}
		add1(t, bare, Record{Kind: Failed})
	}
	for _, l := range []*Log{l, bare} {
		for _, n := range l.state.segments {
			f, info, err := openSegment(l.dir, n)
			if err != nil {
				t.Fatal(err)
			}
			suffix := wholeSuffix
			if n == l.state.lastSegment() {
				suffix = growingSuffix
			} else if _, err := l.dir.Stat(tableName(n, growingSuffix)); err == nil {
				t.Errorf("segment %d has two", n)
			}
			x := openTable(l.dir, n, f, info.Size, suffix)
			if x == nil && info.Size >= 2000 || x != nil && info.Size-x.end >= 1000 && !x.complete {
				t.Errorf("segment %d of %d bytes: %+v", n, info.Size, x)
			}
			x.close()
			f.Close()
		}
	}
}

// An index of another log is not believed, and makes room for the right one.
func TestIndexOfAnotherLog(t *testing.T) {
	indexing(t, 1000)
	rnd := rand.New(rand.NewPCG(17, 18))
	l, other := story(t, rnd, 150), story(t, rnd, 150)
	dir := copyOf(t, l, false, intact)
	for _, name := range names(t, other.dir) {
		if !IsSegment(name) {
			put(t, dir, name, read(t, other.dir, name))
		}
	}
	mixed := reopen(t, dir)
	sameAnswers(t, rnd, mixed, reopen(t, copyOf(t, l, false, intact)), all(t, l, Query{}), 50)
	for range 3 * len(mixed.state.segments) {
		if err := mixed.Reopen(); err != nil {
			t.Fatal(err)
		}
		add1(t, mixed, Record{Kind: Failed})
	}
	for _, n := range mixed.state.segments[:len(mixed.state.segments)-1] {
		f, info, err := openSegment(dir, n)
		if err != nil {
			t.Fatal(err)
		}
		if x := openTable(dir, n, f, info.Size, wholeSuffix); x == nil && info.Size >= 1000 {
			t.Errorf("segment %d has no index", n)
		}
	}
}

// A query by an index, a key in the middle of the log, and a verification that goes on from a head, read what they need and not
// the log.
func TestIndexReadsLittle(t *testing.T) {
	read := map[string]int{}
	for _, n := range []int{1000, 16_000} {
		l := newLog(t, disk(t, nil), Options{})
		var late Head
		for i := range n {
			r := Record{Kind: Commit, Tx: fmt.Sprint("tx", i), OK: true, Idem: fmt.Sprint("key", i), Actor: Actor{Session: fmt.Sprint("s", i/10)}, Message: strings.Repeat("x", 900)}
			r = add1(t, l, r)
			add1(t, l, Record{Kind: Applied, Tx: r.Tx, OK: true})
			if i == n-20 {
				late = r.head()
			}
		}
		c := &countingDir{directory: l.dir}
		l = reopen(t, c)
		keys := Keys{}
		keys.Add(BySession, "s3")
		for what, ask := range map[string]func() error{
			"query": func() error {
				q := Query{Keys: keys, Need: func(Kind, []byte) Detail { return Header }}
				if records := all(t, l, q); len(records) < 10 {
					return fmt.Errorf("%d records", len(records))
				}
				return nil
			},
			"key": func() error {
				r, err := l.ByKey(fmt.Sprint("key", n/2))
				if err == nil && (r == nil || r.Tx != fmt.Sprint("tx", n/2)) {
					err = fmt.Errorf("%+v", r)
				}
				return err
			},
			"verify": func() error {
				rep, err := Check{Since: late}.Run(t.Context(), c)
				if err == nil && (rep.Records != 39 || rep.Since != late || len(rep.Breaks) > 0) {
					err = fmt.Errorf("%+v", rep)
				}
				return err
			},
		} {
			c.n = 0
			if err := ask(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			read[fmt.Sprint(what, " ", n)] = c.n
			if c.n == 0 || c.n > int(indexStep)+600_000 {
				t.Errorf("%s of %d: %d bytes were read", what, n, c.n)
			}
		}
	}
	t.Log(read)
}

// countingDir counts the bytes that are read.
type countingDir struct {
	directory
	n int
}

func (d *countingDir) Open(name string) (vfs.File, error) {
	f, err := d.directory.Open(name)
	if err != nil {
		return nil, err
	}
	return &countingFile{f, d}, nil
}

type countingFile struct {
	vfs.File
	d *countingDir
}

func (f *countingFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	f.d.n += n
	return n, err
}

// A table has a number for every kind, and gives back what it got.
func TestIndexOfEveryKind(t *testing.T) {
	indexing(t, 100)
	l := newLog(t, disk(t, nil), Options{})
	for _, k := range []Kind{Denied, Failed, Purge, Commit, Applied, Undo, Abort, Commit, Recovered, Failed} {
		add1(t, l, Record{Kind: k, Tx: "a"})
	}
	drop := Record{Kind: Drop}
	if text, err := l.encodeNext([]*Record{&drop}); err != nil || l.write([]*Record{&drop}, text, false) != nil {
		t.Fatal(err)
	}
	add1(t, l, Record{Kind: Failed})
	f, info, err := openSegment(l.dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x := openTable(l.dir, 1, f, info.Size, growingSuffix)
	if x == nil || x.end != info.Size {
		t.Fatalf("%+v of %d bytes", x, info.Size)
	}
	defer x.close()
	for r := range l.Forward(0) {
		e, err := x.entry(int(r.Seq - x.firstSeq))
		if err != nil || e.kind != r.Kind || !isKnown(e.kind) {
			t.Errorf("%s: %+v, %v", r.Kind, e, err)
		}
	}
}
