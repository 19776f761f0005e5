package look_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/emendtest"
	"github.com/emend-dev/emend/internal/vfs"
)

// watched is a story that is looked at.
type watched struct{ *emendtest.Story }

func watch(t *testing.T, files ...string) watched {
	w := watched{emendtest.NewStory(t, files...)}
	w.look(api.Actor{}, api.LookRequest{Moment: api.AtStart, Quiet: true})
	return w
}

func (w watched) look(a api.Actor, r api.LookRequest) *api.Look {
	w.Helper()
	l, err := w.WS.Host().Look(emend.WithActor(w.Ctx, a), r)
	w.Must(err)
	return l
}

// shell is a call of a shell in a session.
func shell(call string) api.Actor {
	return api.Actor{Client: "claude-code", Session: "s", Tool: "Bash", Call: call}
}

func (w watched) before(call string, paths ...string) {
	w.Helper()
	w.look(shell(call), api.LookRequest{Moment: api.BeforeCall, Command: "run " + call, Paths: paths})
}

func (w watched) after(call string) *api.Look {
	w.Helper()
	return w.look(shell(call), api.LookRequest{Moment: api.AfterCall})
}

// entries describes entries by the log: who made what.
func (w watched) entries(l *api.Look) string {
	w.Helper()
	var out []string
	for _, e := range l.Entries {
		a, err := w.WS.Show(w.Ctx, e.Entry)
		w.Must(err)
		d := a.Data
		who := d.ToolName
		if d.Call != "" {
			who = d.Call
		}
		if d.Turn != "" {
			who += " in " + d.Turn
		}
		var files []string
		for _, f := range d.Files {
			files = append(files, strings.TrimSpace(f.Operation+" "+f.Path+" "+f.ToPath))
		}
		out = append(out, who+": "+strings.Join(files, ", "))
		if d.Seen == nil {
			w.Errorf("%s is not marked as seen", e.Entry)
		} else if len(d.Seen.Others) > 0 {
			out[len(out)-1] += "; or " + strings.Join(d.Seen.Others, "; or ")
		}
	}
	return strings.Join(out, "\n")
}

