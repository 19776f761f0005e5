package kept_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func apply(t *testing.T, ws *emend.Workspace, dialect string, lines ...string) *emend.Report {
	t.Helper()
	rep, err := ws.Apply(t.Context(), emendtest.Envelope(lines...), api.PatchOptions{Dialect: dialect})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestTrash: it has the files that were deleted or overwritten, the newest first, and no others.
func TestTrash(t *testing.T) {
	tests := []struct {
		name    string
		dialect string
		patch   []string
		want    string
	}{
		{"delete", "emend", []string{"*** Delete File: a"}, "delete a"},
		{"two", "emend", []string{"*** Delete File: a", "*** Delete File: sub/b"}, "delete a, delete sub/b"},
		{"update", "emend", []string{"*** Update File: a", "@@", "-one", "+two"}, ""},
		{"add", "emend", []string{"*** Add File: new", "+x"}, ""},
		{"add over", "codex", []string{"*** Add File: a", "+x"}, "add a"},
		{"move", "codex", []string{"*** Update File: a", "*** Move to: c", "@@", "-one", "+two"}, ""},
		{"move over", "codex", []string{"*** Update File: a", "*** Move to: sub/b", "@@", "-one", "+two"}, "move sub/b"},
		{"update, then delete", "codex", []string{"*** Update File: a", "@@", "-one", "+two", "*** Delete File: a"}, "delete a"},
		{"move away, then add", "codex", []string{"*** Update File: a", "*** Move to: c", "@@", "-one", "+two", "*** Add File: a", "+x"}, ""},
		{"move away, then move there", "codex", []string{"*** Update File: a", "*** Move to: c", "@@", "-one", "+two",
			"*** Update File: sub/b", "*** Move to: a", "@@", "-b", "+c"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ws := emendtest.Workspace(t, "a", "one\n", "sub/b", "b\n")
			apply(t, ws, tt.dialect, tt.patch...)
			if got := emendtest.TrashPaths(emendtest.Trash(t, ws)); got != tt.want {
				t.Errorf("the trash has %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTrashSays(t *testing.T) {
	ws := emendtest.Workspace(t, "a", "one\n", "b", "two\n")
	if len(emendtest.Trash(t, ws)) != 0 {
		t.Error("something is in the trash of a new workspace")
	}
	file := filepath.Join(ws.Root(), "a")
	then := time.Date(2020, 2, 2, 3, 4, 5, 6000, time.UTC)
	if err := errors.Join(os.Chmod(file, 0o750), os.Chtimes(file, then, then)); err != nil {
		t.Fatal(err)
	}
	ctx := emend.WithActor(t.Context(), api.Actor{})
	if _, err := ws.Apply(ctx, emendtest.Envelope("*** Delete File: a"), api.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	apply(t, ws, "", "*** Delete File: b")
	all := emendtest.Trash(t, ws)
	if emendtest.TrashPaths(all) != "delete b, delete a" {
		t.Fatalf("the trash has %s", emendtest.TrashPaths(all))
	}
	got := all[1]
	if got.SizeBytes != 4 || got.Mode != "0750" || !got.MTime.Equal(then) || got.Sha256 != emendtest.Sum("one\n") || time.Since(got.DeletedAt) > time.Hour {
		t.Errorf("%+v", got)
	}
	f, err := ws.Host().TrashShow(t.Context(), got.ID)
	if err != nil || f.Content != "one\n" || f.Binary || f.Truncated {
		t.Errorf("%+v, %v", f, err)
	}
	for _, id := range []string{"", "8", got.ID + "0", strings.Split(got.ID, ".")[0] + ".99", "../log/00000001.jsonl"} {
		if _, err := ws.Host().TrashShow(t.Context(), id); !errors.Is(err, fail.NotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestTrashShow(t *testing.T) {
	long := "x" + strings.Repeat("é", 20_000)
	ws := emendtest.Workspace(t, "long", long, "bin", "\x00x", "empty", "")
	apply(t, ws, "", "*** Delete File: long", "*** Delete File: empty")
	os.Symlink("nowhere", filepath.Join(ws.Root(), "link"))
	apply(t, ws, "", "*** Delete File: link")
	for _, e := range emendtest.Trash(t, ws) {
		f, err := ws.Host().TrashShow(t.Context(), e.ID)
		if err != nil {
			t.Fatal(err)
		}
		switch f.Path {
		case "long":
			if !f.Truncated || !strings.HasPrefix(long, f.Content) || !utf8.ValidString(f.Content) || len(f.Content) < 30_000 {
				t.Errorf("long: %d bytes, truncated %v", len(f.Content), f.Truncated)
			}
		case "empty":
			if f.Truncated || f.Content != "" || f.Binary {
				t.Errorf("empty: %+v", f)
			}
		case "link":
			if f.Link != "nowhere" || f.Content != "" {
				t.Errorf("link: %+v", f)
			}
		}
	}
}

// TestTrashProtected: a file that may not be read now is listed, and not shown.
func TestTrashProtected(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "x.pem"), []byte("secret\n"), 0o600)
	open, err := emend.Open(dir, emend.AllowProtected("*.pem"))
	if err != nil {
		t.Fatal(err)
	}
	apply(t, open, "", "*** Delete File: x.pem")
	open.Close()
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	all := emendtest.Trash(t, ws)
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	if f, err := ws.Host().TrashShow(t.Context(), all[0].ID); !errors.Is(err, fail.PermissionDenied) {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestTrashOfRoot: the trash of a root below the top has the files from below it.
func TestTrashOfRoot(t *testing.T) {
	ws := emendtest.Workspace(t, "a", "one\n", "sub/b", "b\n", "subway", "c\n")
	apply(t, ws, "", "*** Delete File: a", "*** Delete File: sub/b", "*** Delete File: subway")
	sub, err := emend.Open(filepath.Join(ws.Root(), "sub"))
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if got := emendtest.TrashPaths(emendtest.Trash(t, sub)); got != "delete b" {
		t.Errorf("the trash has %q", got)
	}
	for _, e := range emendtest.Trash(t, ws) {
		_, err := sub.Host().TrashShow(t.Context(), e.ID)
		_, cerr := sub.TrashClear(t.Context(), api.ClearRequest{IDs: []string{e.ID}})
		if inside := e.Path == "sub/b"; inside != (err == nil) || inside != (cerr == nil) {
			t.Errorf("%s: %v, %v", e.Path, err, cerr)
		}
	}
}

// TestTrashOfDamagedLog: the files that the readable part of the log names are listed and shown, and none is removed.
func TestTrashOfDamagedLog(t *testing.T) {
	ws := emendtest.Workspace(t, "a", "one\n", "b", "two\n", "c", "three\n")
	for _, name := range []string{"a", "b", "c"} {
		apply(t, ws, "", "*** Delete File: "+name)
	}
	ws.Close()
	file := filepath.Join(ws.Root(), ".emend", "log", "00000001.jsonl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"path":"b"`, `"path":"B"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	damaged, err := emend.Open(ws.Root())
	if err != nil {
		t.Fatal(err)
	}
	defer damaged.Close()
	all := emendtest.Trash(t, damaged)
	if emendtest.TrashPaths(all) != "delete c, delete a" {
		t.Errorf("the trash has %q", emendtest.TrashPaths(all))
	}
	for _, e := range all {
		if f, err := damaged.Host().TrashShow(t.Context(), e.ID); err != nil || f.Content == "" {
			t.Errorf("%+v, %v", f, err)
		}
	}
	had := len(slots(t, ws))
	if c, err := damaged.TrashClear(t.Context(), api.ClearRequest{}); err == nil || len(slots(t, ws)) != had {
		t.Errorf("%+v, %v", c, err)
	}
	if p, err := damaged.Purge(t.Context(), api.PurgeRequest{Path: "."}); err == nil || len(slots(t, ws)) != had {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestTrashClear(t *testing.T) {
	ws := emendtest.Workspace(t, "a", "one\n", "b", "two\n", "c", "three\n")
	apply(t, ws, "", "*** Delete File: a", "*** Delete File: b")
	first := emendtest.Trash(t, ws)
	apply(t, ws, "", "*** Delete File: c")
	if c, err := ws.TrashClear(t.Context(), api.ClearRequest{IDs: []string{first[0].ID, "nothing"}}); !errors.Is(err, fail.NotFound) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := ws.TrashClear(t.Context(), api.ClearRequest{Before: first[0].DeletedAt}); err != nil || len(c.Entries) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	c, err := ws.TrashClear(t.Context(), api.ClearRequest{IDs: []string{first[0].ID}})
	if err != nil || emendtest.TrashPaths(c.Entries) != "delete a" || c.SizeBytes != 4 || c.Log.Seq == 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if got := emendtest.TrashPaths(emendtest.Trash(t, ws)); got != "delete c, delete b" {
		t.Errorf("left is %q", got)
	}
	c, err = ws.TrashClear(t.Context(), api.ClearRequest{})
	if err != nil || emendtest.TrashPaths(c.Entries) != "delete c, delete b" || len(emendtest.Trash(t, ws)) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if names := slots(t, ws); slices.ContainsFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".diff") }) {
		t.Errorf("the slots are %q", names)
	}
}

// slots returns the names of the files in the history of a workspace.
func slots(t *testing.T, ws *emend.Workspace) []string {
	t.Helper()
	all, err := os.ReadDir(filepath.Join(ws.Root(), ".emend", "slots"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range all {
		out = append(out, e.Name())
	}
	return out
}
