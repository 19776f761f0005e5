package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold is the form in which names are compared with the rules. Two names that some file system, or the server it
// comes from, treats as one fold to one; that it also joins names which are two elsewhere is intended.
func fold(name string) string {
	if !isASCII(name) {
		// Twice, since a letter may fold to one that has a compatibility form.
		name = foldUnicode(foldUnicode(name))
	}
	name = strings.ToLower(name)
	// NTFS: what comes after a colon is a stream of the same file.
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, ". ")
	if name == "git~1" { // NTFS: the short name of .git
		return ".git"
	}
	return name
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
		// Up first: the long s and the dotless i have no lower-case letter but share an upper-case one.
		return unicode.ToLower(unicode.ToUpper(r))
	}, norm.NFKC.String(strings.Map(dropIgnorable, s)))
}

func dropIgnorable(r rune) rune {
	if isIgnorable(r) {
		return -1
	}
	return r
}

// ignorable reports whether comparing names may pass over r: the default-ignorable code points of Unicode and
// all format characters, among them the ones that HFS+ leaves out.
func isIgnorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// unseen reports whether r has no place in a name that a person is to read. Variation selectors are left alone,
// since emoji are written with them.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}
