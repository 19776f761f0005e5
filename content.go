package emend

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plan"
)

// Content is what is kept under an ID: of a version, or of the trash.
type Content struct {
	ID        string
	Path      string // where it was
	Text      string // at most 4 MiB of it, whole lines
	Truncated bool
	Binary    bool // then Text is empty
	Link      string
	SizeBytes int64
	Sha256    string
	MTime     time.Time
	Mode      string // its permissions, in octal digits
}

// maxContent is how much of a version is shown.
const maxContent = 4 << 20

// Content reads what a version had, or what is in the trash. What may not be read at its path is refused, and so is what
// is not any more what it was.
func (w *Workspace) Content(ctx context.Context, id string) (*Content, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	c, err := w.content(ctx, id)
	return c, cannot(err)
}

func (w *Workspace) content(ctx context.Context, id string) (*Content, error) {
	if path, sum, ok := parsePresent(id); ok {
		return w.standing(ctx, id, path, sum)
	}
	if isRemade(id) {
		return w.contentAnew(ctx, id)
	}
	t, p, err := w.displaced(ctx, id)
	if err == nil {
		err = w.guard.Readable(t.Path)
	}
	if err != nil {
		return nil, err
	}
	c := &Content{ID: id, Path: t.Path, Link: t.Link, SizeBytes: t.SizeBytes, MTime: t.MTime, Mode: t.Mode}
	if t.Link != "" {
		c.Sha256 = plan.Sum(t.Link)
		return c, c.still(t.Sha256)
	}
	f, err := p.store.History().Slots().Open(t.name)
	if err != nil {
		return nil, storeError(err)
	}
	defer f.Close()
	if err := c.fill(ctx, f); err != nil {
		return nil, storeError(err)
	}
	return c, c.still(t.Sha256)
}

// displaced finds a file that a change displaced, in the trash or not, by its id: the log says what and where it was.
func (w *Workspace) displaced(ctx context.Context, id string) (*Trashed, *past, error) {
	tx, n, ok := history.ParseSlot(id)
	if !ok {
		return nil, nil, noVersion(id)
	}
	p, err := w.past()
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
func (p *past) displaced(r *audit.Record, n int) (t Trashed, ok bool) {
	for i := range r.Acts {
		a := &r.Acts[i]
		if a.Slot != n || a.Old == nil || a.Do != "swap" && a.Do != "take" {
			continue
		}
		t = Trashed{ID: history.Slot(r.Tx, n), DeletedAt: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent, ToolName: r.Actor.Tool, Sha256: a.Old.Sum}
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

// presentID names a version that is kept nowhere but at its path: what stands there, as long as that has this hash.
func presentID(path, sum string) string { return "now:" + sum + ":" + path }

func parsePresent(id string) (path, sum string, ok bool) {
	rest, ok := strings.CutPrefix(id, "now:")
	if !ok {
		return "", "", false
	}
	sum, path, ok = strings.Cut(rest, ":")
	return path, sum, ok && len(sum) == 64
}

// standing is the content of a file that stands at its path.
func (w *Workspace) standing(ctx context.Context, id, path, sum string) (*Content, error) {
	e, err := w.guard.Look(path, guard.Ask{Known: true})
	if err != nil {
		return nil, err
	}
	c := &Content{ID: id, Path: e.Rel, Link: e.Target, SizeBytes: e.Size, MTime: e.ModTime, Mode: octal(e.Mode)}
	switch e.Kind {
	case guard.Symlink:
		c.Sha256 = plan.Sum(e.Target)
		return c, c.still(sum)
	case guard.Regular:
	default:
		return nil, noVersion(id)
	}
	f, err := w.guard.Stream(e)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := c.fill(ctx, f); err != nil {
		return nil, err
	}
	return c, c.still(sum)
}

// fill reads all of it, and keeps as much as is shown.
func (c *Content) fill(ctx context.Context, r io.Reader) error {
	sum := sha256.New()
	in := io.TeeReader(untilDone{ctx, r}, sum)
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
func (c *Content) still(want string) error {
	if want == "" || c.Sha256 == want {
		return nil
	}
	return &fail.Error{Kind: fail.Stale, Path: c.Path, Want: want, Have: c.Sha256,
		Msg:  fmt.Sprintf("what is kept as %s was written to since", fail.Quote(c.ID)),
		Hint: "Look at the history of the file again."}
}
