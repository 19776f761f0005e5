package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// judgeFor returns the judge of a path: it says no to names that a rule protects and nobody opened. With asks it lets
// pass what a person is to be asked about.
func (g *Guard) judgeFor(path string, write bool, asks *Asks) func([]string) error {
	from := reading
	if write {
		from = writing
	}
	return func(names []string) error {
		switch v, rule := g.policy.judge(names, write); {
		case v == ask && asks != nil:
			asks.add(names, write, rule)
			return nil
		case v == deny || v == ask:
			return refusePolicy(path, names, v, rule)
		case v == allow:
			return nil
		}
		r, depth := find(names, from)
		if r == nil && g.inStore(names) {
			r, depth = storeRule, len(g.hidden)
		}
		if r == nil || g.allowed(names) {
			return nil
		}
		return protected(path, names, depth, r)
	}
}

// inStore reports whether the path leads into a store with a name of its own.
func (g *Guard) inStore(names []string) bool {
	return len(g.hidden) > 0 && len(names) >= len(g.hidden) &&
		slices.EqualFunc(g.hidden, names[:len(g.hidden)], func(hidden, name string) bool { return hidden == fold(name) })
}

// allowed reports whether a person opened the path.
func (g *Guard) allowed(names []string) bool {
	return slices.ContainsFunc(g.allow, func(p pattern) bool { return p.match(names) })
}

// opened reports whether a person opened the path for writing, here or in the policy, or is asked to.
func (w *walk) opened(names []string) bool {
	if w.g.allowed(names) {
		return true
	}
	v, rule := w.g.policy.judge(names, true)
	if v == ask && w.asks != nil {
		w.asks.add(names, true, rule)
		return true
	}
	return v == allow
}

func protected(path string, names []string, depth int, r *rule) error {
	return &fail.Error{Kind: fail.PermissionDenied, Path: path,
		Msg: fmt.Sprintf("%s is protected from %s by the rule %q (%s)",
			fail.Quote(strings.Join(names, "/")), r.from, r.pattern, r.what),
		Hint: fmt.Sprintf("With --allow-protected %q a person can allow it.", strings.Join(names[:depth], "/"))}
}

// Asking reports whether the policy has anything that a person is to be asked about.
func (g *Guard) Asking() bool {
	return g.policy != nil && len(g.policy.read.ask)+len(g.policy.write.ask) > 0
}
