package guard

import "strings"

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

// rule protects everything of one name, and everything below, wherever in the tree.
type rule struct {
	pattern string // names as [fold] leaves them; each may have one star
	from    access
	what    string
	except  string // a name that the pattern does not mean
	// landmark: a directory of this name at the root is known by device and inode too.
	landmark bool
}

// rules are what is protected unless a person opens it. The first that matches names the refusal.
var rules = []rule{
	{pattern: ".env*", from: reading | writing, what: "environment with secrets", except: ".env.example"},
	{pattern: "*.pem", from: reading | writing, what: "key or certificate"},
	{pattern: "*.key", from: reading | writing, what: "private key"},
	{pattern: "id_rsa*", from: reading | writing, what: "private key"},
	{pattern: ".netrc", from: reading | writing, what: "passwords"},

	{pattern: ".git", from: writing, what: "git repository", landmark: true},
	{pattern: ".hg", from: writing, what: "Mercurial repository", landmark: true},
	{pattern: ".svn", from: writing, what: "Subversion working copy", landmark: true},
	{pattern: ".jj", from: writing, what: "Jujutsu repository", landmark: true},
	// What a store keeps was in any file, also in those that may not be read.
	{pattern: ".emend", from: reading | writing, what: "emend's own store", landmark: true},
	{pattern: ".git/emend", from: reading | writing, what: "emend's own store"},

	{pattern: ".vscode", from: writing, what: "editor settings that run commands", landmark: true},
	{pattern: ".idea", from: writing, what: "editor settings that run commands", landmark: true},
	{pattern: ".cursor", from: writing, what: "agent settings", landmark: true},
	{pattern: ".claude", from: writing, what: "agent settings", landmark: true},
	{pattern: ".codex", from: writing, what: "agent settings", landmark: true},
	{pattern: ".gemini", from: writing, what: "agent settings", landmark: true},
	{pattern: ".opencode", from: writing, what: "agent settings", landmark: true},
	{pattern: ".zed", from: writing, what: "editor settings that run commands", landmark: true},
	{pattern: ".agents", from: writing, what: "agent settings", landmark: true},
	// With the copies that emend setup makes of them, and puts back.
	{pattern: ".mcp.json*", from: writing, what: "agent settings"},
	{pattern: "opencode.json*", from: writing, what: "agent settings"},
	{pattern: "mcp.json", from: writing, what: "agent settings"},
	{pattern: ".claude.json", from: writing, what: "agent settings"},
	{pattern: ".cursorrules", from: writing, what: "agent settings"},

	{pattern: ".husky", from: writing, what: "git hooks", landmark: true},
	{pattern: ".devcontainer", from: writing, what: "container that runs commands", landmark: true},
	{pattern: ".github/workflows", from: writing, what: "workflows that run commands", landmark: true},
	{pattern: ".envrc", from: writing, what: "shell settings"},
	{pattern: ".npmrc", from: writing, what: "package manager settings"},
	{pattern: ".yarnrc*", from: writing, what: "package manager settings"},
	{pattern: ".gitconfig", from: writing, what: "git settings"},
	{pattern: ".gitmodules", from: writing, what: "git settings"},
	{pattern: ".pre-commit-config.yaml", from: writing, what: "git hooks"},
}

// storeRule is what protects a store that has a name of its own.
var storeRule = &rule{pattern: "the store", from: reading | writing, what: "emend's own store"}

// find returns the first rule that protects the path, and how many of its names lead to what is protected.
func find(names []string, from access) (r *rule, depth int) {
	folded := make([]string, 0, 16) // most paths have fewer names, and then it is on the stack
	for _, name := range names {
		folded = append(folded, fold(name))
	}
	for i := range rules {
		if r := &rules[i]; r.from&from != 0 {
			if depth := r.match(parts[i], folded); depth > 0 {
				return r, depth
			}
		}
	}
	return nil, 0
}

// match returns how many of names lead to what the rule protects, 0 when it does not concern them. parts are the names
// of its pattern, one or two.
func (r *rule) match(parts []nameRule, names []string) int {
	for i, name := range names {
		switch {
		case !parts[0].match(name) || name == r.except:
		case len(parts) == 1:
			return i + 1
		case i+1 < len(names) && parts[1].match(names[i+1]):
			return i + 2
		}
	}
	return 0
}

// parts are the names of each rule's pattern.
var parts = func() [][]nameRule {
	out := make([][]nameRule, len(rules))
	for i := range rules {
		for pattern := range strings.SplitSeq(rules[i].pattern, "/") {
			var r nameRule
			r.before, r.after, r.star = strings.Cut(pattern, "*")
			out[i] = append(out[i], r)
		}
	}
	return out
}()

// nameRule is one name of a rule's pattern, cut at its star if it has one.
type nameRule struct {
	before, after string
	star          bool
}

func (r *nameRule) match(name string) bool {
	if !r.star {
		return name == r.before
	}
	return len(name) >= len(r.before)+len(r.after) && strings.HasPrefix(name, r.before) && strings.HasSuffix(name, r.after)
}
