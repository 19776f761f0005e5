package emend

import (
	"context"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
)

// reader is the plan's source: the workspace's files through its guard. What was read once is kept, so that one
// plan sees one state of every file, and a hint can be looked for without reading again.
type reader struct {
	w      *Workspace
	known  bool   // the paths are from the log: their names are not new
	base   string // the directory that paths are relative to
	loaded map[guard.Identity]loaded
	bytes  int
	most   int // how many bytes may be read in all; 0 is any number
	asks   *guard.Asks
	visit  *guard.Visit
	ahead  *ahead                            // what is being read before the plan asks for it
	early  map[guard.Identity]*guard.Content // what was read so
}

type loaded struct {
	data, sum string
	only      bool // the sum is known, the data is not
}

func newReader(ctx context.Context, w *Workspace) *reader {
	return &reader{w: w, base: w.at(ctx), loaded: map[guard.Identity]loaded{}, asks: asksOf(ctx), visit: w.guard.Visit(),
		early: map[guard.Identity]*guard.Content{}}
}

// close ends the visit. What was read stays.
func (r *reader) close() {
	r.stopAhead()
	r.visit.Close()
}

// stopAhead ends the reading ahead: what it asks is asked by one set of rules, of one patch.
func (r *reader) stopAhead() {
	r.ahead.stop()
	r.ahead = nil
}

func (r *reader) ask(absolute bool) guard.Ask {
	return guard.Ask{Base: r.base, Absolute: absolute, Write: true, Known: r.known, Asks: r.asks}
}

// Look implements plan.Source. Whatever a patch names it may change, so policy is judged for writing.
func (r *reader) Look(_ context.Context, p string, absolute bool) (plan.File, error) {
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

func (r *reader) look(p string, absolute bool) (guard.Entry, error) {
	if a := r.ahead.next(p); a != nil {
		if a.content != nil {
			r.early[a.entry.Place] = a.content
		}
		return a.entry, a.err
	}
	return r.visit.Look(p, r.ask(absolute))
}

// Load implements plan.Source.
func (r *reader) Load(ctx context.Context, f plan.File) (data, sum string, err error) {
	e := f.Handle.(guard.Entry)
	if l, ok := r.loaded[e.Place]; ok && !l.only {
		return l.data, l.sum, nil
	}
	if r.most > 0 && int64(r.bytes)+f.Size > int64(r.most) {
		return "", "", &fail.Error{Kind: fail.FileTooLarge, Path: f.Rel, Msg: "the file is too large to look for a hint in"}
	}
	if err := r.w.limits.checkFile(f, int64(r.bytes)); err != nil {
		return "", "", err
	}
	if c := r.early[e.Place]; c != nil {
		delete(r.early, e.Place)
		data, sum, err = c.Data, c.Sum, c.Err
	} else {
		data, sum, err = r.visit.Load(ctx, e)
	}
	if err == nil {
		r.loaded[e.Place] = loaded{data: data, sum: sum}
		r.bytes += len(data)
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

// sums are the hashes of what was read, by place.
func (r *reader) sums() map[guard.Identity]string {
	out := make(map[guard.Identity]string, len(r.loaded))
	for place, l := range r.loaded {
		out[place] = l.sum
	}
	return out
}
