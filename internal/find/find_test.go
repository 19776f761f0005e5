package find

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
)

// plant makes files, directories (a name that ends in a slash) and links (a content "-> target") below dir.
func plant(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, link := strings.CutPrefix(content, "-> "); link {
			must(t, os.Symlink(target, path))
		} else if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
		} else {
			must(t, os.WriteFile(path, []byte(content), 0o644))
		}
	}
}

// opened opens dir, and resolves the root of the search in it.
func opened(t testing.TB, dir, root string) (*guard.Guard, Options) {
	t.Helper()
	g, err := guard.Open(dir, guard.Options{})
	must(t, err)
	t.Cleanup(func() { g.Close() })
	e, err := g.Resolve(root, guard.Request{})
	must(t, err)
	return g, Options{Root: e}
}

func searched(t testing.TB, dir, root string, q SearchQuery) ([]Match, Summary) {
	t.Helper()
	g, o := opened(t, dir, root)
	found, out, err := Search(context.Background(), g, o, q)
	must(t, err)
	return found, out
}

func globbed(t testing.TB, dir, root, pattern string) (paths []string) {
	t.Helper()
	g, o := opened(t, dir, root)
	found, _, err := Glob(context.Background(), g, o, GlobQuery{Pattern: pattern})
	must(t, err)
	for _, f := range found {
		paths = append(paths, f.Path)
	}
	return paths
}

// reason checks the kind and reason of a refusal.
func reason(t *testing.T, err error, want string) {
	t.Helper()
	e, ok := errors.AsType[*fail.Error](err)
	if !ok || string(e.Kind)+"/"+e.Reason != want || !strings.HasSuffix(e.Hint, ".") {
		t.Fatalf("err = %v, want %s", err, want)
	}
}

func TestGlob(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a.go": "", "src/a.go": "", "src/b.ts": "", "src/in/c.tsx": "", "src-x": "", "src/in/d.go": "", ".h/e.go": "",
		"node_modules/m/f.go": "", ".git/g.go": "", ".emend/h.go": "", "link.go": "-> a.go", "to": "-> src", "[x].go": ""})
	for _, tt := range []struct{ root, pattern, want string }{
		{".", "*.go", "[x].go a.go link.go"},
		{".", "**/*.go", ".h/e.go [x].go a.go link.go src/a.go src/in/d.go"},
		{".", "src/**", "src src/a.go src/b.ts src/in src/in/c.tsx src/in/d.go"},
		{".", "src/*.{ts,tsx}", "src/b.ts"},
		{".", "src/**/*.{ts,tsx}", "src/b.ts src/in/c.tsx"},
		{".", "{src,.h}/*.go", ".h/e.go src/a.go"},
		{".", "{src/in,.h}/*.go", ".h/e.go src/in/d.go"},
		{".", "s??", "src"},
		{".", "s*/*.go", "src/a.go"},
		{".", "src*", "src src-x"},
		{".", "*/", ".h src"},
		{".", `\[x].go`, "[x].go"},
		{".", "[[]x].go", "[x].go"},
		{".", "..*", ""},
		{".", "s[!x]c/*.go", "src/a.go"},
		{"src", "*.go", "src/a.go"},
		{"src", "in/*", "src/in/c.tsx src/in/d.go"},
		{"node_modules", "**/*.go", "node_modules/m/f.go"},
		{".git", "*", ".git/g.go"},
		{".", "*", ".h [x].go a.go link.go src src-x to"},
	} {
		if got := strings.Join(globbed(t, dir, tt.root, tt.pattern), " "); got != tt.want {
			t.Errorf("%s in %s: %q, want %q", tt.pattern, tt.root, got, tt.want)
		}
	}
}

