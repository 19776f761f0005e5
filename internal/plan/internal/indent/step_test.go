package indent

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

func TestStep(t *testing.T) {
	for file, want := range map[string]int{
		"":                                      0,
		"a\nb\n":                                0,
		"a\n  b\n    c\n":                       2,
		"    a\n        b\n":                    4,
		"a\n\n    b\n    c\nd\n    e\n":         4,
		"a\n\tb\n\t\tc\n  d\n":                  0,
		"/*\n * a\n * b\n */\nf\n  g\nh\n  i\n": 2,
	} {
		if got := Step(text.Split(file)); got != want {
			t.Errorf("%q: %d, want %d", file, got, want)
		}
	}
}

// TestRunsFit: whether runs of added lines stand where the file has them, among its lines, and not as the context was moved.
func TestRunsFit(t *testing.T) {
	for _, tt := range []struct {
		lines string
		want  bool
	}{
		{"   a {|+       b|   }", false}, // deeper than a block
		{"     a|+    b|     c", true},
		{"     a|+    b", false}, // nothing below shows that it was not moved
		{"     a|+      b|     c", false},
		{"     a||+|+      b|     c", false},
		{"   a|-  b|+  c|+      d", true},
		{"   a|-  b|+    c", false},
		{"   a|-    b|-    c|+    d|+  e", false}, // the first of them was moved along
		{"   a|-    b|-  c|+    d|+  e", true},
		{"   a|-    b|+    c|+}|+d", true},
		{"   a|-  b|-  c|+  b|+d", false}, // what is not changed was moved along
		{"   a|-  b|   c|-  d|+  b", true},
		{" a {|-    b|+    }|+    c {|+        d|+}", false}, // a part was moved along
		{" a {|-    b|+    c {|+        d|+    }|+}", true},
		{"   a {|+\tb|     c", false},
	} {
		var lines []patch.Line
		for l := range strings.SplitSeq(tt.lines, "|") {
			lines = append(lines, patch.Line(max(l, " ")))
		}
		seen := NewSeen(nil)
		seen.Add("     a", "a")
		if got := seen.RunsFit(4, lines); got != tt.want {
			t.Errorf("%q: %v", tt.lines, got)
		}
	}
}

// TestFitAsWritten: whether added lines stand better as they are or one space further right, among lines of the file.
func TestFitAsWritten(t *testing.T) {
	for lines, want := range map[string]bool{
		"   /**|+   * a|+   */|+  f|+  /**|    * b": true,
		"  * a|+* b|  * c":                          false,
		"   a|+  b|   c":                            true,
		"   a|+ b|   c":                             false,
		"   a|+|   c":                               false,
	} {
		var all []patch.Line
		for l := range strings.SplitSeq(lines, "|") {
			all = append(all, patch.Line(l))
		}
		if got := FitAsWritten(2, all); got != want {
			t.Errorf("%q: %v", lines, got)
		}
	}
}
