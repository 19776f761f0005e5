package kept

import (
	"context"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// maxPreview bounds the bytes of a file in the trash that are shown.
const maxPreview = 32 << 10

// Trash lists the files in the trash that are from below the root, the newest first.
func Trash(ctx context.Context, w *workspace.Workspace) ([]api.Trashed, error) {
	out := []api.Trashed{}
	v, err := takeInventory(w, "")
	if v == nil || err != nil {
		return out, err
	}
	if v.damaged != nil {
		return out, v.damaged
	}
	for t := range v.newestFirst(ctx) {
		for _, f := range v.trashOf(t) {
			if f.Path == "" {
				continue
			}
			if w.Guard.CheckRead(f.Path) != nil {
				f.Sha256 = "" // a short secret can be guessed from its hash
			}
			out = append(out, f.Trashed)
		}
	}
	return out, v.err
}

// TrashShow returns a file of the trash and the beginning of its content. It refuses a path that may not be read now.
func TrashShow(ctx context.Context, w *workspace.Workspace, id string) (*api.TrashedFile, error) {
	f, contents, err := readableTrash(ctx, w, id)
	if err != nil {
		return nil, err
	}
	out := &api.TrashedFile{Trashed: f.Trashed}
	if f.Link != "" {
		return out, nil
	}
	file, _, err := contents.history.Open(f.ID)
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxPreview+1))
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	if out.Binary = isBinary(b); out.Binary {
		out.Truncated = len(b) > 0
		return out, nil
	}
	if out.Truncated = len(b) > maxPreview; out.Truncated {
		b = wholeRunes(b[:maxPreview])
	}
	out.Content = string(b)
	return out, nil
}

// FindTrash finds a file of the trash by its id, or an abbreviation.
func FindTrash(ctx context.Context, w *workspace.Workspace, id string) (*File, Contents, error) {
	tx, _, whole := history.ParseSlot(id)
	if !whole {
		tx = ""
	}
	v, err := takeInventory(w, tx)
	if err != nil {
		return nil, Contents{}, err
	}
	if whole || v == nil {
		err = v.has(tx, notInTrash(id))
	}
	if err != nil {
		return nil, Contents{}, err
	}
	var found []File
	var ids []string
	for t := range v.newestFirst(ctx) {
		for _, f := range v.trashOf(t) {
			if f.Path == "" {
				continue
			}
			if f.ID == id {
				return &f, v.Contents, nil
			}
			if abbrev.Fits(f.ID, id) {
				found, ids = append(found, f), append(ids, f.ID)
			}
		}
	}
	switch {
	case v.err != nil:
		return nil, Contents{}, v.err
	case len(found) == 1:
		return &found[0], v.Contents, nil
	case len(found) > 1:
		return nil, Contents{}, severalInTrash(id, ids)
	case v.damaged != nil:
		return nil, Contents{}, v.damaged
	}
	return nil, Contents{}, notInTrash(id)
}

// severalInTrash refuses an abbreviation of several ids.
func severalInTrash(id string, ids []string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s abbreviates more than one id: %s", fail.Quote(id), JoinSome(ids)),
		Hint: "Name one of them whole."}
}

// readableTrash is [FindTrash] for a path that may be read now.
func readableTrash(ctx context.Context, w *workspace.Workspace, id string) (*File, Contents, error) {
	f, contents, err := FindTrash(ctx, w, id)
	if err == nil {
		err = w.Guard.CheckRead(f.Path)
	}
	return f, contents, err
}

func notInTrash(id string) error {
	return &fail.Error{Kind: fail.NotFound, Msg: "the trash has nothing called " + fail.Quote(id),
		Hint: "‹trash:List the trash with {}. ›The id may be another, or it was restored or cleared since. What an edit replaced is no trash‹undo:: {} brings it back›."}
}

// trashOf lists what the trash has of a transaction. A file from outside of the root has no Path.
func (v *inventory) trashOf(t keptTx) []File {
	if t.failed {
		return v.conflicts(t.Record)
	}
	return v.deleted(t.Record)
}

// conflicts lists the files that a transaction displaced and that could not be put back when it failed, since somebody had
// saved a newer file at the path.
func (v *inventory) conflicts(r *audit.Record) []File {
	var out []File
	for i := range r.Acts {
		a := &r.Acts[i]
		if a.Old == nil || !a.Displaces() {
			continue
		}
		if f, ok := v.file(r, a, "conflict"); ok {
			out = append(out, f)
		}
	}
	return out
}

// deleted lists the files that a transaction deleted or overwrote. What an edit replaced is not among them.
func (v *inventory) deleted(r *audit.Record) []File {
	acts := map[string]*audit.Act{}
	for i := range r.Acts {
		if a := &r.Acts[i]; a.Old != nil && a.Displaces() {
			acts[a.Path] = a
		}
	}
	var out []File
	for i := range r.Ops {
		op := &r.Ops[i]
		if a := acts[clearedPath(op)]; a != nil {
			if f, ok := v.file(r, a, op.Operation); ok {
				out = append(out, f)
			}
			delete(acts, a.Path)
		}
		if op.Operation == patch.Move.String() {
			delete(acts, op.Path) // the file moved away: a later change does not overwrite it
		}
	}
	return out
}

// clearedPath returns the path whose file an operation deleted or overwrote; "" when it did neither.
func clearedPath(op *audit.Op) string {
	switch {
	case op.Operation == patch.Delete.String(), op.Operation == patch.Add.String() && op.Before != "":
		return op.Path
	case op.Operation == patch.Move.String():
		return op.ToPath
	}
	return ""
}

// isBinary reports whether a content that begins so is no text.
func isBinary(b []byte) bool { return slices.Contains(b[:min(len(b), 8192)], 0) }

// wholeRunes removes a code point that is cut off at the end.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}
