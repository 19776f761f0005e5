package look_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestCalls goes through the table of calls, row by row.
func TestCalls(t *testing.T) {
	before, after := api.BeforeCall, api.AfterCall
	tests := []struct {
		name string
		do   func(s *scene) string
		want string
	}{
		{"before, after", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{})
			s.Write("a", "1")
			return s.look(after, "s/1", api.LookRequest{})
		}, "s/1 update a"},
		{"before, and never an after", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{})
			s.Write("a", "1")
			return s.look(before, "s/2", api.LookRequest{})
		}, "s/1 update a"},
		{"before, never an after, and the end of the turn", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{})
			s.Write("a", "1")
			first := s.look(api.AtTurnEnd, "s", api.LookRequest{})
			s.Write("b", "2")
			return first + "; " + s.look(before, "s/2", api.LookRequest{})
		}, "s/1 update a; nobody update b"},
		{"before, never an after, and the next prompt", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{})
			s.look(api.AtPrompt, "s", api.LookRequest{})
			s.Write("b", "2")
			return s.look(before, "s/2", api.LookRequest{})
		}, "nobody update b"},
		{"before, never an after, and the end of the session", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{})
			s.look(before, "t/1", api.LookRequest{})
			s.look(api.AtSessionEnd, "s", api.LookRequest{})
			s.Write("b", "2")
			return s.look(after, "t/1", api.LookRequest{})
		}, "t/1 update b"},
		{"an after without a before", func(s *scene) string {
			s.look(api.AtPrompt, "s", api.LookRequest{})
			s.Write("a", "1")
			return s.look(after, "s/1", api.LookRequest{})
		}, "s/1 update a"},
		{"two at once: the one that ends", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{})
			s.look(before, "t/1", api.LookRequest{})
			s.Write("a", "1")
			return s.look(after, "t/1", api.LookRequest{})
		}, "t/1 or 1 update a"},
		{"two at once: the one that says so", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{Paths: []string{"a"}})
			s.look(before, "t/1", api.LookRequest{})
			s.Write("a", "1")
			return s.look(after, "t/1", api.LookRequest{})
		}, "s/1 or 1 update a"},
		{"two at once, that say what they change", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{Paths: []string{"a"}})
			s.look(before, "t/1", api.LookRequest{Paths: []string{"b"}})
			s.Write("a", "1")
			s.Write("b", "2")
			return s.look(after, "t/1", api.LookRequest{})
		}, "s/1 update a; t/1 update b"},
		{"one that says what it changes, and somebody else", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{Paths: []string{"d"}})
			s.Write("a", "1")
			s.Must(os.Mkdir(s.At("d"), 0o755))
			s.Write("d/x", "1")
			return s.look(after, "s/1", api.LookRequest{})
		}, "nobody update a; s/1 add d/x"},
		{"two at once, when neither ends: the older one", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{})
			s.look(before, "t/1", api.LookRequest{})
			s.Write("a", "1")
			return s.look(before, "u/1", api.LookRequest{})
		}, "s/1 or 1 update a"},
		{"it goes on in the background", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{})
			s.look(after, "s/1", api.LookRequest{StillRuns: true})
			s.look(api.AtTurnEnd, "s", api.LookRequest{})
			s.Write("a", "1")
			return s.look(api.AtPrompt, "s", api.LookRequest{})
		}, "s/1 or 1 update a"},
		{"it went on in the background, and ended", func(s *scene) string {
			s.look(before, "s/1", api.LookRequest{})
			s.look(after, "s/1", api.LookRequest{StillRuns: true})
			s.look(after, "s/1", api.LookRequest{})
			s.Write("a", "1")
			return s.look(api.AtPrompt, "s", api.LookRequest{})
		}, "nobody update a"},
		{"no call, in a session", func(s *scene) string {
			s.look(api.AtStart, "s", api.LookRequest{})
			s.Write("a", "1")
			return s.look(api.AtPrompt, "s", api.LookRequest{})
		}, "nobody update a"},
		{"no call, before a session", func(s *scene) string {
			s.look(api.AtSessionEnd, "s", api.LookRequest{})
			s.Write("a", "1")
			return s.look(api.AtStart, "s", api.LookRequest{})
		}, ""},
		{"no call, and a quiet look", func(s *scene) string {
			s.look(api.AtStart, "s", api.LookRequest{})
			s.Write("a", "1")
			return s.look(before, "s/1", api.LookRequest{Quiet: true})
		}, ""},
		{"the first look", func(s *scene) string {
			s.Write("a", "1")
			return s.look(after, "s/1", api.LookRequest{})
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, "a", "A\n", "b", "B\n")
			s.wants(tt.do(s), tt.want)
		})
	}
}

