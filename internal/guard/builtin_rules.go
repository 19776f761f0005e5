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

// rule protects every file or directory of one name, anywhere in the tree, and everything below it.
type rule struct {
	pattern  string // names as [fold] returns them; each may have one star
	protects access
	why      string
	except   string // a name that the pattern does not match
	// knownByID: a directory of this name at the root is also recognised by device and inode.
	knownByID bool
}

// builtinRules protect paths unless a person allows them. The first that matches is named in the refusal.
var builtinRules = []rule{
	{pattern: ".env*", protects: reading | writing, why: "environment with secrets", except: ".env.example"},
	{pattern: "*.pem", protects: reading | writing, why: "key or certificate"},
	{pattern: "*.key", protects: reading | writing, why: "private key"},
	{pattern: "id_rsa*", protects: reading | writing, why: "private key"},
	{pattern: ".netrc", protects: reading | writing, why: "passwords"},

	{pattern: ".git", protects: writing, why: "git repository", knownByID: true},
	{pattern: ".hg", protects: writing, why: "Mercurial repository", knownByID: true},
	{pattern: ".svn", protects: writing, why: "Subversion working copy", knownByID: true},
	{pattern: ".jj", protects: writing, why: "Jujutsu repository", knownByID: true},
	{pattern: ".sl", protects: writing, why: "Sapling repository", knownByID: true},
	{pattern: ".bzr", protects: writing, why: "Bazaar repository", knownByID: true},
	{pattern: "_darcs", protects: writing, why: "Darcs repository", knownByID: true},
	{pattern: ".pijul", protects: writing, why: "Pijul repository", knownByID: true},
	{pattern: "_svn", protects: writing, why: "Subversion working copy"},
	// A checkout's database, and the journal that is played back into it.
	{pattern: ".fslckout*", protects: writing, why: "Fossil checkout"},
	{pattern: "_fossil_*", protects: writing, why: "Fossil checkout"},
	{pattern: ".fos", protects: writing, why: "Fossil checkout"},
	{pattern: "cvs/root", protects: writing, why: "CVS working copy"},
	{pattern: "cvs/repository", protects: writing, why: "CVS working copy"},
	{pattern: "cvs/*.prog", protects: writing, why: "CVS working copy"},
	{pattern: "cvsroot", protects: writing, why: "CVS repository"},
	{pattern: ".repo", protects: writing, why: "checkout of repo, which has its program", knownByID: true},
	{pattern: ".gclient*", protects: writing, why: "checkout of gclient, which runs it"},
	{pattern: ".hgsub", protects: writing, why: "Mercurial settings"},
	// A store keeps the content of any file, also of those that may not be read.
	{pattern: ".emend", protects: reading | writing, why: "emend's own store", knownByID: true},
	{pattern: ".git/emend", protects: reading | writing, why: "emend's own store"},

	{pattern: ".vscode", protects: writing, why: "editor settings that run commands", knownByID: true},
	{pattern: ".idea", protects: writing, why: "editor settings that run commands", knownByID: true},
	{pattern: ".cursor", protects: writing, why: "agent settings", knownByID: true},
	{pattern: ".claude", protects: writing, why: "agent settings", knownByID: true},
	{pattern: ".codex", protects: writing, why: "agent settings", knownByID: true},
	{pattern: ".gemini", protects: writing, why: "agent settings", knownByID: true},
	{pattern: ".opencode", protects: writing, why: "agent settings", knownByID: true},
	{pattern: ".zed", protects: writing, why: "editor settings that run commands", knownByID: true},
	{pattern: ".agents", protects: writing, why: "agent settings", knownByID: true},
	// The star includes the copies that emend setup makes and restores.
	{pattern: ".mcp.json*", protects: writing, why: "agent settings"},
	{pattern: "opencode.json*", protects: writing, why: "agent settings"},
	{pattern: "mcp.json", protects: writing, why: "agent settings"},
	{pattern: ".claude.json", protects: writing, why: "agent settings"},
	{pattern: ".cursorrules", protects: writing, why: "agent settings"},

	{pattern: ".husky", protects: writing, why: "git hooks", knownByID: true},
	{pattern: ".devcontainer", protects: writing, why: "container that runs commands", knownByID: true},
	{pattern: ".github/workflows", protects: writing, why: "workflows that run commands", knownByID: true},
	{pattern: ".envrc", protects: writing, why: "shell settings"},
	{pattern: ".npmrc", protects: writing, why: "package manager settings"},
	{pattern: ".yarnrc*", protects: writing, why: "package manager settings"},
	{pattern: ".gitconfig", protects: writing, why: "git settings"},
	{pattern: ".gitmodules", protects: writing, why: "git settings"},
	{pattern: ".pre-commit-config.yaml", protects: writing, why: "git hooks"},
}

// storeRule protects a store with a name of its own.
var storeRule = &rule{pattern: "the store", protects: reading | writing, why: "emend's own store"}

// findRule returns the first rule that protects the path, and how many of its names lead to the protected file or directory.
func findRule(names []string, from access) (r *rule, depth int) {
	folded := make([]string, 0, 16) // most paths have fewer names, so that this stays on the stack
	for _, name := range names {
		folded = append(folded, fold(name))
	}
	for i := range builtinRules {
		if r := &builtinRules[i]; r.protects&from != 0 {
			if depth := r.match(ruleNames[i], folded); depth > 0 {
				return r, depth
			}
		}
	}
	return nil, 0
}

// match returns how many of names lead to what the rule protects, 0 if it does not apply. parts are the names of its pattern,
// one or two.
func (r *rule) match(parts []namePattern, names []string) int {
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

// ruleNames are the names of each rule's pattern.
var ruleNames = func() [][]namePattern {
	out := make([][]namePattern, len(builtinRules))
	for i := range builtinRules {
		for pattern := range strings.SplitSeq(builtinRules[i].pattern, "/") {
			var r namePattern
			r.before, r.after, r.star = strings.Cut(pattern, "*")
			out[i] = append(out[i], r)
		}
	}
	return out
}()

// namePattern is one name of a rule's pattern, cut at its star if it has one.
type namePattern struct {
	before, after string
	star          bool
}

func (r *namePattern) match(name string) bool {
	if !r.star {
		return name == r.before
	}
	return len(name) >= len(r.before)+len(r.after) && strings.HasPrefix(name, r.before) && strings.HasSuffix(name, r.after)
}
