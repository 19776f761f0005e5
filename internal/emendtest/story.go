package emendtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// Story is a workspace in which things happen: through emend, by methods that fail the test unless the call succeeds and
// that return its transaction, and by a person's hand.
type Story struct {
	*testing.T
	WS  *emend.Workspace
	Ctx context.Context
}

// NewStory begins a story in a new [Workspace].
func NewStory(t *testing.T, files ...string) *Story {
	t.Helper()
	return &Story{t, Workspace(t, files...), t.Context()}
}

// As returns the story with calls made by a session.
func (s *Story) As(session string) *Story {
	return &Story{s.T, s.WS, emend.WithActor(s.Ctx, api.Actor{Session: session})}
}

// Looked compares the tree with the last look at it.
func (s *Story) Looked(r api.LookRequest) (*api.Look, error) { return s.WS.Host().Look(s.Ctx, r) }

// Opened returns the story in a workspace on dir, opened with these options.
func (s *Story) Opened(dir string, o ...emend.Option) *Story {
	s.Helper()
	ws, err := emend.Open(dir, o...)
	s.Must(err)
	s.Cleanup(func() { ws.Close() })
	return &Story{s.T, ws, s.Ctx}
}

// Below returns the story in a workspace whose root is a directory of this one.
func (s *Story) Below(dir string) *Story {
	s.Helper()
	return &Story{s.T, Open(s.T, s.At(dir)), s.Ctx}
}

// At returns the path of a file.
func (s *Story) At(name string) string { return filepath.Join(s.WS.Root(), filepath.FromSlash(name)) }

// Must fails the test on an error.
func (s *Story) Must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// Read returns the content of a file.
func (s *Story) Read(name string) string {
	s.Helper()
	b, err := os.ReadFile(s.At(name))
	s.Must(err)
	return string(b)
}

// Sha returns the sha256 of a file; of a link, of where it leads.
func (s *Story) Sha(name string) string {
	s.Helper()
	if to, err := os.Readlink(s.At(name)); err == nil {
		return Sum(to)
	}
	return Sum(s.Read(name))
}

// Create creates a file, and its directories.
func (s *Story) Create(name, content string) string {
	s.Helper()
	a, err := s.WS.Create(s.Ctx, api.CreateRequest{Path: name, Content: content, CreateParentDirectories: true})
	s.Must(err)
	return a.Tx
}

// Edit replaces a text in a file.
func (s *Story) Edit(name, from, to string) string {
	s.Helper()
	a, err := s.WS.Edit(s.Ctx, api.EditRequest{Path: name, ExpectedSha256: s.Sha(name), Edits: []api.TextEdit{{OldText: from, NewText: to}}})
	s.Must(err)
	return a.Tx
}

// Move moves a file, also onto another.
func (s *Story) Move(from, to string) string {
	s.Helper()
	_, err := os.Lstat(s.At(to))
	a, err := s.WS.Move(s.Ctx, api.MoveRequest{FromPath: from, ToPath: to, ExpectedSha256: s.Sha(from), Overwrite: err == nil, CreateParentDirectories: true})
	s.Must(err)
	return a.Tx
}

// Remove deletes a file, and returns the transaction and the id in the trash.
func (s *Story) Remove(name string) (tx, trashed string) {
	s.Helper()
	a, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: name})
	s.Must(err)
	return a.Tx, a.Data.TrashedTo
}

// Restore brings a file back from the trash.
func (s *Story) Restore(id, to string) string {
	s.Helper()
	a, err := s.WS.Restore(s.Ctx, api.RestoreRequest{TrashedPath: id, TargetPath: to})
	s.Must(err)
	return a.Tx
}

// Write writes into a file by hand, and creates it if there is none.
func (s *Story) Write(name, content string) {
	s.Helper()
	s.Must(os.WriteFile(s.At(name), []byte(content), 0o644))
}

// Save saves a file by hand as editors do: a new file replaces it.
func (s *Story) Save(name, content string) {
	s.Helper()
	s.Write(name+"~", content)
	s.Must(os.Rename(s.At(name+"~"), s.At(name)))
}

// Anew deletes a file by hand and creates another at its path, with a later time. Many file systems give it the same inode
// number.
func (s *Story) Anew(name, content string) {
	s.Helper()
	for since := time.Now(); ; {
		s.Must(os.Remove(s.At(name)))
		s.Write(name, content)
		is, err := os.Stat(s.At(name))
		s.Must(err)
		if is.ModTime().After(since) {
			return
		}
	}
}

// Rename renames a file by hand.
func (s *Story) Rename(from, to string) {
	s.Helper()
	s.Must(os.Rename(s.At(from), s.At(to)))
}

// Link makes a symbolic link by hand.
func (s *Story) Link(to, name string) {
	s.Helper()
	s.Must(os.Symlink(to, s.At(name)))
}

// Chmod changes permissions by hand.
func (s *Story) Chmod(name string, m fs.FileMode) {
	s.Helper()
	s.Must(os.Chmod(s.At(name), m))
}

// Undo undoes an entry. A dry run before it must succeed and change nothing.
func (s *Story) Undo(entry string) string {
	s.Helper()
	return s.Undoing(api.UndoRequest{Entry: entry})
}

// UndoSession is Undo for a session.
func (s *Story) UndoSession(id string) string {
	s.Helper()
	return s.Undoing(api.UndoRequest{SessionID: id})
}

