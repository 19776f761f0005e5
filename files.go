package emend

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/outcome"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/read"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/patch"
)

// Create makes a new file, and never replaces one.
func (w *Workspace) Create(ctx context.Context, r api.CreateRequest) (*api.Answer[api.CreateData], error) {
	return change.Perform(ctx, w.s, change.Call[api.CreateData]{Tool: "create_file", Key: r.IdempotencyKey, Request: r,
		Named: []patch.Section{{Op: patch.Add, Path: r.Path}},
		Settle: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			return change.Settle(ctx, &r, src)
		},
		Data: func(rep *outcome.Report) api.CreateData {
			s := rep.Step()
			return api.CreateData{Created: true, Path: s.Path, Sha256: s.AfterSum, SizeBytes: int64(len(s.After)), Diff: rep.Diff()}
		},
		Recall: func(l change.Recalled) api.CreateData {
			return api.CreateData{Created: true, Path: l.Path, Sha256: l.After, SizeBytes: l.Size}
		},
		Say: func(d api.CreateData) string {
			return fmt.Sprintf("Created %s (%d bytes, sha256 %s).", report.Escape(d.Path), d.SizeBytes, d.Sha256)
		}})
}

// Edit replaces parts of a file's text, if it is still what the caller has seen. All edits happen or none: each is
// placed in the text as it was read, whatever their order, and whatever is not in its one place refuses them all.
func (w *Workspace) Edit(ctx context.Context, r api.EditRequest) (*api.Answer[api.EditData], error) {
	var applied []plan.Applied
	return change.Perform(ctx, w.s, change.Call[api.EditData]{Tool: "edit_file", Key: r.IdempotencyKey, Request: r,
		Named: []patch.Section{{Op: patch.Update, Path: r.Path}},
		Settle: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			p, done, err := change.SettleEditRequest(ctx, &r, src)
			applied = done
			return p, err
		},
		Data: func(rep *outcome.Report) api.EditData {
			return api.EditData{WriteData: change.Rewritten(rep), AppliedEdits: change.EditsOf(applied)}
		},
		Recall: func(l change.Recalled) api.EditData {
			return api.EditData{WriteData: l.Rewritten(), AppliedEdits: []api.AppliedEdit{}}
		},
		Say: func(d api.EditData) string {
			if len(d.AppliedEdits) == 0 {
				return fmt.Sprintf("Edited %s (sha256 %s).", report.Escape(d.Path), d.AfterSha256)
			}
			var out strings.Builder
			out.WriteString(fmt.Sprintf("Edited %s: %d edit(s), %s (sha256 %s).", report.Escape(d.Path), len(d.AppliedEdits), change.Lines(d.AppliedEdits), d.AfterSha256))
			for _, e := range d.AppliedEdits {
				if e.Rung != patch.Exact.String() {
					out.WriteString(fmt.Sprintf("\nNote: edit %d matched on the rung %q, not exactly; check lines %s.", e.EditIndex+1, e.Rung, change.Ranges(e.Lines)))
				}
			}
			return out.String()
		}})
}

// Glob finds paths by a pattern: *, ?, [a-z], {a,b}, and ** for any number of directories. What it leaves out is what
// [Workspace.Search] leaves out. A negative MaxResults is any number.
func (w *Workspace) Glob(ctx context.Context, r api.GlobRequest) (*api.Answer[api.GlobData], error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Leave()
	data, unread, err := read.Glob(ctx, w.s, r)
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	a := outcome.FoundMany(data, func() string { return read.WordGlob(&data, unread) })
	a.Notes = read.UnreadNote(unread)
	return a, nil
}

// GlobTo is [Workspace.Glob] for many paths: it writes each to out while it looks, on a line of its own, those of directories with a
// slash, and holds none of them. The answer says how many there were. An error of out is returned as it is.
func (w *Host) GlobTo(ctx context.Context, r api.GlobRequest, out io.Writer) (*api.Answer[api.GlobSum], error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Leave()
	o, q, err := read.Globbing(ctx, w.s, &r)
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	to := &read.Sink{Writer: out}
	n, is, err := find.GlobTo(ctx, w.s.Guard, o, q, to)
	if to.Err != nil {
		return nil, to.Err
	}
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	a := outcome.Found(api.GlobSum{Written: n, Truncated: is.More}, read.CountOf(n, "path", "paths"))
	a.Notes = read.UnreadNote(is.Unreadable)
	return a, nil
}

