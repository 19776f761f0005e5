package explain

import (
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Row is a line of the hunk, a line of the file, or both.
type Row struct {
	Pairing Pairing  `json:"pairing"`
	Mark    string   `json:"mark,omitempty"` // the hunk's mark: " ", "-" or "+"
	Patch   string   `json:"patch,omitempty"`
	Line    int      `json:"line,omitempty"` // of the file
	File    string   `json:"file,omitempty"`
	Differs []string `json:"differs,omitempty"` // what the two differ in
	Lines   int      `json:"lines,omitempty"`   // Folded: how many
}

// Pairing says what is in a row.
type Pairing string

// The pairings.
const (
	Same      Pairing = "same"       // the hunk's line and the file's are equal
	Differs   Pairing = "differs"    // they stand for each other and are not equal
	PatchOnly Pairing = "patch_only" // the hunk looks for the line, and it is not there
	FileOnly  Pairing = "file_only"  // the hunk leaves the line out
	Comes     Pairing = "comes"      // the hunk adds the line
	Written   Pairing = "written"    // the hunk looks for the line, and an earlier hunk writes it
	Alone     Pairing = "alone"      // a line of a hunk that nothing is known to compare with
	Near      Pairing = "near"       // a line of the file around the place
	Folded    Pairing = "folded"     // lines that are equal
)

// rows collects the rows of a view.
type rows struct {
	file *text.Lines
	out  []Row
}

func (r *rows) addFile(first, last int) {
	for n := max(first, 1); n <= min(last, r.file.Len()); n++ {
		r.out = append(r.out, Row{Pairing: Near, Line: n, File: r.file.Line(n - 1)})
	}
}

// addPair adds the hunk's line l beside line n of the file.
func (r *rows) addPair(l patch.Line, n int) {
	row := Row{Pairing: Same, Mark: string(l[:1]), Patch: l.Text(), Line: n, File: r.file.Line(n - 1)}
	if row.Patch != row.File {
		row.Pairing, row.Differs = Differs, Differences(row.Patch, row.File)
	}
	r.out = append(r.out, row)
}

func (r *rows) addPatch(l patch.Line, k Pairing) {
	if l.Mark() == '+' {
		k = Comes
	}
	r.out = append(r.out, Row{Pairing: k, Mark: string(l[:1]), Patch: l.Text()})
}

// fold replaces equal lines that are far from any difference by a row with their number.
func fold(in []Row) []Row {
	const margin = 3
	plain := func(r *Row) bool { return r.Pairing == Same && r.Mark == " " }
	out := in[:0]
	for i := 0; i < len(in); {
		j := i
		for j < len(in) && plain(&in[j]) {
			j++
		}
		if n := j - i - 2*margin; n > 1 {
			out = append(out, in[i:i+margin]...)
			out = append(out, Row{Pairing: Folded, Line: in[i+margin].Line, Lines: n})
			i = j - margin
		}
		out = append(out, in[i:j]...)
		if i = j; i < len(in) {
			out = append(out, in[i])
			i++
		}
	}
	return out
}
