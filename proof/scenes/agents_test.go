//go:build linux

package scenes

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend"
)

// agent applies a patch to a workspace. An error means that it did not.
type agent func(ctx context.Context, ws *emend.Workspace, text string) error

// engine is the agent that is proved.
func engine(ctx context.Context, ws *emend.Workspace, text string) error {
	p, err := ws.Plan(ctx, text, emend.Options{})
	if err != nil {
		return err
	}
	_, err = ws.Commit(ctx, p)
	return err
}

// blind is the agent that the scenes must be able to tell from the engine: it places hunks as well as the engine
// does, and writes each file as well as programs do that look at no file twice.
func blind(ctx context.Context, ws *emend.Workspace, text string) error {
	p, err := ws.Plan(ctx, text, emend.Options{})
	if err != nil {
		return err
	}
	for _, f := range p.Files() {
		name := filepath.Join(ws.Root(), f.Path())
		if err := saveByRename(name, []byte(f.After())); err != nil {
			return err
		}
	}
	return nil
}

// saveByRename writes a new file beside the old one and puts it in its place.
func saveByRename(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".save-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// declined reports whether an agent's error says that somebody else had changed a file, and nothing more.
func declined(err error) bool {
	return errors.Is(err, emend.Stale) || errors.Is(err, emend.PatchApply) || errors.Is(err, emend.OldTextNotFound)
}
