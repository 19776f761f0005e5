package consent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// atPage is a workspace with ask rules, opened twice: for the calls that ask, and for the page that answers.
type atPage struct {
	*asked
	page   *emend.Workspace
	grants *emend.Grants // of the session that asks; nil for none
}

// newAtPage opens both. The calls wait up to 45 s for the page.
func newAtPage(t *testing.T) *atPage {
	t.Helper()
	a := asking(t)
	page, err := emend.Open(a.WS.Root())
	a.Must(err)
	t.Cleanup(func() { page.Close() })
	d := &atPage{a, page, new(emend.Grants)}
	d.Ctx = d.asking(d.grants)
	return d
}

// asking is the context of a call that asks at the page, in the session that has these grants. Every session says that it is
// the same.
func (d *atPage) asking(g *emend.Grants) context.Context {
	return emend.WithActor(emend.WithAsker(d.Context(), func(ctx context.Context, q api.Question) (string, error) {
		return d.WS.Host().AskAtPage(ctx, q, 45*time.Second, g)
	}), api.Actor{Client: "tester/1", Session: "s-1", Tool: "edit_file"})
}

// atThePage is the context of a person who answers at the page.
func atThePage(ctx context.Context) context.Context {
	return emend.WithAnsweredBy(ctx, api.AnsweredByPage)
}

func (d *atPage) openPage() (leave func()) {
	d.Helper()
	leave, err := d.page.Host().PageOpen(api.AnsweredByPage)
	d.Must(err)
	return leave
}

// edit edits a file in the background.
func (d *atPage) edit(ctx context.Context, path, from, to string) <-chan error {
	out := make(chan error, 1)
	go func() {
		_, err := d.WS.Edit(ctx, api.EditRequest{Path: path, ExpectedSha256: emendtest.Sum(from), Edits: []api.TextEdit{{OldText: from, NewText: to}}})
		out <- err
	}()
	return out
}

// next waits for a question and returns it.
func (d *atPage) next() api.Waiting {
	d.Helper()
	for range 2000 {
		all, err := d.page.Waiting(d.Context())
		d.Must(err)
		if len(all) > 0 {
			return all[0]
		}
		time.Sleep(5 * time.Millisecond)
	}
	d.Fatal("nothing waits")
	return api.Waiting{}
}

func (d *atPage) content(name, want string) {
	d.Helper()
	if got, err := os.ReadFile(d.At(name)); string(got) != want || err != nil {
		d.Errorf("%s has %q, want %q (%v)", name, got, want, err)
	}
}

// logged returns the text of the log.
func (d *atPage) logged() string {
	d.Helper()
	text, err := os.ReadFile(d.At(".emend/log/00000001.jsonl"))
	d.Must(err)
	return string(text)
}

func TestAllowedAtThePage(t *testing.T) {
	d := newAtPage(t)
	defer d.openPage()()
	done := d.edit(d.Ctx, "migrations/1.sql", "one\n", "two\n")
	is := d.next()
	q := is.Question
	if q.Actor.Client != "tester/1" || q.Actor.Session != "s-1" || len(q.Paths) != 1 || q.Paths[0].Path != "migrations/1.sql" || !q.Paths[0].Write ||
		!strings.Contains(q.Diff, "+two") || q.Root != d.WS.Root() || is.Deadline.Sub(is.Since) != 45*time.Second {
		t.Errorf("a person is shown %+v", is)
	}
	a, err := d.page.Allow(atThePage(t.Context()), api.AllowRequest{ID: is.ID})
	d.Must(err)
	if want := "Allowed, this once: edit_file of tester/1 on migrations/1.sql."; a.Result().Text() != want || !a.Data.Allowed || a.Data.ID != is.ID {
		t.Errorf("%q, %+v", a.Result().Text(), a.Data)
	}
	d.Must(<-done)
	d.content("migrations/1.sql", "two\n")
	if want := `"asked":{"by":"page","paths":["migrations/1.sql"]}`; !strings.Contains(d.logged(), want) {
		t.Errorf("the log: %s", d.logged())
	}
	if _, err := d.page.Deny(atThePage(t.Context()), api.DenyRequest{ID: is.ID}); !errors.Is(err, fail.NotFound) || !strings.Contains(err.Error(), "it was answered, withdrawn or expired") {
		t.Errorf("answered again: %v", err)
	}
}

