package change_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// outcome holds an answer as a model and as a program reads it.
type outcome struct {
	tx, text string
	data     map[string]any
}

func outcomeOf(t *testing.T, tx string, r api.Result) outcome {
	t.Helper()
	b, err := json.Marshal(r)
	var o struct{ Data map[string]any }
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	if err != nil || o.Data == nil {
		t.Fatalf("%v: %s", err, b)
	}
	return outcome{tx, r.Text(), o.Data}
}

func answerOf[T any](s *emendtest.Story, a *api.Answer[T], err error) (outcome, error) {
	s.Helper()
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(s.T, a.Tx, a.Result()), nil
}

func reportOf(s *emendtest.Story, r *emend.Report, err error) (outcome, error) {
	s.Helper()
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(s.T, r.Tx, r.Result()), nil
}

// keyedCalls makes every call that takes a key. They expect the files x and y, and a deleted file gone whose id in the
// trash is id.
var keyedCalls = map[string]func(s *emendtest.Story, key, id string) (outcome, error){
	"create": func(s *emendtest.Story, key, id string) (outcome, error) {
		a, err := s.WS.Create(s.Ctx, api.CreateRequest{Path: "new", Content: "new\n", IdempotencyKey: key})
		return answerOf(s, a, err)
	},
	"write": func(s *emendtest.Story, key, id string) (outcome, error) {
		a, err := s.WS.Write(s.Ctx, api.WriteRequest{Path: "x", Content: "written\n", ExpectedSha256: emendtest.Sum("X\n"), IdempotencyKey: key})
		return answerOf(s, a, err)
	},
	"edit": func(s *emendtest.Story, key, id string) (outcome, error) {
		a, err := s.WS.Edit(s.Ctx, api.EditRequest{Path: "x", ExpectedSha256: emendtest.Sum("X\n"), Edits: []api.TextEdit{{OldText: "X", NewText: "edited"}}, IdempotencyKey: key})
		return answerOf(s, a, err)
	},
	"delete": func(s *emendtest.Story, key, id string) (outcome, error) {
		a, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "x", IdempotencyKey: key})
		return answerOf(s, a, err)
	},
	"delete for good": func(s *emendtest.Story, key, id string) (outcome, error) {
		a, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "x", Permanent: true, IdempotencyKey: key})
		return answerOf(s, a, err)
	},
	"move": func(s *emendtest.Story, key, id string) (outcome, error) {
		a, err := s.WS.Move(s.Ctx, api.MoveRequest{FromPath: "x", ToPath: "z", ExpectedSha256: emendtest.Sum("X\n"), IdempotencyKey: key})
		return answerOf(s, a, err)
	},
	"move over": func(s *emendtest.Story, key, id string) (outcome, error) {
		a, err := s.WS.Move(s.Ctx, api.MoveRequest{FromPath: "x", ToPath: "y", ExpectedSha256: emendtest.Sum("X\n"), Overwrite: true, IdempotencyKey: key})
		return answerOf(s, a, err)
	},
	"restore": func(s *emendtest.Story, key, id string) (outcome, error) {
		a, err := s.WS.Restore(s.Ctx, api.RestoreRequest{TrashedPath: id, IdempotencyKey: key})
		return answerOf(s, a, err)
	},
	"restore elsewhere": func(s *emendtest.Story, key, id string) (outcome, error) {
		a, err := s.WS.Restore(s.Ctx, api.RestoreRequest{TrashedPath: id, TargetPath: "back", IdempotencyKey: key})
		return answerOf(s, a, err)
	},
	"apply": func(s *emendtest.Story, key, id string) (outcome, error) {
		r, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Add File: p", "+p", "*** Delete File: x"), api.PatchOptions{IdempotencyKey: key})
		return reportOf(s, r, err)
	},
	"undo": func(s *emendtest.Story, key, id string) (outcome, error) {
		r, err := s.WS.Undo(s.Ctx, api.UndoRequest{IdempotencyKey: key})
		return reportOf(s, r, err)
	},
}

// keyedStory has the files that keyedCalls expect, in d1 and in d2, and its store at the top.
func keyedStory(t *testing.T) *emendtest.Story {
	t.Helper()
	s := emendtest.NewStory(t, "d1/x", "X\n", "d1/y", "Y\n", "d1/gone", "G\n", "d2/x", "X\n", "d2/y", "Y\n", "d2/gone", "G\n")
	s.Create("seed", "s\n")
	return s
}

// TestKeyIsOfADirectory: in another directory the same key and request make another call, which is refused. In the same
// directory the call is done once, under whatever name the directory is opened.
func TestKeyIsOfADirectory(t *testing.T) {
	for what, call := range keyedCalls {
		t.Run(what, func(t *testing.T) {
			s := keyedStory(t)
			d1 := s.Below("d1")
			_, id := d1.Remove("gone")
			first, err := call(d1, "K", id)
			s.Must(err)
			was := s.Tree()
			for name, other := range map[string]*emendtest.Story{
				"another root":   s.Below("d2"),
				"a base":         s.Opened(s.WS.Root(), emend.Base("d2")),
				"the root above": s,
			} {
				_, err := call(other, "K", id)
				other.Refusal(err, fail.CommandFailed, `the idempotency key "K" was used for another`, "Use a new key")
				if s.Tree() != was {
					t.Errorf("%s: the tree was %s and is %s", name, was, s.Tree())
				}
			}
			link := filepath.Join(t.TempDir(), "link")
			s.Must(os.Symlink(s.At("d1"), link))
			for name, same := range map[string]*emendtest.Story{"the same root": d1, "opened again": s.Below("d1"), "by a link": s.Opened(link)} {
				again, err := call(same, "K", id)
				if err != nil || again.tx != first.tx || again.text != first.text || s.Tree() != was {
					t.Errorf("%s: %v, %q after %q; the tree was %s and is %s", name, err, again.text, first.text, was, s.Tree())
				}
			}
		})
	}
}

