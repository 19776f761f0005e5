package place

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
)

func (p *Placement) newlineMismatch(k int, msg string) *fail.Error {
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.NoNewlineMismatch, Hunk: k + 1, Msg: msg,
		Hint: `Leave out the line "\ No newline at end of file", or re-read the end of the file.`}
}

func (p *Placement) noAnchor(k int) *fail.Error {
	h := &p.Hunks[k]
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1,
		Msg:  fmt.Sprintf("no line contains the anchor %s", fail.Quote(h.Anchors[len(h.Anchors)-1])),
		Hint: "Re-read the file and copy the anchor from it, or use context lines instead."}
}

func (p *Placement) notFound(k int) *fail.Error {
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1, Old: p.Hunks[k].Old(),
		Msg:  "its lines are not in the file",
		Hint: "Re-read the file and copy the context and removed lines from it."}
}

func (p *Placement) ambiguous(k int) *fail.Error {
	total := p.Spots[k].others + 1
	e := &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: total, Places: p.pendingPlaces[k],
		Msg:  refusal.Count(total, "place") + " match",
		Hint: "Add lines of context that only one of them has."}
	if total == 1 { // see aboveAnchor
		e.Msg = "its lines are above the anchor only, and below it are several that match more loosely"
		e.Hint = "Leave the anchor out if this place is meant; else copy the lines below the anchor as they are, with context that only one place has."
	}
	refusal.AddLines(e)
	return e
}

func (p *Placement) noAnchorLine(k int, anchor string) *fail.Error {
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1, Anchor: anchor,
		Msg:  fmt.Sprintf("no line from here on equals the anchor %s", fail.Quote(anchor)),
		Hint: "Copy a whole line of the file after \"@@ \", and put the hunks in the order of the file."}
}

func (p *Placement) unevenIndent(k int) *fail.Error {
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1, Line: p.Spots[k].Start + 1, Old: p.Hunks[k].Old(),
		Msg:  "its lines match only when indentation is ignored, and no single shift of it fits every line",
		Hint: "Re-read the file and copy the indentation exactly, tabs as tabs."}
}

func (p *Placement) oddIndent(k int) *fail.Error {
	e := p.unevenIndent(k)
	e.Msg = fmt.Sprintf("its lines match only when indentation is ignored, and its added lines would be indented as no line of the file is, which indents by %d", p.step())
	e.Hint = "Re-read the file and copy the indentation exactly. Each line of context begins with a space of its own, before the indentation."
	return e
}

func (p *Placement) mixedIndent(k int) *fail.Error {
	e := p.unevenIndent(k)
	e.Msg = "its lines match only when indentation is ignored, and an added line would be indented by tabs and spaces, as none of them is"
	e.Hint = "Re-read the file and copy the indentation exactly, tabs as tabs. Each line of context begins with a space of its own, before the indentation."
	return e
}

func (p *Placement) mixedTypography(k int, r rune) *fail.Error {
	e := p.notFound(k)
	e.Line = p.Spots[k].Start + 1
	e.Msg = fmt.Sprintf("its lines match only when typography is ignored, and nothing says whether %q is meant in its added lines", r)
	e.Hint = "Re-read the file and copy its quotes, dashes and spaces exactly; write those of the added lines as they are to be."
	return e
}

// joinedLines refuses a hunk that has an added line that seems to be several.
func (p *Placement) joinedLines(k int) *fail.Error {
	e := p.notFound(k)
	e.Line = p.Spots[k].Start + 1
	n := slices.IndexFunc(p.Hunks[k].Lines, runTogether)
	e.Msg = fmt.Sprintf("its added line %s seems to hold two, with the letters \\n between them", fail.Quote(p.Hunks[k].Lines[n].Text()))
	e.Hint = refusal.Joined
	return e
}

// cutOff refuses a hunk whose last line seems to be a part of one.
func (p *Placement) cutOff(k int) *fail.Error {
	e := p.notFound(k)
	e.Line = p.Spots[k].Start + 1
	e.Msg = "its last line, to be removed, ends in white space that the file does not have, as if the patch was cut off there"
	e.Hint = "Send the whole patch, with its last lines as they are in the file."
	return e
}

// overLimit says that placing the hunks was given up to keep the time linear.
func overLimit(err error) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit, Cause: err, Msg: err.Error(),
		Hint: "Send fewer hunks at once, or one hunk that covers them."}
}

// Unplace takes its place away from hunk k and refuses it as one that has none.
func (p *Placement) Unplace(k int) {
	p.Spots[k].placed, p.Spots[k].Err = false, p.notFound(k)
}
