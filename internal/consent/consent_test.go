package consent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// asked is a workspace with ask rules, and the person who answers.
type asked struct {
	*emendtest.Story
	no        error // the person's answer; nil for yes
	meanwhile func()
	questions []api.Question
}

func (a *asked) answer(_ context.Context, q api.Question) (string, error) {
	a.questions = append(a.questions, q)
	if a.meanwhile != nil {
		a.meanwhile()
	}
	return "a test", a.no
}

const askPolicy = `
[read]
ask = ["secret*"]
[write]
ask = ["migrations/**", "secret*", ".github/workflows/ci.yml"]
deny = ["never"]
`

func asking(t *testing.T) *asked {
	t.Helper()
	s := emendtest.NewStory(t, "migrations/1.sql", "one\n", "secret.txt", "hush\n", "free.txt", "free\n", "never", "never\n", ".github/workflows/ci.yml", "on: push\n")
	file := filepath.Join(t.TempDir(), "policy.toml")
	s.Must(os.WriteFile(file, []byte(askPolicy), 0o600))
	a := &asked{Story: s.Opened(s.WS.Root(), emend.Policy(file))}
	a.Ctx = emend.WithAsker(a.Ctx, a.answer)
	return a
}

// check fails unless one question asked about exactly these paths. With no paths it fails unless nothing was asked.
func (a *asked) check(paths ...string) {
	a.Helper()
	if len(paths) == 0 && len(a.questions) == 0 {
		return
	}
	if len(a.questions) != 1 {
		a.Fatalf("%d questions, want one about %v: %v", len(a.questions), paths, a.questions)
	}
	var got []string
	for _, p := range a.questions[0].Paths {
		verb := "read"
		if p.Write {
			verb = "write"
		}
		got = append(got, verb+" "+p.Path)
	}
	if slices.Sort(got); !slices.Equal(got, paths) {
		a.Fatalf("asked about %q, want %q", got, paths)
	}
}

func (a *asked) apply(o api.PatchOptions, text string) error {
	_, err := a.WS.Apply(a.Ctx, text, o)
	return err
}

func update(path, from, to string) string {
	return fmt.Sprintf("*** Update File: %s\n@@\n-%s\n+%s\n", path, from, to)
}

func patchOf(sections ...string) string {
	return "*** Begin Patch\n" + strings.Join(sections, "") + "*** End Patch\n"
}

