package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// checkFor returns a function that refuses names which a rule protects and nobody allowed. If asks is not nil, it collects
// the names that the policy wants a person to be asked about, and does not refuse them.
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

// allowed reports whether [Options.AllowProtected] allows the path.
func (g *Guard) allowed(names []string) bool {
	return slices.ContainsFunc(g.allow, func(p pattern) bool { return p.match(names) })
}

func refuseProtected(path string, names []string, depth int, r *rule) error {
	return &fail.Error{Kind: fail.PermissionDenied, Path: path,
		Msg: fmt.Sprintf("%s is protected from %s by the rule %q (%s)",
			fail.Quote(strings.Join(names, "/")), r.protects, r.pattern, r.why),
		Hint: fmt.Sprintf("With --allow-protected %q a person can allow it.", patternBelow(names[:depth]))}
}

// HasAskRules reports whether the policy has rules to ask a person.
func (g *Guard) HasAskRules() bool {
	return g.policy != nil && len(g.policy.read.ask)+len(g.policy.write.ask) > 0
}

// CheckRead refuses a path that may not be read, whether or not it exists.
func (g *Guard) CheckRead(rel string) error { return g.CheckReadAsking(rel, nil) }

// CheckReadAsking is CheckRead for a call that can ask a person (see [Request.Asked]).
func (g *Guard) CheckReadAsking(rel string, asks *AskedPaths) error {
	return g.checkFor(rel, false, asks)(splitNames(rel))
}
