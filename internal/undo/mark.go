package undo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/workspace"
)

// Marks are lines of JSON in a file of the store, the oldest first. Nothing depends on them but undo: a mark that a power cut takes
// is not there, and the log tells by time what was done since.
const marksName = "marks"

// Mark gives the present state of the tree a name, to which undo can go back.
func Mark(ctx context.Context, w *workspace.Workspace, r api.MarkRequest) (*api.Mark, error) {
	if strings.TrimSpace(r.Name) == "" || r.Name != caller.ForLog(r.Name) || r.Name == api.LastTurn {
		return nil, caller.BadField("the name of a mark", fail.Quote(r.Name), "Give it a short name of printable characters.")
	}
	isTime := func(layout string) bool { _, err := time.Parse(layout, r.Name); return err == nil }
	if slices.ContainsFunc([]string{time.RFC3339, "15:04", "15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05", time.DateOnly}, isTime) {
		return nil, caller.BadField("the name of a mark", fail.Quote(r.Name), "It would be taken for a time. Give it another name.")
	}
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return nil, err
	}
	if err := store.Log().Refresh(); err != nil {
		return nil, workspace.StoreError(err)
	}
	a := w.Actor(ctx)
	m := &api.Mark{Name: r.Name, At: time.Now().UTC(), Head: store.Head(), Session: a.Session, Turn: a.Turn}
	return m, appendMark(store, m)
}

func appendMark(store *commit.Store, m *api.Mark) error {
	line, err := json.Marshal(m)
	if err != nil {
		return workspace.StoreError(err)
	}
	dir, err := workspace.OpenLooks(store, true)
	if err != nil {
		return workspace.StoreError(err)
	}
	defer dir.Close()
	f, err := dir.Append(marksName, 0o600)
	if err != nil {
		return workspace.StoreError(err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return workspace.StoreError(err)
	}
	return nil
}

// Marks returns the marks, the newest first.
func Marks(_ context.Context, w *workspace.Workspace, _ struct{}) ([]api.Mark, error) {
	store, err := w.OpenStore()
	if store == nil || err != nil {
		return nil, err
	}
	return marks(store)
}

func marks(store *commit.Store) (out []api.Mark, err error) {
	dir, err := workspace.OpenLooks(store, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	defer dir.Close()
	f, err := dir.Open(marksName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	for line := range bytes.Lines(text) {
		var m api.Mark
		if json.Unmarshal(line, &m) == nil { // a line that a crash cut short is no mark
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// point is a place in the log: what comes after it has at least this number, and is not older.
type point struct {
	seq uint64
	at  time.Time
}

// pointOf finds the newest mark of a name, or the time that it says.
func pointOf(store *commit.Store, to string) (point, error) {
	if to == "" {
		return point{}, nil
	}
	all, err := marks(store)
	if err != nil {
		return point{}, err
	}
	for _, m := range all {
		if m.Name == to {
			if !store.Log().Has(m.Head) && m.Head.Seq > 0 {
				return point{at: m.At}, nil // the log begins anew, or what was there is dropped
			}
			return point{seq: m.Head.Seq + 1}, nil
		}
	}
	if at, err := time.Parse(time.RFC3339, to); err == nil {
		if now := time.Now(); at.After(now) {
			return point{}, caller.BadField("the time to go back to", fail.Quote(to), "It is still to come: it is "+now.Format(time.RFC3339)+" now.")
		}
		return point{at: at}, nil
	}
	var names []string
	for _, m := range all[:min(len(all), 5)] {
		names = append(names, fail.Quote(m.Name))
	}
	hint := "There are no marks: ‹run mark NAME› sets one. Or write a time."
	if len(names) > 0 {
		hint = fmt.Sprintf("The newest marks are %s. Or write a time.", strings.Join(names, ", "))
	}
	return point{}, &fail.Error{Kind: fail.NotFound, Msg: fmt.Sprintf("no mark is called %s", fail.Quote(to)), Hint: hint}
}
