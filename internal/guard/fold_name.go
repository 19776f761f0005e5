package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns the form in which names are compared with the rules. Two names that some file system, or the server behind it,
// treats as one have the same form. That it also joins names which are two elsewhere is intended.
func fold(name string) string {
	if !isASCII(name) {
		// Twice, since a letter may fold to one that has a compatibility form.
		name = foldUnicode(foldUnicode(name))
	}
	name = trimNTFS(strings.ToLower(name))
	if name == "git~1" { // NTFS: the short name of .git
		return ".git"
	}
	return name
}

// foldButCase is fold, but may leave the case of letters. It allocates nothing for a name in ASCII.
func foldButCase(name string) string {
	if isASCII(name) {
		return trimNTFS(name)
	}
	return fold(name)
}

// trimNTFS drops what NTFS does not keep: a colon begins the name of a stream of the same file, dots and spaces at the end are
// lost.
func trimNTFS(name string) string {
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimRight(name, ". ")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func foldUnicode(s string) string {
	return strings.Map(func(r rune) rune {
		if isIgnorable(r) {
			return -1
		}
		// Upper case first: the long s and the dotless i have no lower-case letter but share an upper-case one.
		return unicode.ToLower(unicode.ToUpper(r))
	}, norm.NFKC.String(strings.Map(dropIgnorable, s)))
}

func dropIgnorable(r rune) rune {
	if isIgnorable(r) {
		return -1
	}
	return r
}

// isIgnorable reports whether the comparison of names ignores r: the default-ignorable code points of Unicode and all format
// characters, among them those that HFS+ ignores.
func isIgnorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isInvisible reports whether r must not be in a name that a person reads. Variation selectors are allowed, since emoji are
// written with them.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}
