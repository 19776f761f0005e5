package consent

import (
	"path/filepath"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/board"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

// Question is one that waits, also where there is no board yet.
func Question(b *board.Board, id, prefix string) (board.Question, error) {
	if b == nil {
		return board.Question{}, board.ErrNotWaiting
	}
	return b.Find(id, prefix)
}

// Waiting is what a file of the store says. Who wrote it may not be emend.
func Waiting(w *workspace.Workspace, q *board.Question) api.Waiting {
	rel, err := filepath.Rel(filepath.FromSlash(w.Keeper.Way()), filepath.FromSlash(q.Prefix))
	if err != nil {
		rel = "."
	}
	return api.Waiting{ID: q.ID, Since: q.Since, Deadline: q.Deadline, Below: filepath.ToSlash(rel),
		Question: api.Question{Root: q.Root, Actor: q.Actor, Paths: q.Paths, Diff: bounded(report.Escape(q.Diff)), Digest: q.Digest}}
}
