package suggest

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// TestUnsafe: nothing is offered that has signs of damage in what it adds or removes.
func TestUnsafe(t *testing.T) {
	for _, tt := range []struct {
		name string
		file []string
		hunk patch.Hunk
		hint string // "" if something is offered
	}{
		{"nothing unsafe", []string{"one line", "if a < b:", "three lines"}, hunk(" one line", " if a  < b:", "+    y()", " three lines"), ""},
		{"an entity", []string{"one line", "if a < b:", "three lines"}, hunk(" one line", " if a &lt; b:", "+    y() if a &lt; c else z()", " three lines"), `"&lt;"`},
		{"an entity that the file has", []string{"one line", "if a < b: # &lt;", "three lines"}, hunk(" one line", " if a < b; # &lt;", "+    y() if a &lt; c else z()", " three lines"), ""},
		{"an escaped quote", []string{"one line", `say("x")`, "three lines"}, hunk(" one line", ` say(\"x\")`, `+say(\"y\")`, " three lines"), `\\\"`},
		{"doubled escapes", []string{"one line", `say("\n")`, "three lines"}, hunk(" one line", ` say("\\n")`, `+say("\\t")`, " three lines"), "escaped characters"},
		{"doubled entities", []string{"one line", `a &lt; b`, "three lines"}, hunk(" one line", ` a &amp;lt; b`, `+a &amp;gt; b`, " three lines"), "HTML entities"},
		{"typography", []string{"one line", `say("x")`, "three lines"}, hunk(" one line", ` say(“x” )`, `+say(“y”)`, " three lines"), "“"},
		{"cut off", []string{"one line", "two lines", "four"}, hunk(" one line", " two lines", "-fou"), "cut off"},
		{"cut off in context", []string{"one line", "two lines", "three lines"}, hunk(" one line", "+new", " two lines", " three"), "cut off"},
		{"what it removes is added", []string{"one line", "two lines", "beta 2", "more"}, hunk(" one lin", " two lines", "-beta 22", "+beta 2"), "Compare"},
		{"marks of a diff in the lines", []string{"one line", "two lines", "three lines"}, hunk(" one line", "--two lines", "++2 lines", " three lines"), "without the marks"},
		{"the beginning of a line", []string{"one line", "return a + b", "three lines"}, hunk(" one line", "-return a +", "+return b +", " three lines"), `"b" would be lost`},
		{"the end of a line", []string{"one line", "go count(all, of, them)", "three lines"}, hunk(" one line", "-count(all, of, them)", "+count(some, of, them)", " three lines"), `"go" would be lost`},
		{"a part of a line, whose rest stays", []string{"one line", "return a + b", "three lines"}, hunk(" one line", "-return a +", "+return c + b", " three lines"), ""},
		{"a line with a mistake at its end", []string{"one line", "return alpha", "three lines"}, hunk(" one line", "-return alph", "+return beta", " three lines"), ""},
		{"a list in Markdown", []string{"one line", "- item", "three lines"}, hunk(" one line", "- item", "+- other", " three lines"), "begins with -"},
		{"a flag in a shell", []string{"run it \\", "--flag x", "three lines"}, hunk(" run it \\", "--flag x", "+--other y", " three lines"), "begins with -"},
	} {
		_, err := settle(text.Split(joined(tt.file)), []patch.Hunk{tt.hunk}, order, lines)
		e := fail.All(err)
		switch {
		case len(e) != 1 || e[0].Nearest == nil:
			t.Errorf("%s: %v: nothing near", tt.name, err)
		case (e[0].Nearest.Corrected == "") != (tt.hint != "") || !strings.Contains(e[0].Hint, tt.hint):
			t.Errorf("%s: offered %q, hint %q", tt.name, e[0].Nearest.Corrected, e[0].Hint)
		}
	}
}
