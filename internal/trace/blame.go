package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	maxBlamed    = 10_000   // versions of a file that are compared
	maxHeldTexts = 16 << 20 // bytes of the texts that undos left, kept while their lines are looked for
)

// Blame says where the lines of a file come from. It compares each version with the one before it, from the file that stands
// there back to its first entry, through its moves: a line that is in both is older. It stops when every line that was asked
// for has an origin. Lines that an undo, or a restored file, brought back come from where they were before, as far as the log
// leads there; else from the undo.
func Blame(ctx context.Context, w *workspace.Workspace, r api.BlameRequest) (*api.Answer[api.Blame], error) {
	d, _, notes, err := blameFile(ctx, w, r)
	if err != nil {
		return nil, err
	}
	return report.Found(*d, notes, func() string { return blameText(d, notes) }), nil
}

// blameFile is [Blame]. It returns the lines of the file as well.
func blameFile(ctx context.Context, w *workspace.Workspace, r api.BlameRequest) (d *api.Blame, lines *text.Lines, notes []string, err error) {
	rd, err := logbook.Open(w)
	if err != nil {
		return nil, nil, nil, err
	}
	defer rd.Close()
	var path, content string
	var now fileState
	if err := readWithLog(rd, func() (err error) { path, now, content, err = fileToBlame(ctx, w, r.Path); return err }); err != nil {
		return nil, nil, nil, err
	}
	lines = text.Split(content)
	first, last, err := linesAsked(r, lines.Len())
	if err != nil {
		return nil, nil, nil, err
	}
	b := newBlame(newBacktrace(rd, path, now), content, lines.Len(), first, last)
	if b.live > 0 {
		if err := b.walk(ctx, func() (bool, error) { return b.takeIn(ctx) }); err != nil {
			return nil, nil, nil, err
		}
	}
	b.finish()
	d = &api.Blame{Path: path, Sha256: now.sum, LineCount: lines.Len()}
	d.Origins, d.Ranges = b.ranges(lines, first, last)
	if head := rd.Head(); head.Seq > 0 {
		d.Log = &head
	}
	return d, lines, slices.Concat(b.notes, rd.Notes), nil
}

// fileToBlame reads the text file that a caller means. It refuses one that may not be read, is no text, or is too long.
func fileToBlame(ctx context.Context, w *workspace.Workspace, p string) (path string, now fileState, content string, err error) {
	e, err := w.Guard.Resolve(p, guard.Request{Base: w.DefaultBase(), Absolute: true, Follow: true})
	switch {
	case err != nil:
		return "", now, "", err
	case e.Kind == guard.Missing:
		return "", now, "", &fail.Error{Kind: fail.NotFound, Path: e.Rel, Msg: "there is no such file", Hint: "To see what became of it, ‹run log --path FILE›."}
	case e.Kind != guard.Regular:
		return "", now, "", &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: e.Rel, Msg: "is no file with lines", Hint: "Name a text file."}
	case e.Size > kept.MaxText:
		return "", now, "", &fail.Error{Kind: fail.FileTooLarge, Path: e.Rel, Msg: fmt.Sprintf("the file has %d bytes, and the lines of at most %d are told apart", e.Size, kept.MaxText),
			Hint: "To see who changed the file, ‹run log --path FILE›."}
	}
	content, sum, err := w.Guard.Load(ctx, e)
	if err == nil && text.Binary(content) {
		err = &fail.Error{Kind: fail.BinaryFile, Path: e.Rel, Msg: "the file is binary and has no lines", Hint: "To see who changed the file, ‹run log --path FILE›."}
	}
	return e.Rel, fileState{exists: true, current: true, sum: sum, size: int64(len(content)), time: e.ModTime, id: kept.PresentID(e.Rel, sum)}, content, err
}

// linesAsked returns the lines that were asked for, from 0, as first up to last.
func linesAsked(r api.BlameRequest, n int) (first, last int, err error) {
	first, last = max(r.StartLine, 1), r.EndLine
	if last == 0 {
		last = n
	}
	if first > last && n > 0 || last > n || r.StartLine > n || r.StartLine < 0 || r.EndLine < 0 {
		return 0, 0, caller.BadField("lines", fmt.Sprintf("%d to %d", first, last), fmt.Sprintf("The file has %d lines.", n))
	}
	return first - 1, last, nil
}