// asks are calls that touch paths with an ask rule, and the paths that a person is asked about.
var asks = []struct {
	name  string
	call  func(a *asked) error
	about []string
	shows string // in the diff
}{
	{"edit", func(a *asked) error {
		_, err := a.WS.Edit(a.Ctx, api.EditRequest{Path: "migrations/1.sql", ExpectedSha256: emendtest.Sum("one\n"), Edits: []api.TextEdit{{OldText: "one", NewText: "two"}}})
		return err
	}, []string{"write migrations/1.sql"}, "+two"},
	{"write", func(a *asked) error {
		_, err := a.WS.Write(a.Ctx, api.WriteRequest{Path: "migrations/1.sql", ExpectedSha256: emendtest.Sum("one\n"), Content: "two\n"})
		return err
	}, []string{"write migrations/1.sql"}, "+two"},
	{"create", func(a *asked) error {
		_, err := a.WS.Create(a.Ctx, api.CreateRequest{Path: "migrations/2.sql", Content: "two\n"})
		return err
	}, []string{"write migrations/2.sql"}, "+two"},
	{"delete", func(a *asked) error {
		_, err := a.WS.Delete(a.Ctx, api.DeleteRequest{Path: "migrations/1.sql"})
		return err
	}, []string{"write migrations/1.sql"}, "-one"},
	{"move away", func(a *asked) error {
		_, err := a.WS.Move(a.Ctx, api.MoveRequest{FromPath: "migrations/1.sql", ToPath: "1.sql", ExpectedSha256: emendtest.Sum("one\n")})
		return err
	}, []string{"write migrations/1.sql"}, "rename to 1.sql"},
	{"move in", func(a *asked) error {
		_, err := a.WS.Move(a.Ctx, api.MoveRequest{FromPath: "free.txt", ToPath: "migrations/free", ExpectedSha256: emendtest.Sum("free\n")})
		return err
	}, []string{"write migrations/free"}, "rename to migrations/free"},
	{"protected otherwise", func(a *asked) error {
		_, err := a.WS.Write(a.Ctx, api.WriteRequest{Path: ".github/workflows/ci.yml", ExpectedSha256: emendtest.Sum("on: push\n"), Content: "on: pull\n"})
		return err
	}, []string{"write .github/workflows/ci.yml"}, "+on: pull"},
	{"read", func(a *asked) error {
		_, err := a.WS.Read(a.Ctx, api.ReadRequest{Path: "secret.txt"})
		return err
	}, []string{"read secret.txt"}, ""},
	{"read and written", func(a *asked) error {
		return a.apply(api.PatchOptions{}, patchOf(update("secret.txt", "hush", "loud")))
	},
		[]string{"read secret.txt", "write secret.txt"}, "+loud"},
	{"patch of three", func(a *asked) error {
		return a.apply(api.PatchOptions{}, patchOf(update("free.txt", "free", "freer"), update("migrations/1.sql", "one", "two"), "*** Add File: migrations/2.sql\n+two\n"))
	}, []string{"write migrations/1.sql", "write migrations/2.sql"}, "+freer"},
	{"sequential patch", func(a *asked) error {
		return a.apply(api.PatchOptions{Sequential: true}, patchOf(update("free.txt", "free", "freer"), update("migrations/1.sql", "one", "two"), update("migrations/1.sql", "two", "three"), update("secret.txt", "hush", "loud")))
	}, []string{"read secret.txt", "write migrations/1.sql", "write secret.txt"}, "+three"},
}

func TestAPersonIsAsked(t *testing.T) {
	for _, tc := range asks {
		t.Run(tc.name, func(t *testing.T) {
			a := asking(t)
			a.Must(tc.call(a))
			a.check(tc.about...)
			q := a.questions[0]
			if !strings.Contains(q.Diff, tc.shows) || (tc.shows == "") != (q.Diff == "") || len(q.Digest) != 64 || q.Paths[0].Rule == "" {
				t.Errorf("the question: %+v", q)
			}
			writes := strings.HasPrefix(tc.about[len(tc.about)-1], "write")
			if log := a.log(); writes != strings.Contains(log, `"asked":{"by":"a test","paths":["`) {
				t.Errorf("the log: %s", log)
			}
		})
	}
}

func (a *asked) log() string {
	b, _ := os.ReadFile(a.At(".emend/log/00000001.jsonl"))
	return string(b)
}

func TestAPersonSaysNo(t *testing.T) {
	for _, tc := range asks {
		t.Run(tc.name, func(t *testing.T) {
			a := asking(t)
			a.no = errors.New("not on a friday")
			before := a.tree()
			a.Refusal(tc.call(a), fail.PermissionDenied, "not on a friday", "rule")
			if after := a.tree(); after != before {
				t.Errorf("before:\n%safter:\n%s", before, after)
			}
			if log := a.log(); tc.name != "read" && (!strings.Contains(log, `"kind":"denied"`) || !strings.Contains(log, "not on a friday")) {
				t.Errorf("the log: %s", log)
			}
		})
	}
}

// tree returns all files of the workspace except the store.
func (a *asked) tree() string {
	var b strings.Builder
	for _, name := range []string{"migrations/1.sql", "migrations/2.sql", "migrations/free", "1.sql", "free.txt", "secret.txt", ".github/workflows/ci.yml"} {
		text, err := os.ReadFile(a.At(name))
		fmt.Fprintf(&b, "%s %q %t\n", name, text, err == nil)
	}
	return b.String()
}

