package workspace

import (
	"errors"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// CheckRepositories refuses a plan that makes a directory a repository: see [guard.Guard.CheckRepositories].
func (w *Workspace) CheckRepositories(p *plan.Plan) error {
	err := w.Guard.CheckRepositories(func(yield func(guard.Entry) bool) {
		for i := range p.Steps {
			if f := writtenFile(&p.Steps[i]); f != nil && !yield(f.Handle.(guard.Entry)) {
				return
			}
		}
	})
	e, ok := errors.AsType[*fail.Error](err)
	for i := 0; ok && i < len(p.Steps); i++ {
		if f := writtenFile(&p.Steps[i]); f != nil && f.Rel == e.Path {
			e.Path, e.Section = p.Steps[i].Writes, p.Steps[i].Section+1
			break
		}
	}
	return err
}

// writtenFile returns what is at the path where a step leaves a file, nil for a deletion.
func writtenFile(s *plan.Step) *plan.File {
	switch s.Op {
	case patch.Delete:
		return nil
	case patch.Move:
		return &s.Dest
	}
	return &s.Source
}
