package guard

import (
	"slices"
	"strings"
)

// maxSiblings is how many names of a directory are looked at for a hint.
const maxSiblings = 4096

// Siblings returns the names in the directory of e that may be read, sorted, for a hint when e's own name does not exist. It
// returns none if the directory cannot be listed, and of a large directory only the first few thousand.
func (g *Guard) Siblings(e Entry) []string {
	names := splitNames(e.Rel)
	if len(names) == 0 {
		return nil
	}
	parent, _ := splitLast(names)
	h, err := reopenParent(g.tree, e, parent)
	if err != nil {
		return nil
	}
	defer h.close()
	all, err := h.list(maxSiblings)
	if err != nil {
		return nil
	}
	may := g.checkFor(e.Rel, false, nil)
	names = slices.DeleteFunc(all, func(name string) bool {
		return may(append(slices.Clip(parent), name)) != nil || strings.ContainsFunc(name, isInvisible)
	})
	slices.Sort(names)
	return names
}