// TestNobodyToAsk checks that calls without an asker are refused.
func TestNobodyToAsk(t *testing.T) {
	for _, tc := range asks {
		t.Run(tc.name, func(t *testing.T) {
			a := asking(t)
			a.Ctx = t.Context()
			before := a.tree()
			a.Refusal(tc.call(a), fail.PermissionDenied, "nobody is there to approve")
			if after := a.tree(); tc.name != "sequential patch" && after != before {
				t.Errorf("before:\n%safter:\n%s", before, after)
			}
		})
	}
}

// TestUnanswered checks that a call whose answer is still to come is refused, and that the log does not mention it.
func TestUnanswered(t *testing.T) {
	for _, tc := range asks {
		t.Run(tc.name, func(t *testing.T) {
			a := asking(t)
			a.no = api.ErrUnanswered
			if err := tc.call(a); !errors.Is(err, api.ErrUnanswered) {
				t.Errorf("err = %v", err)
			}
			if log := a.log(); log != "" && strings.Contains(log, "denied") {
				t.Errorf("the log: %s", log)
			}
		})
	}
}

// TestRefusedBeforeAsked checks that nobody is asked about a call that is refused anyway, unless the refusal quotes a file
// that may be read only after a yes.
func TestRefusedBeforeAsked(t *testing.T) {
	for _, tc := range []struct {
		name  string
		patch string
		kind  fail.Kind
		about []string
	}{
		{"does not fit", patchOf(update("migrations/1.sql", "three", "two")), fail.PatchApply, nil},
		{"another path is denied", patchOf(update("migrations/1.sql", "one", "two"), update("never", "never", "ever")), fail.PermissionDenied, nil},
		{"exists", patchOf("*** Add File: migrations/1.sql\n+x\n"), fail.AlreadyExists, nil},
		{"tells what is secret", patchOf(update("secret.txt", "husx", "loud")), fail.PatchApply, []string{"read secret.txt"}},
	} {
		for _, sequential := range []bool{false, true} {
			if sequential && tc.name == "another path is denied" {
				continue // the first section stands alone
			}
			t.Run(fmt.Sprintf("%s, sequential=%t", tc.name, sequential), func(t *testing.T) {
				a := asking(t)
				err := a.apply(api.PatchOptions{Sequential: sequential, Dialect: "comma"}, tc.patch)
				a.Refusal(err, tc.kind)
				if sequential && len(tc.about) > 0 {
					a.check("read secret.txt", "write secret.txt")
				} else {
					a.check(tc.about...)
				}
				a = asking(t)
				a.no = errors.New("no")
				err = a.apply(api.PatchOptions{Sequential: sequential, Dialect: "comma"}, tc.patch)
				if r, _ := errors.AsType[*emend.Refusal](err); r == nil || strings.Contains(r.Explain()+fmt.Sprint(r.Result()), "hush") {
					t.Errorf("it tells: %v", err)
				}
			})
		}
	}
}

// TestChangedWhileAsked checks that a commit refuses when a file changed while the person thought.
func TestChangedWhileAsked(t *testing.T) {
	for _, sequential := range []bool{false, true} {
		t.Run(fmt.Sprintf("sequential=%t", sequential), func(t *testing.T) {
			a := asking(t)
			a.meanwhile = func() { a.Save("migrations/1.sql", "zero\none\n") }
			err := a.apply(api.PatchOptions{Sequential: sequential}, patchOf(update("migrations/1.sql", "one", "two")))
			a.Refusal(err, fail.Stale)
			if got := a.Read("migrations/1.sql"); got != "zero\none\n" {
				t.Errorf("the file: %q", got)
			}
		})
	}
}