func (w watched) saw(l *api.Look, want ...string) {
	w.Helper()
	if got := w.entries(l); got != strings.Join(want, "\n") {
		w.Errorf("saw\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestWhose goes through the table in calls.go.
func TestWhose(t *testing.T) {
	for name, f := range map[string]func(w watched){
		"before, after": func(w watched) {
			w.before("c1")
			w.Write("a", "1\n")
			w.saw(w.after("c1"), "c1: update a")
			w.saw(w.look(shell(""), api.LookRequest{Moment: api.AtTurnEnd}))
		},
		"never an after: the next call": func(w watched) {
			w.before("c1")
			w.Write("a", "1\n")
			w.saw(w.look(shell("c2"), api.LookRequest{Moment: api.BeforeCall}), "c1: update a")
		},
		"never an after: the turn ends": func(w watched) {
			w.before("c1")
			w.Write("a", "1\n")
			w.saw(w.look(shell(""), api.LookRequest{Moment: api.AtTurnEnd}), "c1: update a")
			w.Write("a", "person\n")
			w.saw(w.look(shell(""), api.LookRequest{Moment: api.AtPrompt}), "between calls: update a")
		},
		"an after without a before": func(w watched) {
			w.look(shell(""), api.LookRequest{Moment: api.AtPrompt})
			w.Write("a", "1\n")
			w.saw(w.after("c1"), w.turnOf("c1")+": update a")
		},
		"overlapping": func(w watched) {
			w.before("c1")
			w.before("c2")
			w.Write("a", "1\n")
			w.saw(w.after("c2"), "c2: update a; or Bash of session s: run c1")
			w.Write("b", "1\n")
			w.saw(w.after("c1"), "c1: update b")
		},
		"overlapping, and one says what it changes": func(w watched) {
			w.before("c1")
			w.before("c2", "b")
			w.Write("a", "1\n")
			w.Write("b", "1\n")
			w.saw(w.after("c1"), "c1: update a", "c2: update b; or Bash of session s: run c1")
		},
		"a call that says what it changes, and another file": func(w watched) {
			w.before("c1", "a")
			w.Write("a", "1\n")
			w.Write("b", "person\n")
			w.saw(w.after("c1"), "c1: update a", "between calls: update b")
		},
		"in the background": func(w watched) {
			w.before("c1")
			w.saw(w.look(shell("c1"), api.LookRequest{Moment: api.AfterCall, StillRuns: true}))
			w.look(shell(""), api.LookRequest{Moment: api.AtTurnEnd})
			w.Write("a", "1\n")
			w.saw(w.look(shell(""), api.LookRequest{Moment: api.AtPrompt}), "c1: update a; or somebody else, since it runs in the background")
			w.look(shell(""), api.LookRequest{Moment: api.AtSessionEnd})
			w.Write("a", "2\n")
			w.saw(w.look(shell(""), api.LookRequest{Moment: api.AtStart}))
		},
		"nobody's, in a session": func(w watched) {
			w.before("c1")
			w.after("c1")
			w.Write("a", "person\n")
			l := w.look(shell("c2"), api.LookRequest{Moment: api.BeforeCall})
			w.saw(l, "between calls: update a")
			w.Refused(api.UndoRequest{}, fail.NotFound, "no change to undo")
			w.Undo(l.Entries[0].Entry)
			w.Has(`a "0\n", b "0\n"`)
		},
		"nobody's, and quiet": func(w watched) {
			w.before("c1")
			w.after("c1")
			w.Write("a", "person\n")
			w.saw(w.look(api.Actor{}, api.LookRequest{Moment: api.BeforeCall, Quiet: true}))
		},
		"turns": func(w watched) {
			w.look(shell(""), api.LookRequest{Moment: api.AtPrompt})
			w.before("c1")
			w.Write("a", "1\n")
			w.saw(w.after("c1"), w.turnOf("c1")+": update a")
			named := shell("")
			named.Turn = "t2"
			w.look(named, api.LookRequest{Moment: api.AtPrompt})
			w.before("c2")
			w.Write("b", "1\n")
			w.saw(w.after("c2"), "c2 in t2: update b")
			w.Undoing(api.UndoRequest{Turn: api.LastTurn})
			w.Has(`a "1\n", b "0\n"`)
		},
		"a turn goes on when a task in the background has ended": func(w watched) {
			as := func(turn, call string) api.Actor { a := shell(call); a.Turn = turn; return a }
			w.look(as("t1", ""), api.LookRequest{Moment: api.AtPrompt})
			w.look(as("t1", "c1"), api.LookRequest{Moment: api.BeforeCall})
			w.Write("a", "1\n")
			w.saw(w.look(as("t1", "c1"), api.LookRequest{Moment: api.AfterCall}), "c1 in t1: update a")
			w.look(as("t1", ""), api.LookRequest{Moment: api.AtTurnEnd})
			w.look(as("n1", ""), api.LookRequest{Moment: api.AtTaskEnd})
			w.look(as("n1", "c2"), api.LookRequest{Moment: api.BeforeCall})
			w.Write("b", "1\n")
			w.saw(w.look(as("n1", "c2"), api.LookRequest{Moment: api.AfterCall}), "c2 in t1: update b")
			w.look(as("t2", ""), api.LookRequest{Moment: api.AtPrompt})
			w.Undoing(api.UndoRequest{Turn: api.LastTurn})
			w.Has(`a "0\n", b "0\n"`)
		},
	} {
		t.Run(name, func(t *testing.T) { f(watch(t, "a", "0\n", "b", "0\n")) })
	}
}

// turnOf returns a call with the turn that its entry, the newest, has.
func (w watched) turnOf(call string) string {
	w.Helper()
	a, err := w.WS.History(w.Ctx, api.HistoryRequest{Limit: 1})
	w.Must(err)
	if len(a.Data.Entries) == 0 || a.Data.Entries[0].Turn == "" {
		w.Fatal("the newest entry has no turn")
	}
	return call + " in " + a.Data.Entries[0].Turn
}

// TestMissed: why a look failed is in the log.
func TestMissed(t *testing.T) {
	w := watch(t, "a", "0\n")
	w.look(shell(""), api.LookRequest{Moment: api.AtPrompt, Missed: []string{"the disk was full"}})
	a, err := w.WS.History(w.Ctx, api.HistoryRequest{})
	w.Must(err)
	if len(a.Data.Entries) != 1 || !strings.Contains(a.Data.Entries[0].Message, "the disk was full") || a.Data.Entries[0].OK {
		t.Errorf("%+v", a.Data.Entries)
	}
}

// TestNotTwice: a look that was killed after it had recorded a change, and before it wrote its index, is not repeated.
func TestNotTwice(t *testing.T) {
	w := watch(t, "a", "0\n")
	w.before("c1")
	index, err := os.ReadFile(w.At(".emend/looks/index"))
	w.Must(err)
	w.Write("a", "1\n")
	w.saw(w.after("c1"), "c1: update a")
	w.Must(os.WriteFile(w.At(".emend/looks/index"), index, 0o600))
	w.saw(w.look(shell("c2"), api.LookRequest{Moment: api.BeforeCall}))
}

// TestNoMark: of a change that was seen, a crash can leave the commit without the record that it was applied. It is complete then, and
// nothing of the tree is taken back.
func TestNoMark(t *testing.T) {
	w := watch(t, "a", "0\n", "b", "0\n", "big", "0\n", "gone", "0\n")
	for _, name := range []string{"big", "gone"} { // of these nothing is kept
		w.Must(os.Truncate(w.At(name), 64<<20+1))
	}
	w.before("c1")
	w.Save("big", "1\n")
	w.Must(os.Remove(w.At("gone")))
	w.Write("a", "1\n")
	w.Write("n", "new\n")
	w.Must(os.Remove(w.At("b")))
	tx := w.after("c1").Entries[0].Entry
	w.Save("a", "2\n") // somebody works on
	w.Save("big", "2\n")
	w.Write("gone", "2\n")
	w.Must(os.Remove(w.At("n")))
	w.WS.Close()
	log, err := os.ReadFile(w.At(".emend/log/00000001.jsonl"))
	w.Must(err)
	cut := strings.LastIndex(strings.TrimSuffix(string(log), "\n"), "\n") + 1
	if !strings.Contains(string(log[cut:]), `"applied"`) {
		t.Fatalf("the last record is %s", log[cut:])
	}
	w.Must(os.WriteFile(w.At(".emend/log/00000001.jsonl"), log[:cut], 0o600))
	w.WS = emendtest.Open(t, w.WS.Root())
	w.Has(`a "2\n", big "2\n", gone "2\n"`)
	if e, err := w.WS.Show(w.Ctx, tx); err != nil || e.Data.End != "applied" {
		t.Errorf("%+v, %v: recovery looked at files", e, err)
	}
	w.Write("a", "1\n")
	w.Undo(tx)
	w.Has(`a "0\n", b "0\n", big "2\n", gone "2\n"`)
}

// TestCopiesOutliveFailure: if a change cannot be recorded, the next look records it, and still has what was there before.
func TestCopiesOutliveFailure(t *testing.T) {
	w := watch(t, "a", "0\n")
	w.before("c1")
	w.Write("a", "1\n")
	store, err := vfs.Open(w.At(".emend"))
	w.Must(err)
	defer store.Close()
	lock, err := store.Append("lock", 0o600)
	w.Must(err)
	if mine, err := lock.TryLock(); !mine || err != nil {
		t.Fatal(mine, err)
	}
	ctx, cancel := context.WithTimeout(w.Ctx, 200*time.Millisecond)
	defer cancel()
	if _, err := w.WS.Host().Look(emend.WithActor(ctx, shell("c1")), api.LookRequest{Moment: api.AfterCall}); err == nil {
		t.Fatal("it was recorded while the store was locked")
	}
	w.Must(lock.Close())
	l := w.after("c1")
	w.saw(l, "c1: update a")
	w.Undo(l.Entries[0].Entry)
	w.Has(`a "0\n"`)
}

// TestOwnChanges: what emend changed between two looks is on record already.
func TestOwnChanges(t *testing.T) {
	w := watch(t, "a", "0\n", "b", "0\n", "c", "0\n", "d/e", "0\n")
	w.before("c1")
	w.Edit("a", "0", "1")
	w.Edit("b", "0", "1")
	w.Write("b", "2\n") // and then the call
	w.Move("c", "n/c")
	w.Remove("d/e")
	w.Create("x/y", "new\n")
	w.saw(w.after("c1"), "c1: update b")
}

// TestMoved: a file with the inode and the content of one that is gone was moved, and an undo moves it back, with what was done to it
// since.
func TestMoved(t *testing.T) {
	w := watch(t, "d/a", "0\n", "d/b", "0\n")
	w.before("c1")
	w.Must(os.Rename(w.At("d"), w.At("n")))
	l := w.after("c1")
	w.saw(l, "c1: move d/a n/a, move d/b n/b")
	w.Write("n/a", "0\nperson\n")
	w.Undo(l.Entries[0].Entry)
	w.Has(`d/, d/a "0\nperson\n", d/b "0\n"`)
}

// TestTimesSetBack: a file whose size and times are as before, and whose content is not, is noticed.
func TestTimesSetBack(t *testing.T) {
	w := watch(t, "a", "0\n")
	past := time.Unix(1e9, 0)
	w.Must(os.Chtimes(w.At("a"), past, past))
	w.before("c1")
	w.Write("a", "1\n")
	w.Must(os.Chtimes(w.At("a"), past, past))
	w.saw(w.after("c1"), "c1: update a")
}

// TestBounds: what is over a bound is named before the call, and stays when the rest is undone.
func TestBounds(t *testing.T) {
	w := watch(t, "a", "0\n")
	w.Must(os.WriteFile(w.At("big"), nil, 0o644))
	w.Must(os.Truncate(w.At("big"), 64<<20+1))
	l := w.look(shell("c1"), api.LookRequest{Moment: api.BeforeCall})
	if len(l.NotKept) != 1 || l.NotKept[0].Path != "big" || l.NotKept[0].Files != 1 {
		t.Fatalf("not kept: %+v", l.NotKept)
	}
	w.Write("big", "small\n")
	w.Write("a", "1\n")
	l = w.after("c1")
	var marked []string
	for _, f := range l.Entries[0].Files {
		marked = append(marked, fmt.Sprint(f.Path, " ", f.NoUndo != ""))
	}
	if got := strings.Join(marked, ", "); got != "a false, big true" {
		t.Error(got)
	}
	rep, err := w.WS.Undo(w.Ctx, api.UndoRequest{Entry: l.Entries[0].Entry})
	w.Must(err)
	if text := rep.Result().Text(); !strings.Contains(text, "big: what was there before was not kept") {
		t.Error(text)
	}
	w.Has(`a "0\n", big "small\n"`)
}

// TestFromGit: what git's index has, byte for byte, is not copied, and comes back from there, also after a commit and a gc. What a
// filter makes of a file is not taken for the file.
func TestFromGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: git: ", err)
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x", "-c", "core.autocrlf=true"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("same", "one\n")
	write("crlf", "one\r\ntwo\r\n") // git has it with other line ends
	git("add", ".")
	git("commit", "-qm", "first")
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := watched{&emendtest.Story{T: t, WS: ws, Ctx: t.Context()}}
	t.Cleanup(func() { w.WS.Close() })
	w.before("c1")
	if n, _ := os.ReadDir(filepath.Join(dir, ".git/emend/looks/copies")); len(n) != 1 {
		t.Errorf("%d files were copied", len(n))
	}
	write("same", "2\n")
	write("crlf", "2\r\n")
	git("commit", "-qam", "second")
	git("gc", "-q")
	w.saw(w.after("c1"), "c1: update crlf, update same")
	w.Undoing(api.UndoRequest{SessionID: "s"})
	if got := w.Read("same") + w.Read("crlf"); got != "one\none\r\ntwo\r\n" {
		t.Errorf("%q", got)
	}
}

// TestIgnoredDirectories: what is in them is not looked at, and a directory that comes to be ignored, or is no more, is no change. What
// changed before it was ignored is: the last look entered it.
func TestIgnoredDirectories(t *testing.T) {
	w := watch(t, "a", "0\n", ".git/HEAD", "ref: refs/heads/main\n", ".gitignore", "out\n*.log\n", "out/x", "0\n", "y.log", "0\n", "gen/z", "0\n")
	w.before("c1")
	w.Write("out/x", "1\n")
	w.Write("y.log", "1\n")
	w.Write(".gitignore", "gen\n*.log\n")
	w.Write("gen/z", "1\n")
	w.saw(w.after("c1"), "c1: update .gitignore, update gen/z, update y.log")
	w.before("c2")
	w.Write("out/x", "2\n")
	w.Write("gen/z", "2\n")
	w.saw(w.after("c2"), "c2: update out/x")
}

// TestShutDirectory: the files of a directory that cannot be entered are not gone.
func TestShutDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("NOT RUN: root enters every directory")
	}
	w := watch(t, "d/a", "0\n")
	w.before("c1")
	w.Must(os.Chmod(w.At("d"), 0))
	t.Cleanup(func() { os.Chmod(w.At("d"), 0o755) })
	l := w.after("c1")
	w.saw(l, "c1: update d") // its permissions
	if len(l.Notes) == 0 {
		t.Error("it is not named")
	}
}

