package indent

import (
	"testing"

	"github.com/emend-dev/emend/internal/text"
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
