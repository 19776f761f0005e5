package trace_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/emendtest"
)

var blameRuns = flag.Int("blame", 12, "random stories of TestBlameIsTrue")

// writers is a story whose lines are all different, so that who wrote each is known beside the log.
type writers struct {
	*emendtest.Story
	r     *rand.Rand
	by    map[string]string // by line: the entry that wrote it; "" for a person
	next  int
	saved map[string]bool // what people saved
	lost  map[string]bool // the same, if it was moved or brought back since: emend has it nowhere, so nobody may save over it
	txs   []string
	told  []string
	trash []string
	over  []string // the moves over another file
	fork  bool     // one of them was undone: then a file has two pasts, and blame follows one
}

// text changes lines of a text at random: it removes some and adds new ones.
func (s *writers) text(old string) string {
	lines := strings.SplitAfter(old, "\n")
	if n := len(lines) - 1; lines[n] == "" {
		lines = lines[:n]
	}
	for range 1 + s.r.IntN(3) {
		at := s.r.IntN(len(lines) + 1)
		gone := min(s.r.IntN(3), len(lines)-at)
		var added []string
		for range s.r.IntN(4) {
			s.next++
			added = append(added, fmt.Sprintf("line %d\n", s.next))
		}
		lines = slices.Replace(lines, at, at+gone, added...)
	}
	return strings.Join(lines, "")
}

// wrote notes that the new lines of a text are an entry's.
func (s *writers) wrote(tx, content string) {
	for line := range strings.Lines(content) {
		if _, known := s.by[line]; !known {
			s.by[line] = tx
		}
	}
	if tx != "" {
		s.txs = append(s.txs, tx)
	}
}

// step does something at random, and tells what.
func (s *writers) step() {
	s.Helper()
	names := s.Files()
	defer func(n int) {
		if len(s.txs) == n {
			return
		}
		for _, name := range s.Files() {
			s.lost[s.Read(name)] = s.saved[s.Read(name)]
		}
	}(len(s.txs))
	path := string(rune('a' + s.r.IntN(4)))
	there := slices.Contains(names, path)
	tell := func(format string, args ...any) { s.told = append(s.told, fmt.Sprintf(format, args...)) }
	switch do := s.r.IntN(12); {
	case !there && do < 4:
		content := s.text("")
		tell("create %s", path)
		s.wrote(s.Create(path, content), content)
	case !there && len(names) > 0:
		from := names[s.r.IntN(len(names))]
		tell("move %s %s", from, path)
		s.txs = append(s.txs, s.Move(from, path))
	case !there:
	case do < 4:
		content := s.text(s.Read(path))
		if content == s.Read(path) {
			return
		}
		tell("write %s", path)
		a, err := s.WS.Write(s.Ctx, api.WriteRequest{Path: path, Content: content, ExpectedSha256: s.Sha(path)})
		s.Must(err)
		s.wrote(a.Tx, content)
	case do < 6:
		content := s.text(s.Read(path))
		tell("person %s", path)
		if s.lost[s.Read(path)] {
			return
		}
		s.wrote("", content)
		s.Save(path, content)
		s.saved[content] = true
	case do == 6:
		content := s.text(s.Read(path))
		tell("shell %s", path)
		s.look(api.BeforeCall)
		s.Save(path, content)
		for _, e := range s.look(api.AfterCall).Entries {
			s.wrote(e.Entry, content)
		}
	case do == 7:
		tell("remove %s", path)
		tx, id := s.Remove(path)
		s.txs, s.trash = append(s.txs, tx), append(s.trash, id)
	case do == 8 && len(s.trash) > 0:
		to := string(rune('e' + s.next%20))
		if slices.Contains(names, to) {
			return
		}
		if a, err := s.WS.Restore(s.Ctx, api.RestoreRequest{TrashedPath: s.trash[s.r.IntN(len(s.trash))], TargetPath: to}); err == nil {
			tell("restore %s", to)
			s.txs = append(s.txs, a.Tx)
		}
	case do == 9 && len(names) > 1:
		if from := names[s.r.IntN(len(names))]; from != path {
			tell("move %s over %s", from, path)
			s.over = append(s.over, s.Move(from, path))
			s.txs = append(s.txs, s.over[len(s.over)-1])
		}
	case len(s.txs) > 0:
		tx := s.txs[max(0, len(s.txs)-1-s.r.IntN(6))]
		if rep, err := s.WS.Undo(s.Ctx, api.UndoRequest{Entry: tx}); err == nil {
			tell("undo %s by %s", tx, rep.Tx)
			s.txs = append(s.txs, rep.Tx)
			s.fork = s.fork || slices.Contains(s.over, tx)
		}
	}
}

func (s *writers) look(m api.Moment) *api.Look {
	s.Helper()
	l, err := by(s.Story, api.Actor{Tool: "shell", Session: "shells", Call: "c"}).Looked(api.LookRequest{Moment: m})
	s.Must(err)
	for _, e := range l.Entries {
		s.txs = append(s.txs, e.Entry)
	}
	return l
}

// check compares what blame says of every file with who wrote its lines.
func (s *writers) check() {
	s.Helper()
	for _, path := range s.Files() {
		b := s.Blame(path)
		line := 0
		for text := range strings.Lines(s.Read(path)) {
			line++
			o := emendtest.OriginAt(s.T, b, line)
			switch want, nobodys := s.by[text], o.By != nil && o.By.ToolName == "between calls"; {
			case want == "" && (o.Source == api.FromOutside || o.Source == api.FromBeforeLog || nobodys):
			case want != "" && o.Source == api.FromEntry && o.By.Entry == want:
			case s.fork && o.Source == api.FromEntry && len(o.By.Undoes) > 0:
			default:
				s.Errorf("%s:%d %q is %+v %+v, want %q", path, line, text, o, o.By, want)
			}
		}
		if line != b.LineCount {
			s.Errorf("%s has %d lines, and blame has %d", path, line, b.LineCount)
		}
	}
}

// TestBlameIsTrue: whatever was edited, moved, restored and undone, by agents, commands and people, each line is from who wrote
// it. Nothing is missing, since nothing was pruned.
func TestBlameIsTrue(t *testing.T) {
	for seed := range uint64(*blameRuns) {
		s := &writers{Story: emendtest.NewStory(t, "a", "first\nsecond\nthird\n", "b", "fourth\n"), r: rand.New(rand.NewPCG(seed, 19)), by: map[string]string{}, saved: map[string]bool{}, lost: map[string]bool{}}
		s.Story = s.Opened(s.WS.Root(), emend.NoSync())
		for _, name := range s.Files() {
			s.wrote("", s.Read(name))
			s.saved[s.Read(name)] = true
		}
		for range 40 {
			s.step()
		}
		s.check()
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, strings.Join(s.told, ", "))
		}
	}
}
