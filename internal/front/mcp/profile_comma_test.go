package mcp_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// commaResult is a result as documented by Comma Agents.
type commaResult struct {
	OK     bool
	Output string
	Data   struct {
		Path, Content, Sha256, TrashedTo string
		Atomic, Deleted, Moved           bool
		HunkCount                        int
		ChangedFiles                     []struct{ Path, Operation, ToPath, TrashedTo string }
		Entries                          []struct{ RelativePath string }
		Matches                          []struct{ Path string }
	}
	Error struct {
		Kind, Message, SuggestedNextAction string
		Recoverable                        bool
		Details                            struct {
			Path, Reason string
			HunkIndex    int
		}
	}
}

func (a *agent) comma(name string, args map[string]any) (r commaResult) {
	a.Helper()
	a.object(name, args, &r, "ok", "output", "data", "error")
	if !r.OK && (r.Error.Kind == "" || r.Error.Message == "") {
		a.Errorf("%s: refused without a word: %+v", name, r)
	}
	return r
}

// patch calls apply_patch.
func (a *agent) patch(text string, expect map[string]string) commaResult {
	a.Helper()
	args := map[string]any{"patch": text}
	if expect != nil {
		args["expectedSha256ByPath"] = expect
	}
	return a.comma("apply_patch", args)
}

// commaFields are the tools and the arguments of each.
var commaFields = map[string]string{
	"read_file":      "allowBinary endLine maxBytes path startLine",
	"list_directory": "includeHidden includeIgnored maxDepth path recursive",
	"search_files":   "caseSensitive contextLines excludeGlobs includeGlobs includeIgnored maxResults mode query root",
	"glob":           "excludeGlobs includeIgnored maxResults pattern root",
	"create_file":    "content createParentDirectories executable path",
	"write_file":     "content expectedSha256 path",
	"edit_file":      "edits expectedSha256 path",
	"delete_file":    "expectedSha256 path permanent",
	"restore_file":   "targetPath trashedPath",
	"move_file":      "createParentDirectories expectedSha256 fromPath toPath",
	"apply_patch":    "atomic expectedSha256ByPath patch",
}

func TestCommaTools(t *testing.T) {
	a := hire(t, "comma", nil)
	r, err := a.session.ListTools(t.Context(), nil)
	if err != nil || len(r.Tools) != len(commaFields) {
		t.Fatalf("%d tools, %v", len(r.Tools), err)
	}
	for _, tool := range r.Tools {
		fields := slices.Sorted(maps.Keys(tool.InputSchema.(map[string]any)["properties"].(map[string]any)))
		if got := strings.Join(fields, " "); got != commaFields[tool.Name] {
			t.Errorf("%s takes %s", tool.Name, got)
		}
	}
	for _, more := range []string{"dryRun", "dialect", "lenient", "tolerance", "idempotencyKey"} {
		if r := a.comma("apply_patch", map[string]any{"patch": "x", more: "x"}); r.OK || !strings.Contains(r.Error.Message, `"`+more+`" is not an argument`) {
			t.Errorf("%s: %+v", more, r)
		}
	}
}

// TestCommaStaleFile runs the documented lifecycle: read, edit with the hash, be refused after a change by somebody
// else, read again, edit.
func TestCommaStaleFile(t *testing.T) {
	a := hire(t, "comma", map[string]string{"src/server.ts": "const HOST = \"::1\";\nconst PORT = 3000;\n"})
	edit := func(read commaResult) commaResult {
		return a.comma("edit_file", map[string]any{"path": "src/server.ts", "expectedSha256": read.Data.Sha256,
			"edits": []map[string]string{{"oldText": "PORT = 3000", "newText": "PORT = 4000"}}})
	}
	sliced := a.comma("read_file", map[string]any{"path": "src/server.ts", "startLine": 1, "endLine": 1})
	read := a.comma("read_file", map[string]any{"path": "src/server.ts"})
	if !read.OK || read.Data.Content != "const HOST = \"::1\";\nconst PORT = 3000;\n" || sliced.Data.Sha256 != read.Data.Sha256 {
		t.Fatalf("%+v and %+v", read, sliced)
	}
	place(t, a.dir, map[string]string{"src/server.ts": "// new\nconst PORT = 3000;\n"})
	stale := edit(read)
	if stale.OK || stale.Error.Kind != "stale_file" || stale.Error.Details.Path != "src/server.ts" ||
		stale.Error.SuggestedNextAction != "Re-read the file to obtain the current sha256 and re-apply your edit." {
		t.Fatalf("%+v", stale)
	}
	if again := edit(a.comma("read_file", map[string]any{"path": "src/server.ts"})); !again.OK {
		t.Errorf("%+v", again)
	}
	a.has(map[string]string{"src/server.ts": "// new\nconst PORT = 4000;\n"})
}

