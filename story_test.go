package emend_test

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

// story is a workspace in which things happen: through emend, whose calls must succeed and return their entry, and by
// a person's hand.
type story struct {
	*testing.T
	ws  *emend.Workspace
	ctx context.Context
}

func begin(t *testing.T, files ...string) *story {
	t.Helper()
	return &story{t, workspace(t, files...), t.Context()}
}

// as is the same story, told of a session.
func (s *story) as(session string) *story {
	return &story{s.T, s.ws, emend.WithActor(s.ctx, api.Actor{Session: session})}
}

// opened is the story in a workspace on a directory, opened so.
func (s *story) opened(dir string, o ...emend.Option) *story {
	s.Helper()
	ws, err := emend.Open(dir, o...)
	s.must(err)
	s.Cleanup(func() { ws.Close() })
	return &story{s.T, ws, s.ctx}
}

// below is the same story in a workspace further down.
func (s *story) below(dir string) *story {
	s.Helper()
	return &story{s.T, openTree(s.T, s.at(dir)), s.ctx}
}

func (s *story) at(name string) string { return filepath.Join(s.ws.Root(), filepath.FromSlash(name)) }

func (s *story) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *story) read(name string) string {
	s.Helper()
	b, err := os.ReadFile(s.at(name))
	s.must(err)
	return string(b)
}

// sha is the sha256 of a file, or of what a link says.
func (s *story) sha(name string) string {
	s.Helper()
	if to, err := os.Readlink(s.at(name)); err == nil {
		return sum(to)
	}
	return sum(s.read(name))
}

func (s *story) create(name, content string) string {
	s.Helper()
	a, err := s.ws.Create(s.ctx, api.CreateRequest{Path: name, Content: content, CreateParentDirectories: true})
	s.must(err)
	return a.Tx
}

func (s *story) edit(name, from, to string) string {
	s.Helper()
	a, err := s.ws.Edit(s.ctx, api.EditRequest{Path: name, ExpectedSha256: s.sha(name), Edits: []api.TextEdit{{OldText: from, NewText: to}}})
	s.must(err)
	return a.Tx
}

func (s *story) move(from, to string) string {
	s.Helper()
	_, err := os.Lstat(s.at(to))
	a, err := s.ws.Move(s.ctx, api.MoveRequest{FromPath: from, ToPath: to, ExpectedSha256: s.sha(from), Overwrite: err == nil, CreateParentDirectories: true})
	s.must(err)
	return a.Tx
}

func (s *story) remove(name string) (tx, trashed string) {
	s.Helper()
	a, err := s.ws.Delete(s.ctx, api.DeleteRequest{Path: name})
	s.must(err)
	return a.Tx, a.Data.TrashedTo
}

func (s *story) restore(id, to string) string {
	s.Helper()
	a, err := s.ws.Restore(s.ctx, api.RestoreRequest{TrashedPath: id, TargetPath: to})
	s.must(err)
	return a.Tx
}

// write writes into a file as some programs do, and makes it if there is none.
func (s *story) write(name, content string) {
	s.Helper()
	s.must(os.WriteFile(s.at(name), []byte(content), 0o644))
}

// save writes a file as editors do: another file takes its place.
func (s *story) save(name, content string) {
	s.Helper()
	s.write(name+"~", content)
	s.must(os.Rename(s.at(name+"~"), s.at(name)))
}

// anew makes a file in the place of one that is deleted, at a later time as the file system has it. Many give it the
// number of the one before.
func (s *story) anew(name, content string) {
	s.Helper()
	for since := time.Now(); ; {
		s.must(os.Remove(s.at(name)))
		s.write(name, content)
		is, err := os.Stat(s.at(name))
		s.must(err)
		if is.ModTime().After(since) {
			return
		}
	}
}

func (s *story) rename(from, to string) {
	s.Helper()
	s.must(os.Rename(s.at(from), s.at(to)))
}

func (s *story) link(to, name string) {
	s.Helper()
	s.must(os.Symlink(to, s.at(name)))
}

