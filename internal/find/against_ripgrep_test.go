package find

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/guard"
)

// commonRules returns a random ignore file of rules that git and ripgrep read alike.
func (m *maker) commonRules() string {
	var b strings.Builder
	names := []string{"a", "b", "ab", "a.c", "b.o", "foo", "bar", "build", ".h", "A", "1", "node_modules"}
	for range 1 + m.IntN(5) {
		b.WriteString(pick(m, "", "", "", "!"))
		b.WriteString(pick(m, "", "", "/", "**/"))
		for range m.IntN(2) {
			b.WriteString(pick(m, names...) + pick(m, "/", "/", "/**/", "/*/"))
		}
		b.WriteString(pick(m, pick(m, names...), pick(m, names...), "*.c", "*.o", "a*", "?", "[ab]", "*", "f??"))
		b.WriteString(pick(m, "", "", "", "/", "/**") + "\n")
	}
	return b.String()
}

func (m *maker) ignoreFiles(t *testing.T) {
	must(t, filepath.WalkDir(m.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() != ".git" && m.IntN(4) == 0 {
			err = os.WriteFile(filepath.Join(path, ".ignore"), []byte(m.commonRules()), 0o644)
		}
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		return err
	}))
}

// TestAgainstRipgrep: the files that are looked at are those that ripgrep and fd look at, with .ignore files, nested
// repositories, and no repository at all.
func TestAgainstRipgrep(t *testing.T) {
	rg := program(t, "rg")
	fd := program(t, "fdfind", "fd")
	files, left := 0, 0
	for seed := range *trees {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := &maker{rand.New(rand.NewPCG(2, uint64(seed))), t, t.TempDir()}
			m.tree("", 3, m.commonRules)
			m.ignoreFiles(t)
			if m.IntN(3) > 0 {
				repository(t, m.dir)
			}
			if inner := filepath.Join(m.dir, "foo"); m.IntN(3) == 0 && os.MkdirAll(inner, 0o755) == nil {
				repository(t, inner)
			}
			all := allFiles(t, m.dir)
			got := ours(t, m.dir, ".", Options{})
			files, left = files+len(all), left+len(got)
			want := run(t, m.dir, "", rg, "--files", "--hidden", "--no-ignore-global", "--null", "-g", "!.git", "-g", "!node_modules")
			compareFiles(t, m.dir, "rg", got, splitPaths(want))
			want = run(t, m.dir, "", fd, "--hidden", "--type", "f", "--no-global-ignore-file", "--print0", "-E", ".git", "-E", "node_modules")
			compareFiles(t, m.dir, "fd", got, splitPaths(want))
			got = ours(t, m.dir, ".", Options{IncludeIgnored: true})
			want = run(t, m.dir, "", rg, "--files", "--hidden", "--no-ignore", "--null", "-g", "!.git", "-g", "!node_modules")
			compareFiles(t, m.dir, "rg --no-ignore", got, splitPaths(want))
		})
	}
	t.Logf("%d trees, %d files, %d of them not ignored", *trees, files, left)
}

func splitPaths(out string) (paths []string) {
	for p := range strings.SplitSeq(out, "\x00") {
		if p = strings.TrimPrefix(p, "./"); p != "" {
			paths = append(paths, p)
		}
	}
	return paths
}

// text returns a random file. With simple it has no CR and no invalid bytes: searching for an expression, ripgrep 13 takes
// some of them for something else, and with --crlf it may panic. It has no NUL either: of a binary file ripgrep shows
// whatever it has read before the NUL, and find does not.
func (m *maker) text(simple bool) []byte {
	var b bytes.Buffer
	if m.IntN(8) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	end, odd := pick(m, "\n", "\r\n"), []string{"\xff", "\xc3", "\r"}
	if simple {
		end, odd = "\n", []string{"y"}
	}
	for range m.IntN(40) {
		for range m.IntN(6) {
			b.WriteString(pick(m, "foo", "Foo", "FOO", "bar", "a", "b", " ", "\t", "é", "É", "ſ", "K", "k", "S", "foobar", "x1", "_", pick(m, odd...), "日本", "0", "(", "."))
		}
		if m.IntN(30) == 0 {
			b.WriteString(strings.Repeat(pick(m, "x", "fo", "é"), m.IntN(20_000)))
			b.WriteString(pick(m, "", "foo", "bar"))
		}
		b.WriteString(pick(m, end, end, end, end+end, "\n"))
	}
	b.WriteString(pick(m, "", "", "last foo", "bar"))
	return b.Bytes()
}