// commaFull is the full example of the documented patch format.
const commaFull = `*** Begin Patch
*** Add File: src/utils/clamp.ts
+export const clamp = (n: number, lo: number, hi: number): number =>
+  Math.min(Math.max(n, lo), hi);
*** Update File: src/index.ts
@@
 import { foo } from "./foo";
+import { clamp } from "./utils/clamp";

 export { foo };
+export { clamp };
*** Delete File: src/legacy.ts
*** End Patch
`

func TestCommaFullExample(t *testing.T) {
	before := map[string]string{"src/index.ts": "import { foo } from \"./foo\";\n\nexport { foo };\n", "src/legacy.ts": "old\n", "src/utils/x.ts": "x\n"}
	a := hire(t, "comma", before)
	r := a.patch(commaFull, map[string]string{"src/utils/clamp.ts": "", "src/legacy.ts": strings.Repeat("0", 64)})
	if r.OK || r.Error.Kind != "stale_file" || r.Error.Details.Path != "src/legacy.ts" {
		t.Errorf("%+v", r)
	}
	a.has(before)
	r = a.patch(commaFull, map[string]string{"src/utils/clamp.ts": "", "src/legacy.ts": a.comma("read_file", map[string]any{"path": "src/legacy.ts"}).Data.Sha256})
	if !r.OK || !r.Data.Atomic || r.Data.HunkCount != 1 || len(r.Data.ChangedFiles) != 3 ||
		r.Output != "Applied patch (atomic): 3 file(s), 1 hunk(s).\n  A src/utils/clamp.ts\n  M src/index.ts\n  D src/legacy.ts" {
		t.Errorf("%+v", r)
	}
	a.has(map[string]string{"src/utils/x.ts": "x\n",
		"src/utils/clamp.ts": "export const clamp = (n: number, lo: number, hi: number): number =>\n  Math.min(Math.max(n, lo), hi);\n",
		"src/index.ts":       "import { foo } from \"./foo\";\nimport { clamp } from \"./utils/clamp\";\n\nexport { foo };\nexport { clamp };\n"})
	back := a.comma("restore_file", map[string]any{"trashedPath": r.Data.ChangedFiles[2].TrashedTo})
	if !back.OK || back.Data.Path != "src/legacy.ts" {
		t.Errorf("%+v", back)
	}
}

// TestCommaEnvelope runs the shorter examples of the same page, and what it says is refused.
func TestCommaEnvelope(t *testing.T) {
	before := map[string]string{"path/to/old.txt": "old\n", "old/path.ts": "export const NAME = \"old-name\";\n", "new/x": "",
		"src/foo.ts": "context line (unchanged)\nremoved line\ncontext line (unchanged)\nmore\nonly-removal\n", "twice": "a\na\n"}
	envelope := func(body string) string { return "*** Begin Patch\n" + body + "*** End Patch\n" }
	move := "*** Move File: old/path.ts -> new/path.ts\n@@\n-export const NAME = \"old-name\";\n+export const NAME = \"new-name\";\n"
	for _, row := range []struct{ patch, kind, reason, path, content string }{
		{envelope("*** Add File: path/to/new.txt\n+first line\n+second line\n+\n+fourth line (blank line above)\n"), "", "",
			"path/to/new.txt", "first line\nsecond line\n\nfourth line (blank line above)\n"},
		{envelope("*** Add File: path/to/new.txt\n+x\n\\ No newline at end of file\n"), "", "", "path/to/new.txt", "x"},
		{envelope("*** Update File: src/foo.ts\n@@ optional-header\n context line (unchanged)\n-removed line\n+added line\n context line (unchanged)\n" +
			"@@ another-hunk-header\n-only-removal\n+only-addition\n"), "", "", "src/foo.ts",
			"context line (unchanged)\nadded line\ncontext line (unchanged)\nmore\nonly-addition\n"},
		{envelope("*** Delete File: path/to/old.txt\n"), "", "", "path/to/old.txt", ""},
		{envelope(move), "", "", "new/path.ts", "export const NAME = \"new-name\";\n"},
		{"Here it is:\n" + envelope(move), "patch_parse_error", "", "", ""},
		{envelope("*** Add File: twice\n+x\n"), "already_exists", "", "", ""},
		{envelope("*** Add File: none/x\n+x\n"), "not_found", "", "", ""},
		{envelope("*** Delete File: ../x\n"), "outside_workspace", "", "", ""},
		{envelope("*** Delete File: /etc/passwd\n"), "command_failed", "absolute_path", "", ""},
		{envelope("*** Update File: twice\n@@\n-a\n+b\n"), "multiple_matches", "", "", ""},
		{envelope("*** Update File: twice\n@@\n-b\n+a\n"), "patch_apply_error", "context_not_found", "", ""},
		{envelope("*** Move File: twice -> twice\n"), "command_failed", "same_path", "", ""},
		{envelope("*** Move File: twice -> old/path.ts\n"), "already_exists", "", "", ""},
	} {
		a := hire(t, "comma", before)
		r := a.patch(row.patch, nil)
		if r.OK != (row.kind == "") || r.Error.Kind != row.kind || r.Error.Details.Reason != row.reason {
			t.Errorf("%s%+v", row.patch, r)
		}
		if !r.OK {
			a.has(before)
		} else if got := a.tree()[row.path]; got != row.content {
			t.Errorf("%s%s is %q", row.patch, row.path, got)
		}
	}
}

