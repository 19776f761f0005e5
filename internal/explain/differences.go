package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// Differences names what differs between a line of a patch and the line of the file that it stands for, including what
// cannot be seen: indentation, white space at the end, typography, normal forms. Equal lines have none.
func Differences(mine, file string) []string {
	if mine == file {
		return nil
	}
	var out []string
	mine, cr := strings.CutSuffix(mine, "\r")
	if cr {
		out = append(out, "a carriage return (CR) at the end of the patch's line")
	}
	a, b := cutBlanks(mine), cutBlanks(file)
	if a.dent != b.dent {
		out = append(out, fmt.Sprintf("indentation: the file has %s, the patch %s", countBlanks(b.dent), countBlanks(a.dent)))
	}
	if a.core != b.core {
		out = append(out, typography(a.core, b.core)...)
	}
	if a.tail != b.tail {
		out = append(out, fmt.Sprintf("white space at the end: the file has %s, the patch %s", countBlanks(b.tail), countBlanks(a.tail)))
	}
	return out
}

// ends are the white space at both ends of a line and what is between.
type ends struct{ dent, core, tail string }

func cutBlanks(s string) ends {
	core := strings.TrimLeftFunc(s, unicode.IsSpace)
	if core == "" {
		return ends{tail: s}
	}
	dent := s[:len(s)-len(core)]
	short := strings.TrimRightFunc(core, unicode.IsSpace)
	return ends{dent, short, core[len(short):]}
}

// countBlanks counts white space in words.
func countBlanks(s string) string {
	if s == "" {
		return "none"
	}
	var out []string
	for s != "" {
		r := []rune(s)[0]
		rest := strings.TrimLeft(s, string(r))
		out = append(out, count((len(s)-len(rest))/len(string(r)), blankName(r)))
		s = rest
	}
	return strings.Join(out, " and ")
}

func blankName(r rune) string {
	switch r {
	case ' ':
		return "space"
	case '\t':
		return "tab"
	case '\r':
		return "carriage return"
	case '\u00a0':
		return "no-break space"
	}
	return fmt.Sprintf("U+%04X space", r)
}

// typography names what differs between two texts without white space at their ends.
func typography(mine, file string) []string {
	x, y := Mark(mine, file)
	out := append(lookalikes(x, "the patch"), lookalikes(y, "the file")...)
	folded := match.Same(patch.Unicode, visible(mine), visible(file))
	switch {
	case norm.NFC.String(mine) == norm.NFC.String(file):
		return append(out, fmt.Sprintf("Unicode normal form: the file has %s, the patch %s", normalForm(file), normalForm(mine)))
	case folded && len(out) > 0:
		return out
	case strings.EqualFold(mine, file):
		return append(out, "upper and lower case")
	case strings.Join(strings.Fields(mine), "") == strings.Join(strings.Fields(file), ""):
		return append(out, "white space inside the line")
	}
	return append(out, "the text")
}

// visible returns s without invisible characters.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}

// normalForm names the normal form of s.
func normalForm(s string) string {
	switch {
	case norm.NFC.IsNormalString(s):
		return "NFC"
	case norm.NFD.IsNormalString(s):
		return "NFD"
	}
	return "neither NFC nor NFD"
}

// lookalikes names the characters that differ and look like others, or like nothing.
func lookalikes(in []Part, whose string) []string {
	codes := map[string][]string{}
	var order []string
	for _, p := range in {
		if !p.Differs {
			continue
		}
		for _, r := range p.Text {
			c := lookalike(r)
			if c == "" {
				continue
			}
			if codes[c] == nil {
				order = append(order, c)
			}
			if code := fmt.Sprintf("U+%04X", r); !slices.Contains(codes[c], code) {
				codes[c] = append(codes[c], code)
			}
		}
	}
	for i, c := range order {
		order[i] = fmt.Sprintf("%s in %s: %s", c, whose, strings.Join(codes[c][:min(len(codes[c]), 4)], ", "))
	}
	return order
}

func lookalike(r rune) string {
	switch {
	case r < 0x7f && r != '\t':
		return ""
	case r == '\t':
		return "a tab"
	case r == '\u00a0', r == '\u202f', r == '\u2007':
		return "a no-break space"
	case unicode.Is(unicode.Zs, r):
		return "an unusual space"
	case unicode.Is(unicode.Cf, r):
		return "an invisible character"
	case unicode.Is(unicode.Pi, r), unicode.Is(unicode.Pf, r), strings.ContainsRune("‚„′″", r):
		return "typographic quotes"
	case unicode.Is(unicode.Pd, r), r == '\u2212':
		return "a typographic dash"
	case r == '…':
		return "an ellipsis"
	}
	return ""
}
