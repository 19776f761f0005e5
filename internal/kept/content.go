package kept

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxContent is how much of a version is shown.
const maxContent = 4 << 20

var ErrNotKept = errors.New("is not kept any more: it was purged or pruned, or changed outside of emend")

var ErrTooLong = fmt.Errorf("has over %d MiB", MaxSessionText>>20)

// UntilDone reads until the context ends.
type UntilDone struct {
	Ctx context.Context
	R   io.Reader
}

const MaxSessionText = 4 << 20 // of each side of a difference

func Content(ctx context.Context, w *workspace.Workspace, id string) (*api.Content, error) {
	if path, sum, ok := ParsePresent(id); ok {
		return standing(ctx, w, id, path, sum)
	}
	if IsRemade(id) {
		return contentAnew(ctx, w, id)
	}
	t, p, err := Displaced(ctx, w, id)
	if err == nil {
		err = w.Guard.CheckRead(t.Path)
	}
	if err != nil {
		return nil, err
	}
	c := &api.Content{ID: id, Path: t.Path, Link: t.Link, SizeBytes: t.SizeBytes, MTime: t.MTime, Mode: t.Mode}
	if t.Link != "" {
		c.Sha256 = plan.Sum(t.Link)
		return c, still(c, t.Sha256)
	}
	f, err := p.Store.History().Slots().Open(t.Name)
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	defer f.Close()
	if err := fill(ctx, c, f); err != nil {
		return nil, workspace.StoreError(err)
	}
	return c, still(c, t.Sha256)
}

// Displaced finds a file that a change displaced, in the trash or not, by its id: the log says what and where it was.
func Displaced(ctx context.Context, w *workspace.Workspace, id string) (*File, *past, error) {
	tx, n, ok := history.ParseSlot(id)
	if !ok {
		return nil, nil, noVersion(id)
	}
	p, err := pastWorkspace(w)
	if err != nil {
		return nil, nil, err
	}
	if p == nil || !p.txs[tx] {
		return nil, nil, noVersion(id)
	}
	p.txs = map[string]bool{tx: true}
	for r := range p.each(ctx) {
		if t, ok := p.displaced(r.Record, n); ok {
			return &t, p, p.err
		}
	}
	if p.err != nil {
		return nil, nil, p.err
	}
	return nil, nil, noVersion(id)
}

// displaced is what a transaction has in slot n, if that is a file from inside the root.
func (p *past) displaced(r *audit.Record, n int) (t File, ok bool) {
	for i := range r.Acts {
		a := &r.Acts[i]
		if a.Slot != n || a.Old == nil || !a.Displaces() {
			continue
		}
		t = File{Trashed: api.Trashed{ID: history.Slot(r.Tx, n), DeletedAt: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent, ToolName: r.Actor.Tool, Sha256: a.Old.Sum}}
		if t.Path, ok = p.inside(a.Path); ok && p.find(&t, a) {
			return t, true
		}
	}
	return t, false
}

func noVersion(id string) error {
	return &fail.Error{Kind: fail.NotFound, Msg: "no version is kept as " + fail.Quote(id),
		Hint: "Look at the history of the file again: it may be kept under another id, or have been restored, pruned or purged since."}
}

// PresentID names a version that is kept nowhere but at its path: what stands there, as long as that has this hash.
func PresentID(path, sum string) string { return "now:" + sum + ":" + path }

func ParsePresent(id string) (path, sum string, ok bool) {
	rest, ok := strings.CutPrefix(id, "now:")
	if !ok {
		return "", "", false
	}
	sum, path, ok = strings.Cut(rest, ":")
	return path, sum, ok && len(sum) == 64
}

// standing is the content of a file that stands at its path.
func standing(ctx context.Context, w *workspace.Workspace, id, path, sum string) (*api.Content, error) {
	e, err := w.Guard.Resolve(path, guard.Request{Known: true})
	if err != nil {
		return nil, err
	}
	c := &api.Content{ID: id, Path: e.Rel, Link: e.Target, SizeBytes: e.Size, MTime: e.ModTime, Mode: Octal(e.Mode)}
	switch e.Kind {
	case guard.Symlink:
		c.Sha256 = plan.Sum(e.Target)
		return c, still(c, sum)
	case guard.Regular:
	default:
		return nil, noVersion(id)
	}
	f, err := w.Guard.Stream(e)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := fill(ctx, c, f); err != nil {
		return nil, err
	}
	return c, still(c, sum)
}

