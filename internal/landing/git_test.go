//go:build linux && (amd64 || arm64)

package landing_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// gitWorld makes a repository with two branches.
func gitWorld(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: git is not here")
	}
	w := newWorld(t, map[string]string{"a": "a\n", "d/b": "b\n"})
	w.git("init", "-q", "-b", "main")
	w.git("add", ".")
	w.git("commit", "-qm", "first")
	w.git("checkout", "-qb", "other")
	write(t, w.path("o"), "o\n")
	w.git("rm", "-q", "d/b")
	w.git("add", ".")
	w.git("commit", "-qm", "other")
	w.git("checkout", "-q", "main")
	w.ws.Close()
	return openWorld(t, w.dir)
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x"}, args...)...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestGitWork checks that the repository is whole and clean after what git did over a layer landed.
func TestGitWork(t *testing.T) {
	for name, script := range map[string]string{
		"commit":           "echo 2 > a; echo n > n; git add .; git commit -qm second",
		"commit directory": "git mv d e; git commit -qam moved",
		"amend":            "echo 2 > a; git commit -qa --amend -m amended",
		"stash":            "echo 2 > a; git stash -q",
		"stash and pop":    "echo 2 > a; git stash -q; git stash pop -q; git checkout -q a",
		"merge":            "git merge -q -m merged --no-ff other",
		"fast-forward":     "git merge -q other",
		"checkout":         "git checkout -q other",
		"new branch":       "git checkout -qb feature/x/y; echo 2 > a; git commit -qam feature",
		"rebase":           "git checkout -q other; echo 2 > a; git commit -qam more; git rebase -q main",
		"reset":            "git checkout -q other; git reset -q --hard main",
		"gc":               "git gc -q --prune=now",
		"commits and gc":   "for i in 1 2 3 4 5 6 7 8; do echo $i > a; git commit -qam $i; done; git gc -q --aggressive --prune=now",
		"tag":              "git tag -a -m tag v1; git tag v2; git pack-refs --all",
		"conflict aborted": "git checkout -q other; git checkout -q -b third; echo 3 > o; git commit -qam 3; git checkout -q other; echo 4 > o; git commit -qam 4; git merge -q third || git merge --abort",
		"clean":            "echo > junk; mkdir k; echo > k/junk; git clean -qfdx",
		"nothing":          "git status; git log > /dev/null; git diff",
	} {
		t.Run(name, func(t *testing.T) {
			w := gitWorld(t)
			w.lands(script)
			if out := w.git("status", "--porcelain"); out != "" {
				t.Errorf("status:\n%s", out)
			}
			if out := w.git("fsck", "--full", "--strict"); strings.Contains(out, "error") || strings.Contains(out, "missing") {
				t.Errorf("fsck:\n%s", out)
			}
			// A second command works with what landed.
			w.lands("echo more >> a; git commit -qam more")
			if out := w.git("status", "--porcelain"); out != "" {
				t.Errorf("status after one more commit:\n%s", out)
			}
			w.git("fsck", "--full", "--strict")
		})
	}
}

// TestConflictLands checks that a merge that waits for a person lands as it is.
func TestConflictLands(t *testing.T) {
	w := gitWorld(t)
	w.lands("git checkout -q other; echo 2 > a; git commit -qam 2; git checkout -q main; echo 3 > a; git commit -qam 3; git merge -q other || true")
	if out := w.git("status", "--porcelain"); !strings.Contains(out, "UU a") {
		t.Errorf("status:\n%s", out)
	}
	w.git("merge", "--abort")
	if out := w.git("status", "--porcelain"); out != "" {
		t.Errorf("status:\n%s", out)
	}
}

// TestProtectedInGit checks that what decides what git runs, or what it takes for the repository, refuses all.
func TestProtectedInGit(t *testing.T) {
	for _, script := range []string{
		"echo > .git/hooks/pre-commit", "mv .git/hooks .git/h", "git config core.fsmonitor ./x", "echo > .git/config.worktree", "echo '*.c filter=x' > .git/info/attributes",
		"mkdir -p .git/info; echo x > .git/info/exclude", "echo .. > .git/commondir", "echo x > .git/gitdir", "git worktree add -q ../wt-of-test/x HEAD || echo > .git/worktrees",
		"mkdir -p .git/modules/x; echo > .git/modules/x/config", "echo > .git/emend/format", "rm -rf .git/emend/log", "rm -rf .git", "mv .git .other", "mkdir -p n; cd n; git init -q",
		"mkdir n; echo 'gitdir: ../../elsewhere' > n/.git", "echo > .gitmodules", "git init -q --bare n", "git clone -q --no-hardlinks . n",
	} {
		t.Run(script, func(t *testing.T) {
			w := gitWorld(t)
			w.lands("true")
			w.discard(w.refused(t.Context(), "echo 2 > a; "+script, ""))
			w.git("fsck")
		})
	}
}

// TestNestedRepositories checks that the repository of a directory below, or of a submodule, refuses all.
func TestNestedRepositories(t *testing.T) {
	w := gitWorld(t)
	w.git("clone", "-q", ".", "nested")
	w.discard(w.refused(t.Context(), "cd nested; echo 2 > a; git commit -qam 2", ".git"))
	w.lands("echo 2 > nested/a")
	w.has("nested/a", "2\n")

	w = gitWorld(t)
	w.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "./", "sub")
	w.git("commit", "-qm", "submodule")
	w.discard(w.refused(t.Context(), "cd sub; echo 2 > a; git commit -qam 2", "protected"))
}

// TestGitBesideGit checks that nothing lands while the git of somebody else is at work in the same files, and later it does.
func TestGitBesideGit(t *testing.T) {
	w := gitWorld(t)
	w.lands("true")
	rep, err := w.run(t.Context(), w.meanwhile("echo 2 > a; git add a", "", func() { write(t, w.path(".git/index.lock"), "") }))
	w.isRefused(err, "somebody else's git has it locked")
	w.has("a", "a\n")
	must(t, os.Remove(w.path(".git/index.lock")))
	_, err = w.ws.Host().LandLayer(t.Context(), rep.Layer)
	must(t, err)
	if out := w.git("status", "--porcelain"); out != "M  a\n" {
		t.Errorf("status: %q", out)
	}

	rep, err = w.run(t.Context(), w.meanwhile("echo 3 > a; git commit -qam 3", "", func() {
		write(t, w.path("p"), "person")
		w.git("add", "p")
		w.git("commit", "-qm", "person", "p")
	}))
	w.isRefused(err, "somebody changed it while the command ran")
	w.has("a", "2\n")
	w.discard(rep.Layer)
	w.git("fsck")
}
