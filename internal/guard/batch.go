package guard

import (
	"slices"
	"strings"
	"sync"
)

// Batch is one call's use of a guard, for a call that names many paths. It resolves a directory once and holds it open, and
// looks once for what is protected under other names, whatever the number of paths. [Batch.Recheck] then reports whether all
// that still holds, so that the last path is not checked against older facts than if it had been alone. Close it when done.
// It may be used by several goroutines at once.
type Batch struct {
	g     *Guard
	cache *dirCache

	mu               sync.Mutex
	lookups          int                        // how many paths were resolved
	protectedDirsIn  map[string][]protectedDir  // by directory, what its .git is; by "", all that is known at the root
	protectedFilesIn map[string][]protectedFile // by directory and rule names
	rootSeen         bool                       // rootIs is set
	rootIs           []protectedDir             // the root, if it is a repository
	judged           []*judgedDir
	judgedByPath     map[string]*judgedDir // the same directories, by their names
	hardLinks        []hardLinkedFile      // the resolved files with several names
}

// judgedDir is a directory in which paths were checked.
type judgedDir struct {
	names     []string
	ancestors []Identity // itself, and the directories above it
	lookups   int
}

// NewBatch returns an empty batch.
func (g *Guard) NewBatch() *Batch {
	return &Batch{g: g, cache: &dirCache{tree: g.tree, dirs: map[string]*cachedDir{}}, protectedDirsIn: map[string][]protectedDir{},
		protectedFilesIn: map[string][]protectedFile{}, judgedByPath: map[string]*judgedDir{}}
}

// Close closes the directories.
func (b *Batch) Close() { b.cache.clear() }

// noteDir remembers a directory in which a path was checked.
func (b *Batch) noteDir(names []string, chain []Identity) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.Join(names, "/")
	j := b.judgedByPath[key]
	if j == nil {
		j = &judgedDir{names: slices.Clone(names), ancestors: chain}
		b.judgedByPath[key] = j
		b.judged = append(b.judged, j)
	}
	j.lookups++
}

// maxAttempts is how often a path is resolved again because directories or links changed meanwhile.
const maxAttempts = 16

// location is a directory: its names from the root, none of them a link, and its identity.
type location struct {
	names    []string
	identity Identity
}

// protectedDir is a protected directory, and the names by which a rule protects it. It has none if it is the root, as a
// repository.
type protectedDir struct {
	location
	rule      *rule
	ruleNames []string
}

// protectedFile is a protected file, and the names by which a rule protects it.
type protectedFile struct {
	identity  Identity
	ruleNames []string
	rule      *rule
	depth     int
}

// hardLinkedFile is a file with several names that was checked.
type hardLinkedFile struct {
	path  string
	dir   []string
	id    Identity
	asked *AskedPaths
}
