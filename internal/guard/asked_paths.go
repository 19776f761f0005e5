package guard

import (
	"slices"
	"strings"
	"sync"

	"github.com/emend-dev/emend/api"
)

// AskedPaths collects the paths that a person is asked about in one call.
type AskedPaths struct {
	mu   sync.Mutex
	list []api.AskedPath
}

func (a *AskedPaths) add(names []string, write bool, rule string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if one := (api.AskedPath{Path: strings.Join(names, "/"), Write: write, Rule: rule}); !slices.Contains(a.list, one) {
		a.list = append(a.list, one)
	}
}

// List returns the collected paths in the order in which they were met; none for nil.
func (a *AskedPaths) List() []api.AskedPath {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.list)
}
