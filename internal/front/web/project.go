package web

import (
	"path/filepath"

	"github.com/emend-dev/emend/internal/gitobjects"
)

// Project returns the name of the directory that the workspace is in.
func (w *Workspace) Project() string { return filepath.Base(w.Root()) }

// Branch returns the branch of git that is checked out there; "" if that cannot be told, as in a directory below the top of
// the work tree.
func (w *Workspace) Branch() string { return gitobjects.Branch(w.Root()) }
