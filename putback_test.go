package emend_test

import (
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// version is the id of the version of a file that an entry made; "" for the one before the first.
func (s *story) version(path, entry string) string {
	s.Helper()
	for _, v := range s.history(path).Versions {
		if v.Entry == entry && !v.Outside && !v.Gone {
			return v.ID
		}
	}
	s.Fatalf("%s has no version of %q", path, entry)
	return ""
}

// putBack puts a version back, and the dry run before has said the same and done nothing.
func (s *story) putBack(path, id string) string {
	s.Helper()
	r := api.PutBackRequest{Path: path, Version: id, DryRun: true}
	if _, err := os.Lstat(s.at(path)); err == nil {
		r.ExpectedSha256 = s.sha(path)
	}
	was := s.tree()
	dry, err := s.ws.PutBack(s.ctx, r)
	s.must(err)
	if s.tree() != was {
		s.Fatalf("the dry run: the tree was %s and is %s", was, s.tree())
	}
	r.DryRun = false
	rep, err := s.ws.PutBack(s.ctx, r)
	s.must(err)
	would, did := dry.Result().Text(), rep.Result().Text()
	if !strings.HasPrefix(did, "Put back the version "+id) || strings.Replace(would, "Would put", "Put", 1) != did || dry.Files()[0].Diff() != rep.Files()[0].Diff() {
		s.Errorf("it would %q, and it did %q", would, did)
	}
	return rep.Tx()
}

func TestPutBack(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *story) (path, entry string)
		want string
	}{
		{"the first", func(s *story) (string, string) {
			s.edit("f", "one", "two")
			s.edit("f", "two", "three")
			return "f", ""
		}, `f "one\n"`},
		{"one between", func(s *story) (string, string) {
			tx := s.edit("f", "one", "two")
			s.edit("f", "two", "three")
			return "f", tx
		}, `f "two\n"`},
		{"of a deleted file", func(s *story) (string, string) { s.remove("f"); return "f", "" }, `f "one\n"`},
		{"an older one of a deleted file", func(s *story) (string, string) { s.edit("f", "one", "two"); s.remove("f"); return "f", "" }, `f "one\n"`},
		{"of a moved file", func(s *story) (string, string) { s.edit("f", "one", "two"); s.move("f", "d/g"); return "d/g", "" }, `d/, d/g "one\n"`},
		{"over a person's", func(s *story) (string, string) { s.edit("f", "one", "two"); s.save("f", "P\n"); return "f", "" }, `f "one\n"`},
		{"below a parent that is gone", func(s *story) (string, string) {
			s.move("f", "d/e/f")
			s.edit("d/e/f", "one", "two")
			s.remove("d/e/f")
			s.must(os.RemoveAll(s.at("d")))
			return "d/e/f", ""
		}, `d/, d/e/, d/e/f "one\n"`},
		{"what a person saved over", func(s *story) (string, string) {
			tx := s.edit("f", "one", "two")
			s.save("f", "P\n")
			s.chmod("f", 0o750)
			return "f", tx
		}, `f "two\n"`},
		{"what a person saved over and deleted", func(s *story) (string, string) {
			tx := s.edit("f", "one", "two")
			s.save("f", "P\n")
			s.must(os.Remove(s.at("f")))
			return "f", tx
		}, `f "two\n"`},
		{"a link over a file", func(s *story) (string, string) {
			s.remove("f")
			s.link("nowhere", "f")
			s.remove("f")
			tx := s.create("f", "new\n")
			_ = tx
			return "f", "link"
		}, `f -> nowhere`},
		{"a file over a link", func(s *story) (string, string) { s.remove("f"); s.link("nowhere", "f"); return "f", "" }, `f "one\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "f", "one\n")
			s.chmod("f", 0o750)
			path, entry := tt.do(s)
			id := ""
			if entry != "link" {
				id = s.version(path, entry)
			} else {
				for _, v := range s.history(path).Versions {
					if c, err := s.ws.Content(s.ctx, v.ID); err == nil && c.Link != "" {
						id = v.ID
					}
				}
			}
			was := s.tree()
			tx := s.putBack(path, id)
			s.has(tt.want)
			if strings.Contains(tt.want, `"`) && s.modes(path) != path+" 750" {
				t.Errorf("its mode is %s", s.modes(path))
			}
			show, err := s.ws.Show(s.ctx, tx)
			if err != nil || show.Data.ToolName != "put_back" || show.Data.Kind != "commit" {
				t.Errorf("%+v, %v", show, err)
			}
			s.undo(s.undo(s.undo(tx)))
			s.has(was)
		})
	}
}