// TestBadPatterns: a text that is no pattern is refused, and the refusal names the character.
func TestBadPatterns(t *testing.T) {
	g, o := opened(t, t.TempDir(), ".")
	many := strings.Repeat("{a,a}", 30)
	for _, tt := range []struct {
		mode  string
		query string
		at    int
	}{
		{"glob", "a[b", 2}, {"glob", "é{a,b", 2}, {"glob", "a}", 2}, {"glob", `ab\`, 3}, {"glob", "", 1}, {"glob", many, 1}, {"glob", "{{a,b},{c,d}", 1},
		{"glob", strings.Repeat("a", maxPattern+1), 1}, {"glob", "a\xff", 1},
		{"glob", "../*", 1}, {"glob", "src/../*.go", 5}, {"glob", "a/{b,..}/c", 6}, {"glob", "a/..", 3}, {"glob", "/etc/*", 1}, {"glob", "!a", 1},
		{"regex", "a(b", 2}, {"regex", "ab)", 3}, {"regex", "é[a", 2}, {"regex", "x**", 2}, {"regex", `a\`, 2}, {"regex", "a{2000}", 2},
		{"regex", "(?<=a)b", 1}, {"regex", `a\8`, 2}, {"regex", "*a", 1}, {"regex", "[)](", 4},
	} {
		var err error
		if tt.mode == "glob" {
			_, _, err = Glob(context.Background(), g, o, GlobQuery{Pattern: tt.query})
		} else {
			_, _, err = Search(context.Background(), g, o, SearchQuery{Query: tt.query, Mode: Regexp})
		}
		reason(t, err, "command_failed/bad_pattern")
		if place := fmt.Sprintf("at character %d,", tt.at); !strings.Contains(err.Error(), place) || len(err.Error()) > 300 {
			t.Errorf("%s %.40q: %v, want %q in it", tt.mode, tt.query, err, place)
		}
	}
	for _, q := range []SearchQuery{{Query: ""}, {Query: "a\nb"}, {Query: `a\nb`, Mode: Regexp}, {Query: strings.Repeat("a", maxQuery+1)}, {Query: "", Mode: Paths}, {Query: "a", Include: []string{"["}}, {Query: "a", Exclude: []string{"["}}, {Query: "a", Exclude: []string{"!b"}}, {Query: "a", Include: []string{"../*"}}, {Query: "!*.go", Mode: Paths}} {
		_, _, err := Search(context.Background(), g, o, q)
		reason(t, err, "command_failed/bad_pattern")
	}
}

// TestSearchShows: the lines, the places of the matches in them, and the lines around.
func TestSearchShows(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"f": "one\r\ntwo foo\r\nthree\r\n\r\nfoo foo\r\nsix\r\nseven\r\nFoo", "dir/g": "\ufefffoo\n", "bin": "foo\x00", "dir.x": "foo", "empty": ""})
	found, out := searched(t, dir, ".", SearchQuery{Query: "foo", Context: 2})
	want := []Match{
		{"dir.x", 1, 1, "foo", nil, nil},
		{"dir/g", 1, 1, "foo", nil, nil},
		{"f", 2, 5, "two foo", []string{"one"}, []string{"three", ""}},
		{"f", 5, 1, "foo foo", []string{"three", ""}, []string{"six", "seven"}},
	}
	if !reflect.DeepEqual(found, want) || out != (Summary{Files: 5}) {
		t.Errorf("%+v\n%+v", found, out)
	}
	if found, out = searched(t, dir, "f", SearchQuery{Query: "foo$", Mode: Regexp, IgnoreCase: true}); len(found) != 3 || found[2].Line != 8 || found[1].Column != 5 || out.Files != 1 {
		t.Errorf("%+v\n%+v", found, out)
	}
	if found, out = searched(t, dir, ".", SearchQuery{Query: "o", Limit: 2, Context: 1}); len(found) != 2 || !out.More || found[1].Path != "dir/g" || out.Files != 5 {
		t.Errorf("%+v\n%+v", found, out)
	}
	if found, out = searched(t, dir, "f", SearchQuery{Query: "o", Limit: 4, Context: 1}); len(found) != 4 || out.More || found[0].After[0] != "two foo" {
		t.Errorf("%+v\n%+v", found, out)
	}
	if found, out = searched(t, dir, "dir", SearchQuery{Query: "foo", Limit: 1}); len(found) != 1 || out.More {
		t.Errorf("%+v\n%+v", found, out)
	}
	plant(t, dir, map[string]string{"dir/h": "foo"})
	if found, out = searched(t, dir, "dir", SearchQuery{Query: "foo", Limit: 1}); len(found) != 1 || !out.More {
		t.Errorf("%+v\n%+v", found, out)
	}
	if found, _ = searched(t, dir, ".", SearchQuery{Query: `\r`, Mode: Regexp, Include: []string{"f"}}); len(found) != 7 {
		t.Errorf("%+v", found)
	}
}

func TestSearchPaths(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"Make.go": "", "sub/make.txt": "", "sub/other": "", "cmake/x": "", "sub/lnk-make": "-> other", ".gitignore": "*.txt\n"})
	for _, tt := range []struct {
		q    SearchQuery
		want string
	}{
		{SearchQuery{Query: "make"}, "sub/lnk-make sub/make.txt"},
		{SearchQuery{Query: "make", IgnoreCase: true}, "Make.go sub/lnk-make sub/make.txt"},
		{SearchQuery{Query: "ub/m"}, "sub/make.txt"},
		{SearchQuery{Query: "*.GO", IgnoreCase: true}, "Make.go"},
		{SearchQuery{Query: "*.txt"}, "sub/make.txt"},
		{SearchQuery{Query: "sub/*"}, "sub/lnk-make sub/make.txt sub/other"},
		{SearchQuery{Query: "*", Include: []string{"*.go", "sub/**"}, Exclude: []string{"make*"}}, "Make.go sub/lnk-make sub/other"},
		{SearchQuery{Query: "*", Exclude: []string{"sub/"}}, ".gitignore Make.go cmake/x"},
	} {
		tt.q.Mode = Paths
		found, _ := searched(t, dir, ".", tt.q)
		var got []string
		for _, m := range found {
			got = append(got, m.Path)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%+v: %q, want %q", tt.q, got, tt.want)
		}
	}
}

// TestList: names come by depth, then by kind, then by name; hidden ones only on request.
func TestList(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"z/b": "12", "z/y/c": "", "a": "1", "b-": "-> a", ".h/x": "", "k/b": "", "k/a": "", "node_modules/n": "", ".git/x": "", ".gitignore": "k/a\n", ".ignore": "z/y\n"})
	g, o := opened(t, dir, ".")
	list := func(l ListQuery) string {
		found, out, err := List(context.Background(), g, o, l)
		must(t, err)
		var b strings.Builder
		for _, f := range found {
			fmt.Fprintf(&b, "%d %s %s\n", f.Depth, f.Type(), f.Path)
			if fi, err := os.Lstat(filepath.Join(dir, f.Path)); err != nil || fi.Size() != f.Size || !fi.ModTime().Equal(f.ModTime) {
				t.Errorf("%s: size %d, time %v", f.Path, f.Size, f.ModTime)
			}
		}
		fmt.Fprint(&b, out.More)
		return b.String()
	}
	if got, want := list(ListQuery{Depth: 1, Limit: 10}), "1 directory k\n1 directory z\n1 file a\n1 link b-\nfalse"; got != want {
		t.Errorf("%s", got)
	}
	// k/a is ignored by git only, and this is a repository; z/y by .ignore.
	if got, want := list(ListQuery{Depth: 3, Limit: 10, Hidden: true}), "1 directory .h\n1 directory k\n1 directory z\n1 file .gitignore\n1 file .ignore\n1 file a\n1 link b-\n2 file b\n"; !strings.HasPrefix(got, want[:len(want)-9]) || strings.Contains(got, "k/a") || strings.Contains(got, "z/y") || strings.Contains(got, ".git/") {
		t.Errorf("%s", got)
	}
	o.IncludeIgnored = true
	if got := list(ListQuery{Depth: 3, Limit: 10}); !strings.Contains(got, "2 directory z/y\n2 file k/a\n2 file k/b\n2 file z/b\n3 file z/y/c\nfalse") {
		t.Errorf("%s", got)
	}
	if got := list(ListQuery{Depth: 3, Limit: 5}); !strings.HasSuffix(got, "1 link b-\n2 directory z/y\ntrue") {
		t.Errorf("%s", got)
	}
	o.SkipDirs = []string{"z"}
	o.IncludeIgnored = false
	if got := list(ListQuery{Depth: 3, Limit: 9}); strings.Contains(got, "z") || !strings.Contains(got, "k/a") || !strings.Contains(got, "node_modules/n") {
		t.Errorf("%s", got)
	}
}

// TestOrder: the answer is the same, however many goroutines search.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("d%d/e%d-/f%d", i%7, i%11, i)] = strings.Repeat("foo\nbar\n", i%5)
		files[fmt.Sprintf("d%d/e%d/f%d", i%7, i%11, i)] = "foo"
		files[fmt.Sprintf("big/%d", i)] = "foo bar\n"
	}
	plant(t, dir, files)
	g, o := opened(t, dir, ".")
	for _, most := range []int{0, 1, 50, 333} {
		var first []Match
		var outcome Summary
		for workers := 1; workers < 9; workers++ {
			o.Workers = workers
			found, out, err := Search(context.Background(), g, o, SearchQuery{Query: "foo", Limit: most})
			must(t, err)
			if workers == 1 {
				first, outcome = found, out
			}
			if !reflect.DeepEqual(found, first) || out != outcome {
				t.Errorf("%d workers find %d lines (%+v), one %d (%+v)", workers, len(found), out, len(first), outcome)
			}
		}
		inOrder := slices.IsSortedFunc(first, func(a, b Match) int { return strings.Compare(a.Path, b.Path) })
		if !inOrder || len(first) == 0 || most > 0 && (len(first) != most || !outcome.More) {
			t.Errorf("at most %d: %d lines, in order %t, %+v", most, len(first), inOrder, outcome)
		}
	}
}

// TestRulesAbove: the rules of the directories above the workspace, up to the top of its repository, apply in it, and so do
// those between the workspace and the root of a search.
func TestRulesAbove(t *testing.T) {
	top := t.TempDir()
	repository(t, filepath.Join(top, "r"))
	plant(t, top, map[string]string{".gitignore": "*.no\n", "r/.gitignore": "*.o\n/w/x\nw/y\n", "r/.git/info/exclude": "*.e\n/w/z\n", "r/w/a.o": "", "r/w/a.e": "", "r/w/a.no": "", "r/w/x": "", "r/w/y": "", "r/w/z": "",
		"r/w/sub/.gitignore": "!b.o\n/in/c\n", "r/w/sub/in/b.o": "", "r/w/sub/in/c": "", "r/w/sub/in/x": "", "r/w/.ignore": "d\n", "r/w/sub/in/d": "", "r/w/sub/in/e": "",
		"r/.ignore": "e\n"})
	for _, tt := range []struct{ root, want string }{
		{".", ".ignore a.no sub sub/.gitignore sub/in sub/in/b.o sub/in/e sub/in/x"},
		{"sub", "sub/.gitignore sub/in sub/in/b.o sub/in/e sub/in/x"},
		{"sub/in", "sub/in/b.o sub/in/e sub/in/x"},
	} {
		if got := strings.Join(globbed(t, filepath.Join(top, "r/w"), tt.root, "**"), " "); got != tt.want {
			t.Errorf("in %s: %s", tt.root, got)
		}
	}
	// A linked worktree and a submodule have a file for .git.
	plant(t, top, map[string]string{"r/.git/worktrees/t/commondir": "../..\n", "t/.git": "gitdir: ../r/.git/worktrees/t\n", "t/a.e": "", "t/in/a.e": "", "t/a": ""})
	if got := globbed(t, filepath.Join(top, "t"), ".", "**"); strings.Join(got, " ") != "a in" {
		t.Errorf("worktree: %q", got)
	}
	if got := globbed(t, filepath.Join(top, "t/in"), ".", "**"); len(got) != 0 {
		t.Errorf("below a worktree: %q", got)
	}
}

// TestSecrets: a file that may not be read does not appear, nor does it through a link.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "token\n", ".env": "token\n", "sub/.ENV.local": "token\n", "x.pem/in": "token\n", "link": "-> .env", "sub/up": "-> ../.env", "dir": "-> x.pem"})
	found, _ := searched(t, dir, ".", SearchQuery{Query: "token"})
	if len(found) != 1 || found[0].Path != "a" {
		t.Errorf("%+v", found)
	}
	if got := strings.Join(globbed(t, dir, ".", "**"), " "); got != "a dir link sub sub/up" {
		t.Errorf("%s", got)
	}
}

// TestLines: files that are not simple.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	late := strings.Repeat("foo\n", sniffBytes/4)
	for name, tt := range map[string]struct {
		text  string
		query string
		lines []int
	}{
		"a NUL at once":            {"foo\n\x00", "foo", nil},
		"a NUL just before":        {late[:sniffBytes-1] + "\x00\nfoo\n", "o", nil},
		"a NUL later":              {late + "bar\nbar\x00bar\nbar\n", "bar", []int{sniffBytes/4 + 1}},
		"a NUL later, in a line":   {strings.Repeat("x", sniffBytes) + "foo\x00", "foo", nil},
		"a NUL in a long BOM line": {"\ufeff" + strings.Repeat("x", sniffBytes) + "foo\x00", "foo", nil},
		"no last newline":          {"bar\nfoo", "foo", []int{2}},
		"a line of 1 MiB":          {"foo\n" + long[:maxLine-4] + "foo\nfoo\n", "foo", []int{1, 2, 3}},
		"more than 1 MiB":          {"foo\n" + long + "foo\nfoo\n", "foo", []int{1, 3}},
		"much more, at the end":    {"a\nfoo" + long + long + long + "foo", "foo", []int{2}},
		"more, twice":              {long + "foo\nfoo" + long + "\nfoo", "foo", []int{2, 3}},
		"a buffer, exactly":        {strings.Repeat("x", firstBuffer-4) + "foo\nfoo\n", "foo", []int{1, 2}},
		"a NUL in the rest":        {"foo\nfoo" + long + "\x00\nfoo", "foo", []int{1, 2}},
		"CR alone":                 {"foo\rfoo\n", "foo", []int{1}},
		"empty":                    {"", "foo", nil},
		"only a mark":              {"\ufeff", "\ufeff", nil},
	} {
		for how, read := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader, "with the end": iotest.DataErrReader} {
			for _, around := range []int{0, 2} {
				q, err := newText(tt.query, false)
				must(t, err)
				l := &lineScanner{q: q, context: around}
				found, err := l.scan(context.Background(), read(strings.NewReader(tt.text)))
				var got []int
				for _, m := range found {
					got = append(got, m.Line)
					if len(m.Preview) > previewBytes+6 {
						t.Errorf("%s: a preview of %d bytes", name, len(m.Preview))
					}
				}
				if err != nil || !slices.Equal(got, tt.lines) || len(l.buf) > maxBuffer {
					t.Errorf("%s, %s: lines %v, %v; a buffer of %d", name, how, got, err, len(l.buf))
				}
			}
		}
	}
}

// TestContextAcrossBlocks: the lines around a match are the same wherever a block ends.
func TestContextAcrossBlocks(t *testing.T) {
	var text []string
	for i := range 4000 {
		text = append(text, fmt.Sprintf("%d %s", i, strings.Repeat("x", i%300)))
		if i%97 == 0 || i%101 == 0 {
			text[i] = "foo"
		}
	}
	for _, around := range []int{1, 3, 100} {
		q, err := newText("foo", false)
		must(t, err)
		l := &lineScanner{q: q, context: around}
		found, err := l.scan(context.Background(), iotest.HalfReader(strings.NewReader(strings.Join(text, "\n"))))
		must(t, err)
		cut := func(lines []string) (out []string) {
			for _, s := range lines {
				out = append(out, preview([]byte(s), 0))
			}
			return out
		}
		for _, m := range found {
			before := cut(text[max(0, m.Line-1-around) : m.Line-1])
			after := cut(text[m.Line:min(len(text), m.Line+around)])
			if !slices.Equal(m.Before, before) || !slices.Equal(m.After, after) {
				t.Fatalf("line %d with %d around:\n%q\n%q", m.Line, around, m.Before, m.After)
			}
		}
		if len(found) < 70 {
			t.Errorf("%d matches", len(found))
		}
	}
}

func TestPreview(t *testing.T) {
	for _, line := range []string{"", "short", strings.Repeat("é", 300), strings.Repeat("日", 500), strings.Repeat("\xff", 500), strings.Repeat("a\u0301", 200)} {
		for at := 0; at <= len(line); at++ {
			p := preview([]byte(line), at)
			if !utf8.ValidString(p) || strings.Count(p, "…") > 2 {
				t.Fatalf("%q at %d: %q", line, at, p)
			}
			if bare := strings.Trim(p, "…"); utf8.ValidString(line) && (!strings.Contains(line, bare) || len(bare) > previewBytes || len(line) > previewBytes && len(bare) < previewBytes-8) {
				t.Fatalf("%q at %d: %d bytes", line, at, len(bare))
			}
		}
	}
}

// TestCancel: a cancelled search ends, also in the middle of a file, and of a line.
func TestCancel(t *testing.T) {
	for name, text := range map[string]string{"lines": "xx\n", "one line": "x"} {
		for _, query := range []string{"(x+x+)+y", "y", "[xy]{1000}z"} {
			ctx, cancel := context.WithCancel(context.Background())
			q, err := newRegexp(query, false)
			must(t, err)
			l := &lineScanner{q: q}
			n := 0
			_, err = l.scan(ctx, reads(func(p []byte) (int, error) {
				if n++; n == 12 {
					cancel()
				}
				return copy(p, bytes.Repeat([]byte(text), len(p)/len(text))), nil
			}))
			if !errors.Is(err, fail.CommandFailed) {
				t.Errorf("%s, %s: %v", name, query, err)
			}
			cancel()
		}
	}
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "x", "d/e/f": ""})
	g, o := opened(t, dir, ".")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := Search(ctx, g, o, SearchQuery{Query: "x"})
	reason(t, err, "command_failed/cancelled")
	_, _, err = List(ctx, g, o, ListQuery{Depth: 3, Limit: 10})
	reason(t, err, "command_failed/cancelled")
}

// TestCancelInAFile: what a file gave before the search was cancelled in it is neither returned nor counted.
func TestCancelInAFile(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": strings.Repeat("x\n", 2*firstBuffer)})
	g, o := opened(t, dir, ".")
	for after := range 6 { // calls of Err: some come between two blocks of the file
		ctx := &dying{Context: context.Background()}
		ctx.left.Store(int64(after * firstBuffer / 4))
		_, _, err := Search(ctx, g, o, SearchQuery{Query: "x"})
		reason(t, err, "command_failed/cancelled")
	}
}

// dying is a context whose end shows only in Err.
type dying struct {
	context.Context
	left atomic.Int64 // how often Err returns nil
}

func (d *dying) Err() error {
	if d.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

type reads func([]byte) (int, error)

func (r reads) Read(p []byte) (int, error) { return r(p) }

// TestSlowExpression: an expression that takes long for one line stops inside it.
func TestSlowExpression(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := &cancellableLine{ctx: ctx, line: bytes.Repeat([]byte("x"), maxLine), each: 1000}
	n := 0
	for {
		if _, _, err := s.ReadRune(); err != nil {
			break
		}
		n++
	}
	if n > 2000 {
		t.Errorf("read %d characters after the end", n)
	}
}

// TestSparse: a file of 10 GB, with nothing in it or without an end of line, is searched in little memory.
func TestSparse(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"zeroes": "", "text": strings.Repeat("foo\n", sniffBytes), "line": strings.Repeat("foo ", maxLine/2)} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o644))
		if err := os.Truncate(path, 10<<30); err != nil {
			t.Skipf("the file system makes no file of 10 GB: %v", err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, out := searched(t, dir, ".", SearchQuery{Query: "foo", Limit: 100_000})
	runtime.ReadMemStats(&after)
	if len(found) != sniffBytes+1 || out.Files != 3 {
		t.Errorf("%d lines, %+v", len(found), out)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20 {
		t.Errorf("%d MiB were allocated", got>>20)
	}
}

// TestHandlesAreClosed: no directory or file stays open, also when a search ends early.
func TestHandlesAreClosed(t *testing.T) {
	open := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("/proc is not there")
		}
		return len(all)
	}
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("a%d/b%d/c%d", i%10, i%30, i)] = "foo\n"
	}
	plant(t, dir, files)
	g, o := opened(t, dir, ".")
	before := open()
	for _, q := range []SearchQuery{{Query: "foo"}, {Query: "foo", Limit: 1}, {Query: "foo", Limit: 20}, {Query: "none"}, {Query: "foo", Exclude: []string{"a*"}}} {
		for range 5 {
			_, _, err := Search(context.Background(), g, o, q)
			must(t, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(int, string) { cancel() }
	_, _, err := Search(ctx, g, o, SearchQuery{Query: "foo"})
	reason(t, err, "command_failed/cancelled")
	if after := open(); after != before {
		t.Errorf("%d handles before, %d after", before, after)
	}
}
