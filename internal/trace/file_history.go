package trace

import (
	"context"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/workspace"
)

// MaxVersions is how many versions of a file are listed unless more are asked for.
const MaxVersions = 200

// held is what stood at a path at some time.
type held struct {
	there  bool
	unseen bool // it could not be read: nobody knows what it has
	now    bool
	sum    string
	id     string // "" when it is not kept
	size   int64
	at     time.Time // its last change
}

func FileHistory(ctx context.Context, w *workspace.Workspace, path string, limit int) (*api.FileHistory, error) {
	path, err := rooted(w, path)
	if err != nil {
		return nil, err
	}
	now, err := present(ctx, w.Guard, path)
	if err != nil {
		return nil, err
	}
	j, err := logbook.JournalWorkspace(w)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	h := &api.FileHistory{Path: path, Exists: now.there, Sha256: now.sum, SizeBytes: now.size}
	l := newLineage(j, path, now)
	if h.Truncated, err = l.walk(ctx, limit); err != nil {
		return nil, err
	}
	if err := l.seek(ctx); err != nil {
		return nil, err
	}
	h.Versions, h.Notes = l.versions(), j.Notes
	return h, nil
}

// rooted is the path from the root that a caller means. What may not be read has no history to be shown.
func rooted(w *workspace.Workspace, p string) (string, error) {
	all, err := w.Spelled(p)
	if err != nil {
		return "", err
	}
	if e, err := w.Guard.Resolve(p, guard.Request{Base: w.Base, Absolute: true}); err != nil {
		if fail.All(err)[0].Kind != fail.NotFound {
			return "", err
		}
	} else if e.Rel == "." {
		return "", caller.BadField("path", fail.Quote(p), "Name a file inside the workspace.")
	}
	return all[0], w.Guard.CheckRead(all[0])
}

// is reports whether the log speaks of h when it says that sum was there, or with "" that nothing was.
func (h held) is(sum string) bool {
	return h.there == (sum != "") && (h.sum == sum || h.unseen)
}

// present is what stands at a path from the root, which may be read.
func present(ctx context.Context, g *guard.Guard, path string) (held, error) {
	e, err := g.Resolve(path, guard.Request{Known: true})
	if err != nil {
		if fail.All(err)[0].Kind == fail.NotFound {
			return held{now: true}, nil
		}
		return held{}, err
	}
	h := held{now: true, at: e.ModTime, size: e.Size, there: e.Kind == guard.Regular || e.Kind == guard.Symlink}
	switch e.Kind {
	case guard.Symlink:
		h.sum = plan.Sum(e.Target)
	case guard.Regular:
		h.sum, h.size, err = g.Hash(ctx, e)
	default:
		h.size = 0
	}
	if err != nil && ctx.Err() == nil {
		return held{now: true, there: true, unseen: true, size: e.Size, at: e.ModTime}, nil
	}
	if h.there && !h.unseen {
		h.id = kept.PresentID(path, h.sum)
	}
	return h, err
}
