//go:build linux

package scenes

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// TestUndoPeople checks that what a person changed after a call stays if undo does not have to touch it. Otherwise undo must be
// refused, name the file, and change nothing.
func TestUndoPeople(t *testing.T) {
	lines := numbered("line", 40, "\n")
	edited := strings.Replace(lines, "line 5\n", "agent 5\n", 1)
	for _, tc := range []struct {
		name   string
		call   func(ctx context.Context, ws *emend.Workspace) (string, error)
		person func(t *testing.T, dir string)
		keeps  map[string]string // after the undo; "" is deleted. nil: the undo is refused
		path   string            // named by the refusal
	}{
		{"edit, and a person far away", editLine5, saving("f", strings.Replace(edited, "line 35\n", "person 35\n", 1)),
			map[string]string{"f": strings.Replace(lines, "line 35\n", "person 35\n", 1)}, ""},
		{"edit, and a person above, with more lines", editLine5, saving("f", "person\nperson\n"+edited),
			map[string]string{"f": "person\nperson\n" + lines}, ""},
		{"edit, and a person on the line", editLine5, saving("f", strings.Replace(edited, "agent 5\n", "person 5\n", 1)), nil, "f"},
		{"edit, and a person beside the line", editLine5, saving("f", strings.Replace(edited, "line 4\n", "person 4\n", 1)), nil, "f"},
		{"edit, and a person who made a second place of it", editLine5, saving("f", edited+edited), nil, "f"},
		{"edit, and a person who deleted it", editLine5, removing("f"), nil, "f"},
		{"edit, and a person who made a directory of it", editLine5, func(t *testing.T, dir string) {
			removing("f")(t, dir)
			write(t, filepath.Join(dir, "f", "x"), "person\n")
		}, nil, "f"},
		{"write, and a person", func(ctx context.Context, ws *emend.Workspace) (string, error) {
			return txOf(ws.Write(ctx, api.WriteRequest{Path: "f", Content: "all new\n", ExpectedSha256: hash(lines)}))
		}, saving("f", "person\n"), nil, "f"},
		{"create, and a person", func(ctx context.Context, ws *emend.Workspace) (string, error) {
			return txOf(ws.Create(ctx, api.CreateRequest{Path: "new/made", Content: "agent\n", CreateParentDirectories: true}))
		}, saving("new/made", "person\n"), nil, "new/made"},
		{"create, and a person beside it", func(ctx context.Context, ws *emend.Workspace) (string, error) {
			return txOf(ws.Create(ctx, api.CreateRequest{Path: "new/made", Content: "agent\n", CreateParentDirectories: true}))
		}, saving("new/person", "person\n"), map[string]string{"new/made": "", "new/person": "person\n", "f": lines}, ""},
		{"delete, and a person made it again", func(ctx context.Context, ws *emend.Workspace) (string, error) {
			return txOf(ws.Delete(ctx, api.DeleteRequest{Path: "f"}))
		}, saving("f", "person\n"), nil, "f"},
		{"move, and a person made the first again", func(ctx context.Context, ws *emend.Workspace) (string, error) {
			return txOf(ws.Move(ctx, api.MoveRequest{FromPath: "f", ToPath: "g", ExpectedSha256: hash(lines)}))
		}, saving("f", "person\n"), nil, "f"},
		{"move, and a person deleted it", func(ctx context.Context, ws *emend.Workspace) (string, error) {
			return txOf(ws.Move(ctx, api.MoveRequest{FromPath: "f", ToPath: "g", ExpectedSha256: hash(lines)}))
		}, removing("g"), nil, "g"},
		{"delete for ever", func(ctx context.Context, ws *emend.Workspace) (string, error) {
			return txOf(ws.Delete(ctx, api.DeleteRequest{Path: "f", Permanent: true}))
		}, func(*testing.T, string) {}, nil, "f"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ws := workspace(t)
			write(t, filepath.Join(ws.Root(), "f"), lines)
			tx, err := tc.call(t.Context(), ws)
			if err != nil {
				t.Fatal(err)
			}
			tc.person(t, ws.Root())
			before := grow(t, ws.Root())
			_, err = ws.Undo(t.Context(), api.UndoRequest{Entry: tx, DryRun: true})
			if diff := grow(t, ws.Root()).against(before); len(diff) > 0 {
				t.Errorf("undo with dryRun changed:\n%s", strings.Join(diff, "\n"))
			}
			if (err == nil) != (tc.keeps != nil) {
				t.Errorf("with dryRun: %v", err)
			}
			_, err = ws.Undo(t.Context(), api.UndoRequest{Entry: tx})
			if tc.keeps == nil {
				checkConflict(t, err, tc.path, grow(t, ws.Root()).against(before))
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range tc.keeps {
				b, err := os.ReadFile(filepath.Join(ws.Root(), name))
				if string(b) != want || (err != nil) != (want == "") {
					t.Errorf("%s has %.60q (%v), want %.60q", name, b, err, want)
				}
			}
		})
	}
}

// checkConflict checks a refusal.
func checkConflict(t *testing.T, err error, path string, changed []string) {
	t.Helper()
	if err == nil {
		t.Error("it is taken back, over what a person did")
	} else if !strings.Contains(err.Error(), path) {
		t.Errorf("the refusal does not name %s: %v", path, err)
	}
	if len(changed) > 0 {
		t.Errorf("it was refused (%v), and changed:\n%s", err, strings.Join(changed, "\n"))
	}
	t.Log("says:", err)
}

func editLine5(ctx context.Context, ws *emend.Workspace) (string, error) {
	a, err := ws.Read(ctx, api.ReadRequest{Path: "f"})
	if err != nil {
		return "", err
	}
	return txOf(ws.Edit(ctx, api.EditRequest{Path: "f", ExpectedSha256: a.Data.Sha256,
		Edits: []api.TextEdit{{OldText: "line 5\n", NewText: "agent 5\n"}}}))
}

func saving(name, content string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) { write(t, filepath.Join(dir, name), content) }
}

func removing(name string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}
