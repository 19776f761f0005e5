package commit

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowDir is a directory whose sync takes a second. The syncs fail with errs, one after the other.
type slowDir struct {
	errs []error
	n    atomic.Int64
}

func (d *slowDir) Sync() error {
	i := d.n.Add(1) - 1
	time.Sleep(time.Second)
	return d.errs[i]
}

// Who asks for a sync gets one that began afterwards, and its error; those who wait share it.
func TestSharedSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := errors.New("the second sync")
		d := &slowDir{errs: []error{nil, late, nil}}
		var s sharedSync
		type answer struct {
			err  error
			took time.Duration
		}
		answers := make([]answer, 10)
		begin := time.Now()
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Millisecond) // the first one begins at once, the others during its sync
				err := s.sync(d.Sync)
				answers[i] = answer{err, time.Since(begin)}
			})
		}
		wg.Wait()
		for i, a := range answers {
			want := answer{late, 2 * time.Second}
			if i == 0 {
				want = answer{nil, time.Second}
			}
			if a != want {
				t.Errorf("caller %d: %v, want %v", i, a, want)
			}
		}
		begin = time.Now()
		if err := s.sync(d.Sync); err != nil || time.Since(begin) != time.Second || d.n.Load() != 3 {
			t.Errorf("alone: %v after %v, %d syncs", err, time.Since(begin), d.n.Load())
		}
	})
}
