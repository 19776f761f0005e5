package mcp_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// TestCodexEnvelopes checks patches as models write them, and the text that the client gets.
func TestCodexEnvelopes(t *testing.T) {
	before := map[string]string{"src/app.py": "import os\n\ndef greet():\n    print(\"Hi\")\n\ndef other():\n    print(\"Hey\")\n", "obsolete.txt": "x\n", "end.txt": "a\nb\na\n"}
	envelope := func(body string) string { return "*** Begin Patch\n" + body + "*** End Patch" }
	update := "*** Update File: src/app.py\n@@ def other():\n-    print(\"Hey\")\n+    print(\"Bye\")\n"
	updated := strings.Replace(before["src/app.py"], "other():\n    print(\"Hey\")", "other():\n    print(\"Bye\")", 1)
	for _, row := range []struct {
		input, says string
		changed     map[string]string
		gone        string
	}{
		{envelope("*** Add File: hello.txt\n+Hello world\n" + update + "*** Delete File: obsolete.txt\n"),
			"A hello.txt\nM src/app.py\nD obsolete.txt", map[string]string{"hello.txt": "Hello world\n", "src/app.py": updated}, "obsolete.txt"},
		{envelope("*** Delete File: obsolete.txt\n" + update + "*** Add File: nested/hello.txt\n+Hello world\n"),
			"A nested/hello.txt\nM src/app.py\nD obsolete.txt", map[string]string{"nested/hello.txt": "Hello world\n", "src/app.py": updated}, "obsolete.txt"},
		{envelope("*** Update File: src/app.py\n*** Move to: src/main.py\n@@ def other():\n-    print(\"Hey\")\n+    print(\"Bye\")\n"),
			"M src/main.py", map[string]string{"src/main.py": updated}, "src/app.py"},
		{"<<'EOF'\n" + envelope(update) + "\nEOF\n", "M src/app.py", map[string]string{"src/app.py": updated}, ""},
		{"  *** Begin Patch  \n" + update + "*** End Patch  \n", "M src/app.py", map[string]string{"src/app.py": updated}, ""},
		{envelope("*** Update File: src/app.py\n def other():\n-  print(\"Hey\")\n+  print(\"Bye\")\n"), "M src/app.py\nNote: src/app.py: hunk 1 is at line 6, indentation ignored.",
			map[string]string{"src/app.py": updated}, ""},
		{envelope("*** Update File: end.txt\n@@\n-a\n+z\n*** End of File\n"), "M end.txt", map[string]string{"end.txt": "a\nb\nz\n"}, ""},
		{envelope("*** Update File: end.txt\n@@\n-a\n+z\n"), "M end.txt\nNote: end.txt: hunk 1 is at line 1, exact; 1 other place would have matched.",
			map[string]string{"end.txt": "z\nb\na\n"}, ""},
		{envelope("*** Add File: obsolete.txt\n+new\n"), "A obsolete.txt", map[string]string{"obsolete.txt": "new\n"}, ""},
	} {
		for _, field := range []string{"input", "patch"} {
			a := hire(t, "codex", before)
			text, refused := a.text("apply_patch", map[string]any{field: row.input})
			if got, ok := strings.CutPrefix(text, "Success. Updated the following files:\n"); refused || !ok || got != row.says {
				t.Errorf("%s: %q", row.input, text)
			}
			want := maps.Clone(before)
			maps.Copy(want, row.changed)
			delete(want, row.gone)
			a.has(want)
		}
	}
}

// TestCodexRefusals checks that a refusal is text, marked as an error, and changes nothing.
func TestCodexRefusals(t *testing.T) {
	before := map[string]string{"a.py": "one\n"}
	a := hire(t, "codex", before)
	a.offers("apply_patch")
	for args, want := range map[string]string{
		`{"input":"x"}`: "Invalid patch: The first line of the patch must be '*** Begin Patch'",
		`{"input":"*** Begin Patch\n*** Delete File: a.py"}`:                                                   "Invalid patch: The last line of the patch must be '*** End Patch'",
		`{"input":"*** Begin Patch\n*** End Patch"}`:                                                           "No files were modified.",
		`{"input":"*** Begin Patch\n*** Update File: a.py\n@@\n-two\n+2\n*** End Patch"}`:                      "Failed to find expected lines in a.py:\ntwo",
		`{"input":"*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-one\n+1\n*** End Patch"}`:             "Failed to find context 'def f():' in a.py",
		`{"input":"*** Begin Patch\n*** Add File: b\n+b\n*** Update File: a.py\n@@\n-two\n+2\n*** End Patch"}`: "Failed to find expected lines in a.py:\ntwo",
		`{"input":"*** Begin Patch\n*** Frobnicate: a.py\n*** End Patch"}`:                                     "Invalid patch hunk on line 2: ",
		`{"input":"*** Begin Patch\n*** Delete File: ../a.py\n*** End Patch"}`:                                 "../a.py: ",
		`{}`:                          "input is missing. Send input: from *** Begin Patch to *** End Patch.",
		`{"input":7}`:                 "input is 7, a number; it has to be a string.",
		`{"input":"x","patch":"y"}`:   `"patch" is not an argument of apply_patch`,
		`{"input":"x","workdir":"y"}`: `"workdir" is not an argument of apply_patch`,
	} {
		if text, refused := a.text("apply_patch", json.RawMessage(args)); !refused || !strings.HasPrefix(text, want) {
			t.Errorf("%s: %q", args, text)
		}
	}
	a.has(before)
}

// TestCodexAside checks that the places of the hunks are in _meta, since the text has no room for them.
func TestCodexAside(t *testing.T) {
	a := hire(t, "codex", map[string]string{"a": "one\ntwo\n"})
	r := a.call("apply_patch", map[string]any{"input": "*** Begin Patch\n*** Update File: a\n@@\n-two\n+2\n*** End Patch"})
	b, err := json.Marshal(r.Meta["hunks"])
	if err != nil || string(b) != `[{"line":2,"others":0,"path":"a","rung":"exact"}]` || r.Meta["tx"] == nil {
		t.Errorf("%v", r.Meta)
	}
}
