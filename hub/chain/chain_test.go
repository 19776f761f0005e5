package chain_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"

	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/wire"
)

// story is a workspace's log and what a hub has of it.
type story struct {
	t      *testing.T
	log    *hubtest.Log
	lines  [][]byte // all that were ever made, by number; of a fork the newest
	heads  []api.Head
	copy   *hubtest.Copy
	stream uint64
}

func newStory(t *testing.T) *story {
	return &story{t: t, log: hubtest.NewLog(), lines: [][]byte{nil}, heads: []api.Head{{}}, copy: hubtest.NewCopy()}
}

// add adds n records to the log.
func (s *story) add(n int) {
	for range n {
		s.record(audit.Record{Kind: audit.Applied, Tx: fmt.Sprint("tx-", len(s.lines), "-", s.stream), OK: true})
	}
}

func (s *story) record(r audit.Record) {
	s.lines = append(s.lines, s.log.Add(r))
	s.heads = append(s.heads, s.log.Head)
}

// cut makes the log end with record n.
func (s *story) cut(n int) {
	s.lines, s.heads = s.lines[:n+1], s.heads[:n+1]
	s.log.Head = s.heads[n]
}

// batch sends the records from to to, changed by change.
func (s *story) batch(from, to int, change ...func(*wire.Batch)) {
	b := &wire.Batch{Workspace: s.log.Workspace, After: s.heads[from-1], Local: s.log.Head}
	for _, line := range s.lines[from : to+1] {
		b.Records = append(b.Records, wire.Record{Line: line})
	}
	for _, f := range change {
		f(b)
	}
	data, err := b.Encode()
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(s.log.Seal(data))
}

