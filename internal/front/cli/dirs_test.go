package cli

import (
	"slices"
	"testing"
)

// Each -C before the verb is taken out, whatever stands around it. What is behind the verb is the verb's.
func TestLeadingDirs(t *testing.T) {
	for _, tt := range []struct{ args, rest, dirs []string }{
		{[]string{"-C", "a", "log"}, []string{"log"}, []string{"a"}},
		{[]string{"-Ca", "-C=b", "--directory", "c", "--directory=d", "log", "-C", "e"}, []string{"log", "-C", "e"}, []string{"a", "b", "c", "d"}},
		{[]string{"--json", "--root", "-C", "-C", "a", "search", "-C", "2"}, []string{"--json", "--root", "-C", "search", "-C", "2"}, []string{"a"}},
		{[]string{"log"}, []string{"log"}, nil},
		{[]string{"-C"}, []string{"-C"}, nil},
	} {
		a := &app{}
		if rest := a.leadingDirs(tt.args); !slices.Equal(rest, tt.rest) || !slices.Equal(a.dirs, tt.dirs) {
			t.Errorf("%q: %q in %q", tt.args, rest, a.dirs)
		}
	}
}
