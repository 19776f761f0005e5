package change_test

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

// newTree returns a story with a directory that has something of everything in it: hidden and ignored files, links, empty directories.
func newTree(t *testing.T) *emendtest.Story {
	s := emendtest.NewStory(t, "d/a", "A\n", "d/.hidden", "H\n", "d/e/b", "B\n", "d/e/f/c", "\xff\x00", ".gitignore", "*.log\nout/\n", "d/x.log", "log\n", "d/out/o", "O\n", "keep", "K\n")
	s.Must(os.MkdirAll(s.At("d/empty/in"), 0o755))
	s.Link("../keep", "d/link")
	s.Link("nowhere", "d/e/dangling")
	s.Chmod("d/e/f", 0o750)
	s.Chmod("d/empty/in", 0o700)
	s.Chmod("d/a", 0o755)
	return s
}

var treeModes = []string{"d", "d/e", "d/e/f", "d/empty", "d/empty/in", "d/a", "d/e/b"}

// TestTreeGoesAndComesBack: a directory is deleted, or moved, as one entry of the log, and its undo gives everything back: empty
// directories, links and permissions too. The undo of the undo is the change again.
func TestTreeGoesAndComesBack(t *testing.T) {
	for name, do := range map[string]func(s *emendtest.Story) (tx string, tree *api.TreeData, err error){
		"delete": func(s *emendtest.Story) (string, *api.TreeData, error) {
			a, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "d", Recursive: true})
			if err != nil {
				return "", nil, err
			}
			return a.Tx, a.Data.Tree, nil
		},
		"move": func(s *emendtest.Story) (string, *api.TreeData, error) {
			a, err := s.WS.Move(s.Ctx, api.MoveRequest{FromPath: "d", ToPath: "new/n", CreateParentDirectories: true, Recursive: true})
			if err != nil {
				return "", nil, err
			}
			return a.Tx, a.Data.Tree, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTree(t)
			before, modes := s.Tree(), s.Modes(treeModes...)
			tx, tree, err := do(s)
			s.Must(err)
			if tree.Files != 8 || tree.Directories != 6 {
				t.Errorf("%+v", tree)
			}
			after, wants := s.Tree(), `.gitignore "*.log\nout/\n", keep "K\n"`
			if name == "move" {
				if strings.Contains(after, " d/") || !strings.Contains(after, `new/n/e/f/c "\xff\x00"`) || !strings.Contains(after, "new/n/empty/in/") || !strings.Contains(after, "new/n/link -> ../keep") {
					t.Errorf("%s", after)
				}
				if got, want := s.Modes("new/n/e/f", "new/n/empty/in", "new/n/a"), "new/n/e/f 750, new/n/empty/in 700, new/n/a 755"; got != want {
					t.Errorf("%s, want %s", got, want)
				}
			} else if after != wants {
				t.Errorf("the tree is\n%s", after)
			}
			undo := s.Undo(tx)
			s.Has(before)
			if got := s.Modes(treeModes...); got != modes {
				t.Errorf("%s, want %s", got, modes)
			}
			again := s.Undo(undo)
			s.Has(after)
			s.Undo(again)
			s.Has(before)
			if got := s.Modes(treeModes...); got != modes {
				t.Errorf("%s, want %s", got, modes)
			}
		})
	}
}

// TestEmptyTree: a directory without a file is one entry as well.
func TestEmptyTree(t *testing.T) {
	s := emendtest.NewStory(t, "keep", "K\n")
	s.Must(os.MkdirAll(s.At("d/in"), 0o755))
	before := s.Tree()
	deleted, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "d", Recursive: true})
	s.Must(err)
	s.Has(`keep "K\n"`)
	s.Undo(deleted.Tx)
	s.Has(before)
	moved, err := s.WS.Move(s.Ctx, api.MoveRequest{FromPath: "d", ToPath: "e", Recursive: true})
	s.Must(err)
	s.Has(`e/, e/in/, keep "K\n"`)
	s.Undo(moved.Tx)
	s.Has(before)
	for _, e := range []string{deleted.Tx, moved.Tx} {
		entry, err := s.WS.Show(s.Ctx, e)
		s.Must(err)
		if len(entry.Data.Files) == 0 || entry.Data.Files[0].Operation == "" {
			t.Errorf("an entry says nothing of what it did: %+v", entry.Data)
		}
	}
}

// TestTreeForGood: a permanent deletion keeps nothing, and cannot be undone.
func TestTreeForGood(t *testing.T) {
	s := emendtest.NewStory(t, "d/a", "secret-of-a\n", "d/e/b", "secret-of-b\n")
	a, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "d", Recursive: true, Permanent: true})
	s.Must(err)
	s.Has("")
	for _, text := range []string{"secret-of-a", "secret-of-b"} {
		if found := emendtest.StoreHas(t, s.WS, text); len(found) > 0 {
			t.Errorf("%s is in %v", text, found)
		}
	}
	s.Refused(api.UndoRequest{Entry: a.Tx}, fail.NotFound, "deleted permanently")
}

