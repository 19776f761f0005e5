package damage

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// Kind is one way in which models damage a patch, or in which the file differs from the one that they saw.
type Kind struct {
	Name string
	Doc  string
	// do damages c, and reports whether it applies.
	do func(r *rand.Rand, c *Case) bool
	// Envelope: it damages the envelope, which a unified diff does not have, or a unified diff is always so.
	Envelope bool
	dents    bool // it changes indentation
	uniform  bool // it writes every line of a hunk in another way, also the added ones
	encodes  bool // it writes characters in another way
	alone    bool // what comes out tells nothing if another damage comes on top
	stage    stage
}

// stage orders damages that come together: at another time the effect of one would be lost, or disturb others.
type stage uint8

const (
	writes    stage = iota // writes the hunks again
	meanwhile              // changes the file; hunks must still have the lines that their author saw
	spoils                 // changes lines
	drops                  // drops lines, or inserts something before them
	moves                  // moves whole hunks
	wraps                  // changes how lines are written, or wraps the text
)

// Kinds lists all kinds, in the order of the tables.
var Kinds = []Kind{
	{Name: "none", Doc: "as a careful author writes it", do: func(*rand.Rand, *Case) bool { return true }, stage: writes},
	{Name: "trailing gained", Doc: "context and removed lines end in spaces that the file does not have", do: trailingGained, stage: spoils},
	{Name: "trailing lost", Doc: "lines of the file end in white space that the patch does not have", do: trailingLost, stage: meanwhile},
	{Name: "tabs as spaces", Doc: "every indent of tabs is written in spaces, also on added lines", do: tabsAsSpaces, dents: true, uniform: true, stage: spoils},
	{Name: "spaces as tabs", Doc: "every indent of spaces is written in tabs, also on added lines", do: spacesAsTabs, dents: true, uniform: true, stage: spoils},
	{Name: "indentation shifted", Doc: "a hunk stands further left or right, also its added lines", do: shifted, dents: true, uniform: true, stage: spoils},
	{Name: "typography", Doc: "quotes and dashes are typographic in the patch and plain in the file, or the other way round", do: typography, stage: meanwhile},
	{Name: "normal form", Doc: "accents are written in another Unicode normal form than in the file", do: normalForm, stage: meanwhile},
	{Name: "blank dropped", Doc: "blank context lines are left out", do: blankDropped, stage: drops},
	{Name: "paraphrased", Doc: "one context line is not quite the one in the file", do: paraphrased, stage: spoils},
	{Name: "context of one", Doc: "one line of context on either side", do: contextOf(1), stage: writes},
	{Name: "no context", Doc: "no context at all", do: contextOf(0), stage: writes},
	{Name: "out of order", Doc: "the hunks are not in the order of the file", do: outOfOrder, stage: moves},
	{Name: "one applied", Doc: "one hunk is in the file already", do: oneApplied, stage: meanwhile},
	{Name: "all applied", Doc: "the whole change is in the file already", do: allApplied, stage: meanwhile},
	{Name: "changed nearby", Doc: "lines close to the hunks were changed since the file was read", do: changedNearby, stage: meanwhile},
	{Name: "changed inside", Doc: "context of a hunk was changed since the file was read", do: changedInside, stage: meanwhile},
	{Name: "duplicated", Doc: "what a hunk shows stands in the file twice since it was read", do: duplicated, stage: meanwhile},
	{Name: "wrong anchor", Doc: "the text after @@ is from elsewhere, or from nowhere", do: wrongAnchor, stage: moves},
	{Name: "line numbers", Doc: "line numbers of a listing stand in front of context and removed lines", do: lineNumbers, stage: drops},
	{Name: "elided", Doc: "lines between two changes are written as \"...\"", do: elided, stage: drops},
	{Name: "no end", Doc: "the last line, *** End Patch, is missing", do: noEnd, Envelope: true, stage: wraps},
	{Name: "fenced", Doc: "the patch stands in a Markdown fence, with words around it", do: fenced, stage: wraps},
	{Name: "JSON", Doc: "the patch is a JSON string in an object", do: jsonWrapped, Envelope: true, stage: wraps},
	{Name: "CRLF patch", Doc: "the lines of the patch end in CRLF, those of the file in LF", do: crlfPatch, stage: wraps},
	{Name: "CRLF file", Doc: "the lines of the file end in CRLF, those of the patch in LF", do: crlfFile, stage: meanwhile},
	{Name: "sent twice", Doc: "the file is as this patch left it; hunks have the heading that encloses them and little context", do: sentTwice, stage: writes},
	{Name: "hunk twice", Doc: "one hunk stands in the patch twice", do: hunkTwice, alone: true, stage: writes},
	{Name: "removals done", Doc: "what a hunk removes is gone already, what it adds is not there yet", do: removalsDone, alone: true, stage: meanwhile},
	{Name: "first half applied", Doc: "the first half of the changes of a hunk is in the file already", do: firstHalf, alone: true, stage: meanwhile},
	{Name: "two versions older", Doc: "one hunk of the change, and the file of the version before the one that was read", do: twoVersionsOlder, alone: true, stage: writes},
	{Name: "other changes missing", Doc: "the file lacks other changes, close by, that were read", do: otherChangesMissing, alone: true, stage: writes},
	{Name: "typo in context", Doc: "a typing mistake in a line of context", do: typo.inOne(" "), stage: spoils},
	{Name: "typo in removed", Doc: "a typing mistake in a removed line", do: typo.inOne("-"), stage: spoils},
	{Name: "typo in all hunks", Doc: "typing mistakes in every hunk, in a line of context and a removed one", do: typo.inAll, stage: spoils},
	{Name: "token in context", Doc: "a name or number in a line of context is another", do: token.inOne(" "), stage: spoils},
	{Name: "token in removed", Doc: "a name or number in a removed line is another", do: token.inOne("-"), stage: spoils},
	{Name: "token in all hunks", Doc: "names or numbers in every hunk are others, in a line of context and a removed one", do: token.inAll, stage: spoils},
	{Name: "similar block", Doc: "the context of a hunk is that of a similar block", do: similarBlock, alone: true, stage: spoils},
	{Name: "invented above", Doc: "invented lines above the context of a hunk, or in place of it", do: invented(false), stage: drops},
	{Name: "invented on both sides", Doc: "invented lines above and below a hunk, besides its context or in place of it", do: invented(true), stage: drops},
	{Name: "context rewritten", Doc: "every word of the context is another", do: contextRewritten, alone: true, stage: spoils},
	{Name: "context shifted", Doc: "the context of a hunk stands further right, and nothing else", do: contextShifted, dents: true, alone: true, stage: spoils},
	{Name: "mixed shift", Doc: "the lines of context of a hunk stand further right, each by another width", do: mixedShift, dents: true, alone: true, stage: spoils},
	{Name: "marks missing", Doc: "the space before lines of context is left out", do: marksMissing, stage: wraps},
	{Name: "one mark missing", Doc: "the space before one line of context is left out", do: oneMarkMissing, stage: wraps},
	{Name: "numbers 12|", Doc: "\"12| \" stands in front of lines, behind the mark", do: numbered(numbersBar), stage: drops},
	{Name: "numbers 12:", Doc: "\"12: \" stands in front of lines, behind the mark", do: numbered(numbersColon), stage: drops},
	{Name: "numbers cat -n", Doc: "a number and a tab stand in front of lines, behind the mark", do: numbered(numbersCat), stage: drops},
	{Name: "numbers L12:", Doc: "\"L12: \" stands in front of lines, behind the mark", do: numbered(numbersL), stage: drops},
	{Name: "numbers before the mark", Doc: "line numbers, in one of these forms, stand before the marks", do: numbersFirst, stage: wraps},
	{Name: "inner fence", Doc: "a Markdown fence stands inside of the envelope", do: innerFence, Envelope: true, stage: wraps},
	{Name: "HTML in context", Doc: "context and removed lines have HTML entities", do: encoded(false, asHTML, hasEntity), encodes: true, stage: spoils},
	{Name: "HTML in all", Doc: "all lines have HTML entities", do: encoded(true, asHTML, hasEntity), encodes: true, uniform: true, stage: spoils},
	{Name: "smart quotes in context", Doc: "quotes in context and removed lines are typographic", do: encoded(false, asCurly, hasCurly), encodes: true, stage: spoils},
	{Name: "smart quotes in all", Doc: "quotes in all lines are typographic", do: encoded(true, asCurly, hasCurly), encodes: true, uniform: true, stage: spoils},
	{Name: "doubled escapes", Doc: "quotes and backslashes are escaped once more", do: doubledEscapes, encodes: true, uniform: true, stage: spoils},
	{Name: "literal \\n", Doc: "ends of lines are written as a backslash and an n", do: literalNewlines, stage: wraps},
	{Name: "cut off and ended", Doc: "the last hunk ends in the middle of a line, and *** End Patch follows", do: cutOff(true), alone: true, stage: wraps},
	{Name: "cut off", Doc: "the text ends in the middle of a line of the last hunk", do: cutOff(false), Envelope: true, alone: true, stage: wraps},
	{Name: "swapped files", Doc: "the hunks of two files stand under each other's headers", do: swappedFiles, Envelope: true, alone: true, stage: moves},
	{Name: "right header numbers", Doc: "hunks have right line numbers after @@, and often one line of context", do: headerNumbers(false), Envelope: true, stage: writes},
	{Name: "wrong header numbers", Doc: "hunks have wrong line numbers after @@, and often one line of context", do: headerNumbers(true), stage: writes},
	{Name: "path a/ b/", Doc: "a/ or b/ stands before the path", do: slipped(sidePath), Envelope: true, alone: true, stage: wraps},
	{Name: "absolute path", Doc: "the path is absolute, below the root", do: slipped(absolutePath), Envelope: true, alone: true, stage: wraps},
	{Name: "path in wrong case", Doc: "letters of the path are capital where they are small, or the other way round", do: slipped(wrongCase), Envelope: true, alone: true, stage: wraps},
	{Name: "repeated blocks", Doc: "one line of context, in a file that has the lines of a hunk several times", do: repeatedBlocks, stage: writes},
	{Name: "near twin", Doc: "the file has a near twin of what a hunk shows, and the hunk a typing mistake", do: nearTwin, alone: true, stage: writes},
	{Name: "inserted twin", Doc: "the file got a near twin of what a hunk shows, and the hunk often has a typing mistake", do: insertedTwin, alone: true, stage: meanwhile},

	// Added after the engine was first tuned.
	{Name: "twin beside", Doc: "the file got a near twin right beside what a hunk shows, and the hunk often has a typing mistake", do: twinBeside, alone: true, stage: meanwhile},
	{Name: "context reordered", Doc: "two lines of context are exchanged", do: contextReordered, alone: true, stage: drops},
	{Name: "lines reordered", Doc: "two lines of the file that a hunk shows as context were exchanged since it was read", do: linesReordered, alone: true, stage: meanwhile},
	{Name: "context twice", Doc: "a line of context stands in the hunk twice", do: contextTwice, alone: true, stage: drops},
	{Name: "lines joined", Doc: "two lines of context are written as one", do: linesJoined, alone: true, stage: drops},
	{Name: "line wrapped", Doc: "a line of context or a removed one is broken in two", do: lineWrapped, alone: true, stage: drops},
	{Name: "abbreviated", Doc: "\"...\" stands for the second half of a line of context or a removed one", do: abbreviated, alone: true, stage: spoils},
	{Name: "part shifted", Doc: "the context of a hunk and the first of its added lines stand further right", do: partShifted, dents: true, alone: true, stage: spoils},
	{Name: "moved", Doc: "the lines that a hunk changes were moved to another place since they were read", do: moved, alone: true, stage: writes},
	{Name: "removed as added", Doc: "the first line that a hunk adds stands in place of the line that it removes", do: removedAsAdded, alone: true, stage: spoils},
	{Name: "renamed since", Doc: "a name has another spelling in the whole file since it was read", do: renamedSince, alone: true, stage: meanwhile},
}

