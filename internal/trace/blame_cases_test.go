package trace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/emendtest"
)

// origins describes where the lines of a file come from. names are short names of entries.
func origins(b *api.Blame, names map[string]string) string {
	var out []string
	name := func(entry string) string {
		if n, ok := names[entry]; ok || entry == "" {
			return n
		}
		return "?"
	}
	for _, r := range b.Ranges {
		o := b.Origins[r.Origin]
		words := string(o.Source)
		switch o.Source {
		case api.FromEntry:
			words = name(o.By.Entry) + " " + string(o.Contributor)
			if o.Uncertain {
				words += " uncertain"
			}
		case api.FromOutside, api.FromUnknown:
			words += " " + name(o.After) + ".." + name(o.Before)
		}
		out = append(out, strings.Join(r.Text, ",")+": "+words)
	}
	return strings.Join(out, "; ")
}

func TestBlame(t *testing.T) {
	const file = "one\ntwo\nthree\n"
	tests := []struct {
		name string
		do   func(s *emendtest.Story) string // returns the entries that are called a, b and c in want
		path string
		want string
	}{
		{"no entry", func(*emendtest.Story) string { return "" }, "f", "one,two,three: outside .."},
		{"empty", func(s *emendtest.Story) string { return s.Create("n", "") }, "n", ""},
		{"created", func(s *emendtest.Story) string { return s.Create("n", "1\n2") }, "n", "1,2: a unknown"},
		{"edited", func(s *emendtest.Story) string { return s.Edit("f", "two", "2\n2b") }, "f", "one: beforeLog; 2,2b: a unknown; three: beforeLog"},
		{"by an agent", func(s *emendtest.Story) string { return by(s, api.Actor{Agent: "coder"}).Edit("f", "two", "2") }, "f",
			"one: beforeLog; 2: a ai; three: beforeLog"},
		{"by a client", func(s *emendtest.Story) string { return by(s, api.Actor{Client: "editor/1"}).Edit("f", "two", "2") }, "f",
			"one: beforeLog; 2: a ai; three: beforeLog"},
		{"by the command line", func(s *emendtest.Story) string {
			return by(s, api.Actor{Client: api.CommandLine}).Edit("f", "two", "2")
		}, "f",
			"one: beforeLog; 2: a unknown; three: beforeLog"},
		{"by a person", func(s *emendtest.Story) string { return by(s, api.Actor{Agent: api.PersonAgent}).Edit("f", "two", "2") }, "f",
			"one: beforeLog; 2: a human; three: beforeLog"},
		{"a line end", func(s *emendtest.Story) string { return s.Edit("f", "two\n", "two\r\n") }, "f", "one: beforeLog; two: a unknown; three: beforeLog"},
		{"a byte order mark", func(s *emendtest.Story) string { return rewrite(s, "f", "\uFEFF"+file) }, "f", "one: a unknown; two,three: beforeLog"},
		{"moved", func(s *emendtest.Story) string { return s.Edit("f", "two", "2") + " " + s.Move("f", "d/g") }, "d/g",
			"one: beforeLog; 2: a unknown; three: beforeLog"},
		{"edited and moved in one call", func(s *emendtest.Story) string {
			rep, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Update File: f", "*** Move to: g", "@@", "-two", "+2"), api.PatchOptions{Dialect: "codex"})
			s.Must(err)
			return rep.Tx
		}, "g", "one: beforeLog; 2: a unknown; three: beforeLog"},
		{"twice in one call", func(s *emendtest.Story) string {
			rep, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Update File: f", "@@", "-two", "+2", "*** Update File: f", "@@", "-2", "+2b"), api.PatchOptions{Dialect: "codex"})
			s.Must(err)
			return rep.Tx + " " + s.Edit("f", "three", "3")
		}, "f", "one: beforeLog; 2b: a unknown; 3: b unknown"},
		{"replaced as a whole", func(s *emendtest.Story) string { return rewrite(s, "f", "x\ny\n") }, "f", "x,y: a unknown"},
		{"deleted, and made anew", func(s *emendtest.Story) string {
			s.Remove("f")
			return s.Create("f", file)
		}, "f", "one,two,three: a unknown"},
		{"moved away, and made anew", func(s *emendtest.Story) string {
			s.Move("f", "g")
			return s.Create("f", "one\n1\n")
		}, "f", "one,1: a unknown"},
		{"a person since", func(s *emendtest.Story) string {
			tx := s.Edit("f", "two", "2")
			s.Save("f", "one\n2\nthree\nP\n")
			return tx
		}, "f", "one: beforeLog; 2: a unknown; three: beforeLog; P: outside a.."},
		{"a person in between", func(s *emendtest.Story) string {
			tx := s.Edit("f", "two", "2")
			s.Save("f", "P\none\n2\nthree\n")
			return tx + " " + s.Edit("f", "three", "3")
		}, "f", "P: outside a..b; one: beforeLog; 2: a unknown; 3: b unknown"},
		{"a person before", func(s *emendtest.Story) string {
			s.Save("f", "P\n"+file)
			return s.Edit("f", "two", "2")
		}, "f", "P,one: beforeLog; 2: a unknown; three: beforeLog"},
		{"taken back", func(s *emendtest.Story) string {
			s.Undo(s.Edit("f", "two", "2"))
			return ""
		}, "f", "one,two,three: beforeLog"},
		{"taken back, and had again", func(s *emendtest.Story) string {
			tx := s.Edit("f", "two", "2")
			s.Undo(s.Undo(tx))
			return tx
		}, "f", "one: beforeLog; 2: a unknown; three: beforeLog"},
		{"a part taken back", func(s *emendtest.Story) string {
			a := s.Create("n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
			b := s.Edit("n", "2\n", "")
			c := s.Edit("n", "8", "eight")
			s.Undo(b)
			return a + " " + b + " " + c
		}, "n", "1,2,3,4,5,6,7: a unknown; eight: c unknown; 9: a unknown"},
		{"a part taken back after a person", func(s *emendtest.Story) string {
			a := s.Create("n", "1\n2\n3\n4\n5\n")
			b := s.Edit("n", "1\n2\n", "x\n")
			s.Save("n", "x\n3\n4\n5\nP\n")
			s.Undo(b)
			return a + " " + b
		}, "n", "1,2,3,4,5: a unknown; P: outside b..?"},
		{"a deletion taken back", func(s *emendtest.Story) string {
			a := s.Edit("f", "two", "2")
			tx, _ := s.Remove("f")
			s.Undo(tx)
			return a
		}, "f", "one: beforeLog; 2: a unknown; three: beforeLog"},
		{"restored elsewhere", func(s *emendtest.Story) string {
			a := s.Edit("f", "two", "2")
			_, id := s.Remove("f")
			s.Restore(id, "g")
			return a + " " + s.Edit("g", "three", "3")
		}, "g", "one: beforeLog; 2: a unknown; 3: b unknown"},
		{"put back", func(s *emendtest.Story) string {
			a := s.Edit("f", "two", "2")
			b := s.Edit("f", "2", "two more")
			s.PutBack("f", s.Version("f", a))
			return a + " " + b
		}, "f", "one: beforeLog; 2: a unknown; three: beforeLog"},
		{"moved over, and taken back", func(s *emendtest.Story) string {
			a := s.Edit("f", "two", "2")
			s.Undo(s.Move("x", "f"))
			return a
		}, "f", "one: beforeLog; 2: a unknown; three: beforeLog"},
		{"taken back, and had again after an edit", func(s *emendtest.Story) string {
			a := s.Create("n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
			b := s.Edit("n", "2", "two")
			u := s.Undo(b)
			c := s.Edit("n", "8", "eight")
			s.Undo(u)
			return a + " " + b + " " + c
		}, "n", "1: a unknown; two: b unknown; 3,4,5,6,7: a unknown; eight: c unknown; 9: a unknown"},
		{"put back twice", func(s *emendtest.Story) string {
			first := s.Edit("f", "two", "2")
			s.Edit("f", "2", "22")
			s.PutBack("f", s.Version("f", ""))
			s.Edit("f", "two", "X")
			s.PutBack("f", s.Version("f", first))
			return first
		}, "f", "one: beforeLog; 2: a unknown; three: beforeLog"},
		{"put back, and a part taken back that is older", func(s *emendtest.Story) string {
			a := s.Create("n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n")
			b := s.Edit("n", "\n2\n", "\ntwo\n")
			s.Edit("n", "6", "six")
			s.PutBack("n", s.Version("n", b))
			c := s.Edit("n", "11", "eleven")
			s.Undo(b)
			return a + " " + b + " " + c
		}, "n", "1,2,3,4,5,6,7,8,9,10: a unknown; eleven: c unknown; 12: a unknown"},
		{"a part taken back, and purged", func(s *emendtest.Story) string {
			s = by(s, api.Actor{Agent: "coder"})
			a := s.Create("n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
			b := s.Edit("n", "2\n", "")
			c := s.Edit("n", "8", "eight")
			u := s.Undo(b)
			_, err := s.WS.Purge(s.Ctx, api.PurgeRequest{Entries: []string{a, b}})
			s.Must(err)
			return a + " " + b + " " + c + " " + u
		}, "n", "1: unknown a..b; 2: d unknown; 3,4,5,6,7: unknown a..b; eight: c ai; 9: unknown a..b"},
		{"a session taken back", func(s *emendtest.Story) string {
			a := s.Create("n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
			b := s.As("A").Edit("n", "2", "two")
			s.As("B").Edit("n", "two\n", "")
			s.As("B").Edit("n", "1\n", "")
			c := s.As("A").Edit("n", "8", "eight")
			s.UndoSession("B")
			return a + " " + b + " " + c
		}, "n", "1: a unknown; two: b unknown; 3,4,5,6,7: a unknown; eight: c unknown; 9: a unknown"},
		{"seen", func(s *emendtest.Story) string {
			look(s, "1", api.LookRequest{Moment: api.BeforeCall})
			s.Save("f", "one\nS\nthree\n")
			return look(s, "1", api.LookRequest{Moment: api.AfterCall})
		}, "f", "one: beforeLog; S: a ai; three: beforeLog"},
		{"seen while others were at work", func(s *emendtest.Story) string {
			look(s, "1", api.LookRequest{Moment: api.BeforeCall})
			look(s, "2", api.LookRequest{Moment: api.BeforeCall})
			s.Save("f", "one\nS\nthree\n")
			return look(s, "1", api.LookRequest{Moment: api.AfterCall})
		}, "f", "one: beforeLog; S: a unknown uncertain; three: beforeLog"},
		{"seen between calls", func(s *emendtest.Story) string {
			look(s, "", api.LookRequest{Moment: api.AtPrompt})
			s.Save("f", "one\nS\nthree\n")
			return look(s, "", api.LookRequest{Moment: api.AtPrompt})
		}, "f", "one: beforeLog; S: a unknown uncertain; three: beforeLog"},
		{"purged", func(s *emendtest.Story) string {
			a := s.Edit("f", "two", "2")
			b := s.Edit("f", "three", "3")
			_, err := s.WS.Purge(s.Ctx, api.PurgeRequest{Entries: []string{a}})
			s.Must(err)
			return a + " " + b
		}, "f", "one,2: unknown ..a; 3: b unknown"},
		{"written to where it is kept", func(s *emendtest.Story) string {
			a := s.Edit("f", "two", "2")
			all, err := os.ReadDir(s.At(".emend/slots"))
			s.Must(err)
			for _, e := range all {
				if strings.HasPrefix(e.Name(), a+".0") {
					s.Must(os.WriteFile(s.At(".emend/slots/"+e.Name()), []byte("one\n222\nthree\n"), 0o644))
				}
			}
			return a
		}, "f", "one,2,three: unknown ..a"},
		{"kept nowhere", func(s *emendtest.Story) string {
			s.Save("f", "P\n")
			a := s.Move("f", "g")
			s.Save("g", "P\nQ\n")
			return a + " " + s.Edit("g", "Q", "R")
		}, "g", "P: unknown a..b; R: b unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", file, "x", "X\n")
			names := map[string]string{}
			for i, tx := range strings.Fields(tt.do(s)) {
				names[tx] = string(rune('a' + i))
			}
			if got := origins(s.Blame(tt.path), names); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// by returns the story with calls made by an actor.
func by(s *emendtest.Story, a api.Actor) *emendtest.Story {
	return &emendtest.Story{T: s.T, WS: s.WS, Ctx: emend.WithActor(s.Ctx, a)}
}

// rewrite gives a file a new text.
func rewrite(s *emendtest.Story, path, content string) string {
	s.Helper()
	a, err := s.WS.Write(s.Ctx, api.WriteRequest{Path: path, Content: content, ExpectedSha256: s.Sha(path)})
	s.Must(err)
	return a.Tx
}

// look looks at the tree as a call of a client's shell, and returns the entries.
func look(s *emendtest.Story, call string, r api.LookRequest) string {
	s.Helper()
	l, err := by(s, api.Actor{Client: "claude-code", Session: "s", Turn: "t", Tool: "Bash", Call: call}).Looked(r)
	s.Must(err)
	var out []string
	for _, e := range l.Entries {
		out = append(out, e.Entry)
	}
	return strings.Join(out, " ")
}

// TestBlameLines: some lines have the origins that they have among all, and older versions that nobody needs are not read.
func TestBlameLines(t *testing.T) {
	s := emendtest.NewStory(t, "f", "1\n2\n3\n4\n")
	a := s.Edit("f", "2", "two")
	b := s.Edit("f", "3", "three")
	_, err := s.WS.Purge(s.Ctx, api.PurgeRequest{Entries: []string{a}})
	s.Must(err)
	for _, tt := range []struct {
		first, last int
		want        string
	}{{3, 3, "three: b unknown"}, {2, 3, "two: unknown ..a; three: b unknown"}, {4, 0, "4: unknown ..a"}, {0, 1, "1: unknown ..a"}} {
		d, err := s.WS.Blame(s.Ctx, api.BlameRequest{Path: "f", StartLine: tt.first, EndLine: tt.last})
		s.Must(err)
		if got := origins(&d.Data, map[string]string{a: "a", b: "b"}); got != tt.want || d.Data.LineCount != 4 {
			t.Errorf("%d to %d: got %s, want %s", tt.first, tt.last, got, tt.want)
		}
	}
	for _, r := range []api.BlameRequest{{StartLine: 5}, {EndLine: 5}, {StartLine: 3, EndLine: 2}, {StartLine: -1}, {EndLine: -1}} {
		r.Path = "f"
		_, err := s.WS.Blame(s.Ctx, r)
		s.Refusal(err, fail.CommandFailed, "The file has 4 lines.")
	}
}

func TestBlameRefuses(t *testing.T) {
	s := emendtest.NewStory(t, "f", "1\n", "bin", "a\x00b\n", ".env", "KEY=1\n", "d/f", "1\n", "long", strings.Repeat("x\n", 3<<20))
	s.Link("f", "l")
	s.Link("../out", "out")
	for path, kind := range map[string]fail.Kind{"none": fail.NotFound, "d": fail.CommandFailed, "bin": fail.BinaryFile, ".env": fail.PermissionDenied,
		"long": fail.FileTooLarge, "out": fail.OutsideWorkspace, "../f": fail.OutsideWorkspace, "": fail.CommandFailed} {
		_, err := s.WS.Blame(s.Ctx, api.BlameRequest{Path: path})
		s.Refusal(err, kind)
		_, err = s.WS.Host().AgentTrace(s.Ctx, api.BlameRequest{Path: path})
		s.Refusal(err, kind)
	}
	if got := s.Blame("l").Path; got != "f" { // a link is followed, as to read it
		t.Errorf("the link is %q", got)
	}
	ctx, cancel := context.WithCancel(s.Ctx)
	s.Edit("f", "1", "2")
	cancel()
	_, err := s.WS.Blame(ctx, api.BlameRequest{Path: "f"})
	s.Refusal(err, fail.CommandFailed)
}

// TestBlameProtected: what was written where nobody may read now is not compared.
func TestBlameProtected(t *testing.T) {
	s := emendtest.NewStory(t, "secret/f", "1\n2\n")
	a := s.Edit("secret/f", "2", "two")
	b := s.Move("secret/f", "f")
	c := s.Edit("f", "1", "one")
	policy := filepath.Join(t.TempDir(), "policy.toml")
	s.Must(os.WriteFile(policy, []byte("[read]\ndeny = [\"secret\"]\n"), 0o600))
	s = s.Opened(s.WS.Root(), emend.Policy(policy))
	if got, want := origins(s.Blame("f"), map[string]string{a: "a", b: "b", c: "c"}), "one: c unknown; two: unknown ..a"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestBlameBelow: paths count from the workspace, also where its root is a directory of the tree.
func TestBlameBelow(t *testing.T) {
	s := emendtest.NewStory(t, "f", "1\n2\n", "d/g", "x\n")
	a := s.Move("f", "d/f")
	below := s.Below("d")
	b := below.Edit("f", "2", "two")
	if got, want := origins(below.Blame("f"), map[string]string{a: "a", b: "b"}), "1: a unknown; two: b unknown"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := origins(s.Blame("d/f"), map[string]string{a: "a", b: "b"}), "1: beforeLog; two: b unknown"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	trace, err := below.WS.Host().AgentTrace(s.Ctx, api.BlameRequest{Path: "f"})
	s.Must(err)
	if got := trace.Files[0].Path; got != "d/f" { // from the top of the repository
		t.Errorf("the record is of %s", got)
	}
}

// TestBlameWhileOthersWrite: no line of an entry looks like a change without emend, whenever somebody asks.
func TestBlameWhileOthersWrite(t *testing.T) {
	s := emendtest.NewStory(t, "f", "1\n")
	writer := s.Opened(s.WS.Root(), emend.NoSync())
	done := make(chan error, 1)
	go func() {
		content := "1\n"
		for n := range 40 {
			next := fmt.Sprintf("line %d\n", n) + content
			if _, err := writer.WS.Write(writer.Ctx, api.WriteRequest{Path: "f", Content: next, ExpectedSha256: emendtest.Sum(content)}); err != nil {
				done <- err
				return
			}
			content = next
		}
		done <- nil
	}()
	for {
		for _, o := range s.Blame("f").Origins {
			if o.Source == api.FromOutside && o.After != "" || o.Source == api.FromUnknown {
				t.Fatalf("a line is from %+v", o)
			}
		}
		select {
		case err := <-done:
			s.Must(err)
			return
		default:
		}
	}
}

// BenchmarkBlame blames a file with so many entries, each of which changed one of 200 lines.
func BenchmarkBlame(b *testing.B) {
	for _, entries := range []int{250, 500, 1000, 2000} {
		ws := edited(b, entries)
		b.Run(fmt.Sprint(entries), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ws.Blame(b.Context(), api.BlameRequest{Path: "f"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// edited returns a workspace with a file of 200 lines that so many calls edited, but never its first line.
func edited(b *testing.B, calls int) *emend.Workspace {
	b.Helper()
	dir := b.TempDir()
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d, as it was at first\n", i)
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte(strings.Join(lines, "")), 0o644); err != nil {
		b.Fatal(err)
	}
	ws, err := emend.Open(dir, emend.NoSync())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ws.Close() })
	for n := range calls {
		i := 1 + n%(len(lines)-1)
		before := emendtest.Sum(strings.Join(lines, ""))
		lines[i] = fmt.Sprintf("line %d, as call %d left it\n", i, n)
		if _, err := ws.Write(b.Context(), api.WriteRequest{Path: "f", Content: strings.Join(lines, ""), ExpectedSha256: before}); err != nil {
			b.Fatal(err)
		}
	}
	return ws
}
