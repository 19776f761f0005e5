package damage

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Way is a way to write the hunks of a case.
type Way uint8

const (
	InEnvelope Way = iota // sections in an envelope
	InUnified             // a unified diff with line numbers
	InBlocks              // SEARCH/REPLACE blocks
	InBody                // the hunks alone; somebody else says which file
	AsEdits               // old and new texts, and the hash of the file: one object in JSON
	AsLines               // lines that are named by anchors: the same object
	AsCalls               // calls of a text editor, str_replace and insert: an object in JSON a line
)

// Mint returns the anchor of line n, from 1, of a text; line 0 is its top. Only the system that reads anchors knows it.
type Mint func(text string, n int) string

// CaseIn returns the case as [Change.Case] does, for a way to write it. It reports false as well if the damage does not show: neither in
// what is sent nor in the file.
func (c *Change) CaseIn(w Way, mint Mint, f Form, seed uint64, kinds ...Kind) (*Case, bool) {
	out, ok := c.spoil(w, f, seed, kinds)
	if !ok || out.second != nil || out.slip != nil {
		return nil, false
	}
	if w != InEnvelope && w != InUnified && w != InBody {
		for i := range out.Hunks {
			out.Hunks[i].Anchor = ""
		}
	}
	out.lossy = out.lossy || (w == InBlocks || w == AsEdits) && slices.ContainsFunc(out.Hunks, out.slides)
	sent, ok := out.Sent(mint)
	if !ok || out.Kind == "none" || out.Disk != out.Read || out.cut {
		return out, ok
	}
	whole, ok := out.change.Write(f)
	if !ok {
		return nil, false
	}
	whole.Way = w
	plain, _ := whole.Sent(mint)
	return out, sent != plain
}

// slides reports whether the two parts of a block leave it open which of several lines, alike in the block, is the one that the file spells
// otherwise: it may be a line that stays, whose spelling stays with it, or one of those beside it. Of a block that leaves lines out, every
// line says where these are. It does not matter of a block that is applied: its second part stands there. Nor does it if every line of the
// block is written in another way, whatever becomes of it, and the file is as its author saw it: read back, each line has one spelling.
func (c *Case) slides(h Hunk) bool {
	old, now := h.old(), h.withoutMarks("-")
	shown := h.shown()
	if len(old)*len(now) > 1<<22 || c.applied(h) || c.readsBack(h, old, now) {
		return false
	}
	whole := h.To-h.From == len(old)
	var kept []int // by old line: its line among the new ones, or -1
	n := 0
	for _, l := range h.Lines {
		switch l[0] {
		case ' ':
			kept = append(kept, n)
			n++
		case '-':
			kept = append(kept, -1)
		case '+':
			n++
		}
	}
	first, last := pairedFirst(old, now), pairedLast(old, now)
	for i, l := range old {
		if whole && c.at[shown[i]] >= 0 && c.there[c.at[shown[i]]] == l {
			continue
		}
		if first[i] != kept[i] || last[i] != kept[i] {
			return true
		}
	}
	return false
}

// readsBack reports whether the damage writes every line of a block in another way, and two lines are alike after it only if they were before.
func (c *Case) readsBack(h Hunk, old, now []string) bool {
	if k, ok := Named(c.Kind); !ok || !k.uniform || h.To-h.From != len(old) {
		return false
	}
	from := h.From // of what the block makes, in the new file
	for _, b := range c.change.blocks {
		if b.a1 <= h.From && b.a0 < h.From {
			from += b.b1 - b.b0 - (b.a1 - b.a0)
		}
	}
	if from+len(now) > len(c.change.new) {
		return false
	}
	was := map[string]string{}
	same := func(sent, plain string) bool {
		before, known := was[sent]
		was[sent] = plain
		return !known || before == plain
	}
	for i, l := range old {
		n := h.From + i
		if c.at[n] < 0 || c.there[c.at[n]] != c.change.old[n] || !same(l, c.change.old[n]) {
			return false
		}
	}
	for i, l := range now {
		if !same(l, c.change.new[from+i]) {
			return false
		}
	}
	return true
}

