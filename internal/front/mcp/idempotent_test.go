package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestIdempotentPatch checks that an agent that got no answer can send its patch again with idempotent, and that
// without it the refusal says how.
func TestIdempotentPatch(t *testing.T) {
	a := hire(t, "emend", map[string]string{"f": "a\nb\nc\nd\n"})
	args := map[string]any{"patch": "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+B\n c\n*** Add File: n\n+n\n*** End Patch"}
	call := func(refused bool, want ...string) {
		t.Helper()
		r := a.call("apply_patch", args)
		b, err := json.Marshal(r.StructuredContent)
		if err != nil || r.IsError != refused {
			t.Errorf("refused %t: %s %v", r.IsError, b, err)
		}
		for _, w := range want {
			if !strings.Contains(string(b), w) {
				t.Errorf("%s lacks %s", b, w)
			}
		}
	}
	call(false, `"hunkCount":1`)
	call(true, "the whole patch is already applied", `"alreadyApplied":true`, "idempotent: true")
	args["idempotent"] = true
	for _, dry := range []bool{false, true} {
		args["dryRun"] = dry
		call(false, "Already applied: nothing to do.", `"alreadyApplied":true`, `"changedFiles":[]`, `"skipped":[`)
	}
	a.has(map[string]string{"f": "a\nB\nc\nd\n", "n": "n\n"})
	args["idempotent"] = "yes"
	call(true, "it has to be a boolean")
}