// TestDestinationChangedWhileAsked is the same for the destination of a move.
func TestDestinationChangedWhileAsked(t *testing.T) {
	for _, changed := range []bool{false, true} {
		for _, text := range []string{"", "zero\none\n"} {
			a := asking(t)
			a.meanwhile = func() {
				if changed {
					a.Save("migrations/1.sql", text)
				}
			}
			err := a.apply(api.PatchOptions{Sequential: true, Dialect: "codex"}, patchOf("*** Update File: free.txt\n*** Move to: migrations/1.sql\n@@\n-free\n+freer\n"))
			if !changed {
				a.Must(err)
				continue
			}
			a.Refusal(err, fail.Stale)
			if got := a.Read("migrations/1.sql"); got != text {
				t.Errorf("the file: %q", got)
			}
		}
	}
}

// TestDigest checks that the same change has the same digest, and any other change another.
func TestDigest(t *testing.T) {
	a := asking(t)
	a.no = api.ErrUnanswered
	digest := func(call func() error) string {
		a.questions = nil
		if err := call(); !errors.Is(err, api.ErrUnanswered) {
			t.Fatal(err)
		}
		return a.questions[0].Digest
	}
	edit := func(to string) func() error {
		return func() error { return a.apply(api.PatchOptions{}, patchOf(update("migrations/1.sql", "one", to))) }
	}
	remove := func(forever bool) func() error {
		return func() error {
			_, err := a.WS.Delete(a.Ctx, api.DeleteRequest{Path: "migrations/1.sql", Permanent: forever})
			return err
		}
	}
	first := digest(edit("two"))
	seen := map[string]bool{first: true}
	if again := digest(edit("two")); again != first {
		t.Error("the same call has two digests")
	}
	others := []func() error{edit("three"), remove(false), remove(true),
		func() error { return asks[0].call(a) },
		func() error {
			a.Save("migrations/1.sql", "zero\none\n")
			return edit("two")()
		},
		func() error {
			a.Ctx = emend.WithActor(a.Ctx, api.Actor{Session: "another"})
			return edit("two")()
		}}
	for i, call := range others {
		if d := digest(call); seen[d] {
			t.Errorf("call %d has the digest of another", i)
		} else {
			seen[d] = true
		}
	}
}

// TestShowSaysWhoWasAsked checks that Show tells what a person was asked and by what they answered.
func TestShowSaysWhoWasAsked(t *testing.T) {
	a := asking(t)
	a.Must(asks[0].call(a))
	e, err := a.WS.Show(a.Ctx, "2")
	a.Must(err)
	if e.Data.AskedBy != "a test" || !strings.Contains(e.Result().Text(), "A person was asked, by a test") {
		t.Errorf("the entry: %+v\n%s", e.Data, e.Result().Text())
	}
}

// TestRepeatedAsksNobody checks that a repeated call returns the first answer and asks nobody.
func TestRepeatedAsksNobody(t *testing.T) {
	for _, sequential := range []bool{false, true} {
		a := asking(t)
		o := api.PatchOptions{IdempotencyKey: "K", Sequential: sequential}
		text := patchOf(update("migrations/1.sql", "one", "two"), update("free.txt", "free", "freer"))
		a.Must(a.apply(o, text))
		a.Must(a.apply(o, text))
		a.check("write migrations/1.sql")
	}
}

// TestDryRunAsksToReadOnly checks that a dry run asks about what it reads, and only notes what a commit would ask about.
func TestDryRunAsksToReadOnly(t *testing.T) {
	a := asking(t)
	p, err := a.WS.Plan(a.Ctx, patchOf(update("migrations/1.sql", "one", "two")), api.PatchOptions{})
	a.Must(err)
	a.check()
	if text := p.Result().Text(); !strings.Contains(text, "requires approval") {
		t.Errorf("the preview: %s", text)
	}
	if _, err := a.WS.Commit(t.Context(), p); !errors.Is(err, fail.PermissionDenied) {
		t.Errorf("committed with nobody to ask: %v", err)
	}
	_, err = a.WS.Commit(a.Ctx, p)
	a.Must(err)
	a.check("write migrations/1.sql")

	a = asking(t)
	a.no = errors.New("no")
	_, err = a.WS.Plan(a.Ctx, patchOf(update("secret.txt", "hush", "loud")), api.PatchOptions{})
	a.Refusal(err, fail.PermissionDenied)
	a.check("read secret.txt")
}

