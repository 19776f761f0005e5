package damage

import (
	"slices"
	"strings"
)

// OnlyRefusal reports whether nothing but a refusal, or luck, is right: a part of the change is not in the text, or the text does
// not tell which of several places is meant, nor which of several changes. Another result is still wrong.
func (c *Case) OnlyRefusal() bool {
	if c.lost || c.open || c.second != nil {
		return true
	}
	hunks, ok := c.letter()
	if !ok {
		hunks = c.Hunks // as its author wrote it
	}
	for i := range hunks {
		if c.undecided(hunks, i) {
			return true
		}
	}
	return false
}

// undecided reports whether hunk i could go to several places. If it stands in several, neither its number nor its anchor nor the
// hunks around it tell which. If it stands nowhere, neither its removed lines have exactly one place, nor is its own place the
// one that resembles it most.
func (c *Case) undecided(hunks []Hunk, i int) bool {
	h := hunks[i]
	if c.applied(c.Hunks[i]) {
		return false // what it makes stands there
	}
	if len(h.old()) == 0 {
		if c.Way == InUnified && c.numbered(h) && h.Off == 0 && c.Disk == c.Read {
			return false // its number says where
		}
		return len(linesWith(c.there, h.Anchor)) != 1
	}
	switch n := len(places(c.there, h.old())); {
	case n == 1:
		return false
	case n > 1:
		return len(c.told(hunks, i)) != 1
	}
	from, to := c.span(c.Hunks[i])
	if removed := h.removed(); slices.ContainsFunc(removed, func(run []string) bool {
		at := places(c.there, run)
		return len(at) == 1 && at[0] >= from && at[0] < to
	}) {
		return false
	}
	w := c.change.words(c.Disk)
	truth, rival := w.scores(h.old(), from, to)
	return truth == 0 || rival >= truth
}

// removed returns the runs of removed lines that have a word.
func (h Hunk) removed() (out [][]string) {
	for j := 0; j < len(h.Lines); j++ {
		var run []string
		for ; j < len(h.Lines) && h.Lines[j][0] == '-'; j++ {
			run = append(run, h.Lines[j][1:])
		}
		if word.MatchString(strings.Join(run, "\n")) {
			out = append(out, run)
		}
	}
	return out
}

// applied reports whether the whole of h is in the file already.
func (c *Case) applied(h Hunk) bool {
	blocks := c.blocksOf(h)
	return len(blocks) > 0 && !slices.ContainsFunc(blocks, func(i int) bool { return !c.disk.made[i] })
}

// tellsAgain is Untellable for a patch of which hunks were applied before, or that has a hunk twice: whether one of its hunks
// has a place that nothing speaks against, and that is not its own.
func (c *Case) tellsAgain(hunks []Hunk) bool {
	for i, h := range hunks {
		if i == c.twin-1 {
			continue // the hunk itself is in the patch as well
		}
		if c.twin > 0 || !c.applied(c.Hunks[i]) {
			if c.tellsOtherPlace(hunks, i) {
				return true
			}
			continue
		}
		if slices.ContainsFunc(places(c.there, h.old()), func(at int) bool { return !c.speaksAgainst(h, at) }) {
			return true
		}
	}
	return false
}

// speaksAgainst reports whether the patch and the file speak against applying h, which is applied, once more at a place where its
// lines stand: the place is not below the line of its anchor, nor in the scope that indentation gives this line, or the
// added lines stand right there already.
func (c *Case) speaksAgainst(h Hunk, at int) bool {
	if anchor := linesWith(c.there, h.Anchor); len(anchor) == 1 && (at <= anchor[0] || leavesScope(c.there, anchor[0], at)) {
		return true
	}
	return h.doubles(c.there, at)
}

// leavesScope reports whether line at is outside of the lines that are indented below line top. A line that closes the head of a
// block, or one block and opens the next, does not end the scope.
func leavesScope(file []string, top, at int) bool {
	scoped := false
	for _, l := range file[top+1 : at+1] {
		if t := trim(l); t == "" || strings.ContainsAny(t[:1], ")]>{") || t[0] == '}' && strings.ContainsAny(t[len(t)-1:], "{[(:") {
			continue
		}
		if indent(l) > indent(file[top]) {
			scoped = true
			continue
		}
		return scoped
	}
	return false
}

// doubles reports whether h, whose old lines stand at a place, only adds lines that stand right there.
func (h Hunk) doubles(file []string, at int) bool {
	for j := 0; j < len(h.Lines); {
		if h.Lines[j][0] == ' ' {
			j, at = j+1, at+1
			continue
		}
		var old, now []string
		for ; j < len(h.Lines) && h.Lines[j][0] != ' '; j++ {
			if h.Lines[j][0] == '-' {
				old = append(old, h.Lines[j][1:])
			} else {
				now = append(now, h.Lines[j][1:])
			}
		}
		n := 0
		for n < len(old) && n < len(now) && old[n] == now[n] {
			n++
		}
		more, rest := now[n:], old[n:]
		for len(rest) > 0 && len(more) > 0 && rest[len(rest)-1] == more[len(more)-1] {
			rest, more = rest[:len(rest)-1], more[:len(more)-1]
		}
		if len(rest) > 0 {
			return false
		}
		here := at + n
		if !slices.Equal(file[max(0, here-len(more)):here], more) && !slices.Equal(file[here:min(len(file), here+len(more))], more) {
			return false
		}
		at += len(old)
	}
	return true
}
