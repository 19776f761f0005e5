// Package landing runs a command over a layer of the tree and makes one change of what it left: judged by the guard and the policy
// while the tree is untouched, refused if somebody else changed the same paths meanwhile, committed by the one commit that there
// is. What is refused stays as a layer in the store, to be looked at, landed again or discarded.
package landing

import (
	"cmp"
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
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/logbook"
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
	dir := filepath.Join(runsDir(w), name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, workspace.StoreError(err)
	}
	held, err := lock(dir, lockWait)
	if err != nil {
		os.Remove(dir)
		return nil, cannotLock(err)
	}
	defer held.Close()
	began := time.Now()
	var writable []string
	if r.Confine {
		writable = w.WritableDirs()
	}
	l, err := overlay.Run(ctx, overlay.Options{Root: w.TopGuard().RootPath(), Dir: dir, Cwd: r.Dir,
		Args: r.Args, Env: r.Env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Hold: held, Confine: r.Confine, Writable: writable})
	if l == nil {
		os.Remove(dir)
		return nil, err
	}
	rep := &api.RunReport{Exit: l.Exit, NotRun: l.NotStarted, Duration: time.Since(began).Round(time.Millisecond).String(), Files: []api.RanFile{}}
	for _, p := range l.Killed {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%s outlived the command and was ended.", p))
	}
	if err == nil && r.KeepIgnored {
		if werr := os.WriteFile(filepath.Join(l.Dir, keepIgnoredName), nil, 0o600); werr != nil {
			err = workspace.StoreError(werr)
		}
	}
	rep.Notes = append(rep.Notes, dropOld(w)...)
	if err == nil {
		err = land(ctx, w, l, rep, r.DryRun)
	}
	if err == nil || r.DryRun {
		discardUsed(l, rep)
		return rep, err
	}
	rep.Layer = name
	noteRefusal(ctx, w, l, err)
	return rep, errors.Join(keep(l, err), l.Keep())
}

// Probe says why a command cannot run over a layer here, as an *[overlay.Unsupported]; nil if it can. Where there is no store yet, it tries
// in the temporary directory.
func Probe(w *workspace.Workspace) error {
	if _, err := w.OpenStore(); err != nil {
		return err
	}
	place, root, in := w.StorePlace(), w.RealRoot(), ""
	if place.Exists {
		root, in = place.Top, place.Dir
	}
	dir, err := os.MkdirTemp(in, "try-layer-")
	if err != nil {
		return err
	}
	defer os.Remove(dir)
	return overlay.Probe(overlay.Options{Root: root, Dir: dir})
}

// oldAge is the age from which a kept layer counts as old, if the policy does not say.
const oldAge = 7 * 24 * time.Hour

// dropOld removes the layers that are older than the policy keeps them, and says so. Without a policy it removes none.
func dropOld(w *workspace.Workspace) (notes []string) {
	age := w.LayerAge()
	all, err := names(w)
	if age == 0 || err != nil {
		return nil
	}
	for _, n := range all {
		began, ok := beganAt(filepath.Join(runsDir(w), n))
		if !ok || time.Since(began) <= age {
			continue
		}
		l, unlock, _ := open(w, n)
		if l == nil {
			continue // somebody works with it
		}
		if err := discard(l); err == nil {
			notes = append(notes, fmt.Sprintf("The layer %s of %s was removed: the policy keeps layers for %v.", n, began.UTC().Format(time.DateOnly), age))
		}
		unlock() //nolint:errcheck // it was only read
	}
	return notes
}

// beganAt returns when the run of a layer began; of one without information, when its directory was made.
func beganAt(dir string) (time.Time, bool) {
	if l, err := overlay.Open(dir); err == nil {
		return l.Began, true
	}
	is, err := os.Stat(dir)
	if err != nil {
		return time.Time{}, false
	}
	return is.ModTime(), true
}

func runsDir(w *workspace.Workspace) string { return filepath.Join(w.StorePlace().Dir, runsName) }

// maxRefused is how many refused paths the log names.
const maxRefused = 20

