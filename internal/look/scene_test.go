package look_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/emendtest"
)

// scene is a story that is looked at.
type scene struct{ *emendtest.Story }

func newScene(t *testing.T, files ...string) *scene {
	return &scene{emendtest.NewStory(t, files...)}
}

// look looks as a call, "session/call" or "", and describes what was recorded.
func (s *scene) look(m api.Moment, who string, r api.LookRequest) string {
	s.Helper()
	l, err := s.tryLook(m, who, r)
	s.Must(err)
	return s.recorded(l)
}

func (s *scene) tryLook(m api.Moment, who string, r api.LookRequest) (*api.Look, error) {
	session, call, _ := strings.Cut(who, "/")
	r.Moment = m
	return s.WS.Host().Look(emend.WithActor(s.Ctx, api.Actor{Tool: "shell", Session: session, Call: call}), r)
}

// recorded describes entries: who made them, and the operations.
func (s *scene) recorded(l *api.Look) string {
	s.Helper()
	var out []string
	for _, e := range l.Entries {
		d, err := s.WS.Show(s.Ctx, e.Entry)
		s.Must(err)
		text := strings.Trim(d.Data.SessionID+"/"+d.Data.Call, "/")
		if d.Data.ToolName == "between calls" {
			text = "nobody"
		}
		if n := len(d.Data.Seen.Others); n > 0 {
			text += fmt.Sprintf(" or %d", n)
		}
		for _, f := range e.Files {
			text += " " + f.Operation + " " + f.Path
			if f.ToPath != "" {
				text += ">" + f.ToPath
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func (s *scene) wants(got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("recorded %q, want %q", got, want)
	}
}

// store returns the path of a file of the looks in the store.
func (s *scene) store(name string) string {
	s.Helper()
	var found string
	filepath.WalkDir(s.WS.Root(), func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "looks" {
			found = p
		}
		return nil
	})
	if found == "" {
		s.Fatal("there is no directory of looks")
	}
	return filepath.Join(found, name)
}

// TestEmendsOwnUndone: emend wrote A, then somebody else B. To take B back leads to A, if that is kept, and never further.
func TestEmendsOwnUndone(t *testing.T) {
	s := newScene(t, "a", "A\n")
	s.look(api.BeforeCall, "s/1", api.LookRequest{})
	s.Edit("a", "A", "AA")
	s.Write("a", "AB\n")
	l, err := s.tryLook(api.AfterCall, "s/1", api.LookRequest{})
	s.Must(err)
	if f := l.Entries[0].Files[0]; f.NoUndo == "" {
		t.Errorf("%+v", f)
	}
	s.Refused(api.UndoRequest{Entry: l.Entries[0].Entry}, fail.NotFound, "nothing of this change can be undone")
	s.Has(`a "AB\n"`)
}

// TestKilled: a look that was killed after it wrote into the log, and before the index, is not made twice; and all is kept again.
func TestKilled(t *testing.T) {
	s := newScene(t, "a", "A\n", "b", "B\n", "c", "C\n")
	s.look(api.BeforeCall, "s/1", api.LookRequest{})
	index, err := os.ReadFile(s.store("index"))
	s.Must(err)
	calls, err := os.ReadFile(s.store("calls"))
	s.Must(err)
	s.Write("a", "1\n")
	s.Must(os.Remove(s.At("b")))
	s.Rename("c", "d")
	s.Write("new", "N\n")
	s.wants(s.look(api.AfterCall, "s/1", api.LookRequest{}), "s/1 update a delete b move c>d add new")
	s.Must(os.WriteFile(s.store("index"), index, 0o600))
	s.Must(os.WriteFile(s.store("calls"), calls, 0o600))
	l, err := s.tryLook(api.AfterCall, "s/1", api.LookRequest{})
	s.Must(err)
	s.wants(s.recorded(l), "")
	if len(l.NotKept) > 0 {
		t.Errorf("not kept: %+v", l.NotKept)
	}
	s.look(api.BeforeCall, "s/2", api.LookRequest{})
	s.Write("a", "2\n")
	s.Write("new", "NN\n")
	s.wants(s.look(api.AfterCall, "s/2", api.LookRequest{}), "s/2 update a update new")
	s.Undo("")
	s.Has(`a "1\n", d "C\n", new "N\n"`)
	s.Undo("")
	s.Has(`a "A\n", b "B\n", c "C\n"`)
}

// TestDamagedIndex: an index that cannot be read is none: the look is the first.
func TestDamagedIndex(t *testing.T) {
	s := newScene(t, "a", "A\n")
	s.look(api.BeforeCall, "s/1", api.LookRequest{})
	s.Must(os.WriteFile(s.store("index"), []byte("no index"), 0o600))
	s.Write("a", "1\n")
	s.wants(s.look(api.AfterCall, "s/1", api.LookRequest{}), "")
	s.look(api.BeforeCall, "s/2", api.LookRequest{})
	s.Write("a", "2\n")
	s.wants(s.look(api.AfterCall, "s/2", api.LookRequest{}), "s/2 update a")
	s.Undo("")
	s.Has(`a "1\n"`)
}
