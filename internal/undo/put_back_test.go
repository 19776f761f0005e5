package undo_test

import (
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func TestPutBack(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *emendtest.Story) (path, entry string)
		want string
	}{
		{"the first", func(s *emendtest.Story) (string, string) {
			s.Edit("f", "one", "two")
			s.Edit("f", "two", "three")
			return "f", ""
		}, `f "one\n"`},
		{"one between", func(s *emendtest.Story) (string, string) {
			tx := s.Edit("f", "one", "two")
			s.Edit("f", "two", "three")
			return "f", tx
		}, `f "two\n"`},
		{"of a deleted file", func(s *emendtest.Story) (string, string) { s.Remove("f"); return "f", "" }, `f "one\n"`},
		{"an older one of a deleted file", func(s *emendtest.Story) (string, string) { s.Edit("f", "one", "two"); s.Remove("f"); return "f", "" }, `f "one\n"`},
		{"of a moved file", func(s *emendtest.Story) (string, string) {
			s.Edit("f", "one", "two")
			s.Move("f", "d/g")
			return "d/g", ""
		}, `d/, d/g "one\n"`},
		{"over a person's", func(s *emendtest.Story) (string, string) {
			s.Edit("f", "one", "two")
			s.Save("f", "P\n")
			return "f", ""
		}, `f "one\n"`},
		{"below a parent that is gone", func(s *emendtest.Story) (string, string) {
			s.Move("f", "d/e/f")
			s.Edit("d/e/f", "one", "two")
			s.Remove("d/e/f")
			s.Must(os.RemoveAll(s.At("d")))
			return "d/e/f", ""
		}, `d/, d/e/, d/e/f "one\n"`},
		{"what a person saved over", func(s *emendtest.Story) (string, string) {
			tx := s.Edit("f", "one", "two")
			s.Save("f", "P\n")
			s.Chmod("f", 0o750)
			return "f", tx
		}, `f "two\n"`},
		{"what a person saved over and deleted", func(s *emendtest.Story) (string, string) {
			tx := s.Edit("f", "one", "two")
			s.Save("f", "P\n")
			s.Must(os.Remove(s.At("f")))
			return "f", tx
		}, `f "two\n"`},
		{"a link over a file", func(s *emendtest.Story) (string, string) {
			s.Remove("f")
			s.Link("nowhere", "f")
			s.Remove("f")
			tx := s.Create("f", "new\n")
			_ = tx
			return "f", "link"
		}, `f -> nowhere`},
		{"a file over a link", func(s *emendtest.Story) (string, string) { s.Remove("f"); s.Link("nowhere", "f"); return "f", "" }, `f "one\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", "one\n")
			s.Chmod("f", 0o750)
			path, entry := tt.do(s)
			id := ""
			if entry != "link" {
				id = s.Version(path, entry)
			} else {
				for _, v := range s.History(path).Versions {
					if c, err := s.WS.Content(s.Ctx, v.ID); err == nil && c.Link != "" {
						id = v.ID
					}
				}
			}
			was := s.Tree()
			tx := s.PutBack(path, id)
			s.Has(tt.want)
			if strings.Contains(tt.want, `"`) && s.Modes(path) != path+" 750" {
				t.Errorf("its mode is %s", s.Modes(path))
			}
			show, err := s.WS.Show(s.Ctx, tx)
			if err != nil || show.Data.ToolName != "put_back" || show.Data.Kind != "commit" {
				t.Errorf("%+v, %v", show, err)
			}
			s.Undo(s.Undo(s.Undo(tx)))
			s.Has(was)
		})
	}
}

