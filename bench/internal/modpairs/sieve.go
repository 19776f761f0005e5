package modpairs

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/text"
)

const (
	mostPairs   = 120       // between two versions, so that no package outweighs the others
	biggestFile = 256 << 10 // in bytes
	longestLine = 2_000     // in bytes; a program generated files with longer ones
)

// sieve takes the changes that a person or an agent could have made: updates of text that is written, not generated. Of changes
// with the same bytes on both sides it takes the first.
type sieve struct {
	seen map[[2][sha256.Size]byte]bool
}

// between takes at most mostPairs changes between two versions: always the same ones, in the order of paths.
func (s *sieve) between(from, to Tree) ([]Pair, error) {
	pairs, err := changed(from, to)
	if err != nil {
		return nil, err
	}
	built, err := builtOf(to)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, i := range rand.New(rand.NewPCG(1, 0)).Perm(len(pairs)) {
		if p := pairs[i]; !p.HasOld || !p.HasNew || built.made(p.Path) {
			continue
		}
		takes, err := s.takes(pairs[i])
		if err != nil {
			return nil, err
		}
		if takes {
			out = append(out, i)
		}
		if len(out) == mostPairs {
			break
		}
	}
	slices.Sort(out)
	return pick(pairs, out), nil
}

// takes decides by the contents of both files.
func (s *sieve) takes(p Pair) (bool, error) {
	before, after, err := p.Load()
	if err != nil || !written(before) || !written(after) {
		return false, err
	}
	key := [2][sha256.Size]byte{sha256.Sum256([]byte(before)), sha256.Sum256([]byte(after))}
	fresh := !s.seen[key]
	s.seen[key] = true
	return fresh, nil
}

// written reports whether data looks as if typed.
func written(data string) bool {
	return len(data) <= biggestFile && utf8.ValidString(data) && !text.Binary(data) && !generated(data) && !hasLong(data)
}

func hasLong(data string) bool {
	for line := range strings.Lines(data) {
		if len(line) > longestLine {
			return true
		}
	}
	return false
}

// generated reports whether the head of a file says that a program generated it.
func generated(data string) bool {
	head := strings.ToLower(data[:min(len(data), 2048)])
	return strings.Contains(head, "do not edit") || strings.Contains(head, "@generated")
}
