package kept_test

import (
	"bytes"
	"context"
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
	"github.com/emend-dev/emend/internal/audit"
)

// exported returns an archive of the newest file in the trash.
func exported(t *testing.T, ws *emend.Workspace) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ws.Host().TrashExport(t.Context(), emendtest.Trash(t, ws)[0].ID, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func restoreArchive(ws *emend.Workspace, data []byte, target string) (*api.Answer[api.RestoreData], error) {
	return ws.Host().RestoreArchive(context.Background(), bytes.NewReader(data), target, "")
}

// TestRestoreArchive: an exported file comes back as it was, also to another path.
func TestRestoreArchive(t *testing.T) {
	for _, tt := range []struct{ path, text, target, want string }{
		{"a", "one\n", "", "a"},
		{"sub/deep/b", "\x00\xff", "", "sub/deep/b"},
		{"metadata.json", "{}", "", "metadata.json"},
		{"a", "", "new/place", "new/place"},
		{"a", "x\r\n", "./x/../y", "y"},
	} {
		ws := emendtest.Workspace(t, tt.path, tt.text)
		file := filepath.Join(ws.Root(), tt.path)
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
		apply(t, ws, "", "*** Delete File: "+tt.path)
		data := exported(t, ws)
		os.RemoveAll(filepath.Join(ws.Root(), "sub"))
		a, err := restoreArchive(ws, data, tt.target)
		if err != nil {
			t.Fatal(err)
		}
		if a.Data.Path != tt.want || a.Data.Sha256 != emendtest.Sum(tt.text) || a.Data.SizeBytes != int64(len(tt.text)) || a.Data.From == "" || a.Tx == "" {
			t.Errorf("%+v", a.Data)
		}
		got, err := os.ReadFile(filepath.Join(ws.Root(), tt.want))
		is, serr := os.Stat(filepath.Join(ws.Root(), tt.want))
		if err != nil || serr != nil || string(got) != tt.text || is.Mode().Perm()&0o100 == 0 {
			t.Errorf("%q, %v, %v, %v", got, err, serr, is)
		}
		if emendtest.TrashPaths(emendtest.Trash(t, ws)) != "delete "+tt.path {
			t.Error("the trash has changed")
		}
	}
}

// TestRestoreArchiveRefused: an archive obeys the rules for new files. It is refused as a whole, on record.
func TestRestoreArchiveRefused(t *testing.T) {
	ws := emendtest.Workspace(t, "a", "one\n", "b", "two\n")
	apply(t, ws, "", "*** Delete File: a")
	good := exported(t, ws)
	apply(t, ws, "", "*** Delete File: b", "*** Add File: a", "+new")
	small, err := emend.Open(ws.Root(), emend.WithLimits(api.Limits{FileBytes: 3}))
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	before := wholeLog(t, ws, audit.Failed) + wholeLog(t, ws, audit.Denied)
	tests := []struct {
		name   string
		ws     *emend.Workspace
		data   []byte
		target string
		want   error
		words  string
	}{
		{"exists", ws, good, "", fail.AlreadyExists, "Name another place"},
		{"protected", ws, good, ".git/hooks/pre-commit", fail.PermissionDenied, ""},
		{"secret", ws, good, "x.pem", fail.PermissionDenied, ""},
		{"outside", ws, good, "../x", fail.OutsideWorkspace, ""},
		{"too large", small, good, "x", fail.FileTooLarge, "at most 3"},
		{"garbage", ws, append(bytes.Clone(good), 'x'), "x", fail.CommandFailed, "after the end"},
		{"cut", ws, good[:len(good)-20], "x", fail.CommandFailed, "no whole tar.gz"},
		{"nothing", ws, nil, "x", fail.CommandFailed, "no whole tar.gz"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := restoreArchive(tt.ws, tt.data, tt.target)
			r, ok := errors.AsType[*emend.Refusal](err)
			if !ok || !errors.Is(err, tt.want) || !strings.Contains(r.Explain(), tt.words) {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	if n := wholeLog(t, ws, audit.Failed) + wholeLog(t, ws, audit.Denied) - before; n != len(tests) {
		t.Errorf("%d refusals on record, want %d", n, len(tests))
	}
	var names []string
	filepath.WalkDir(ws.Root(), func(p string, d fs.DirEntry, _ error) error {
		if d.Name() == ".emend" {
			return filepath.SkipDir
		}
		names = append(names, d.Name())
		return nil
	})
	if strings.Join(names[1:], " ") != "a" {
		t.Errorf("the tree has %q", names)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ws.Host().RestoreArchive(ctx, bytes.NewReader(good), "x", ""); !errors.Is(err, fail.CommandFailed) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRestoreArchiveOnce: a key works once, and is refused for another archive.
func TestRestoreArchiveOnce(t *testing.T) {
	ws := emendtest.Workspace(t, "a", "one\n", "b", "two\n")
	apply(t, ws, "", "*** Delete File: a")
	first := exported(t, ws)
	apply(t, ws, "", "*** Delete File: b")
	for range 2 {
		if a, err := ws.Host().RestoreArchive(t.Context(), bytes.NewReader(first), "", "key"); err != nil || a.Data.Path != "a" {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	if a, err := ws.Host().RestoreArchive(t.Context(), bytes.NewReader(exported(t, ws)), "", "key"); !errors.Is(err, fail.CommandFailed) {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestExportOfLink: a link is exported as a link, and an archive of a link is not restored.
func TestExportOfLink(t *testing.T) {
	ws := emendtest.Workspace(t)
	if err := os.Symlink("/etc/passwd", filepath.Join(ws.Root(), "link")); err != nil {
		t.Fatal(err)
	}
	apply(t, ws, "", "*** Delete File: link")
	if a, err := restoreArchive(ws, exported(t, ws), ""); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestExportWritten: an archive includes what a program wrote into the file after it was deleted, and its metadata fits.
func TestExportWritten(t *testing.T) {
	ws := emendtest.Workspace(t, "a", "one\n")
	apply(t, ws, "", "*** Delete File: a")
	slot := filepath.Join(ws.Root(), ".emend", "slots", emendtest.Trash(t, ws)[0].ID)
	if err := os.WriteFile(slot, []byte("one\nand more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := restoreArchive(ws, exported(t, ws), ""); err != nil || a.Data.Sha256 != emendtest.Sum("one\nand more\n") {
		t.Errorf("%+v, %v", a, err)
	}
}