func TestDeniedAtThePage(t *testing.T) {
	d := newAtPage(t)
	defer d.openPage()()
	done := d.edit(d.Ctx, "migrations/1.sql", "one\n", "two\n")
	a, err := d.page.Deny(atThePage(t.Context()), api.DenyRequest{ID: d.next().ID, Reason: "  frozen until Monday\n"})
	d.Must(err)
	if !strings.HasPrefix(a.Result().Text(), "Denied: ") {
		t.Error(a.Result().Text())
	}
	if err := <-done; !errors.Is(err, fail.PermissionDenied) || !strings.Contains(err.Error(), `a person denied it: "frozen until Monday"`) {
		t.Errorf("the agent reads: %v", err)
	}
	d.content("migrations/1.sql", "one\n")
	if log := d.logged(); !strings.Contains(log, `"kind":"denied"`) || !strings.Contains(log, "frozen until Monday") {
		t.Errorf("the log: %s", log)
	}
}

func TestNobodyAtThePage(t *testing.T) {
	d := newAtPage(t)
	err := <-d.edit(d.Ctx, "migrations/1.sql", "one\n", "two\n")
	if e, ok := errors.AsType[*fail.Error](err); !ok || e.Kind != fail.PermissionDenied || !strings.Contains(e.Hint, `"emend ui"`) || !errors.Is(err, api.ErrNoPage) {
		t.Errorf("%v", err)
	}
	if _, err := d.WS.Host().AskAtPage(d.Ctx, api.Question{}, 0, nil); !errors.Is(err, api.ErrNoPage) {
		t.Errorf("without waiting: %v", err)
	}
	if all, err := d.page.Waiting(t.Context()); len(all) > 0 || err != nil {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := d.page.Allow(atThePage(t.Context()), api.AllowRequest{ID: "q22222222222"}); !errors.Is(err, fail.NotFound) {
		t.Error(err)
	}
}

// TestPageClosed checks that a call stops waiting when the page is closed.
func TestPageClosed(t *testing.T) {
	for name, leave := range map[string]func(d *atPage, leave func()){
		"left":   func(_ *atPage, leave func()) { leave(); leave() },
		"closed": func(d *atPage, leave func()) { d.Must(d.page.Close()); leave() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newAtPage(t)
				left := d.openPage()
				done := d.edit(d.Ctx, "migrations/1.sql", "one\n", "two\n")
				d.next()
				from := time.Now()
				leave(d, left)
				err := <-done
				if took := time.Since(from); !errors.Is(err, fail.PermissionDenied) || !strings.Contains(err.Error(), "closed before anybody answered") || took > 2*time.Second {
					t.Errorf("after %v: %v", took, err)
				}
				if err := <-d.edit(d.Ctx, "migrations/1.sql", "one\n", "two\n"); !errors.Is(err, api.ErrNoPage) {
					t.Error(err)
				}
				d.WS.Close()
			})
		})
	}
}

func TestNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newAtPage(t)
		defer d.openPage()()
		var told []string
		ctx := emend.WithProgress(d.Ctx, func(_, _ int, what string) { told = append(told, what) })
		from := time.Now()
		err := <-d.edit(ctx, "migrations/1.sql", "one\n", "two\n")
		if took := time.Since(from); !errors.Is(err, fail.PermissionDenied) || !strings.Contains(err.Error(), "nobody answered at the page within 45s") || took < 45*time.Second || took > 46*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		if len(told) != 8 || !strings.Contains(told[0], "waiting for approval, 40 s") {
			t.Errorf("told: %q", told)
		}
		d.page.Close()
		d.WS.Close()
	})
}

// TestCancelledAtThePage checks that a cancelled call withdraws its question.
func TestCancelledAtThePage(t *testing.T) {
	d := newAtPage(t)
	defer d.openPage()()
	ctx, cancel := context.WithCancel(d.Ctx)
	done := d.edit(ctx, "migrations/1.sql", "one\n", "two\n")
	id := d.next().ID
	cancel()
	if err := <-done; !strings.Contains(err.Error(), "cancelled") {
		t.Error(err)
	}
	if _, err := d.page.Allow(atThePage(t.Context()), api.AllowRequest{ID: id}); !errors.Is(err, fail.NotFound) {
		t.Error(err)
	}
	d.content("migrations/1.sql", "one\n")
}

