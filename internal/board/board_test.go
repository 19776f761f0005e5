package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// desk is a board and its directory.
type desk struct {
	*testing.T
	*Board
	at string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	at := t.TempDir()
	return &desk{t, openBoard(t, at), at}
}

// openBoard opens the board as another process would: each has its own locks.
func openBoard(t *testing.T, at string) *Board {
	t.Helper()
	dir, err := vfs.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	b := Open(dir)
	t.Cleanup(func() { b.Close() })
	return b
}

func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func question(prefix string) Question {
	now := time.Now()
	return Question{Since: now, Deadline: now.Add(45 * time.Second), Prefix: prefix, Root: "/shop", Diff: "+two\n", Digest: "d1", ForSession: true,
		Actor: audit.Actor{Client: "tester", Session: "s-1", Tool: "edit_file"}, Paths: []api.AskedPath{{Path: "a.sql", Write: true, Rule: "*.sql"}}}
}

func still(time.Duration) {}

// reply is what an asker got.
type reply struct {
	Answer
	err error
}

func (d *desk) ask(ctx context.Context, q Question) <-chan reply {
	out := make(chan reply, 1)
	go func() {
		a, err := d.Ask(ctx, q, still)
		out <- reply{a, err}
	}()
	return out
}

// first waits for the first question.
func (d *desk) first(prefix string) Question {
	d.Helper()
	for range 2000 {
		all, err := d.List(prefix)
		d.must(err)
		if len(all) > 0 {
			return all[0]
		}
		time.Sleep(5 * time.Millisecond)
	}
	d.Fatal("nothing waits")
	return Question{}
}

func (d *desk) attend(prefix string) {
	d.Helper()
	leave, err := d.OpenPage(prefix, api.AnsweredByPage)
	d.must(err)
	d.Cleanup(leave)
}

// files lists the names with a suffix.
func (d *desk) files(kind string) (out []string) {
	d.Helper()
	entries, err := os.ReadDir(d.at)
	d.must(err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), kind) {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestAnswered(t *testing.T) {
	for _, says := range []Answer{{Allowed: true}, {Allowed: true, Session: true, By: "terminal"}, {Reason: "frozen until Monday"}} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t)
			d.attend(".")
			got, page := d.ask(t.Context(), question("shop")), openBoard(t, d.at)
			is := d.first(".")
			if want := question("shop"); is.Diff != want.Diff || is.Actor != want.Actor || is.Paths[0] != want.Paths[0] || is.Root != want.Root {
				t.Errorf("a person is shown %+v", is)
			}
			_, err := page.Answer(is.ID, ".", says)
			d.must(err)
			from := time.Now()
			a := <-got
			if a.err != nil || a.Allowed != says.Allowed || a.Session != says.Session || a.Reason != says.Reason || a.By != says.By {
				t.Errorf("%+v, %v", a.Answer, a.err)
			}
			if took := time.Since(from); took > 100*time.Millisecond { // of the bubble's clock
				t.Errorf("noticed after %v", took)
			}
			if _, err := page.Answer(is.ID, ".", says); !errors.Is(err, ErrNotWaiting) && !errors.Is(err, ErrAnswered) {
				t.Errorf("answered twice: %v", err)
			}
			if left := append(d.files(askKind), d.files(newKind)...); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// Each reason for no answer is reported, and nothing waits afterwards.
func TestNotAnswered(t *testing.T) {
	for name, tc := range map[string]struct {
		meanwhile func(d *desk, leave func(), cancel func())
		want      error
		after     time.Duration // at most, of the bubble's clock
	}{
		"late":      {func(*desk, func(), func()) {}, ErrTimeout, 46 * time.Second},
		"left":      {func(d *desk, leave func(), _ func()) { leave() }, ErrPageClosed, 2 * time.Second},
		"one left":  {func(d *desk, leave func(), _ func()) { d.attend("."); leave() }, ErrTimeout, 46 * time.Second},
		"others":    {func(d *desk, leave func(), _ func()) { d.attend("bank"); leave() }, ErrPageClosed, 2 * time.Second},
		"cancelled": {func(_ *desk, _ func(), cancel func()) { cancel() }, context.Canceled, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				leave, err := d.OpenPage("shop", api.AnsweredByPage)
				d.must(err)
				defer leave()
				got := d.ask(ctx, question("shop"))
				id, from := d.first("shop").ID, time.Now()
				tc.meanwhile(d, leave, cancel)
				a := <-got
				if took := time.Since(from); !errors.Is(a.err, tc.want) || took > tc.after {
					t.Errorf("after %v: %v", took, a.err)
				}
				if all, err := d.List("."); len(all) > 0 || err != nil {
					t.Errorf("waits still: %+v, %v", all, err)
				}
				if _, err := d.Answer(id, ".", Answer{Allowed: true}); !errors.Is(err, ErrNotWaiting) {
					t.Errorf("answered afterwards: %v", err)
				}
			})
		})
	}
}

