package logbook_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
)

func fileSum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// Verify compares with the last state of every path, through aborted and recovered changes.
func TestVerifyFiles(t *testing.T) {
	ws := logged(t)
	ctx := context.Background()
	check := func(want string) {
		t.Helper()
		v, err := ws.Verify(ctx, api.VerifyRequest{})
		if err != nil || !v.OK {
			t.Fatalf("%+v, %v", v, err)
		}
		var got []string
		for _, f := range v.Files {
			got = append(got, f.Path+" "+string(f.State))
		}
		if s := strings.Join(got, ", "); s != want || v.Same+len(got) != 5 {
			t.Errorf("%d and %q, want %q", v.Same, s, want)
		}
	}
	check("")
	emendtest.AppendRecords(t, ws, aborted("f")...)
	check("")
	at := func(name string) string { return filepath.Join(ws.Root(), filepath.FromSlash(name)) }
	for _, err := range []error{os.WriteFile(at("f"), []byte("other\n"), 0o644), os.Mkdir(at("gone"), 0o755), os.Remove(at("d/new")),
		os.WriteFile(at("d/m"), nil, 0o644), os.Remove(at("d/n")), os.Symlink("/etc/passwd", at("d/n"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	check("d/m back, d/n changed, d/new gone, f changed, gone back")
	if err := os.RemoveAll(at("d")); err != nil {
		t.Fatal(err)
	}
	check("d/n gone, d/new gone, f changed, gone back")
	if err := os.WriteFile(at("d"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check("d/n gone, d/new gone, f changed, gone back")
	emendtest.AppendRecords(t, ws, audit.Record{Kind: audit.Commit, Tx: "t", OK: true, Ops: []audit.Op{{Operation: "update", Path: "gone", After: "x"}, {Operation: "delete", Path: "gone"},
		{Operation: "move", Path: "f", ToPath: "e/x"}, {Operation: "move", Path: "e/x", ToPath: "f", After: fileSum("other\n")}}})
	if err := os.Remove(at("gone")); err != nil {
		t.Fatal(err)
	}
	v, err := ws.Verify(ctx, api.VerifyRequest{})
	if err != nil || len(v.Files) != 3 || v.Files[2].Path != "e/x" || v.Files[2].State != api.FileBack {
		t.Errorf("several changes of a path in one: %+v, %v", v, err)
	}
	denied, err := emend.Open(ws.Root(), emend.AllowProtected(".env"))
	if err != nil {
		t.Fatal(err)
	}
	defer denied.Close()
	emendtest.MustApply(t, denied, api.Actor{}, "emend", "*** Begin Patch\n*** Add File: .env\n+SECRET\n*** End Patch\n")
	v, err = ws.Verify(ctx, api.VerifyRequest{})
	if err != nil || len(v.Files) == 0 || v.Files[0].Path != ".env" || v.Files[0].State != api.FileUnknown || v.Files[0].Expected != "" {
		t.Errorf("%+v, %v", v, err)
	}
}
