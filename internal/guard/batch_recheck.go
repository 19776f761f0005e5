package guard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// Recheck looks once more at the facts that were used for several paths, now that all of them were checked. If a directory is
// another one by now, or has become protected, the error is [fail.Stale]: checked alone, a later path might have been
// refused.
func (b *Batch) Recheck() error {
	seen, links := b.toRecheck()
	now := b.g.NewBatch()
	defer now.Close()
	for _, j := range seen {
		if err := b.recheckDir(now, j); err != nil {
			return asRefusal(strings.Join(j.names, "/"), err)
		}
	}
	if b.rootSeen && len(now.rootRepository()) > len(b.rootIs) {
		return refuseBecameProtected(nil, now.rootIs[0])
	}
	for _, l := range links {
		w := &pathWalk{guard: b.g, batch: now, path: l.path, resolved: l.dir, asked: l.asked}
		if err := w.compareWithProtected(l.id); err != nil {
			return err
		}
	}
	return nil
}

// toRecheck returns what must still be true: nothing if only one path was resolved.
func (b *Batch) toRecheck() (seen []judgedDir, links []hardLinkedFile) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lookups < 2 {
		return nil, nil
	}
	for _, j := range b.judged {
		seen = append(seen, *j)
	}
	return seen, b.hardLinks
}

// recheckDir looks at one directory again. If only one path was checked in it, no other path relied on it, but some may have
// relied on the directories above it.
func (b *Batch) recheckDir(now *Batch, j judgedDir) error {
	asked := j.names
	if j.lookups > 1 {
		if err := now.checkSameDir(j); err != nil {
			return err
		}
	} else if len(asked) > 0 {
		asked, _ = splitLast(asked)
	}
	before := b.protectedOnWay(j.names, j.ancestors)
	for hit, l := range now.protectedOnWay(asked, j.ancestors) {
		if _, ok := before[hit]; !ok {
			return refuseBecameProtected(j.names, l)
		}
	}
	return nil
}

// checkSameDir checks that the names lead to the directory that they led to.
func (b *Batch) checkSameDir(j judgedDir) error {
	h, err := b.cache.openDir(j.names)
	if err != nil {
		return errMoved
	}
	defer h.close()
	chain, err := h.ancestors(len(j.names))
	if err == nil && !slices.Equal(chain, j.ancestors) {
		err = errMoved
	}
	return err
}

// protectedOnWay returns the protected directories on a way, by their identity and the names that protect them.
func (b *Batch) protectedOnWay(names []string, chain []Identity) map[string]protectedDir {
	var out map[string]protectedDir
	for _, l := range b.protectedDirs(names) {
		if len(l.ruleNames) == 0 || slices.Contains(chain, l.identity) {
			if out == nil {
				out = map[string]protectedDir{}
			}
			out[fmt.Sprint(l.identity, l.ruleNames)] = l
		}
	}
	return out
}

func refuseBecameProtected(names []string, l protectedDir) error {
	path := cmp.Or(strings.Join(names, "/"), ".")
	return &fail.Error{Kind: fail.Stale, Path: path, Msg: fmt.Sprintf("%s leads to it since a moment ago, and is protected from %s by the rule %q (%s)",
		fail.Quote(cmp.Or(strings.Join(l.ruleNames, "/"), ".")), l.rule.protects, l.rule.pattern, l.rule.why), Hint: "Look at the path again."}
}