func TestNoPage(t *testing.T) {
	d := newDesk(t)
	d.attend("bank")
	if _, err := d.Ask(t.Context(), question("shop"), still); !errors.Is(err, ErrNoPage) || len(d.files(askKind)) > 0 {
		t.Errorf("%v, %q", err, d.files(askKind))
	}
}

// A question, a page and a half-written file of a dead process do not count, and are removed.
func TestDead(t *testing.T) {
	d := newDesk(t)
	for name, v := range map[string]any{"qaaaaaaaaaaa.ask": question("."), "paaaaaaaaaaa.page": page{Prefix: "."}, "taaaaaaaaaaa.new": 1,
		"qbbbbbbbbbbb.answer": Answer{}} {
		text, err := json.Marshal(v)
		d.must(err)
		d.must(os.WriteFile(filepath.Join(d.at, name), text, 0o600))
		old := time.Now().Add(-time.Hour)
		d.must(os.Chtimes(filepath.Join(d.at, name), old, old))
	}
	if open, err := d.HasPage(question(".")); open || err != nil {
		t.Errorf("attended: %v, %v", open, err)
	}
	if _, err := d.Answer("qaaaaaaaaaaa", ".", Answer{Allowed: true}); !errors.Is(err, ErrNotWaiting) {
		t.Errorf("answered: %v", err)
	}
	if all, err := d.List("."); len(all) > 0 || err != nil {
		t.Errorf("%+v, %v", all, err)
	}
	if left := d.files(""); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// If many answer at once, one decides, and all others are told so.
func TestOneAnswerWins(t *testing.T) {
	for range 50 {
		d := newDesk(t)
		d.attend(".")
		got := d.ask(t.Context(), question("."))
		id := d.first(".").ID
		var pages sync.WaitGroup
		var mu sync.Mutex
		var won []string
		for n := range 8 {
			page := openBoard(t, d.at)
			pages.Go(func() {
				reason := fmt.Sprint(n)
				_, err := page.Answer(id, ".", Answer{Allowed: n%2 == 0, Reason: reason})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, reason)
				} else if !errors.Is(err, ErrAnswered) && !errors.Is(err, ErrNotWaiting) {
					t.Error(err)
				}
			})
		}
		a := <-got
		pages.Wait()
		if len(won) != 1 || a.err != nil || a.Reason != won[0] {
			t.Fatalf("%q won; the asker has %+v, %v", won, a.Answer, a.err)
		}
	}
}

// If an answer and the end of the wait meet, either both sides know the answer or neither does.
func TestAnswerAtTheEnd(t *testing.T) {
	allowed := 0
	for range 300 {
		d := newDesk(t)
		d.attend(".")
		ctx, cancel := context.WithCancel(t.Context())
		got := d.ask(ctx, question("."))
		id := d.first(".").ID
		page, done := openBoard(t, d.at), make(chan error, 1)
		go func() {
			_, err := page.Answer(id, ".", Answer{Allowed: true})
			done <- err
		}()
		cancel()
		a, err := <-got, <-done
		if a.Allowed != (err == nil) {
			t.Fatalf("the asker: %+v, %v; the page: %v", a.Answer, a.err, err)
		}
		if a.Allowed {
			allowed++
		}
	}
	t.Logf("%d of 300 were answered in time", allowed)
}

