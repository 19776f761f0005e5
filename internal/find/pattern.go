package find

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
)

// globPattern is a caller's pattern for paths. Without a slash it matches the last name, at any depth; with one it matches
// the path from the root of the search.
type globPattern struct {
	pattern    string
	whole      bool // it matches the path
	dirs       bool // it ended in a slash: only directories
	ignoreCase bool
	kind       matchKind
	suffix     string // the last name ends in this, whatever else the pattern says
}

const (
	globSpecial = `*?[{\`
	maxPattern  = 4096
	maxChoices  = 1000 // how many patterns {a,b}{c,d} may stand for; a match may try them all
)

// parsePattern checks and prepares a pattern.
func parsePattern(text string, fold bool) (globPattern, error) {
	return parsePatternAt(text, fold, false)
}

// parsePatternAt is parsePattern for a pattern which, with whole, matches the path in any case.
func parsePatternAt(text string, fold, whole bool) (globPattern, error) {
	if fold {
		text = strings.ToLower(text)
	}
	if err := checkPattern(text); err != nil {
		return globPattern{}, err
	}
	g := globPattern{ignoreCase: fold}
	text = strings.TrimPrefix(text, "./")
	text, g.dirs = strings.CutSuffix(text, "/")
	g.whole = whole || strings.Contains(text, "/")
	g.pattern = strings.TrimPrefix(text, "/")
	g.simplify()
	return g, nil
}

// simplify finds out how little of a path decides. A pattern that begins with **/ is about the last name if nothing after it
// can match a slash, as a class can.
func (g *globPattern) simplify() {
	g.kind = byPattern
	if name, ok := strings.CutPrefix(g.pattern, "**/"); ok && g.whole && !strings.ContainsAny(name, "/[") {
		g.pattern, g.whole = name, false
	} else if g.whole && g.pattern == "**" {
		g.pattern, g.whole = "*", false
	}
	last := g.pattern[strings.LastIndexByte(g.pattern, '/')+1:]
	if strings.ContainsRune(last, utf8.RuneError) { // bytes that are not UTF-8 are decoded as this character too
		return
	}
	g.suffix = last[strings.LastIndexAny(last, `*?[]{},\`)+1:]
	switch {
	case g.whole:
	case g.pattern == g.suffix:
		g.kind = exact
	case g.pattern == "*"+g.suffix:
		g.kind = suffix
	}
}

func parsePatterns(texts []string, fold bool) ([]globPattern, error) {
	var out []globPattern
	for _, text := range texts {
		g, err := parsePattern(text, fold)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// match reports whether the pattern matches the name in the directory rel.
func (g *globPattern) match(rel, name string, dir bool) bool {
	if g.dirs && !dir {
		return false
	}
	if g.ignoreCase {
		name = strings.ToLower(name)
	}
	switch {
	case !strings.HasSuffix(name, g.suffix):
		return false
	case g.kind == exact:
		return len(name) == len(g.suffix)
	case g.kind == suffix:
		return true
	case g.whole && g.ignoreCase:
		rel = strings.ToLower(rel)
	}
	if g.whole {
		name = join(rel, name)
	}
	return doublestar.MatchUnvalidated(g.pattern, name)
}

func matchesAny(all []globPattern, rel, name string, dir bool) bool {
	for i := range all {
		if all[i].match(rel, name, dir) {
			return true
		}
	}
	return false
}

// mayMatchBelow reports whether anything below the directory called name in rel can match: the leading names of the pattern,
// up to the first that is no plain name, must be those of the path.
func (g *globPattern) mayMatchBelow(rel, name string) bool {
	if !g.whole || g.ignoreCase {
		return true
	}
	pattern, path := g.pattern, join(rel, name)
	for pattern != "" && path != "" {
		want, more, below := strings.Cut(pattern, "/")
		have, rest, _ := strings.Cut(path, "/")
		switch {
		case strings.Contains(want, "**") || strings.ContainsAny(want, `{\`):
			return true // what is in braces may have slashes
		case !doublestar.MatchUnvalidated(want, have) || !below:
			return false
		}
		pattern, path = more, rest
	}
	return true
}

// checkPattern refuses a text that is no pattern, and says where.
func checkPattern(text string) error {
	switch at, what := findMistake(text); {
	case text == "":
		return badSyntax(text, 0, "the pattern is empty")
	case len(text) > maxPattern:
		return badSyntax(text, 0, fmt.Sprintf("the pattern has over %d bytes", maxPattern))
	case !utf8.ValidString(text):
		return badSyntax(text, 0, "the pattern is not valid UTF-8")
	case what != "":
		return badSyntax(text, at, what)
	case text[0] == '!':
		return badPattern(text, 0, "patterns are not negated here",
			`Name in ‹excludeGlobs› what to leave out; a name that begins with ! is written \!.`)
	case parentAt(text) >= 0:
		return badPattern(text, parentAt(text), "nothing above the root of the search is found",
			"Write the pattern from the root of the search, and name another directory of the workspace with root.")
	case !doublestar.ValidatePattern(text):
		return badSyntax(text, 0, "a class in it has no valid range")
	}
	return nil
}

// refuseLeadingSlash refuses a pattern that begins with a slash.
func refuseLeadingSlash(text string) error {
	if strings.HasPrefix(text, "/") {
		return badPattern(text, 0, "it begins with a slash, and paths here are from the root of the search",
			"Leave the slash out, and name the directory to look in with root.")
	}
	return nil
}

// parentAt returns where a pattern has "..", or -1.
func parentAt(text string) int {
	for at := 0; at < len(text); at++ {
		name := text[at:]
		if i := strings.IndexAny(name, "/{},"); i >= 0 {
			name = name[:i]
		}
		if name == ".." {
			return at
		}
		at += len(name)
	}
	return -1
}

// findMistake finds the first syntax error in a pattern. what is empty if there is none.
func findMistake(text string) (at int, what string) {
	var open []int // where the braces begin
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i == len(text) {
				return i - 1, "nothing follows the backslash"
			}
		case '[':
			end := classEnd(text, i)
			if end < 0 {
				return i, "the [ has no ]"
			}
			i = end
		case '{':
			open = append(open, i)
		case '}':
			if len(open) == 0 {
				return i, "the } has no {"
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return open[len(open)-1], "the { has no }"
	}
	if choices(text) > maxChoices {
		return strings.IndexByte(text, '{'), fmt.Sprintf("the braces stand for over %d patterns", maxChoices)
	}
	return 0, ""
}

// choices returns how many patterns without braces the text stands for, or more than [maxChoices]. Braces are balanced.
func choices(text string) int {
	type group struct{ sum, product int }
	all := []group{{0, 1}}
	for i := 0; i < len(text); i++ {
		last := len(all) - 1
		switch text[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(text, i)
		case '{':
			all = append(all, group{0, 1})
		case ',':
			all[last] = group{all[last].sum + all[last].product, 1}
		case '}':
			inner := all[last].sum + all[last].product
			all = all[:last]
			all[last-1].product = min(all[last-1].product*inner, maxChoices+1)
		}
	}
	return all[0].product
}

// classEnd returns where the class that begins at i ends, or -1.
func classEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ']':
			return i
		}
	}
	return -1
}

// badSyntax refuses a pattern; at is the offset of the mistake in it.
func badSyntax(text string, at int, what string) error {
	return badPattern(text, at, what,
		"Write names with *, ?, [a-z], {a,b} and ** for any number of directories; a backslash makes the next character plain.")
}

func badPattern(text string, at int, what, hint string) error {
	place := utf8.RuneCountInString(text[:at]) + 1
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadPattern,
		Msg: fmt.Sprintf("%s is not a pattern: at character %d, %s", fail.Quote(text), place, what), Hint: hint}
}

// nameMatcher is for a search by path. The query is a pattern or, if it has none of a pattern's characters, a part of a name;
// with a slash, a part of a path.
func nameMatcher(query string, fold bool) (func(rel string, n *guard.Name) bool, error) {
	if strings.ContainsAny(query, globSpecial) {
		g, err := parsePattern(query, fold)
		return func(rel string, n *guard.Name) bool { return g.match(rel, n.Name, n.Kind == guard.Directory) }, err
	}
	if fold {
		query = strings.ToLower(query)
	}
	whole := strings.Contains(query, "/")
	return func(rel string, n *guard.Name) bool {
		name := n.Name
		if whole {
			name = join(rel, name)
		}
		if fold {
			name = strings.ToLower(name)
		}
		return strings.Contains(name, query)
	}, nil
}
