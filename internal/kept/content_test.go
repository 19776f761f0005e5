package kept_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// TestContent: a version has the content that the file had, as much of it as is shown.
func TestContent(t *testing.T) {
	line := strings.Repeat("x", 999) + "\n"
	large := strings.Repeat(line, 5000)
	tests := []struct {
		name, text string
		want       api.Content
	}{
		{"empty", "", api.Content{}},
		{"one line", "one\n", api.Content{Text: "one\n"}},
		{"no newline", "one", api.Content{Text: "one"}},
		{"crlf and a byte order mark", "\ufeffone\r\ntwo\r\n", api.Content{Text: "\ufeffone\r\ntwo\r\n"}},
		{"not utf-8", "a\xffb\n", api.Content{Text: "a\xffb\n"}},
		{"binary", "a\x00b", api.Content{Binary: true}},
		{"large", large, api.Content{Truncated: true, Text: large[:4<<20/1000*1000]}},
		{"one long line", strings.Repeat("é", 3<<20), api.Content{Truncated: true, Text: strings.Repeat("é", 2<<20)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", tt.text)
			s.Chmod("f", 0o750)
			_, id := s.Remove("f")
			back := s.Restore(id, "")
			is := func(id string) {
				t.Helper()
				c, err := s.WS.Content(s.Ctx, id)
				s.Must(err)
				if c.ID != id || c.Path != "f" || c.Text != tt.want.Text || c.Truncated != tt.want.Truncated || c.Binary != tt.want.Binary || c.Mode != "0750" ||
					c.SizeBytes != int64(len(tt.text)) || c.Sha256 != emendtest.Sum(tt.text) || c.Link != "" || c.MTime.IsZero() {
					t.Errorf("%s: %d bytes of text, truncated %t, binary %t, mode %s, size %d", id, len(c.Text), c.Truncated, c.Binary, c.Mode, c.SizeBytes)
				}
			}
			is(s.History("f").Versions[0].ID)
			s.Undo(back)
			is(s.History("f").Versions[1].ID)
			is(emendtest.Trash(t, s.WS)[0].ID)
		})
	}
}

// TestContentOfNothing: an id is no path; the id of a current version holds only while the file is unchanged.
func TestContentOfNothing(t *testing.T) {
	s := emendtest.NewStory(t, "f", "one\n", "x", "X\n")
	s.Edit("f", "one", "two")
	now, kept := s.History("f").Versions[0].ID, s.History("f").Versions[1].ID
	tx, _, _ := strings.Cut(kept, ".")
	for _, id := range []string{"", "x", tx, kept + "0", kept + ".new", kept + "++", tx + ".7+", "../" + kept, "../log/00000001.jsonl", tx + ".diff", tx + ".diff+", "now:", "now::f", "20200101-000000-aaaaaaaaaa.0", "20200101-000000-aaaaaaaaaa.0+"} {
		_, err := s.WS.Content(s.Ctx, id)
		if e := err; e == nil {
			t.Errorf("%q is something", id)
		}
		_, err = s.WS.PutBack(s.Ctx, api.PutBackRequest{Path: "f", Version: id, ExpectedSha256: s.Sha("f")})
		if err == nil {
			t.Errorf("%q was put back", id)
		}
	}
	for id, kind := range map[string]fail.Kind{"now:" + emendtest.Sum("two\n") + ":../f": fail.OutsideWorkspace, "now:" + emendtest.Sum("x") + ":.env": fail.PermissionDenied,
		"now:" + emendtest.Sum("two\n") + ":x": fail.Stale, "now:" + emendtest.Sum("two\n") + ":none": fail.Stale} {
		_, err := s.WS.Content(s.Ctx, id)
		if kind == fail.Stale && strings.HasSuffix(id, "none") {
			kind = fail.NotFound
		}
		s.Refusal(err, kind)
	}
	if c, err := s.WS.Content(s.Ctx, now); err != nil || c.Text != "two\n" {
		t.Errorf("%+v, %v", c, err)
	}
	s.Save("f", "P\n")
	_, err := s.WS.Content(s.Ctx, now)
	s.Refusal(err, fail.Stale, "written to since")
	s.Write(".emend/slots/"+kept, "oops")
	_, err = s.WS.Content(s.Ctx, kept)
	s.Refusal(err, fail.Stale, "written to since")
}

