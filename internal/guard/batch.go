package guard

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// Visit is one call's use of a guard, for calls that name many paths. What one path has shown is not asked again for the
// next: a directory is resolved from the root once and held open, and what is protected under other names is looked for
// once. [Batch.Recheck] then shows whether all that still holds, so that the last path is judged by nothing older than it
// would be by itself. Close it when done. It may be used by several goroutines at once.
type Batch struct {
	g    *Guard
	dirs *dirCache

	mu               sync.Mutex
	lookups          int                        // at how many paths
	protectedDirsIn  map[string][]protectedDir  // by directory, what .git is there; by "", all that is known at the root
	protectedFilesIn map[string][]protectedFile // by directory, the protected files in it
	judged           []*judgedDir
	judgedByPath     map[string]*judgedDir // the same by the directory's names
	hardLinks        []hardLinkedFile      // files with several names
}

// judged is a directory that paths were judged in.
type judgedDir struct {
	names     []string
	ancestors []Identity // itself, and those above it
	lookups   int
}

// Visit begins one.
func (g *Guard) NewBatch() *Batch {
	return &Batch{g: g, dirs: &dirCache{tree: g.tree, dirs: map[string]*cachedDir{}}, protectedDirsIn: map[string][]protectedDir{},
		protectedFilesIn: map[string][]protectedFile{}, judgedByPath: map[string]*judgedDir{}}
}

// Close lets go of the directories.
func (v *Batch) Close() { v.dirs.clear() }

// Content is what a file had when it was read, or why it could not be.
type Content struct {
	Data, Sum string
	Err       error
}

// Fetch is Look, and Load of a regular file of at most so many bytes; of anything else the content is nil.
func (v *Batch) Fetch(ctx context.Context, path string, a Request, most int64) (Entry, *Content, error) {
	e, err := v.Resolve(path, a)
	if err != nil || e.Kind != Regular || e.Size > most {
		return e, nil, err
	}
	var c Content
	c.Data, c.Sum, c.Err = v.load(ctx, e, true)
	c.Err = asRefusal(e.Rel, c.Err)
	return e, &c, nil
}

// note remembers where a path was judged.
func (v *Batch) noteDir(names []string, chain []Identity) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := strings.Join(names, "/")
	j := v.judgedByPath[key]
	if j == nil {
		j = &judgedDir{names: slices.Clone(names), ancestors: chain}
		v.judgedByPath[key] = j
		v.judged = append(v.judged, j)
	}
	j.lookups++
}
