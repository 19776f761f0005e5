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
func (v *Visit) Again() error {
	seen, links := v.taken()
	now := v.g.Visit()
	defer now.Close()
	for _, j := range seen {
		if err := v.compare(now, j); err != nil {
			return explain(strings.Join(j.names, "/"), err)
		}
	}
	for _, l := range links {
		w := &walk{g: v.g, v: now, path: l.path, done: l.done, asks: l.asks}
		if err := w.checkTwins(l.file); err != nil {
			return err
		}
	}
	return nil
}

// taken is what must still be so: nothing, where only one path was looked at.
func (v *Visit) taken() (seen []judged, links []linked) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.looks < 2 {
		return nil, nil
	}
	for _, j := range v.seen {
		seen = append(seen, *j)
	}
	return seen, v.linked
}

// compare looks at one directory. What only one path has met there, nothing was taken from; but for what is above it.
func (v *Visit) compare(now *Visit, j judged) error {
	asked := j.names
	if j.looks > 1 {
		if err := now.same(j); err != nil {
			return err
		}
	} else if len(asked) > 0 {
		asked, _ = cutLast(asked)
	}
	before := v.hits(j.names, j.chain)
	for hit, l := range now.hits(asked, j.chain) {
		if _, ok := before[hit]; !ok {
			return becameProtected(j.names, l)
		}
	}
	return nil
}

// same checks that the names lead to the directory that they led to.
func (v *Visit) same(j judged) error {
	h, err := v.dirs.dir(j.names)
	if err != nil {
		return errMoved
	}
	defer h.close()
	chain, err := h.chain(len(j.names))
	if err == nil && !slices.Equal(chain, j.chain) {
		err = errMoved
	}
	return err
}

// hits are the landmarks on a way, by which they are and what protects them.
func (v *Visit) hits(names []string, chain []Identity) map[string]landmark {
	var out map[string]landmark
	for _, l := range v.landmarks(names) {
		if slices.Contains(chain, l.id) {
			if out == nil {
				out = map[string]landmark{}
			}
			out[fmt.Sprint(l.id, l.names)] = l
		}
	}
	return out
}

func becameProtected(names []string, l landmark) error {
	path := strings.Join(names, "/")
	return &fail.Error{Kind: fail.Stale, Path: path, Msg: fmt.Sprintf("%s leads to it since a moment ago, and is protected from %s by the rule %q (%s)",
		fail.Quote(strings.Join(l.names, "/")), l.rule.from, l.rule.pattern, l.rule.what), Hint: "Look at the path again."}
}