// TestCommaFiles makes, writes, moves, deletes and restores files with the fields of earlier results.
func TestCommaFiles(t *testing.T) {
	a := hire(t, "comma", map[string]string{"b": "taken\n"})
	call := func(name string, args map[string]any) commaResult {
		r := a.comma(name, args)
		if !r.OK {
			t.Errorf("%s: %+v", name, r)
		}
		return r
	}
	call("create_file", map[string]any{"path": "a", "content": "one\n"})
	call("write_file", map[string]any{"path": "a", "content": "two\n", "expectedSha256": call("read_file", map[string]any{"path": "a"}).Data.Sha256})
	hash := call("read_file", map[string]any{"path": "a"}).Data.Sha256
	if r := a.comma("move_file", map[string]any{"fromPath": "a", "toPath": "c"}); r.OK || !strings.Contains(r.Output, "expectedSha256") {
		t.Errorf("moved without a hash: %+v", r)
	}
	if r := a.comma("move_file", map[string]any{"fromPath": "a", "toPath": "b", "expectedSha256": hash}); r.Error.Kind != "already_exists" || strings.Contains(r.Output, "overwrite") {
		t.Errorf("%+v", r)
	}
	if r := call("move_file", map[string]any{"fromPath": "a", "toPath": "c", "expectedSha256": hash}); !r.Data.Moved || r.Data.Sha256 == "" {
		t.Errorf("%+v", r)
	}
	if r := a.comma("move_file", map[string]any{"fromPath": "c", "toPath": "d", "expectedSha256": strings.Repeat("0", 64)}); r.Error.Kind != "stale_file" {
		t.Errorf("%+v", r)
	}
	gone := call("delete_file", map[string]any{"path": "c"})
	a.has(map[string]string{"b": "taken\n"})
	call("restore_file", map[string]any{"trashedPath": gone.Data.TrashedTo})
	call("restore_file", map[string]any{"trashedPath": call("delete_file", map[string]any{"path": "c"}).Data.TrashedTo, "targetPath": "e"})
	a.has(map[string]string{"b": "taken\n", "e": "two\n"})
}

// TestCommaLooks checks that these tools skip their own list of directories and do not read ignore files.
func TestCommaLooks(t *testing.T) {
	a := hire(t, "comma", map[string]string{"src/a.ts": "needle\n", "node_modules/m/a.ts": "needle\n", "dist/a.ts": "needle\n",
		"coverage/a.ts": "needle\n", ".gitignore": "*.log\n", "x.log": "needle\n"})
	var found []string
	for _, m := range a.comma("search_files", map[string]any{"query": "needle", "mode": "text"}).Data.Matches {
		found = append(found, m.Path)
	}
	if got := strings.Join(found, " "); got != "src/a.ts x.log" {
		t.Errorf("search_files found %s", got)
	}
	if r := a.comma("glob", map[string]any{"pattern": "**/*.ts"}); len(r.Data.Matches) != 1 || r.Data.Matches[0].Path != "src/a.ts" {
		t.Errorf("%+v", r)
	}
	if r := a.comma("list_directory", map[string]any{"path": ".", "recursive": true}); len(r.Data.Entries) != 3 {
		t.Errorf("%+v", r)
	}
}
