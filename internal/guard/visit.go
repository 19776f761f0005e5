package guard

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// Visit is one call's use of a guard, for calls that name many paths. What one path has shown is not asked again for the
// next: a directory is resolved from the root once and held open, and what is protected under other names is looked for
// once. [Visit.Again] then shows whether all that still holds, so that the last path is judged by nothing older than it
// would be by itself. Close it when done. It may be used by several goroutines at once.
type Visit struct {
	g    *Guard
	dirs *held

	mu     sync.Mutex
	looks  int                   // at how many paths
	marks  map[string][]landmark // by directory, what .git is there; by "", all that is known at the root
	twins  map[string][]twin     // by directory, the protected files in it
	seen   []*judged
	at     map[string]*judged // the same by the directory's names
	linked []linked           // files with several names
}

// judged is a directory that paths were judged in.
type judged struct {
	names []string
	chain []Identity // itself, and those above it
	looks int
}

// Visit begins one.
func (g *Guard) Visit() *Visit {
	return &Visit{g: g, dirs: &held{tree: g.tree, dirs: map[string]*heldDir{}}, marks: map[string][]landmark{},
		twins: map[string][]twin{}, at: map[string]*judged{}}
}

// Close lets go of the directories.
func (v *Visit) Close() { v.dirs.drop() }

// Content is what a file had when it was read, or why it could not be.
type Content struct {
	Data, Sum string
	Err       error
}

// Fetch is Look, and Load of a regular file of at most so many bytes; of anything else the content is nil.
func (v *Visit) Fetch(ctx context.Context, path string, a Ask, most int64) (Entry, *Content, error) {
	e, err := v.Look(path, a)
	if err != nil || e.Kind != Regular || e.Size > most {
		return e, nil, err
	}
	var c Content
	c.Data, c.Sum, c.Err = v.load(ctx, e, true)
	c.Err = explain(e.Rel, c.Err)
	return e, &c, nil
}

// note remembers where a path was judged.
func (v *Visit) note(names []string, chain []Identity) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := strings.Join(names, "/")
	j := v.at[key]
	if j == nil {
		j = &judged{names: slices.Clone(names), chain: chain}
		v.at[key] = j
		v.seen = append(v.seen, j)
	}
	j.looks++
}
