package profile_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"
	"github.com/emend-dev/emend/profile"
)

// TestCall checks a call that works, one that is refused, and a tool that there is not, in the shape of their profile.
func TestCall(t *testing.T) {
	ws := emendtest.Workspace(t, "a.txt", "one\n")
	for _, row := range []struct{ profile, tool, args, text string }{
		{"openai", "apply_patch", `{"type":"update_file","path":"a.txt","diff":"-one\n+two\n"}`, "Updated a.txt"},
		{"openai", "apply_patch", `{"type":"delete_file","path":"b.txt"}`, "!Error: File not found at path 'b.txt'"},
		{"anthropic", "str_replace_based_edit_tool", `{"command":"view","path":"a.txt"}`, "1: two"},
		{"codex", "apply_patch", `{"input":"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"}`, "Success. Updated the following files:\nD a.txt"},
	} {
		r := profile.Call(t.Context(), ws, row.profile, row.tool, json.RawMessage(row.args))
		if want := row.text; r.OK() != (want[0] != '!') || r.Text() != want && "!"+r.Text() != want {
			t.Errorf("%s: %q", row.args, r.Text())
		}
	}
	if r := profile.Call(t.Context(), ws, "openai", "shell", nil); r.OK() || r.Text() == "" {
		t.Errorf("%q", r.Text())
	}
	if !slices.Contains(profile.Names(), "openai") || !slices.Equal(profile.Tools("anthropic"), []string{"str_replace_based_edit_tool", "memory"}) || profile.Tools("none") != nil {
		t.Errorf("%q", profile.Names())
	}
	defer func() {
		if recover() == nil {
			t.Error("a profile that there is not was called")
		}
	}()
	profile.Call(t.Context(), ws, "none", "x", nil)
}
