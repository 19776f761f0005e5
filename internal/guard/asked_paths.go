package guard

import (
	"slices"
	"strings"
	"sync"

	"github.com/emend-dev/emend/api"
)

// Asked is a path that nobody may touch before a person was asked, as a policy says.
type Asked = api.AskedPath

// Asks collects what a person is to be asked about in one call.
type Asks struct {
	mu   sync.Mutex
	list []Asked
}

func (a *Asks) add(names []string, write bool, rule string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if one := (Asked{Path: strings.Join(names, "/"), Write: write, Rule: rule}); !slices.Contains(a.list, one) {
		a.list = append(a.list, one)
	}
}

// List is what was collected, in the order in which it was met; nothing for nil.
func (a *Asks) List() []Asked {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.list)
}