// fill reads all of it, and keeps as much as is shown.
func fill(ctx context.Context, c *api.Content, r io.Reader) error {
	sum := sha256.New()
	in := io.TeeReader(UntilDone{ctx, r}, sum)
	b, err := io.ReadAll(io.LimitReader(in, maxContent+1))
	if err != nil {
		return err
	}
	rest, err := io.Copy(io.Discard, in)
	if err != nil {
		return err
	}
	c.SizeBytes, c.Sha256 = int64(len(b))+rest, hex.EncodeToString(sum.Sum(nil))
	if c.Binary = slices.Contains(b[:min(len(b), 8192)], 0); c.Binary {
		return nil
	}
	if c.Truncated = len(b) > maxContent; c.Truncated {
		b = wholeLines(b[:maxContent])
	}
	c.Text = string(b)
	return nil
}

// wholeLines leaves out a line that is cut off at the end, unless there is no other.
func wholeLines(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	return wholeRunes(b)
}

// still refuses what is not any more what it was.
func still(c *api.Content, want string) error {
	if want == "" || c.Sha256 == want {
		return nil
	}
	return &fail.Error{Kind: fail.Stale, Path: c.Path, Want: want, Have: c.Sha256,
		Msg:  fmt.Sprintf("what is kept as %s was written to since", fail.Quote(c.ID)),
		Hint: "Look at the history of the file again."}
}

// SlotText is what is kept in a slot; of a link, what it says.
func SlotText(h *history.History, slot string) (text string, link bool, err error) {
	name, is, err := h.Find(slot)
	switch {
	case err != nil:
		return "", false, err
	case is.Mode&fs.ModeSymlink != 0:
		text, err = h.Slots().Readlink(name)
		return text, true, err
	case is.Size > MaxSessionText:
		return "", false, ErrTooLong
	}
	f, err := h.Slots().Open(name)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxSessionText))
	return string(b), false, err
}

// Standing is what a file has now; of a link, what it says.
func Standing(ctx context.Context, j *logbook.Journal, path string) (text string, link bool, err error) {
	e, err := j.Guard.Resolve(path, guard.Request{Known: true})
	switch {
	case err != nil:
		return "", false, err
	case e.Kind == guard.Symlink:
		return e.Target, true, nil
	case e.Kind != guard.Regular:
		return "", false, ErrNotKept
	case e.Size > MaxSessionText:
		return "", false, ErrTooLong
	}
	text, _, err = j.Guard.Load(ctx, e)
	return text, false, err
}

// Top is a path from the root as the log has it: from the top of the tree.
func Top(j *logbook.Journal, path string) string {
	if j.Prefix == "." {
		return path
	}
	return j.Prefix + "/" + path
}

// Slot looks whether the file that a step displaced is still kept, as far as can be told without reading it.
func Slot(j *logbook.Journal, name string, a *audit.Act) (changed time.Time, ok bool) {
	_, is, err := j.Hist.Find(name)
	switch {
	case err != nil || is.Mode.IsDir() || (is.Mode&fs.ModeSymlink != 0) != a.Old.Link || !a.Old.Link && is.Size != a.Old.Size:
		return changed, false
	case a.New != nil && is.ID.Ino == a.New.Ino && a.New.Ino != a.Old.Ino:
		return changed, false // what was put there for a step that was not done
	}
	return is.ModTime, true
}

// KeptSum is the sha256 of what is kept, or of what a link says.
func KeptSum(ctx context.Context, h *history.History, slot string) (string, error) {
	name, is, err := h.Find(slot)
	if err != nil {
		return "", workspace.StoreError(err)
	}
	if is.Mode&fs.ModeSymlink != 0 {
		text, err := h.Slots().Readlink(name)
		return plan.Sum(text), err
	}
	f, err := h.Slots().Open(name)
	if err != nil {
		return "", workspace.StoreError(err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, UntilDone{ctx, f}); err != nil {
		return "", workspace.StoreError(err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func (u UntilDone) Read(p []byte) (int, error) {
	if u.Ctx.Err() != nil {
		return 0, caller.Cancelled(u.Ctx)
	}
	return u.R.Read(p)
}
