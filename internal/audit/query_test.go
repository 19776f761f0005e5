package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// calls writes a log of small segments: transactions, their ends, refusals in between, and undos.
func calls(t *testing.T, rnd *rand.Rand, n int) (*Log, *time.Time) {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l := newLog(t, disk(t, nil), Options{SegmentSize: 4000, Now: func() time.Time { now = now.Add(time.Hour); return now }})
	pending := ""
	for i := range n {
		r := Record{Kind: Failed, Message: strings.Repeat("x", rnd.IntN(300)), Actor: Actor{Session: fmt.Sprint(rnd.IntN(3)), Tool: `,"ops":[`}}
		switch k := rnd.IntN(4); {
		case k == 0:
		case pending != "":
			r = Record{Kind: []Kind{Applied, Abort, Recovered}[rnd.IntN(3)], Tx: pending, OK: true}
			pending = ""
		default:
			r.Kind, r.Tx, r.OK = []Kind{Commit, Undo}[rnd.IntN(2)], fmt.Sprint("tx", i), true
			r.Ops, r.Acts = []Op{{Operation: "update", Path: "f"}}, []Act{{Do: DoSwap}}
			if pending = r.Tx; r.Kind == Undo {
				r.Undoes = []string{fmt.Sprint("tx", rnd.IntN(i+1))}
			}
		}
		add1(t, l, r)
	}
	return l, &now
}

func all(t *testing.T, l *Log, q Query) []*Record {
	t.Helper()
	var out []*Record
	for r, err := range l.Query(q) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func collect(t *testing.T, w *Walk) (out []*Record) {
	t.Helper()
	for r, err := range w.Records() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// indexing sets after how many bytes an index is extended.
func indexing(t testing.TB, step int64) {
	t.Cleanup(IndexEvery(step))
}

func headsOf(list []*Record) []Head {
	var out []Head
	for _, r := range list {
		out = append(out, r.head())
	}
	return out
}

// halving makes the search bisect small segments too.
func halving(t *testing.T) {
	was := bisectUntil
	bisectUntil = 300
	t.Cleanup(func() { bisectUntil = was })
}

// A query that begins anywhere yields what a full one yields from there on, and tells what became of it.
func TestBackFromAnywhere(t *testing.T) {
	halving(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, step := range []int64{1 << 20, 300} {
		indexing(t, step)
		for range 3 {
			l, _ := calls(t, rnd, 100)
			whole := all(t, l, Query{})
			for before := uint64(1); before <= l.Head().Seq+2; before++ {
				learned := map[Head]bool{}
				w := l.Walk(Query{Before: before, Learn: func(r *Record) { learned[r.head()] = true }})
				got, want := collect(t, w), slices.DeleteFunc(slices.Clone(whole), func(r *Record) bool { return r.Seq >= before })
				if !slices.Equal(headsOf(got), headsOf(want)) {
					t.Fatalf("before %d: %v\nwant %v", before, headsOf(got), headsOf(want))
				}
			}
		}
	}
}

// A query by time begins at most a day after it.
func TestBackUntil(t *testing.T) {
	halving(t)
	for _, step := range []int64{1 << 20, 300} {
		indexing(t, step)
		l, _ := calls(t, rand.New(rand.NewPCG(1, 2)), 200)
		whole := all(t, l, Query{})
		for i, r := range whole[3:] {
			got := all(t, l, Query{Until: r.TS})
			if least := len(whole) - 3 - i; len(got) < least || len(got) > least+32 || !slices.Equal(headsOf(got), headsOf(whole[len(whole)-len(got):])) {
				t.Fatalf("until %v: %d records, want %d", r.TS, len(got), least)
			}
		}
	}
}

// Whatever part of a record is decoded, it is right, and the chain is checked.
func TestPartsOfRecords(t *testing.T) {
	l, _ := calls(t, rand.New(rand.NewPCG(1, 2)), 100)
	whole := all(t, l, Query{})
	for part, want := range map[Detail]func(r *Record) string{
		Full:      func(r *Record) string { return fmt.Sprintf("%+v", *r) },
		WithActor: func(r *Record) string { return fmt.Sprint(r.head(), r.TS, r.Kind, r.Tx, r.Actor) },
		Header:    func(r *Record) string { return fmt.Sprint(r.head(), r.TS, r.Kind, r.Prev) },
	} {
		got := all(t, l, Query{Need: func(Kind, []byte) Detail { return part }})
		if !slices.EqualFunc(got, whole, func(a, b *Record) bool { return want(a) == want(b) }) {
			t.Errorf("part %d differs", part)
		}
	}
	n := 0
	all(t, l, Query{Need: func(_ Kind, line []byte) Detail {
		if strings.Contains(string(line), string(EncodeField("session", "1"))) {
			n++
		}
		return Header
	}})
	want := len(slices.DeleteFunc(whole, func(r *Record) bool { return r.Actor.Session != "1" }))
	if n != want || n == 0 {
		t.Errorf("%d lines have session 1, want %d", n, want)
	}
}

// A query that begins anywhere in a damaged log yields what can be read, and reports the damage where it is.
func TestBackFromAnywhereDamaged(t *testing.T) {
	halving(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 6 {
		l, _ := calls(t, rnd, 60)
		files := map[string]string{}
		for _, n := range l.state.segments {
			files[segmentName(n)] = read(t, l.dir, segmentName(n))
		}
		name := segmentName(1 + rnd.IntN(len(files)))
		at := rnd.IntN(len(files[name]))
		files[name] = files[name][:at] + "~" + files[name][at+1:]
		l = reopen(t, disk(t, files))
		for before := uint64(2); before <= l.Head().Seq; before++ {
			whole, got, marked := map[Head]bool{}, map[Head]bool{}, map[Head]bool{}
			for r, err := range l.Query(Query{}) {
				if err == nil && r.Seq < before {
					whole[r.head()] = true
				}
			}
			for r, err := range l.Query(Query{Before: before}) {
				if err == nil && r.Seq < before {
					got[r.head()] = true
				}
			}
			for r, err := range l.Query(Query{Before: before, Need: func(Kind, []byte) Detail { return Header }}) {
				if err == nil && r.Seq < before {
					marked[r.head()] = true
				}
			}
			if len(got) != len(whole) || len(marked) != len(whole) {
				t.Fatalf("before %d: %d records, and %d of which only headers are read; want %d", before, len(got), len(marked), len(whole))
			}
		}
	}
}

// No query yields a record whose sync failed.
func TestBackOverAVoidRecord(t *testing.T) {
	halving(t)
	m := vfstest.NewDisk(vfstest.Journal)
	newLog(t, m.Root(), Options{}).Close()
	l := reopen(t, once(m, "datasync", false))
	void := &Record{Kind: Undo, Tx: "void", OK: true, Undoes: []string{"a"}}
	if err := l.Append(void, true); err == nil {
		t.Fatal("appended")
	}
	for n := range 20 {
		add1(t, l, Record{Kind: Commit, Tx: fmt.Sprint("tx", n), OK: true})
		add1(t, l, Record{Kind: Applied, Tx: fmt.Sprint("tx", n), OK: true})
	}
	whole := all(t, l, Query{})
	for before := uint64(1); before <= l.Head().Seq; before++ {
		got := slices.DeleteFunc(all(t, l, Query{Before: before}), func(r *Record) bool { return r.Seq >= before })
		want := slices.DeleteFunc(slices.Clone(whole), func(r *Record) bool { return r.Seq >= before })
		if !slices.Equal(headsOf(got), headsOf(want)) {
			t.Errorf("before %d: %v, want %v", before, headsOf(got), headsOf(want))
		}
	}
}
