package guard

import (
	"path"
	"slices"

	"github.com/emend-dev/emend/fail"
)

// pattern matches paths: each of its names is a path.Match pattern for one name, or "**" for any number of names.
//
// The package doublestar, which finds files for callers, is not used here, since its patterns mean something else. With it
// "[!a]" is any character but a, not one of ! and a; braces are alternatives, which no name of this kind can spell; a/**/**
// does not match a, so that a rule would stop denying it; and "*" matches the root, which has no names. A rule must go on
// meaning the same.
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

// match reports whether the pattern matches the path. Names are compared as they are spelled: a pattern that allows a path
// allows that path, not all that look like it. A pattern that is literally the path of a directory also matches everything
// below it.
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
