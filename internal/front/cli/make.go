package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/spf13/cobra"
)

func (a *app) make() *cobra.Command {
	var dialect string
	var context int
	cmd := &cobra.Command{
		Use:   "make OLD NEW",
		Short: "Write the patch that turns OLD into NEW",
		Long: `make compares two files, or all files of two directories, and prints the patch
between them. Every hunk gets as much context as it needs to have exactly one
place, and the patch is tested on OLD before it is printed. What the dialect cannot
express, such as a changed line end, is refused, naming the line.

For two files the patch names OLD (NEW, if OLD is /dev/null), relative to the current
directory; for directories every file by its path inside them. .git, .hg, .svn, .jj
and .emend are left out.`,
		Example: `  emend make main.go.orig main.go
  emend make --dialect codex before/ after/ > change.patch`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageErrorf("make", "two paths, OLD and NEW, got %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(emend.Dialects(), dialect) {
				return usageErrorf("make", "--dialect: %q is none of %s", dialect, strings.Join(emend.Dialects(), ", "))
			}
			if context < 0 {
				return usageErrorf("make", "--context: %d is negative", context)
			}
			changes, err := a.compareTrees(args[0], args[1])
			if err != nil {
				return &usageError{"make", err}
			}
			out, err := emend.Make(changes, dialect, context)
			return a.printPatch(out, err)
		},
	}
	cmd.Flags().StringVar(&dialect, "dialect", "emend", "the dialect to write: "+strings.Join(emend.Dialects(), ", "))
	cmd.Flags().IntVar(&context, "context", 3, "lines of context around a change, at least")
	completeWords(cmd, "dialect", emend.Dialects())
	return cmd
}

// compareTrees reads two files or two directories, and lists what differs.
func (a *app) compareTrees(old, new string) ([]api.Change, error) {
	was, err := readTree(old)
	if err != nil {
		return nil, err
	}
	is, err := readTree(new)
	if err != nil {
		return nil, err
	}
	if was.dir != is.dir && !was.none && !is.none {
		return nil, fmt.Errorf("%s and %s are not both files or both directories", old, new)
	}
	if was.dir || is.dir {
		return was.changesTo(is), nil
	}
	if was.none {
		old = new
	}
	name, err := a.nameInPatch(old)
	if err != nil {
		return nil, err
	}
	return []api.Change{{Path: name, Old: was.content[""], New: is.content[""], HasOld: !was.none, HasNew: !is.none}}, nil
}

// nameInPatch returns the name of a file as apply understands it in the same place: an absolute path becomes relative. A file
// outside of the workspace has none.
func (a *app) nameInPatch(path string) (string, error) {
	if filepath.IsLocal(path) {
		return filepath.ToSlash(path), nil
	}
	root, base, err := a.rootAndBase()
	if err != nil {
		return "", err
	}
	if root, err = resolveDir(root); err != nil {
		return "", err
	}
	dir, err := resolveDir(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(path))
	if below, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(below) {
		return "", fmt.Errorf("%s is outside of the workspace %s: no patch can name it. Go to its directory with -C, or name the workspace with --root", path, root)
	}
	name, err := filepath.Rel(filepath.Join(root, base), path)
	return filepath.ToSlash(name), err
}

// tree holds the content of one file under the empty name, or of a directory's files under their slash paths.
type tree struct {
	dir, none bool
	content   map[string]string
}

func (t tree) changesTo(u tree) []api.Change {
	var names []string
	for name := range t.content {
		names = append(names, name)
	}
	for name := range u.content {
		if _, ok := t.content[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []api.Change
	for _, name := range names {
		c := api.Change{Path: name}
		c.Old, c.HasOld = t.content[name]
		c.New, c.HasNew = u.content[name]
		out = append(out, c)
	}
	return out
}

func readTree(path string) (tree, error) {
	if path == os.DevNull || path == "/dev/null" {
		return tree{none: true}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return tree{}, err
	}
	t := tree{dir: info.IsDir(), content: map[string]string{}}
	if !t.dir { // a file or a pipe, as in: emend make a.go <(gofmt a.go)
		data, err := os.ReadFile(path)
		t.content[""] = string(data)
		return t, err
	}
	return t, filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", ".hg", ".svn", ".jj", ".emend"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		return t.readFile(filepath.ToSlash(rel), p, d.Type())
	})
}

func (t tree) readFile(name, path string, mode fs.FileMode) error {
	if !mode.IsRegular() {
		return errors.New(path + " is not a regular file, and a patch cannot say what it is")
	}
	data, err := os.ReadFile(path)
	t.content[name] = string(data)
	return err
}
