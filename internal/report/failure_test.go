package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

// TestRefusedEdits checks that the refusal of a text edit names its number, and its index in the details.
func TestRefusedEdits(t *testing.T) {
	tests := []struct {
		err  *fail.Error
		want string // part of the details
		text string // part of the text
	}{
		{&fail.Error{Kind: fail.Overlapping, Msg: "edits 1 and 3 change the same text", Pairs: [][2]int{{1, 3}}, Places: []fail.Place{{First: 1, Last: 2}, {First: 2, Last: 2}}},
			`"pairs":[[0,2]],"places":[{"startLine":1,"endLine":2},{"startLine":2,"endLine":2}]`, "edits 1 and 3"},
		{&fail.Error{Kind: fail.MultipleMatches, Edit: 2, Total: 2, Places: []fail.Place{{First: 1, Last: 1}, {First: 4, Last: 4}}, Msg: "oldText occurs 2 times"},
			`"editIndex":1`, "edit 2: oldText occurs 2 times"},
		{&fail.Error{Kind: fail.OldTextNotFound, Edit: 1, Msg: "oldText is not in the file", Nearest: &fail.Nearest{Place: fail.Place{First: 3, Last: 3},
			Lines: []string{"a b"}, OldText: "a b\n"}}, `"correctedOldText":"a b\n"`, "nearest: line 3; this --old is there:\n    a b"},
	}
	for _, tt := range tests {
		got, err := json.Marshal(firstFailure(View{}, tt.err))
		if err != nil || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s lacks %s (%v)", got, tt.want, err)
		}
		if text := ErrorText(tt.err); !strings.Contains(text, tt.text) {
			t.Errorf("%q lacks %q", text, tt.text)
		}
	}
	hunk, err := json.Marshal(firstFailure(View{}, &fail.Error{Kind: fail.Overlapping, Hunk: 2, Msg: "x"}))
	if err != nil || strings.Contains(string(hunk), "pairs") || strings.Contains(string(hunk), "editIndex") {
		t.Errorf("a hunk's refusal speaks of edits: %s", hunk)
	}
}
