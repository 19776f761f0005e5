package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// Again looks once more at what the visit took from one path for another, now that all of them were judged. A directory
// that is another one by now, and one that has become protected, is [fail.Stale]: judged by itself, a later path might
// have been refused.
func (v *Batch) Recheck() error {
	seen, links := v.toRecheck()
	now := v.g.NewBatch()
	defer now.Close()
	for _, j := range seen {
		if err := v.recheckDir(now, j); err != nil {
			return asRefusal(strings.Join(j.names, "/"), err)
		}
	}
	for _, l := range links {
		w := &pathWalk{g: v.g, v: now, path: l.path, resolved: l.dir, asked: l.asked}
		if err := w.compareWithProtected(l.openRegular); err != nil {
			return err
		}
	}
	return nil
}

// taken is what must still be so: nothing, where only one path was looked at.
func (v *Batch) toRecheck() (seen []judgedDir, links []hardLinkedFile) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lookups < 2 {
		return nil, nil
	}
	for _, j := range v.judged {
		seen = append(seen, *j)
	}
	return seen, v.hardLinks
}

// compare looks at one directory. What only one path has met there, nothing was taken from; but for what is above it.
func (v *Batch) recheckDir(now *Batch, j judgedDir) error {
	asked := j.names
	if j.lookups > 1 {
		if err := now.checkSameDir(j); err != nil {
			return err
		}
	} else if len(asked) > 0 {
		asked, _ = splitLast(asked)
	}
	before := v.protectedOnWay(j.names, j.ancestors)
	for hit, l := range now.protectedOnWay(asked, j.ancestors) {
		if _, ok := before[hit]; !ok {
			return refuseBecameProtected(j.names, l)
		}
	}
	return nil
}

// same checks that the names lead to the directory that they led to.
func (v *Batch) checkSameDir(j judgedDir) error {
	h, err := v.dirs.openDir(j.names)
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

// hits are the landmarks on a way, by which they are and what protects them.
func (v *Batch) protectedOnWay(names []string, chain []Identity) map[string]protectedDir {
	var out map[string]protectedDir
	for _, l := range v.protectedDirs(names) {
		if slices.Contains(chain, l.identity) {
			if out == nil {
				out = map[string]protectedDir{}
			}
			out[fmt.Sprint(l.identity, l.ruleNames)] = l
		}
	}
	return out
}

func refuseBecameProtected(names []string, l protectedDir) error {
	path := strings.Join(names, "/")
	return &fail.Error{Kind: fail.Stale, Path: path, Msg: fmt.Sprintf("%s leads to it since a moment ago, and is protected from %s by the rule %q (%s)",
		fail.Quote(strings.Join(l.ruleNames, "/")), l.rule.protects, l.rule.pattern, l.rule.why), Hint: "Look at the path again."}
}
