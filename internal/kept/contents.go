package kept

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// MaxText bounds the texts that are read as a whole, for differences and to rebuild versions.
const MaxText = 4 << 20

// Why there is no content. They continue a sentence.
var (
	ErrNotKept = errors.New("is not kept any more: it was purged or pruned, or changed outside of emend")
	ErrTooLong = fmt.Errorf("has over %d MiB", MaxText>>20)
)

// Contents reads the files in the slots of a history.
type Contents struct{ history *history.History }

// Of returns the contents of a history.
func Of(h *history.History) Contents { return Contents{h} }

// Open opens what is kept in a slot. Of a symbolic link it returns where that leads.
func (c Contents) Open(slot string) (io.ReadCloser, vfs.Info, error) {
	name, is, err := c.history.Find(slot)
	if err != nil {
		return nil, is, err
	}
	if is.Mode&fs.ModeSymlink != 0 {
		to, err := c.history.Slots().Readlink(name)
		return io.NopCloser(strings.NewReader(to)), is, err
	}
	f, is, err := c.history.Open(slot)
	return f, is, err
}

// Text returns what is kept in a slot. It fails with [ErrTooLong] for a file with more than most bytes.
func (c Contents) Text(slot string, most int64) (text string, link bool, err error) {
	f, is, err := c.Open(slot)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	if link = is.Mode&fs.ModeSymlink != 0; !link && is.Size > most {
		return "", false, ErrTooLong
	}
	var b strings.Builder
	_, err = io.Copy(&b, io.LimitReader(f, most))
	return b.String(), link, err
}

// Sum returns the sha256 of what is kept in a slot.
func (c Contents) Sum(ctx context.Context, slot string) (string, error) {
	f, _, err := c.Open(slot)
	if err != nil {
		return "", workspace.StoreError(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, Cancellable{ctx, f}); err != nil {
		return "", workspace.StoreError(err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// find returns the name of the file that a step displaced into a slot.
func (c Contents) find(slot string, a *audit.Act) (name string, is vfs.Info, ok bool) {
	name, is, err := c.history.Find(slot)
	if err != nil || a.New != nil && is.ID.Ino == a.New.Ino && a.New.Ino != a.Old.Ino {
		return "", is, false // the slot has what was staged for the step: it was not done, since somebody's change was in the way
	}
	return name, is, true
}

// Has reports whether the history still has the file that a step displaced, as far as can be told without reading it.
func (c Contents) Has(slot string, a *audit.Act) (is vfs.Info, ok bool) {
	_, is, ok = c.find(slot, a)
	return is, ok && !is.Mode.IsDir() && (is.Mode&fs.ModeSymlink != 0) == a.Old.Link && (a.Old.Link || is.Size == a.Old.Size)
}

// BySum lists slots by the sha256 of the files that were displaced into them, in the order in which they were added.
type BySum map[string][]string

// Add adds the slot of a step of tx, if that displaced a file.
func (b BySum) Add(tx string, a *audit.Act) {
	if a.Old != nil && a.Displaces() {
		b[a.Old.Sum] = append(b[a.Old.Sum], history.Slot(tx, a.Slot))
	}
}

// StandingText returns the text of the file that stands at a path; of a symbolic link, where that leads.
func StandingText(ctx context.Context, g *guard.Guard, path string) (text string, link bool, err error) {
	is, err := workspace.LookAt(g, path)
	switch {
	case err != nil:
		return "", false, err
	case is.Kind == guard.Symlink:
		return is.Target, true, nil
	case is.Kind != guard.Regular:
		return "", false, ErrNotKept
	case is.Size > MaxText:
		return "", false, ErrTooLong
	}
	text, _, err = g.Load(ctx, is.Entry)
	return text, false, err
}

// Cancellable reads until its context ends.
type Cancellable struct {
	Ctx context.Context
	R   io.Reader
}

func (c Cancellable) Read(p []byte) (int, error) {
	if c.Ctx.Err() != nil {
		return 0, caller.Cancelled(c.Ctx)
	}
	return c.R.Read(p)
}
