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

// badSpellings are the paths that no file can have, or that nobody should ask for.
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

// parsePath returns the names that lead from the root to path. followLast is set if path ends in "." or ".." or is the root:
// then the last name is followed too if it is a link.
func (g *Guard) parsePath(path string, a Request) (names []string, followLast bool, err error) {
	if runtime.GOOS == "windows" {
		if path, err = windowsPath(path, filepath.VolumeName(g.rootPath)); err != nil {
			return nil, false, err
		}
	}
	if err := checkSpelling(path); err != nil {
		return nil, false, err
	}
	followLast = endsInDots(path)
	if strings.HasPrefix(path, "/") || filepath.IsAbs(path) {
		names, err = g.parseAbsolute(path, a)
	} else if names, err = parseBase(a.Base); err == nil {
		names = append(names, splitNames(path)...)
	}
	if err == nil && len(names) > g.maxDepth {
		err = g.refuseTooDeep(path)
	}
	return names, followLast || len(names) == 0, err
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

// parseAbsolute returns the names of an absolute path from the root down, or refuses it.
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

// namesInside returns the names that lead from the root to abs, if the root is one of the directories above it, compared by
// device and inode. The last name is not followed unless followLast is set. The result is names only: the walk below the root
// finds out whether they still lead where they did.
func (g *Guard) namesInside(abs string, followLast bool) (names []string, ok bool) {
	if runtime.GOOS == "windows" && filepath.VolumeName(abs) != "" && !sameVolume(filepath.VolumeName(abs), filepath.VolumeName(g.rootPath)) {
		return nil, false
	}
	names = splitNames(filepath.ToSlash(abs[len(filepath.VolumeName(abs)):]))
	var rest []string
	if n := len(names); !followLast && n > 0 {
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

// deepestExisting finds the deepest directory on the way down names that exists, and resolves its links.
func deepestExisting(top string, names []string) (real string, missing []string, ok bool) {
	path := func(n int) string { return top + strings.Join(names[:n], "/") }
	// Nothing below a missing name exists either. The text of a link may have thousands of names, and may lead in a circle,
	// so this is a binary search.
	n := sort.Search(len(names), func(i int) bool {
		_, err := os.Stat(path(i + 1))
		return err != nil
	})
	real, err := filepath.EvalSymlinks(path(n))
	return real, names[n:], err == nil
}

// namesFromRoot goes up from a resolved directory to the root and returns the names in between.
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
	return err == nil && os.SameFile(fi, g.rootInfo)
}

func (g *Guard) refuseTooDeep(path string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit, Path: path,
		Msg: fmt.Sprintf("the path has more than %d names", g.maxDepth), Hint: "Use a path that is less deep, or let a person raise the limit with ‹option max-depth›."}
}
