package audit

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// drop does what a retention says.
func drop(l *Log, k Retention) (Droppable, error) {
	d, err := l.Droppable(k)
	if err == nil {
		err = l.Drop(d, Record{Actor: Actor{Tool: "prune"}})
	}
	return d, err
}

func TestDrop(t *testing.T) {
	dir := disk(t, nil)
	const day = 24 * time.Hour
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := newLog(t, dir, Options{SegmentSize: 3000, Now: func() time.Time { now = now.Add(time.Hour); return now }})
	fill(t, l, 20)
	all, second := heads(t, l.Forward(0)), read(t, dir, segmentName(2))
	if d, err := drop(l, Retention{Age: 100 * day}); err != nil || d.Segments != 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	reader := reopen(t, dir) // which knows all segments
	beside, err := dir.Create("00000001.idx", filePerm)
	if err != nil {
		t.Fatal(err)
	}
	beside.Close()

	// What is in use stays, and all after it.
	d, err := drop(l, Retention{Age: time.Hour, InUse: func(tx string) bool { return strings.Contains(second, `"tx":"`+tx+`"`) }})
	if err != nil || d.From != 1 || d.To != 1 || d.HeldBy == "" || d.First != 1 || d.Rule != "older than 1h" {
		t.Fatalf("%+v, %v", d, err)
	}
	if left := names(t, dir); left[0] != segmentName(2) {
		t.Errorf("left %q", left)
	}
	if d, err = drop(l, Retention{Bytes: 7000}); err != nil || d.From != 2 || d.HeldBy != "" || d.Rule != "beyond 7000 bytes" {
		t.Fatalf("%+v, %v", d, err)
	}
	if left := names(t, dir); len(left) > 3 || left[0] != segmentName(d.To+1) {
		t.Errorf("left %q", left)
	}

	// An emend that knows no such record refuses it, and takes nothing for damage.
	if text := read(t, dir, names(t, dir)[len(names(t, dir))-1]); strings.Count(text, `{"v":2,`) != 2 || !strings.Contains(text, `"kind":"drop","actor":{"tool":"prune"},"ok":true`) {
		t.Errorf("the log ends with %s", text)
	}

	// A head that was dropped is not proved, but the last one of each drop.
	fill(t, l, 1)
	rep := whole(t, dir, l.Head(), all[len(all)-1], d.Head())
	if rep.Dropped == nil || rep.Dropped.Dropped.To != d.To {
		t.Fatalf("%+v", rep)
	}
	if rep, err := Verify(dir, all[0]); err != nil || len(rep.Missing) != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
	there, back := heads(t, l.Forward(0)), heads(t, l.Backward())
	if slices.Reverse(back); !slices.Equal(there, back) || len(there) != rep.Records || there[0].Seq != d.Head().Seq+1 {
		t.Errorf("%v forward, %v backward, %+v", there, back, rep)
	}
	if first, err := l.First(); err != nil || first.head() != there[0] {
		t.Errorf("%+v, %v", first, err)
	}

	// Who began to read before reads what is there.
	there = there[:slices.Index(there, reader.Head())+1]
	back = heads(t, reader.Backward())
	if slices.Reverse(back); !slices.Equal(back, there) || !slices.Equal(heads(t, reader.Forward(0)), there) || !slices.Equal(heads(t, reader.Forward(2)), there) {
		t.Errorf("%v, %v", back, there)
	}
	var walked []Head
	w := &forwardWalk{dir: dir, segs: reader.state.segments, end: reader.state.headEnd, yield: func(r *Record, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		walked = append(walked, r.head())
		return true
	}}
	if w.run(); !slices.Equal(walked, there) || w.before != d.Head() {
		t.Errorf("%v, %v", walked, w.before)
	}
	if first, err := reader.First(); err != nil || first.head() != there[0] {
		t.Errorf("%+v, %v", first, err)
	}
	if r, err := reader.ByKey("no such key"); r != nil || err != nil {
		t.Errorf("%+v, %v", r, err)
	}

	// A segment that vanished without a record is damage, also behind dropped ones.
	if err := dir.Remove(names(t, dir)[0]); err != nil {
		t.Fatal(err)
	}
	if rep, err := Verify(dir); err != nil || len(rep.Breaks) != 1 || rep.Breaks[0].Line != 1 || rep.Dropped != nil {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestDropOfAnotherProcess(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{SegmentSize: 3000})
	fill(t, l, 12)
	d, err := l.Droppable(Retention{Bytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := drop(l, Retention{Bytes: 7000}); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	if err := l.Drop(d, Record{}); err == nil || !slices.Equal(names(t, dir), before) {
		t.Errorf("%v, left %q", err, names(t, dir))
	}
	whole(t, dir)
}

func TestDropLeavesDoubtfulSegments(t *testing.T) {
	files, _ := segmentFiles(t, 12)
	for _, change := range []func(map[string]string){
		func(f map[string]string) { delete(f, segmentName(2)) },
		func(f map[string]string) { f[segmentName(2)] = "\x00" + f[segmentName(2)] },
		func(f map[string]string) { f[segmentName(1)] = "\x00" + f[segmentName(1)] },
	} {
		damaged := maps.Clone(files)
		change(damaged)
		l := reopen(t, disk(t, damaged))
		if d, err := l.Droppable(Retention{Bytes: 1}); err != nil || d.Segments > 1 {
			t.Errorf("%+v, %v", d, err)
		}
	}
}

// TestDropSweep makes every call of a drop fail, or be the last one before the process is killed or the power is cut. The log
// is whole then, and has what was not to be dropped. The next drop removes what is left.
func TestDropSweep(t *testing.T) {
	keep, rnd := Retention{Bytes: 7000}, rand.New(rand.NewPCG(7, 8))
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for mode := range 4 {
			for n := 0; ; n++ {
				m := vfstest.NewDisk(kind)
				l := newLog(t, m.Root(), Options{SegmentSize: 3000})
				fill(t, l, 12)
				m.Settle()
				last := l.Head()
				fault := &vfstest.Fault{At: n, After: mode&1 != 0, Dead: mode&2 != 0}
				faulty, err := Open(fault.Wrap(m.Root()), Options{SegmentSize: 3000})
				if err == nil {
					_, err = drop(faulty, keep)
				}
				if !fault.Fired() {
					break
				}
				where := fmt.Sprintf("%v, call %d, mode %d, %v", kind, n, mode, err)
				m.Kill()
				for cut := range 4 {
					after := m.Crash(rnd.IntN)
					dropsOn(t, after.Root(), last, fmt.Sprint(where, ", power cut ", cut))
				}
				dropsOn(t, m.Root(), last, where)
			}
		}
	}
}

// dropsOn checks a log after a drop that was cut short, and drops again.
func dropsOn(t *testing.T, dir vfs.Dir, last Head, where string) {
	t.Helper()
	check := func(when string) {
		if rep, err := Verify(dir, last); err != nil || !rep.Whole() {
			t.Fatalf("%s, %s: %+v, %v", where, when, rep, err)
		}
	}
	check("at once")
	l, err := Open(dir, Options{SegmentSize: 3000})
	if err == nil {
		_, err = l.SetTornAside()
	}
	if err == nil {
		_, err = drop(l, Retention{Bytes: 7000})
	}
	if err != nil {
		t.Fatalf("%s: the next drop: %v", where, err)
	}
	check("after the next drop")
	if left := names(t, dir); len(left) > 4 {
		t.Fatalf("%s: left %q", where, left)
	}
	l.Close()
}
