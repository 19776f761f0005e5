package dialect

import (
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/patch"
)

// TestHeaderless reads the lines of one section, whose header is not in the text.
func TestHeaderless(t *testing.T) {
	const odd = " a\n*** Delete File: b" // no header could say this path
	for _, row := range []struct {
		op   patch.Op
		text string
		want string // the content, or the lines of the hunks; "!" and a part of the refusal
	}{
		{patch.Add, "+one\n+\n+two\n", "one\n\ntwo\n"},
		{patch.Add, "+one\n+two", "one\ntwo\n"},
		{patch.Add, "+one\n\\ No newline at end of file\n", "one"},
		{patch.Add, "", ""},
		{patch.Add, "\n", ""},
		{patch.Add, "+one\n\n+two\n", "!without \"+\""},
		{patch.Add, "one\n", "!without \"+\""},
		{patch.Add, "+one\n*** End Patch\n", "!not part of the diff of one file: \"*** End Patch\""},
		{patch.Add, "+one\n*** Delete File: x\n", "!not part of the diff of one file"},
		{patch.Add, "*** Begin Patch\n*** Add File: x\n+one\n*** End Patch\n", "!not part of the diff of one file: \"*** Begin Patch\""},
		{patch.Update, "@@\n-a\n+b\n", "-a+b"},
		{patch.Update, "-a\n+b\n", "-a+b"},
		{patch.Update, "\n@@ def f():\n a\n\n-b\n@@ x\n+c\n*** End of File\n", " a -b+c"},
		{patch.Update, "@@\r\n-a\r\n+b\r\n", "-a+b"},
		{patch.Update, "@@\n-+++ a\n+--- b\n", "-+++ a+--- b"},
		{patch.Update, "", "!empty"},
		{patch.Update, " \n\n", "!empty"},
		{patch.Update, "@@\n", "!a hunk without lines"},
		{patch.Update, "@@\n-a\x00\n", "!binary"},
		{patch.Update, "just words\n", "!no line of a hunk begins like this"},
		{patch.Update, "*** Update File: x\n@@\n-a\n+b\n", "!not part of the diff of one file"},
		{patch.Update, "*** Move to: x\n@@\n-a\n+b\n", "!not part of the diff of one file: \"*** Move to: x\""},
		{patch.Update, "@@\n-a\n+b\n*** Delete File: x\n", "!not part of the diff of one file: \"*** Delete File: x\""},
		{patch.Update, "@@\n-a\n+b\n*** End Patch\n", "!not part of the diff of one file"},
		{patch.Delete, "", ""},
		{patch.Delete, "\n", ""},
		{patch.Delete, "-a\n", "!a deletion has no lines"},
	} {
		for _, lenient := range []bool{false, true} {
			p, err := Emend.Parse(row.text, Options{Lenient: lenient, Header: &patch.Section{Op: row.op, Path: odd}})
			if part, refused := strings.CutPrefix(row.want, "!"); refused {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%v %q: %v, want %q", row.op, row.text, err, part)
				}
				continue
			}
			if err != nil || len(p.Patch.Sections) != 1 {
				t.Errorf("%v %q: %+v, %v", row.op, row.text, p, err)
				continue
			}
			s := p.Patch.Sections[0]
			var got strings.Builder
			got.WriteString(s.Content)
			for _, h := range s.Hunks {
				for _, l := range h.Lines {
					got.WriteString(string(l))
				}
			}
			if got.String() != row.want || s.Path != odd || s.Op != row.op || s.To != "" {
				t.Errorf("%v %q: %+v, want %q", row.op, row.text, s, row.want)
			}
		}
	}
}

// FuzzHeaderless checks that a text without a header is about one file, whatever it says, and that a text that is read is read the same
// below a header.
func FuzzHeaderless(f *testing.F) {
	for _, text := range []string{"", "+a\n", "@@\n-a\n+b\n", "*** Delete File: x\n", "@@ x\n a\n*** End of File\n", "@@\n a\n\\ No newline at end of file\n", "*** Move to: y\n@@\n-a\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, op := range []patch.Op{patch.Add, patch.Update, patch.Delete} {
			for _, d := range All {
				p, err := d.Parse(text, Options{Header: &patch.Section{Op: op, Path: "a"}})
				if err != nil {
					continue
				}
				s := p.Patch.Sections
				if len(s) != 1 || s[0].Path != "a" || s[0].To != "" || s[0].Op != op {
					t.Fatalf("%s %v %q: %+v", d.Name, op, text, s)
				}
				if d != Emend || op != patch.Update {
					continue
				}
				whole, err := d.Parse("*** Begin Patch\n*** Update File: a\n"+strings.TrimSuffix(text, "\n")+"\n*** End Patch\n", Options{})
				if err != nil {
					if strings.Contains(text, "\r") {
						continue // line ends of the whole text decide
					}
					t.Fatalf("%q is read, and is not read below a header: %v", text, err)
				}
				if w := whole.Patch.Sections[0]; len(w.Hunks) != len(s[0].Hunks) || !strings.Contains(text, "\r") && !slices.EqualFunc(w.Hunks, s[0].Hunks, func(a, b patch.Hunk) bool { return slices.Equal(a.Lines, b.Lines) }) {
					t.Fatalf("%q: %+v, and below a header %+v", text, s[0], w)
				}
			}
		}
	})
}
