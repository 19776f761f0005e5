package commit

import (
	"slices"
	"sync/atomic"

	"github.com/emend-dev/emend/internal/panics"
)

// parallel calls do for 0 to n-1, in order, from so many workers at once, until one call fails. It returns the error of
// the lowest number that failed: with any number of workers, that is the error that a single one finds. A panic of do is
// an error, a [panics.Value], so that the caller cleans up after it as after any other.
func parallel(n, hands int, do func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, n)
	work := func() {
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if errs[i] = panics.Call(func() error { return do(i) }); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	var wg panics.Group
	for range min(hands, n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return errs[i]
}