// pairedFirst returns for each old line its partner among the new ones in a longest common subsequence, as early as possible; -1 for none.
func pairedFirst(old, now []string) []int {
	best := make([][]int32, len(old)+1) // by numbers of lines left on either side
	best[len(old)] = make([]int32, len(now)+1)
	for i := len(old) - 1; i >= 0; i-- {
		best[i] = make([]int32, len(now)+1)
		for j := len(now) - 1; j >= 0; j-- {
			if best[i][j] = max(best[i+1][j], best[i][j+1]); old[i] == now[j] {
				best[i][j] = max(best[i][j], best[i+1][j+1]+1)
			}
		}
	}
	out := slices.Repeat([]int{-1}, len(old))
	for i, j := 0, 0; i < len(old) && j < len(now); {
		switch {
		case old[i] == now[j] && best[i][j] == best[i+1][j+1]+1:
			out[i] = j
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// pairedLast is pairedFirst, as late as possible.
func pairedLast(old, now []string) []int {
	a, b := slices.Clone(old), slices.Clone(now)
	slices.Reverse(a)
	slices.Reverse(b)
	out := pairedFirst(a, b)
	slices.Reverse(out)
	for i, j := range out {
		if j >= 0 {
			out[i] = len(now) - 1 - j
		}
	}
	return out
}

// Sent returns the text that is sent. It reports false if it cannot be written in this way.
func (c *Case) Sent(mint Mint) (text string, ok bool) {
	marked := c.Way == InEnvelope || c.Way == InUnified || c.Way == InBody
	if len(c.spell) > 0 && !marked || c.wrap != nil && c.Way >= AsEdits {
		return "", false
	}
	switch c.Way {
	case InEnvelope:
		return c.Text(false), true
	case InUnified:
		return c.Unified(c.Path, ""), true
	case InBlocks:
		text, ok = c.blocksText()
	case InBody:
		text, ok = c.body(), true
	case AsEdits:
		return c.edits()
	case AsLines:
		return c.anchored(mint), true
	case AsCalls:
		return c.calls()
	}
	if ok && c.wrap != nil {
		text = c.wrap(text)
	}
	return text, ok
}

// body returns the hunks without a header.
func (c *Case) body() string {
	var b strings.Builder
	whole := c.Text(false)
	if c.wrap != nil {
		unwrapped := *c
		unwrapped.wrap = nil
		whole = unwrapped.Text(false)
	}
	for line := range strings.Lines(whole) {
		if !strings.HasPrefix(line, "*** ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// The lines of a SEARCH/REPLACE block.
const (
	searchLine  = "<<<<<<< SEARCH"
	dividerLine = "======="
	replaceLine = ">>>>>>> REPLACE"
)

// blocksText returns the hunks as SEARCH/REPLACE blocks. It reports false if one of them has nothing to look for, or a line that would
// have to be escaped.
func (c *Case) blocksText() (string, bool) {
	var b strings.Builder
	b.WriteString(c.Path + "\n")
	for _, h := range c.Hunks {
		old, now := h.old(), h.withoutMarks("-")
		if len(old) == 0 || slices.ContainsFunc(slices.Concat(old, now), func(l string) bool {
			return slices.Contains([]string{searchLine, dividerLine, replaceLine}, strings.TrimSpace(strings.TrimLeft(l, `\`)))
		}) {
			return "", false
		}
		b.WriteString(searchLine + "\n")
		if h.Numbered {
			fmt.Fprintf(&b, ":start_line:%d\n-------\n", max(0, h.From+h.Off)+1)
		}
		b.WriteString(join(old) + dividerLine + "\n" + join(now) + replaceLine + "\n")
	}
	return b.String(), true
}

// Edit is one edit of a file: of a text, or of lines that are named.
type Edit struct {
	Old     string `json:"oldText,omitempty"`
	New     string `json:"newText"`
	Line    string `json:"line,omitempty"`
	EndLine string `json:"endLine,omitempty"`
	After   string `json:"after,omitempty"`
}

// Edits are the edits of one file.
type Edits struct {
	Path   string `json:"path"`
	Sha256 string `json:"expectedSha256"`
	Edits  []Edit `json:"edits"`
}

func (c *Case) editsOf(all []Edit) string {
	return quoteObject(Edits{c.Path, fmt.Sprintf("%x", sha256.Sum256([]byte(c.Read))), all})
}

func quoteObject(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a model does not either
	e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}

// edits returns the hunks as texts to replace.
func (c *Case) edits() (string, bool) {
	var all []Edit
	for _, h := range c.Hunks {
		old, now := h.old(), h.withoutMarks("-")
		if len(old) == 0 {
			return "", false
		}
		all = append(all, Edit{Old: join(old), New: join(now)})
	}
	return c.editsOf(all), true
}

// anchored returns the changes of the hunks as lines of the file that the author saw. They have no context, so that no damage to it shows.
func (c *Case) anchored(mint Mint) string {
	var all []Edit
	at := func(n int) string {
		anchor := mint(c.Read, n)
		if c.misname != nil {
			anchor = c.misname(len(all), anchor)
		}
		return anchor
	}
	for _, h := range c.Hunks {
		for _, b := range c.change.blocks {
			if b.a0 < h.From || b.a1 > h.To {
				continue
			}
			e := Edit{New: join(c.change.new[b.b0:b.b1])}
			switch {
			case b.a0 == b.a1 && b.a0 == 0:
				e.After = "0"
			case b.a0 == b.a1:
				e.After = at(b.a0)
			default:
				if e.Line = at(b.a0 + 1); b.a1 > b.a0+1 {
					e.EndLine = at(b.a1)
				}
			}
			all = append(all, e)
		}
	}
	return c.editsOf(all)
}

// EditorCall is one call of a text editor.
type EditorCall struct {
	Command string  `json:"command"`
	Path    string  `json:"path"`
	Old     string  `json:"old_str,omitempty"`
	New     *string `json:"new_str,omitempty"`
	Line    *int    `json:"insert_line,omitempty"`
	Text    string  `json:"insert_text,omitempty"`
}

// editorCalls returns a call for each hunk. A hunk that adds lines at one place is an insert, whose number is right for the file that the
// author saw, as the calls above leave it.
func (c *Case) editorCalls() ([]EditorCall, bool) {
	var all []EditorCall
	shift := 0
	for _, h := range c.Hunks {
		old, now := h.old(), h.withoutMarks("-")
		if at, added, ok := h.inserted(); ok {
			line := at + shift
			all = append(all, EditorCall{Command: "insert", Path: c.Path, Line: &line, Text: join(added)})
		} else if len(old) == 0 {
			return nil, false
		} else {
			text := join(now)
			all = append(all, EditorCall{Command: "str_replace", Path: c.Path, Old: join(old), New: &text})
		}
		shift += len(now) - len(old)
	}
	return all, true
}

// inserted returns after which line of the author's file h adds lines, if that is all that it does, at one place.
func (h Hunk) inserted() (at int, added []string, ok bool) {
	at = h.From
	for i, l := range h.Lines {
		switch {
		case l[0] == '-', l[0] == '+' && len(added) > 0 && h.Lines[i-1][0] != '+':
			return 0, nil, false
		case l[0] == '+':
			added = append(added, l[1:])
		case len(added) == 0:
			at++
		}
	}
	return at, added, len(added) > 0
}

func (c *Case) calls() (string, bool) {
	all, ok := c.editorCalls()
	var lines []string
	for _, call := range all {
		lines = append(lines, quoteObject(call))
	}
	return join(lines), ok
}

// misleadsCalls reports whether edits or calls, done by the letter, all succeed and leave another file than they were written for.
func (c *Case) misleadsCalls() bool {
	file := lf(c.Disk)
	switch c.Way {
	case AsEdits:
		got, ok := file, true
		for _, h := range c.Hunks {
			ok = ok && strings.Count(file, join(h.old())) == 1
			got = strings.Replace(got, join(h.old()), join(h.withoutMarks("-")), 1)
		}
		return ok && got != lf(c.Want)
	case AsCalls:
		all, _ := c.editorCalls()
		for _, call := range all {
			if call.Line == nil {
				if strings.Count(file, call.Old) != 1 {
					return false
				}
				file = strings.Replace(file, call.Old, *call.New, 1)
				continue
			}
			there := split(file)
			if *call.Line < 0 || *call.Line > len(there) {
				return false
			}
			file = join(slices.Insert(slices.Clone(there), *call.Line, split(call.Text)...))
		}
		return file != lf(c.Want)
	}
	return false
}