// blame finds the origins of lines while a walk goes back over the versions of their file.
//
// A line without an origin is in one of three states. It is live if it is in the version that the walk has reached; at says
// where. It is held if an undo brought it back and the walk has not come to the changes that were undone. Or nobody asked for it.
type blame struct {
	*backtrace
	file    string // the text as it stands there
	sum     string // of it
	origins []api.LineOrigin
	of      []int32 // by line: its origin; -1 if it has none
	at      []int32 // by line: its place in the version that was reached; -1 if it is not there
	live    int
	held    []*heldLines

	reached version   // the version that was reached
	content string    // its text, if there are live lines
	count   int       // versions so far
	newer   string    // the entry that was passed last
	lost    []version // behind the version that was reached: those of one content that cannot be read
	why     string    // they cannot
	known   map[string]int32
	notes   []string
}

// heldLines are lines that an undo brought back.
type heldLines struct {
	undo    version
	content string // that the undo left
	lines   []heldLine
	undoes  map[string]bool // the changes that were undone and that the walk has not come to
}

type heldLine struct {
	line int   // of the file
	at   int32 // its place in what the undo left
}

func newBlame(b *backtrace, content string, lines, first, last int) *blame {
	out := &blame{backtrace: b, file: content, sum: b.state.sum, content: content, of: make([]int32, lines), at: make([]int32, lines), live: last - first, known: map[string]int32{}}
	for i := range out.of {
		out.of[i], out.at[i] = -1, -1
		if i >= first && i < last {
			out.at[i] = int32(i)
		}
	}
	return out
}

// takeIn goes over the versions that the walk has found since it was called last, and forgets them. It reports whether every
// line has its origin.
func (b *blame) takeIn(ctx context.Context) (done bool, err error) {
	for _, v := range b.versions {
		b.count++
		switch {
		case b.count == 1:
			b.reached = v
		case b.count > maxBlamed:
			b.lose(v.Entry, fmt.Sprintf("it is older than the newest %d versions of the file", maxBlamed))
			return true, nil
		default:
			if err := b.step(ctx, v); err != nil {
				return true, err
			}
		}
	}
	b.versions = b.versions[:0]
	if b.returned != nil && len(b.held) == 0 && b.source == "" { // else what happened in between may tell of the held lines
		b.goBackTo(b.returned)
	}
	return b.live == 0 && len(b.held) == 0, nil
}

// step goes from the version that was reached to the one before it. If that cannot be read, a version before it may have the same
// content, as when the file was only renamed, and be kept.
func (b *blame) step(ctx context.Context, older version) error {
	newer := b.reached
	if newer.record != nil && older.record != nil && newer.record.Tx == older.record.Tx {
		return nil // what one entry did to the file counts as one change
	}
	if len(b.lost) > 0 && (older.Gone || older.sum != b.lost[0].sum) {
		b.giveUp()
		newer = b.reached
	}
	content, err := "", error(nil)
	switch wanted := b.live > 0 || b.undoes(newer.record); {
	case older.Gone || !wanted:
	case b.live > 0 && older.sum == newer.sum:
		content = b.content
	default:
		if content, err = b.text(ctx, older); ctx.Err() != nil {
			return caller.Cancelled(ctx)
		}
	}
	after := older.Entry
	if len(b.lost) > 0 {
		after = b.lost[0].Entry
	} else if err != nil {
		b.why = err.Error()
	}
	if err != nil {
		b.lost = append(b.lost, older)
		return nil
	}
	if b.live > 0 {
		b.compare(newer, after, content)
	}
	passed := b.lost
	b.goOn(older, content)
	for _, v := range append(passed, newer) { // before all of them the file was the same
		if v.record != nil {
			b.findHeld(v.record.Tx, content, !older.Gone)
		}
	}
	return nil
}

// goOn makes older the version that was reached.
func (b *blame) goOn(older version, content string) {
	b.newer, b.reached, b.content, b.lost = b.lastEntry(), older, content, nil
}

// giveUp goes on behind the versions that cannot be read: nobody knows where the lines that are live come from.
func (b *blame) giveUp() {
	if len(b.lost) == 0 {
		return
	}
	b.lose(b.lost[0].Entry, b.why)
	for _, v := range append(b.lost[:len(b.lost)-1:len(b.lost)-1], b.reached) {
		if v.record != nil {
			b.findHeld(v.record.Tx, "", false)
		}
	}
	b.goOn(b.lost[len(b.lost)-1], "")
}