// TestLinesAgainstRipgrep: the lines that match are those that match for ripgrep.
func TestLinesAgainstRipgrep(t *testing.T) {
	rg := program(t, "rg")
	texts := []string{"foo", "a", "bar", "foobar", "é", "k", "s", "日本", "o", "x", ".", "(", "oofo", "Foo", "foo\tb", " "}
	regexps := []string{"foo", "^foo", "foo$", `foo\s*$`, "^[^f]*bar", "^.oo", "^$", "^", "$", "fo+b", "(foo|bar)a", "a|b|é", "[a-c]x?1", "(?i)fOo", "x{3,5}f", "(a|)bar$", "k", "[[:digit:]]", `(foo)+`, "(?:a|b)(?:a|b)", "^\t", `\.`, "[a-c]+[0-9]", "^[^ ]+ [a-z]", "[A-Z][a-z]+ ", "(foo|x1|é)+$", "[^a-z ]{2}"}
	lines := 0
	for seed := range *trees {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := &maker{rand.New(rand.NewPCG(3, uint64(seed))), t, t.TempDir()}
			simple := m.IntN(2) == 0
			for i := range 8 {
				must(t, os.WriteFile(filepath.Join(m.dir, fmt.Sprintf("f%d", i)), m.text(simple), 0o644))
			}
			for range 6 {
				q, args := SearchQuery{Query: pick(m, texts...), IgnoreCase: m.IntN(3) == 0, Context: 0}, []string{"--no-config", "-n", "--no-heading", "--color", "never", "--no-ignore", "--hidden", "--null", "--column", "--no-encoding"}
				if simple && m.IntN(3) > 0 {
					q.Mode, q.Query = Regexp, pick(m, regexps...)
				} else {
					args = append(args, "-F")
				}
				if q.IgnoreCase {
					args = append(args, "-i")
				}
				want := parseRipgrep(t, run(t, m.dir, "", rg, append(args, "-e", q.Query, "./")...))
				got := searchIn(t, m.dir, q)
				for i := range got {
					if i < len(want) && want[i].column == 0 {
						got[i].column = 0
					}
				}
				lines += len(got)
				if !slices.Equal(got, want) {
					t.Errorf("%+v: %d lines, rg has %d%s", q, len(got), len(want), difference(m.dir, got, want))
				}
			}
		})
	}
	t.Logf("%d trees, %d lines", *trees, lines)
}

type place struct {
	path         string
	line, column int
}

func difference(dir string, got, want []place) string {
	var b strings.Builder
	for _, p := range got {
		if !slices.Contains(want, p) {
			fmt.Fprintf(&b, "\n  ours only: %v %.100q", p, lineOf(dir, p))
		}
	}
	for _, p := range want {
		if !slices.Contains(got, p) {
			fmt.Fprintf(&b, "\n  rg only: %v %.100q", p, lineOf(dir, p))
		}
	}
	return b.String()
}

func lineOf(dir string, p place) []byte {
	text, _ := os.ReadFile(filepath.Join(dir, p.path))
	if all := bytes.SplitAfter(text, newline); p.line <= len(all) {
		return all[p.line-1]
	}
	return nil
}

func searchIn(t testing.TB, dir string, q SearchQuery) (out []place) {
	t.Helper()
	g, err := guard.Open(dir, guard.Options{})
	must(t, err)
	defer g.Close()
	root, err := g.Resolve(".", guard.Request{})
	must(t, err)
	found, _, err := Search(context.Background(), g, Options{Root: root}, q)
	must(t, err)
	for _, f := range found {
		out = append(out, place{f.Path, f.Line, f.Column})
	}
	return out
}

// parseRipgrep parses path NUL line:column:text. The text may have any byte, so only lines that begin like a path count.
func parseRipgrep(t *testing.T, out string) (all []place) {
	t.Helper()
	for line := range strings.SplitSeq(out, "\n") {
		path, rest, ok := strings.Cut(line, "\x00")
		if !ok || !strings.HasPrefix(path, "./f") {
			continue
		}
		parts := strings.SplitN(rest, ":", 3)
		n, err := strconv.Atoi(parts[0])
		must(t, err)
		column, _ := strconv.Atoi(parts[1]) // ripgrep omits it for an empty match at the end of a file
		all = append(all, place{path[2:], n, column})
	}
	slices.SortFunc(all, func(a, b place) int {
		if a.path != b.path {
			return strings.Compare(a.path, b.path)
		}
		return a.line - b.line
	})
	return all
}
