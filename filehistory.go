package emend

import (
	"context"
	"time"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
)

// FileHistory is what the log has of one file, through its moves, and which contents of it are kept.
type FileHistory struct {
	Path      string // as it is, or was last, called
	Exists    bool
	Sha256    string // of what is there now
	SizeBytes int64
	Versions  []FileVersion // the newest first
	Truncated bool
	Notes     []string
}

// FileVersion is a file after one entry of the log. The oldest is the file before the first, with no entry; so is what
// somebody made of it outside of emend between two entries, or since the last.
type FileVersion struct {
	LogEntry         // what made it; Entry is "" where no entry did. Path is where the file was, AfterSha256 what it had
	ID        string // by which [Workspace.Content] and [Workspace.PutBack] know its content; "" when it is not kept
	Now       bool   // it is what is there now
	Gone      bool   // the entry left no file
	Outside   bool   // no entry made it: it was found so
	SizeBytes int64
}

// maxVersions is how many versions of a file are listed unless more are asked for.
const maxVersions = 200

// FileHistory follows a file back from where it is now, or was last, through its moves. At each path it goes on with what
// was there before, also when that was deleted or moved away. It waits for no lock.
func (w *Workspace) FileHistory(ctx context.Context, path string, limit int) (*FileHistory, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	if limit <= 0 {
		limit = maxVersions
	}
	h, err := w.fileHistory(ctx, path, limit)
	return h, cannot(err)
}

func (w *Workspace) fileHistory(ctx context.Context, path string, limit int) (*FileHistory, error) {
	path, err := w.rooted(path)
	if err != nil {
		return nil, err
	}
	now, err := present(ctx, w.guard, path)
	if err != nil {
		return nil, err
	}
	j, err := w.journal()
	if err != nil {
		return nil, err
	}
	defer j.close()
	h := &FileHistory{Path: path, Exists: now.there, Sha256: now.sum, SizeBytes: now.size}
	l := newLineage(j, path, now)
	if h.Truncated, err = l.walk(ctx, limit); err != nil {
		return nil, err
	}
	if err := l.seek(ctx); err != nil {
		return nil, err
	}
	h.Versions, h.Notes = l.versions(), j.notes
	return h, nil
}

// rooted is the path from the root that a caller means. What may not be read has no history to be shown.
func (w *Workspace) rooted(p string) (string, error) {
	all, err := w.spelled(p)
	if err != nil {
		return "", err
	}
	if e, err := w.guard.Look(p, guard.Ask{Base: w.base, Absolute: true}); err != nil {
		if fail.All(err)[0].Kind != fail.NotFound {
			return "", err
		}
	} else if e.Rel == "." {
		return "", badField("path", fail.Quote(p), "Name a file inside the workspace.")
	}
	return all[0], w.guard.Readable(all[0])
}

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

// is reports whether the log speaks of h when it says that sum was there, or with "" that nothing was.
func (h held) is(sum string) bool {
	return h.there == (sum != "") && (h.sum == sum || h.unseen)
}

// present is what stands at a path from the root, which may be read.
func present(ctx context.Context, g *guard.Guard, path string) (held, error) {
	e, err := g.Look(path, guard.Ask{Known: true})
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
		h.id = presentID(path, h.sum)
	}
	return h, err
}
