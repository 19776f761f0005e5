package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// maxSpellings bounds the directories that are listed at each level of a path in the search for other capital letters.
const maxSpellings = 8

// otherPath finds the one file that the path of a section with hunks may mean, where nothing stands at it: without a/ or b/ in
// front, as diffs write it, with other capital letters, or with / for \. The hunks then have to find their places in that file.
func (b *builder) otherPath(s *patch.Section) (File, bool) {
	if !b.rules.Corrects || len(s.Hunks) == 0 || path.IsAbs(s.Path) {
		return File{}, false
	}
	var found []string
	slashed := strings.ReplaceAll(s.Path, `\`, "/")
	for _, p := range []string{s.Path, withoutSide(s.Path), slashed, withoutSide(slashed)} {
		for _, p := range b.inAnyCase(p) {
			if f, err := b.src.Look(b.ctx, p, false); err == nil && f.Kind == Regular && !slices.Contains(found, f.Rel) {
				found = append(found, p)
			}
		}
	}
	if len(found) != 1 {
		return File{}, false
	}
	f, err := b.look(found[0], s)
	if err != nil {
		return File{}, false
	}
	b.passed = append(b.passed, fmt.Sprintf("the path %s was read as %s", fail.Quote(s.Path), fail.Quote(found[0])))
	return f, true
}

// withoutSide cuts the a/ or b/ off that diffs write before a path.
func withoutSide(p string) string {
	if rest, ok := strings.CutPrefix(p, "a/"); ok {
		return rest
	}
	return strings.TrimPrefix(p, "b/")
}

// inAnyCase returns the paths that differ from p at most in capital letters and that exist, at least in part.
func (b *builder) inAnyCase(p string) []string {
	dirs := []string{""}
	for name := range strings.SplitSeq(path.Clean(p), "/") {
		if name == ".." {
			return nil
		}
		var next []string
		for _, dir := range dirs {
			for _, have := range b.namesIn(path.Join(".", dir))[strings.ToLower(name)] {
				next = append(next, path.Join(dir, have))
			}
		}
		dirs = next[:min(len(next), maxSpellings)]
	}
	return dirs
}

// namesIn returns the names in a directory, by the name in small letters. It lists each directory once.
func (b *builder) namesIn(dir string) map[string][]string {
	names, known := b.listed[dir]
	if !known {
		names = map[string][]string{}
		for _, name := range b.src.Names(b.ctx, dir) {
			small := strings.ToLower(name)
			names[small] = append(names[small], name)
		}
		b.listed[dir] = names
	}
	return names
}
