package read_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// TestNobodyReadsTheStore: the store has the contents and hashes of every file that was changed, protected ones too. No tool
// reads it, lists it or searches it, wherever it is.
func TestNobodyReadsTheStore(t *testing.T) {
	for store, repository := range map[string]string{".emend": "x", ".git/emend": ".git/HEAD", "kept/here": "x"} {
		t.Run(store, func(t *testing.T) {
			s := emendtest.NewStory(t, ".env", "SECRET\n", repository, "", "kept/x", "")
			o := []emend.Option{}
			if store == "kept/here" {
				o = append(o, emend.Store(s.At(store)))
			}
			writeSecret(t, s.Opened(s.WS.Root(), append(o, emend.AllowProtected(".env"))...))
			agent := s.Opened(s.WS.Root(), o...)
			files := 0
			s.Must(filepath.WalkDir(s.At(store), func(p string, d fs.DirEntry, err error) error {
				rel, _ := filepath.Rel(s.At("."), p)
				if _, err := agent.WS.List(agent.Ctx, api.ListRequest{Path: rel, IncludeHidden: true}); err == nil {
					t.Errorf("%s can be listed", rel)
				}
				if _, err := agent.WS.Read(agent.Ctx, api.ReadRequest{Path: rel}); !errors.Is(err, fail.PermissionDenied) {
					t.Errorf("%s can be read: %v", rel, err)
				}
				if b, _ := os.ReadFile(p); strings.Contains(string(b), "SECRET") {
					files++
				}
				return err
			}))
			if files == 0 {
				t.Error("the store has nothing of the file: this test shows nothing")
			}
			for _, root := range []string{".", ".git", "kept"} {
				l, err := agent.WS.List(agent.Ctx, api.ListRequest{Path: root, Recursive: true, IncludeHidden: true, IncludeIgnored: true})
				if err == nil && strings.Contains(l.Result().Text(), "slots") {
					t.Errorf("%s: %s", root, l.Result().Text())
				}
				f, err := agent.WS.Search(agent.Ctx, api.SearchRequest{Query: "SECRET", Mode: "text", Root: root, IncludeIgnored: true})
				if err == nil && len(f.Data.Matches) > 0 {
					t.Errorf("%s: %+v", root, f.Data.Matches)
				}
			}
		})
	}
}

func writeSecret(t *testing.T, s *emendtest.Story) {
	t.Helper()
	_, err := s.WS.Write(s.Ctx, api.WriteRequest{Path: ".env", ExpectedSha256: emendtest.Sum("SECRET\n"), Content: "other\n"})
	s.Must(err)
}
