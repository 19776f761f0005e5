package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func (a *agent) chimera(patch string) (text string, refused bool) {
	a.Helper()
	return a.text("apply_patch", map[string]any{"patch": patch})
}

// TestChimeraDirectInvocation runs the example of Chimera's documentation and compares the exact output.
func TestChimeraDirectInvocation(t *testing.T) {
	a := hire(t, "chimera", map[string]string{"legacy/dead.py": "x\n", "legacy/alive.py": "y\n"})
	a.offers("apply_patch")
	text, refused := a.chimera(`*** Begin Patch
*** Add File: README.md
+# My Project
+
+A small example.
*** Delete File: legacy/dead.py
*** End Patch`)
	if refused || text != "Success. Updated the following files:\nCreated README.md\nDeleted legacy/dead.py" {
		t.Errorf("%q", text)
	}
	a.has(map[string]string{"README.md": "# My Project\n\nA small example.", "legacy/alive.py": "y\n"})
}

// TestChimeraEnvelope runs the documentation's example of the patch format.
func TestChimeraEnvelope(t *testing.T) {
	a := hire(t, "chimera", map[string]string{"relative/path.py": "import os\n\ndef hello():\n    return \"old\"\n", "legacy/dead.py": "x\n"})
	text, refused := a.chimera(`*** Begin Patch
*** Update File: relative/path.py
 def hello():
-    return "old"
+    return "new"
*** Add File: docs/new.md
+# Title
+Body line.
*** Delete File: legacy/dead.py
*** End Patch`)
	if refused || text != "Success. Updated the following files:\nUpdated relative/path.py\nCreated docs/new.md\nDeleted legacy/dead.py" {
		t.Errorf("%q", text)
	}
	a.has(map[string]string{"relative/path.py": "import os\n\ndef hello():\n    return \"new\"\n", "docs/new.md": "# Title\nBody line."})
}

// TestChimeraMessages checks every message of the documentation's table that a patch can cause. The remaining one, a
// file system error while the patch is applied, is tested where a disk can be made to fail.
func TestChimeraMessages(t *testing.T) {
	before := map[string]string{"a.py": "one\ntwo\n", "dir/x": "x\n"}
	envelope := func(body string) string { return "*** Begin Patch\n" + body + "*** End Patch" }
	for patch, want := range map[string]string{
		"":                                   "apply_patch: 'patch' must be a non-empty string",
		"*** Begin Patch\nx":                 "apply_patch parse error: ",
		"no envelope":                        "apply_patch parse error: ",
		envelope("*** x\n"):                  "apply_patch parse error: line 2: ",
		envelope(""):                         "apply_patch: no file hunks parsed (empty envelope?)",
		envelope("+orphan\n"):                "apply_patch parse error: line 2: ",
		envelope("*** Add File: a.py\n+x\n"): "apply_patch: cannot add existing file 'a.py'",
		envelope("*** Update File: no.py\n-x\n+y\n"):                                   "apply_patch: cannot update missing file 'no.py'",
		envelope("*** Delete File: no.py\n"):                                           "apply_patch: cannot delete missing file 'no.py'",
		envelope("*** Update File: a.py\n-three\n+3\n"):                                "apply_patch: hunk conflict in 'a.py': ",
		envelope("*** Delete File: a.py\n*** Update File: a.py\n-one\n+1\n"):           "apply_patch: duplicate hunk for 'a.py'",
		envelope("*** Delete File: dir\n"):                                             "apply_patch: 'dir' is not a regular file",
		envelope("*** Delete File: \n"):                                                "apply_patch: empty file path in patch hunk",
		envelope("*** Update File: a.py\n-one\n+1\n*** Add File: dir/x\n+y\n"):         "apply_patch: cannot add existing file 'dir/x'",
		envelope("*** Delete File: ../x\n"):                                            "apply_patch: ",
		envelope("*** Add File: a.py\n+x\n*** Update File: no.py\n-x\n+y\n*** x: y\n"): "apply_patch parse error: ",
	} {
		a := hire(t, "chimera", before)
		if text, refused := a.chimera(patch); !refused || !strings.HasPrefix(text, want) || strings.HasSuffix(want, "'") && text != want {
			t.Errorf("%q: %q, want %q", patch, text, want)
		}
		a.has(before)
	}
	for _, args := range []string{`{}`, `{"patch":5}`, `{"patch":null}`, `{"patch":["x"]}`, `{"patch":""}`, `{"patch":5,"other":1}`} {
		a := hire(t, "chimera", nil)
		if text, refused := a.text("apply_patch", json.RawMessage(args)); !refused || text != "apply_patch: 'patch' must be a non-empty string" {
			t.Errorf("%s: %q", args, text)
		}
	}
	a := hire(t, "chimera", nil)
	if text, refused := a.text("apply_patch", json.RawMessage(`{"patch":"x","dry_run":true}`)); !refused || !strings.HasPrefix(text, `apply_patch: "dry_run" is not an argument`) {
		t.Errorf("%q", text)
	}
}
