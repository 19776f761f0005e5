package suggest

import (
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// TestInTurn: hunks that are only out of order are told the order, and get no corrected hunk: it could not help.
func TestInTurn(t *testing.T) {
	file := "a one\nb two\nc three\nd four\ne five\n"
	hunks := []patch.Hunk{hunk("-e five", "+5"), hunk("-a one", "+1"), hunk("-c three", "+3")}
	_, err := settle(text.Split(file), hunks, cursor, lines)
	list := fail.All(err)
	if len(list) != 2 {
		t.Fatalf("err = %v, want two refusals", err)
	}
	for _, e := range list {
		if want := "Put the hunks in the order of the file: 2, 3, 1."; e.Hint != want || e.Nearest != nil {
			t.Errorf("%v: hint %q, nearest %v; want %q and none", e, e.Hint, e.Nearest, want)
		}
	}
	hunks[2] = hunk("-c thirty", "+3")
	_, err = settle(text.Split(file), hunks, cursor, lines)
	if e := fail.All(err)[0]; e.Hint != "Put the hunks in the order of the file." {
		t.Errorf("hint %q beside a hunk that is nowhere", e.Hint)
	}
}
