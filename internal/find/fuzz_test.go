package find

import (
	"bytes"
	"context"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// FuzzLiterals: literals only save time. A search with them finds what a search line by line finds.
func FuzzLiterals(f *testing.F) {
	for _, s := range []string{"foo", "(foo|bar)+x?", "a[bc]d{2,}", "(?i)straſse", "K", "(?i)k", "^$", `\bx\b|y`, "(a|)b", "é+", "x*", "(?i:ab)cd", "\ufffd", ".", "(K|x)|(?i:no)|é",
		"BAR|STRASSE|abdd|cello|desk|east|foo|gulf|h k|i", `\x{d800}`} {
		f.Add(s, "foo\nBAR x\r\nSTRASSE straſse\nK k K\n\nabdd abdé\xff\xfd\nx\ufffd", false)
		f.Add(s, "foo\nBAR x\r\nSTRASSE straſse\nK k K\n\nabdd abdé\xff\nx", true)
	}
	f.Fuzz(func(t *testing.T, asked, text string, fold bool) {
		for _, mode := range []Mode{Text, Regexp} {
			q, err := (&SearchQuery{Query: asked, Mode: mode, IgnoreCase: fold}).compileQuery()
			if err != nil {
				continue
			}
			expr := asked
			if mode == Text {
				expr = regexp.QuoteMeta(asked)
			}
			if fold {
				expr = "(?i)" + expr
			}
			re, err := regexp.Compile(expr)
			if err != nil || strings.Contains(text, "\x00") || mode == Text && strings.ContainsAny(asked, "\r\ufffd") {
				continue // a text that is not UTF-8 is no expression
			}
			slow := &lineScanner{q: &query{re: re, mentionsCR: q.mentionsCR, size: q.size}, limit: 1000}
			fast := &lineScanner{q: q, limit: 1000}
			want, _ := slow.scan(context.Background(), strings.NewReader(text))
			got, _ := fast.scan(context.Background(), strings.NewReader(text))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%q (mode %d, fold %t): %+v, without literals %+v", asked, mode, fold, got, want)
			}
		}
	})
}

// FuzzWithoutLineEnd: what matches without an end of the line matches with one, wherever the line is cut; and an expression
// that does not mention the end means the same.
func FuzzWithoutLineEnd(f *testing.F) {
	for _, s := range []string{"foo$", `(a|b\z)*c`, "(?m)^x+$|y", "(?i)k{2,3}$", "[^$]", `\Qa$\E`, "(?:a$)?b"} {
		f.Add(s, "foo aaabc xx yKk a$b", false)
	}
	f.Fuzz(func(t *testing.T, asked, line string, fold bool) {
		q, err := newRegexp(asked, fold)
		if err != nil {
			return
		}
		open := withoutLineEnd(q.text, q.flags)
		got, want := open.MatchString(line), q.re.MatchString(line)
		if got && !want {
			t.Errorf("%q matches %q only without an end", asked, line)
		}
		tree, err := syntax.Parse(asked, q.flags)
		if err == nil && !hasOp(tree, syntax.OpEndLine, syntax.OpEndText) && got != want {
			t.Errorf("%q has no end and is another one as %q", asked, open)
		}
	})
}

// FuzzGitGlob: a pattern of an ignore file matches what its tokens match when they are tried in every way.
func FuzzGitGlob(f *testing.F) {
	for _, p := range []string{"a*b", "**/a", "a/**/b", "a/**", "a**/b", "*/?[!a]", "[[:alpha:]-]*", `\*\\`, "a/*/**/*b*/c", "[a-", "***/x*"} {
		f.Add(p, "a/b/ab")
		f.Add(p, "xa/b/a/a/bb/c")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		w, ok := compileGitGlob(pattern)
		if !ok || len(pattern) > 30 || len(path) > 40 || strings.Contains(path, "//") {
			return
		}
		if got, want := w.match([]byte(path)), matchSlowly(w, []byte(path)); got != want {
			t.Errorf("%q, %q: %t, want %t", pattern, path, got, want)
		}
	})
}

func matchSlowly(w gitGlob, s []byte) bool {
	if len(w) == 0 {
		return len(s) == 0
	}
	switch w[0].op {
	case star, stars:
		for i := 0; ; i++ {
			if matchSlowly(w[1:], s[i:]) {
				return true
			}
			if i == len(s) || w[0].op == star && s[i] == '/' {
				return false
			}
		}
	case dirs:
		for {
			if matchSlowly(w[1:], s) {
				return true
			}
			i := bytes.IndexByte(s, '/')
			if i < 0 {
				return false
			}
			s = s[i+1:]
		}
	}
	n := w[0].step(s)
	return n > 0 && matchSlowly(w[1:], s[n:])
}

// FuzzPattern: parsing a pattern never panics; a pattern that is accepted is one of doublestar's; the shortcuts agree with
// doublestar; and every directory above a match may have a match below it.
func FuzzPattern(f *testing.F) {
	for _, p := range []string{"a/*.go", "{a,b/{c,d}}/**", "[!a]/x", `a\/b`, "**/x/*", "{a", "a/b/c", "**", "*", "**/*.go", "**/c.go", "**/*[^x]c.go", "**/{a,c}.go",
		"**/**", "a/**", "**/\ufffd.go", "*.{go,c}", `**/\c.go`, "a/**/", "c.go", "**/*"} {
		f.Add(p, "a/b/c.go", false)
		f.Add(p, "a/\xff.GO", true)
	}
	f.Fuzz(func(t *testing.T, pattern, path string, fold bool) {
		whole, err := parsePatternAt(pattern, fold, true)
		if err != nil {
			return
		}
		if !doublestar.ValidatePattern(pattern) {
			t.Fatalf("%q is no pattern", pattern)
		}
		if path == "" || strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
			return
		}
		last, _ := parsePatternAt(pattern, fold, false)
		rel, name := "", path
		if i := strings.LastIndexByte(path, '/'); i >= 0 {
			rel, name = path[:i], path[i+1:]
		}
		for _, g := range []globPattern{whole, last} {
			if got, want := g.match(rel, name, true), longWay(pattern, rel, name, fold, g == whole); got != want {
				t.Fatalf("%q, %q: %v", pattern, path, got)
			}
		}
		if !whole.match(rel, name, true) {
			return
		}
		for i := range path {
			if path[i] == '/' && !whole.mayMatchBelow("", path[:i]) {
				t.Errorf("%q matches %q but does not lead to %q", pattern, path, path[:i])
			}
		}
	})
}

// longWay matches without any shortcut.
func longWay(pattern, rel, name string, fold, whole bool) bool {
	if fold {
		pattern, rel, name = strings.ToLower(pattern), strings.ToLower(rel), strings.ToLower(name)
	}
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	if whole || strings.Contains(pattern, "/") {
		name = join(rel, name)
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(pattern, "/"), name)
}

// FuzzIgnoreFile: parsing an ignore file never panics, nor does matching with it.
func FuzzIgnoreFile(f *testing.F) {
	f.Add("*.o\n!a/\n/b\\ \n[", "a/b.o")
	f.Fuzz(func(t *testing.T, text, path string) {
		if r := parseIgnoreFile([]byte(text)); r != nil && path != "" {
			r.match([]byte(path), []byte(path[strings.LastIndexByte(path, '/')+1:]), true)
		}
	})
}
