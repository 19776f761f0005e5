// Package source hands the files of a workspace to the planner. A [Reader] resolves paths through the guard, loads and
// hashes files, and remembers each of them, so that one plan sees one state of every file. It never writes, and it does
// not decide what becomes of a file.
package source

import (
	"context"
	"io/fs"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

// Reader implements [plan.Source] over the guard of a workspace. It keeps what it read: one plan sees one state of every
// file, and the search for a hint reads nothing again.
type Reader struct {
	W         *workspace.Workspace
	Base      string            // the directory that paths are relative to
	FromLog   bool              // the paths come from the log: the rules for new names do not apply to them
	MaxBytes  int               // the most bytes that Load reads in all; 0 for no such limit
	BytesRead int               // the bytes that Load has read
	Asked     *guard.AskedPaths // collects the paths that a person is asked about
	Batch     *guard.Batch

	loaded     map[guard.Identity]contents
	prefetcher *prefetcher
	prefetched map[guard.Identity]*guard.Content // what the prefetcher read and Load has not yet returned
}

// contents holds what was read of a file.
type contents struct {
	data, sum string
	sumOnly   bool // the file was only hashed: data is empty
}

// NewReader returns a Reader for one plan. Close it when the plan is made.
func NewReader(ctx context.Context, w *workspace.Workspace) *Reader {
	return &Reader{W: w, Base: w.BaseDir(ctx), Asked: caller.NewAskedPaths(ctx), Batch: w.Guard.NewBatch(),
		loaded: map[guard.Identity]contents{}, prefetched: map[guard.Identity]*guard.Content{}}
}

// Close stops prefetching and releases the directories that the Reader holds open. The contents and the sums stay.
func (r *Reader) Close() {
	r.StopPrefetch()
	r.Batch.Close()
}

func (r *Reader) request(absolute bool) guard.Request {
	return guard.Request{Base: r.Base, Absolute: absolute, Write: true, Known: r.FromLog, Asked: r.Asked}
}

// Look implements [plan.Source]. It applies the policy for writing: a patch may change every path that it names.
func (r *Reader) Look(_ context.Context, p string, absolute bool) (plan.File, error) {
	e, err := r.resolve(p, absolute)
	if err != nil {
		return plan.File{}, err
	}
	f := plan.File{Rel: e.Rel, Place: e.Place, Kind: kind(e.Kind), HasParent: e.HasParent, Target: e.Target, Size: e.Size, Handle: e}
	if e.Kind == guard.Regular {
		f.Inode, f.Exec = e.File, e.Mode&0o111 != 0
	}
	return f, nil
}

// Names implements [plan.Source].
func (r *Reader) Names(ctx context.Context, p string) (out []string) {
	e, err := r.Batch.Resolve(p, guard.Request{Base: r.Base, Asked: r.Asked})
	if err != nil {
		return nil
	}
	dir, err := r.W.Guard.Folder(e)
	if err != nil {
		return nil
	}
	defer dir.Close()
	var names guard.Names
	if dir.List(ctx, &names) != nil {
		return nil
	}
	for _, n := range names.List {
		out = append(out, n.Name)
	}
	return out
}

// LeadsTo implements [plan.Source]. It applies the policy for reading to both names.
func (r *Reader) LeadsTo(_ context.Context, p string, absolute bool) (plan.Kind, error) {
	e, err := r.Batch.Resolve(p, guard.Request{Base: r.Base, Absolute: absolute, Follow: true, Known: r.FromLog, Asked: r.Asked})
	return kind(e.Kind), err
}

func (r *Reader) resolve(p string, absolute bool) (guard.Entry, error) {
	if f := r.prefetcher.next(p); f != nil {
		if f.content != nil {
			r.prefetched[f.entry.Place] = f.content
		}
		return f.entry, f.err
	}
	return r.Batch.Resolve(p, r.request(absolute))
}

func kind(k guard.Kind) plan.Kind {
	switch k {
	case guard.Missing:
		return plan.Missing
	case guard.Regular:
		return plan.Regular
	case guard.Directory:
		return plan.Directory
	case guard.Symlink:
		return plan.Link
	}
	return plan.Special
}

// Load implements [plan.Source].
func (r *Reader) Load(ctx context.Context, f plan.File) (data, sum string, err error) {
	e := entry(f)
	if c, ok := r.loaded[e.Place]; ok && !c.sumOnly {
		return c.data, c.sum, nil
	}
	if r.MaxBytes > 0 && int64(r.BytesRead)+f.Size > int64(r.MaxBytes) {
		return "", "", &fail.Error{Kind: fail.FileTooLarge, Path: f.Rel, Msg: "the file is too large to look for a hint in"}
	}
	if err := r.W.CheckFile(f, int64(r.BytesRead)); err != nil {
		return "", "", err
	}
	if c := r.prefetched[e.Place]; c != nil {
		delete(r.prefetched, e.Place)
		data, sum, err = c.Data, c.Sum, c.Err
	} else {
		data, sum, err = r.Batch.Load(ctx, e)
	}
	if err == nil {
		r.loaded[e.Place] = contents{data: data, sum: sum}
		r.BytesRead += len(data)
	}
	return data, sum, err
}

// Sum returns the sha256 of a file without keeping its data, or that of a link's target.
func (r *Reader) Sum(ctx context.Context, f plan.File) (string, error) {
	if f.Kind == plan.Link {
		return text.Sum(f.Target), nil
	}
	e := entry(f)
	if c, ok := r.loaded[e.Place]; ok {
		return c.sum, nil
	}
	sum, _, err := r.W.Guard.Hash(ctx, e)
	if err == nil {
		r.loaded[e.Place] = contents{sum: sum, sumOnly: true}
	}
	return sum, err
}

// KnownSum returns the sum of a file that was read or hashed before; "" for any other.
func (r *Reader) KnownSum(f plan.File) string { return r.loaded[entry(f).Place].sum }

// Sums returns the sha256 of every file that was read or hashed.
func (r *Reader) Sums() map[guard.Identity]string {
	out := make(map[guard.Identity]string, len(r.loaded))
	for id, c := range r.loaded {
		out[id] = c.sum
	}
	return out
}

// ModeOf returns the mode of a file that a Reader looked at.
func ModeOf(f plan.File) fs.FileMode { return entry(f).Mode }

func entry(f plan.File) guard.Entry { return f.Handle.(guard.Entry) }
