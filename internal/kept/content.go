package kept

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxContent bounds the bytes of a version that are shown.
const maxContent = 4 << 20

// Content returns what a version contains. It refuses a path that may not be read now, and a file that was written to since
// it was kept.
func Content(ctx context.Context, w *workspace.Workspace, id string) (*api.Content, error) {
	if path, sum, ok := ParsePresent(id); ok {
		return presentContent(ctx, w, id, path, sum)
	}
	if IsRebuilt(id) {
		return rebuiltContent(ctx, w, id)
	}
	f, contents, err := FindDisplaced(ctx, w, id)
	if err == nil {
		err = w.Guard.CheckRead(f.Path)
	}
	if err != nil {
		return nil, err
	}
	c := &api.Content{ID: id, Path: f.Path, Link: f.Link, SizeBytes: f.SizeBytes, MTime: f.MTime, Mode: f.Mode}
	if f.Link != "" {
		c.Sha256 = text.Sum(f.Link)
		return c, checkSum(c, f.Sha256)
	}
	file, _, err := contents.history.Open(f.ID)
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	defer file.Close()
	if err := fill(ctx, c, file); err != nil {
		return nil, workspace.StoreError(err)
	}
	return c, checkSum(c, f.Sha256)
}

// FindDisplaced finds a file that a change displaced, in the trash or not, by its id.
func FindDisplaced(ctx context.Context, w *workspace.Workspace, id string) (*File, Contents, error) {
	tx, n, ok := history.ParseSlot(id)
	if !ok {
		return nil, Contents{}, noVersion(id)
	}
	v, err := takeInventory(w, tx)
	if err != nil {
		return nil, Contents{}, err
	}
	if err := v.has(tx, noVersion(id)); err != nil {
		return nil, Contents{}, err
	}
	for t := range v.newestFirst(ctx) {
		for i := range t.Acts {
			a := &t.Acts[i]
			if a.Slot != n || a.Old == nil || !a.Displaces() || !v.Inside(a.Path) {
				continue
			}
			if f, ok := v.file(t.Record, a, ""); ok {
				return &f, v.Contents, nil
			}
		}
	}
	if v.err != nil {
		return nil, Contents{}, v.err
	}
	return nil, Contents{}, noVersion(id)
}

func presentContent(ctx context.Context, w *workspace.Workspace, id, path, sum string) (*api.Content, error) {
	e, err := w.Guard.Resolve(path, guard.Request{Known: true})
	if err != nil {
		return nil, err
	}
	c := &api.Content{ID: id, Path: e.Rel, Link: e.Target, SizeBytes: e.Size, MTime: e.ModTime, Mode: Octal(e.Mode)}
	switch e.Kind {
	case guard.Symlink:
		c.Sha256 = text.Sum(e.Target)
		return c, checkSum(c, sum)
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
	return c, checkSum(c, sum)
}

func rebuiltContent(ctx context.Context, w *workspace.Workspace, id string) (*api.Content, error) {
	v, err := FindRebuilt(ctx, w, id)
	if err == nil {
		err = w.Guard.CheckRead(v.Path)
	}
	if err != nil {
		return nil, err
	}
	c := &api.Content{ID: id, Path: v.Path, Mode: Octal(v.Act.New.Mode)}
	return c, fill(ctx, c, strings.NewReader(v.Text))
}

// fill reads all of r for its sum and its size, and gives c as much of the text as is shown.
func fill(ctx context.Context, c *api.Content, r io.Reader) error {
	sum := sha256.New()
	in := io.TeeReader(Cancellable{ctx, r}, sum)
	b, err := io.ReadAll(io.LimitReader(in, maxContent+1))
	if err != nil {
		return err
	}
	rest, err := io.Copy(io.Discard, in)
	if err != nil {
		return err
	}
	c.SizeBytes, c.Sha256 = int64(len(b))+rest, hex.EncodeToString(sum.Sum(nil))
	if c.Binary = isBinary(b); c.Binary {
		return nil
	}
	if c.Truncated = len(b) > maxContent; c.Truncated {
		b = wholeLines(b[:maxContent])
	}
	c.Text = string(b)
	return nil
}

// wholeLines removes a line that is cut off at the end, unless it is the only one.
func wholeLines(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	return wholeRunes(b)
}

// checkSum refuses a content that changed. With an empty sum, the log does not know what it was.
func checkSum(c *api.Content, want string) error {
	if want == "" || c.Sha256 == want {
		return nil
	}
	return &fail.Error{Kind: fail.Stale, Path: c.Path, Want: want, Have: c.Sha256,
		Msg:  fmt.Sprintf("what is kept as %s was written to since", fail.Quote(c.ID)),
		Hint: "Look at the history of the file again."}
}
