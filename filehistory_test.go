package emend_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

func (s *story) history(path string) *api.FileHistory {
	s.Helper()
	h, err := s.ws.FileHistory(s.ctx, path, 0)
	s.must(err)
	return h
}

// versions is a history in few words, the newest first: what made a version, where, and what it says.
func (s *story) versions(path string) string {
	s.Helper()
	var out []string
	for _, v := range s.history(path).Versions {
		words := []string{v.Operation, report.EntryPath(&v.LogEntry)}
		if v.Entry == "" {
			words = []string{map[bool]string{true: "outside", false: "first"}[v.Outside], v.Path}
		}
		if v.Now {
			words = append(words, "now")
		}
		switch {
		case v.Gone:
			words = append(words, "gone")
		case v.ID == "":
			words = append(words, "lost")
		default:
			c, err := s.ws.Content(s.ctx, v.ID)
			s.must(err)
			if c.SizeBytes != v.SizeBytes || c.Sha256 != v.AfterSha256 {
				s.Errorf("%s: the version says %d bytes, %s, and its content %d, %s", path, v.SizeBytes, v.AfterSha256, c.SizeBytes, c.Sha256)
			}
			words = append(words, fmt.Sprintf("%q", c.Text+c.Link))
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, "; ")
}

func TestFileHistory(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *story)
		path string
		want string
	}{
		{"nothing", func(*story) {}, "f", ``},
		{"no file", func(*story) {}, "none", ``},
		{"created", func(s *story) { s.create("n", "1\n") }, "n", `add n now "1\n"`},
		{"edited", func(s *story) { s.edit("f", "one", "two"); s.edit("f", "two", "three") }, "f",
			`update f now "three\n"; update f "two\n"; first f "one\n"`},
		{"deleted", func(s *story) { s.edit("f", "one", "two"); s.remove("f") }, "f", `delete f now gone; update f "two\n"; first f "one\n"`},
		{"deleted, and made anew", func(s *story) { s.remove("f"); s.create("f", "new\n") }, "f",
			`add f now "new\n"; delete f gone; first f "one\n"`},
		{"moved", func(s *story) { s.edit("f", "one", "two"); s.move("f", "d/g"); s.edit("d/g", "two", "three") }, "d/g",
			`update d/g now "three\n"; move f -> d/g "two\n"; update f "two\n"; first f "one\n"`},
		{"moved away", func(s *story) { s.edit("f", "one", "two"); s.move("f", "g") }, "f", `move f -> g now gone; update f "two\n"; first f "one\n"`},
		{"moved away, and made anew", func(s *story) { s.move("f", "g"); s.create("f", "new\n") }, "f",
			`add f now "new\n"; move f -> g gone; first f "one\n"`},
		{"moved over another", func(s *story) { s.edit("x", "X", "Y"); s.move("f", "x") }, "x", `move f -> x now "one\n"; first f "one\n"`},
		{"moved, edited in the same call", func(s *story) {
			_, err := s.ws.Apply(s.ctx, envelope("*** Update File: f", "*** Move to: g", "@@", "-one", "+two"), api.PatchOptions{Dialect: "codex"})
			s.must(err)
		}, "g", `move f -> g now "two\n"; first f "one\n"`},
		{"changed places", func(s *story) { s.move("f", "t"); s.move("x", "f"); s.move("t", "x") }, "x",
			`move t -> x now "one\n"; move f -> t "one\n"; first f "one\n"`},
		{"changed places in one call", func(s *story) {
			_, err := s.ws.Apply(s.ctx, envelope("*** Update File: f", "*** Move to: t", "@@", " one", "*** Update File: x", "*** Move to: f", "@@", " X",
				"*** Update File: t", "*** Move to: x", "@@", " one"), api.PatchOptions{Dialect: "codex"})
			s.must(err)
		}, "x", `move t -> x now "one\n"; move f -> t "one\n"; first f "one\n"`},
		{"twice in one call", func(s *story) {
			_, err := s.ws.Apply(s.ctx, envelope("*** Update File: f", "@@", "-one", "+two", "*** Update File: f", "@@", "-two", "+three"), api.PatchOptions{Dialect: "codex"})
			s.must(err)
			s.edit("f", "three", "four")
		}, "f", `update f now "four\n"; update f "three\n"; update f lost; first f "one\n"`},
		{"taken back", func(s *story) { s.undo(s.edit("f", "one", "two")) }, "f", `update f now "one\n"; update f "two\n"; first f "one\n"`},
		{"taken back, and had again", func(s *story) { s.undo(s.undo(s.edit("f", "one", "two"))) }, "f",
			`update f now "two\n"; update f "one\n"; update f "two\n"; first f "one\n"`},
		{"restored", func(s *story) { _, id := s.remove("f"); s.restore(id, "") }, "f", `add f now "one\n"; delete f gone; first f "one\n"`},
		{"a move taken back", func(s *story) { s.undo(s.move("f", "g")) }, "f", `move g -> f now "one\n"; move f -> g "one\n"; first f "one\n"`},
		{"written by a person", func(s *story) { s.edit("f", "one", "two"); s.write("f", "P\n") }, "f",
			`outside f now "P\n"; update f "two\n"; first f "one\n"`},
		{"saved by a person", func(s *story) { s.edit("f", "one", "two"); s.save("f", "P\n") }, "f",
			`outside f now "P\n"; update f "two\n"; first f "one\n"`},
		{"saved by a person, and edited", func(s *story) { s.edit("f", "one", "two"); s.save("f", "P\n"); s.edit("f", "P", "Q") }, "f",
			`update f now "Q\n"; outside f "P\n"; update f "two\n"; first f "one\n"`},
		{"deleted by a person", func(s *story) { s.edit("f", "one", "two"); s.must(os.Remove(s.at("f"))) }, "f",
			`outside f now gone; update f "two\n"; first f "one\n"`},
		{"deleted by a person, and made anew", func(s *story) { s.edit("f", "one", "two"); s.must(os.Remove(s.at("f"))); s.create("f", "n\n") }, "f",
			`add f now "n\n"; outside f gone; update f "two\n"; first f "one\n"`},
		{"made, and saved by a person", func(s *story) { s.create("n", "1\n2"); s.save("n", "P\n") }, "n", `outside n now "P\n"; add n "1\n2"`},
		{"written by a person, without the diff", func(s *story) {
			tx := s.edit("f", "one", "two")
			s.write("f", "P\n")
			s.must(os.Remove(s.at(".emend/slots/" + tx + ".diff")))
		}, "f", `outside f now "P\n"; update f lost; first f "one\n"`},
		{"a directory there", func(s *story) { s.remove("f"); s.must(os.Mkdir(s.at("f"), 0o755)) }, "f", `delete f now gone; first f "one\n"`},
		{"a link", func(s *story) { s.link("f", "l"); s.move("l", "m"); s.remove("m") }, "m",
			`delete m now gone; move l -> m "f"; first l "f"`},
		{"for good", func(s *story) {
			_, err := s.ws.Delete(s.ctx, api.DeleteRequest{Path: "f", Permanent: true})
			s.must(err)
		}, "f", `delete f now gone; first f lost`},
		{"below a parent that is gone", func(s *story) { s.create("d/e/n", "1\n"); s.remove("d/e/n"); s.must(os.RemoveAll(s.at("d"))) }, "d/e/n",
			`delete d/e/n now gone; add d/e/n "1\n"`},
		{"refused", func(s *story) {
			s.edit("f", "one", "two")
			s.ws.Write(s.ctx, api.WriteRequest{Path: "f", Content: "x", ExpectedSha256: strings.Repeat("0", 64)}) //nolint:errcheck // it is refused
		}, "f", `update f now "two\n"; first f "one\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "f", "one\n", "x", "X\n")
			tt.do(s)
			if got := s.versions(tt.path); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", strings.ReplaceAll(got, "; ", "\n"), strings.ReplaceAll(tt.want, "; ", "\n"))
			}
		})
	}
}
