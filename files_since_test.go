package emend_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// fileStates are the words for states in these tests.
var fileStates = map[api.FileState]string{api.FileSame: "unchanged", api.FileChanged: "changed", api.FileGone: "gone", api.FileBack: "back", api.FileUnknown: "hidden"}

// since tells what became of the files of an entry, in few words.
func (s *story) since(entry string, names map[string]string) string {
	s.Helper()
	all, err := s.ws.Host().FilesSince(s.ctx, entry)
	s.must(err)
	var out []string
	for _, f := range all {
		var words strings.Builder
		words.WriteString(f.Path + " " + fileStates[f.State])
		if f.At != "" {
			words.WriteString(" at " + f.At)
		}
		for _, by := range f.By {
			words.WriteString(" by " + names[by.Entry])
		}
		if f.Outside {
			words.WriteString(" outside")
		}
		out = append(out, words.String())
	}
	return strings.Join(out, "; ")
}

func TestFilesSince(t *testing.T) {
	write := func(s *story) string { return s.edit("f", "one", "two") }
	remove := func(s *story) string { tx, _ := s.remove("f"); return tx }
	move := func(s *story) string { return s.move("f", "g") }
	list := func(txs ...string) []string { return txs }
	tests := []struct {
		name string
		do   func(s *story) string
		then func(s *story, tx string) []string // the later entries, which are called 1, 2, …
		want string
	}{
		{"nothing", write, nil, "f unchanged"},
		{"an edit", write, func(s *story, _ string) []string { return list(s.edit("f", "two", "three")) }, "f changed by 1"},
		{"edits", write, func(s *story, _ string) []string {
			return list(s.edit("f", "two", "three"), s.edit("f", "three", "four"))
		}, "f changed by 1 by 2"},
		{"an edit that was taken back", write, func(s *story, _ string) []string { tx := s.edit("f", "two", "three"); return list(tx, s.undo(tx)) }, "f unchanged"},
		{"one that was taken back, and one more", write, func(s *story, _ string) []string {
			tx := s.edit("f", "two", "three")
			return list(tx, s.undo(tx), s.edit("f", "two", "four"))
		}, "f changed by 3"},
		{"an edit back", write, func(s *story, _ string) []string {
			return list(s.edit("f", "two", "three"), s.edit("f", "three", "two"))
		}, "f unchanged"},
		{"taken back", write, func(s *story, tx string) []string { return list(s.undo(tx)) }, "f changed by 1"},
		{"a person", write, func(s *story, _ string) []string { s.save("f", "P\n"); return nil }, "f changed outside"},
		{"an edit, and a person", write, func(s *story, _ string) []string {
			tx := s.edit("f", "two", "three")
			s.save("f", "P\n")
			return list(tx)
		}, "f changed by 1 outside"},
		{"deleted", write, func(s *story, _ string) []string { return list(remove(s)) }, "f gone by 1"},
		{"deleted by a person", write, func(s *story, _ string) []string { s.must(os.Remove(s.at("f"))); return nil }, "f gone outside"},
		{"a directory", write, func(s *story, _ string) []string {
			s.must(os.Remove(s.at("f")))
			s.must(os.Mkdir(s.at("f"), 0o755))
			return nil
		}, "f gone outside"},
		{"deleted, which was taken back", write, func(s *story, _ string) []string { tx := remove(s); return list(tx, s.undo(tx)) }, "f unchanged"},
		{"deleted, which was taken back, and edited", write, func(s *story, _ string) []string {
			tx := remove(s)
			return list(tx, s.undo(tx), s.edit("f", "two", "three"))
		}, "f changed by 3"},
		{"deleted, and made anew", write, func(s *story, _ string) []string { return list(remove(s), s.create("f", "new\n")) }, "f back by 1 by 2"},
		{"deleted, and made anew by a person", write, func(s *story, _ string) []string { tx := remove(s); s.write("f", "P\n"); return list(tx) }, "f back by 1 outside"},
		{"deleted, made anew, and moved away", write, func(s *story, _ string) []string {
			return list(remove(s), s.create("f", "new\n"), s.move("f", "g"))
		}, "f gone by 1 by 2 by 3"},
		{"moved", write, func(s *story, _ string) []string { return list(s.move("f", "g")) }, "f unchanged at g by 1"},
		{"moved twice, and edited", write, func(s *story, _ string) []string {
			return list(s.move("f", "g"), s.move("g", "d/h"), s.edit("d/h", "two", "three"))
		}, "f changed at d/h by 1 by 2 by 3"},
		{"moved away, and another made", write, func(s *story, _ string) []string { return list(s.move("f", "g"), s.create("f", "new\n")) }, "f unchanged at g by 1"},
		{"moved, which was taken back", write, func(s *story, _ string) []string { tx := s.move("f", "g"); return list(tx, s.undo(tx)) }, "f unchanged"},
		{"overwritten by a move", write, func(s *story, _ string) []string { return list(s.move("x", "f")) }, "f changed by 1"},
		{"overwritten by a move, which moved on", write, func(s *story, _ string) []string { return list(s.move("x", "f"), s.move("f", "y")) }, "f gone by 1 by 2"},
		{"of a deletion", remove, nil, "f gone"},
		{"of a deletion, restored", remove, func(s *story, tx string) []string { return list(s.undo(tx)) }, "f back by 1"},
		{"of a deletion, made anew by a person", remove, func(s *story, _ string) []string { s.write("f", "P\n"); return nil }, "f back outside"},
		{"of a move", move, func(s *story, _ string) []string { return list(s.edit("g", "one", "two")) }, "g changed by 1"},
		{"of a move, moved back", move, func(s *story, _ string) []string { return list(s.move("g", "f")) }, "g unchanged at f by 1"},
		{"of two changes of one file in one call", func(s *story) string {
			rep, err := s.ws.Apply(s.ctx, envelope("*** Update File: f", "@@", "-one", "+two", "*** Update File: f", "*** Move to: g", "@@", "-two", "+three", "*** Delete File: x"),
				api.PatchOptions{Dialect: "codex"})
			s.must(err)
			return rep.Tx()
		}, nil, "f unchanged at g; g unchanged; x gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "f", "one\n", "x", "X\n")
			tx, names := tt.do(s), map[string]string{}
			if tt.then != nil {
				for i, later := range tt.then(s, tx) {
					names[later] = fmt.Sprint(i + 1)
				}
			}
			if got := s.since(tx, names); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestFilesSinceRefusal: what was refused has no files, and what is no entry is said.
func TestFilesSinceRefusal(t *testing.T) {
	s := begin(t, "f", "one\n")
	_, err := s.ws.Write(s.ctx, api.WriteRequest{Path: "f", Content: "x", ExpectedSha256: strings.Repeat("0", 64)})
	s.refusal(err, fail.Stale)
	if got := s.since("#2", nil); got != "" {
		t.Error(got)
	}
	_, err = s.ws.Host().FilesSince(s.ctx, "nothing")
	s.refusal(err, fail.NotFound)
}

// TestFilesSinceMany: of many later entries the newest are listed, and all are counted.
func TestFilesSinceMany(t *testing.T) {
	s := begin(t, "f", "0\n")
	tx := s.edit("f", "0", "1")
	var last string
	for i := 1; i < 15; i++ {
		last = s.edit("f", fmt.Sprint(i), fmt.Sprint(i+1))
	}
	all, err := s.ws.Host().FilesSince(s.ctx, tx)
	s.must(err)
	if f := all[0]; len(f.By) != 10 || f.ByCount != 14 || f.By[9].Entry != last {
		t.Errorf("%d of %d", len(f.By), f.ByCount)
	}
}
