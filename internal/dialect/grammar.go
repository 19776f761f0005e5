package dialect

import (
	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/patch"
)

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

// grammar describes the syntax of a dialect: one column of the table of dialects, with a field for each row. One reader and one printer
// serve all dialects, because it is data.
type grammar struct {
	name    string
	lenient *grammar // how the dialect is read with Options.Lenient; nil: the same way
	// reader reads a text that has neither an envelope nor its sections; the fields below then say nothing but reports.
	reader func(p *parser, text string)

	// The envelope.
	bare     bool          // none is needed; Begin and End lines are tolerated
	around   stance        // text around it; honoured: set aside and reported
	padded   bool          // white space is allowed around Begin, End and, outside of an Update, headers
	trailing bool          // white space is allowed after a line that begins with ***
	heredoc  bool          // a heredoc around the whole text is removed
	reports  bool          // what was accepted is reported, one sentence each; wrappers are removed
	decodes  bool          // a text that is refused as it is written may be decoded
	written  decode.Format // tells decodings where the hunks of a text are

	// Sections.
	moveFile, moveTo, environment bool
	path                          pathSpace
	lastNewline                   lastNewline
	emptyUpdate                   bool // an Update without hunks is left to the plan
	emptyMove                     bool // a Move may have no hunks

	// Hunks.
	hunksBegin   opening
	heading      func(line string) (anchor string, ok bool) // reads a line that may begin a hunk
	how          patch.How
	keepsText    bool   // text after @@ is an anchor; otherwise it is ignored
	emptyHeading stance // @@ without lines below: refused, ignored, or honoured if another @@ follows
	endOfFile    stance
	noNewline    stance
	blank        stance // an empty line: honoured as blank context, or ignored where that loses nothing
	addsAtEnd    bool   // a hunk that only adds lines and has no anchor goes to the end of the file
}

// stance selects what a dialect does with something.
type stance uint8

const (
	refused stance = iota
	ignored
	honoured
)

// pathSpace says what happens to white space around a path.
type pathSpace uint8

const (
	exactPath     pathSpace = iota // refused
	endTrimmed                     // refused before the path, trimmed after it
	bothTrimmed                    // trimmed
	trimsReported                  // trimmed and reported
)

// lastNewline says when the last line of an added file ends in a newline.
type lastNewline uint8

const (
	unlessEmpty lastNewline = iota // when that line is not empty and no marker follows
	always
	never
)

// opening says what begins a hunk.
type opening uint8

const (
	mayOmitFirst opening = iota // "@@", which the first hunk of a section may leave out
	mustOpen                    // "@@"
	separates                   // nothing; "@@" stands between hunks
)

// grammars lists every grammar, in the order of [All]. It cannot be [All], which holds the Parse functions: a failed
// Parse asks which other grammar reads the text.
var grammars = []*grammar{&emendGrammar, &commaGrammar, &codexGrammar, &supyagentGrammar, &chimeraGrammar,
	&unifiedGrammar, &searchReplaceGrammar}