// TestUndoIsAskedAbout checks that undo and restore ask as any change does.
func TestUndoIsAskedAbout(t *testing.T) {
	a := asking(t)
	a.Must(asks[0].call(a))
	a.questions = nil
	_, err := a.WS.Undo(a.Ctx, api.UndoRequest{DryRun: true})
	a.Must(err)
	a.check()
	a.Undoing(api.UndoRequest{})
	a.check("write migrations/1.sql")
	_, trashed := a.Remove("migrations/1.sql")
	a.questions, a.no = nil, errors.New("no")
	_, err = a.WS.Restore(a.Ctx, api.RestoreRequest{TrashedPath: trashed})
	a.Refusal(err, fail.PermissionDenied)
	a.check("write migrations/1.sql")
}

// TestListsDoNotAsk checks that lists and searches ask nobody, and leave out paths with an ask rule.
func TestListsDoNotAsk(t *testing.T) {
	a := asking(t)
	l, err := a.WS.List(a.Ctx, api.ListRequest{Path: "."})
	a.Must(err)
	f, err := a.WS.Search(a.Ctx, api.SearchRequest{Query: "hush"})
	a.Must(err)
	if text := l.Result().Text() + f.Result().Text(); strings.Contains(text, "secret") {
		t.Errorf("found: %s", text)
	}
	_, err = a.WS.Read(a.Ctx, api.ReadRequest{Path: "secre.txt"})
	if r, _ := errors.AsType[*emend.Refusal](err); strings.Contains(r.Explain(), "secret.txt") {
		t.Errorf("a hint names it: %s", r.Explain())
	}
	a.check()
}

// TestWhatIsShown checks that the diff in a question is cut, has no control characters and begins with the paths that are
// asked about.
func TestWhatIsShown(t *testing.T) {
	a := asking(t)
	long := "*** Add File: long\n" + strings.Repeat("+all work and no play\n", 8<<10)
	a.Must(a.apply(api.PatchOptions{}, patchOf(long, update("migrations/1.sql", "one", "\x1b[2Jtwo"))))
	diff := a.questions[0].Diff
	if len(diff) > 65<<10 || strings.Contains(diff, "\x1b") || !strings.Contains(diff, "two") || !strings.HasSuffix(diff, "bytes are not shown") {
		t.Errorf("%d bytes: %.200q … %q", len(diff), diff, diff[len(diff)-80:])
	}
}

// TestWhatIsShownOfSections is the same for a patch that is applied section by section, however it writes the path.
func TestWhatIsShownOfSections(t *testing.T) {
	for _, path := range []string{"migrations/1.sql", "./migrations/1.sql", "../migrations/1.sql"} {
		a := asking(t)
		o := api.PatchOptions{Sequential: true}
		if path == "../migrations/1.sql" {
			o.Base = ".github"
		}
		long := "*** Add File: long\n" + strings.Repeat("+all work and no play\n", 8<<10)
		a.Must(a.apply(o, patchOf(long, update(path, "one", "two"))))
		if diff := a.questions[0].Diff; !strings.Contains(diff, "two") || len(diff) > 65<<10 {
			t.Errorf("%s: the change is not in what is shown", path)
		}
	}
}