// Undoing is Undo for a request.
func (s *Story) Undoing(r api.UndoRequest) string {
	s.Helper()
	was := s.Tree()
	dry := r
	dry.DryRun = true
	if _, err := s.WS.Undo(s.Ctx, dry); err != nil || s.Tree() != was {
		s.Fatalf("the dry run: %v; the tree was %s and is %s", err, was, s.Tree())
	}
	rep, err := s.WS.Undo(s.Ctx, r)
	s.Must(err)
	if text := rep.Result().Text(); !strings.HasPrefix(text, "Reverted ") || r.Entry != "" && !strings.Contains(text, r.Entry) {
		s.Errorf("it says %q", text)
	}
	return rep.Tx
}

// Refused asks for an undo that must be refused with these words, and change nothing.
func (s *Story) Refused(r api.UndoRequest, kind fail.Kind, words ...string) {
	s.Helper()
	was := s.Tree()
	_, err := s.WS.Undo(s.Ctx, r)
	s.Refusal(err, kind, words...)
	if now := s.Tree(); now != was {
		s.Errorf("the tree was %s and is %s", was, now)
	}
}

// Refusal fails the test unless err is a refusal of the kind, with a hint, and has the words in its text or hint.
func (s *Story) Refusal(err error, kind fail.Kind, words ...string) {
	s.Helper()
	e, ok := errors.AsType[*fail.Error](err)
	if !ok || e.Kind != kind || e.Hint == "" {
		s.Fatalf("%v is no %s with a hint", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(e.Error()+"\n"+e.Hint, w) {
			s.Errorf("%q is not in: %v\n%s", w, e, e.Hint)
		}
	}
}

// Tree describes the workspace as a person sees it: every file with its content, and where links lead.
func (s *Story) Tree() string {
	s.Helper()
	var out []string
	err := filepath.WalkDir(s.WS.Root(), func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(s.WS.Root(), p)
		switch {
		case err != nil || rel == ".":
			return err
		case d.IsDir() && rel == ".emend":
			return fs.SkipDir
		case d.IsDir():
			out = append(out, filepath.ToSlash(rel)+"/")
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			out = append(out, fmt.Sprintf("%s -> %s", filepath.ToSlash(rel), to))
			return err
		default:
			b, err := os.ReadFile(p)
			out = append(out, fmt.Sprintf("%s %q", filepath.ToSlash(rel), b))
			return err
		}
		return nil
	})
	s.Must(err)
	return strings.Join(out, ", ")
}

// Has compares the [Story.Tree] with what is wanted.
func (s *Story) Has(want string) {
	s.Helper()
	if got := s.Tree(); got != want {
		s.Errorf("the tree is\n%s\nwant\n%s", got, want)
	}
}

// Modes describes the permissions of files.
func (s *Story) Modes(names ...string) string {
	s.Helper()
	var out []string
	for _, name := range names {
		is, err := os.Lstat(s.At(name))
		s.Must(err)
		out = append(out, fmt.Sprintf("%s %o", name, is.Mode().Perm()))
	}
	return strings.Join(out, ", ")
}

// Same reports whether two paths are of one file.
func (s *Story) Same(a, b string) bool {
	s.Helper()
	one, err := os.Stat(s.At(a))
	s.Must(err)
	other, err := os.Stat(s.At(b))
	s.Must(err)
	return os.SameFile(one, other)
}

// Random makes n random calls on files with names of one letter, and describes them.
func (s *Story) Random(r *rand.Rand, n int) string {
	s.Helper()
	var told []string
	var trashed []string
	for len(told) < n {
		names := s.Files()
		free := slices.DeleteFunc(strings.Split("a b c d e f", " "), func(name string) bool { return slices.Contains(names, name) })
		var from, to string
		if len(names) > 0 {
			from = names[r.IntN(len(names))]
		}
		if len(free) > 0 {
			to = free[r.IntN(len(free))]
		}
		text := fmt.Sprintf("%d\n", r.IntN(3))
		switch do := r.IntN(7); {
		case do == 0 && to != "":
			told = append(told, "create "+to)
			s.Create(to, text)
		case do == 1 && from != "" && s.Read(from) != text:
			told = append(told, "edit "+from)
			s.Edit(from, s.Read(from), text)
		case do == 2 && from != "":
			told = append(told, "delete "+from)
			_, id := s.Remove(from)
			trashed = append(trashed, id)
		case do == 3 && to != "" && len(trashed) > 0:
			told = append(told, "restore to "+to)
			s.Restore(trashed[0], to)
			trashed = trashed[1:]
		case do == 4 && from != "" && to != "":
			told = append(told, "move "+from+" "+to)
			s.Move(from, to)
		case do == 5 && len(names) > 1 && names[0] != from:
			told = append(told, "move "+from+" over "+names[0])
			s.Move(from, names[0])
		case do == 6 && to != "" && len(names) > 1 && names[0] != from:
			told = append(told, "change places "+from+" "+names[0])
			s.Move(from, to)
			s.Move(names[0], from)
			s.Move(to, names[0])
		}
	}
	return strings.Join(told, ", ")
}

// Files returns the names of the files at the root.
func (s *Story) Files() (out []string) {
	s.Helper()
	all, err := os.ReadDir(s.WS.Root())
	s.Must(err)
	for _, e := range all {
		if !e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// AllModes is [Story.Modes] of all files at the root.
func (s *Story) AllModes() string { return s.Modes(s.Files()...) }
