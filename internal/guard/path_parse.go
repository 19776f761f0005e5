package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
)

const (
	maxName = 255
	maxPath = 4096
)

// misspelled are the paths that no file can have, or none should be asked for by.
var badSpellings = []struct {
	is        func(path string) bool
	msg, hint string
}{
	{func(p string) bool { return p == "" }, "the path is empty", "Name a file."},
	{func(p string) bool { return len(p) > maxPath }, "the path is over 4096 bytes", "Use a shorter path."},
	{func(p string) bool { return strings.ContainsRune(p, 0) }, "the path contains a NUL", "Leave out the NUL byte."},
	{func(p string) bool { return !utf8.ValidString(p) }, "the path is not valid UTF-8",
		"Only paths in UTF-8 can be named here."},
	{func(p string) bool { return strings.HasSuffix(p, "/") }, "the path ends in a slash",
		"Name it without the slash at the end."},
	{hasLongName, "a name in the path is over 255 bytes", "Use shorter names."},
	{func(p string) bool { return runtime.GOOS == "windows" && strings.ContainsAny(p, `\:`) },
		"the path has a backslash or a drive letter", "Separate the names with forward slashes, from the workspace down."},
}

func hasLongName(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(name string) bool { return len(name) > maxName })
}

func checkSpelling(path string) error {
	for _, row := range badSpellings {
		if row.is(path) {
			return refuseArgument(path, row.msg+": "+fail.Quote(path), row.hint)
		}
	}
	return nil
}

// names returns the names that lead from the root to path. The last one is to be followed too, if it is a link,
// when path ends in "." or "..".
func (g *Guard) parsePath(path string, a Request) (names []string, all bool, err error) {
	if err := checkSpelling(path); err != nil {
		return nil, false, err
	}
	all = endsInDots(path)
	if strings.HasPrefix(path, "/") {
		names, err = g.parseAbsolute(path, a)
	} else if names, err = parseBase(a.Base); err == nil {
		names = append(names, splitNames(path)...)
	}
	if err == nil && len(names) > g.maxDepth {
		err = g.refuseTooDeep(path)
	}
	return names, all || len(names) == 0, err
}

func (g *Guard) refuseTooDeep(path string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit, Path: path,
		Msg: fmt.Sprintf("the path has more than %d names", g.maxDepth), Hint: "Use a path that is less deep, or let a person raise the limit with --max-depth."}
}

func endsInDots(path string) bool {
	last := path[strings.LastIndexByte(path, '/')+1:]
	return last == "." || last == ".."
}

func parseBase(base string) ([]string, error) {
	if base == "" || base == "." {
		return nil, nil
	}
	if err := checkSpelling(base); err != nil {
		return nil, err
	}
	if strings.HasPrefix(base, "/") {
		return nil, refuseArgument(base, "the base directory is not relative to the workspace: "+fail.Quote(base),
			"Give the base directory relative to the workspace.")
	}
	return splitNames(base), nil
}

// split returns the names in path that lead somewhere.
func splitNames(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(name string) bool { return name == "" || name == "." })
}

// absolute makes an absolute path relative to the root, or refuses it.
func (g *Guard) parseAbsolute(path string, a Request) ([]string, error) {
	names, ok := g.namesInside(path, endsInDots(path))
	switch {
	case !ok && a.Absolute:
		return nil, refuseOutside(path, fmt.Sprintf("%s is outside the workspace", fail.Quote(path)))
	case a.Absolute:
		return names, nil
	}
	hint := "Write it relative to the workspace."
	if ok && len(names) > 0 {
		hint = fmt.Sprintf("Write %s, relative to the workspace.", fail.Quote(strings.Join(names, "/")))
	}
	return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.AbsolutePath, Path: path,
		Msg: fail.Quote(path) + " is an absolute path", Hint: hint}
}

// inside returns the names that lead from the root to abs, when the root is one of the directories above it, by
// device and inode. The last name is not followed unless all is set. What comes back are names only: that they
// lead where they did a moment ago is for the walk below the root to find out.
func (g *Guard) namesInside(abs string, all bool) (names []string, ok bool) {
	names = splitNames(filepath.ToSlash(abs[len(filepath.VolumeName(abs)):]))
	var rest []string
	if n := len(names); !all && n > 0 {
		names, rest = names[:n-1], names[n-1:]
	}
	real, missing, ok := deepestExisting(filepath.VolumeName(abs)+"/", names)
	if !ok {
		return nil, false
	}
	if names, ok = g.namesFromRoot(real); ok {
		return slices.Concat(names, missing, rest), true
	}
	return nil, g.isRoot(abs)
}

// deepest finds the deepest directory on the way down names that exists, and resolves its links.
func deepestExisting(top string, names []string) (real string, missing []string, ok bool) {
	path := func(n int) string { return top + strings.Join(names[:n], "/") }
	// What is below something that does not exist does not exist either. The text of a link may have thousands of
	// names, and may lead in a circle, so they are not tried one by one.
	n := sort.Search(len(names), func(i int) bool {
		_, err := os.Stat(path(i + 1))
		return err != nil
	})
	real, err := filepath.EvalSymlinks(path(n))
	return real, names[n:], err == nil
}

// below goes up from a resolved directory to the root and returns the names in between.
func (g *Guard) namesFromRoot(real string) (names []string, ok bool) {
	for !g.isRoot(real) {
		up := filepath.Dir(real)
		if up == real {
			return nil, false
		}
		names = append(names, filepath.Base(real))
		real = up
	}
	slices.Reverse(names)
	return names, true
}

func (g *Guard) isRoot(dir string) bool {
	fi, err := os.Stat(dir)
	return err == nil && os.SameFile(fi, g.info)
}
