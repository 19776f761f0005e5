package plan

import (
	"crypto/sha1" //nolint:gosec // git's name of a content, not a protection
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// find places the hunks of s in a content: where their numbers say, if all of them stand there, else where their lines are. A dialect
// in which line ends are bytes of the file looks for the bytes first.
func (b *builder) find(s *patch.Section, before string) *place.Placement {
	traced := b.survey != nil
	made, differs := madeFrom(s, before)
	if differs {
		unnumbered := *s
		unnumbered.Hunks = slices.Clone(s.Hunks)
		for k := range unnumbered.Hunks {
			unnumbered.Hunks[k].At = 0
		}
		s = &unnumbered
	}
	numbered := func(lines *text.Lines) *place.Placement {
		return place.AtNumbers(lines, s.Hunks, b.rules, traced, made)
	}
	if b.rules.Bytes && endsMatter(s.Hunks, before) {
		lines := text.SplitLF(before)
		if p := numbered(lines); p != nil {
			return p
		}
		rules := b.rules
		rules.Ladder = []patch.Rung{patch.Exact}
		if p := place.Find(lines, s.Hunks, rules, traced); p.Limit() == nil && !slices.ContainsFunc(p.Errors(), notAmbiguous) {
			return p
		}
	}
	lines := text.Split(before)
	if p := numbered(lines); p != nil {
		return p
	}
	return place.Find(lines, s.Hunks, b.rules, traced)
}

func notAmbiguous(e *fail.Error) bool { return e.Kind != fail.MultipleMatches }

// endsMatter reports whether the file has line ends or a mark that a patch of bytes has in its lines. If the hunks look for
// nothing and have none of them either, they were written without.
func endsMatter(hunks []patch.Hunk, before string) bool {
	if !strings.Contains(before, text.CR) && !strings.HasPrefix(before, text.BOM) {
		return slices.ContainsFunc(hunks, func(h patch.Hunk) bool { return slices.ContainsFunc(h.Lines, hasMark) })
	}
	return slices.ContainsFunc(hunks, func(h patch.Hunk) bool {
		return slices.ContainsFunc(h.Lines, func(l patch.Line) bool { return l.Old() || hasMark(l) })
	})
}

// hasMark reports whether a line has a CR or begins with a byte order mark.
func hasMark(l patch.Line) bool {
	return strings.Contains(string(l), text.CR) || strings.HasPrefix(l.Text(), text.BOM)
}

// madeFrom reports whether data is the content that s was made from, and whether it is another one. Both are false if s does not
// say.
func madeFrom(s *patch.Section, data string) (made, differs bool) {
	if s.Blob == "" {
		return false, false
	}
	for _, h := range []hash.Hash{sha1.New(), sha256.New()} {
		fmt.Fprintf(h, "blob %d\x00", len(data))
		for rest := data; rest != ""; {
			n := min(len(rest), 1<<16)
			io.WriteString(h, rest[:n]) //nolint:errcheck // a hash takes everything
			rest = rest[n:]
		}
		if strings.HasPrefix(fmt.Sprintf("%x", h.Sum(nil)), s.Blob) {
			return true, false
		}
	}
	return false, true
}
