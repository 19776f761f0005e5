package emendtest

import (
	"fmt"
	"github.com/emend-dev/emend/internal/kept"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// LoseAnswers removes the stored answers, as a crash does before they are synced.
func (s *Story) LoseAnswers() {
	s.Helper()
	all, err := filepath.Glob(s.At(".emend/slots/*.answer"))
	if err != nil || len(all) == 0 {
		s.Fatalf("no answers: %v", err)
	}
	for _, name := range all {
		s.Must(os.Remove(name))
	}
}

// History returns the history of a file.
func (s *Story) History(path string) *api.FileHistory {
	s.Helper()
	h, err := s.WS.FileHistory(s.Ctx, path, 0)
	s.Must(err)
	return h
}

// Versions describes the history of a file, the newest version first: what made it, where it was, and its content.
func (s *Story) Versions(path string) string {
	s.Helper()
	var out []string
	for _, v := range s.History(path).Versions {
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
			c, err := s.WS.Content(s.Ctx, v.ID)
			s.Must(err)
			if c.SizeBytes != v.SizeBytes || c.Sha256 != v.AfterSha256 {
				s.Errorf("%s: the version says %d bytes, %s, and its content %d, %s", path, v.SizeBytes, v.AfterSha256, c.SizeBytes, c.Sha256)
			}
			words = append(words, fmt.Sprintf("%q", c.Text+c.Link))
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, "; ")
}

// FileStates are the words of [Story.Since] for states.
var FileStates = map[api.FileState]string{api.FileSame: "unchanged", api.FileChanged: "changed", api.FileGone: "gone", api.FileBack: "back", api.FileUnknown: "hidden"}

// Since describes what became of the files of an entry. names are short names of later entries.
func (s *Story) Since(entry string, names map[string]string) string {
	s.Helper()
	all, err := s.WS.Host().FilesSince(s.Ctx, entry)
	s.Must(err)
	var out []string
	for _, f := range all {
		var words strings.Builder
		words.WriteString(f.Path + " " + FileStates[f.State])
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

// Version returns the id of the version of a file that an entry made; with "", of the version before the first entry.
func (s *Story) Version(path, entry string) string {
	s.Helper()
	for _, v := range s.History(path).Versions {
		if v.Entry == entry && !v.Outside && !v.Gone {
			return v.ID
		}
	}
	s.Fatalf("%s has no version of %q", path, entry)
	return ""
}

// PutBack puts a version back. A dry run before it must give the same answer and change nothing.
func (s *Story) PutBack(path, id string) string {
	s.Helper()
	r := api.PutBackRequest{Path: path, Version: id, DryRun: true}
	if _, err := os.Lstat(s.At(path)); err == nil {
		r.ExpectedSha256 = s.Sha(path)
	}
	was := s.Tree()
	dry, err := s.WS.PutBack(s.Ctx, r)
	s.Must(err)
	if s.Tree() != was {
		s.Fatalf("the dry run: the tree was %s and is %s", was, s.Tree())
	}
	r.DryRun = false
	rep, err := s.WS.PutBack(s.Ctx, r)
	s.Must(err)
	would, did := dry.Result().Text(), rep.Result().Text()
	if !strings.HasPrefix(did, "Restored the version "+id) || strings.Replace(would, "Would restore", "Restored", 1) != did || dry.Files()[0].Diff() != rep.Files()[0].Diff() {
		s.Errorf("it would %q, and it did %q", would, did)
	}
	return rep.Tx
}

// Changes returns what a session did.
func (s *Story) Changes(session string) *api.SessionChanges {
	s.Helper()
	c, err := s.WS.SessionChanges(s.Ctx, session)
	s.Must(err)
	return c
}

// Changed returns the removed and the added lines of a diff.
func Changed(diff string) string {
	var out []string
	for l := range strings.SplitSeq(diff, "\n") {
		if l != "" && strings.ContainsRune("-+", rune(l[0])) && !strings.HasPrefix(l, "---") && !strings.HasPrefix(l, "+++") {
			out = append(out, l)
		}
	}
	return strings.Join(out, " ")
}

// Sums returns the sha256 of every file at the root, by name.
func (s *Story) Sums() map[string]string {
	s.Helper()
	out := map[string]string{}
	for _, name := range s.Files() {
		out[name] = s.Sha(name)
	}
	return out
}

// ApplyChange applies what a session did to one file to the contents before, and fails the test unless it leads to the
// contents after.
func (s *Story) ApplyChange(f api.SessionFile, texts, after map[string]string) {
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
	got, ok := kept.ApplyDiff(from, f.Diff)
	if want := after[to]; !ok || f.Operation != "delete" && got != want || f.Operation == "delete" && got != "" {
		s.Errorf("%s %s (%s): the difference leads from %q to %q, %t, and it is %q\n%s", f.Operation, to, f.NotShown, from, got, ok, want, f.Diff)
	}
}

// Some returns any file, which it creates if there is none.
func (s *Story) Some(r *rand.Rand) string {
	names := s.Files()
	if len(names) == 0 {
		s.Create("a", "A\n")
		return "a"
	}
	return names[r.IntN(len(names))]
}

// Blame says where the lines of a file come from. Each line must be in exactly one range, and each origin in use.
func (s *Story) Blame(path string) *api.Blame {
	s.Helper()
	a, err := s.WS.Blame(s.Ctx, api.BlameRequest{Path: path})
	s.Must(err)
	b, next, used := &a.Data, 1, map[int]bool{}
	for _, r := range b.Ranges {
		if r.StartLine != next || r.EndLine < r.StartLine || r.Origin < 0 || r.Origin >= len(b.Origins) || len(r.Text) != r.EndLine-r.StartLine+1 {
			s.Fatalf("%s: the range %+v does not follow line %d, or has no origin among %d", path, r, next-1, len(b.Origins))
		}
		next, used[r.Origin] = r.EndLine+1, true
	}
	if next != b.LineCount+1 || len(used) != len(b.Origins) {
		s.Fatalf("%s: the ranges have %d of %d lines, and use %d of %d origins", path, next-1, b.LineCount, len(used), len(b.Origins))
	}
	return b
}

// OriginAt returns the origin of a line.
func OriginAt(t *testing.T, b *api.Blame, line int) api.LineOrigin {
	t.Helper()
	for _, r := range b.Ranges {
		if r.StartLine <= line && line <= r.EndLine {
			return b.Origins[r.Origin]
		}
	}
	t.Fatalf("line %d has no origin", line)
	return api.LineOrigin{}
}