// noteRefusal puts on record that a layer did not land, with the paths that were in the way. If the log cannot be written, the refusal stays
// the same.
func noteRefusal(ctx context.Context, w *workspace.Workspace, l *overlay.Layer, err error) {
	all := fail.All(err)
	first := all[0]
	if first.Noted || first.Reason == fail.StoreUnwritable || first.Reason == fail.Indeterminate {
		return
	}
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return
	}
	r := audit.Record{Kind: audit.Failed, Actor: w.Actor(ctx), PolicyHash: w.Guard.PolicyHash(), ErrorKind: string(first.Kind),
		Message: caller.ForLog("did not land: " + strings.Join(l.Args, " ") + ": " + logbook.RefusalMessage(first))}
	if first.Kind == fail.PermissionDenied || first.Kind == fail.OutsideWorkspace {
		r.Kind = audit.Denied
	}
	changes, _ := l.Changes() // without them the paths have no operation
	for _, e := range all[:min(len(all), maxRefused)] {
		if i := slices.IndexFunc(changes, func(c overlay.Change) bool { return c.Path == e.Path }); i >= 0 {
			r.Ops = append(r.Ops, audit.Op{Operation: operation(changes[i]), Path: caller.ForLog(e.Path)})
		}
	}
	store.RecordRefusal(ctx, r, first.Kind != fail.Timeout) //nolint:errcheck // see above
}

// whyName is the file of a kept layer that says why it did not land.
const whyName = "why"

// keepIgnoredName is the file of a layer that says that what ignore rules leave out lands like all else, also later.
const keepIgnoredName = "keep-ignored"

// keep notes why a layer did not land, and returns why.
func keep(l *overlay.Layer, why error) error {
	os.WriteFile(filepath.Join(l.Dir, whyName), []byte(fail.All(why)[0].Error()), 0o600) //nolint:errcheck // a help for people
	return why
}

// A lock on the directory of a layer says that somebody works with it: its run, or a process that lands, shows or discards it.
type lockMode int

const (
	lockWait lockMode = iota // for this process alone, when it is free
	lockNow                  // for this process alone, or errInUse
	lockLook                 // beside others that look, or errInUse
)

var errInUse = errors.New("its command still runs, or another emend works with it")

// cannotLock words the error of a lock.
func cannotLock(err error) error {
	if errors.Is(err, errors.ErrUnsupported) {
		return &overlay.Unsupported{Reason: "this needs Linux on amd64 or arm64"}
	}
	return workspace.StoreError(err)
}

// open opens the layer that a person named, by its name or an abbreviation, for this process alone. The layer is not nil if there
// is something to discard, also with an error.
func open(w *workspace.Workspace, name string) (l *overlay.Layer, unlock func() error, err error) {
	names, err := names(w)
	if err != nil {
		return nil, nil, err
	}
	if names = abbrev.Pick(names, name); len(names) != 1 {
		msg := fmt.Sprintf("no layer is called %s", fail.Quote(name))
		if len(names) > 1 {
			msg = fmt.Sprintf("%s abbreviates %d layers", fail.Quote(name), len(names))
		}
		return nil, nil, &fail.Error{Kind: fail.NotFound, Msg: msg, Hint: "To list the layers that did not land, ‹run run --kept›."}
	}
	dir := filepath.Join(runsDir(w), names[0])
	held, err := lock(dir, lockNow)
	for range 100 { // somebody who lists the layers has it for a moment
		if !errors.Is(err, errInUse) {
			break
		}
		time.Sleep(5 * time.Millisecond)
		held, err = lock(dir, lockNow)
	}
	if errors.Is(err, errInUse) {
		return nil, nil, &fail.Error{Kind: fail.CommandFailed, Msg: fmt.Sprintf("the layer %s is in use: %v", names[0], err), Hint: "Wait until it has ended."}
	}
	if err != nil {
		return nil, nil, workspace.StoreError(err)
	}
	if l, err = overlay.Open(dir); err != nil {
		return &overlay.Layer{Dir: dir}, held.Close, &fail.Error{Kind: fail.CommandFailed, Msg: "the layer cannot be used: " + whyNot(err), Cause: err,
			Hint: "To remove it, ‹run run --discard›."}
	}
	return l, held.Close, nil
}

// whyNot words an error of overlay.Open.
func whyNot(err error) string {
	if errors.Is(err, overlay.ErrNoLayer) {
		return "emend was ended before the command began"
	}
	return err.Error()
}

// names returns the names of all layers.
func names(w *workspace.Workspace) (out []string, err error) {
	store, err := w.OpenStore()
	if store == nil || err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(runsDir(w))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, workspace.StoreError(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// List lists the layers that did not land, the newest first, and what is left of runs that were killed. It leaves out layers that somebody
// works with.
func List(_ context.Context, w *workspace.Workspace, _ struct{}) (out []api.KeptLayer, err error) {
	names, err := names(w)
	if err != nil {
		return nil, err
	}
	for _, n := range slices.Backward(names) {
		k, ok, err := describe(w, filepath.Join(runsDir(w), n))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, k)
		}
	}
	return out, nil
}

