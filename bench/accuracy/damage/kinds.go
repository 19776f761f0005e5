package damage

import (
	"hash/fnv"
	"math/rand/v2"
)

// Kind is one way in which models damage a patch, or in which the file differs from the one that they saw.
type Kind struct {
	Name string
	Doc  string
	// do damages c, and reports whether it applies.
	do func(r *rand.Rand, c *Case) bool
	// Envelope: it damages the envelope, which a unified diff does not have.
	Envelope bool
	dents    bool // it changes indentation
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
	wraps                  // wraps the text
)

// Kinds lists all kinds, in the order of the tables.
var Kinds = []Kind{
	{Name: "none", Doc: "as a careful author writes it", do: func(*rand.Rand, *Case) bool { return true }, stage: writes},
	{Name: "trailing gained", Doc: "context and removed lines end in spaces that the file does not have", do: trailingGained, stage: spoils},
	{Name: "trailing lost", Doc: "lines of the file end in white space that the patch does not have", do: trailingLost, stage: meanwhile},
	{Name: "tabs as spaces", Doc: "every indent of tabs is written in spaces, also on added lines", do: tabsAsSpaces, dents: true, stage: spoils},
	{Name: "spaces as tabs", Doc: "every indent of spaces is written in tabs, also on added lines", do: spacesAsTabs, dents: true, stage: spoils},
	{Name: "indentation shifted", Doc: "a hunk stands further left or right, also its added lines", do: shifted, dents: true, stage: spoils},
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
}

// Named returns the kind with a name.
func Named(name string) (Kind, bool) {
	for _, k := range Kinds {
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
			if a.Name != "none" && b.Name != "none" && (a.stage < b.stage || a.stage == b.stage && i < j && a.beside(b)) {
				out = append(out, [2]Kind{a, b})
			}
		}
	}
	return out
}

// beside reports whether two damages of one stage can come together. Two that change the indentation cannot: the result says
// nothing.
func (k Kind) beside(other Kind) bool {
	switch k.stage {
	case meanwhile:
		return true
	case spoils:
		return !k.dents || !other.dents
	}
	return false
}

// Case returns the patch for c in form f with the damage of kinds, one after the other. The same seed damages the same lines.
// It reports false if the form cannot express the change or one of the kinds does not apply.
func (c *Change) Case(f Form, seed uint64, kinds ...Kind) (*Case, bool) {
	out, ok := c.Write(f)
	if !ok {
		return nil, false
	}
	for i, k := range kinds {
		h := fnv.New64a()
		h.Write([]byte(k.Name + "\x00" + c.Path + "\x00" + c.Old[:min(len(c.Old), 4096)]))
		if !k.do(rand.New(rand.NewPCG(seed, h.Sum64())), out) {
			return nil, false
		}
		out.settle()
		if out.Kind = k.Name; i > 0 {
			out.Kind = kinds[0].Name + " + " + k.Name
		}
	}
	return out, true
}