// An answer counts only for the question that was shown.
func TestForgedAnswers(t *testing.T) {
	for name, forge := range map[string]func(name string, q Question) error{
		"garbage":     func(name string, _ Question) error { return os.WriteFile(name, []byte("yes"), 0o600) },
		"nothing":     func(name string, _ Question) error { return os.WriteFile(name, nil, 0o600) },
		"huge":        func(name string, _ Question) error { return os.Truncate(name, 1<<40) },
		"a link":      func(name string, _ Question) error { return os.Symlink("yes.json", name) },
		"a directory": func(name string, _ Question) error { return os.Mkdir(name, 0o700) },
		"of another question": func(name string, q Question) error {
			return put(name, Answer{ID: q.ID, Digest: "d2", Allowed: true})
		},
		"withdrawn": func(name string, q Question) error {
			return put(name, Answer{ID: q.ID, Digest: q.Digest, Withdrawn: true, Allowed: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.attend(".")
			d.must(put(filepath.Join(d.at, "yes.json"), Answer{Allowed: true, Digest: "d1"}))
			got := d.ask(t.Context(), question("."))
			q := d.first(".")
			at := filepath.Join(d.at, q.ID+answerKind)
			if name == "huge" {
				d.must(os.WriteFile(at+"x", nil, 0o600))
				d.must(forge(at+"x", q))
				d.must(os.Rename(at+"x", at))
			} else {
				d.must(forge(at, q))
			}
			if a := <-got; !errors.Is(a.err, ErrUnreadable) || a.Allowed {
				t.Errorf("%+v, %v", a.Answer, a.err)
			}
		})
	}
}

func put(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o600)
}

