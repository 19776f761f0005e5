package emend

import "github.com/emend-dev/emend/internal/workspace"

// Host is what a program needs that serves a workspace to agents or shows it to people, and nobody else: emend's own command line,
// server and pages are built on it.
type Host struct{ s *workspace.Workspace }

// Host returns the workspace as its host sees it.
func (w *Workspace) Host() *Host { return &Host{w.s} }
