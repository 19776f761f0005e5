package trace

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxVersions bounds the versions that are listed, unless the caller sets another limit.
const maxVersions = 200

// FileHistory lists the versions of a file, back through its moves. With a limit of 0 it lists the newest 200.
func FileHistory(ctx context.Context, w *workspace.Workspace, path string, limit int) (*api.FileHistory, error) {
	if limit <= 0 {
		limit = maxVersions
	}
	path, err := fromRoot(w, path)
	if err != nil {
		return nil, err
	}
	rd, err := logbook.Open(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	var now fileState
	if err := readWithLog(rd, func() (err error) { now, err = currentState(ctx, w.Guard, path); return err }); err != nil {
		return nil, err
	}
	h := &api.FileHistory{Path: path, Exists: now.exists, Sha256: now.sum, SizeBytes: now.size}
	b := newBacktrace(rd, path, now)
	if err := b.walk(ctx, func() (bool, error) { return len(b.versions) > limit, nil }); err != nil {
		return nil, err
	}
	if h.Truncated = len(b.versions) > limit; h.Truncated {
		b.versions = b.versions[:limit]
	}
	if err := b.findContents(ctx); err != nil {
		return nil, err
	}
	h.Versions, h.Notes = b.fileVersions(), rd.Notes
	return h, nil
}

// fromRoot returns the path from the root that a caller means. It refuses a path that may not be read.
func fromRoot(w *workspace.Workspace, p string) (string, error) {
	all, err := w.Spellings(p)
	if err != nil {
		return "", err
	}
	if e, err := w.Guard.Resolve(p, guard.Request{Base: w.DefaultBase(), Absolute: true}); err != nil {
		if !errors.Is(err, fail.NotFound) {
			return "", err
		}
	} else if e.Rel == "." {
		return "", caller.BadField("path", fail.Quote(p), "Name a file inside the workspace.")
	}
	return all[0], w.Guard.CheckRead(all[0])
}