// TestWhatNoDiffShows checks that a question also shows text that a move or an undo brings from elsewhere, and says what is
// deleted for good.
func TestWhatNoDiffShows(t *testing.T) {
	trash := func(a *asked) string {
		a.Save("evil", "evil text\n")
		_, id := a.Remove("evil")
		return id
	}
	for _, tc := range []struct {
		name  string
		call  func(a *asked) error
		shows []string
	}{
		{"restore", func(a *asked) error {
			_, err := a.WS.Restore(a.Ctx, api.RestoreRequest{TrashedPath: trash(a), TargetPath: "migrations/2.sql"})
			return err
		}, []string{"+++ b/migrations/2.sql", "+evil text"}},
		{"undo", func(a *asked) error {
			a.Save("migrations/2.sql", "evil text\n")
			a.Remove("migrations/2.sql")
			a.questions = nil
			_, err := a.WS.Undo(a.Ctx, api.UndoRequest{})
			return err
		}, []string{"+++ b/migrations/2.sql", "+evil text"}},
		{"move in", func(a *asked) error {
			_, err := a.WS.Move(a.Ctx, api.MoveRequest{FromPath: "free.txt", ToPath: "migrations/2.sql", ExpectedSha256: emendtest.Sum("free\n")})
			return err
		}, []string{"rename to migrations/2.sql", "+free"}},
		{"move over", func(a *asked) error {
			_, err := a.WS.Move(a.Ctx, api.MoveRequest{FromPath: "free.txt", ToPath: "migrations/1.sql", ExpectedSha256: emendtest.Sum("free\n"), Overwrite: true})
			return err
		}, []string{"# what is at migrations/1.sql is replaced", "+free"}},
		{"patch that moves", func(a *asked) error {
			a.Save("free.txt", "evil text\n1\n2\n3\n4\n5\nfree\n")
			return a.apply(api.PatchOptions{Dialect: "codex"}, patchOf("*** Update File: free.txt\n*** Move to: migrations/2.sql\n@@\n-free\n+freer\n"))
		}, []string{"+freer", "+evil text"}},
		{"section that moves", func(a *asked) error {
			a.Save("free.txt", "evil text\n1\n2\n3\n4\n5\nfree\n")
			return a.apply(api.PatchOptions{Dialect: "codex", Sequential: true}, patchOf("*** Update File: free.txt\n*** Move to: migrations/2.sql\n@@\n-free\n+freer\n"))
		}, []string{"+freer", "+evil text"}},
		{"move of a link", func(a *asked) error {
			a.Must(os.Symlink("../free.txt", a.At("link")))
			_, err := a.WS.Move(a.Ctx, api.MoveRequest{FromPath: "link", ToPath: "migrations/2.sql", ExpectedSha256: emendtest.Sum("../free.txt")})
			return err
		}, []string{"it is a symbolic link to", "../free.txt"}},
		{"for good", func(a *asked) error {
			_, err := a.WS.Delete(a.Ctx, api.DeleteRequest{Path: "migrations/1.sql", Permanent: true})
			return err
		}, []string{"# migrations/1.sql is deleted permanently", "-one"}},
		{"executable", func(a *asked) error {
			_, err := a.WS.Create(a.Ctx, api.CreateRequest{Path: "migrations/run", Content: "rm\n", Executable: true})
			return err
		}, []string{"# migrations/run is made executable", "+rm"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := asking(t)
			a.Must(tc.call(a))
			for _, want := range tc.shows {
				if len(a.questions) != 1 || !strings.Contains(a.questions[0].Diff, want) {
					t.Errorf("%q is not in %+v", want, a.questions)
				}
			}
		})
	}
}

// TestAppliedIsTold checks that "already applied" is said of a file that may be read only after a yes, and that nobody is
// asked about a change that is not made.
func TestAppliedIsTold(t *testing.T) {
	for _, o := range []api.PatchOptions{{Idempotent: true}, {Idempotent: true, Sequential: true}} {
		a := asking(t)
		a.no = errors.New("no")
		_, err := a.WS.Apply(a.Ctx, emendtest.Envelope("*** Add File: secret.txt", "+hush"), o)
		a.Refusal(err, fail.PermissionDenied)
		a.check("read secret.txt")

		a = asking(t)
		a.no = errors.New("no")
		rep, err := a.WS.Apply(a.Ctx, emendtest.Envelope("*** Add File: migrations/1.sql", "+one"), o)
		a.Must(err)
		text := rep.Result().Text()
		if a.check(); !strings.HasPrefix(text, "Already applied") {
			t.Error(text)
		}
	}
}
