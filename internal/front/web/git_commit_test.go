package web

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestCommitOfChange: a change says which commit of git it became part of, also after later changes that were committed with it; not
// before there is one, and not if it was undone.
func TestCommitOfChange(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: git is not installed")
	}
	p := newTestPages(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n", "dir/c.txt": "c\n"})
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"}, args...)...)
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(subject string) string {
		git("add", "-A", "a.txt", "b.txt", "dir")
		git("commit", "-q", "-m", subject)
		return git("rev-parse", "--short=9", "HEAD")
	}
	git("init", "-q")
	commit("begin")
	first := p.patch(update("a.txt", "one", "two"))
	saysNot(t, p.get(p.entryPage(first)), "Committed in")
	second := p.patch(update("a.txt", "two", "three"))
	id := commit("cart: <three>")
	third := p.patch(update("dir/c.txt", "c", "d"))
	deleted := p.patch("*** Delete File: b.txt\n")
	last := commit("the rest")
	for _, c := range []struct{ entry, want string }{
		{first, id + " cart: <three>"}, {second, id + " cart: <three>"}, {third, last + " the rest"}, {deleted, last + " the rest"},
	} {
		says(t, p.get(p.entryPage(c.entry)), "Committed in "+c.want)
	}
	p.submit(p.get("/ui/default/confirm/undo?entry="+third), "do")
	saysNot(t, p.get(p.entryPage(third)), "Committed in")
}