// TestKeyOfARootThatWasRenamed: a retry finds its answer after a directory above was renamed.
func TestKeyOfARootThatWasRenamed(t *testing.T) {
	s := emendtest.NewStory(t, "p/d1/x", "X\n", "p/d1/y", "Y\n")
	p := s.Below("p/d1")
	first, err := keyedCalls["move over"](p, "K", "")
	s.Must(err)
	p.WS.Close()
	s.Rename("p", "q")
	again, err := keyedCalls["move over"](s.Below("q/d1"), "K", "")
	if err != nil || again.tx != first.tx || again.text != first.text {
		t.Errorf("%v, %q after %q", err, again.text, first.text)
	}
}

// TestKeyOfAnotherRequest: a key belongs to one request of one tool.
func TestKeyOfAnotherRequest(t *testing.T) {
	for what, call := range keyedCalls {
		s := keyedStory(t).Below("d1")
		_, id := s.Remove("gone")
		_, err := call(s, "K", id)
		s.Must(err)
		was := s.Tree()
		for other, call := range keyedCalls {
			if other == what {
				continue
			}
			_, err := call(s, "K", id)
			s.Refusal(err, fail.CommandFailed, `the idempotency key "K" was used for another`)
		}
		s.Has(was)
	}
}

// TestLostAnswer: when the stored answer is lost, a retry is answered from the log, in the shape of the first answer and with
// paths of its root. The call is not done again.
func TestLostAnswer(t *testing.T) {
	for what, call := range keyedCalls {
		t.Run(what, func(t *testing.T) {
			s := keyedStory(t)
			d1 := s.Below("d1")
			_, id := d1.Remove("gone")
			first, err := call(d1, "K", id)
			s.Must(err)
			was := s.Tree()
			s.LoseAnswers()
			again, err := call(s.Below("d1"), "K", id)
			s.Must(err)
			if again.tx != first.tx || s.Tree() != was {
				t.Errorf("%s after %s; the tree was %s and is %s", again.tx, first.tx, was, s.Tree())
			}
			if !strings.Contains(again.text, "before") || strings.Contains(again.text, "d1") {
				t.Errorf("it says %q", again.text)
			}
			if got, want := withoutDiffs(again.data), withoutDiffs(first.data); got != want {
				t.Errorf("it has\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// withoutDiffs returns data as JSON without the fields that the log cannot restore: diffs, the dialect and the places of
// edits.
func withoutDiffs(data map[string]any) string {
	data = maps.Clone(data)
	if edits, ok := data["appliedEdits"]; ok && edits == nil {
		return "appliedEdits is null"
	}
	for _, name := range []string{"diff", "dialect", "appliedEdits"} {
		delete(data, name)
	}
	files, _ := data["changedFiles"].([]any)
	for _, f := range files {
		delete(f.(map[string]any), "diff")
	}
	b, err := json.Marshal(data)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestKeyOfPermanent: a permanent deletion keeps nothing of the file in the store, and a retry gets the same answer.
func TestKeyOfPermanent(t *testing.T) {
	const secret = "TOPSECRETVALUE"
	for _, key := range []string{"", "K"} {
		s := emendtest.NewStory(t, "s.txt", secret+"\n")
		r := api.DeleteRequest{Path: "s.txt", Permanent: true, IdempotencyKey: key}
		a, err := s.WS.Delete(s.Ctx, r)
		s.Must(err)
		if got := emendtest.StoreHas(t, s.WS, secret); len(got) > 0 {
			t.Errorf("key %q: it is in %q", key, got)
		}
		if a.Data.TrashedTo != "" || a.Data.Diff != "" || !strings.Contains(a.Result().Text(), "not in the trash") || !strings.Contains(a.Result().Text(), "a person can purge") {
			t.Errorf("%+v: %s", a.Data, a.Result().Text())
		}
		if key == "" {
			continue
		}
		again, err := s.WS.Delete(s.Ctx, r)
		s.Must(err)
		if again.Data != a.Data || again.Result().Text() != a.Result().Text() {
			t.Errorf("%+v after %+v: %s", again.Data, a.Data, again.Result().Text())
		}
	}
}

// TestAnswerIsJudgedAgain: a retry is not told about a file that policy has forbidden to read since the first answer.
func TestAnswerIsJudgedAgain(t *testing.T) {
	for _, what := range []string{"write", "edit", "delete", "move", "move over", "apply"} {
		s := keyedStory(t)
		first, err := keyedCalls[what](s.Below("d1"), "K", "")
		s.Must(err)
		file := filepath.Join(t.TempDir(), "policy.toml")
		s.Must(os.WriteFile(file, []byte("[read]\ndeny = [\"x\"]\n"), 0o600))
		again, err := keyedCalls[what](s.Opened(s.At("d1"), emend.Policy(file)), "K", "")
		s.Must(err)
		b, err := json.Marshal(again.data)
		s.Must(err)
		if again.tx != first.tx || strings.Contains(string(b)+again.text, emendtest.Sum("X\n")) || strings.Contains(string(b)+again.text, "-X") {
			t.Errorf("%s: %s\n%s", what, b, again.text)
		}
	}
}