func (s *story) send(data []byte) {
	s.stream++
	v, err := chain.New(s.copy).Take(s.stream, time.Now(), wire.RecordsSubject(s.log.Workspace), data)
	if err == nil {
		err = s.copy.Add(v)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestChain: what a workspace can do to its chain, and what a hub finds. The findings are listed with their number.
func TestChain(t *testing.T) {
	for _, c := range []struct {
		name    string
		do      func(*story)
		finds   []string
		epoch   int
		head    uint64
		records uint64
	}{
		{"in order", func(s *story) { s.add(9); s.batch(1, 4); s.batch(5, 9) }, nil, 1, 9, 9},
		{"the same again, whole and in parts", func(s *story) {
			s.add(9)
			s.batch(1, 9)
			s.batch(1, 9)
			s.batch(3, 5)
			s.add(2)
			s.batch(8, 11)
		}, nil, 1, 11, 11},
		{"rewritten in the middle", func(s *story) { s.add(9); s.batch(1, 9); s.cut(4); s.add(7); s.batch(1, 11) }, []string{"forked 5"}, 2, 11, 16},
		{"rewritten at the end", func(s *story) { s.add(9); s.batch(1, 9); s.cut(8); s.add(1); s.batch(9, 9) }, []string{"forked 9"}, 2, 9, 10},
		{"rewritten, and only what follows is sent", func(s *story) { s.add(9); s.batch(1, 9); s.cut(8); s.add(3); s.batch(10, 11) }, []string{"forked 9"}, 2, 11, 11},
		{"another log", func(s *story) { s.add(9); s.batch(1, 9); s.cut(0); s.add(3); s.batch(1, 3) }, []string{"forked 1"}, 2, 3, 12},
		{"rewritten twice, the second time further back", func(s *story) {
			s.add(9)
			s.batch(1, 9)
			s.cut(6)
			s.stream++ // other records
			s.add(3)
			s.batch(7, 9)
			s.cut(2)
			s.stream++
			s.add(3)
			s.batch(3, 5)
		}, []string{"forked 7", "forked 3"}, 3, 5, 15},
		{"cut off, as the workspace itself says", func(s *story) {
			s.add(9)
			s.batch(1, 9)
			lost := s.log.Head
			s.cut(4)
			s.batch(1, 4, func(b *wire.Batch) { b.Lost = &lost })
		}, []string{"lost 9"}, 1, 9, 9},
		{"a gap, filled in parts", func(s *story) {
			s.add(9)
			s.batch(1, 3)
			s.batch(7, 9)
			s.batch(4, 5, func(b *wire.Batch) { b.Fill = true })
			s.batch(6, 6, func(b *wire.Batch) { b.Fill = true })
		}, []string{"gap 4", "filled 6"}, 1, 9, 9},
		{"a gap, filled with something else", func(s *story) {
			s.add(9)
			s.batch(1, 3)
			s.batch(7, 9)
			s.cut(3)
			s.stream++
			s.add(3)
			s.batch(4, 6, func(b *wire.Batch) { b.Fill = true })
		}, []string{"gap 4", "forked 6"}, 2, 6, 9},
		{"dropped by rule while the hub was away", func(s *story) {
			s.add(3)
			s.batch(1, 3)
			s.add(3)
			dropped := s.log.Head
			s.add(2)
			s.record(audit.Record{V: 2, Kind: audit.Drop, OK: true, Dropped: &audit.Dropped{From: 1, To: 1, First: 1, Last: dropped.String(), Until: time.Now(), Rule: "age"}})
			s.batch(7, 9)
		}, []string{"gap 4", "dropped 4"}, 1, 9, 6},
		{"joined after records were dropped", func(s *story) { s.add(9); s.batch(5, 9) }, []string{"dropped 5"}, 1, 9, 5},
		{"declared void after a failed sync", func(s *story) {
			s.add(5)
			s.batch(1, 5)
			void, since := s.heads[5].H, s.heads[4].String()
			s.cut(4)
			s.record(audit.Record{Kind: audit.Rotate, OK: true, Void: void, Since: since})
			s.add(1)
			s.batch(5, 6)
		}, []string{"void 5"}, 2, 6, 7},
		{"a line that was changed", func(s *story) {
			s.add(4)
			s.lines[3] = slices.Clone(s.lines[3])
			s.lines[3][len(s.lines[3])-90]++
			s.batch(1, 4)
		}, []string{"altered 3"}, 1, 2, 2},
		{"a record left out", func(s *story) {
			s.add(9)
			s.batch(1, 9, func(b *wire.Batch) { b.Records = slices.Delete(b.Records, 4, 5) })
		}, []string{"gap 5"}, 1, 9, 8},
		{"records in another order", func(s *story) {
			s.add(3)
			s.batch(1, 3, func(b *wire.Batch) { b.Records[1], b.Records[2] = b.Records[2], b.Records[1] })
		}, []string{"gap 2", "filled 2"}, 1, 3, 3},
		{"in another's name", func(s *story) {
			s.add(3)
			s.batch(1, 3, func(b *wire.Batch) { b.Workspace = hubtest.NewLog().Workspace })
		}, []string{"foreign 0"}, 0, 0, 0},
		{"another's log", func(s *story) {
			s.add(3)
			s.batch(1, 3)
			other := newStory(s.t)
			other.record(audit.Record{Kind: audit.Applied, Tx: "other", OK: true})
			other.add(3)
			s.send(other.log.Message(api.Head{}, other.lines[1:]...)) // the other signed it
			b := &wire.Batch{Workspace: s.log.Workspace}
			for _, l := range other.lines[1:] {
				b.Records = append(b.Records, wire.Record{Line: l})
			}
			data, err := b.Encode()
			if err != nil {
				s.t.Fatal(err)
			}
			s.send(s.log.Seal(data))
		}, []string{"unsigned 0", "forked 1"}, 2, 4, 7},
		{"no batch", func(s *story) { s.add(3); s.batch(1, 2); s.send(s.log.Seal([]byte("x"))); s.send(nil); s.batch(3, 3) }, []string{"unreadable 0", "unsigned 0"}, 1, 3, 3},
		{"withheld, and then rewritten", func(s *story) {
			s.add(5)
			hide := func(b *wire.Batch) {
				b.Records[2] = wire.Record{Header: &wire.Header{Seq: 3, Prev: s.heads[2].H, H: s.heads[3].H, Kind: "commit"}}
			}
			s.batch(1, 5, hide)
			s.cut(2)
			s.stream++
			s.add(3)
			s.batch(3, 5)
		}, []string{"forked 3"}, 2, 5, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStory(t)
			c.do(s)
			var found []string
			for _, f := range s.copy.Findings {
				found = append(found, fmt.Sprintf("%s %d", f.Kind, f.Seq))
				if f.Kind == chain.Forked && (f.Have == "" || f.Got == "" || f.Have == f.Got) {
					t.Errorf("a fork without both hashes: %+v", f)
				}
			}
			if !slices.Equal(found, c.finds) {
				t.Errorf("found %q, want %q: %+v", found, c.finds, s.copy.Findings)
			}
			if st := s.copy.Of(s.log.Workspace); st.Epoch != c.epoch || st.Head.Seq != c.head || st.Records != c.records {
				t.Errorf("epoch %d, head %d, %d records; want %d, %d, %d", st.Epoch, st.Head.Seq, st.Records, c.epoch, c.head, c.records)
			}
		})
	}
}

// TestEveryLie: whatever record a workspace rewrites, removes or repeats, and however the result is cut into batches, it is found; and nothing is found
// in what is honest.
func TestEveryLie(t *testing.T) {
	const n = 12
	for size := 1; size <= n; size++ {
		for at := 1; at <= n; at++ {
			s := newStory(t)
			s.add(n)
			all := func(to int) {
				for from := 1; from <= to; from += size {
					s.batch(from, min(to, from+size-1))
				}
			}
			all(n)
			all(n)
			if len(s.copy.Findings) != 0 {
				t.Fatalf("in batches of %d: honest, and found %+v", size, s.copy.Findings)
			}
			s.cut(at - 1)
			s.stream++
			s.add(n + 1 - at)
			all(n)
			k := s.copy.Kinds(s.log.Workspace)
			if len(s.copy.Findings) != 1 || k[chain.Forked] != 1 || s.copy.Findings[0].Seq != uint64(at) {
				t.Errorf("record %d rewritten, in batches of %d: found %+v", at, size, s.copy.Findings)
			}
		}
	}
}

// TestCompare: what a workspace says of itself, beside what it sent.
func TestCompare(t *testing.T) {
	s := newStory(t)
	s.add(9)
	s.batch(1, 9)
	state := s.copy.Of(s.log.Workspace)
	for _, c := range []struct {
		name string
		p    wire.Presence
		want chain.Kind
	}{
		{"the same", wire.Presence{Head: s.heads[9], Stream: 1}, ""},
		{"further", wire.Presence{Head: api.Head{Seq: 12, H: "x"}, Stream: 1}, ""},
		{"from before the last batch", wire.Presence{Head: s.heads[4], Stream: 0}, ""},
		{"cut off", wire.Presence{Head: s.heads[4], Stream: 1}, chain.Truncated},
		{"gone", wire.Presence{Stream: 1}, chain.Truncated},
		{"another", wire.Presence{Head: api.Head{Seq: 9, H: s.heads[8].H}, Stream: 1}, chain.Forked},
	} {
		f := chain.Compare(state, c.p)
		if f == nil && c.want != "" || f != nil && f.Kind != c.want {
			t.Errorf("%s: %+v, want %q", c.name, f, c.want)
		}
	}
}