// Only questions of live processes are shown, and a bad file does not hide the others.
func TestForgedQuestions(t *testing.T) {
	d := newDesk(t)
	d.attend(".")
	outside := filepath.Join(t.TempDir(), "outside")
	d.must(put(outside, question(".")))
	at := func(name string) string { return filepath.Join(d.at, name) }
	d.must(os.Symlink(outside, at("qaaaaaaaaaaa.ask")))
	d.must(os.Mkdir(at("qbbbbbbbbbbb.ask"), 0o700))
	d.must(os.WriteFile(at("qccccccccccc.ask"), []byte("{"), 0o600))
	d.must(os.WriteFile(at("..ask"), nil, 0o600))
	d.must(os.WriteFile(at("note"), []byte("mine"), 0o600))
	for n := range 1000 {
		d.must(os.WriteFile(at(fmt.Sprintf("q%012d.ask", n)), []byte("{}"), 0o600))
	}
	for _, name := range []string{"qddddddddddd.ask", "qeeeeeeeeeee.ask"} { // that somebody holds, and that say nothing right
		f, err := d.dir.Create(name, 0o600)
		d.must(err)
		t.Cleanup(func() { f.Close() })
		mine, err := f.TryLock()
		if !mine || err != nil {
			t.Fatal(err)
		}
		_, err = f.Write([]byte(`{"id":"q22222222222","prefix":"."}`))
		d.must(err)
	}
	got := d.ask(t.Context(), question("."))
	q := d.first(".")
	if all, err := d.List("."); len(all) != 1 || err != nil {
		t.Errorf("%+v, %v", all, err)
	}
	_, err := d.Answer(q.ID, ".", Answer{Allowed: true})
	d.must(err)
	if a := <-got; !a.Allowed || a.err != nil {
		t.Errorf("%+v, %v", a.Answer, a.err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(at("note")); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"", "q", "../../format", "qaaaaaaaaaaa/..", "QAAAAAAAAAAA", "q0000000000\x00", "qddddddddddd"} {
		if _, err := d.Answer(id, ".", Answer{Allowed: true}); !errors.Is(err, ErrNotWaiting) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// A person sees and answers only the questions below the tree that the page shows.
func TestOtherTrees(t *testing.T) {
	d := newDesk(t)
	d.attend("shop")
	for prefix, seen := range map[string]bool{"shop": true, "shop/api": true, "shopping": false, ".": false, "bank": false} {
		if open, err := d.HasPage(question(prefix)); open != seen || err != nil {
			t.Errorf("%s is attended: %v, %v", prefix, open, err)
		}
	}
	d.attend("bank")
	got := d.ask(t.Context(), question("bank"))
	q := d.first(".")
	if all, err := d.List("shop"); len(all) > 0 || err != nil {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := d.Answer(q.ID, "shop", Answer{Allowed: true}); !errors.Is(err, ErrNotWaiting) {
		t.Error(err)
	}
	_, err := d.Answer(q.ID, "bank", Answer{})
	d.must(err)
	<-got
}

func TestBounds(t *testing.T) {
	d := newDesk(t)
	d.attend(".")
	ctx, cancel := context.WithCancel(t.Context())
	var got []<-chan reply
	full := 0
	for range 1000 {
		got = append(got, d.ask(ctx, question(".")))
	}
	for all, _ := d.List("."); len(all) < MaxQuestions; all, _ = d.List(".") {
		time.Sleep(time.Millisecond)
	}
	for len(got) > MaxQuestions {
		for i := 0; i < len(got); i++ {
			select {
			case a := <-got[i]:
				if !errors.Is(a.err, ErrFull) {
					t.Fatal(a.err)
				}
				got = append(got[:i], got[i+1:]...)
				full++
			default:
			}
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	for _, c := range got {
		if a := <-c; !errors.Is(a.err, context.Canceled) {
			t.Error(a.err)
		}
	}
	if full != 1000-MaxQuestions {
		t.Errorf("%d were refused", full)
	}
	many := question(".")
	many.Paths = make([]api.AskedPath, MaxPaths+1)
	long := question(".")
	long.Diff = strings.Repeat("x", maxFile)
	for _, q := range []Question{many, long} {
		if _, err := d.Ask(t.Context(), q, still); !errors.Is(err, ErrTooLong) {
			t.Error(err)
		}
	}
	if left := append(d.files(askKind), d.files(newKind)...); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A process that asks and gives up again and again does not make the directory grow without limit.
func TestAnswersAreBounded(t *testing.T) {
	d := newDesk(t)
	for n := range maxAnswers {
		d.must(put(filepath.Join(d.at, fmt.Sprintf("q%012d.answer", n)), Answer{}))
	}
	d.attend(".")
	if _, err := d.Ask(t.Context(), question("."), still); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
}

// noLocks is a file system without locks.
type noLocks struct{ directory }
type directory = vfs.Dir
type noLock struct{ vfs.File }

func (noLock) TryLock() (bool, error) { return false, vfs.ErrUnsupported }

func (d noLocks) Create(name string, perm fs.FileMode) (vfs.File, error) {
	f, err := d.directory.Create(name, perm)
	return noLock{f}, err
}

func TestNoLocks(t *testing.T) {
	d := newDesk(t)
	b := Open(noLocks{d.dir})
	if _, err := b.OpenPage(".", api.AnsweredByPage); !errors.Is(err, vfs.ErrUnsupported) || !strings.Contains(err.Error(), "has no locks") {
		t.Error(err)
	}
	if left := d.files(""); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A question that only a page may answer is shown to nobody else, takes no other answer, and believes none that was written
// into the directory.
func TestPageOnly(t *testing.T) {
	d := newDesk(t)
	only := question(".")
	only.PageOnly = true
	leave, err := d.OpenPage(".", api.AnsweredByTerminal)
	d.must(err)
	defer leave()
	if _, err := d.Ask(t.Context(), only, still); !errors.Is(err, ErrNoPage) {
		t.Errorf("a terminal is enough: %v", err)
	}
	d.attend(".")
	got := d.ask(t.Context(), only)
	id := d.first(".").ID
	for _, by := range []string{"", api.AnsweredByTerminal, api.AnsweredByCommand, api.AnsweredByProgram} {
		if _, err := d.Answer(id, ".", Answer{Allowed: true, By: by}); !errors.Is(err, ErrPageOnly) {
			t.Errorf("answered by %q: %v", by, err)
		}
	}
	_, err = d.Answer(id, ".", Answer{Allowed: true, By: api.AnsweredByPage})
	d.must(err)
	if a := <-got; a.err != nil || !a.Allowed {
		t.Errorf("%+v", a)
	}
	got = d.ask(t.Context(), only)
	id = d.first(".").ID
	text, err := json.Marshal(Answer{ID: id, Digest: "d1", Allowed: true, By: api.AnsweredByTerminal})
	d.must(err)
	d.must(os.WriteFile(filepath.Join(d.at, id+answerKind), text, 0o600))
	if a := <-got; !errors.Is(a.err, ErrPageOnly) {
		t.Errorf("an answer that says it is from a terminal is taken: %+v", a)
	}
}

// Only a question of a session can be allowed for one.
func TestNoSession(t *testing.T) {
	d := newDesk(t)
	d.attend(".")
	q := question(".")
	q.ForSession = false
	got := d.ask(t.Context(), q)
	id := d.first(".").ID
	if _, err := d.Answer(id, ".", Answer{Allowed: true, Session: true}); !errors.Is(err, ErrNoSession) {
		t.Errorf("%v", err)
	}
	_, err := d.Answer(id, ".", Answer{})
	d.must(err)
	<-got
}
