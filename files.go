package emend

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/credential"
	"github.com/emend-dev/emend/internal/read"
	"github.com/emend-dev/emend/internal/undo"
)

// Read returns the text of a file, or some of its lines, and the sha256 of all its bytes. It reads the file once and keeps no
// more than what was asked for, so that a few lines of a file of any size cost no more memory than these lines. The content has no
// byte order mark, and every line end in it is LF; a lone CR ends a line too. A link is followed if it leads to a file inside
// the workspace. An error is a [*Refusal].
func (w *Workspace) Read(ctx context.Context, r api.ReadRequest) (*api.Answer[api.ReadData], error) {
	return call(ctx, w.s, read.File, r)
}

// List lists a directory. It leaves out what ignore files name, .git, node_modules and emend's store; a directory that is named
// itself is listed whatever its name. Links are listed and not followed.
func (w *Workspace) List(ctx context.Context, r api.ListRequest) (*api.Answer[api.ListData], error) {
	return call(ctx, w.s, read.List, r)
}

// Search looks for lines, or for paths. It leaves out what [Workspace.List] leaves out, except that it looks into hidden names.
// It passes over binary files: those with a NUL in their first 8192 bytes. A file with a NUL further on is searched up to there.
// Of a line over 1 MiB its first MiB is searched. The answer says where that was so. A negative MaxResults is any number.
func (w *Workspace) Search(ctx context.Context, r api.SearchRequest) (*api.Answer[api.SearchData], error) {
	return call(ctx, w.s, read.Search, r)
}

// Glob finds paths by a pattern: *, ?, [a-z], {a,b}, and ** for any number of directories. It leaves out what
// [Workspace.Search] leaves out. A negative MaxResults is any number.
func (w *Workspace) Glob(ctx context.Context, r api.GlobRequest) (*api.Answer[api.GlobData], error) {
	return call(ctx, w.s, read.Glob, r)
}

// Create makes a new file, and never replaces one.
func (w *Workspace) Create(ctx context.Context, r api.CreateRequest) (*api.Answer[api.CreateData], error) {
	return call(ctx, w.s, change.Create, r)
}

// Write replaces the whole text of a file, if the file is still what the caller has seen. The file keeps its newline style and
// its byte order mark.
func (w *Workspace) Write(ctx context.Context, r api.WriteRequest) (*api.Answer[api.WriteData], error) {
	return call(ctx, w.s, change.Write, r)
}

// Edit replaces parts of a file's text, if the file is still what the caller has seen. All edits happen or none: each is placed
// in the text as it was read, whatever their order, and an edit that has not exactly one place refuses them all.
func (w *Workspace) Edit(ctx context.Context, r api.EditRequest) (*api.Answer[api.EditData], error) {
	return call(ctx, w.s, change.Edit, r)
}

// Move moves or renames a file, or a link itself; with Recursive a directory and everything in it. It replaces nothing unless Overwrite
// is set; what is replaced goes to the trash.
func (w *Workspace) Move(ctx context.Context, r api.MoveRequest) (*api.Answer[api.MoveData], error) {
	return call(ctx, w.s, change.Move, r)
}

// Delete deletes a file, or a link itself; with Recursive a directory and everything in it. What is deleted goes to the trash, unless the
// request is for a permanent deletion.
func (w *Workspace) Delete(ctx context.Context, r api.DeleteRequest) (*api.Answer[api.DeleteData], error) {
	return call(ctx, w.s, change.Delete, r)
}

// Restore brings a file back from the trash as it was, with its mode, times, attributes and hard links. It never replaces
// anything.
func (w *Workspace) Restore(ctx context.Context, r api.RestoreRequest) (*api.Answer[api.RestoreData], error) {
	return call(ctx, w.s, change.Restore, r)
}

// Undo takes back an entry of the log, or all that a session did, as one commit, which can itself be undone. Without either it
// takes back the last change that is in effect and is no undo; if the caller has a session, the last one of that session. Pieces
// limits it to files, or to hunks of their diffs; a later undo of the entry takes back the rest. A later edit in the same file stays,
// if the lines to take back still have exactly one place, or both can be merged; else the undo is refused, and says what is in the way,
// or leaves it there with SkipConflicts. With DryRun nothing is written. What comes back is the very file that was displaced, if it is
// still kept and all that was done to it is taken back.
func (w *Workspace) Undo(ctx context.Context, r api.UndoRequest) (*Report, error) {
	return reported(call(ctx, w.s, undo.Undo, r))
}

// PutBack makes a file what it was in a version that is kept, byte for byte, with its mode: the very file that was displaced
// comes back. Of a version of which only the difference is kept, the text comes back. It is a change like any other, and can be
// undone. With DryRun nothing is written.
func (w *Workspace) PutBack(ctx context.Context, r api.PutBackRequest) (*Report, error) {
	return reported(call(ctx, w.s, undo.PutBack, r))
}

// EditCell replaces the source of a cell of a Jupyter notebook, or inserts or deletes a cell. All other bytes stay. The outputs of a
// code cell whose source is replaced are removed unless the request keeps them.
func (w *Workspace) EditCell(ctx context.Context, r api.EditCellRequest) (*api.Answer[api.EditCellData], error) {
	return call(ctx, w.s, change.EditCell, r)
}

// HasKey reports whether text has what looks like a key, in one of the well-known formats: a line that records mark, and that programs which
// send texts elsewhere leave out.
func HasKey(text string) bool { return len(credential.Find(text)) > 0 }
