package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChangelog makes the changelog of a repository with one version and a change after it.
func TestChangelog(t *testing.T) {
	needs(t, "git")
	dir := t.TempDir()
	env := []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z"}
	git := func(args ...string) { commandEnv(t, dir, env, "git", args...) }
	commit := func(message string) { git("commit", "-q", "--allow-empty", "-m", message) }
	git("init", "-q")
	commit("web: buttons\n\nWhy.\n\nChangelog: Pages: A page has\n a button.\nChangelog: Patches: They apply.")
	commit("proof: more tests")
	git("tag", "v0.1.0")
	commit("cli: a flag\n\nChangelog: Command line: There is a flag.\nReviewed-by: a")
	var out strings.Builder
	if err := printChangelog(t.Context(), &out, dir); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "commits.\n\n")
	const want = "## Not yet published\n\n### Command line\n\n- There is a flag.\n\n" +
		"## 0.1.0, 2026-01-02\n\n### Patches\n\n- They apply.\n\n### Pages\n\n- A page has a button.\n\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	commit("web: a slip\n\nChangelog: Sites: Something.")
	if err := printChangelog(t.Context(), &out, dir); err == nil || !strings.Contains(err.Error(), "Sites") {
		t.Errorf("an unknown part: %v", err)
	}
}

// TestChangelogFile: CHANGELOG.md has nothing but what commits say, in their order. It may lack what the newest ones say.
func TestChangelogFile(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if command(t, root, "git", "rev-parse", "--is-shallow-repository") != "false\n" {
		t.Skip("NOT RUN: this clone does not have all commits")
	}
	var made strings.Builder
	if err := printChangelog(t.Context(), &made, root); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	rest, missing := made.String(), 0
	for line := range strings.Lines(string(data)) {
		before, after, ok := strings.Cut(rest, line)
		if !ok {
			t.Fatalf("CHANGELOG.md has %q, which no commit says there; go -C release run . -changelog > CHANGELOG.md writes it anew", line)
		}
		missing += strings.Count(before, "\n- ") + strings.Count(before, "### ")
		rest = after
	}
	t.Logf("CHANGELOG.md lacks %d lines of the newest commits", missing+strings.Count(rest, "\n- "))
}
