package trace_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func TestFilesSince(t *testing.T) {
	write := func(s *emendtest.Story) string { return s.Edit("f", "one", "two") }
	remove := func(s *emendtest.Story) string { tx, _ := s.Remove("f"); return tx }
	move := func(s *emendtest.Story) string { return s.Move("f", "g") }
	list := func(txs ...string) []string { return txs }
	tests := []struct {
		name string
		do   func(s *emendtest.Story) string
		then func(s *emendtest.Story, tx string) []string // the later entries, which are called 1, 2, …
		want string
	}{
		{"nothing", write, nil, "f unchanged"},
		{"an edit", write, func(s *emendtest.Story, _ string) []string { return list(s.Edit("f", "two", "three")) }, "f changed by 1"},
		{"edits", write, func(s *emendtest.Story, _ string) []string {
			return list(s.Edit("f", "two", "three"), s.Edit("f", "three", "four"))
		}, "f changed by 1 by 2"},
		{"an edit that was taken back", write, func(s *emendtest.Story, _ string) []string {
			tx := s.Edit("f", "two", "three")
			return list(tx, s.Undo(tx))
		}, "f unchanged"},
		{"one that was taken back, and one more", write, func(s *emendtest.Story, _ string) []string {
			tx := s.Edit("f", "two", "three")
			return list(tx, s.Undo(tx), s.Edit("f", "two", "four"))
		}, "f changed by 3"},
		{"an edit back", write, func(s *emendtest.Story, _ string) []string {
			return list(s.Edit("f", "two", "three"), s.Edit("f", "three", "two"))
		}, "f unchanged"},
		{"taken back", write, func(s *emendtest.Story, tx string) []string { return list(s.Undo(tx)) }, "f changed by 1"},
		{"a person", write, func(s *emendtest.Story, _ string) []string { s.Save("f", "P\n"); return nil }, "f changed outside"},
		{"an edit, and a person", write, func(s *emendtest.Story, _ string) []string {
			tx := s.Edit("f", "two", "three")
			s.Save("f", "P\n")
			return list(tx)
		}, "f changed by 1 outside"},
		{"deleted", write, func(s *emendtest.Story, _ string) []string { return list(remove(s)) }, "f gone by 1"},
		{"deleted by a person", write, func(s *emendtest.Story, _ string) []string { s.Must(os.Remove(s.At("f"))); return nil }, "f gone outside"},
		{"a directory", write, func(s *emendtest.Story, _ string) []string {
			s.Must(os.Remove(s.At("f")))
			s.Must(os.Mkdir(s.At("f"), 0o755))
			return nil
		}, "f gone outside"},
		{"deleted, which was taken back", write, func(s *emendtest.Story, _ string) []string { tx := remove(s); return list(tx, s.Undo(tx)) }, "f unchanged"},
		{"deleted, which was taken back, and edited", write, func(s *emendtest.Story, _ string) []string {
			tx := remove(s)
			return list(tx, s.Undo(tx), s.Edit("f", "two", "three"))
		}, "f changed by 3"},
		{"deleted, and made anew", write, func(s *emendtest.Story, _ string) []string { return list(remove(s), s.Create("f", "new\n")) }, "f back by 1 by 2"},
		{"deleted, and made anew by a person", write, func(s *emendtest.Story, _ string) []string { tx := remove(s); s.Write("f", "P\n"); return list(tx) }, "f back by 1 outside"},
		{"deleted, made anew, and moved away", write, func(s *emendtest.Story, _ string) []string {
			return list(remove(s), s.Create("f", "new\n"), s.Move("f", "g"))
		}, "f gone by 1 by 2 by 3"},
		{"moved", write, func(s *emendtest.Story, _ string) []string { return list(s.Move("f", "g")) }, "f unchanged at g by 1"},
		{"moved twice, and edited", write, func(s *emendtest.Story, _ string) []string {
			return list(s.Move("f", "g"), s.Move("g", "d/h"), s.Edit("d/h", "two", "three"))
		}, "f changed at d/h by 1 by 2 by 3"},
		{"moved away, and another made", write, func(s *emendtest.Story, _ string) []string { return list(s.Move("f", "g"), s.Create("f", "new\n")) }, "f unchanged at g by 1"},
		{"moved, which was taken back", write, func(s *emendtest.Story, _ string) []string { tx := s.Move("f", "g"); return list(tx, s.Undo(tx)) }, "f unchanged"},
		{"overwritten by a move", write, func(s *emendtest.Story, _ string) []string { return list(s.Move("x", "f")) }, "f changed by 1"},
		{"overwritten by a move, which moved on", write, func(s *emendtest.Story, _ string) []string { return list(s.Move("x", "f"), s.Move("f", "y")) }, "f gone by 1 by 2"},
		{"of a deletion", remove, nil, "f gone"},
		{"of a deletion, restored", remove, func(s *emendtest.Story, tx string) []string { return list(s.Undo(tx)) }, "f back by 1"},
		{"of a deletion, made anew by a person", remove, func(s *emendtest.Story, _ string) []string { s.Write("f", "P\n"); return nil }, "f back outside"},
		{"of a move", move, func(s *emendtest.Story, _ string) []string { return list(s.Edit("g", "one", "two")) }, "g changed by 1"},
		{"of a move, moved back", move, func(s *emendtest.Story, _ string) []string { return list(s.Move("g", "f")) }, "g unchanged at f by 1"},
		{"of two changes of one file in one call", func(s *emendtest.Story) string {
			rep, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Update File: f", "@@", "-one", "+two", "*** Update File: f", "*** Move to: g", "@@", "-two", "+three", "*** Delete File: x"),
				api.PatchOptions{Dialect: "codex"})
			s.Must(err)
			return rep.Tx
		}, nil, "f unchanged at g; g unchanged; x gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", "one\n", "x", "X\n")
			tx, names := tt.do(s), map[string]string{}
			if tt.then != nil {
				for i, later := range tt.then(s, tx) {
					names[later] = fmt.Sprint(i + 1)
				}
			}
			if got := s.Since(tx, names); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestFilesSinceRefusal: a refusal changed no files, and an unknown name is refused.
func TestFilesSinceRefusal(t *testing.T) {
	s := emendtest.NewStory(t, "f", "one\n")
	_, err := s.WS.Write(s.Ctx, api.WriteRequest{Path: "f", Content: "x", ExpectedSha256: strings.Repeat("0", 64)})
	s.Refusal(err, fail.Stale)
	if got := s.Since("#2", nil); got != "" {
		t.Error(got)
	}
	_, err = s.WS.Host().FilesSince(s.Ctx, "nothing")
	s.Refusal(err, fail.NotFound)
}

// TestFilesSinceMany: all later entries are counted, and the newest are listed.
func TestFilesSinceMany(t *testing.T) {
	s := emendtest.NewStory(t, "f", "0\n")
	tx := s.Edit("f", "0", "1")
	var last string
	for i := 1; i < 15; i++ {
		last = s.Edit("f", fmt.Sprint(i), fmt.Sprint(i+1))
	}
	all, err := s.WS.Host().FilesSince(s.Ctx, tx)
	s.Must(err)
	if f := all[0]; len(f.By) != 10 || f.ByCount != 14 || f.By[9].Entry != last {
		t.Errorf("%d of %d", len(f.By), f.ByCount)
	}
}
