package read_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func TestGlob(t *testing.T) {
	quiet(t)
	ws := emendtest.Workspace(t, "src/a.go", "1", "src/in/b.go", "", "c.go", "", "src/in/x.key", "", ".ignore", "c.go\n")
	a, err := ws.Glob(t.Context(), api.GlobRequest{Pattern: "src/**"})
	if err != nil || a.Result().Text() != "4 paths\nsrc/\nsrc/a.go\nsrc/in/\nsrc/in/b.go" || a.Data.Matches[1].Size != 1 || a.Data.Matches[0].Type != "directory" {
		t.Errorf("%+v, %v", a, err)
	}
	in, err := emend.Open(ws.Root(), emend.Base("src"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if a, err = in.Glob(t.Context(), api.GlobRequest{Pattern: "*.go", MaxResults: 1}); err != nil || a.Result().Text() != "1 path\nsrc/a.go" || a.Data.Truncated {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = ws.Glob(t.Context(), api.GlobRequest{Pattern: "**/*.go", MaxResults: 1, IncludeIgnored: true}); err != nil || a.Data.Matches[0].Path != "c.go" || !a.Data.Truncated {
		t.Errorf("%+v, %v", a, err)
	}
	_, err = ws.Glob(t.Context(), api.GlobRequest{Pattern: "[a"})
	refusedAs(t, err, fail.CommandFailed, "bad_pattern")
	_, err = ws.Glob(t.Context(), api.GlobRequest{Pattern: "*", Root: "src/a.go"})
	refusedAs(t, err, fail.NotFound, "")
	left := emend.WithoutDirs(t.Context(), "in")
	if a, err = ws.Glob(left, api.GlobRequest{Pattern: "**/*.go"}); err != nil || a.Result().Text() != "2 paths\nc.go\nsrc/a.go" {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestExcludes: the user's excludes file of git applies in a repository.
func TestExcludes(t *testing.T) {
	quiet(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	os.Unsetenv("GIT_CONFIG_GLOBAL")
	ws := emendtest.Workspace(t, ".git/HEAD", "", "a.one", "", "a.two", "", "a.txt", "")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	globs := func() string {
		t.Helper()
		a, err := ws.Glob(t.Context(), api.GlobRequest{Pattern: "*"})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result().Text()
	}
	write("config/git/ignore", "*.one\n")
	if got := globs(); got != "2 paths\na.two\na.txt" {
		t.Errorf("%s", got)
	}
	write(".gitconfig", "[user]\n\texcludesfile = no\n[core] # here\n  ExcludesFile = \"~/my ignores\" ; and\n[other]\n")
	write("my ignores", "*.two\n")
	if got := globs(); got != "2 paths\na.one\na.txt" {
		t.Errorf("%s", got)
	}
}
