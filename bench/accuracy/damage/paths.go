package damage

import (
	"math/rand/v2"
	"path"
	"strings"
	"unicode"
)

// swappedFiles puts the hunks of two files under each other's headers.
func swappedFiles(_ *rand.Rand, c *Case) bool {
	if c.change.Second == nil {
		return false
	}
	other, ok := c.change.Second()
	if !ok || other.Path == c.Path {
		return false
	}
	c.second, ok = other.Write(c.form)
	return ok
}

// fitsSwapped reports whether one of two swapped sections can be applied to the wrong file by the letter.
func (c *Case) fitsSwapped() bool {
	for _, anchors := range []bool{false, true} {
		_, one := applyLiterally(c.there, c.second.Hunks, anchors)
		_, other := applyLiterally(c.second.there, c.Hunks, anchors)
		if one || other {
			return true
		}
	}
	return false
}

// slipped writes the path in another way.
func slipped(change func(r *rand.Rand, name string) string) func(*rand.Rand, *Case) bool {
	return func(r *rand.Rand, c *Case) bool {
		now := change(r, c.Path)
		c.slip = func(string) string { return now }
		return now != c.Path
	}
}

func sidePath(r *rand.Rand, name string) string { return []string{"a/", "b/"}[r.IntN(2)] + name }

func absolutePath(_ *rand.Rand, name string) string { return Root + "/" + name }

// wrongCase writes the first letter of the last name in the other case, or the whole name.
func wrongCase(r *rand.Rand, name string) string {
	dir, base := path.Split(name)
	at := strings.IndexFunc(base, unicode.IsLetter)
	switch {
	case at < 0:
		return name
	case r.IntN(2) == 0 && strings.ToUpper(base) != base:
		return dir + strings.ToUpper(base)
	case base[at] >= 'a' && base[at] <= 'z':
		return dir + base[:at] + strings.ToUpper(base[at:at+1]) + base[at+1:]
	}
	return dir + base[:at] + strings.ToLower(base[at:at+1]) + base[at+1:]
}

// headerNumbers writes line numbers after "@@", as a unified diff has them, half of the time with one line of context. Wrong ones
// are off by up to 20 lines, all by as many or each by another number.
func headerNumbers(wrong bool) func(*rand.Rand, *Case) bool {
	return func(r *rand.Rand, c *Case) bool {
		if r.IntN(2) == 0 {
			if c.Hunks = c.change.hunks(1); c.form == Beside && !beside(c.Hunks) {
				return false
			}
		}
		off := 1 + r.IntN(20)
		same := r.IntN(2) == 0
		for i := range c.Hunks {
			h := &c.Hunks[i]
			h.Numbered = true
			if !wrong {
				continue
			}
			if !same {
				off = 1 + r.IntN(20)
			}
			if h.Off = off; r.IntN(2) == 0 && !same && h.From >= off {
				h.Off = -off
			}
		}
		return true
	}
}
