package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// checkFor returns a function that refuses names which a rule protects and nobody allowed. Names that a person is to be asked
// about go to asks. A nil asks refuses them.
func (g *Guard) checkFor(path string, write bool, asks *AskedPaths) func([]string) error {
	return g.checkBelow("", path, write, asks)
}

// checkBelow is checkFor for a path below a directory as in [Request.Generated].
func (g *Guard) checkBelow(generated, path string, write bool, asks *AskedPaths) func([]string) error {
	from := reading
	if write {
		from = writing
	}
	return func(names []string) error {
		r, depth := findRule(names, from)
		if n := len(splitNames(generated)); generated != "" && depth > n {
			if r, depth = findRule(names[:n], from); r == nil {
				r, depth = findRuleOf(ownFiles, names, from)
			}
		}
		if (r == nil || r.level == ask) && g.inStore(names) {
			r, depth = storeRule, len(g.storeNames)
		}
		return g.decide(path, names, write, asks, r, depth)
	}
}

// decide is checkFor for names that the rule r protects by their first depth names; nil for no rule. It is the one order of all
// rules: deny, ask and allow of the policy, then what a person allowed for this run, then the built-in rule.
func (g *Guard) decide(path string, names []string, write bool, asks *AskedPaths, r *rule, depth int) error {
	switch v, rule := g.policy.verdictOn(names, write); {
	case v == ask && asks.canAsk():
		asks.add(api.AskedPath{Path: strings.Join(names, "/"), Write: write, Rule: rule})
		return nil
	case v == deny || v == ask:
		return refusePolicy(path, names, v, rule)
	case v == allow || r == nil || g.allowed(names):
		return nil
	case r.level == ask && (asks.canAsk() || asks != nil && g.AllowsUnasked()):
		asks.add(api.AskedPath{Path: strings.Join(names, "/"), Write: write, Rule: r.pattern, BuiltIn: true, Why: r.why})
		return nil
	}
	return refuseProtected(path, names, depth, r)
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
	format := "%s is protected from %s by the rule %q (%s)"
	if r.level == ask {
		format = "%s is protected from %s without approval by the rule %q (%s), and nobody is there to approve"
	}
	return &fail.Error{Kind: fail.PermissionDenied, Path: path,
		Msg:  fmt.Sprintf(format, fail.Quote(strings.Join(names, "/")), r.protects, r.pattern, r.why),
		Hint: fmt.Sprintf("With ‹option allow-protected› %q a person can allow it.", patternBelow(names[:depth]))}
}

// AllowsUnasked reports whether a built-in rule that asks lets a call pass that can ask nobody.
func (g *Guard) AllowsUnasked() bool { return g.policy == nil || !g.policy.denyUnasked }

// HasAskRules reports whether the policy has rules to ask a person.
func (g *Guard) HasAskRules() bool {
	return g.policy != nil && len(g.policy.read.ask)+len(g.policy.write.ask) > 0
}

// CheckRead refuses a path that may not be read, whether or not it exists.
func (g *Guard) CheckRead(rel string) error { return g.CheckReadAsking(rel, nil) }

// CheckGenerated refuses a path that may not be written, by its names alone: it comes or goes with a whole directory that was
// resolved itself, so that no link leads there. The rest of the request is as in [Guard.Resolve].
func (g *Guard) CheckGenerated(rel string, a Request) error {
	names := splitNames(rel)
	if len(names) > g.maxDepth {
		return g.refuseTooDeep(rel)
	}
	return g.checkBelow(a.Generated, rel, true, a.Asked)(names)
}

// CheckReadAsking is CheckRead for a call that can ask a person (see [Request.Asked]).
func (g *Guard) CheckReadAsking(rel string, asks *AskedPaths) error {
	return g.checkFor(rel, false, asks)(splitNames(rel))
}