// text returns the text of a version; that of a link, which has no lines, is empty.
func (b *blame) text(ctx context.Context, v version) (string, error) {
	switch {
	case v.hidden:
		return "", errors.New("the file that it was may not be read")
	case v.sum == b.sum:
		return b.file, nil
	}
	why := kept.ErrNotKept
	for _, id := range []string{v.ID, b.kept[v.sum].id} {
		if id == "" {
			continue
		}
		content, link, err := b.contents.Text(id, kept.MaxText)
		switch {
		case errors.Is(err, kept.ErrTooLong):
			why = err
		case err != nil || text.Sum(content) != v.sum:
		case link:
			return "", nil
		default:
			return content, nil
		}
	}
	if v.record != nil {
		if a := b.actThatLeft(v); a != nil {
			if out, err := b.contents.Rebuild(v.record, a); err == nil {
				return out.Text, nil
			}
		}
	}
	return "", fmt.Errorf("what the file was before %s %w", cmp.Or(b.lastEntry(), "it was changed"), why)
}

// compare takes the live lines over to the version before newer, and gives those that are not in it their origin. after is the
// entry that left it.
func (b *blame) compare(newer version, after, content string) {
	places := placesIn(content, b.content)
	var changed []int
	for i, at := range b.at {
		if at < 0 {
			continue
		}
		if places[at] < 0 {
			changed = append(changed, i)
			continue
		}
		b.at[i] = places[at]
	}
	if len(changed) > 0 && !b.hold(newer, changed) {
		b.settle(changed, b.originOf(newer, after))
	}
}

// placesIn returns, for each line of newer, its place in older, or -1 if it is not there.
func placesIn(older, newer string) []int32 {
	out := make([]int32, text.Split(newer).Len())
	from, by := 0, 0 // the lines from here on have moved by so many
	for _, c := range append(text.Between(older, newer), text.Change{B0: len(out), B1: len(out)}) {
		for j := from; j < c.B0; j++ {
			out[j] = int32(j - by)
		}
		for j := c.B0; j < c.B1; j++ {
			out[j] = -1
		}
		from, by = c.B1, c.B1-c.A1
	}
	return out
}

// hold keeps lines that an undo brought into its version until the walk comes to what was undone. It reports false if it was
// no undo, or if too much is held already.
func (b *blame) hold(v version, lines []int) bool {
	txs := sourcesOf(v.record)
	if len(txs) == 0 {
		return false
	}
	bytes := len(b.content)
	for _, h := range b.held {
		bytes += len(h.content)
	}
	if bytes > maxHeldTexts {
		return false
	}
	h := &heldLines{undo: v, content: b.content, undoes: map[string]bool{}}
	for _, tx := range txs {
		h.undoes[tx] = true
	}
	for _, i := range lines {
		h.lines = append(h.lines, heldLine{i, b.at[i]})
		b.at[i] = -1
	}
	b.live -= len(lines)
	b.held = append(b.held, h)
	return true
}

// sourcesOf returns the entries before which the lines were that r brought back: those that it undid, and those that displaced the
// files that it restored.
func sourcesOf(r *audit.Record) (txs []string) {
	if r == nil {
		return nil
	}
	txs = slices.Clone(r.TakesBack())
	for _, a := range r.Acts {
		if tx, _, ok := history.ParseSlot(a.From); ok {
			txs = append(txs, tx)
		}
	}
	return txs
}

// undoes reports whether lines are held because r was undone.
func (b *blame) undoes(r *audit.Record) bool {
	return r != nil && slices.ContainsFunc(b.held, func(h *heldLines) bool { return h.undoes[r.Tx] })
}

// findHeld looks for held lines in the version before an entry, the one that was reached, and makes those that it has live.
func (b *blame) findHeld(tx, content string, there bool) {
	b.held = slices.DeleteFunc(b.held, func(h *heldLines) bool {
		if !h.undoes[tx] {
			return false
		}
		if delete(h.undoes, tx); there {
			places := placesIn(content, h.content)
			h.lines = slices.DeleteFunc(h.lines, func(l heldLine) bool {
				if places[l.at] < 0 {
					return false
				}
				b.at[l.line] = places[l.at]
				b.live++
				return true
			})
		}
		if len(h.undoes) == 0 {
			b.release(h)
		}
		return len(h.lines) == 0
	})
}

// release gives the lines that are still held their origin: the undo.
func (b *blame) release(h *heldLines) {
	for _, l := range h.lines {
		b.of[l.line] = b.originOf(h.undo, "")
	}
	h.lines = nil
}

// settle gives live lines their origin.
func (b *blame) settle(lines []int, origin int32) {
	for _, i := range lines {
		b.of[i], b.at[i] = origin, -1
	}
	b.live -= len(lines)
}

// lastEntry returns the oldest entry that was passed, or reached.
func (b *blame) lastEntry() string { return cmp.Or(b.reached.Entry, b.newer) }

