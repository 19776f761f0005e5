package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// by queries an index for the records that have a string.
func by(v *Index, quoted string) Query {
	keys := Keys{}
	keys.Add(quoted)
	return Query{Index: v, Keys: keys, Always: func(Kind) bool { return false }}
}

// An index leads to exactly the records that have one of some strings, as the log grows.
func TestSieve(t *testing.T) {
	halving(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	l, _ := calls(t, rnd, 100)
	var v Index
	for round := range 30 {
		for _, key := range []string{`"0"`, `"1"`, `"tx1` + fmt.Sprint(round) + `"`, `"f"`, `"none"`} {
			want := slices.DeleteFunc(all(t, l, Query{}), func(r *Record) bool {
				named := *r
				named.Undoes = nil // which is read whole anyway
				body, err := named.body()
				return err != nil || !bytes.Contains(body, []byte(key))
			})
			if got := all(t, l, by(&v, key)); !slices.Equal(headsOf(got), headsOf(want)) {
				t.Fatalf("%d, %s: %v\nwant %v", round, key, headsOf(got), headsOf(want))
			}
		}
		if v.head != l.Head() {
			t.Fatal("it was not taken in")
		}
		for range rnd.IntN(12) {
			add1(t, l, Record{Kind: Failed, Actor: Actor{Session: fmt.Sprint(rnd.IntN(3))}, Message: strings.Repeat("y", rnd.IntN(300))})
		}
	}
}

// Every indexed field is found, however its string is written.
func TestSieveFields(t *testing.T) {
	l := newLog(t, disk(t, nil), Options{})
	const odd = "a \"b\"\\\u202e\n"
	sum := strings.Repeat("ab", 32)
	id := &Ident{Sum: sum}
	for i, r := range []Record{
		{Kind: Failed, Actor: Actor{Session: odd}}, {Kind: Failed, Ops: []Op{{Path: odd}}}, {Kind: Failed, Ops: []Op{{Path: "x", ToPath: odd}}},
		{Kind: Commit, Tx: odd}, {Kind: Commit, Acts: []Act{{Do: "move", Path: "x", To: odd}}}, {Kind: Commit, Acts: []Act{{Path: odd}}},
	} {
		add1(t, l, r)
		if got := all(t, l, by(new(Index), string(EncodeField("", odd)[len(`"":`):]))); len(got) != i+1 {
			t.Errorf("%d: %v", i, got)
		}
	}
	for i, r := range []Record{
		{Kind: Failed, Ops: []Op{{Before: sum}}}, {Kind: Failed, Ops: []Op{{After: sum}}}, {Kind: Commit, Acts: []Act{{Old: id}}}, {Kind: Commit, Acts: []Act{{New: id}}},
	} {
		add1(t, l, r)
		if got := all(t, l, by(new(Index), `"`+sum+`"`)); len(got) != i+1 {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// A record that was damaged or replaced after it was indexed is reported as without an index.
func TestSieveIsNotBelieved(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{})
	for i := range 40 {
		add1(t, l, Record{Kind: Failed, Actor: Actor{Session: fmt.Sprint(i % 4)}})
	}
	var v Index
	all(t, l, by(&v, `"1"`))
	good := read(t, dir, segmentName(1))
	if _, _, ok := v.update(l, l.snapshot()); !ok {
		t.Fatal("it was not taken in")
	}
	lines := strings.SplitAfter(good, "\n")
	r, err := decode([]byte(strings.TrimSuffix(lines[22], "\n")))
	if err != nil || r.Actor.Session != "1" {
		t.Fatal(r, err)
	}
	r.Actor.Session = "9"
	forged, err := encode(r)
	if err != nil {
		t.Fatal(err)
	}
	lines[22] = string(forged)
	for _, bad := range []string{strings.Join(lines, ""), strings.Replace(good, `"session":"1"`, `"session":"9"`, 3)} {
		if err := dir.Remove(segmentName(1)); err != nil {
			t.Fatal(err)
		}
		put(t, dir, segmentName(1), bad)
		_, want := count(t, l.Query(Query{}))
		seen := Index{head: v.head, entries: v.entries, keys: v.keys} // before that
		for _, v := range []*Index{&seen, new(Index)} {
			if records, broken := count(t, l.Query(by(v, `"1"`))); broken == 0 || broken != want || records == 0 {
				t.Errorf("%d records, %d damages; want %d", records, broken, want)
			}
		}
	}
	// Another log, which is as long.
	other := newLog(t, disk(t, nil), Options{})
	for i := range 40 {
		add1(t, other, Record{Kind: Failed, Actor: Actor{Session: fmt.Sprint(i % 5)}})
	}
	if got := all(t, other, by(&v, `"4"`)); len(got) != 8 {
		t.Errorf("of another log: %v", headsOf(got))
	}
}

// A log with too many keys is not indexed, and queries read all of it.
func TestSieveIsBounded(t *testing.T) {
	was := maxKeys
	maxKeys = 50
	t.Cleanup(func() { maxKeys = was })
	l, _ := calls(t, rand.New(rand.NewPCG(3, 4)), 200)
	var v Index
	if got := all(t, l, by(&v, `"none"`)); len(got) != len(all(t, l, Query{})) || v.entries != nil || v.keys != nil {
		t.Errorf("%d records, %d words", len(got), len(v.keys))
	}
}
