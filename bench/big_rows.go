package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const bigWords = `One file, every line of it another one, and hunks all over it: a line replaced or, on the rung of white space, where the
programs indent what they add differently, a line taken out. The text of the patch is the same for both. Codex climbs the rungs by itself and
syncs nothing; emend is told with ` + "`--tolerance`" + ` how far to climb. The file is compared with the one that it has to be. A program that takes
longer than 10 s, or 20 s for 10M lines, is given up, and its time is then at least that;
emend with syncs, about which there is no bar, has three rounds.`

// patience returns the time after which a program is given up. It is long enough to tell whether emend takes less than half of
// it.
func patience(lines int) time.Duration {
	if lines >= 10_000_000 {
		return 20 * time.Second
	}
	return 10 * time.Second
}

var rungs = []string{"exact", "trailing", "whitespace", "unicode"}

func (b *bench) sizes() []int {
	if b.quick {
		return []int{10_000, 100_000}
	}
	return []int{100_000, 1_000_000, 10_000_000}
}

// shapes yields the combinations of hunks and lines that are measured.
func (b *bench) shapes(yield func(hunks, lines int) bool) {
	for _, h := range []int{1, 1000, 100_000} {
		for _, n := range b.sizes() {
			if n/h >= 10 && !yield(h, n) {
				return
			}
		}
	}
}

func (b *bench) bigRows() (out []row) {
	for _, rung := range rungs {
		for h, n := range b.shapes {
			s := &bigFile{lines: n, hunks: h, rung: rung}
			out = append(out, row{s.row(), "d", s.title() + ", " + rung, s.placeRow})
		}
	}
	for h, n := range b.shapes {
		s := &bigFile{lines: n, hunks: h, rung: "exact", nowhere: true}
		out = append(out, row{fmt.Sprintf("e.%d.%s", h, abbreviated(n)), "e", s.title(), s.refuseRow})
	}
	for i, n := range []int{30, 1000} {
		h := equalLines{lines: b.sizes()[i], hunk: n}
		out = append(out, row{fmt.Sprintf("f.%d", n), "f", fmt.Sprintf("%s equal lines, a hunk of %d", abbreviated(h.lines), n), h.refused})
	}
	return out
}

// bigFile is a file and a patch for it, of the given numbers of lines and hunks.
type bigFile struct {
	lines, hunks int
	rung         string
	nowhere      bool // the last hunk's line is not in the file
}

// row returns the name of its row.
func (s *bigFile) row() string {
	return fmt.Sprintf("d.%s.%d.%s", s.rung, s.hunks, abbreviated(s.lines))
}

func (s *bigFile) title() string {
	return abbreviated(s.lines) + " lines, " + ofHunks(s.hunks)
}

func ofHunks(n int) string {
	switch {
	case n == 1:
		return "1 hunk"
	case n < 10_000:
		return "1,000 hunks"
	}
	return "100,000 hunks"
}

// abbreviated abbreviates a number: 100k, 1M.
func abbreviated(n int) string {
	if n%1_000_000 == 0 {
		return fmt.Sprintf("%dM", n/1_000_000)
	}
	return fmt.Sprintf("%dk", n/1000)
}

// placeRow prepares the row in which every hunk has a place.
func (s *bigFile) placeRow(_ context.Context, b *bench, dir string) (*work, error) {
	patch := filepath.Join(dir, "patch")
	if err := s.write(patch); err != nil {
		return nil, err
	}
	base, size, err := b.base(s.lines)
	if err != nil {
		return nil, err
	}
	want := s.sum()
	w := &work{size: size, lines: s.lines, bars: []bar{{lane: unsynced, peer: codex, most: 0.5}, {lane: unsynced, most: 3, memory: true}}}
	apply := []string{"apply", "--quiet", "--dialect=emend", "--tolerance=" + s.rung}
	for _, t := range []task{
		{name: unsynced, program: b.programs.emend, args: append(apply[:4:4], "--durability=none")},
		{name: codex, program: b.programs.codex, limit: patience(s.lines)},
		{name: durable, program: b.programs.emend, args: apply, rounds: 3, counted: s.hunks == 1},
	} {
		if t.name == durable && s.rung != "exact" {
			continue // syncs cost the same on every rung
		}
		t.stdin = patch
		t.tree = b.fresh(dir, t.program.name == "emend", func(dir string) (string, error) { return copyToTree(dir, base) })
		t.check = func(root, _ string) error { return checkSum(filepath.Join(root, "f"), want) }
		t.after = os.RemoveAll
		w.lanes = append(w.lanes, b.lanes(t)...)
	}
	return w, nil
}

// refuseRow prepares the row in which the last hunk has no place.
func (s *bigFile) refuseRow(_ context.Context, b *bench, dir string) (*work, error) {
	patch := filepath.Join(dir, "patch")
	if err := s.write(patch); err != nil {
		return nil, err
	}
	base, size, err := b.base(s.lines)
	if err != nil {
		return nil, err
	}
	return b.refusal(dir, base, patch, size, s.lines, plain(s.lines))
}

// refusal prepares work that leaves the file as it was. All lanes share one tree.
func (b *bench) refusal(dir, base, patch string, size int64, lines int, sum string) (*work, error) {
	root, err := b.fresh(dir, true, func(dir string) (string, error) { return copyToTree(dir, base) })()
	if err != nil {
		return nil, err
	}
	w := &work{size: size, bars: []bar{{lane: durable, peer: codex, most: 0.5}, {lane: durable, most: 3, memory: true}}}
	for _, t := range []task{
		{name: durable, program: b.programs.emend, args: []string{"apply", "--quiet", "--dialect=emend", "--tolerance=unicode"}, says: "its lines are not in the file"},
		{name: codex, program: b.programs.codex, limit: patience(lines), says: "Failed to find expected lines"},
	} {
		t.stdin, t.exit = patch, 1
		t.tree = func() (string, error) { return root, nil }
		t.check = func(root, _ string) error { return checkSum(filepath.Join(root, "f"), sum) }
		w.lanes = append(w.lanes, b.lanes(t)...)
	}
	return w, nil
}

// copyToTree creates a workspace with a copy of the file.
func copyToTree(dir, base string) (string, error) {
	root, err := tree{}.lay(dir, nil)
	if err != nil {
		return "", err
	}
	return root, copyFile(filepath.Join(root, "f"), base)
}

// equalLines is a file of equal lines, and a hunk of such lines whose last line differs.
type equalLines struct{ lines, hunk int }

func (h equalLines) refused(_ context.Context, b *bench, dir string) (*work, error) {
	const line = "the same line, again and again\n"
	base, patch := filepath.Join(dir, "base"), filepath.Join(dir, "patch")
	text := strings.Repeat(line, h.lines)
	if err := os.WriteFile(base, []byte(text), 0o666); err != nil {
		return nil, err
	}
	hunk := "*** Begin Patch\n*** Update File: f\n@@\n" + strings.Repeat(" "+line, h.hunk-1) + "-and another one\n+new\n*** End Patch\n"
	if err := os.WriteFile(patch, []byte(hunk), 0o666); err != nil {
		return nil, err
	}
	return b.refusal(dir, base, patch, int64(len(text)), h.lines, sumOf(strings.NewReader(text)))
}
