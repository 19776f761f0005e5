package damage

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// FormatKinds lists the damage of one way to write a patch.
var FormatKinds = []Kind{
	{Name: "counts wrong", Doc: "unified: the counts of hunks are off by up to three; those of the last hunk are too low", do: wrongCounts, stage: writes},
	{Name: "last count too high", Doc: "unified: the counts of the last hunk are up to three too high", do: lastCountHigh, stage: writes},
	{Name: "all counts too high", Doc: "unified: the counts of every hunk are up to three too high", do: allCountsHigh, stage: writes},
	{Name: "counts and numbers wrong", Doc: "unified: the counts are off as in \"counts wrong\", and the numbers by up to 20", do: countsAndNumbers, stage: writes},
	{Name: "numbers missing", Doc: "unified: hunks begin with @@ alone", do: numbersMissing, stage: writes},
	{Name: "bare names", Doc: "unified: the header is --- and +++ without a/ and b/, and nothing else", do: bareNames, stage: writes},
	{Name: "ends of lines trimmed", Doc: "the patch has lost white space at the ends of its lines, also the mark of blank context", do: endsTrimmed, stage: wraps},
	{Name: "cut off at a line", Doc: "unified, search-replace: the text ends between two lines of a hunk", do: cutAtLine, alone: true, stage: wraps},
	{Name: "anchor with another number", Doc: "anchors: the number of an anchor is off by up to three", do: anchorNumber, stage: writes},
	{Name: "anchor with another hash", Doc: "anchors: one of the characters of an anchor is another", do: anchorHash, stage: writes},
}

func some(r *rand.Rand, most int) int { return 1 + r.IntN(most) }

func wrongCounts(r *rand.Rand, c *Case) bool {
	for i := range c.Hunks {
		h := &c.Hunks[i]
		h.Counts = [2]int{some(r, 3), some(r, 3)}
		if r.IntN(3) == 0 {
			h.Counts[r.IntN(2)] = 0
		}
		if i == len(c.Hunks)-1 || r.IntN(2) == 0 {
			h.Counts = [2]int{-h.Counts[0], -h.Counts[1]}
		}
	}
	return true
}

func lastCountHigh(r *rand.Rand, c *Case) bool {
	h := &c.Hunks[len(c.Hunks)-1]
	switch n := some(r, 3); r.IntN(4) {
	case 0:
		h.Counts = [2]int{n, 0}
	case 1:
		h.Counts = [2]int{0, n}
	case 2:
		h.Counts = [2]int{n, some(r, 3)}
	default:
		h.Counts = [2]int{n, n}
	}
	return true
}

func allCountsHigh(r *rand.Rand, c *Case) bool {
	for i := range c.Hunks {
		c.Hunks[i].Counts = [2]int{some(r, 3), some(r, 3)}
	}
	return lastCountHigh(r, c)
}

func countsAndNumbers(r *rand.Rand, c *Case) bool {
	for i := range c.Hunks {
		if c.Hunks[i].Off = some(r, 20); r.IntN(2) == 0 && c.Hunks[i].From > 20 {
			c.Hunks[i].Off = -c.Hunks[i].Off
		}
	}
	return wrongCounts(r, c)
}

func numbersMissing(_ *rand.Rand, c *Case) bool {
	c.unnumbered = true
	return true
}

func bareNames(_ *rand.Rand, c *Case) bool {
	c.bareNames = true
	return true
}

// endsTrimmed takes white space from the ends of all lines of the text. Nobody can know that an added line had some.
func endsTrimmed(_ *rand.Rand, c *Case) bool {
	for _, h := range c.Hunks {
		for _, l := range h.Lines {
			c.lossy = c.lossy || l[0] == '+' && strings.TrimRight(l, " \t") != l
		}
	}
	c.spells(func(_ int, lines []string) []string {
		for j, l := range lines {
			lines[j] = strings.TrimRight(l, " \t")
		}
		return lines
	})
	return true
}

// cutAtLine ends the text between two lines of a hunk, mostly of the last one. Only a refusal is right: what is lost is not known.
func cutAtLine(r *rand.Rand, c *Case) bool {
	if c.Way != InUnified && c.Way != InBlocks {
		return false
	}
	at := len(c.Hunks) - 1
	if r.IntN(3) == 0 {
		at = r.IntN(len(c.Hunks))
	}
	begins := map[Way]string{InUnified: "@@", InBlocks: searchLine}[c.Way]
	size := len(c.Hunks[at].Lines)
	if c.Way == InBlocks {
		size = len(c.Hunks[at].old()) + len(c.Hunks[at].withoutMarks("-")) + 2
	}
	if size < 2 {
		return false
	}
	keep := 1 + r.IntN(size-1)
	c.lost, c.cut = true, true
	return c.wrapped(func(text string) string {
		var out []string
		hunk, keep := -1, keep
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, begins) {
				hunk++
			}
			if out = append(out, line); hunk == at {
				if keep--; keep < 0 {
					break
				}
			}
		}
		return strings.Join(out, "")
	})
}

// anchorNumber gives one anchor another number.
func anchorNumber(r *rand.Rand, c *Case) bool {
	off := some(r, 3)
	return c.misnames(r, func(number, hash string) string {
		n, _ := strconv.Atoi(number)
		return strconv.Itoa(n+off) + ":" + hash
	})
}

// anchorHash gives one anchor another character.
func anchorHash(r *rand.Rand, c *Case) bool {
	at, to := r.IntN(4), "abcdefghijklmnopqrstuvwxyz234567"[r.IntN(32)]
	return c.misnames(r, func(number, hash string) string { return number + ":" + hash[:at] + string(to) + hash[at+1:] })
}

// misnames changes one of the anchors.
func (c *Case) misnames(r *rand.Rand, change func(number, hash string) string) bool {
	which := r.IntN(len(c.Hunks))
	c.misname = func(i int, anchor string) string {
		if i != which {
			return anchor
		}
		number, hash, _ := strings.Cut(anchor, ":")
		return change(number, hash)
	}
	return true
}
