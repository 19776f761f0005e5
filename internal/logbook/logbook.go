// Package logbook answers questions about the log of a store: which calls were made, what became of each, which entry a
// name means, what is new, whether the log is whole.
//
// It reads only. It takes no lock and writes nothing, and it works while another process appends. What the history keeps
// beside the log, the contents, belongs to package kept; following one file through the log belongs to package trace.
package logbook

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// Reader is the log of a store and the history beside it, open for reading. Where there is no store, Log and History are
// nil and the Reader has no records.
type Reader struct {
	workspace.Paths // between the top of the tree and the root
	Guard           *guard.Guard
	Store           string // path of the store; "" when there is none
	Log             *audit.Log
	History         *history.History
	Notes           []string // what a person should know, one sentence each

	dir    vfs.Dir // of the log
	counts *workspace.LineCounts
}

// Open opens the log of the workspace's store. It refuses a store that was copied from another tree, as a write does.
func Open(w *workspace.Workspace) (*Reader, error) {
	if _, err := w.OpenStore(); err != nil {
		return nil, err
	}
	return openAny(w)
}

// openAny is Open, and also opens a store that was copied from another tree, with a note that says so.
func openAny(w *workspace.Workspace) (*Reader, error) {
	rd := &Reader{Paths: workspace.Paths{Prefix: "."}, Guard: w.Guard, counts: &w.LineCounts}
	_, err := w.OpenStore()
	place := w.StorePlace()
	if !place.Exists {
		return rd, err
	}
	if err != nil && place.CheckOrigin() == nil {
		return rd, err
	}
	if err != nil {
		rd.note("%s", err.Error())
	}
	rd.Store = place.Dir
	if err := rd.open(place, w.RealRoot()); err != nil {
		rd.Close()
		return nil, workspace.StoreError(err)
	}
	return rd, nil
}

// open opens the log and the history of the store at place. root is the directory that the workspace was opened on.
func (rd *Reader) open(place commit.Place, root string) error {
	store, err := vfs.Open(rd.Store)
	if err != nil {
		return err
	}
	defer store.Close()
	if rd.Prefix, err = prefix(store, place, root); err != nil {
		return err
	}
	if rd.History, err = history.Open(store); err != nil {
		return err
	}
	if rd.dir, err = commit.OpenLog(store); err != nil {
		return err
	}
	rd.Log, err = audit.Open(rd.dir, audit.Options{})
	return err
}

// prefix returns the path that leads from the top of the tree of a store to root.
func prefix(store vfs.Dir, place commit.Place, root string) (string, error) {
	top, err := place.TopOf(store)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(top, root)
	if err == nil && !filepath.IsLocal(rel) {
		err = fmt.Errorf("the store is of another tree, %q", top)
	}
	return filepath.ToSlash(rel), err
}

// Close closes what Open opened.
func (rd *Reader) Close() error {
	var errs []error
	if rd.Log != nil {
		errs = append(errs, rd.Log.Close())
	}
	if rd.dir != nil {
		errs = append(errs, rd.dir.Close())
	}
	if rd.History != nil {
		errs = append(errs, rd.History.Close())
	}
	return errors.Join(errs...)
}

// note adds a note, unless it is there already: reading the log twice meets the same damage twice.
func (rd *Reader) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(rd.Notes, n) {
		rd.Notes = append(rd.Notes, n)
	}
}

// Head returns the newest record of the log, zero when there is no log.
func (rd *Reader) Head() audit.Head {
	if rd.Log == nil {
		return audit.Head{}
	}
	return rd.Log.Head()
}

// Pending returns the transactions that are being committed now, or that a crash interrupted.
func (rd *Reader) Pending() map[string]bool {
	out := map[string]bool{}
	if rd.Log == nil {
		return out
	}
	if pending, err := rd.Log.Pending(); err == nil {
		for _, r := range pending {
			out[r.Tx] = true
		}
	}
	return out
}

// Records returns the records that q asks for, the newest first, and adds each to o before it yields it. It skips what is
// damaged, with a note.
func (rd *Reader) Records(ctx context.Context, o *Outcomes, q audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		if rd.Log == nil {
			return
		}
		for r, err := range o.Walk(rd.Log, q) {
			if err = rd.skipDamage(err); err == nil && ctx.Err() != nil {
				err = caller.Cancelled(ctx)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if r != nil && !yield(r, nil) {
				return
			}
		}
	}
}

// skipDamage turns a damage into a note: the log can be read on behind it.
func (rd *Reader) skipDamage(err error) error {
	if c, ok := errors.AsType[*audit.Corrupt](err); ok {
		rd.note("%s. What can be read of it is shown. A person can run emend verify, which says more.", c.Error())
		return nil
	}
	return err
}
