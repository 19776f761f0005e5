package main

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/internal/report"
)

// agreement holds the programs of a row to printing the same lines, in any order.
type agreement struct {
	equal  func(a, b string) bool
	beside *agreement // this agreement lists files only: compare with the files in beside

	first  []string // sorted; what the first program printed
	whose  string
	prints map[string]lineDigest
}

// lineDigest is a digest of lines that does not depend on their order.
type lineDigest struct {
	lines int
	sum   uint64
}

// found returns the number of lines.
func (a *agreement) found() int { return len(a.first) }

var seed = maphash.MakeSeed()

// checker returns a check of a program's output. It compares the first output of each program with that of the first program,
// and the later ones with the first of the same program.
func (a *agreement) checker(name string) func(dir, out string) error {
	return func(_, out string) error {
		text, err := os.ReadFile(out)
		if err != nil {
			return err
		}
		var now lineDigest
		for line := range bytes.Lines(text) {
			now.lines++
			now.sum += maphash.Bytes(seed, line)
		}
		if before, ok := a.prints[name]; ok {
			if before != now {
				return fmt.Errorf("it printed something else than before: %d lines, and %d", before.lines, now.lines)
			}
			return nil
		}
		if a.prints == nil {
			a.prints = map[string]lineDigest{}
		}
		a.prints[name] = now
		return a.compare(name, string(text))
	}
}

func (a *agreement) compare(name, text string) error {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		lines = nil
	}
	slices.SortFunc(lines, byPlace)
	with, whose := a.first, a.whose
	if a.beside != nil {
		with, whose = slices.DeleteFunc(slices.Clone(a.beside.first), func(l string) bool { return strings.HasSuffix(l, "/") }), a.beside.whose
	}
	if whose == "" {
		a.first, a.whose = lines, name
		return nil
	}
	if len(lines) != len(with) {
		return fmt.Errorf("%d lines, and %d of %s; the first that one of them has alone: %q", len(lines), len(with), whose, firstAlone(lines, with))
	}
	for i := range lines {
		if !a.equal(with[i], lines[i]) {
			return fmt.Errorf("%q, and of %s %q", lines[i], whose, with[i])
		}
	}
	return nil
}

// firstAlone returns the first line whose path and number only one side has.
func firstAlone(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if c := byPlace(a[i], b[i]); c < 0 {
			return a[i]
		} else if c > 0 {
			return b[i]
		}
	}
	return slices.Concat(a[min(len(a), len(b)):], b[min(len(a), len(b)):])[0]
}

// byPlace orders lines by path, then by line number.
func byPlace(a, b string) int {
	p, n, _ := place(a)
	q, m, _ := place(b)
	return cmp.Or(cmp.Compare(p, q), cmp.Compare(n, m))
}

// place splits "path:12:text" into its parts. Any other line is a path.
func place(line string) (path string, number int, text string) {
	path, rest, ok := strings.Cut(line, ":")
	digits, text, more := strings.Cut(rest, ":")
	if n, err := strconv.Atoi(digits); ok && more && err == nil {
		return path, n, text
	}
	return strings.TrimSuffix(line, "/"), 0, ""
}

func equalPath(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// equalHit compares a line of emend with one of ripgrep. emend cuts long lines around the match and escapes characters that
// would control a terminal.
func equalHit(ours, theirs string) bool {
	if ours == theirs {
		return true
	}
	p, n, text := place(ours)
	q, m, full := place(theirs)
	if p != q || n != m {
		return false
	}
	full = strings.TrimSuffix(full, "\r")
	shown, part := report.OneLine(full), strings.Trim(text, "…")
	return text == shown || len(full) > 200 && len(part) > 100 && strings.Contains(shown, part)
}
