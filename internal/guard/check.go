package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// judgeFor returns the judge of a path: it says no to names that a rule protects and nobody opened. With asks it lets
// pass what a person is to be asked about.
func (g *Guard) checkFor(path string, write bool, asks *AskedPaths) func([]string) error {
	from := reading
	if write {
		from = writing
	}
	return func(names []string) error {
		switch v, rule := g.policy.verdictOn(names, write); {
		case v == ask && asks != nil:
			asks.add(names, write, rule)
			return nil
		case v == deny || v == ask:
			return refusePolicy(path, names, v, rule)
		case v == allow:
			return nil
		}
		r, depth := findRule(names, from)
		if r == nil && g.inStore(names) {
			r, depth = storeRule, len(g.storeNames)
		}
		if r == nil || g.allowed(names) {
			return nil
		}
		return refuseProtected(path, names, depth, r)
	}
}

// inStore reports whether the path leads into a store with a name of its own.
func (g *Guard) inStore(names []string) bool {
	return len(g.storeNames) > 0 && len(names) >= len(g.storeNames) &&
		slices.EqualFunc(g.storeNames, names[:len(g.storeNames)], func(hidden, name string) bool { return hidden == fold(name) })
}

// allowed reports whether a person opened the path.
func (g *Guard) allowed(names []string) bool {
	return slices.ContainsFunc(g.allow, func(p pattern) bool { return p.match(names) })
}

// opened reports whether a person opened the path for writing, here or in the policy, or is asked to.
func (w *pathWalk) mayWrite(names []string) bool {
	if w.g.allowed(names) {
		return true
	}
	v, rule := w.g.policy.verdictOn(names, true)
	if v == ask && w.asked != nil {
		w.asked.add(names, true, rule)
		return true
	}
	return v == allow
}

func refuseProtected(path string, names []string, depth int, r *rule) error {
	return &fail.Error{Kind: fail.PermissionDenied, Path: path,
		Msg: fmt.Sprintf("%s is protected from %s by the rule %q (%s)",
			fail.Quote(strings.Join(names, "/")), r.protects, r.pattern, r.why),
		Hint: fmt.Sprintf("With --allow-protected %q a person can allow it.", strings.Join(names[:depth], "/"))}
}

// Asking reports whether the policy has anything that a person is to be asked about.
func (g *Guard) HasAskRules() bool {
	return g.policy != nil && len(g.policy.read.ask)+len(g.policy.write.ask) > 0
}

// CheckRead says no when policy protects the path from reading, whether or not it exists.
func (g *Guard) CheckRead(rel string) error { return g.CheckReadAsking(rel, nil) }

// CheckReadAsking is CheckRead for a call whose person can be asked (see [Request.Asked]).
func (g *Guard) CheckReadAsking(rel string, asks *AskedPaths) error {
	return g.checkFor(rel, false, asks)(splitNames(rel))
}