// TestPutBackRefused: what is in the way is said with the next step, and nothing changes.
func TestPutBackRefused(t *testing.T) {
	other := strings.Repeat("0", 64)
	tests := []struct {
		name  string
		do    func(s *story, r *api.PutBackRequest)
		kind  fail.Kind
		words string
	}{
		{"stale", func(s *story, r *api.PutBackRequest) { r.ExpectedSha256 = other }, fail.Stale, "changed since it was shown"},
		{"there", func(s *story, r *api.PutBackRequest) { r.ExpectedSha256 = "" }, fail.Stale, "none was expected"},
		{"gone", func(s *story, r *api.PutBackRequest) { s.must(os.Remove(s.at("f"))) }, fail.Stale, "gone since"},
		{"no hash", func(s *story, r *api.PutBackRequest) { r.ExpectedSha256 = "x" }, fail.CommandFailed, "sha256"},
		{"a directory", func(s *story, r *api.PutBackRequest) {
			s.must(os.Remove(s.at("f")))
			s.must(os.Mkdir(s.at("f"), 0o755))
		}, fail.AlreadyExists, "directory"},
		{"a file on the way", func(s *story, r *api.PutBackRequest) { r.Path = "x/f" }, fail.NotFound, ""},
		{"no version", func(s *story, r *api.PutBackRequest) { r.Version = "nothing" }, fail.NotFound, "history of the file"},
		{"a path for a version", func(s *story, r *api.PutBackRequest) { r.Version = "../log/00000001.jsonl" }, fail.NotFound, "history of the file"},
		{"no such slot", func(s *story, r *api.PutBackRequest) { r.Version += "0" }, fail.NotFound, "history of the file"},
		{"the present one", func(s *story, r *api.PutBackRequest) { r.Version = s.history("f").Versions[0].ID }, fail.AlreadyExists, "where it stands"},
		{"the same", func(s *story, r *api.PutBackRequest) { s.save("f", "one\n"); r.ExpectedSha256 = s.sha("f") }, fail.AlreadyExists, "already"},
		{"outside", func(s *story, r *api.PutBackRequest) { r.Path = "../f" }, fail.OutsideWorkspace, ""},
		{"protected", func(s *story, r *api.PutBackRequest) { r.Path, r.ExpectedSha256 = ".env", "" }, fail.PermissionDenied, ""},
		{"written to since", func(s *story, r *api.PutBackRequest) { s.write(".emend/slots/"+r.Version, "oops") }, fail.Stale, "written to since"},
		{"purged", func(s *story, r *api.PutBackRequest) {
			_, err := s.ws.Purge(s.ctx, api.PurgeRequest{Path: "f"})
			s.must(err)
		}, fail.NotFound, "purged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "f", "one\n", "x", "X\n")
			s.edit("f", "one", "two")
			r := api.PutBackRequest{Path: "f", Version: s.version("f", ""), ExpectedSha256: s.sha("f")}
			tt.do(s, &r)
			was := s.tree()
			for _, r.DryRun = range []bool{true, false} {
				_, err := s.ws.PutBack(s.ctx, r)
				s.refusal(err, tt.kind, tt.words)
			}
			s.has(was)
		})
	}
}

// TestPutBackOnce: a key does it once, and says the same again.
func TestPutBackOnce(t *testing.T) {
	s := begin(t, "f", "one\n")
	s.edit("f", "one", "two")
	r := api.PutBackRequest{Path: "f", Version: s.version("f", ""), ExpectedSha256: s.sha("f"), IdempotencyKey: "k"}
	first, err := s.ws.PutBack(s.ctx, r)
	s.must(err)
	again, err := s.ws.PutBack(s.ctx, r)
	s.must(err)
	if !again.Repeated() || again.Tx() != first.Tx() || again.Result().Text() != first.Result().Text() {
		t.Errorf("%q, and again %q", first.Result().Text(), again.Result().Text())
	}
	r.Path = "g"
	_, err = s.ws.PutBack(s.ctx, r)
	s.refusal(err, fail.CommandFailed, "another patch")
}
