// Package patch holds what a patch says, whichever dialect said it.
//
// It is values only: no parsing, no files, no rules. A dialect makes these values from text and prints them
// back; a plan gives them a meaning on real files.
package patch

// Patch is one envelope: sections in the order they were written.
type Patch struct {
	Sections []Section
	// Environment is the name on an "*** Environment ID:" line; it selects nothing here.
	Environment string
}

// Op is what a section does to the file at its path.
type Op uint8

// The operations. An update that also moves its file is a Move. A Copy makes a new file from the one at its path.
const (
	Add Op = iota + 1
	Update
	Delete
	Move
	Copy
)

// String returns the word of the result's "operation" field.
func (o Op) String() string {
	switch o {
	case Add:
		return "add"
	case Update:
		return "update"
	case Delete:
		return "delete"
	case Move:
		return "move"
	case Copy:
		return "copy"
	}
	return "none"
}

// Mode says whether a section makes its file executable.
type Mode uint8

// The modes. KeepMode leaves a file as it is; a new file is then not executable.
const (
	KeepMode Mode = iota
	Executable
	NotExecutable
)

// Section is the part of a patch for one file.
type Section struct {
	Op   Op
	Path string // as written
	To   string // Move and Copy: the destination, as written
	Line int    // 1-based line of the header in the patch text

	// Content is what an Add writes, byte for byte, its dialect's rule for the last newline already applied.
	Content string
	// Hunks are what an Update, a Move or a Copy changes. Those of a Delete, if it has any, hold the lines of the file that goes.
	Hunks []Hunk

	Mode Mode // what becomes of the executable bit; not for a Delete
	// Blob is the beginning of the name that git gives the content before; "" if the patch does not say. If the file has another
	// content, the line numbers of the hunks count for nothing.
	Blob string
}

// Hunk is one change inside a file: lines that must be there, lines that it removes, lines that it adds.
type Hunk struct {
	Line  int // 1-based line in the patch text where the hunk begins
	Lines []Line

	// At is the line of the file, from 1, where the patch says that the hunk begins; for one without old lines that which its
	// lines go before. 0 if the patch does not say. It decides between places, if every hunk of the section stands where it says.
	At int

	// Anchors are the texts after "@@" that help to find the place, outermost first; How says what they mean.
	Anchors []string
	How     How

	// Blank counts the last Lines that were written as empty lines and may be mere separators. A plan leaves
	// them out when the hunk has a place only without them.
	Blank int

	// AtEnd: the place must end at the end of the file.
	AtEnd bool
	// OldOpen: the file must end, with this hunk's last old line, without a newline.
	OldOpen bool
	// NewOpen: the file ends, with this hunk's last new line, without a newline afterwards.
	NewOpen bool
}

// How says what a hunk's anchors mean.
type How uint8

const (
	// Narrow: the place comes after a line that contains the text. It only decides between places.
	Narrow How = iota
	// Seek: the search begins after the next line that equals the text.
	Seek
	// Adjoin: the block begins on the line after the one that equals the text, or on that line itself.
	Adjoin
)

// Line is one line of a hunk as written. Its first byte is the mark ' ', '-' or '+', the rest is the text.
type Line string

// Mark returns ' ' for context, '-' for a removed line, '+' for an added line.
func (l Line) Mark() byte { return l[0] }

// Text returns the line without its mark.
func (l Line) Text() string { return string(l[1:]) }

// Old reports whether the line must be in the file before the change.
func (l Line) Old() bool { return l[0] != '+' }

// Old returns what the hunk expects to find: its context and removed lines.
func (h *Hunk) Old() []string {
	return h.side('+')
}

// New returns what the hunk leaves: its context and added lines.
func (h *Hunk) New() []string {
	return h.side('-')
}

func (h *Hunk) side(without byte) []string {
	var out []string
	for _, l := range h.Lines {
		if l.Mark() != without {
			out = append(out, l.Text())
		}
	}
	return out
}

// Rung is how loosely a line of a hunk was compared with a line of the file, strictest first.
type Rung uint8

// The rungs of the ladder. Composed stands beside Unicode for the one dialect that folds normal forms only.
const (
	Exact      Rung = iota + 1 // the bytes of the line
	Trailing                   // white space at the end ignored
	Whitespace                 // white space at both ends ignored
	Composed                   // as Whitespace, in Unicode normal form C
	Unicode                    // as Composed, dashes, quotes and spaces folded
	Corrected                  // the hunk was rewritten with the lines of the one place that it nearly fits
	Merged                     // the hunk matched an earlier version of the file, and its change was merged into the file
)

// String returns the word used in results and for the --tolerance flag.
func (r Rung) String() string {
	switch r {
	case Exact:
		return "exact"
	case Trailing:
		return "trailing"
	case Whitespace:
		return "whitespace"
	case Composed:
		return "composed"
	case Unicode:
		return "unicode"
	case Corrected:
		return "corrected"
	case Merged:
		return "merged"
	}
	return "none"
}

// Change is what a section did or would do.
type Change struct {
	Op     Op
	Writes string // the path as the patch wrote it: the destination, for a Move
}