// TestVersionsProtected: of a file that may not be read now, or only when a person allows it, only the name is shown.
func TestVersionsProtected(t *testing.T) {
	dir := t.TempDir()
	open := (&emendtest.Story{T: t, Ctx: t.Context()}).Opened(dir, emend.AllowProtected("*.pem"))
	a := open.As("A")
	a.Create("x.pem", "secret\n")
	made := a.Edit("x.pem", "secret", "hidden")
	a.Create("plain", "secret\n")
	moved := a.Move("x.pem", "y.txt")
	a.Edit("y.txt", "hidden", "open")
	a.Create("z.pem", "other\n")
	gone, trashed := a.Remove("z.pem")
	a.Move("plain", "x.pem")
	last := a.Edit("x.pem", "secret", "hidden")
	id := made + ".0"
	policy := filepath.Join(t.TempDir(), "policy.toml")
	open.Must(os.WriteFile(policy, []byte("[read]\nask = [\"*.pem\"]\n"), 0o600))
	for how, s := range map[string]*emendtest.Story{"protected": open.Opened(dir), "ask": open.Opened(dir, emend.Policy(policy), emend.AllowProtected("*.pem"))} {
		for _, err := range []error{
			second(s.WS.FileHistory(s.Ctx, "x.pem", 0)), second(s.WS.Content(s.Ctx, id)), second(s.WS.Content(s.Ctx, trashed)),
			second(s.WS.Content(s.Ctx, "now:"+emendtest.Sum("hidden\n")+":x.pem")),
			second(s.WS.PutBack(s.Ctx, api.PutBackRequest{Path: "new", Version: id})),
			second(s.WS.PutBack(s.Ctx, api.PutBackRequest{Path: "new", Version: last + ".0"})),
		} {
			s.Refusal(err, fail.PermissionDenied)
		}
		for _, v := range s.History("y.txt").Versions {
			if strings.Contains(report.EntryPath(&v.LogEntry), "x.pem") && (v.BeforeSha256 != "" || v.AfterSha256 != "") || v.Path == "x.pem" && v.ToPath == "" && (v.ID != "" || v.SizeBytes != 0) {
				t.Errorf("%s: %+v", how, v)
			}
		}
		for _, entry := range []string{made, last, gone, moved} {
			if got := s.Since(entry, nil); !strings.Contains(got, "hidden") || strings.Contains(got, "by") {
				t.Errorf("%s: %s", how, got)
			}
		}
		shown := 0
		for _, f := range s.Changes("A").Files {
			if strings.Contains(f.Path+f.ToPath, ".pem") {
				shown++
				if f.Diff != "" || f.Before != "" || f.After != "" || f.NotShown == "" {
					t.Errorf("%s: %+v", how, f)
				}
			}
		}
		if shown < 2 {
			t.Errorf("%s: %d files are protected: %+v", how, shown, s.Changes("A").Files)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestVersionsBelow: paths count from a root below the top, and a file that was moved across its border begins or ends there.
func TestVersionsBelow(t *testing.T) {
	s := emendtest.NewStory(t, "f", "one\n", "d/g", "two\n")
	s.As("A").Edit("f", "one", "eins")
	in := s.As("A").Move("f", "d/f")
	s.As("A").Edit("d/f", "eins", "un")
	d := s.Below("d")
	if got, want := d.Versions("f"), `update f now "un\n"; add f "eins\n"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.Move("d/g", "g")
	if got, want := d.Versions("g"), `delete g now gone; first g lost`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := d.Since(in, nil); got != "f changed by " {
		t.Error(got)
	}
	c := d.Changes("A")
	if len(c.Files) != 1 || c.Files[0].Operation != "add" || c.Files[0].Path != "f" || emendtest.Changed(c.Files[0].Diff) != "+un" {
		t.Errorf("%+v", c.Files)
	}
	d.PutBack("f", d.History("f").Versions[1].ID)
	s.Has(`d/, d/f "eins\n", g "two\n"`)
}

// TestVersionsPruned: a version that is not kept any more is listed without an id.
func TestVersionsPruned(t *testing.T) {
	s := emendtest.NewStory(t, "f", "one\n")
	s.Edit("f", "one", "two")
	tx := s.Edit("f", "two", "three")
	_, err := s.WS.Purge(s.Ctx, api.PurgeRequest{Entries: []string{tx}})
	s.Must(err)
	if got, want := s.Versions("f"), `update f now "three\n"; update f "two\n"; first f "one\n"`; got != want {
		t.Errorf("got %s, want %s", got, want) // made anew, of what is kept before
	}
	_, err = s.WS.Purge(s.Ctx, api.PurgeRequest{Path: "f"})
	s.Must(err)
	if got, want := s.Versions("f"), `update f now "three\n"; update f lost; first f lost`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if h, err := s.WS.FileHistory(s.Ctx, "f", 1); err != nil || !h.Truncated || len(h.Versions) != 1 || !h.Versions[0].Now {
		t.Errorf("%+v, %v", h, err)
	}
	for path, kind := range map[string]fail.Kind{"../f": fail.OutsideWorkspace, ".": fail.CommandFailed, ".env": fail.PermissionDenied} {
		_, err := s.WS.FileHistory(s.Ctx, path, 0)
		s.Refusal(err, kind)
	}
}