// TestUnread: a file that no look can read is on record, verify does not take it for one that was deleted, and an undo leaves it alone.
func TestUnread(t *testing.T) {
	w := watch(t, "a", "0\n")
	w.before("c1")
	if err := os.Truncate(w.At("a"), 5<<30); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	w.Write("b", "made with it\n")
	l := w.after("c1")
	w.saw(l, "c1: update a, add b")
	v, err := w.WS.Verify(w.Ctx, api.VerifyRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(v.Files); n > 0 {
		t.Errorf("%+v", v.Files)
	}
	rep, err := w.WS.Undo(w.Ctx, api.UndoRequest{Entry: l.Entries[0].Entry})
	w.Must(err)
	if text := rep.Result().Text(); !strings.Contains(text, "a: its content was not read") {
		t.Error(text)
	}
	if _, err := os.Lstat(w.At("b")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("b is there: %v", err)
	}
	if is, err := os.Lstat(w.At("a")); err != nil || is.Size() != 5<<30 {
		t.Errorf("a: %v, %v", is, err)
	}
}

// TestProtected: a file that may not be read is kept and comes back, and no diff of it is.
func TestProtected(t *testing.T) {
	w := watch(t, ".env", "KEY=old-secret\n")
	w.before("c1")
	w.Write(".env", "KEY=new-secret\n")
	l := w.after("c1")
	w.saw(l, "c1: update .env")
	diff, err := os.ReadFile(w.At(".emend/slots/" + l.Entries[0].Entry + ".diff"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a diff: %q, %v", diff, err)
	}
}

// TestDirectories: a directory is named if nothing in it tells of it, and undo removes one that is empty, and makes one again.
func TestDirectories(t *testing.T) {
	w := watch(t, "d/e/f", "0\n", "x", "0\n")
	w.Must(os.Mkdir(w.At("empty"), 0o755))
	w.before("c1")
	w.Must(os.RemoveAll(w.At("d")))
	w.Must(os.Remove(w.At("empty")))
	w.Must(os.MkdirAll(w.At("n/m"), 0o755))
	l := w.after("c1")
	w.saw(l, "c1: delete d/e/f, rmdir empty, mkdir n/m")
	w.Undo(l.Entries[0].Entry)
	w.Has(`d/, d/e/, d/e/f "0\n", empty/, x "0\n"`)
}

// TestCopiesOutliveIndex: if the index cannot be written, the copies that the old one names stay.
func TestCopiesOutliveIndex(t *testing.T) {
	w := watch(t, "a", "0\n")
	w.Write("a", "1\n")
	draft := w.At(".emend/looks/index.new")
	w.Must(os.Mkdir(draft, 0o755))
	if _, err := w.WS.Host().Look(w.Ctx, api.LookRequest{Moment: api.AtStart, Quiet: true}); err == nil {
		t.Fatal("the index was written")
	}
	w.Must(os.Remove(draft))
	w.Write("a", "2\n")
	l := w.after("c1")
	w.saw(l, "c1: update a")
	w.Undo(l.Entries[0].Entry)
	w.Has(`a "0\n"`)
}

// sameIndex says of the last look that it found the index as it was.
type sameIndex struct {
	At   time.Time
	Head api.Head
}

// settle looks until a look finds nothing to write: no file was written shortly before, and all are kept.
func (w watched) settle() {
	w.Helper()
	// Two looks shortly after each other agree while the files are fresh. A later one does not agree with them.
	settled := time.Now().Add(100 * time.Millisecond)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		w.look(api.Actor{}, api.LookRequest{Moment: api.AtStart, Quiet: true})
		if w.sameIndex().At.After(settled) {
			return
		}
	}
	w.Fatal("the index is written again and again")
}

// sameIndex returns what the last look left; zero if it wrote the index.
func (w watched) sameIndex() sameIndex {
	w.Helper()
	text, err := os.ReadFile(w.At(".emend/looks/calls"))
	w.Must(err)
	var known struct{ Same sameIndex }
	w.Must(json.Unmarshal(text, &known))
	return known.Same
}

// TestIndexStays: an index that would say the same is not written again, and the next look knows nevertheless when the tree was
// so, and what the log had then.
func TestIndexStays(t *testing.T) {
	w := watch(t, "a", "0\n", "b", "0\n", "node_modules/x", "0\n")
	w.settle()
	w.Edit("node_modules/x", "0", "1") // the log goes on, and the tree of looks stays
	w.settle()
	w.before("c1")
	same := w.sameIndex()
	w.Write("a", "1\n")
	l := w.after("c1")
	w.saw(l, "c1: update a")
	a, err := w.WS.Show(w.Ctx, l.Entries[0].Entry)
	w.Must(err)
	if since := a.Data.Seen.Since; !since.Equal(same.At) || same.Head.Seq == 0 || l.Files != 3 {
		t.Errorf("%d files; since %v, entry %d; the look before: %+v", l.Files, since, l.Entries[0].Seq, same)
	}
	w.Undo("")
	w.Has(`a "0\n", b "0\n", node_modules/, node_modules/x "1\n"`)
}
