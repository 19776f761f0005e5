package mcp_test

import (
	"maps"
	"strings"
	"testing"
)

type operationOutput struct{ Status, Output string }

func (a *agent) operation(kind, path, diff string) operationOutput {
	a.Helper()
	args := map[string]any{"type": kind, "path": path, "diff": diff}
	if kind == "delete_file" {
		delete(args, "diff")
	}
	var out operationOutput
	a.object("apply_patch", args, &out, "status", "output")
	return out
}

// TestOpenAIOperations runs the example of OpenAI's guide, and an operation of each type.
func TestOpenAIOperations(t *testing.T) {
	a := hire(t, "openai", map[string]string{"lib/fib.py": "def fib(n):\n    if n <= 1:\n        return n\n    return fib(n-1) + fib(n-2)\n", "old.py": "x\n"})
	a.offers("apply_patch")
	for _, row := range []struct{ kind, path, diff, output string }{
		{"update_file", "lib/fib.py", "\n@@\n-def fib(n):\n+def fibonacci(n):\n     if n <= 1:\n         return n\n-    return fib(n-1) + fib(n-2)\n+    return fibonacci(n-1) + fibonacci(n-2)\n", "Updated lib/fib.py"},
		{"create_file", "docs/new/a.md", "+# A\n+\n+b", "Created docs/new/a.md"},
		{"create_file", a.absolute("abs.md"), "+b\n", "Created " + a.absolute("abs.md")},
		{"create_file", " padded name", "+b\n", "Created  padded name"},
		{"create_file", "empty", "", "Created empty"},
		{"delete_file", "old.py", "", "Deleted old.py"},
	} {
		if got := a.operation(row.kind, row.path, row.diff); got.Status != "completed" || got.Output != row.output {
			t.Errorf("%s %s: %+v, want %q", row.kind, row.path, got, row.output)
		}
	}
	a.has(map[string]string{"lib/fib.py": "def fibonacci(n):\n    if n <= 1:\n        return n\n    return fibonacci(n-1) + fibonacci(n-2)\n",
		"docs/new/a.md": "# A\n\nb\n", "abs.md": "b\n", " padded name": "b\n", "empty": ""})
	if got := a.operation("update_file", "lib/fib.py", "@@\n-  if n <= 1:\n+  if n < 2:\n"); got.Status != "completed" ||
		got.Output != "Updated lib/fib.py\nNote: hunk 1 is at line 2, indentation ignored." {
		t.Errorf("%+v", got)
	}
}

// TestOpenAIRefusals checks that a refusal changes nothing, and what its output says.
func TestOpenAIRefusals(t *testing.T) {
	before := map[string]string{"a.py": "one\ntwo\none\ntwo\nthree\n", "dir/x": "x\n"}
	a := hire(t, "openai", maps.Clone(before))
	for _, row := range []struct {
		kind, path, diff string
		says             []string
	}{
		{"update_file", "no.py", "@@\n-x\n+y\n", []string{"Error: File not found at path 'no.py'"}},
		{"delete_file", "no.py", "", []string{"Error: File not found at path 'no.py'"}},
		{"create_file", "a.py", "+x\n", []string{"Error: File already exists at path 'a.py'; update_file changes it"}},
		{"update_file", "a.py", "@@\n-for\n+4\n", []string{"Error: Invalid Context:\nfor"}},
		{"update_file", "a.py", "@@\n three\n-tree\n+4\n", []string{"Error: Invalid Context:\nthree\ntree\n", "nearest: line 5"}},
		{"update_file", "a.py", "@@\n-one\n+1\n", []string{"Error: a.py: hunk 1: 2 places", "place 1: line 1", "place 2: line 3"}},
		{"update_file", "a.py", "@@\n-three\n+3\n*** Delete File: dir/x\n", []string{"not part of the diff of one file"}},
		{"update_file", "a.py", "*** Begin Patch\n*** Update File: a.py\n@@\n-three\n+3\n*** End Patch", []string{"not part of the diff of one file"}},
		{"update_file", "a.py", "", []string{"the patch text is empty"}},
		{"update_file", "../a.py", "@@\n-one\n+1\n", []string{"leaves the workspace"}},
		{"create_file", ".git/hooks/x", "+x\n", []string{"protected"}},
		{"delete_file", "dir", "", []string{"dir: is a directory, not a file"}},
		{"rename_file", "a.py", "", []string{`type is "rename_file"; it has to be one of create_file, update_file, delete_file`}},
	} {
		got := a.operation(row.kind, row.path, row.diff)
		if got.Status != "failed" || !strings.HasPrefix(got.Output, "Error: ") || strings.Contains(got.Output, "lenient") {
			t.Errorf("%s %s %q: %+v", row.kind, row.path, row.diff, got)
		}
		for _, want := range row.says {
			if !strings.Contains(got.Output, want) {
				t.Errorf("%s %s %q: %q lacks %q", row.kind, row.path, row.diff, got.Output, want)
			}
		}
	}
	for _, args := range []map[string]any{{}, {"type": "create_file", "path": "x"}, {"type": "update_file", "path": "a.py", "diff": nil}, {"type": "delete_file", "path": "a.py", "force": true}} {
		var out operationOutput
		if a.object("apply_patch", args, &out, "status", "output"); out.Status != "failed" || !strings.HasPrefix(out.Output, "Error: ") {
			t.Errorf("%v: %+v", args, out)
		}
	}
	a.has(before)
}
