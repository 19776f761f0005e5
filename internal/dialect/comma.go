package dialect

import "github.com/emend-dev/emend/patch"

// Comma is the patch envelope of Comma Agents, to the letter of its specification.
var Comma = &Dialect{
	Name: "comma", Doc: "Comma Agents' patch envelope, to the letter: zero fuzz, exactly one place",
	Parse:     parseWith(&commaGrammar),
	Print:     commaGrammar.print,
	PrintHunk: commaGrammar.printHunk,
	Rules: func(Options) Rules {
		return Rules{Place: Unique, Ladder: []patch.Rung{patch.Exact}}
	},
}

var commaGrammar = grammar{
	name:     "comma",
	moveFile: true, emptyMove: true,
	hunksBegin: mustOpen, heading: bareHeading,
	noNewline: honoured, blank: honoured,
}
