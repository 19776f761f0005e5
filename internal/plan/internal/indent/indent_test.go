package indent

import (
	"testing"

	"github.com/emend-dev/emend/patch"
)

func TestShift(t *testing.T) {
	tests := []struct {
		name  string
		pairs Pairs
		in    string
		want  string // "!" for a refusal
	}{
		{"nothing", Pairs{"": "", "\t": "\t"}, "\t\tx", "\t\tx"},
		{"a prefix more", Pairs{"": "    ", "  ": "      "}, "    x", "        x"},
		{"a prefix less", Pairs{"\t": "", "\t\t": "\t"}, "\t\t\tx", "\t\tx"},
		{"a prefix less than there is", Pairs{"\t\t": "\t"}, "x", "!"},
		{"spaces to tabs", Pairs{"": "", "    ": "\t"}, "        x", "\t\tx"},
		{"spaces to tabs, a remainder", Pairs{"    ": "\t"}, "      x", "\t  x"},
		{"spaces to tabs, tabs in between", Pairs{"    ": "\t"}, "    \tx", "!"},
		{"spaces to tabs, an aligned comment", Pairs{" ": " ", "     ": "\t "}, "         * x", "\t\t * x"},
		{"spaces to tabs, nothing but white space", Pairs{"    ": "\t"}, "        ", "\t\t"},
		{"tabs to spaces", Pairs{"\t": "  ", "\t\t": "    "}, "\t\t\tx", "      x"},
		{"no rule, but seen", Pairs{"": " ", " ": "\t"}, " x", "\tx"},
		{"no rule, not seen", Pairs{"": " ", " ": "\t"}, "  x", "!"},
		{"one differs and another does not", Pairs{"  ": "  ", " ": "  "}, " x", "!"},
		{"one that does not differ", Pairs{"  ": "  ", " ": "  "}, "  x", "  x"},
		{"all but the margin differ", Pairs{"": "", "  ": "    ", "    ": "       "}, "  x", "    x"},
		{"two became one", Pairs{"": "", "  ": ""}, "  x", "!"},
		{"two became one, and the line is as deep as one that does not differ", Pairs{"": "", "  ": ""}, "x", "x"},
		{"blank", Pairs{"": "\t"}, "", ""},
	}
	for _, tt := range tests {
		shift, _ := NewShift(tt.pairs, Tabs{})
		got, ok := shift.Try(tt.in)
		if !ok {
			got = "!"
		}
		if got != tt.want {
			t.Errorf("%s: %q becomes %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestShiftBlankLines(t *testing.T) {
	deeper := Pairs{" ": "", "   ": "  "}
	tests := []struct {
		name          string
		pairs, blanks Pairs
		in            string
		want          string // "!" for a refusal
	}{
		{"old blank lines are cut", deeper, Pairs{" ": ""}, " ", ""},
		{"old blank lines are cut, a longer one", deeper, Pairs{" ": ""}, "   ", "  "},
		{"old blank lines stay", deeper, Pairs{" ": " "}, " ", " "},
		{"old blank lines do both", deeper, Pairs{" ": "", "   ": "   "}, " ", "!"},
		{"old blank lines are empty", deeper, Pairs{"": ""}, " ", "!"},
		{"no old blank line, only the cut", deeper, Pairs{}, " ", ""},
		{"no old blank line, more than the cut", deeper, Pairs{}, "  ", "!"},
		{"less than the cut", Pairs{"    ": ""}, Pairs{}, "  ", "  "},
		{"empty", deeper, Pairs{" ": ""}, "", ""},
		{"the file stands deeper", Pairs{"": "  "}, Pairs{"": ""}, "  ", "  "},
	}
	for _, tt := range tests {
		shift, _ := NewShift(tt.pairs, Tabs{})
		got, ok := shift.WithBlanks(tt.blanks).Try(tt.in)
		if !ok {
			got = "!"
		}
		if got != tt.want {
			t.Errorf("%s: %q becomes %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

// TestSeenBlanks: an added line that is empty shows that blank ones were not indented along.
func TestSeenBlanks(t *testing.T) {
	for want, lines := range map[bool][]patch.Line{
		true:  {"     x", "+    ", "+    y"},
		false: {"     x", "+    ", "+    y", "+", "+    z"},
	} {
		seen := NewSeen(lines)
		seen.Add(lines[0], "x")
		pairs, _ := seen.Pairs()
		shift, _ := NewShift(pairs, Tabs{})
		if to, ok := shift.WithBlanks(seen.Blanks()).Try("    "); ok != want || to != "" {
			t.Errorf("%q: %q, %v", lines, to, ok)
		}
	}
}
