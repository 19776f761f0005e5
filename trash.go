package emend

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/vfs"
)

// Trashed is a file in the trash: what a deletion, or a move or an addition onto it, took from its path. It is there
// until a person clears it.
type Trashed struct {
	ID        string    `json:"id"` // by which it is asked for
	Path      string    `json:"path"`
	DeletedAt time.Time `json:"deletedAt"`
	SizeBytes int64     `json:"sizeBytes"`
	Mode      string    `json:"mode"` // its permissions, in octal digits
	MTime     time.Time `json:"mtime"`
	Link      string    `json:"link,omitempty"`   // where it leads, of a symbolic link
	Sha256    string    `json:"sha256,omitempty"` // as the log has it; of a link, that of where it leads
	SessionID string    `json:"sessionId,omitempty"`
	AgentName string    `json:"agentName,omitempty"`
	ToolName  string    `json:"toolName,omitempty"`
	Operation string    `json:"operation"` // what was done to the path: delete, move, add; or conflict, see past.conflicts

	name string // under which the history has it
	is   vfs.Info
}

// Trash lists what is in the trash, the newest first. What lies outside of the root is left out.
func (w *Workspace) Trash(ctx context.Context) ([]Trashed, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	out, err := w.trash(ctx)
	return out, cannot(err)
}

func (w *Workspace) trash(ctx context.Context) ([]Trashed, error) {
	p, err := w.past()
	if p == nil || err != nil {
		return []Trashed{}, err
	}
	out := []Trashed{}
	for r := range p.each(ctx) {
		for _, t := range p.listed(r) {
			if t.Path != "" {
				if w.guard.Readable(t.Path) != nil {
					t.Sha256 = "" // what is short can be guessed, and the hash says when it is right
				}
				out = append(out, t)
			}
		}
	}
	return out, p.err
}

// inTrash finds one file of the trash by its id.
func (w *Workspace) inTrash(ctx context.Context, id string) (*Trashed, *past, error) {
	p, err := w.past()
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

// TrashedFile is a file of the trash and the beginning of what it says.
type TrashedFile struct {
	Trashed
	Content   string `json:"content"`   // text only
	Binary    bool   `json:"binary"`    // then there is no Content
	Truncated bool   `json:"truncated"` // there is more than Content
}

// maxPreview is how many bytes of a file in the trash are shown.
const maxPreview = 32 << 10

// TrashShow shows one file of the trash. A path that is protected from reading now is not shown.
func (w *Workspace) TrashShow(ctx context.Context, id string) (*TrashedFile, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	t, p, err := w.inTrash(ctx, id)
	if err == nil {
		err = w.guard.Readable(t.Path)
	}
	if err != nil {
		return nil, cannot(err)
	}
	f := &TrashedFile{Trashed: *t}
	if t.Link == "" {
		err = f.peek(p.store.History().Slots())
	}
	return f, cannot(err)
}

// peek reads the beginning of the file.
func (f *TrashedFile) peek(slots vfs.Dir) error {
	file, err := slots.Open(f.name)
	if err != nil {
		return storeError(err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxPreview+1))
	if err != nil {
		return storeError(err)
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
