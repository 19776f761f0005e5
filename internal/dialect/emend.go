package dialect

import "github.com/emend-dev/emend/patch"

// Emend is the dialect of this engine: [Comma] to the letter, with additions.
var Emend = &Dialect{
	Name: "emend", Doc: "the default: exactly one place for every hunk, anchors and order decide what is left open",
	Parse:     parseWith(&emendGrammar),
	Print:     emendGrammar.print,
	PrintHunk: emendGrammar.printHunk,
	Claims:    claimsEnvelope,
	Rules:     emendRules,
	Words:     Words{Hunks: true},
}

var emendGrammar = grammar{
	name:     "emend",
	lenient:  &lenientGrammar,
	moveFile: true, moveTo: true, emptyMove: true,
	heading: containedHeading, how: patch.Narrow, keepsText: true, emptyHeading: honoured,
	endOfFile: honoured, noNewline: honoured, blank: honoured,
}

// lenientGrammar is emend for agents whose models make mistakes. It reports all that it accepts.
var lenientGrammar = grammar{
	name:   "emend",
	around: honoured, padded: true, reports: true, decodes: true,
	moveFile: true, moveTo: true, emptyMove: true, path: trimsReported,
	heading: containedHeading, how: patch.Narrow, keepsText: true, emptyHeading: honoured,
	endOfFile: honoured, noNewline: honoured, blank: honoured,
}

func emendRules(o Options) Rules {
	last := patch.Exact
	switch {
	case o.Tolerance != 0:
		last = o.Tolerance
	case o.Lenient:
		last = patch.Corrected
	case o.Header != nil:
		last = patch.Unicode
	}
	free := o.Lenient || o.Header != nil
	return Rules{Place: Ordered, Ladder: upTo(last, fullLadder...), Corrects: last == patch.Corrected, MakeParents: free, Absolute: free}
}
