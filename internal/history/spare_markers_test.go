package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// A marker is reused while it is locked; a second process leaves it alone, and sweeps what a dead one left.
func TestSpares(t *testing.T) {
	dir := vfstest.NewDisk(vfstest.Journal).Root()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	h, other := open(t, dir), open(t, dir)
	defer other.Close()
	transact := func(n int) string {
		s, err := h.Begin(NewID(time.Now()), n)
		if err != nil {
			t.Fatal(err)
		}
		names(t, other, "at work", s.name)
		sweep(t, other)
		names(t, other, "swept at work", s.name)
		is, err := s.file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.End(); err != nil {
			t.Error(err)
		}
		return fmt.Sprint(is.ID)
	}
	transact(1)
	names(t, other, "after the first")
	second := transact(2)
	names(t, other, "after the second", "spare-")
	sweep(t, other)
	sweep(t, h)
	names(t, other, "a living one's, swept", "spare-")
	if third := transact(3); third != second {
		t.Errorf("the third has the marker %s, the second had %s", third, second)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	names(t, other, "after the end")
}

// A sweep removes what a killed process left, without asking for its state. A marker that somebody removed is made again.
func TestSparesLeft(t *testing.T) {
	dir := vfstest.NewDisk(vfstest.Journal).Root()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	for range 2 {
		s, err := h.Begin(NewID(time.Now()), 1)
		if err != nil {
			t.Fatal(err)
		}
		s.End()
	}
	names(t, h, "a spare one", "spare-")
	h.spares.free[0].file.Close() // as the death of a process does
	sweep(t, open(t, dir))
	names(t, h, "swept")
	s, err := h.Begin(NewID(time.Now()), 1)
	if err != nil {
		t.Fatal("with a spare marker that is gone: ", err)
	}
	names(t, h, "made anew", s.name)
	sweep(t, open(t, dir))
	names(t, h, "locked", s.name)
}

// Whatever fails, with its effect or without it: a transaction that has begun has a marker that a sweep of another process
// leaves alone, and when all have ended one sweep leaves nothing.
func TestSparesFail(t *testing.T) {
	for n := 0; ; n++ {
		f := &vfstest.Fault{At: n / 2, After: n%2 == 0, Reads: true}
		dir := vfstest.NewDisk(vfstest.Journal).Root()
		if err := Create(dir); err != nil {
			t.Fatal(err)
		}
		other := open(t, dir)
		h, err := Open(f.Wrap(dir))
		for i := 0; err == nil && i < 3; i++ {
			if s, err := h.Begin(NewID(time.Now()), i); err == nil {
				if _, err := other.Sweep(neverCommitted); err != nil {
					t.Error(err)
				}
				if is, err := other.staging.Stat(s.name); err != nil || is.Links == 0 {
					t.Errorf("fault %d: the marker of a living one is swept: %v", n, err)
				}
				s.End()
			}
		}
		if err == nil {
			h.Close()
		}
		if _, err := other.Sweep(neverCommitted); err != nil {
			t.Error(err)
		}
		names(t, other, fmt.Sprint("fault ", n))
		if !f.Fired() {
			break
		}
	}
}

func open(t *testing.T, dir vfs.Dir) *History {
	t.Helper()
	h, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func neverCommitted([]string) (func(string) TxState, error) {
	return func(string) TxState { return NeverCommitted }, nil
}

func sweep(t *testing.T, h *History) {
	t.Helper()
	swept, err := h.Sweep(func(txs []string) (func(string) TxState, error) { return nil, fmt.Errorf("asked about %q", txs) })
	if err != nil || len(swept) > 0 {
		t.Errorf("swept %q, %v", swept, err)
	}
}

// names checks what the names in the staging directory begin with.
func names(t *testing.T, h *History, when string, want ...string) {
	t.Helper()
	got, err := h.staging.Names()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// However many processes died, the log is asked once about every 64 of them, and never when there are none.
func TestSweepAsksAboutManyAtOnce(t *testing.T) {
	dir := vfstest.NewDisk(vfstest.Journal).Root()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	live, err := open(t, dir).Begin("live", 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		for _, part := range []string{"gone", "ended", "pending"} {
			f, err := h.staging.Create(fmt.Sprintf("%s%d+1", part, i), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
	asked := 0
	states := func([]string) (func(string) TxState, error) {
		asked++
		return func(tx string) TxState {
			return map[byte]TxState{'g': NeverCommitted, 'e': Ended, 'p': Pending}[tx[0]]
		}, nil
	}
	swept, err := h.Sweep(states)
	if err != nil || len(swept) != 100 || asked > 5 {
		t.Errorf("swept %d, asked %d times, %v", len(swept), asked, err)
	}
	all, err := h.staging.Names()
	if err != nil || len(all) != 101 || !slices.Contains(all, live.name) {
		t.Errorf("%d markers are left: %v", len(all), err)
	}
}