// TestChangedWhileItWaits checks that a yes does not commit when the file changed since it was shown.
func TestChangedWhileItWaits(t *testing.T) {
	d := newAtPage(t)
	defer d.openPage()()
	done := d.edit(d.Ctx, "migrations/1.sql", "one\n", "two\n")
	is := d.next()
	d.Must(os.WriteFile(d.At("migrations/1.sql"), []byte("mine\n"), 0o644))
	_, err := d.page.Allow(atThePage(t.Context()), api.AllowRequest{ID: is.ID})
	d.Must(err)
	if err := <-done; !errors.Is(err, fail.Stale) {
		t.Error(err)
	}
	d.content("migrations/1.sql", "mine\n")
}

// TestAllowedForTheSession checks that a yes for the session covers the same rules in that session only, and not in another
// that says it is the same one.
func TestAllowedForTheSession(t *testing.T) {
	d := newAtPage(t)
	leave := d.openPage()
	done := d.edit(d.Ctx, "migrations/1.sql", "one\n", "two\n")
	_, err := d.page.Allow(atThePage(t.Context()), api.AllowRequest{ID: d.next().ID, Session: true})
	d.Must(err)
	d.Must(<-done)
	leave()
	d.page.Close() // nobody looks any more
	d.Must(<-d.edit(d.Ctx, "migrations/1.sql", "two\n", "three\n"))
	d.content("migrations/1.sql", "three\n")
	if log := d.logged(); strings.Count(log, `"asked":{"by":"page"`) != 1 || strings.Count(log, `"asked":{"by":"page, for the session"`) != 1 {
		t.Errorf("the log: %s", log)
	}
	for name, tc := range map[string]struct {
		grants     *emend.Grants
		path, from string
	}{
		"another rule":    {d.grants, ".github/workflows/ci.yml", "on: push\n"},
		"another session": {new(emend.Grants), "migrations/1.sql", "three\n"},
		"no session":      {nil, "migrations/1.sql", "three\n"},
	} {
		if err := <-d.edit(d.asking(tc.grants), tc.path, tc.from, "four\n"); !errors.Is(err, api.ErrNoPage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx := emend.WithActor(d.Ctx, api.Actor{Client: "renamed", Session: "renamed"})
	d.Must(<-d.edit(ctx, "migrations/1.sql", "three\n", "four\n")) // it is the same session, whatever it says now
}

// TestGrantsAreNarrow checks that a grant to read permits no write, and that a call without a session gets no grant.
func TestGrantsAreNarrow(t *testing.T) {
	d := newAtPage(t)
	defer d.openPage()()
	read := make(chan error, 1)
	go func() {
		_, err := d.WS.Read(d.Ctx, api.ReadRequest{Path: "secret.txt"})
		read <- err
	}()
	is := d.next()
	if is.Question.Diff != "" || is.Question.Paths[0].Write {
		t.Errorf("%+v", is)
	}
	_, err := d.page.Allow(atThePage(t.Context()), api.AllowRequest{ID: is.ID, Session: true})
	d.Must(err)
	d.Must(<-read)
	done := d.edit(d.Ctx, "secret.txt", "hush\n", "loud\n") // reads what was allowed, and writes
	if is = d.next(); len(is.Question.Paths) == 0 {
		t.Errorf("%+v", is)
	}
	_, err = d.page.Deny(atThePage(t.Context()), api.DenyRequest{ID: is.ID})
	d.Must(err)
	if err := <-done; !errors.Is(err, fail.PermissionDenied) {
		t.Error(err)
	}

	done = d.edit(d.asking(nil), "migrations/1.sql", "one\n", "two\n")
	if is = d.next(); is.ForSession {
		t.Error("a grant is offered to a call of no session")
	}
	if _, err := d.page.Allow(atThePage(t.Context()), api.AllowRequest{ID: is.ID, Session: true}); !errors.Is(err, fail.CommandFailed) || !strings.Contains(err.Error(), "no session") {
		t.Error(err)
	}
	_, err = d.page.Allow(atThePage(t.Context()), api.AllowRequest{ID: is.ID})
	d.Must(err)
	d.Must(<-done)
}

// TestWaitingBelow checks that a page of a tree shows the questions of workspaces below it, and a page of one of them only its
// own.
func TestWaitingBelow(t *testing.T) {
	d := newAtPage(t)
	d.openPage()() // the whole tree has a store
	file := filepath.Join(t.TempDir(), "policy.toml")
	d.Must(os.WriteFile(file, []byte("[write]\nask = [\"*.sql\"]\n"), 0o600))
	below := d.Story.Opened(d.At("migrations"), emend.Policy(file))
	ctx := emend.WithAsker(t.Context(), func(ctx context.Context, q api.Question) (string, error) {
		return below.WS.Host().AskAtPage(ctx, q, time.Minute, nil)
	})
	edit := func() <-chan error {
		out := make(chan error, 1)
		go func() {
			_, err := below.WS.Write(ctx, api.WriteRequest{Path: "1.sql", ExpectedSha256: emendtest.Sum("one\n"), Content: "two\n"})
			out <- err
		}()
		return out
	}
	beside := d.Story.Opened(d.At(".github"))
	leave, err := beside.WS.Host().PageOpen(api.AnsweredByPage)
	d.Must(err)
	if err := <-edit(); !errors.Is(err, api.ErrNoPage) {
		t.Errorf("who looks elsewhere: %v", err)
	}
	leave()
	defer d.openPage()()
	done := edit()
	is := d.next()
	if is.Below != "migrations" || is.Question.Paths[0].Path != "1.sql" {
		t.Errorf("%+v", is)
	}
	if all, err := beside.WS.Waiting(t.Context()); len(all) > 0 || err != nil {
		t.Errorf("seen from elsewhere: %+v, %v", all, err)
	}
	if _, err := beside.WS.Allow(t.Context(), api.AllowRequest{ID: is.ID}); !errors.Is(err, fail.NotFound) {
		t.Errorf("answered from elsewhere: %v", err)
	}
	_, err = d.page.Allow(atThePage(t.Context()), api.AllowRequest{ID: is.ID})
	d.Must(err)
	d.Must(<-done)
}

// TestAgentsCannotAnswer checks that the tools of an agent reach neither questions nor answers.
func TestAgentsCannotAnswer(t *testing.T) {
	d := newAtPage(t)
	defer d.openPage()()
	done := d.edit(d.Ctx, "migrations/1.sql", "one\n", "two\n")
	is := d.next()
	yes, err := json.Marshal(map[string]any{"id": is.ID, "digest": is.Question.Digest, "allowed": true})
	d.Must(err)
	answer, ask := ".emend/waiting/"+is.ID+".answer", ".emend/waiting/"+is.ID+".ask"
	if _, err := os.Stat(d.At(ask)); err != nil {
		t.Fatal(err)
	}
	_, created := d.WS.Create(d.Ctx, api.CreateRequest{Path: answer, Content: string(yes)})
	_, moved := d.WS.Move(d.Ctx, api.MoveRequest{FromPath: "free.txt", ToPath: answer, ExpectedSha256: emendtest.Sum("free\n")})
	_, deleted := d.WS.Delete(d.Ctx, api.DeleteRequest{Path: ask})
	_, read := d.WS.Read(d.Ctx, api.ReadRequest{Path: ask})
	d.Must(os.Symlink(filepath.Join(d.WS.Root(), ".emend", "waiting"), d.At("board")))
	_, through := d.WS.Create(d.Ctx, api.CreateRequest{Path: "board/" + is.ID + ".answer", Content: string(yes)})
	for n, err := range []error{created, moved, deleted, read, through} {
		if !errors.Is(err, fail.PermissionDenied) {
			t.Errorf("%d: %v", n, err)
		}
	}
	_, err = d.page.Deny(atThePage(t.Context()), api.DenyRequest{ID: is.ID})
	d.Must(err)
	if err := <-done; !errors.Is(err, fail.PermissionDenied) {
		t.Error(err)
	}
}

// TestAnsweredBy checks that the log has by what means a person answered, also for the rest of a session.
func TestAnsweredBy(t *testing.T) {
	for means, ctx := range map[string]context.Context{
		"page":                       atThePage(t.Context()),
		"terminal":                   emend.WithAnsweredBy(t.Context(), api.AnsweredByTerminal),
		"command without a terminal": emend.WithAnsweredBy(t.Context(), api.AnsweredByCommand),
		"program":                    t.Context(),
	} {
		d := newAtPage(t)
		leave := d.openPage()
		done := d.edit(d.Ctx, "migrations/1.sql", "one\n", "two\n")
		_, err := d.page.Allow(ctx, api.AllowRequest{ID: d.next().ID, Session: true})
		d.Must(err)
		d.Must(<-done)
		d.Must(<-d.edit(d.Ctx, "migrations/1.sql", "two\n", "three\n"))
		if log := d.logged(); !strings.Contains(log, `"asked":{"by":"`+means+`",`) || !strings.Contains(log, `"asked":{"by":"`+means+`, for the session",`) {
			t.Errorf("answered by %s, the log: %s", means, log)
		}
		leave()
	}
}
