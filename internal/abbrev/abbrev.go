// Package abbrev tells which name somebody means who wrote a part of one: its beginning, or the beginning of its random part.
//
// It knows the forms of the names that emend makes. It looks nothing up: the caller has the names, and refuses what several of
// them fit.
package abbrev

import "strings"

// Fits reports whether given is name or an abbreviation of it. The random part of 20261121-123107-abcdefghij is abcdefghij, that
// of s-abcdefghijkl is abcdefghijkl, and that of the question q7h2k3m4n5p6 is 7h2k3m4n5p6. A number after a dot, as in
// 20261121-123107-abcdefghij.0, may be left out, and is not abbreviated.
func Fits(name, given string) bool {
	if given == "" {
		return false
	}
	stem, number := cutNumber(name)
	if given, asked := cutNumber(given); asked != "" {
		return asked == number && (strings.HasPrefix(stem, given) || strings.HasPrefix(Random(stem), given))
	}
	return strings.HasPrefix(name, given) || strings.HasPrefix(Random(stem), given)
}

// Random returns the random part of a name, or the whole name if it has none.
func Random(name string) string {
	switch {
	case IsTime(name):
		return name[len("20060102-150405-"):]
	case strings.HasPrefix(name, "s-"):
		return name[len("s-"):]
	case len(name) == 12 && name[0] == 'q':
		return name[1:]
	}
	return name
}

// Pick returns the names that given fits. If it is one of the names, it is that one alone.
func Pick(names []string, given string) (fit []string) {
	for _, n := range names {
		switch {
		case n == given:
			return []string{n}
		case Fits(n, given):
			fit = append(fit, n)
		}
	}
	return fit
}

// IsRandom reports whether text can be the beginning of the random part of an entry's name. Digits alone cannot: they are the
// number of a record.
func IsRandom(text string) bool {
	return text != "" && len(text) <= 10 && strings.Trim(text, letters) == "" && strings.Trim(text, "0123456789") != ""
}

const letters = "abcdefghijklmnopqrstuvwxyz234567"

// IsTime reports whether a name begins with a time, as those of entries and layers do.
func IsTime(name string) bool {
	const form = "00000000-000000-"
	if len(name) <= len(form) {
		return false
	}
	for i := range len(form) {
		if digit := name[i] >= '0' && name[i] <= '9'; form[i] == '-' && name[i] != '-' || form[i] != '-' && !digit {
			return false
		}
	}
	return true
}

// cutNumber splits the number after the dot off the name of something in the trash.
func cutNumber(name string) (stem, number string) {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || i == len(name)-1 || strings.Trim(name[i+1:], "0123456789") != "" {
		return name, ""
	}
	return name[:i], name[i+1:]
}