// TestEmendsOwn: what emend changed between two looks is not recorded again, unless somebody changed it after emend.
func TestEmendsOwn(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *scene)
		want string
	}{
		{"edited", func(s *scene) { s.Edit("a", "A", "AA") }, ""},
		{"added, moved, removed", func(s *scene) { s.Create("d/new", "n"); s.Move("a", "d/a"); s.Remove("b") }, ""},
		{"edited and taken back", func(s *scene) { s.Edit("a", "A", "AA"); s.Undo("") }, ""},
		{"edited, and a person too", func(s *scene) { s.Edit("a", "A", "AA"); s.Write("a", "AB\n") }, "s/1 update a"},
		{"edited, and another file by a person", func(s *scene) { s.Edit("a", "A", "AA"); s.Write("b", "BB\n") }, "s/1 update b"},
		{"removed, and there again", func(s *scene) { s.Remove("a"); s.Write("a", "A again\n") }, "s/1 add a"},
		{"moved, and edited by a person", func(s *scene) { s.Move("a", "c"); s.Write("c", "AA\n") }, "s/1 update c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, "a", "A\n", "b", "B\n")
			s.look(api.BeforeCall, "s/1", api.LookRequest{})
			tt.do(s)
			s.wants(s.look(api.AfterCall, "s/1", api.LookRequest{}), tt.want)
		})
	}
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
	s.Refused(api.UndoRequest{Entry: l.Entries[0].Entry}, fail.NotFound, "kept nothing")
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

// TestTornLog: the end of a log is lost in which a look was recorded. What is in the tree stays, also where a person went on.
func TestTornLog(t *testing.T) {
	for _, edited := range []bool{false, true} {
		t.Run(fmt.Sprintf("edited=%v", edited), func(t *testing.T) {
			s := newScene(t, "a", "A\n", "b", "B\n", "c", "C\n")
			s.look(api.BeforeCall, "s/1", api.LookRequest{})
			s.Write("a", "1\n")
			s.Must(os.Remove(s.At("b")))
			s.Rename("c", "d")
			s.Write("new", "N\n")
			s.look(api.AfterCall, "s/1", api.LookRequest{})
			root := s.WS.Root()
			segments, err := filepath.Glob(filepath.Join(s.store("."), "..", "log", "*.jsonl"))
			if len(segments) == 0 {
				t.Fatalf("%v: there is no log", err)
			}
			text, err := os.ReadFile(segments[len(segments)-1])
			s.Must(err)
			lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
			if last := lines[len(lines)-1]; !bytes.Contains(last, []byte(`"applied"`)) {
				t.Fatalf("the last record is %s", last)
			}
			s.Must(s.WS.Close())
			s.Must(os.WriteFile(segments[len(segments)-1], bytes.Join(lines[:len(lines)-1], nil), 0o600))
			if edited {
				s.Write("a", "person\n")
				s.Write("b", "person\n")
			}
			was := `a "1\n", d "C\n", new "N\n"`
			if edited {
				was = `a "person\n", b "person\n", d "C\n", new "N\n"`
			}
			s = &scene{s.Opened(root)}
			s.Create("z", "Z\n") // recovers
			s.Has(was + `, z "Z\n"`)
			s.Must(os.Remove(s.At("z")))
			if !edited {
				entries, err := s.WS.History(s.Ctx, api.HistoryRequest{})
				s.Must(err)
				i := slices.IndexFunc(entries.Data.Entries, func(e api.LogEntry) bool { return e.Seen != nil })
				s.Undo(entries.Data.Entries[i].Entry)
				s.Has(`a "A\n", b "B\n", c "C\n"`)
			}
		})
	}
}

