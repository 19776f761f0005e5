package dialect

import "github.com/emend-dev/emend/patch"

// The lines that every dialect spells alike.
const (
	beginPatch  = "*** Begin Patch"
	endPatch    = "*** End Patch"
	endOfFile   = "*** End of File"
	moveTo      = "*** Move to:"
	environment = "*** Environment ID:"
	arrow       = " -> "
	noNewline   = `\ No newline at end of file`
)

// headers are the lines that begin a section.
var headers = []struct {
	text string
	op   patch.Op
}{
	{"*** Add File:", patch.Add},
	{"*** Update File:", patch.Update},
	{"*** Delete File:", patch.Delete},
	{"*** Move File:", patch.Move},
}

// What a parse error says would have parsed, where words depend on it.
const (
	wantPatch   = "a patch"
	wantText    = "text"
	wantSection = "a section"
	wantPath    = "a path"
	wantHunk    = "a hunk"
)

// grammar is how one dialect is written: the table of dialects, a row a field. It is data, so that one reader and
// one printer serve them all.
type grammar struct {
	name   string
	looser *grammar // how the dialect is read when the caller is lenient; nil: the same

	// The envelope.
	bare     bool   // none is needed; Begin and End lines are tolerated
	around   stance // text around it; honoured means set aside and reported
	padded   bool   // white space around Begin, End and, outside of an Update, headers is nothing
	trailing bool   // white space after a line that begins with *** is nothing
	heredoc  bool   // a heredoc around the whole text is taken off
	reports  bool   // what was passed over is reported, sentence by sentence; wrappers are taken off

	// Sections.
	moveFile, moveTo, environment bool
	path                          pathSpace
	strays                        stance // lines of no known kind: refused or ignored
	lastNewline                   lastNewline
	emptyUpdate                   bool // an Update without hunks is left to the plan
	emptyMove                     bool // a Move may have no hunks

	// Hunks.
	opens     opening
	heading   func(line string) (anchor string, ok bool) // reads a line that may begin a hunk
	how       patch.How
	keepsText bool   // what stands after @@ is an anchor; otherwise it means nothing
	lone      stance // @@ with no line below: refused; honoured, when another one follows; or ignored
	endOfFile stance
	noNewline stance
	blank     stance // an empty line: honoured as blank context, or ignored
	addsAtEnd bool   // a hunk that only adds lines and has no anchor is for the end of the file
}

// stance is what a dialect makes of something.
type stance uint8

const (
	refused stance = iota
	ignored
	honoured
)

// pathSpace is what becomes of white space around a path.
type pathSpace uint8

const (
	exactPath   pathSpace = iota // refused
	literalPath                  // one space after the colon, then the path as it is, but for the end of the line
	endTrimmed                   // as literalPath, and the space may be missing
	bothTrimmed                  // trimmed and reported
)

// lastNewline says when the last line of an added file ends in a newline.
type lastNewline uint8

const (
	unlessEmpty lastNewline = iota // when that line is not empty and no marker follows
	always
	never
)

// opening is what begins a hunk.
type opening uint8

const (
	mayOmitFirst opening = iota // "@@", which the first hunk of a section may leave out
	mustOpen                    // "@@"
	separates                   // nothing; "@@" stands between hunks
)

// grammars lists every grammar, in the order of [All]. It is a list of its own because a failed Parse asks who
// else reads the text, and [All] holds the Parse functions.
var grammars = []*grammar{&emendGrammar, &commaGrammar, &codexGrammar, &supyagentGrammar, &chimeraGrammar}
