package kept

import (
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxPreview is how many bytes of a file in the trash are shown.
const maxPreview = 32 << 10

func Trash(ctx context.Context, w *workspace.Workspace) ([]api.Trashed, error) {
	p, err := pastWorkspace(w)
	if p == nil || err != nil {
		return []api.Trashed{}, err
	}
	out := []api.Trashed{}
	for r := range p.each(ctx) {
		for _, t := range p.listed(r) {
			if t.Path != "" {
				if w.Guard.CheckRead(t.Path) != nil {
					t.Sha256 = "" // what is short can be guessed, and the hash says when it is right
				}
				out = append(out, t.Trashed)
			}
		}
	}
	return out, p.err
}

// InTrash finds one file of the trash by its id.
func InTrash(ctx context.Context, w *workspace.Workspace, id string) (*File, *past, error) {
	p, err := pastWorkspace(w)
	if err != nil {
		return nil, nil, err
	}
	tx, _, _ := strings.Cut(id, ".")
	if p == nil || !p.txs[tx] {
		return nil, nil, notKept(id)
	}
	p.txs = map[string]bool{tx: true}
	for r := range p.each(ctx) {
		for _, t := range p.listed(r) {
			if t.ID == id && t.Path != "" {
				return &t, p, p.err
			}
		}
	}
	if p.err != nil {
		return nil, nil, p.err
	}
	return nil, nil, notKept(id)
}

func notKept(id string) error {
	return &fail.Error{Kind: fail.NotFound, Msg: "the trash has nothing called " + fail.Quote(id),
		Hint: "List the trash (emend trash list): the id may be another, or it was restored or cleared since. What an edit replaced is no trash: undo brings it back."}
}

// Peek reads the beginning of the file.
func Peek(f *api.TrashedFile, name string, slots vfs.Dir) error {
	file, err := slots.Open(name)
	if err != nil {
		return workspace.StoreError(err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxPreview+1))
	if err != nil {
		return workspace.StoreError(err)
	}
	if f.Binary = slices.Contains(b[:min(len(b), 8192)], 0); f.Binary {
		f.Truncated = len(b) > 0
		return nil
	}
	if f.Truncated = len(b) > maxPreview; f.Truncated {
		b = wholeRunes(b[:maxPreview])
	}
	f.Content = string(b)
	return nil
}

// wholeRunes leaves out a code point that is cut off at the end.
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
