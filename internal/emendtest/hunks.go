package emendtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

var hunkRange = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)

// Hunks splits the diff of one file into its hunks.
func Hunks(diff string) (out []string) {
	for _, line := range strings.SplitAfter(diff, "\n") {
		if strings.HasPrefix(line, "@@ ") {
			out = append(out, "")
		}
		if len(out) > 0 {
			out[len(out)-1] += line
		}
	}
	return out
}

// WithoutHunks returns the lines of a file without hunks of the diff that led to it. It is how a person would do it with a pencil: from
// the bottom up, the lines with the numbers that a hunk names are replaced by those that it had before.
func WithoutHunks(after, diff string, hunks []int) (string, error) {
	lines := strings.SplitAfter(after, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	all := Hunks(diff)
	for _, n := range slices.Backward(slices.Sorted(slices.Values(hunks))) {
		hunk := all[n-1]
		m := hunkRange.FindStringSubmatch(hunk)
		if m == nil {
			return "", fmt.Errorf("hunk %d has no range: %q", n, hunk)
		}
		at, _ := strconv.Atoi(m[1])
		count := 1
		if m[2] != "" {
			count, _ = strconv.Atoi(m[2])
		}
		if count > 0 {
			at--
		}
		var old, new []string
		body := strings.SplitAfter(hunk, "\n")[1:]
		for i, l := range body {
			if l == "" || l[0] == '\\' {
				continue
			}
			text := l[1:]
			if i+1 < len(body) && strings.HasPrefix(body[i+1], "\\") {
				text = strings.TrimSuffix(text, "\n")
			}
			if l[0] != '+' {
				old = append(old, text)
			}
			if l[0] != '-' {
				new = append(new, text)
			}
		}
		if at+count > len(lines) || !slices.Equal(lines[at:at+count], new) {
			return "", fmt.Errorf("hunk %d is not at its lines: it has\n%q\nand there are\n%q\n%s", n, new, lines[min(at, len(lines)):min(at+count, len(lines))], hunk)
		}
		lines = slices.Replace(lines, at, at+count, old...)
	}
	return strings.Join(lines, ""), nil
}

// CheckPieces changes a file from before to after, takes random hunks of that back, then more, gives one of these back or some hunks of it,
// and takes the rest back. Each time the file has to be what [WithoutHunks] makes of it. It returns how many undos there were. Only the undo of
// an undo by pieces, while a later one stays, may be refused: its lines may stand elsewhere too. That changes nothing, and ends it.
func CheckPieces(s *Story, r *rand.Rand, name, before, after string) (undos, refused int) {
	s.Helper()
	if before == after {
		return 0, 0
	}
	s.Write(name, before)
	a, err := s.WS.Write(s.Ctx, api.WriteRequest{Path: name, Content: after, ExpectedSha256: s.Sha(name)})
	s.Must(err)
	after = s.Read(name) // with the line ends that the file had
	diff := s.diffOf(a.Tx)
	n := len(Hunks(diff))
	if n == 0 {
		return 0, 0
	}
	var taken []int
	undo := func(entry string, hunks []int, want string) string {
		s.Helper()
		req := api.UndoRequest{Entry: entry}
		if hunks != nil {
			req.Pieces = []api.UndoPiece{{Path: name, Hunks: hunks}}
		}
		rep, err := s.WS.Undo(s.Ctx, req)
		if err != nil {
			s.Fatalf("%s, hunks %v of %s, after %v: %v\n%s", name, hunks, entry, taken, err, diff)
		}
		if got := s.Read(name); got != want {
			s.Fatalf("%s, hunks %v of %s, after %v: it is\n%q\nwant\n%q\n%s", name, hunks, entry, taken, got, want, diff)
		}
		undos++
		return rep.Tx
	}
	without := func(hunks []int) string {
		s.Helper()
		out, err := WithoutHunks(after, diff, hunks)
		s.Must(err)
		return out
	}
	rest := numbersTo(n)
	first := someOf(r, rest)
	taken, rest = first, minus(rest, first)
	one := undo(a.Tx, first, without(taken))

	// some of the undo is taken back, and that again
	if own := s.diffOf(one); len(Hunks(own)) > 0 {
		some := someOf(r, numbersTo(len(Hunks(own))))
		back, err := WithoutHunks(s.Read(name), own, some)
		s.Must(err)
		was := s.Read(name)
		undo(undo(one, some, back), nil, was)
	}
	if len(rest) == 0 {
		undo(one, nil, after)
		return undos, 0
	}
	second := someOf(r, rest)
	taken = slices.Concat(first, second)
	two := undo(a.Tx, second, without(taken))
	if r.IntN(2) == 0 {
		one, second = two, first
	}
	taken = second
	was := s.Read(name)
	if _, err := s.WS.Undo(s.Ctx, api.UndoRequest{Entry: one, DryRun: true}); err != nil {
		if got := s.Read(name); !errors.Is(err, fail.Stale) || got != was {
			s.Fatalf("%s, %s taken back: %v, and the file is\n%q", name, one, err, got)
		}
		undo(a.Tx, nil, before)
		return undos, 1
	}
	undo(one, nil, without(second)) // the other one stays
	last := undo(a.Tx, nil, before)
	undo(last, nil, without(second))
	undo(a.Tx, nil, before)
	return undos, 0
}

// diffOf returns the diff of an entry of one file.
func (s *Story) diffOf(entry string) string {
	s.Helper()
	a, err := s.WS.Show(s.Ctx, entry)
	s.Must(err)
	return a.Data.Files[0].Diff
}

// someOf returns some of list, at least one.
func someOf(r *rand.Rand, list []int) []int {
	out := slices.Clone(list)
	r.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return slices.Sorted(slices.Values(out[:1+r.IntN(len(out))]))
}

func minus(list, other []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(n int) bool { return slices.Contains(other, n) })
}

func numbersTo(n int) (out []int) {
	for i := range n {
		out = append(out, i+1)
	}
	return out
}
