package guard

import (
	"path"
	"slices"

	"github.com/emend-dev/emend/fail"
)

// pattern names paths that a person opens: one path.Match pattern a name, or "**" for any number of names.
type pattern []string

func compilePatterns(texts []string) ([]pattern, error) {
	var out []pattern
	for _, text := range texts {
		p := pattern(splitNames(text))
		bad := func(name string) bool { _, err := path.Match(name, ""); return err != nil }
		if len(p) == 0 || slices.ContainsFunc(p, bad) {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadPattern,
				Msg:  fail.Quote(text) + " is not a pattern",
				Hint: "Write a path relative to the workspace; *, ?, [a-z] and ** stand for others."}
		}
		out = append(out, p)
	}
	return out, nil
}

// match reports whether the path is meant. Names are compared as they are spelled: what is opened is one path, not
// all that look like it. A pattern that is a path as it stands also means everything below that path.
func (p pattern) match(names []string) bool {
	if len(names) >= len(p) && slices.Equal(p, names[:len(p)]) {
		return true
	}
	// As with one star in a name, only the last "**" ever has to be tried again.
	i, j, star, from := 0, 0, -1, 0
	for j < len(names) {
		switch {
		case i < len(p) && p[i] == "**":
			star, from = i, j
			i++
		case i < len(p) && matchesName(p[i], names[j]):
			i, j = i+1, j+1
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == "**" {
		i++
	}
	return i == len(p)
}

func matchesName(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok
}
