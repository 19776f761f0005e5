package guard

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/emend-dev/emend/api"
)

// AskedPaths collects the paths that a person is asked about in one call. The zero value is that of a call which can ask
// nobody: it has only paths of built-in rules, and only if such calls pass (see [Guard.AllowsUnasked]).
type AskedPaths struct {
	CanAsk bool // the call can ask a person

	mu   sync.Mutex
	list []api.AskedPath
}

func (a *AskedPaths) canAsk() bool { return a != nil && a.CanAsk }

func (a *AskedPaths) add(one api.AskedPath) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.list, one) {
		a.list = append(a.list, one)
	}
}

// List returns the collected paths, sorted: the files of a patch are looked up by several goroutines. It returns none for nil.
func (a *AskedPaths) List() []api.AskedPath {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	out := slices.Clone(a.list)
	slices.SortFunc(out, func(x, y api.AskedPath) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), compareBool(x.Write, y.Write), strings.Compare(x.Rule, y.Rule))
	})
	return out
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}
