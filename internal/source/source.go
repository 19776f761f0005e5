package source

import (
	"context"
	"io/fs"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Reader is the plan's source: the workspace's files through its guard. What was read once is kept, so that one
// plan sees one state of every file, and a hint can be looked for without reading again.
type Reader struct {
	W      *workspace.Workspace
	Known  bool   // the paths are from the log: their names are not new
	Base   string // the directory that paths are relative to
	Loaded map[guard.Identity]Loaded
	Bytes  int
	Most   int // how many bytes may be read in all; 0 is any number
	Asks   *guard.AskedPaths
	Batch  *guard.Batch
	ahead  *ahead                            // what is being read before the plan asks for it
	early  map[guard.Identity]*guard.Content // what was read so
}

type Loaded struct {
	data, Sum string
	Only      bool // the sum is known, the data is not
}

func Rung(r *api.EditRequest) (patch.Rung, error) {
	if r.Tolerance == "" {
		return patch.Exact, nil
	}
	for _, rung := range []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode} {
		if rung.String() == r.Tolerance {
			return rung, nil
		}
	}
	return 0, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
		Msg: "tolerance is " + fail.Quote(r.Tolerance), Hint: "Use one of exact, trailing, whitespace, unicode."}
}

func NewReader(ctx context.Context, w *workspace.Workspace) *Reader {
	return &Reader{W: w, Base: w.BaseDir(ctx), Loaded: map[guard.Identity]Loaded{}, Asks: caller.NewAskedPaths(ctx), Batch: w.Guard.NewBatch(),
		early: map[guard.Identity]*guard.Content{}}
}

// Close ends the visit. What was read stays.
func (r *Reader) Close() {
	r.StopAhead()
	r.Batch.Close()
}

// StopAhead ends the reading ahead: what it asks is asked by one set of rules, of one patch.
func (r *Reader) StopAhead() {
	r.ahead.stop()
	r.ahead = nil
}

func (r *Reader) ask(absolute bool) guard.Request {
	return guard.Request{Base: r.Base, Absolute: absolute, Write: true, Known: r.Known, Asked: r.Asks}
}

// Look implements plan.Source. Whatever a patch names it may change, so policy is judged for writing.
func (r *Reader) Look(_ context.Context, p string, absolute bool) (plan.File, error) {
	e, err := r.look(p, absolute)
	if err != nil {
		return plan.File{}, err
	}
	f := plan.File{Rel: e.Rel, Place: e.Place, Kind: kind(e.Kind), HasParent: e.HasParent, Target: e.Target, Size: e.Size, Handle: e}
	if e.Kind == guard.Regular {
		f.Inode = e.File
	}
	return f, nil
}

func (r *Reader) look(p string, absolute bool) (guard.Entry, error) {
	if a := r.ahead.next(p); a != nil {
		if a.content != nil {
			r.early[a.entry.Place] = a.content
		}
		return a.entry, a.err
	}
	return r.Batch.Resolve(p, r.ask(absolute))
}

// Load implements plan.Source.
func (r *Reader) Load(ctx context.Context, f plan.File) (data, sum string, err error) {
	e := f.Handle.(guard.Entry)
	if l, ok := r.Loaded[e.Place]; ok && !l.Only {
		return l.data, l.Sum, nil
	}
	if r.Most > 0 && int64(r.Bytes)+f.Size > int64(r.Most) {
		return "", "", &fail.Error{Kind: fail.FileTooLarge, Path: f.Rel, Msg: "the file is too large to look for a hint in"}
	}
	if err := r.W.CheckFile(f, int64(r.Bytes)); err != nil {
		return "", "", err
	}
	if c := r.early[e.Place]; c != nil {
		delete(r.early, e.Place)
		data, sum, err = c.Data, c.Sum, c.Err
	} else {
		data, sum, err = r.Batch.Load(ctx, e)
	}
	if err == nil {
		r.Loaded[e.Place] = Loaded{data: data, Sum: sum}
		r.Bytes += len(data)
	}
	return data, sum, err
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

// Sums are the hashes of what was read, by place.
func (r *Reader) Sums() map[guard.Identity]string {
	out := make(map[guard.Identity]string, len(r.Loaded))
	for place, l := range r.Loaded {
		out[place] = l.Sum
	}
	return out
}

func ModeOf(f plan.File) fs.FileMode { return f.Handle.(guard.Entry).Mode }
