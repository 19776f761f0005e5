package web

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend"
)

// TestRecover: a transaction that a crash interrupted is shown, and finished by the button.
func TestRecover(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n"})
	says(t, p.get("/ui/default/confirm/recover"), "Nothing to recover")
	entry := p.patch(update("a", "one", "two"))
	must(t, p.ws.Close())
	dropLast(t, filepath.Join(p.dir, ".emend", "log"))
	ws, err := emend.Open(p.dir, emend.NoRecovery())
	must(t, err)
	t.Cleanup(func() { ws.Close() })
	p.ws = ws
	p.serve(false)
	dry := p.get("/ui/default/confirm/recover")
	says(t, dry, "Preview", "A crash interrupted the transaction "+entry, "Edit a", "Recover")
	p.submit(dry, "do")
	says(t, p.get("/ui/default/confirm/recover"), "Nothing to recover")
	says(t, p.get(p.entryPage(entry)), "recovered", "Undo this change")
	if p.read("a") != "two\n" {
		t.Errorf("a is %q", p.read("a"))
	}
}

// dropLast removes the last record of a log, as if the power had failed before it was written.
func dropLast(t *testing.T, dir string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	for _, name := range all {
		b, err := os.ReadFile(name)
		must(t, err)
		if i := bytes.LastIndexByte(bytes.TrimRight(b, "\n"), '\n'); i > 0 {
			must(t, os.WriteFile(name, b[:i+1], 0o600))
		}
	}
}
