package undo

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/workspace"
)

// entryName returns the whole name of the entry that a request names, as [logbook.Reader.Find] understands it. A name that no
// entry has stays as it is.
func entryName(ctx context.Context, w *workspace.Workspace, name string) (string, error) {
	if _, whole := history.TimeOf(name); whole || name == "" {
		return name, nil
	}
	rd, err := logbook.Open(w)
	if err != nil {
		return "", err
	}
	defer rd.Close()
	_, r, err := rd.Find(ctx, name)
	switch {
	case errors.Is(err, fail.NotFound):
		return name, nil
	case err != nil:
		return "", err
	}
	return logbook.EntryName(r), nil
}