// List lists a directory. What ignore files leave out is left out, and so are .git, node_modules and emend's store; a
// directory that is named itself is listed whatever its name. Links are listed and not followed.
func (w *Workspace) List(ctx context.Context, r api.ListRequest) (*api.Answer[api.ListData], error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Leave()
	data, unread, err := read.List(ctx, w.s, r)
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	a := outcome.FoundMany(data, func() string { return read.WordList(&data, &r, unread) })
	a.Notes = read.UnreadNote(unread)
	return a, nil
}

// Move moves or renames a file, or a link itself. It replaces nothing unless Overwrite is set; what is replaced goes to
// the trash.
func (w *Workspace) Move(ctx context.Context, r api.MoveRequest) (*api.Answer[api.MoveData], error) {
	return change.Perform(ctx, w.s, change.Call[api.MoveData]{Tool: "move_file", Key: r.IdempotencyKey, Request: r,
		Named: []patch.Section{{Op: patch.Move, Path: r.FromPath, To: r.ToPath}},
		Settle: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			return change.SettleMoveRequest(ctx, &r, src)
		},
		Data: func(rep *outcome.Report) api.MoveData {
			s := rep.Step()
			return api.MoveData{Moved: true, FromPath: s.Path, ToPath: s.To, Sha256: s.AfterSum, OverwroteTrashedTo: rep.TrashedTo()}
		},
		Recall: func(l change.Recalled) api.MoveData {
			return api.MoveData{Moved: true, FromPath: l.Path, ToPath: l.ToPath, Sha256: l.After, OverwroteTrashedTo: l.TrashedTo}
		},
		Say: func(d api.MoveData) string {
			out := fmt.Sprintf("Moved %s to %s (sha256 %s).", report.Escape(d.FromPath), report.Escape(d.ToPath), d.Sha256)
			if d.OverwroteTrashedTo != "" {
				out += fmt.Sprintf(" What was there is in the trash as %s; restore_file brings it back.", d.OverwroteTrashedTo)
			}
			return out
		}})
}

// Read returns the text of a file, or some of its lines, and the sha256 of all its bytes. It reads the file once, from
// one end to the other, and keeps what was asked for and nothing else, so that a slice of a file of any size costs no
// more memory than the slice. Content is without a byte order mark, and every line end in it is a LF; a lone CR ends a
// line too. A link is followed as long as it leads to a file inside the workspace. An error is a *Refusal.
func (w *Workspace) Read(ctx context.Context, r api.ReadRequest) (*api.Answer[api.ReadData], error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Leave()
	if err := read.Check(r); err != nil {
		return nil, outcome.Cannot(err)
	}
	asks := caller.NewAskedPaths(ctx)
	e, err := w.s.Guard.Resolve(r.Path, guard.Request{Base: w.s.DefaultBase(), Follow: true, Asked: asks})
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	if e.Kind == guard.Missing {
		return nil, outcome.Cannot(read.Missing(w.s, r.Path, e))
	}
	a, err := read.Read(ctx, w.s, r, e)
	if no := read.Showing(ctx, w.s, asks, r, a); no != nil {
		return nil, outcome.Cannot(no)
	}
	return a, err
}

// Delete deletes a file, or a link itself. It goes to the trash, unless the caller wants nothing to be kept.
func (w *Workspace) Delete(ctx context.Context, r api.DeleteRequest) (*api.Answer[api.DeleteData], error) {
	return change.Perform(ctx, w.s, change.Call[api.DeleteData]{Tool: "delete_file", Key: r.IdempotencyKey, Request: r,
		Named: []patch.Section{{Op: patch.Delete, Path: r.Path}},
		Settle: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			return change.SettleDeleteRequest(ctx, &r, src)
		},
		Record: func(rec *change.Record) { rec.Forget = r.Permanent },
		Data: func(rep *outcome.Report) api.DeleteData {
			s := rep.Step()
			d := api.DeleteData{Deleted: true, Path: s.Path, BeforeSha256: s.BeforeSum, SizeBytes: s.Source.Size, TrashedTo: rep.TrashedTo()}
			if !r.Permanent {
				d.Diff = report.Diff(s) // else it would be kept, with the answer
			}
			return d
		},
		Recall: func(l change.Recalled) api.DeleteData {
			return api.DeleteData{Deleted: true, Path: l.Path, BeforeSha256: l.Before, SizeBytes: l.OldSize, TrashedTo: l.TrashedTo}
		},
		Say: func(d api.DeleteData) string {
			if d.TrashedTo == "" {
				return fmt.Sprintf("Deleted %s for good: it is not in the trash. What older entries of the log keep of it, emend purge --path removes.", report.Escape(d.Path))
			}
			words := fmt.Sprintf("Deleted %s. It is in the trash as %s; restore_file brings it back.", report.Escape(d.Path), d.TrashedTo)
			if d.SizeBytes > change.MaxShown {
				words += fmt.Sprintf(" Its lines are left out of the diff: it has over %d KiB.", change.MaxShown>>10)
			}
			return words
		}})
}

