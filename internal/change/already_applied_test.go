package change_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// retried maps each dialect that has sections to a patch with every kind of section.
var retried = map[string]string{
	"emend": emendtest.Envelope("*** Add File: new", "+n", "*** Update File: up", "@@", " a", "-b", "+B", " c", "*** Delete File: del",
		"*** Move File: from -> to", "*** Update File: old", "*** Move to: moved", "@@", " 1", "-2", "+II", " 3"),
	"comma": emendtest.Envelope("*** Add File: new", "+n", "*** Update File: up", "@@", " a", "-b", "+B", " c", "*** Delete File: del", "*** Move File: from -> to"),
	"codex": emendtest.Envelope("*** Add File: new", "+n", "*** Update File: up", "@@", " a", "-b", "+B", " c", "*** Delete File: del",
		"*** Update File: old", "*** Move to: moved", "@@", " 1", "-2", "+II", " 3"),
	"supyagent": "*** Add File: new\n+n\n*** Update File: up\n@@ a\n a\n-b\n+B\n c\n*** Delete File: del\n",
	"chimera":   emendtest.Envelope("*** Add File: new", "+n", "*** Update File: up", " a", "-b", "+B", " c", "*** Delete File: del"),
}

func retrying(t *testing.T) *emendtest.Story {
	return emendtest.NewStory(t, "up", "a\nb\nc\nd\n", "del", "gone\n", "from", "same\n", "old", "0\n1\n2\n3\n4\n")
}

// TestSentAgain: a patch that is resent with Idempotent changes nothing, adds no record, and says so: in every dialect,
// atomic or not, planned or applied, with expected hashes or without, with a new key or none.
func TestSentAgain(t *testing.T) {
	for name, text := range retried {
		t.Run(name, func(t *testing.T) {
			s := retrying(t)
			o := api.PatchOptions{Dialect: name, Idempotent: true}
			hashed := o
			hashed.Expect = map[string]string{"new": ""}
			for _, f := range []string{"up", "del", "from", "old"} {
				if hashed.Expect[f] = s.Sha(f); !strings.Contains(text, " "+f) {
					delete(hashed.Expect, f)
				}
			}
			first, err := s.WS.Apply(s.Ctx, text, hashed)
			s.Must(err)
			tree, head := s.Tree(), first.Head
			again := map[string]api.PatchOptions{"": o, "hashed": hashed}
			for _, name := range slices.Sorted(maps.Keys(again)) {
				o := again[name]
				for _, sequential := range []bool{false, true} {
					for _, key := range []string{"", "k"} {
						o.Sequential, o.IdempotencyKey = sequential, key
						rep, err := s.WS.Apply(s.Ctx, text, o)
						s.Must(err)
						checkNothingToDo(t, rep.Result(), name)
						if rep.Tx != "" || rep.Head != head || len(rep.Files()) != 0 {
							t.Errorf("%s %t: %+v", name, sequential, rep)
						}
					}
				}
				p, err := s.WS.Plan(s.Ctx, text, o)
				s.Must(err)
				checkNothingToDo(t, p.Result(), name)
				rep, err := s.WS.Commit(s.Ctx, p)
				s.Must(err)
				if checkNothingToDo(t, rep.Result(), name); rep.Head != head || !p.AlreadyApplied {
					t.Errorf("a plan that does nothing was committed: %+v", rep)
				}
			}
			s.Has(tree)
			_, err = s.WS.Apply(s.Ctx, text, api.PatchOptions{Dialect: name})
			refused, _ := errors.AsType[*emend.Refusal](err)
			if name == "codex" { // it adds over what is there
				return
			}
			b, _ := json.Marshal(refused.Result())
			if !strings.Contains(string(b), `"alreadyApplied":true`) || !strings.Contains(refused.Result().Text(), "already applied") {
				t.Errorf("without the setting: %s", b)
			}
		})
	}
}

// checkNothingToDo fails unless a result says that there was nothing to do, and lists no changed file.
func checkNothingToDo(t *testing.T, r api.Result, what string) {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil || !r.OK() || !strings.Contains(r.Text(), "Already applied: nothing to do.") || !strings.Contains(string(b), `"skipped":[{"path":"new","operation":"add"}`) {
		t.Errorf("%s: %s", what, b)
	}
	if o, ok := r.(*report.Object); ok {
		if d := o.Data.(*report.Data); !d.AlreadyApplied || len(d.ChangedFiles) > 0 || d.HunkCount != 0 {
			t.Errorf("%s: %s", what, b)
		}
	}
}