// TestSameTick: a file that is written again within the resolution of the clock, with as many bytes, has changed.
func TestSameTick(t *testing.T) {
	s := newScene(t, "a", "A\n")
	at := time.Now()
	for i := range 50 {
		call := fmt.Sprintf("s/%d", i)
		s.look(api.BeforeCall, call, api.LookRequest{})
		s.Write("a", fmt.Sprintf("%02d\n", i))
		s.Must(os.Chtimes(s.At("a"), at, at))
		s.wants(s.look(api.AfterCall, call, api.LookRequest{}), call+" update a")
	}
}

// TestDirectories: a directory that an undo makes again has its permissions, and what is not made again is named.
func TestDirectories(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT RUN: Windows has no such permissions")
	}
	s := newScene(t, "d/e/f", "F\n", "a", "A\n")
	s.Must(os.Chmod(s.At("d"), 0o700))
	s.Must(os.Chmod(s.At("d/e"), 0o750))
	s.Must(os.Mkdir(s.At("empty"), 0o755))
	s.look(api.BeforeCall, "s/1", api.LookRequest{})
	s.Must(os.RemoveAll(s.At("d")))
	s.Must(os.Remove(s.At("empty")))
	s.Must(os.Mkdir(s.At("new"), 0o755))
	l, err := s.tryLook(api.AfterCall, "s/1", api.LookRequest{})
	s.Must(err)
	s.wants(s.recorded(l), "s/1 delete d/e/f rmdir empty mkdir new")
	if l.Entries[0].Files[1].NoUndo == "" {
		t.Error("nothing says that an empty directory stays removed")
	}
	s.Undo("")
	s.Has(`a "A\n", d/, d/e/, d/e/f "F\n"`)
	for name, want := range map[string]fs.FileMode{"d": 0o700, "d/e": 0o750} {
		is, err := os.Stat(s.At(name))
		s.Must(err)
		if is.Mode().Perm() != want {
			t.Errorf("%s has %v, want %v", name, is.Mode().Perm(), want)
		}
	}
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

// TestBounds: what is larger than a copy may be is named, before it changes and after.
func TestBounds(t *testing.T) {
	s := newScene(t, "small", "S\n")
	s.Must(os.Mkdir(s.At("d"), 0o755))
	f, err := os.Create(s.At("d/large"))
	s.Must(err)
	s.Must(errors.Join(f.Truncate(65<<20), f.Close()))
	l, err := s.tryLook(api.BeforeCall, "s/1", api.LookRequest{})
	s.Must(err)
	if len(l.NotKept) != 1 || l.NotKept[0].Path != "d/" || l.NotKept[0].Bytes != 65<<20 || l.NotKept[0].Files != 1 {
		t.Errorf("not kept: %+v", l.NotKept)
	}
	s.Write("small", "SS\n")
	s.Must(os.Remove(s.At("d/large")))
	l, err = s.tryLook(api.AfterCall, "s/1", api.LookRequest{})
	s.Must(err)
	s.wants(s.recorded(l), "s/1 delete d/large update small")
	if files := l.Entries[0].Files; files[0].NoUndo == "" || files[1].NoUndo != "" {
		t.Errorf("what cannot be undone: %+v", files)
	}
	s.Undo("")
	s.Has(`d/, small "S\n"`)
}
