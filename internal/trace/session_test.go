package trace_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func TestSessionChanges(t *testing.T) {
	tests := []struct {
		name string
		do   func(a, b *emendtest.Story)
		want string
	}{
		{"an edit", func(a, b *emendtest.Story) { a.Edit("f", "one", "two") }, "update f -one +two"},
		{"edits", func(a, b *emendtest.Story) { a.Edit("f", "one", "two"); a.Edit("f", "two", "three") }, "update f -one +three"},
		{"an edit back", func(a, b *emendtest.Story) { a.Edit("f", "one", "two"); a.Edit("f", "two", "one") }, " f"},
		{"made", func(a, b *emendtest.Story) { a.Create("n", "1\n"); a.Edit("n", "1", "2") }, "add n +2"},
		{"made, and moved", func(a, b *emendtest.Story) { a.Create("n", "1\n"); a.Move("n", "m") }, "add m +1"},
		{"made, and deleted", func(a, b *emendtest.Story) { a.Create("n", "1\n"); a.Remove("n") }, " n"},
		{"deleted", func(a, b *emendtest.Story) { a.Edit("f", "one", "two"); a.Remove("f") }, "delete f -one"},
		{"deleted, and made anew", func(a, b *emendtest.Story) { a.Remove("f"); a.Create("f", "new\n") }, "update f -one +new"},
		{"moved", func(a, b *emendtest.Story) { a.Move("f", "g") }, "move f g"},
		{"moved, and edited", func(a, b *emendtest.Story) { a.Move("f", "g"); a.Edit("g", "one", "two") }, "move f g -one +two"},
		{"moved over another", func(a, b *emendtest.Story) { a.Move("f", "x") }, "move f x; delete x -X"},
		{"moved, and another made", func(a, b *emendtest.Story) { a.Move("f", "g"); a.Create("f", "new\n") }, "add f +new; move f g"},
		{"changed places", func(a, b *emendtest.Story) { a.Move("f", "t"); a.Move("x", "f"); a.Move("t", "x") }, "move x f; move f x"},
		{"two files", func(a, b *emendtest.Story) { a.Edit("x", "X", "Y"); a.Edit("f", "one", "two") }, "update f -one +two; update x -X +Y"},
		{"another session before and after", func(a, b *emendtest.Story) {
			b.Edit("f", "one", "B")
			a.Edit("f", "B", "two")
			b.Edit("f", "two", "C")
		}, "update f -B +two"},
		{"another session in between", func(a, b *emendtest.Story) {
			a.Edit("f", "one", "two")
			b.Edit("f", "two", "B")
			a.Edit("f", "B", "three")
		}, "update f -one +three others"},
		{"another session moved it in between", func(a, b *emendtest.Story) {
			a.Edit("f", "one", "two")
			b.Move("f", "g")
			a.Edit("g", "two", "three")
		}, "move f g -one +three others"},
		{"another session deleted it after", func(a, b *emendtest.Story) { a.Edit("f", "one", "two"); b.Remove("f") }, "update f -one +two"},
		{"a person in between", func(a, b *emendtest.Story) {
			a.Edit("f", "one", "two")
			a.Save("f", "P\n")
			a.Edit("f", "P", "three")
		}, "update f -one +three outside"},
		{"a person after", func(a, b *emendtest.Story) {
			a.Edit("f", "one", "two")
			a.Edit("f", "two", "three")
			a.Save("f", "P\n")
		}, "update f -one +three"},
		{"taken back by itself", func(a, b *emendtest.Story) { a.Undo(a.Edit("f", "one", "two")) }, " f"},
		{"taken back by another", func(a, b *emendtest.Story) { b.Undo(a.Edit("f", "one", "two")) }, "update f -one +two"},
		{"a link", func(a, b *emendtest.Story) { a.Link("f", "l"); a.Remove("l") }, "delete l -f"},
		{"purged", func(a, b *emendtest.Story) {
			a.Edit("f", "one", "two")
			a.Edit("f", "two", "three")
			_, err := a.WS.Purge(a.Ctx, api.PurgeRequest{SessionID: "A"})
			a.Must(err)
		}, "update f not shown: what it was before is not kept any more: it was purged or pruned, or changed outside of emend"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", "one\n", "x", "X\n")
			tt.do(s.As("A"), s.As("B"))
			c := s.Changes("A")
			var out []string
			for _, f := range c.Files {
				words := strings.TrimRight(f.Operation+" "+f.Path+" "+f.ToPath, " ")
				if f.Diff != "" {
					words = strings.TrimRight(words+" "+emendtest.Changed(f.Diff), " ")
				}
				if f.NotShown != "" {
					words += " not shown: " + f.NotShown
				}
				if len(f.Others) > 0 {
					words += " others"
				}
				if f.Outside {
					words += " outside"
				}
				out = append(out, words)
			}
			if got := strings.Join(out, "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if said := strings.Contains(tt.want, "others") || strings.Contains(tt.want, "outside"); said == (len(c.Notes) == 0) && !strings.Contains(tt.want, "purged") {
				t.Errorf("the notes are %q", c.Notes)
			}
		})
	}
}

func TestSessionChangesOfNothing(t *testing.T) {
	s := emendtest.NewStory(t, "f", "one\n")
	for session, kind := range map[string]fail.Kind{"": fail.CommandFailed, "none": fail.NotFound} {
		_, err := s.WS.SessionChanges(s.Ctx, session)
		s.Refusal(err, kind)
	}
	s.As("A").Edit("f", "one", "two")
	_, err := s.As("R").WS.Write(s.As("R").Ctx, api.WriteRequest{Path: "f", Content: "x", ExpectedSha256: strings.Repeat("0", 64)})
	s.Refusal(err, fail.Stale)
	if c := s.Changes("R"); len(c.Files) != 0 || c.CallCount != 1 || c.Calls[0].Outcome != api.Refused {
		t.Errorf("%+v", c)
	}
}

// TestSessionChangesAdd: the changes of a session lead from the files before it to the files after it, and each diff from the
// one text to the other.
func TestSessionChangesAdd(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 8))
		s := emendtest.NewStory(t, "a", "0\n", "b", "1\n", "c", "2\n")
		s.As("before").Random(r, 5)
		was, texts := s.Sums(), map[string]string{}
		for name := range was {
			texts[name] = s.Read(name)
		}
		told := s.As("A").Random(r, 12)
		want := s.Sums()
		after := map[string]string{}
		for name := range want {
			after[name] = s.Read(name)
		}
		s.As("after").Random(r, 5)
		got := map[string]string{}
		maps.Copy(got, was)
		files := s.Changes("A").Files
		for _, f := range files {
			if f.Before != "" && f.Before != was[f.Path] {
				t.Errorf("seed %d: %s was %s, and it says %s", seed, f.Path, was[f.Path], f.Before)
			}
			if f.Operation == "delete" || f.Operation == "move" {
				delete(got, f.Path)
			}
		}
		for _, f := range files {
			switch f.Operation {
			case "add", "update":
				got[f.Path] = f.After
			case "move":
				got[f.ToPath] = f.After
			}
			s.ApplyChange(f, texts, after)
			if t.Failed() {
				t.Fatalf("seed %d, %s", seed, told)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("seed %d, %s:\ngot  %v\nwant %v", seed, told, got, want)
		}
	}
}
