package refusal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
)

// TestTellApart checks that each place gets the nearest lines that only it has, and none that another has too.
func TestTellApart(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		from       int
		places     []fail.Place
		want       string // for each place: the line above, the line below
	}{
		{"beside", "a\nx\nb\nc\nx\nd\n", 1, []fail.Place{{First: 2, Last: 2}, {First: 5, Last: 5}}, "1 a, 3 b; 4 c, 6 d"},
		{"further away", "one\n{\nx\n}\ntwo\n{\nx\n}\nend\n", 1, []fail.Place{{First: 3, Last: 3}, {First: 7, Last: 7}}, "1 one, 5 two; 5 two, 9 end"},
		{"only one has it", "a\nx\na\nx\nb\nx\n", 1, []fail.Place{{First: 2, Last: 2}, {First: 4, Last: 4}, {First: 6, Last: 6}}, "-, 3 a; -, 5 b; 5 b, -"},
		{"at the place itself", "a = f()\nb = f()\n", 0, []fail.Place{{First: 1, Last: 1}, {First: 2, Last: 2}}, "1 a = f(), 2 b = f(); 2 b = f(), -"},
		{"nothing", "x\nx\n", 0, []fail.Place{{First: 1, Last: 1}, {First: 1, Last: 1}}, "-, -; -, -"},
		{"one place", "a\nx\n", 1, []fail.Place{{First: 2, Last: 2}}, ""},
	} {
		e := &fail.Error{Places: tt.places}
		TellApart(e, text.Split(tt.file), tt.from)
		var got []string
		for _, a := range e.Around {
			got = append(got, line(a.Above)+", "+line(a.Below))
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.want)
		}
	}
}

func line(l *fail.Line) string {
	if l == nil {
		return "-"
	}
	return fmt.Sprint(l.Number, " ", l.Text)
}
