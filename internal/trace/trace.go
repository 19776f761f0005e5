// Package trace follows files through the log: back, for the versions of one file and for where its lines come from, and
// forward, for what became of the files of an entry or of a session since.
//
// It reads the log through package logbook and contents through package kept, and looks at the files that stand in the
// workspace now. It changes nothing.
package trace

import (
	"context"
	"time"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/workspace"
)

// fileState describes the file at a path at some time, or that there was none.
type fileState struct {
	exists  bool
	unread  bool // it exists now and could not be read, so nobody knows its sum
	current bool // it stands there now
	sum     string
	id      string // of the version; "" when its content is not kept
	size    int64
	time    time.Time // of its last change
}

// matches reports whether the log speaks of s when it says that a file with this sum was there, or, with "", none.
func (s fileState) matches(sum string) bool {
	return s.exists == (sum != "") && (s.sum == sum || s.unread)
}

// currentState returns what stands at a path now, relative to the root.
func currentState(ctx context.Context, g *guard.Guard, path string) (fileState, error) {
	is, err := workspace.LookAt(g, path)
	if err != nil || is.Kind == guard.Missing {
		return fileState{current: err == nil}, err
	}
	s := fileState{current: true, time: is.ModTime, exists: is.Kind == guard.Regular || is.Kind == guard.Symlink}
	s.sum, s.size, err = is.Sum(ctx)
	if err != nil && ctx.Err() == nil {
		return fileState{current: true, exists: true, unread: true, size: is.Size, time: is.ModTime}, nil
	}
	if s.exists {
		s.id = kept.PresentID(path, s.sum)
	}
	return s, err
}
