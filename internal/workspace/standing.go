package workspace

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/text"
)

// Standing is what stands at a path now. Where nothing does, its Kind is [guard.Missing].
type Standing struct {
	guard.Entry
	guard *guard.Guard
}

// LookAt looks at a path that the log knows, relative to the root. Its error says that the path may not be looked at.
func LookAt(g *guard.Guard, path string) (Standing, error) {
	e, err := g.Resolve(path, guard.Request{Known: true})
	if errors.Is(err, fail.NotFound) {
		return Standing{}, nil
	}
	return Standing{e, g}, err
}

// Sum returns the sha256 and the size of a file; of a symbolic link, of where it leads. What is neither has no sum.
func (s Standing) Sum(ctx context.Context) (sum string, size int64, err error) {
	switch s.Kind {
	case guard.Symlink:
		return text.Sum(s.Target), s.Size, nil
	case guard.Regular:
		return s.guard.Hash(ctx, s.Entry)
	}
	return "", 0, nil
}
