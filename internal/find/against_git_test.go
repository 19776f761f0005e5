package find

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/guard"
)

var trees = flag.Int("find.trees", 25, "how many random trees each comparison with another program makes")

// program returns the path of a program, and skips the test if it is not installed.
func program(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("%s is not installed", names[0])
	return ""
}

// run runs a program in dir, without the configuration of the person who runs the tests. Its exit code 1 means that it found
// nothing.
func run(t *testing.T, dir, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "HOME="+dir+"/no-home", "XDG_CONFIG_HOME="+dir+"/no-home", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "RIPGREP_CONFIG_PATH=")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%s %q: %v\n%s", name, args, err, errs.String())
	}
	return string(out)
}

// maker makes random trees.
type maker struct {
	*rand.Rand
	t   *testing.T
	dir string
}

func pick[T any](m *maker, from ...T) T { return from[m.IntN(len(from))] }

var someNames = []string{"a", "b", "ab", "a.c", "b.o", "foo", "bar", "build", "x y", "é", ".h", ".hide", "A", "a-b", "1", "[a]", "f*", `q\`, "a]", "^", "-", "tmp ", "#x", "!y", "a", "a", "b", "ab", "foo"}

func (m *maker) tree(rel string, depth int, rules func() string) {
	dir := filepath.Join(m.dir, rel)
	must(m.t, os.MkdirAll(dir, 0o755))
	for range 2 + m.IntN(6) {
		name := pick(m, someNames...)
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		switch n := m.IntN(10); {
		case n < 4 && depth > 0:
			m.tree(filepath.Join(rel, name), depth-1, rules)
		case n == 9:
			must(m.t, os.Symlink(pick(m, someNames...), path))
		default:
			must(m.t, os.WriteFile(path, []byte(name+"\n"), 0o644))
		}
	}
	if rules != nil && (rel == "" || m.IntN(4) == 0) {
		must(m.t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(rules()), 0o644))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// repository makes what git accepts as a repository.
func repository(t testing.TB, dir string) {
	t.Helper()
	for _, d := range []string{"objects", "refs", "info"} {
		must(t, os.MkdirAll(filepath.Join(dir, ".git", d), 0o755))
	}
	must(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
}

// gitRules returns a random ignore file with every kind of rule that git knows.
func (m *maker) gitRules() string {
	var b strings.Builder
	for range 1 + m.IntN(5) {
		if m.IntN(4) == 0 {
			b.WriteByte('!')
		}
		if m.IntN(3) > 0 {
			b.WriteString(m.likely())
		} else {
			for range 1 + m.IntN(4) {
				b.WriteString(m.piece())
			}
		}
		b.WriteString(pick(m, "", "", "", "/", " ", `\ `, "  ", "\t"))
		b.WriteString(pick(m, "\n", "\n", "\n", "\r\n", "\n\n", "\n# no\n"))
	}
	text := b.String()
	if m.IntN(5) == 0 {
		text = strings.TrimRight(text, "\r\n")
	}
	if m.IntN(10) == 0 {
		text = "\ufeff" + text
	}
	return text
}

// likely returns a pattern made of a path that may exist.
func (m *maker) likely() string {
	var b strings.Builder
	b.WriteString(pick(m, "", "", "/", "**/"))
	for range 1 + m.IntN(3) {
		if b.Len() > 1 {
			b.WriteString(pick(m, "/", "/", "/", "/**/", "**/", "/**", "*/", `\/`))
		}
		for _, c := range pick(m, someNames...) {
			b.WriteString(pick(m, string(c), string(c), string(c), string(c), `\`+string(c), "?", "*", "["+string(c)+"x]", "[!x]", "**", string(c)+"*"))
		}
	}
	return b.String()
}

func (m *maker) piece() string {
	return pick(m, pick(m, someNames...), pick(m, someNames...), "*", "*", "**", "/", "/", "**/", "/**", "/**/", "?", "a*", "*.c", "*a",
		"[a-b]", "[!a]", "[^a]", "[]a]", "[!]a]", "[[:alpha:]]", "[[:space:]x]", "[[:nonesuch:]]", "[a", "[a-", `[\]]`, `[\a-b]`, "[[:]", "[a-c-e]", "[--a]", "[b-a]",
		`\a`, `\*`, `\`, `\#`, `\!`, "***", "x", "#", "!", "f[o]o", "[[:upper:][:digit:]]", "[!/]", "[/]", "é", "[é]", "./", "../", "//")
}

// ours returns every regular file that is not left out.
func ours(t *testing.T, dir, root string, o Options) []string {
	t.Helper()
	g, err := guard.Open(dir, guard.Options{AllowProtected: []string{"**"}})
	must(t, err)
	defer g.Close()
	if o.Root, err = g.Resolve(root, guard.Request{}); err != nil {
		t.Fatal(err)
	}
	found, out, err := Glob(context.Background(), g, o, GlobQuery{Pattern: "**"})
	if err != nil || out.More || out.Unreadable > 0 {
		t.Fatalf("%v, %+v", err, out)
	}
	var files []string
	for _, f := range found {
		if f.Kind == guard.Regular {
			files = append(files, f.Path)
		}
	}
	if !slices.IsSorted(files) {
		t.Errorf("not in order: %q", files)
	}
	return files
}

// allFiles returns every regular file except those of .git.
func allFiles(t *testing.T, dir string) (out []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			rel, err := filepath.Rel(dir, path)
			must(t, err)
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	}))
	return out
}

func compareFiles(t *testing.T, dir, who string, got, want []string) {
	t.Helper()
	slices.Sort(want)
	if slices.Equal(got, want) {
		return
	}
	for _, f := range got {
		if !slices.Contains(want, f) {
			t.Errorf("%q is found, but not by %s", f, who)
		}
	}
	for _, f := range want {
		if !slices.Contains(got, f) {
			t.Errorf("%q is found by %s only", f, who)
		}
	}
	for _, f := range allFiles(t, dir) {
		if base := filepath.Base(f); base == ".gitignore" || base == ".ignore" {
			text, _ := os.ReadFile(filepath.Join(dir, f))
			t.Logf("%s: %q", f, text)
		}
	}
	t.FailNow()
}

// TestAgainstGit: in random trees with random rules, the names that git ignores are left out.
func TestAgainstGit(t *testing.T) {
	git := program(t, "git")
	files, left := 0, 0
	for seed := range *trees {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := &maker{rand.New(rand.NewPCG(1, uint64(seed))), t, t.TempDir()}
			repository(t, m.dir)
			m.tree("", 3, m.gitRules)
			var o Options
			args := []string{"-c", "core.excludesFile=", "check-ignore", "--no-index", "-z", "--stdin"}
			if m.IntN(2) == 0 {
				must(t, os.WriteFile(filepath.Join(m.dir, ".git/info/exclude"), []byte(m.gitRules()), 0o644))
			}
			if m.IntN(2) == 0 {
				o.Excludes = []byte(m.gitRules())
				path := filepath.Join(t.TempDir(), "excludes")
				must(t, os.WriteFile(path, o.Excludes, 0o644))
				args[1] = "core.excludesFile=" + path
			}
			all := allFiles(t, m.dir)
			files += len(all)
			ignored := strings.Split(run(t, m.dir, strings.Join(all, "\x00"), git, args...), "\x00")
			want := slices.DeleteFunc(all, func(f string) bool { return slices.Contains(ignored, f) })
			left += len(want)
			compareFiles(t, m.dir, "git", ours(t, m.dir, ".", o), want)
		})
	}
	t.Logf("%d trees, %d files, %d of them not ignored", *trees, files, left)
}
