package emend_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func (s *story) changes(session string) *api.SessionChanges {
	s.Helper()
	c, err := s.ws.SessionChanges(s.ctx, session)
	s.must(err)
	return c
}

// changed is the removed and the added lines of a diff.
func changed(diff string) string {
	var out []string
	for l := range strings.SplitSeq(diff, "\n") {
		if l != "" && strings.ContainsRune("-+", rune(l[0])) && !strings.HasPrefix(l, "---") && !strings.HasPrefix(l, "+++") {
			out = append(out, l)
		}
	}
	return strings.Join(out, " ")
}

func TestSessionChanges(t *testing.T) {
	tests := []struct {
		name string
		do   func(a, b *story)
		want string
	}{
		{"an edit", func(a, b *story) { a.edit("f", "one", "two") }, "update f -one +two"},
		{"edits", func(a, b *story) { a.edit("f", "one", "two"); a.edit("f", "two", "three") }, "update f -one +three"},
		{"an edit back", func(a, b *story) { a.edit("f", "one", "two"); a.edit("f", "two", "one") }, " f"},
		{"made", func(a, b *story) { a.create("n", "1\n"); a.edit("n", "1", "2") }, "add n +2"},
		{"made, and moved", func(a, b *story) { a.create("n", "1\n"); a.move("n", "m") }, "add m +1"},
		{"made, and deleted", func(a, b *story) { a.create("n", "1\n"); a.remove("n") }, " n"},
		{"deleted", func(a, b *story) { a.edit("f", "one", "two"); a.remove("f") }, "delete f -one"},
		{"deleted, and made anew", func(a, b *story) { a.remove("f"); a.create("f", "new\n") }, "update f -one +new"},
		{"moved", func(a, b *story) { a.move("f", "g") }, "move f g"},
		{"moved, and edited", func(a, b *story) { a.move("f", "g"); a.edit("g", "one", "two") }, "move f g -one +two"},
		{"moved over another", func(a, b *story) { a.move("f", "x") }, "move f x; delete x -X"},
		{"moved, and another made", func(a, b *story) { a.move("f", "g"); a.create("f", "new\n") }, "add f +new; move f g"},
		{"changed places", func(a, b *story) { a.move("f", "t"); a.move("x", "f"); a.move("t", "x") }, "move x f; move f x"},
		{"two files", func(a, b *story) { a.edit("x", "X", "Y"); a.edit("f", "one", "two") }, "update f -one +two; update x -X +Y"},
		{"another session before and after", func(a, b *story) {
			b.edit("f", "one", "B")
			a.edit("f", "B", "two")
			b.edit("f", "two", "C")
		}, "update f -B +two"},
		{"another session in between", func(a, b *story) {
			a.edit("f", "one", "two")
			b.edit("f", "two", "B")
			a.edit("f", "B", "three")
		}, "update f -one +three others"},
		{"another session moved it in between", func(a, b *story) {
			a.edit("f", "one", "two")
			b.move("f", "g")
			a.edit("g", "two", "three")
		}, "move f g -one +three others"},
		{"another session deleted it after", func(a, b *story) { a.edit("f", "one", "two"); b.remove("f") }, "update f -one +two"},
		{"a person in between", func(a, b *story) {
			a.edit("f", "one", "two")
			a.save("f", "P\n")
			a.edit("f", "P", "three")
		}, "update f -one +three outside"},
		{"a person after", func(a, b *story) {
			a.edit("f", "one", "two")
			a.edit("f", "two", "three")
			a.save("f", "P\n")
		}, "update f -one +three"},
		{"taken back by itself", func(a, b *story) { a.undo(a.edit("f", "one", "two")) }, " f"},
		{"taken back by another", func(a, b *story) { b.undo(a.edit("f", "one", "two")) }, "update f -one +two"},
		{"a link", func(a, b *story) { a.link("f", "l"); a.remove("l") }, "delete l -f"},
		{"purged", func(a, b *story) {
			a.edit("f", "one", "two")
			a.edit("f", "two", "three")
			_, err := a.ws.Purge(a.ctx, api.PurgeRequest{SessionID: "A"})
			a.must(err)
		}, "update f not shown: what it was before is not kept any more: it was purged or pruned, or changed outside of emend"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "f", "one\n", "x", "X\n")
			tt.do(s.as("A"), s.as("B"))
			c := s.changes("A")
			var out []string
			for _, f := range c.Files {
				words := strings.TrimRight(f.Operation+" "+f.Path+" "+f.ToPath, " ")
				if f.Diff != "" {
					words = strings.TrimRight(words+" "+changed(f.Diff), " ")
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
	s := begin(t, "f", "one\n")
	for session, kind := range map[string]fail.Kind{"": fail.CommandFailed, "none": fail.NotFound} {
		_, err := s.ws.SessionChanges(s.ctx, session)
		s.refusal(err, kind)
	}
	s.as("A").edit("f", "one", "two")
	_, err := s.as("R").ws.Write(s.as("R").ctx, api.WriteRequest{Path: "f", Content: "x", ExpectedSha256: strings.Repeat("0", 64)})
	s.refusal(err, fail.Stale)
	if c := s.changes("R"); len(c.Files) != 0 || c.CallCount != 1 || c.Calls[0].Outcome != api.Refused {
		t.Errorf("%+v", c)
	}
}

// tally is every file and its hash.
func (s *story) tally() map[string]string {
	s.Helper()
	out := map[string]string{}
	for _, name := range s.files() {
		out[name] = s.sha(name)
	}
	return out
}

// TestSessionChangesAdd: what a session did to the files leads from what was there before it to what was there after it,
// and each difference from the one text to the other.
func TestSessionChangesAdd(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 8))
		s := begin(t, "a", "0\n", "b", "1\n", "c", "2\n")
		s.as("before").random(r, 5)
		was, texts := s.tally(), map[string]string{}
		for name := range was {
			texts[name] = s.read(name)
		}
		told := s.as("A").random(r, 12)
		want := s.tally()
		after := map[string]string{}
		for name := range want {
			after[name] = s.read(name)
		}
		s.as("after").random(r, 5)
		got := map[string]string{}
		maps.Copy(got, was)
		files := s.changes("A").Files
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
			s.leads(f, texts, after)
			if t.Failed() {
				t.Fatalf("seed %d, %s", seed, told)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("seed %d, %s:\ngot  %v\nwant %v", seed, told, got, want)
		}
	}
}

// leads applies the difference of one file to what the file was.
func (s *story) leads(f api.SessionFile, texts, after map[string]string) {
	s.Helper()
	if f.Operation == "" {
		return
	}
	to := f.Path
	if f.ToPath != "" {
		to = f.ToPath
	}
	from := ""
	if f.Operation != "add" {
		from = texts[f.Path]
	}
	got, ok := emend.ApplyDiff(from, f.Diff)
	if want := after[to]; !ok || f.Operation != "delete" && got != want || f.Operation == "delete" && got != "" {
		s.Errorf("%s %s (%s): the difference leads from %q to %q, %t, and it is %q\n%s", f.Operation, to, f.NotShown, from, got, ok, want, f.Diff)
	}
}