// keyOf returns the key under which a layer is committed. The log has it if the layer landed, whatever happened to emend after that.
func keyOf(l *overlay.Layer) string { return "layer " + filepath.Base(l.Dir) }

// entryOf returns the entry of a layer that landed, else "".
func entryOf(w *workspace.Workspace, l *overlay.Layer) (string, error) {
	store, err := w.OpenStore()
	if store == nil || err != nil {
		return "", err
	}
	r, _, err := store.ByKey(keyOf(l))
	if r == nil || err != nil {
		return "", err
	}
	return r.Tx, nil
}

// describe describes a layer that nobody works with.
func describe(w *workspace.Workspace, dir string) (k api.KeptLayer, ok bool, err error) {
	held, err := lock(dir, lockLook)
	if err != nil {
		return k, false, nil // somebody works with it, or it is gone
	}
	defer held.Close()
	k.Name = filepath.Base(dir)
	if began, ok := beganAt(dir); ok {
		k.Began, k.Old = began.UTC().Format(time.RFC3339), time.Since(began) > cmp.Or(w.LayerAge(), oldAge)
	}
	l, err := overlay.Open(dir)
	if err != nil {
		k.Why = whyNot(err)
		return k, true, nil
	}
	k.Command = l.Args
	entry, err := entryOf(w, l)
	if err != nil {
		return k, false, err
	}
	why, _ := os.ReadFile(filepath.Join(dir, whyName))
	switch err := l.Usable(); {
	case entry != "":
		k.Why = "it landed as " + entry + "; emend was ended before the layer was removed"
	case len(why) > 0:
		k.Why = string(why)
	case err != nil:
		k.Why = err.Error()
	default:
		k.Why = "emend was ended before the layer had landed or was removed"
	}
	return k, true, nil
}

// Show says what a layer would change.
func Show(ctx context.Context, w *workspace.Workspace, name string) (*api.RunReport, error) {
	return landKept(ctx, w, name, true)
}

// Land lands a layer that was kept. Of one that landed already, when emend was killed after it, only the rest is removed.
func Land(ctx context.Context, w *workspace.Workspace, name string) (*api.RunReport, error) {
	return landKept(ctx, w, name, false)
}

func landKept(ctx context.Context, w *workspace.Workspace, name string, dry bool) (*api.RunReport, error) {
	l, unlock, err := open(w, name)
	if unlock != nil {
		defer unlock() //nolint:errcheck // it was only read
	}
	if err != nil {
		return nil, err
	}
	rep := &api.RunReport{Exit: l.Exit, Duration: l.Ended.Sub(l.Began).Round(time.Millisecond).String(), Files: []api.RanFile{}, Layer: filepath.Base(l.Dir)}
	if rep.Entry, err = entryOf(w, l); err != nil {
		return nil, err
	}
	if rep.Entry != "" && dry {
		return nil, &fail.Error{Kind: fail.CommandFailed, Msg: "the layer landed already, as " + rep.Entry, Hint: "To remove what is left of it, ‹run run --discard›."}
	}
	if rep.Entry == "" {
		if err := land(ctx, w, l, rep, dry); err != nil || dry {
			if !dry {
				noteRefusal(ctx, w, l, err)
			}
			return rep, err
		}
	}
	rep.Layer = ""
	discardUsed(l, rep)
	return rep, nil
}

// discardUsed removes a layer that landed, or was only looked at. What landed stays landed if that fails.
func discardUsed(l *overlay.Layer, rep *api.RunReport) {
	if err := discard(l); err != nil {
		rep.Notes = append(rep.Notes, fmt.Sprintf("The layer %s is done with, and could not be removed: %v.", filepath.Base(l.Dir), err))
	}
}

// Discard removes a layer that was kept. It is not in the log, since nothing of it was ever in the tree.
func Discard(_ context.Context, w *workspace.Workspace, name string) (struct{}, error) {
	l, unlock, err := open(w, name)
	if l == nil {
		return struct{}{}, err
	}
	defer unlock() //nolint:errcheck // it was only read
	return struct{}{}, discard(l)
}

// discard removes a layer and why it was kept.
func discard(l *overlay.Layer) error {
	os.Remove(filepath.Join(l.Dir, whyName))
	os.Remove(filepath.Join(l.Dir, keepIgnoredName))
	return l.Discard()
}

// refusals words several refusals as one error.
func refusals(all fail.List) error {
	if len(all) == 0 {
		return nil
	}
	return all
}

const staleHint = "Nothing landed. To look at the layer, ‹run run --show›. Then run the command again."

func stale(p, why string) *fail.Error {
	return &fail.Error{Kind: fail.Stale, Path: p, Msg: why, Hint: staleHint}
}
