package guard

import (
	"slices"
	"strings"
)

// access is what a rule protects from.
type access uint8

const (
	writing access = 1 << iota
	reading
)

func (a access) String() string {
	if a&reading != 0 {
		return "reading and writing"
	}
	return "writing"
}

// ruleReason groups the built-in rules by what is at stake.
type ruleReason string

const (
	holdsSecrets ruleReason = "holds secrets"
	ownFiles     ruleReason = "repositories and the store"
	runsCode     ruleReason = "runs code"
	steersAgents ruleReason = "steers agents"
)

// ruleRow is a row of the table of built-in rules: see [ruleTable].
type ruleRow struct {
	reason   ruleReason
	level    verdict // deny or ask
	protects access
	// patterns, separated by spaces, each protect every file or directory of one name, anywhere in the tree, and everything
	// below it. A pattern may have several names, with a slash between them, and one star in each; "**" between two names
	// stands for any number of names. One that ends with a slash
	// is the name of a directory, which is also recognised by device and inode if it is at the root.
	patterns string
	why      string
	source   string // what says so: a page, or the manual of the program
	except   string // names that the first name of a pattern does not match
}

// rule is one pattern of a row.
type rule struct {
	*ruleRow
	pattern   string        // as the row has it, without the slash at its end
	names     []namePattern // its names, as [fold] returns them
	exceptAs  []namePattern
	order     int // its place in builtinRules
	knownByID bool
}

// builtinRules protect paths unless a person allows them. Of those that match a path, one that denies comes before one that
// asks, then the first in the table: this one is named in the refusal.
var builtinRules = compileRules(ruleTable)

func compileRules(table []ruleRow) []rule {
	patterns := 0
	for i := range table {
		patterns += len(strings.Fields(table[i].patterns))
	}
	out := make([]rule, 0, patterns) // not grown: every process does this
	for i := range table {
		row := &table[i]
		for text := range strings.FieldsSeq(row.patterns) {
			pattern, dir := strings.CutSuffix(text, "/")
			r := rule{ruleRow: row, pattern: pattern, order: len(out), knownByID: dir}
			for name := range strings.SplitSeq(pattern, "/") {
				r.names = append(r.names, newNamePattern(name))
			}
			for name := range strings.FieldsSeq(row.except) {
				r.exceptAs = append(r.exceptAs, newNamePattern(name))
			}
			out = append(out, r)
		}
	}
	return out
}

// rulesByName are the rules whose first name has no star, by that name, and rulesWithStar the others.
var rulesByName, rulesWithStar = func() (byName map[string][]*rule, withStar []*rule) {
	byName = make(map[string][]*rule, len(builtinRules))
	for i := range builtinRules {
		r := &builtinRules[i]
		if first := r.names[0]; first.star {
			withStar = append(withStar, r)
		} else {
			byName[first.before] = append(byName[first.before], r)
		}
	}
	return byName, withStar
}()

// storeRule protects a store with a name of its own.
var storeRule = &rule{ruleRow: &ruleRow{reason: ownFiles, level: deny, protects: reading | writing, why: "emend's own store"}, pattern: "the store"}

// findRule returns the rule that protects the path, and how many of its names lead to the protected file or directory.
func findRule(names []string, from access) (best *rule, depth int) {
	return findRuleOf("", names, from)
}

// findRuleOf is findRule among the rules of one reason, "" for all.
func findRuleOf(reason ruleReason, names []string, from access) (best *rule, depth int) {
	folded := make([]string, 0, 16) // most paths have fewer names, so that this stays on the stack
	for _, name := range names {
		folded = append(folded, fold(name))
	}
	for i, name := range folded {
		for _, some := range [2][]*rule{rulesByName[name], rulesWithStar} {
			for _, r := range some {
				if r.protects&from == 0 || reason != "" && r.reason != reason || !r.before(best) {
					continue
				}
				if n := r.match(folded[i:]); n > 0 {
					best, depth = r, i+n
				}
			}
		}
	}
	return best, depth
}

// before reports whether r decides about a path that both rules match.
func (r *rule) before(other *rule) bool {
	switch {
	case other == nil:
		return true
	case r.level != other.level:
		return r.level == deny
	}
	return r.order < other.order
}

// match returns how many of the names lead to what the rule protects, 0 if they do not begin with those of the rule.
func (r *rule) match(names []string) int {
	if slices.ContainsFunc(r.exceptAs, func(p namePattern) bool { return p.match(names[0]) }) {
		return 0
	}
	return matchNames(r.names, names)
}

func matchNames(patterns []namePattern, names []string) int {
	for i := range patterns {
		if patterns[i].anyNames {
			for from := i; from < len(names); from++ {
				if n := matchNames(patterns[i+1:], names[from:]); n > 0 {
					return from + n
				}
			}
			return 0
		}
		if i >= len(names) || !patterns[i].match(names[i]) {
			return 0
		}
	}
	return len(patterns)
}

// namePattern is one name of a rule's pattern, cut at its star if it has one.
type namePattern struct {
	before, after string
	star          bool
	anyNames      bool // it is "**", and stands for any number of names
}

func newNamePattern(name string) namePattern {
	before, after, star := strings.Cut(name, "*")
	return namePattern{fold(before), fold(after), star, name == "**"}
}

func (r *namePattern) match(name string) bool {
	if !r.star {
		return name == r.before
	}
	return len(name) >= len(r.before)+len(r.after) && strings.HasPrefix(name, r.before) && strings.HasSuffix(name, r.after)
}
