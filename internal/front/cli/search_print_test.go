package cli

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
)

// Matches in a pipe and on a terminal: no line is printed twice, and a gap is marked.
func TestPrintMatches(t *testing.T) {
	plain := []api.SearchMatch{{Path: "a.go", Line: 1, Preview: "foo Foo"}, {Path: "a.go", Line: 9, Preview: "foo"}, {Path: "b.go", Line: 2, Preview: "x foo"}}
	around := []api.SearchMatch{
		{Path: "a", Line: 2, Preview: "foo 2", Before: []string{"1"}, After: []string{"3", "foo 4"}},
		{Path: "a", Line: 4, Preview: "foo 4", Before: []string{"foo 2", "3"}, After: []string{"5", "6"}},
		{Path: "a", Line: 9, Preview: "foo 9", Before: []string{"7", "8"}},
		{Path: "a", Line: 20, Preview: "foo 20", Before: []string{"18", "19"}},
		{Path: "b", Line: 1, Preview: "foo", After: []string{"2"}},
	}
	tests := []struct {
		name  string
		list  []api.SearchMatch
		flags searchFlags
		tty   bool
		want  string
	}{
		{"nothing", nil, searchFlags{}, false, ""},
		{"pipe", plain, searchFlags{}, false, "a.go:1:foo Foo\na.go:9:foo\nb.go:2:x foo\n"},
		{"context", around, searchFlags{}, false, "a-1-1\na:2:foo 2\na-3-3\na:4:foo 4\na-5-5\na-6-6\na-7-7\na-8-8\na:9:foo 9\n--\na-18-18\na-19-19\na:20:foo 20\n--\nb:1:foo\nb-2-2\n"},
		{"paths", []api.SearchMatch{{Path: "a"}, {Path: "b\nc\x1b[m"}}, searchFlags{}, false, "a\nb\\nc\\x1b[m\n"},
		{"hostile text", []api.SearchMatch{{Path: "a\x1b", Line: 1, Preview: "foo\x1b[2J\r"}}, searchFlags{}, false, `a\x1b:1:foo\x1b[2J\r` + "\n"},
		{"terminal", plain, textSearch("foo", false), true, magenta + "a.go" + reset + "\n" + lineNumber("1") + ":" + matchText("foo") + " Foo\n" + lineNumber("9") + ":" + matchText("foo") + "\n\n" +
			magenta + "b.go" + reset + "\n" + lineNumber("2") + ":x " + matchText("foo") + "\n"},
		{"any case", plain[:1], textSearch("FOO", true), true, magenta + "a.go" + reset + "\n" + lineNumber("1") + ":" + matchText("foo") + " " + matchText("Foo") + "\n"},
		{"text is no pattern", []api.SearchMatch{{Path: "a", Line: 1, Preview: "axb a.b"}}, textSearch("a.b", false), true, magenta + "a" + reset + "\n" + lineNumber("1") + ":axb " + matchText("a.b") + "\n"},
		{"hostile match", []api.SearchMatch{{Path: "a", Line: 1, Preview: "\x1b[2J"}}, textSearch("\x1b", false), true, magenta + "a" + reset + "\n" + lineNumber("1") + ":" + matchText(`\x1b`) + "[2J\n"},
		{"gap on a terminal", around[2:4], textSearch("foo", false), true, magenta + "a" + reset + "\n" + lineNumber("7") + "-7\n" + lineNumber("8") + "-8\n" + lineNumber("9") + ":" + matchText("foo") + " 9\n--\n" +
			lineNumber("18") + "-18\n" + lineNumber("19") + "-19\n" + lineNumber("20") + ":" + matchText("foo") + " 20\n"},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		w := bufio.NewWriter(&out)
		a := &app{ttyOut: tt.tty, env: func(string) string { return "" }}
		a.printMatches(w, tt.list, tt.flags.highlight())
		w.Flush()
		if out.String() != tt.want {
			t.Errorf("%s:\n%q, want\n%q", tt.name, &out, tt.want)
		}
	}
}

func lineNumber(s string) string { return green + s + reset }
func matchText(s string) string  { return boldRed + s + reset }

func textSearch(query string, anyCase bool) searchFlags {
	return searchFlags{SearchRequest: api.SearchRequest{Query: query, Mode: "text"}, anyCase: anyCase}
}

// Whatever context the matches have, each line is printed once, in order.
func TestPrintMatchesPrintsEachLineOnce(t *testing.T) {
	for lines := 1; lines < 7; lines++ {
		for set := range 1 << lines {
			for around := range 4 {
				checkMatches(t, lines, set, around)
			}
		}
	}
}

func checkMatches(t *testing.T, lines, set, around int) {
	t.Helper()
	name := func(i int) string { return string(rune('a' + i - 1)) }
	var list []api.SearchMatch
	var want strings.Builder
	for i := 1; i <= lines; i++ {
		if set>>(i-1)&1 == 0 {
			continue
		}
		m := api.SearchMatch{Path: "f", Line: i, Preview: name(i)}
		for k := max(1, i-around); k < i; k++ {
			m.Before = append(m.Before, name(k))
		}
		for k := i + 1; k <= min(lines, i+around); k++ {
			m.After = append(m.After, name(k))
		}
		list = append(list, m)
	}
	last := 0
	for i := 1; i <= lines; i++ {
		near := false
		for k := max(1, i-around); k <= min(lines, i+around); k++ {
			near = near || set>>(k-1)&1 == 1
		}
		if !near {
			continue
		}
		if last > 0 && last < i-1 && around > 0 {
			want.WriteString("--\n")
		}
		sep := "-"
		if set>>(i-1)&1 == 1 {
			sep = ":"
		}
		want.WriteString("f" + sep + string(rune('0'+i)) + sep + name(i) + "\n")
		last = i
	}
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	(&app{}).printMatches(w, list, nil)
	w.Flush()
	if out.String() != want.String() {
		t.Errorf("matches %b of %d lines, %d around:\n%swant\n%s", set, lines, around, &out, want.String())
	}
}
