//go:build linux

package scenes

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// agent applies a patch to a workspace. It returns an error if it did not.
type agent func(ctx context.Context, ws *emend.Workspace, text string) error

// engine applies the patch with emend.
func engine(ctx context.Context, ws *emend.Workspace, text string) error {
	p, err := ws.Plan(ctx, text, api.PatchOptions{})
	if err != nil {
		return err
	}
	_, err = ws.Commit(ctx, p)
	return err
}

// blindAgent is a wrong agent, which each scene must distinguish from the engine. It places hunks as the engine does, but writes
// each file without looking whether it has changed.
func blindAgent(ctx context.Context, ws *emend.Workspace, text string) error {
	p, err := ws.Plan(ctx, text, api.PatchOptions{})
	if err != nil {
		return err
	}
	for _, f := range p.Files() {
		name := filepath.Join(ws.Root(), f.Path)
		if err := saveByRename(name, []byte(f.After)); err != nil {
			return err
		}
	}
	return nil
}

// saveByRename writes a new file beside the old one and renames it over the old one.
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

// isStale reports whether the only reason for an agent's error is that somebody else changed a file.
func isStale(err error) bool {
	return errors.Is(err, fail.Stale) || errors.Is(err, fail.PatchApply) || errors.Is(err, fail.OldTextNotFound)
}
