// Package landing runs a command over a layer of the tree and makes one change of what it left: judged by the guard and the policy
// while the tree is untouched, refused if somebody else changed the same paths meanwhile, committed by the one commit that there
// is. What is refused stays as a layer in the store, to be looked at, landed again or discarded.
package landing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/overlay"
	"github.com/emend-dev/emend/internal/workspace"
)

// runsName is the directory of the store that has the layers.
const runsName = "runs"

// Run runs a command over a layer and lands what it left. The error is an *[overlay.Unsupported] if there can be no layer here;
// nothing was run then. With any other error the command may have run: the report says how it ended, and which layer is kept.
func Run(ctx context.Context, w *workspace.Workspace, r api.RunRequest) (*api.RunReport, error) {
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return nil, err
	}
	if dir, err := store.OpenDir(runsName, true); err != nil {
		return nil, workspace.StoreError(err)
	} else if err := dir.Close(); err != nil {
		return nil, workspace.StoreError(err)
	}
	name := history.NewID(time.Now())
	began := time.Now()
	l, err := overlay.Run(ctx, overlay.Options{Root: w.TopGuard().RootPath(), Dir: filepath.Join(runsDir(w), name), Cwd: r.Dir,
		Args: r.Args, Env: r.Env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	if l == nil {
		return nil, err
	}
	rep := &api.RunReport{Exit: l.Exit, NotRun: l.NotStarted, Duration: time.Since(began).Round(time.Millisecond).String(), Files: []api.RanFile{}}
	for _, p := range l.Killed {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%s outlived the command and was ended.", p))
	}
	if err == nil {
		err = land(ctx, w, l, rep, r.DryRun)
	}
	if err == nil || r.DryRun {
		return rep, errors.Join(err, l.Discard())
	}
	rep.Layer = name
	return rep, errors.Join(keep(l, err), l.Keep())
}

func runsDir(w *workspace.Workspace) string { return filepath.Join(w.StorePlace().Dir, runsName) }

// whyName is the file of a kept layer that says why it did not land.
const whyName = "why"

// keep notes why a layer did not land, and returns why.
func keep(l *overlay.Layer, why error) error {
	os.WriteFile(filepath.Join(l.Dir, whyName), []byte(fail.All(why)[0].Error()), 0o600) //nolint:errcheck // a help for people
	return why
}

// open opens the layer that a person named, by its name or the beginning of it.
func open(w *workspace.Workspace, name string) (*overlay.Layer, error) {
	all, err := List(context.Background(), w, struct{}{})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(l api.KeptLayer) bool { return name == "" || !strings.HasPrefix(l.Name, name) })
	if len(all) != 1 {
		msg := fmt.Sprintf("no layer is called %s", fail.Quote(name))
		if len(all) > 1 {
			msg = fmt.Sprintf("%d layers begin with %s", len(all), fail.Quote(name))
		}
		return nil, &fail.Error{Kind: fail.NotFound, Msg: msg, Hint: "emend run --kept lists the layers that did not land."}
	}
	return overlay.Open(filepath.Join(runsDir(w), all[0].Name))
}

// List lists the layers that did not land, the newest first.
func List(_ context.Context, w *workspace.Workspace, _ struct{}) ([]api.KeptLayer, error) {
	store, err := w.OpenStore()
	if store == nil || err != nil {
		return nil, err
	}
	names, err := os.ReadDir(runsDir(w))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	var out []api.KeptLayer
	for _, n := range slices.Backward(names) {
		l, err := overlay.Open(filepath.Join(runsDir(w), n.Name()))
		if err != nil {
			continue // it is being run, or of another version
		}
		why, _ := os.ReadFile(filepath.Join(l.Dir, whyName))
		out = append(out, api.KeptLayer{Name: n.Name(), Command: l.Args, Began: l.Began.UTC().Format(time.RFC3339), Why: string(why)})
	}
	return out, nil
}

// Show says what a layer would change.
func Show(ctx context.Context, w *workspace.Workspace, name string) (*api.RunReport, error) {
	return landKept(ctx, w, name, true)
}

// Land lands a layer that was kept.
func Land(ctx context.Context, w *workspace.Workspace, name string) (*api.RunReport, error) {
	return landKept(ctx, w, name, false)
}

func landKept(ctx context.Context, w *workspace.Workspace, name string, dry bool) (*api.RunReport, error) {
	l, err := open(w, name)
	if err != nil {
		return nil, err
	}
	rep := &api.RunReport{Exit: l.Exit, Duration: l.Ended.Sub(l.Began).Round(time.Millisecond).String(), Files: []api.RanFile{}, Layer: filepath.Base(l.Dir)}
	if err := land(ctx, w, l, rep, dry); err != nil || dry {
		return rep, err
	}
	rep.Layer = ""
	os.Remove(filepath.Join(l.Dir, whyName))
	return rep, l.Discard()
}

// Discard removes a layer that was kept. It is not in the log, since nothing of it was ever in the tree.
func Discard(_ context.Context, w *workspace.Workspace, name string) (struct{}, error) {
	l, err := open(w, name)
	if err != nil {
		return struct{}{}, err
	}
	os.Remove(filepath.Join(l.Dir, whyName))
	return struct{}{}, l.Discard()
}

// refusals words several refusals as one error.
func refusals(all fail.List) error {
	if len(all) == 0 {
		return nil
	}
	return all
}

func stale(p, why string) *fail.Error {
	return &fail.Error{Kind: fail.Stale, Path: p, Msg: "somebody else changed it while the command ran: " + why,
		Hint: "Nothing landed. Look at the layer with emend run --show, and run the command again."}
}