// TestPutBackRefused: a refusal says why and what to do next, and nothing changes.
func TestPutBackRefused(t *testing.T) {
	other := strings.Repeat("0", 64)
	tests := []struct {
		name  string
		do    func(s *emendtest.Story, r *api.PutBackRequest)
		kind  fail.Kind
		words string
	}{
		{"stale", func(s *emendtest.Story, r *api.PutBackRequest) { r.ExpectedSha256 = other }, fail.Stale, "changed since it was shown"},
		{"there", func(s *emendtest.Story, r *api.PutBackRequest) { r.ExpectedSha256 = "" }, fail.Stale, "none was expected"},
		{"gone", func(s *emendtest.Story, r *api.PutBackRequest) { s.Must(os.Remove(s.At("f"))) }, fail.Stale, "gone since"},
		{"no hash", func(s *emendtest.Story, r *api.PutBackRequest) { r.ExpectedSha256 = "x" }, fail.CommandFailed, "sha256"},
		{"a directory", func(s *emendtest.Story, r *api.PutBackRequest) {
			s.Must(os.Remove(s.At("f")))
			s.Must(os.Mkdir(s.At("f"), 0o755))
		}, fail.AlreadyExists, "directory"},
		{"a file on the way", func(s *emendtest.Story, r *api.PutBackRequest) { r.Path = "x/f" }, fail.NotFound, ""},
		{"no version", func(s *emendtest.Story, r *api.PutBackRequest) { r.Version = "nothing" }, fail.NotFound, "history of the file"},
		{"a path for a version", func(s *emendtest.Story, r *api.PutBackRequest) { r.Version = "../log/00000001.jsonl" }, fail.NotFound, "history of the file"},
		{"no such slot", func(s *emendtest.Story, r *api.PutBackRequest) { r.Version += "0" }, fail.NotFound, "history of the file"},
		{"the present one", func(s *emendtest.Story, r *api.PutBackRequest) { r.Version = s.History("f").Versions[0].ID }, fail.AlreadyExists, "it is the file as it is now"},
		{"the same", func(s *emendtest.Story, r *api.PutBackRequest) { s.Save("f", "one\n"); r.ExpectedSha256 = s.Sha("f") }, fail.AlreadyExists, "already"},
		{"outside", func(s *emendtest.Story, r *api.PutBackRequest) { r.Path = "../f" }, fail.OutsideWorkspace, ""},
		{"protected", func(s *emendtest.Story, r *api.PutBackRequest) { r.Path, r.ExpectedSha256 = ".env", "" }, fail.PermissionDenied, ""},
		{"written to since", func(s *emendtest.Story, r *api.PutBackRequest) { s.Write(".emend/slots/"+r.Version, "oops") }, fail.Stale, "written to since"},
		{"purged", func(s *emendtest.Story, r *api.PutBackRequest) {
			_, err := s.WS.Purge(s.Ctx, api.PurgeRequest{Path: "f"})
			s.Must(err)
		}, fail.NotFound, "purged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", "one\n", "x", "X\n")
			s.Edit("f", "one", "two")
			r := api.PutBackRequest{Path: "f", Version: s.Version("f", ""), ExpectedSha256: s.Sha("f")}
			tt.do(s, &r)
			was := s.Tree()
			for _, r.DryRun = range []bool{true, false} {
				_, err := s.WS.PutBack(s.Ctx, r)
				s.Refusal(err, tt.kind, tt.words)
			}
			s.Has(was)
		})
	}
}

// TestPutBackOnce: a second call with the key changes nothing and gives the first answer.
func TestPutBackOnce(t *testing.T) {
	s := emendtest.NewStory(t, "f", "one\n")
	s.Edit("f", "one", "two")
	r := api.PutBackRequest{Path: "f", Version: s.Version("f", ""), ExpectedSha256: s.Sha("f"), IdempotencyKey: "k"}
	first, err := s.WS.PutBack(s.Ctx, r)
	s.Must(err)
	again, err := s.WS.PutBack(s.Ctx, r)
	s.Must(err)
	if !again.Repeated || again.Tx != first.Tx || again.Result().Text() != first.Result().Text() {
		t.Errorf("%q, and again %q", first.Result().Text(), again.Result().Text())
	}
	r.Path = "g"
	_, err = s.WS.PutBack(s.Ctx, r)
	s.Refusal(err, fail.CommandFailed, "another patch")
}