// Named returns the kind with a name.
func Named(name string) (Kind, bool) {
	for _, k := range slices.Concat(Kinds, FormatKinds) {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Pairs returns the damages that can come together, in the order in which they apply.
func Pairs() (out [][2]Kind) {
	for i, a := range Kinds {
		for j, b := range Kinds {
			if a.Name != "none" && b.Name != "none" && !a.alone && !b.alone && (a.stage < b.stage || a.stage == b.stage && i < j && a.beside(b)) {
				out = append(out, [2]Kind{a, b})
			}
		}
	}
	return out
}

// beside reports whether two damages of one stage can come together. Two that change the indentation cannot, nor two that write
// characters in another way: the result says nothing.
func (k Kind) beside(other Kind) bool {
	switch k.stage {
	case meanwhile:
		return true
	case spoils:
		return (!k.dents || !other.dents) && (!k.encodes || !other.encodes)
	}
	return false
}

// Case returns the patch for c in form f with the damage of kinds, one after the other. The same seed damages the same lines.
// It reports false if the form cannot express the change or one of the kinds does not apply.
func (c *Change) Case(f Form, seed uint64, kinds ...Kind) (*Case, bool) {
	return c.spoil(InEnvelope, f, seed, kinds)
}

func (c *Change) spoil(w Way, f Form, seed uint64, kinds []Kind) (*Case, bool) {
	out, ok := c.Write(f)
	if !ok {
		return nil, false
	}
	out.Way = w
	for i, k := range kinds {
		h := fnv.New64a()
		h.Write([]byte(k.Name + "\x00" + c.Path + "\x00" + c.Old[:min(len(c.Old), 4096)]))
		if !k.do(rand.New(rand.NewPCG(seed, h.Sum64())), out) {
			return nil, false
		}
		out.settle()
		out.Way = w // of a case that was written again as well
		if out.Kind = k.Name; i > 0 {
			out.Kind = kinds[0].Name + " + " + k.Name
		}
	}
	return out, true
}
