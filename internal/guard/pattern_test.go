package guard

import "testing"

// TestPattern holds the meaning of patterns, above all where other matchers, such as doublestar, mean something else.
func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"a", "a", true}, {"a", "a/b", true}, {"a", "b/a", false}, {"a/b", "a/b/c", true}, {"./a//b/", "a/b", true},
		{"*", "a", true}, {"*", "a/b", false}, {"*", "", false}, {"a*", "ab/c", false}, {"a?c", "abc", true},
		{"**", "", true}, {"**", "a/b", true}, {"a/**", "a", true}, {"a/**", "a/b/c", true}, {"a/**", "ab", false}, {"**/a", "a", true},
		{"a/**/**", "a", true}, {"**/**", "", true}, {"?/**/**", "é", true}, {"a/**/b/**/c", "a/x/b/y/b/c", true},
		{"[!a]", "!", true}, {"[!a]", "a", true}, {"[!a]", "b", false}, {"[^a]", "b", true}, {"[^a]", "a", false},
		{"{a,b}", "a", false}, {"{a,b}", "{a,b}", true}, {"{a*}", "{ab}", true}, {"a**b", "axb", true}, {"a**b", "a/b", false},
		{"[b-a]*", "b", false}, {`\*`, "*", true}, {`\*`, "a", false}, {"**/\xff", "a/\ufffd", false},
	} {
		all, err := compilePatterns([]string{tt.pattern})
		check(t, err)
		if got := all[0].match(splitNames(tt.path)); got != tt.want {
			t.Errorf("%q matches %q: %t, want %t", tt.pattern, tt.path, got, tt.want)
		}
	}
	for _, text := range []string{"", "/", ".", "[", "a/[", "a[]/b", `a\`} {
		_, err := compilePatterns([]string{text})
		refused(t, err, "command_failed/bad_pattern")
	}
}