// Restore brings a file back from the trash, as it was: its mode, times and attributes, and its hard links. It never
// replaces anything.
func (w *Workspace) Restore(ctx context.Context, r api.RestoreRequest) (*api.Answer[api.RestoreData], error) {
	return change.Perform(ctx, w.s, change.Call[api.RestoreData]{Tool: "restore_file", Key: r.IdempotencyKey, Request: r,
		Named: []patch.Section{{Op: patch.Add, Path: r.TargetPath}},
		Settle: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			return change.Restoring(ctx, w.s, src, r)
		},
		Data: func(rep *outcome.Report) api.RestoreData {
			s := rep.Step()
			return api.RestoreData{Restored: true, Path: s.Path, From: r.TrashedPath, SizeBytes: s.Size, Sha256: s.AfterSum}
		},
		Recall: func(l change.Recalled) api.RestoreData { return l.Restored(r.TrashedPath) },
		Say: func(d api.RestoreData) string {
			return fmt.Sprintf("Restored %s from the trash (%d bytes, sha256 %s).", report.Escape(d.Path), d.SizeBytes, d.Sha256)
		}})
}

// Search looks for lines, or for paths. What it leaves out is what [Workspace.List] leaves out, except that it looks
// into hidden names. Binary files are passed over: those with a NUL in their first 8192 bytes; one with a NUL further on is
// searched up to there. Of a line over 1 MiB its first MiB is searched. The answer says where that was so. A negative MaxResults is any number.
func (w *Workspace) Search(ctx context.Context, r api.SearchRequest) (*api.Answer[api.SearchData], error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Leave()
	data, out, err := read.Search(ctx, w.s, r)
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	notes := read.SearchNotes(&out)
	a := outcome.Found(data, read.WordSearch(&data, &r, notes))
	a.Notes = notes
	return a, nil
}

// SearchTo is [Workspace.Search] for many matches: it writes each to out while it searches, as path:line:text, in mode path as a path,
// and holds none of them. The answer has no matches, and how many there were as Written. Lines around them are not
// written, so that a request for them is refused. An error of out is returned as it is.
func (w *Host) SearchTo(ctx context.Context, r api.SearchRequest, out io.Writer) (*api.Answer[api.SearchSum], error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Leave()
	to := &read.Sink{Writer: out}
	o, q, err := read.Query(ctx, w.s, &r)
	if err == nil && q.Context > 0 {
		err = caller.BadField("contextLines", fmt.Sprint(q.Context), "Search without them, or with Search.")
	}
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	n, is, err := find.SearchTo(ctx, w.s.Guard, o, q, to)
	if to.Err != nil {
		return nil, to.Err
	}
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	sum := api.SearchSum{Written: n, Truncated: is.More, FilesScanned: is.Files}
	a := outcome.Found(sum, read.CountOf(n, "match", "matches")+" in "+read.CountOf(is.Files, "file searched", "files searched"))
	a.Notes = read.SearchNotes(&is)
	return a, nil
}

// Write replaces the whole text of a file, if it is still what the caller has seen. The file keeps its newline style
// and its byte order mark.
func (w *Workspace) Write(ctx context.Context, r api.WriteRequest) (*api.Answer[api.WriteData], error) {
	return change.Perform(ctx, w.s, change.Call[api.WriteData]{Tool: "write_file", Key: r.IdempotencyKey, Request: r,
		Named: []patch.Section{{Op: patch.Update, Path: r.Path}},
		Settle: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			return change.SettleWriteRequest(ctx, &r, src)
		},
		Data:   change.Rewritten,
		Recall: change.Recalled.Rewritten,
		Say: func(d api.WriteData) string {
			return fmt.Sprintf("Wrote %s (%d bytes, sha256 %s).", report.Escape(d.Path), d.SizeBytes, d.AfterSha256)
		}})
}
