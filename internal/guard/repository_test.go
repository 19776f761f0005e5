package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

func TestRepositoryByStructure(t *testing.T) {
	each(t, func(t *testing.T, open opener) {
		dir := t.TempDir()
		plant(t, dir, map[string]string{
			"srv.git/HEAD": "ref: refs/heads/main\n", "srv.git/refs/": "", "srv.git/objects/": "", "srv.git/config": "", "srv.git/hooks/x": "",
			"linked/HEAD": "-> refs/heads/main", "linked/refs": "-> ../srv.git/refs", "linked/f": "",
			"tree/HEAD": "ref: refs/heads/x\n", "tree/commondir": "../srv.git", "tree/index": "",
			"deep/a/b/HEAD": "x", "deep/a/b/refs/": "",
			"svn/format": "5\n", "svn/db/": "", "svn/hooks/post-commit.tmpl": "", "svn/locks/": "",
			"head/HEAD/x": "", "head/refs/": "", "none/refs/x": "", "none/objects/x": "", "half/HEAD": "x", "rails/format": "", "rails/db/x": "", "rails/hooks/x": "",
			"to": "-> srv.git", "f": "",
		})
		g := open(dir, Options{})
		for _, path := range []string{"srv.git/config", "srv.git/hooks/post-receive", "srv.git/objects/info/alternates", "srv.git/rebase-merge/git-rebase-todo",
			"srv.git/none/x", "to/config", "deep/../to/hooks/x", "linked/f", "linked/new", "tree/index", "tree/config.worktree", "deep/a/b/x", "deep/a/b/c/d/x",
			"svn/hooks/post-commit", "svn/conf/authz"} {
			_, err := g.Resolve(path, Request{Write: true})
			if err == nil {
				t.Errorf("%s may be written", path)
				continue
			}
			refused(t, err, denied)
			if _, err := g.Resolve(path, Request{}); err != nil {
				t.Errorf("reading %s: %v", path, err)
			}
		}
		for _, path := range []string{"f", "new", "srv", "deep/a/x", "head/x", "head/HEAD/y", "none/x", "none/config", "half/config", "rails/hooks/y", "srv.git2/x"} {
			if _, err := g.Resolve(path, Request{Write: true}); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		_, err := g.Resolve("srv.git/hooks/x", Request{Write: true})
		e := err.(*fail.Error)
		if !strings.Contains(e.Msg, `"a directory with HEAD and refs or commondir" (git repository)`) || !strings.Contains(e.Hint, `‹option allow-protected› "srv.git"`) {
			t.Errorf("msg %q, hint %q", e.Msg, e.Hint)
		}
		allowed := open(dir, Options{AllowProtected: []string{"srv.git/hooks"}})
		if _, err := allowed.Resolve("srv.git/hooks/x", Request{Write: true}); err != nil {
			t.Error(err)
		}
		if _, err := allowed.Resolve("srv.git/config", Request{Write: true}); err == nil {
			t.Error("what was not allowed may be written")
		}
	})
}

// TestRootIsARepository checks a workspace that is a bare repository: emend was started in it, or above one of its working
// trees.
func TestRootIsARepository(t *testing.T) {
	each(t, func(t *testing.T, open opener) {
		dir := t.TempDir()
		plant(t, dir, map[string]string{"HEAD": "ref: refs/heads/main\n", "refs/": "", "objects/": "", "hooks/x": "", "worktrees/main/HEAD": "ref: refs/heads/x\n",
			"worktrees/main/commondir": "../..\n", "worktrees/main/gitdir": "../../main/.git\n", "main/.git": "gitdir: ../worktrees/main\n", "main/sub/f": "",
			"elsewhere/.git": "gitdir: ../other\n", "other/HEAD": "x", "other/refs/": "", "elsewhere/f": ""})
		g := open(dir, Options{})
		for _, path := range []string{"config", "hooks/x", "new/x", "worktrees/main/HEAD", "elsewhere/f", "main/.git", "other/x"} {
			_, err := g.Resolve(path, Request{Write: true})
			if err == nil {
				t.Errorf("%s may be written", path)
				continue
			}
			refused(t, err, denied)
		}
		// A working tree that the repository has below it is one, and no part of the repository.
		for _, path := range []string{"main/sub/f", "main/new", "main/hooks/x"} {
			if _, err := g.Resolve(path, Request{Write: true}); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		_, err := g.Resolve("config", Request{Write: true})
		if e := err.(*fail.Error); !strings.Contains(e.Hint, `‹option allow-protected› "**"`) {
			t.Errorf("hint %q", e.Hint)
		}
		if _, err := open(dir, Options{AllowProtected: []string{"**"}}).Resolve("config", Request{Write: true}); err != nil {
			t.Error(err)
		}
	})
}

// TestNewRepository: what a directory has, and what a call writes, must not be a repository together.
func TestNewRepository(t *testing.T) {
	each(t, func(t *testing.T, open opener) {
		dir := t.TempDir()
		plant(t, dir, map[string]string{"head/HEAD": "ref: refs/heads/main\n", "refs/refs/x": "", "link/refs": "-> ../refs/refs", "dangling/HEAD": "-> none",
			"dir/HEAD/x": "", "svn/format": "5", "svn/db/x": "", "svn/hooks/x": "", "f": "", "to": "-> head"})
		for _, tc := range []struct {
			paths string
			made  string // the directory that becomes a repository; "" for none
		}{
			{"docs/HEAD docs/refs/x", "docs"}, {"docs/refs/x docs/HEAD", "docs"}, {"docs/objects/x docs/refs/x docs/config docs/HEAD", "docs"},
			{"docs/HEAD docs/refs", "docs"}, {"docs/HEAD docs/commondir", "docs"}, {"HEAD refs/x", "."}, {"refs/HEAD", "refs"}, {"link/HEAD", "link"},
			{"head/refs/x", "head"}, {"head/commondir", "head"}, {"to/refs/x", "head"}, {"dangling/refs/x", "dangling"}, {"a/b/c/HEAD a/b/c/refs/heads/main", "a/b/c"},
			{"docs/head docs/Refs/x", "docs"}, {"docs/HEAD. docs/refs::$DATA", "docs"}, {"Docs/HEAD docs/refs/x", "Docs"}, {"docs/ＨＥＡＤ docs/refs/x", "docs"},
			{"docs/HEAD docs/reſs docs/ref\u017f/x", "docs"}, {"svn/locks/x", "svn"}, {"docs/refs/HEAD docs/refs/refs/x", "docs/refs"},

			{"docs/HEAD", ""}, {"docs/refs/x docs/objects/x docs/config docs/hooks/x", ""}, {"docs/HEAD/x docs/refs/x", ""}, {"docs/HEAD dcos/refs/x", ""},
			{"dir/refs/x", ""}, {"refs/refs/HEAD", ""}, {"docs/HEADER docs/refs.go", ""}, {"a/HEAD b/refs/x", ""}, {"docs/header.go docs/references.md docs/commondir", ""},
			{"svn/conf/x", ""}, {"f head/x link/x", ""}, {"head/HEAD", ""},
		} {
			g := open(dir, Options{})
			err := g.CheckRepositories(slices.Values(entries(t, g, strings.Fields(tc.paths))))
			if tc.made == "" {
				if err != nil {
					t.Errorf("%s: %v", tc.paths, err)
				}
				continue
			}
			if err == nil {
				t.Errorf("%s: makes a repository", tc.paths)
				continue
			}
			refused(t, err, denied)
			allowed, named := tc.made, fail.Quote(tc.made)
			if tc.made == "." {
				allowed, named = "**", "the workspace"
			}
			if e := err.(*fail.Error); !strings.Contains(e.Msg, " would make "+named+" a ") || !strings.Contains(e.Hint, fail.Quote(allowed)) {
				t.Errorf("%s: %v, %s", tc.paths, e, e.Hint)
			}
			g = open(dir, Options{AllowProtected: []string{allowed, strings.ToLower(allowed)}})
			if err := g.CheckRepositories(slices.Values(entries(t, g, strings.Fields(tc.paths)))); err != nil {
				t.Errorf("%s, allowed: %v", tc.paths, err)
			}
		}
		// Every part has to be allowed, in whichever order they come.
		for _, paths := range []string{"docs/HEAD docs/refs/x", "docs/refs/x docs/HEAD"} {
			for _, allowed := range []string{"docs/HEAD", "docs/refs"} {
				g := open(dir, Options{AllowProtected: []string{allowed}})
				if err := g.CheckRepositories(slices.Values(entries(t, g, strings.Fields(paths)))); err == nil {
					t.Errorf("%s with %s allowed: makes a repository", paths, allowed)
				}
			}
		}
	})
}

func entries(t *testing.T, g *Guard, paths []string) (out []Entry) {
	t.Helper()
	b := g.NewBatch()
	defer b.Close()
	for _, path := range paths {
		e, err := b.Resolve(path, Request{Write: true, Known: true})
		check(t, err)
		out = append(out, e)
	}
	return out
}

// TestBecameARepository: a directory that becomes a repository while the paths of a call are checked is protected for all of
// them.
func TestBecameARepository(t *testing.T) {
	for _, tc := range []struct{ in, paths string }{{"d", "d/f d/e/f d/new"}, {".", "d/f d/e/f d/new"}, {".", "f new"}, {".", "f d/e/f"}} {
		dir := t.TempDir()
		plant(t, dir, map[string]string{"d/HEAD": "x", "HEAD": "x", "f": "", "d/f": "", "d/e/f": ""})
		g, err := Open(dir, Options{})
		check(t, err)
		defer g.Close()
		b := g.NewBatch()
		defer b.Close()
		for path := range strings.FieldsSeq(tc.paths) {
			_, err := b.Resolve(path, Request{Write: true})
			check(t, err)
		}
		check(t, b.Recheck())
		check(t, os.Mkdir(filepath.Join(dir, tc.in, "refs"), 0o755))
		refused(t, b.Recheck(), stale)
	}
}

// TestPartInitials: no spelling of a part is passed over for its first byte.
func TestPartInitials(t *testing.T) {
	for _, k := range repositoryKinds {
		for _, name := range append(slices.Concat(k.others...), k.file) {
			for how, disguise := range disguises {
				if s := disguise(name); !partInitials[s[0]] || !strings.EqualFold(foldButCase(s), name) {
					t.Errorf("%s: %q is not taken for %s", how, s, name)
				}
			}
		}
	}
}
