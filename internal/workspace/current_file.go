package workspace

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/text"
)

// CurrentFile is what a path has now. Its Kind is [guard.Missing] if there is nothing.
type CurrentFile struct {
	guard.Entry
	guard *guard.Guard
}

// LookAt looks at a path of the log, relative to the root. It returns an error if the path may not be looked at.
func LookAt(g *guard.Guard, path string) (CurrentFile, error) {
	e, err := g.Resolve(path, guard.Request{Known: true})
	if errors.Is(err, fail.NotFound) {
		return CurrentFile{}, nil
	}
	return CurrentFile{e, g}, err
}

// Sum returns the sha256 and the size of a file, or of the target of a symbolic link. Anything else has no sum.
func (f CurrentFile) Sum(ctx context.Context) (sum string, size int64, err error) {
	switch f.Kind {
	case guard.Symlink:
		return text.Sum(f.Target), f.Size, nil
	case guard.Regular:
		return f.guard.Hash(ctx, f.Entry)
	}
	return "", 0, nil
}