func (s *story) chmod(name string, m fs.FileMode) {
	s.Helper()
	s.must(os.Chmod(s.at(name), m))
}

// undo takes something back, and the dry run before has said the same.
func (s *story) undo(entry string) string {
	s.Helper()
	return s.undoing(api.UndoRequest{Entry: entry})
}

func (s *story) undoSession(id string) string {
	s.Helper()
	return s.undoing(api.UndoRequest{SessionID: id})
}

func (s *story) undoing(r api.UndoRequest) string {
	s.Helper()
	was := s.tree()
	dry := r
	dry.DryRun = true
	if _, err := s.ws.Undo(s.ctx, dry); err != nil || s.tree() != was {
		s.Fatalf("the dry run: %v; the tree was %s and is %s", err, was, s.tree())
	}
	rep, err := s.ws.Undo(s.ctx, r)
	s.must(err)
	if text := rep.Result().Text(); !strings.HasPrefix(text, "Took back ") || r.Entry != "" && !strings.Contains(text, r.Entry) {
		s.Errorf("it says %q", text)
	}
	return rep.Tx()
}

// refused is an undo that must be refused, with these words in what is said or in the hint, and change nothing.
func (s *story) refused(r api.UndoRequest, kind fail.Kind, words ...string) {
	s.Helper()
	was := s.tree()
	_, err := s.ws.Undo(s.ctx, r)
	s.refusal(err, kind, words...)
	if now := s.tree(); now != was {
		s.Errorf("the tree was %s and is %s", was, now)
	}
}

func (s *story) refusal(err error, kind fail.Kind, words ...string) {
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

// tree is what a person sees: every file, what it says, and where links lead.
func (s *story) tree() string {
	s.Helper()
	var out []string
	err := filepath.WalkDir(s.ws.Root(), func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(s.ws.Root(), p)
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
	s.must(err)
	return strings.Join(out, ", ")
}

func (s *story) has(want string) {
	s.Helper()
	if got := s.tree(); got != want {
		s.Errorf("the tree is\n%s\nwant\n%s", got, want)
	}
}

// modes are the permissions of files.
func (s *story) modes(names ...string) string {
	s.Helper()
	var out []string
	for _, name := range names {
		is, err := os.Lstat(s.at(name))
		s.must(err)
		out = append(out, fmt.Sprintf("%s %o", name, is.Mode().Perm()))
	}
	return strings.Join(out, ", ")
}

func (s *story) same(a, b string) bool {
	s.Helper()
	one, err := os.Stat(s.at(a))
	s.must(err)
	other, err := os.Stat(s.at(b))
	s.must(err)
	return os.SameFile(one, other)
}

// random makes n calls on files of one letter, and tells which.
func (s *story) random(r *rand.Rand, n int) string {
	s.Helper()
	var told []string
	var trashed []string
	for len(told) < n {
		names := s.files()
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
			s.create(to, text)
		case do == 1 && from != "" && s.read(from) != text:
			told = append(told, "edit "+from)
			s.edit(from, s.read(from), text)
		case do == 2 && from != "":
			told = append(told, "delete "+from)
			_, id := s.remove(from)
			trashed = append(trashed, id)
		case do == 3 && to != "" && len(trashed) > 0:
			told = append(told, "restore to "+to)
			s.restore(trashed[0], to)
			trashed = trashed[1:]
		case do == 4 && from != "" && to != "":
			told = append(told, "move "+from+" "+to)
			s.move(from, to)
		case do == 5 && len(names) > 1 && names[0] != from:
			told = append(told, "move "+from+" over "+names[0])
			s.move(from, names[0])
		case do == 6 && to != "" && len(names) > 1 && names[0] != from:
			told = append(told, "change places "+from+" "+names[0])
			s.move(from, to)
			s.move(names[0], from)
			s.move(to, names[0])
		}
	}
	return strings.Join(told, ", ")
}

func (s *story) files() (out []string) {
	s.Helper()
	all, err := os.ReadDir(s.ws.Root())
	s.must(err)
	for _, e := range all {
		if !e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

func (s *story) allModes() string { return s.modes(s.files()...) }
