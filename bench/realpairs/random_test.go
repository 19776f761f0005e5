package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRandomDiffs damages diffs, and the files that they are for, and puts them to emend, git apply and GNU patch. Where another
// program applies a diff too, emend leaves the same bytes. The exceptions have a row in docs/differences.md: a hunk that has several
// places goes where the other hunks say in emend, and in the other programs to the one nearest to its number; and lines beyond those that
// a header counts are lines of the hunk in emend, and none in the other programs. EMEND_RANDOM_DIFFS sets how many diffs there are.
func TestRandomDiffs(t *testing.T) {
	for _, name := range []string{"git", "patch", "diff"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("NOT RUN: " + err.Error())
		}
	}
	n := 60
	if s := os.Getenv("EMEND_RANDOM_DIFFS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	counts := map[string]int{}
	for seed := range n {
		judgeRandom(t, uint64(seed), counts)
	}
	t.Logf("%d diffs: %v", n, counts)
	if n >= 60 && (counts["emend applied"] < n/10 || counts["git: same"] == 0 || counts["patch: same"] == 0) {
		t.Error("too few of them apply: the test shows little")
	}
}

func judgeRandom(t *testing.T, seed uint64, counts map[string]int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 20))
	k := diffKind{gnu: []string{"-r", "-N", fmt.Sprintf("-U%d", rng.IntN(4))}}
	before, after := memory{"f": randomFile(rng, 3+rng.IntN(12))}, memory{}
	after["f"] = mutated(rng, before["f"])
	dir := t.TempDir()
	diff, err := k.write(t.Context(), dir, before, after)
	if err != nil {
		t.Fatal(err)
	}
	now := maps.Clone(before)
	if rng.IntN(2) == 0 {
		now["f"] = mutated(rng, now["f"])
	}
	diff = damaged(rng, diff)
	made, _ := byEmend(t.Context(), diff, now)
	if made == nil {
		counts["emend refused"]++
		return
	}
	counts["emend applied"]++
	if k.gnu[2] == "-U0" {
		k.apply = []string{"--unidiff-zero"}
	}
	args := slices.Concat(peers[0].args[:len(peers[0].args)-1], k.apply, []string{"-"})
	for name, args := range map[string][]string{"git": args, "patch": slices.Concat(peers[1].args, []string{"--fuzz=0"})} {
		got, err := k.byPeer(t.Context(), dir, name, args, diff, now)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case got == nil:
			counts[name+": refused"]++
		case compared(made, got, "f") == exact:
			counts[name+": same"]++
		case severalPlaces(diff, now["f"]):
			counts[name+": another of several places"]++
		case longHunks(diff):
			counts[name+": fewer lines than there are"]++
		default:
			t.Errorf("seed %d: %s leaves\n%q\nand emend\n%q\nof\n%q\nby\n%s", seed, name, got["f"], made["f"], now["f"], diff)
		}
	}
}

// randomFile has few different lines, so that hunks have several places.
func randomFile(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(randomLine(rng))
	}
	if rng.IntN(6) == 0 {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

func randomLine(rng *rand.Rand) string {
	ends := []string{"\n", "\n", "\n", "\n", "\n", "\r\n"}
	return []string{"a", "b", "c", "d", "", "--", "++ b/f", "-- a/f", "\tx", "é"}[rng.IntN(10)] + strconv.Itoa(rng.IntN(3)) + ends[rng.IntN(len(ends))]
}

func mutated(rng *rand.Rand, s string) string {
	lines := strings.SplitAfter(s, "\n")
	for range 1 + rng.IntN(3) {
		i := rng.IntN(len(lines))
		switch rng.IntN(3) {
		case 0:
			lines = slices.Insert(lines, i, randomLine(rng))
		case 1:
			lines = slices.Delete(lines, i, i+1)
		default:
			lines[i] = randomLine(rng)
		}
		if len(lines) == 0 {
			return ""
		}
	}
	return strings.Join(lines, "")
}

var hunkHeader = regexp.MustCompile(`(?m)^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@$`)

// damaged spoils a diff in one way, or not at all.
func damaged(rng *rand.Rand, diff string) string {
	lines := strings.SplitAfter(diff, "\n")
	i := rng.IntN(len(lines))
	switch rng.IntN(8) {
	case 0: // other numbers
		return hunkHeader.ReplaceAllStringFunc(diff, func(h string) string {
			m := hunkHeader.FindStringSubmatch(h)
			n, _ := strconv.Atoi(m[1])
			return fmt.Sprintf("@@ -%d%s +%s%s @@", max(0, n+rng.IntN(5)-2), m[2], m[3], m[4])
		})
	case 1: // other numbers on both sides
		by := rng.IntN(7) - 3
		return hunkHeader.ReplaceAllStringFunc(diff, func(h string) string {
			m := hunkHeader.FindStringSubmatch(h)
			old, _ := strconv.Atoi(m[1])
			new, _ := strconv.Atoi(m[3])
			return fmt.Sprintf("@@ -%d%s +%d%s @@", max(0, old+by), m[2], max(0, new+by), m[4])
		})
	case 2: // a line is lost
		return strings.Join(slices.Delete(lines, i, i+1), "")
	case 3: // a line is there twice
		return strings.Join(slices.Insert(lines, i, lines[i]), "")
	case 4: // cut off
		return diff[:rng.IntN(len(diff)+1)]
	}
	return diff
}

// longHunks reports whether a hunk has more lines than its header counts.
func longHunks(diff string) bool {
	headers := hunkHeader.FindAllStringSubmatch(diff, -1)
	for i, body := range hunkHeader.Split(diff, -1)[1:] {
		old, new := 0, 0
		for line := range strings.SplitAfterSeq(strings.TrimPrefix(body, "\n"), "\n") {
			if line == "" || !strings.Contains(" -+\\", line[:1]) {
				break
			}
			if line[0] == '\\' {
				continue
			}
			if line[0] != '+' {
				old++
			}
			if line[0] != '-' {
				new++
			}
		}
		if old > counted(headers[i][2]) || new > counted(headers[i][4]) {
			return true
		}
	}
	return false
}

// counted reads ",3"; none means 1.
func counted(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s[1:])
	return n
}

// severalPlaces reports whether the old lines of a hunk stand at several places in a file, or at none, because it only adds lines.
func severalPlaces(diff, file string) bool {
	parts := hunkHeader.Split(diff, -1)
	for _, body := range parts[1:] {
		var old strings.Builder
		for line := range strings.SplitAfterSeq(strings.TrimPrefix(body, "\n"), "\n") {
			if line != "" && (line[0] == ' ' || line[0] == '-') {
				old.WriteString(line[1:])
			}
		}
		text := "\n" + file
		if n := strings.Count(text, "\n"+old.String()); old.Len() == 0 || n > 1 {
			return true
		}
		// Count does not see places that overlap.
		if i := strings.Index(text, "\n"+old.String()); i >= 0 && strings.Contains(text[i+1:], "\n"+old.String()) {
			return true
		}
	}
	return false
}