// TestSentAgainInPart: the rest of a patch is applied, and the skipped parts are named; atomic and section by section.
func TestSentAgainInPart(t *testing.T) {
	text := emendtest.Envelope("*** Update File: up", "@@", " a", "-b", "+B", " c", "@@", " c", "-d", "+D", "*** Add File: new", "+n", "*** Delete File: del")
	for _, sequential := range []bool{false, true} {
		s := emendtest.NewStory(t, "up", "a\nB\nc\nd\n", "new", "n\n", "del", "x\n")
		rep, err := s.WS.Apply(s.Ctx, text, api.PatchOptions{Idempotent: true, Sequential: sequential})
		s.Must(err)
		s.Has(`new "n\n", up "a\nB\nc\nD\n"`)
		want := "2 file(s), 1 hunk(s).\n  M up (sha256 " + fmt.Sprintf("%x", sha256.Sum256([]byte("a\nB\nc\nD\n"))) + ")\n  D del\nNote: up: hunk 1 was already applied, and skipped.\nNote: new: add was already applied, and is skipped."
		if got := rep.Result().Text(); !strings.HasSuffix(got, want) {
			t.Errorf("%t: %s", sequential, got)
		}
		d := rep.Result().(*report.Object).Data.(*report.Data)
		if d.AlreadyApplied || len(d.Skipped) != 2 || len(d.ChangedFiles) != 2 || !d.ChangedFiles[0].Hunks[0].AlreadyApplied || d.ChangedFiles[0].Hunks[1].AlreadyApplied {
			t.Errorf("%+v", d)
		}
	}
	s := emendtest.NewStory(t, "up", "a\nB\nc\nx\n", "new", "n\n", "del", "x\n")
	before := s.Tree()
	_, err := s.WS.Apply(s.Ctx, text, api.PatchOptions{Idempotent: true})
	if refused, ok := errors.AsType[*emend.Refusal](err); !ok || len(refused.Failures) != 1 || refused.Failures[0].Hunk != 2 {
		t.Errorf("%v", err)
	}
	s.Has(before)
}

// TestKeyBeforeIdempotent: under a used key the first answer counts, whatever the file has now.
func TestKeyBeforeIdempotent(t *testing.T) {
	s := emendtest.NewStory(t, "up", "a\nb\nc\n")
	text := emendtest.Envelope("*** Update File: up", "@@", " a", "-b", "+B", " c")
	o := api.PatchOptions{Idempotent: true, IdempotencyKey: "k"}
	_, err := s.WS.Apply(s.Ctx, text, o)
	s.Must(err)
	s.Must(os.WriteFile(s.At("up"), []byte("a\nb\nc\n"), 0o600))
	rep, err := s.WS.Apply(s.Ctx, text, o)
	s.Must(err)
	if !rep.Repeated || s.Read("up") != "a\nb\nc\n" {
		t.Errorf("%s, and the file has %q", rep.Result().Text(), s.Read("up"))
	}
}

// TestAppliedIsNoOracle: a patch does not reveal whether a file that may be written, but not read, has a guessed content.
func TestAppliedIsNoOracle(t *testing.T) {
	s := emendtest.NewStory(t, "hidden", "hush\n")
	file := filepath.Join(t.TempDir(), "policy.toml")
	s.Must(os.WriteFile(file, []byte("[read]\ndeny = [\"hidden\"]\n"), 0o600))
	s = s.Opened(s.WS.Root(), emend.Policy(file))
	for _, o := range []api.PatchOptions{{}, {Idempotent: true}} {
		var said []string
		for _, guess := range []string{"hush", "hunt"} {
			_, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Add File: hidden", "+"+guess), o)
			refused, ok := errors.AsType[*emend.Refusal](err)
			if !ok {
				t.Fatalf("%s: %v", guess, err)
			}
			said = append(said, refused.Result().Text())
		}
		if said[0] != said[1] || strings.Contains(said[0], "already applied") {
			t.Errorf("a right and a wrong guess are told apart: %q", said)
		}
	}
}
