package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/text"
)

// TestHashForms checks that every tool that takes a hash takes it with sha256: before it and without, and that apply_patch
// says the new hash in its text, so that the next call can send it.
func TestHashForms(t *testing.T) {
	for _, form := range []string{"", "sha256:"} {
		dir := t.TempDir()
		ws, err := emend.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		sum, other := form+text.Sum("one\n"), form+text.Sum("two\n")
		for _, tt := range []struct {
			profile *Profile
			name    string
			args    string // with a verb for the hash
		}{
			{Emend, "edit_file", `{"path":"f","expectedSha256":%q,"edits":[{"oldText":"one","newText":"two"}]}`},
			{Emend, "write_file", `{"path":"f","expectedSha256":%q,"content":"two\n"}`},
			{Emend, "move_file", `{"fromPath":"f","toPath":"g","overwrite":true,"expectedSha256":%q}`},
			{Emend, "delete_file", `{"path":"f","expectedSha256":%q}`},
			{Emend, "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** End Patch\n","expectedSha256ByPath":{"f":%q}}`},
			{Emend, "apply_patch", `{"atomic":false,"patch":"*** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** End Patch\n","expectedSha256ByPath":{"f":%q}}`},
			{Comma, "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** End Patch\n","expectedSha256ByPath":{"f":%q}}`},
			{Comma, "edit_file", `{"path":"f","expectedSha256":%q,"edits":[{"oldText":"one","newText":"two"}]}`},
		} {
			if err := os.WriteFile(filepath.Join(dir, "f"), []byte("one\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			o := Options{Profile: tt.profile}
			if r := o.Call(t.Context(), ws, tt.name, fmt.Appendf(nil, tt.args, other)); r.OK() || !strings.Contains(r.Text(), "stale_file") {
				t.Errorf("%s %s with another hash: %s", tt.profile.Name, tt.name, r.Text())
			}
			r := o.Call(t.Context(), ws, tt.name, fmt.Appendf(nil, tt.args, sum))
			if !r.OK() {
				t.Errorf("%s %s with %s: %s", tt.profile.Name, tt.name, sum, r.Text())
			}
			if tt.profile == Emend && tt.name == "apply_patch" && !strings.Contains(r.Text(), "  M f (sha256 "+text.Sum("two\n")+")") {
				t.Errorf("the new hash is not in %s", r.Text())
			}
		}
		r := Call(t.Context(), ws, "read_file", []byte(`{"path":"f"}`))
		if !strings.Contains(r.Text(), "  sha256 "+text.Sum("two\n")+"  ") {
			t.Errorf("%s", r.Text())
		}
	}
}

// TestDryRunShows checks that the text of a dry run has the lines and the diff, and a bound.
func TestDryRunShows(t *testing.T) {
	ws := open(t, map[string]string{"f": "one\ntwo\n", "g": strings.Repeat("a line of some length\n", 1000)})
	r := Call(t.Context(), ws, "apply_patch", []byte(`{"dryRun":true,"patch":"*** Begin Patch\n*** Update File: f\n@@\n-two\n+three\n*** Delete File: g\n*** End Patch\n"}`))
	for _, want := range []string{"Would apply", "  M f at line 2 (sha256 " + text.Sum("one\nthree\n") + ")", "\n-two\n+three", "\n  D g\n", "more bytes of its diff"} {
		if !strings.Contains(r.Text(), want) {
			t.Errorf("%q is not in %s", want, r.Text())
		}
	}
	if len(r.Text()) > 5000 {
		t.Errorf("%d bytes", len(r.Text()))
	}
}