// allLive returns the lines that are live.
func (b *blame) allLive() (out []int) {
	for i, at := range b.at {
		if at >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// lose gives the live lines up: an older version, which would tell where they come from, cannot be read.
func (b *blame) lose(after, why string) {
	if b.live == 0 {
		return
	}
	b.settle(b.allLive(), b.add(api.LineOrigin{Source: api.FromUnknown, Contributor: api.ByUnknown, After: after, Before: b.lastEntry(), Why: why}))
}

// finish gives the lines that are left their origin, at the end of the walk.
func (b *blame) finish() {
	b.giveUp()
	switch v := b.reached; {
	case b.live == 0:
	case b.count == 0:
		b.notes = append(b.notes, "No entry of the log is about this file.")
		b.settle(b.allLive(), b.add(api.LineOrigin{Source: api.FromOutside, Contributor: api.ByUnknown}))
	case v.record == nil && !v.Outside:
		b.settle(b.allLive(), b.add(api.LineOrigin{Source: api.FromBeforeLog, Contributor: api.ByUnknown, Before: b.newer}))
	default:
		b.settle(b.allLive(), b.originOf(v, ""))
	}
	for _, h := range b.held {
		b.release(h)
	}
}

func (b *blame) add(o api.LineOrigin) int32 {
	b.origins = append(b.origins, o)
	return int32(len(b.origins) - 1)
}

// originOf returns the origin of lines that a version has and the one before it has not. after is the entry that left that one.
func (b *blame) originOf(v version, after string) int32 {
	if v.record == nil {
		o := api.LineOrigin{Source: api.FromOutside, Contributor: api.ByUnknown, After: after, Before: b.newer}
		if !v.Timestamp.IsZero() {
			o.ModifiedAt = &v.Timestamp
		}
		return b.add(o)
	}
	if i, ok := b.known[v.record.Tx]; ok {
		return i
	}
	by, r := v.LogEntry, v.record
	i := b.add(api.LineOrigin{Source: api.FromEntry, Contributor: contributorOf(r), By: &by, Uncertain: r.Nobodys() || r.Seen != nil && len(r.Seen.Others) > 0})
	b.known[r.Tx] = i
	return i
}

// contributorOf says who wrote the new lines of an entry. Only what the log says counts: a call of the command line that names
// no agent may be anybody's, and so may a change that emend saw while others were at work. Who takes a change back is not who
// wrote the lines.
func contributorOf(r *audit.Record) api.Contributor {
	switch {
	case r.Kind == audit.Undo || r.Nobodys() || r.Seen != nil && len(r.Seen.Others) > 0:
		return api.ByUnknown
	case slices.ContainsFunc(r.Acts, func(a audit.Act) bool { return a.From != "" }):
		return api.ByUnknown
	case r.Actor.Agent == api.PersonAgent:
		return api.ByHuman
	case r.Actor.Agent != "" || r.Actor.Client != "" && r.Actor.Client != api.CommandLine:
		return api.ByAI
	}
	return api.ByUnknown
}

// ranges joins lines that stand together and have one origin, and lists these origins in the order of their first line.
func (b *blame) ranges(lines *text.Lines, first, last int) (origins []api.LineOrigin, out []api.BlamedLines) {
	origins, out = []api.LineOrigin{}, []api.BlamedLines{}
	number := map[int32]int{}
	for i := first; i < last; i++ {
		n, ok := number[b.of[i]]
		if !ok {
			n = len(origins)
			number[b.of[i]] = n
			origins = append(origins, b.origins[b.of[i]])
		}
		if k := len(out) - 1; k >= 0 && out[k].Origin == n {
			out[k].EndLine, out[k].Text = i+1, append(out[k].Text, lines.Line(i))
			continue
		}
		out = append(out, api.BlamedLines{StartLine: i + 1, EndLine: i + 1, Origin: n, Text: []string{lines.Line(i)}})
	}
	return origins, out
}

// blameText counts the lines for a model, by what the log knows of them.
func blameText(b *api.Blame, notes []string) string {
	lines := map[api.LineSource]int{}
	for _, r := range b.Ranges {
		lines[b.Origins[r.Origin].Source] += r.EndLine - r.StartLine + 1
	}
	out := []string{fmt.Sprintf("%s: %d lines from entries of the log, %d not through emend, %d from before the log, %d not known.", report.OneLine(b.Path),
		lines[api.FromEntry], lines[api.FromOutside], lines[api.FromBeforeLog], lines[api.FromUnknown])}
	for _, n := range notes {
		out = append(out, "Note: "+report.Escape(n))
	}
	return strings.Join(out, "\n")
}
