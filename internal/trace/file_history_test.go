package trace_test

import (
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
)

func TestFileHistory(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *emendtest.Story)
		path string
		want string
	}{
		{"nothing", func(*emendtest.Story) {}, "f", ``},
		{"no file", func(*emendtest.Story) {}, "none", ``},
		{"created", func(s *emendtest.Story) { s.Create("n", "1\n") }, "n", `add n now "1\n"`},
		{"edited", func(s *emendtest.Story) { s.Edit("f", "one", "two"); s.Edit("f", "two", "three") }, "f",
			`update f now "three\n"; update f "two\n"; first f "one\n"`},
		{"deleted", func(s *emendtest.Story) { s.Edit("f", "one", "two"); s.Remove("f") }, "f", `delete f now gone; update f "two\n"; first f "one\n"`},
		{"deleted, and made anew", func(s *emendtest.Story) { s.Remove("f"); s.Create("f", "new\n") }, "f",
			`add f now "new\n"; delete f gone; first f "one\n"`},
		{"moved", func(s *emendtest.Story) { s.Edit("f", "one", "two"); s.Move("f", "d/g"); s.Edit("d/g", "two", "three") }, "d/g",
			`update d/g now "three\n"; move f -> d/g "two\n"; update f "two\n"; first f "one\n"`},
		{"moved away", func(s *emendtest.Story) { s.Edit("f", "one", "two"); s.Move("f", "g") }, "f", `move f -> g now gone; update f "two\n"; first f "one\n"`},
		{"moved away, and made anew", func(s *emendtest.Story) { s.Move("f", "g"); s.Create("f", "new\n") }, "f",
			`add f now "new\n"; move f -> g gone; first f "one\n"`},
		{"moved over another", func(s *emendtest.Story) { s.Edit("x", "X", "Y"); s.Move("f", "x") }, "x", `move f -> x now "one\n"; first f "one\n"`},
		{"moved, edited in the same call", func(s *emendtest.Story) {
			_, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Update File: f", "*** Move to: g", "@@", "-one", "+two"), api.PatchOptions{Dialect: "codex"})
			s.Must(err)
		}, "g", `move f -> g now "two\n"; first f "one\n"`},
		{"changed places", func(s *emendtest.Story) { s.Move("f", "t"); s.Move("x", "f"); s.Move("t", "x") }, "x",
			`move t -> x now "one\n"; move f -> t "one\n"; first f "one\n"`},
		{"changed places in one call", func(s *emendtest.Story) {
			_, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Update File: f", "*** Move to: t", "@@", " one", "*** Update File: x", "*** Move to: f", "@@", " X",
				"*** Update File: t", "*** Move to: x", "@@", " one"), api.PatchOptions{Dialect: "codex"})
			s.Must(err)
		}, "x", `move t -> x now "one\n"; move f -> t "one\n"; first f "one\n"`},
		{"twice in one call", func(s *emendtest.Story) {
			_, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Update File: f", "@@", "-one", "+two", "*** Update File: f", "@@", "-two", "+three"), api.PatchOptions{Dialect: "codex"})
			s.Must(err)
			s.Edit("f", "three", "four")
		}, "f", `update f now "four\n"; update f "three\n"; update f lost; first f "one\n"`},
		{"taken back", func(s *emendtest.Story) { s.Undo(s.Edit("f", "one", "two")) }, "f", `update f now "one\n"; update f "two\n"; first f "one\n"`},
		{"taken back, and had again", func(s *emendtest.Story) { s.Undo(s.Undo(s.Edit("f", "one", "two"))) }, "f",
			`update f now "two\n"; update f "one\n"; update f "two\n"; first f "one\n"`},
		{"restored", func(s *emendtest.Story) { _, id := s.Remove("f"); s.Restore(id, "") }, "f", `add f now "one\n"; delete f gone; first f "one\n"`},
		{"a move taken back", func(s *emendtest.Story) { s.Undo(s.Move("f", "g")) }, "f", `move g -> f now "one\n"; move f -> g "one\n"; first f "one\n"`},
		{"written by a person", func(s *emendtest.Story) { s.Edit("f", "one", "two"); s.Write("f", "P\n") }, "f",
			`outside f now "P\n"; update f "two\n"; first f "one\n"`},
		{"saved by a person", func(s *emendtest.Story) { s.Edit("f", "one", "two"); s.Save("f", "P\n") }, "f",
			`outside f now "P\n"; update f "two\n"; first f "one\n"`},
		{"saved by a person, and edited", func(s *emendtest.Story) { s.Edit("f", "one", "two"); s.Save("f", "P\n"); s.Edit("f", "P", "Q") }, "f",
			`update f now "Q\n"; outside f "P\n"; update f "two\n"; first f "one\n"`},
		{"deleted by a person", func(s *emendtest.Story) { s.Edit("f", "one", "two"); s.Must(os.Remove(s.At("f"))) }, "f",
			`outside f now gone; update f "two\n"; first f "one\n"`},
		{"deleted by a person, and made anew", func(s *emendtest.Story) {
			s.Edit("f", "one", "two")
			s.Must(os.Remove(s.At("f")))
			s.Create("f", "n\n")
		}, "f",
			`add f now "n\n"; outside f gone; update f "two\n"; first f "one\n"`},
		{"made, and saved by a person", func(s *emendtest.Story) { s.Create("n", "1\n2"); s.Save("n", "P\n") }, "n", `outside n now "P\n"; add n "1\n2"`},
		{"written by a person, without the diff", func(s *emendtest.Story) {
			tx := s.Edit("f", "one", "two")
			s.Write("f", "P\n")
			s.Must(os.Remove(s.At(".emend/slots/" + tx + ".diff")))
		}, "f", `outside f now "P\n"; update f lost; first f "one\n"`},
		{"a directory there", func(s *emendtest.Story) { s.Remove("f"); s.Must(os.Mkdir(s.At("f"), 0o755)) }, "f", `delete f now gone; first f "one\n"`},
		{"a link", func(s *emendtest.Story) { s.Link("f", "l"); s.Move("l", "m"); s.Remove("m") }, "m",
			`delete m now gone; move l -> m "f"; first l "f"`},
		{"for good", func(s *emendtest.Story) {
			_, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "f", Permanent: true})
			s.Must(err)
		}, "f", `delete f now gone; first f lost`},
		{"below a parent that is gone", func(s *emendtest.Story) { s.Create("d/e/n", "1\n"); s.Remove("d/e/n"); s.Must(os.RemoveAll(s.At("d"))) }, "d/e/n",
			`delete d/e/n now gone; add d/e/n "1\n"`},
		{"refused", func(s *emendtest.Story) {
			s.Edit("f", "one", "two")
			s.WS.Write(s.Ctx, api.WriteRequest{Path: "f", Content: "x", ExpectedSha256: strings.Repeat("0", 64)}) //nolint:errcheck // it is refused
		}, "f", `update f now "two\n"; first f "one\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", "one\n", "x", "X\n")
			tt.do(s)
			if got := s.Versions(tt.path); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", strings.ReplaceAll(got, "; ", "\n"), strings.ReplaceAll(tt.want, "; ", "\n"))
			}
		})
	}
}
