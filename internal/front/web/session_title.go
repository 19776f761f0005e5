package web

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
)

// sessionTitle says what the calls of a session did, which are the newest first: "Edited cart.ts and prices.ts, created 3 files in
// tests". No prompt is kept that could title it.
func sessionTitle(calls []api.LoggedCall) string {
	const maxGroups = 2
	did := pathsByVerb(calls, func(c *api.LoggedCall) bool { return c.Outcome != api.Refused && c.Kind != "undo" })
	if len(did) == 0 {
		did = pathsByVerb(calls, func(c *api.LoggedCall) bool { return c.Outcome != api.Refused })
	}
	tried := len(did) == 0
	if tried {
		did = pathsByVerb(calls, func(*api.LoggedCall) bool { return true })
	}
	var parts []string
	for _, g := range did[:min(len(did), maxGroups)] {
		verb := operationVerbs[g.operation][0]
		if tried {
			verb = operationVerbs[g.operation][1]
		}
		parts = append(parts, verb+" "+nameFiles(g.paths))
	}
	switch {
	case len(parts) == 0:
		return "No files"
	case tried:
		return "Tried to " + strings.Join(parts, ", ")
	}
	return upperFirst(strings.Join(parts, ", "))
}

// pathGroup is the files to which the same was done.
type pathGroup struct {
	operation string
	paths     []string
}

// pathsByVerb groups the files of those calls that count by what was done to them, the largest group first. A file that a session
// created and then edited was created.
func pathsByVerb(calls []api.LoggedCall, counts func(*api.LoggedCall) bool) (out []pathGroup) {
	seen := map[string]bool{}
	for i := len(calls) - 1; i >= 0; i-- {
		if !counts(&calls[i]) {
			continue
		}
		for _, f := range calls[i].Files {
			if f.Path == "" || seen[f.Path] {
				continue
			}
			seen[f.Path], seen[f.ToPath] = true, true
			operation := f.Operation
			if _, ok := operationVerbs[operation]; !ok {
				operation = "mixed"
			}
			if calls[i].Kind == "undo" {
				operation = "undo"
			}
			n := slices.IndexFunc(out, func(g pathGroup) bool { return g.operation == operation })
			if n < 0 {
				n, out = len(out), append(out, pathGroup{operation: operation})
			}
			out[n].paths = append(out[n].paths, cmp.Or(f.ToPath, f.Path))
		}
	}
	slices.SortStableFunc(out, func(a, b pathGroup) int { return cmp.Compare(len(b.paths), len(a.paths)) })
	return out
}

// nameFiles names one or two files, and counts more of them, with the directory that has them all.
func nameFiles(paths []string) string {
	if len(paths) <= 2 {
		var names []string
		for _, p := range paths {
			names = append(names, path.Base(p))
		}
		return strings.Join(names, " and ")
	}
	text, dir := plural(len(paths), "file"), path.Dir(paths[0])
	for _, p := range paths[1:] {
		for dir != "." && !strings.HasPrefix(p, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	if dir != "." {
		text += " in " + dir
	}
	return text
}