// TestTreeRefused: what may not be touched in a directory refuses all of it, by its name, and nothing changes.
func TestTreeRefused(t *testing.T) {
	for _, row := range []struct {
		name  string
		setup func(s *emendtest.Story)
		to    string // for a move; "" to delete
		kind  fail.Kind
		words []string
	}{
		{"a repository in it", func(s *emendtest.Story) { s.Must(os.MkdirAll(s.At("d/sub/.git"), 0o755)) }, "", fail.PermissionDenied, []string{"d/sub/.git"}},
		{"a repository in it, to move", func(s *emendtest.Story) { s.Must(os.MkdirAll(s.At("d/sub/.git"), 0o755)) }, "n", fail.PermissionDenied, []string{"d/sub/.git"}},
		{"the workspace", func(*emendtest.Story) {}, "", fail.CommandFailed, []string{"the workspace itself"}},
		{"outside", func(*emendtest.Story) {}, "", fail.OutsideWorkspace, nil},
		{"into itself", func(*emendtest.Story) {}, "d/e/n", fail.CommandFailed, []string{"inside of the directory"}},
		{"onto itself", func(*emendtest.Story) {}, "d", fail.AlreadyExists, nil},
		{"onto a file", func(*emendtest.Story) {}, "keep", fail.AlreadyExists, []string{"replaces nothing"}},
		{"onto a directory", func(s *emendtest.Story) { s.Must(os.Mkdir(s.At("n"), 0o755)) }, "n", fail.AlreadyExists, []string{"is a directory"}},
		{"to a protected name", func(*emendtest.Story) {}, ".git", fail.PermissionDenied, []string{".git"}},
		{"without its parent", func(*emendtest.Story) {}, "x/y", fail.NotFound, []string{"directory does not exist"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "d/a", "A\n", "d/e/b", "B\n", "keep", "K\n")
			row.setup(s)
			path := map[string]string{"the workspace": ".", "outside": ".."}[row.name]
			if path == "" {
				path = "d"
			}
			was := s.Tree()
			var err error
			if row.to == "" {
				_, err = s.WS.Delete(s.Ctx, api.DeleteRequest{Path: path, Recursive: true})
			} else {
				_, err = s.WS.Move(s.Ctx, api.MoveRequest{FromPath: path, ToPath: row.to, Recursive: true, Overwrite: true})
			}
			s.Refusal(err, row.kind, row.words...)
			s.Has(was)
		})
	}
}

// TestTreeArguments: a directory has no hash; a file is deleted and moved as without Recursive.
func TestTreeArguments(t *testing.T) {
	s := emendtest.NewStory(t, "d/a", "A\n", "f", "F\n")
	sum := strings.Repeat("0", 64)
	_, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "d", Recursive: true, ExpectedSha256: sum})
	s.Refusal(err, fail.CommandFailed, "has no sha256")
	_, err = s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "f", Recursive: true, ExpectedSha256: sum})
	s.Refusal(err, fail.Stale)
	_, err = s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "d"})
	s.Refusal(err, fail.NotFound, "is a directory")
	moved, err := s.WS.Move(s.Ctx, api.MoveRequest{FromPath: "f", ToPath: "g", Recursive: true, Plain: true})
	s.Must(err)
	if moved.Data.Tree != nil || moved.Data.Sha256 == "" {
		t.Errorf("%+v", moved.Data)
	}
	first, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "d", Recursive: true, IdempotencyKey: "k"})
	s.Must(err)
	again, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "d", Recursive: true, IdempotencyKey: "k"})
	s.Must(err)
	if again.Tx != first.Tx || again.Data.Tree == nil || *again.Data.Tree != *first.Data.Tree {
		t.Errorf("the same key: %+v, want %+v", again.Data, first.Data)
	}
	_, err = s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "d", IdempotencyKey: "k"})
	s.Refusal(err, fail.CommandFailed, "idempotency key")
}

// TestTreeLimit: a directory with more files than one change may have is refused before any of them is read.
func TestTreeLimit(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		p := filepath.Join(dir, "d", fmt.Sprint(i%3), fmt.Sprint(i))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := emend.Open(dir, emend.WithLimits(api.Limits{Files: 20}))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	_, err = ws.Delete(t.Context(), api.DeleteRequest{Path: "d", Recursive: true})
	if e, ok := err.(*emend.Refusal); !ok || e.Failures[0].Reason != fail.Limit {
		t.Errorf("%v", err)
	}
}

// TestTreeThatChanges: what somebody puts into the directory after it was read is not lost: the change is refused.
func TestTreeThatChanges(t *testing.T) {
	for name, disturb := range map[string]func(s *emendtest.Story){
		"a file":              func(s *emendtest.Story) { s.Write("d/e/new", "N\n") },
		"an empty directory":  func(s *emendtest.Story) { s.Must(os.Mkdir(s.At("d/new"), 0o755)) },
		"another content":     func(s *emendtest.Story) { s.Write("d/e/b", "person\n") },
		"a file that is gone": func(s *emendtest.Story) { s.Must(os.Remove(s.At("d/e/b"))) },
	} {
		for _, to := range []string{"", "n"} {
			s := emendtest.NewStory(t, "d/a", "A\n", "d/e/b", "B\n", "d/AGENTS.md", "be kind\n")
			var was string
			s.Ctx = emend.WithAsker(s.Ctx, func(context.Context, api.Question) (string, error) { // is asked after the directory was read
				disturb(s)
				was = s.Tree()
				return "somebody", nil
			})
			var err error
			if to == "" {
				_, err = s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "d", Recursive: true})
			} else {
				_, err = s.WS.Move(s.Ctx, api.MoveRequest{FromPath: "d", ToPath: to, Recursive: true})
			}
			if was == "" {
				t.Fatalf("%s: nobody was asked: %v", name, err)
			}
			s.Refusal(err, fail.Stale)
			s.Has(was)
		}
	}
}
