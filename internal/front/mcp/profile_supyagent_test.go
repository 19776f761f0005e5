package mcp_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// supyagentResult is a result as documented by Supyagent.
type supyagentResult struct {
	OK       bool            `json:"ok"`
	Results  []supyagentFile `json:"results"`
	Modified *int            `json:"files_modified"`
	Added    *int            `json:"files_added"`
	Deleted  *int            `json:"files_deleted"`
	Error    string          `json:"error"`
}

type supyagentFile struct {
	File      string `json:"file"`
	Operation string `json:"operation"`
	OK        bool   `json:"ok"`
	Error     string `json:"error"`
}

func (a *agent) supyagent(args any) (r supyagentResult) {
	a.Helper()
	a.object("apply_patch", args, &r, "ok", "results", "files_modified", "files_added", "files_deleted", "error")
	if r.Results == nil || r.Modified == nil || r.Added == nil || r.Deleted == nil || r.OK == (r.Error != "") {
		a.Fatalf("a field of the document is missing: %+v", r)
	}
	return r
}

// counted returns the counts: modified, added, deleted.
func (r supyagentResult) counted() [3]int { return [3]int{*r.Modified, *r.Added, *r.Deleted} }

// supyagentMulti is the documentation's example with several files, as JSON.
const supyagentMulti = `{
  "patch": "*** Add File: src/utils/helpers.py\n+\"\"\"Helper utilities.\"\"\"\n+\n+def clamp(value, min_val, max_val):\n+    return max(min_val, min(value, max_val))\n\n*** Update File: src/main.py\n@@ import os\n-import os\n+import os\n+from utils.helpers import clamp\n\n*** Delete File: src/old_helpers.py",
  "dry_run": false
}`

func TestSupyagentMultiFileExample(t *testing.T) {
	a := hire(t, "supyagent", map[string]string{"src/main.py": "import os\n\nprint(os.name)\n", "src/old_helpers.py": "x\n"})
	a.offers("apply_patch")
	r := a.supyagent(json.RawMessage(supyagentMulti))
	want := []supyagentFile{{"src/utils/helpers.py", "add", true, ""}, {"src/main.py", "update", true, ""}, {"src/old_helpers.py", "delete", true, ""}}
	if !r.OK || !slices.Equal(r.Results, want) || r.counted() != [3]int{1, 1, 1} {
		t.Errorf("%+v", r)
	}
	a.has(map[string]string{"src/main.py": "import os\nfrom utils.helpers import clamp\n\nprint(os.name)\n",
		"src/utils/helpers.py": "\"\"\"Helper utilities.\"\"\"\n\ndef clamp(value, min_val, max_val):\n    return max(min_val, min(value, max_val))\n"})
}

// TestSupyagentExamples runs every other example of the documentation, each with dry_run first.
func TestSupyagentExamples(t *testing.T) {
	for _, row := range []struct {
		args          string
		before, after map[string]string
		counted       [3]int
	}{
		{`{"patch": "*** Add File: hello.py\n+print('hello')\n"}`, nil, map[string]string{"hello.py": "print('hello')\n"}, [3]int{0, 1, 0}},
		{`{"patch": "*** Update File: main.py\n@@ def main():\n-    pass\n+    print('hello')\n"}`,
			map[string]string{"main.py": "def main():\n    pass\n"}, map[string]string{"main.py": "def main():\n    print('hello')\n"}, [3]int{1, 0, 0}},
		{`{"patch": "*** Delete File: old_module.py"}`, map[string]string{"old_module.py": "x\n"}, map[string]string{}, [3]int{0, 0, 1}},
		{`{"patch": "*** Update File: config.py\n@@ PORT = 8080\n-PORT = 8080\n+PORT = 3000\n"}`,
			map[string]string{"config.py": "PORT = 8080\n"}, map[string]string{"config.py": "PORT = 3000\n"}, [3]int{1, 0, 0}},
		{`{"patch": "*** Add File: path/to/new_file.py\n+#!/usr/bin/env python3\n+\"\"\"New module.\"\"\"\n+\n+def hello():\n+    print(\"hello\")\n"}`,
			nil, map[string]string{"path/to/new_file.py": "#!/usr/bin/env python3\n\"\"\"New module.\"\"\"\n\ndef hello():\n    print(\"hello\")\n"}, [3]int{0, 1, 0}},
		{`{"patch": "*** Update File: path/to/existing.py\n@@ def main():\n-    pass\n+    print(\"hello\")\n+    return 0\n"}`,
			map[string]string{"path/to/existing.py": "def main():\n    pass\n"}, map[string]string{"path/to/existing.py": "def main():\n    print(\"hello\")\n    return 0\n"}, [3]int{1, 0, 0}},
		{`{"patch": "*** Update File: src/config.py\n@@ DEBUG = False\n-DEBUG = False\n+DEBUG = True\n@@ DEFAULT_PORT = 8080\n-DEFAULT_PORT = 8080\n+DEFAULT_PORT = 3000\n"}`,
			map[string]string{"src/config.py": "DEBUG = False\nX = 1\nDEFAULT_PORT = 8080\n"}, map[string]string{"src/config.py": "DEBUG = True\nX = 1\nDEFAULT_PORT = 3000\n"}, [3]int{1, 0, 0}},
		{`{"patch": "*** Delete File: path/to/unwanted.py"}`, map[string]string{"path/to/unwanted.py": ""}, map[string]string{}, [3]int{0, 0, 1}},
	} {
		a := hire(t, "supyagent", row.before)
		var args map[string]any
		if err := json.Unmarshal([]byte(row.args), &args); err != nil {
			t.Fatal(err)
		}
		dry := maps.Clone(args)
		dry["dry_run"] = true
		if r := a.supyagent(dry); !r.OK || r.counted() != row.counted || !maps.Equal(a.tree(), row.before) && len(row.before) > 0 {
			t.Errorf("dry, %s: %+v, %q", row.args, r, a.tree())
		}
		if r := a.supyagent(args); !r.OK || r.counted() != row.counted || !r.Results[0].OK {
			t.Errorf("%s: %+v", row.args, r)
		}
		a.has(row.after)
	}
}

// TestSupyagentErrors checks the words of every refusal, for each file and for the whole patch. Nothing is changed
// and the counts are 0.
func TestSupyagentErrors(t *testing.T) {
	before := map[string]string{"a.py": "one\ntwo\n", "dir/b.py": "x\n"}
	anchor := strings.Repeat("123456789-", 7)
	for _, row := range []struct{ patch, file, whole string }{
		{"", "", "No operations found in patch"},
		{"just words", "", "No operations found in patch"},
		{"*** Add File: a.py\n+x", "File already exists: a.py", "Validation failed: file already exists: a.py"},
		{"*** Delete File: no.py", "File not found: no.py", "Validation failed: file not found for delete: no.py"},
		{"*** Update File: no.py\n@@ x\n-x\n+y", "File not found: no.py", "Validation failed: file not found for update: no.py"},
		{"*** Update File: a.py\n", "No hunks in update operation", "Validation failed: no hunks for update: a.py"},
		{"*** Update File: a.py\n@@ one\n-one\n+1\n@@ three\n-three\n+3", "Hunk 2 failed: context 'three' not found or remove lines don't match",
			"Validation failed in a.py hunk 2: context 'three' not found or lines don't match"},
		{"*** Update File: a.py\n@@ one\n-three\n+3", "Hunk 1 failed: context 'one' not found or remove lines don't match",
			"Validation failed in a.py hunk 1: context 'one' not found or lines don't match"},
		{"*** Update File: a.py\n@@ " + anchor + "\n-x\n+y", "Hunk 1 failed: context '" + anchor[:60] + "' not found or remove lines don't match",
			"Validation failed in a.py hunk 1: context '" + anchor[:60] + "' not found or lines don't match"},
	} {
		for _, dry := range []bool{true, false} {
			a := hire(t, "supyagent", before)
			r := a.supyagent(map[string]any{"patch": row.patch, "dry_run": dry})
			if r.OK || r.Error != row.whole || r.counted() != [3]int{} {
				t.Errorf("%q: %+v", row.patch, r)
			}
			if row.file == "" && len(r.Results) > 0 || row.file != "" && (len(r.Results) != 1 || r.Results[0].OK || r.Results[0].Error != row.file) {
				t.Errorf("%q: %+v", row.patch, r.Results)
			}
			a.has(before)
		}
	}
}

// TestSupyagentWorkingDir checks that paths are relative to the working directory, which must be in the workspace,
// and that file is the path as written.
func TestSupyagentWorkingDir(t *testing.T) {
	a := hire(t, "supyagent", map[string]string{"sub/a.py": "one\n"})
	for dir, says := range map[string]string{"..": "leaves the workspace", "sub/../../x": "leaves the workspace", "/": "outside", "sub/a.py": "is no directory"} {
		if r := a.supyagent(map[string]any{"patch": "*** Add File: x.py\n+x", "working_dir": dir}); !strings.HasPrefix(r.Error, "Validation failed: ") ||
			!strings.Contains(r.Error, says) || len(r.Results) != 0 || r.counted() != [3]int{} {
			t.Errorf("%s: %+v", dir, r)
		}
	}
	for i, dir := range []string{"sub", "./sub/", a.dir + "/sub"} {
		from, to := []string{"one", "two", "three", "four"}[i], []string{"one", "two", "three", "four"}[i+1]
		r := a.supyagent(map[string]any{"patch": "*** Update File: ./a.py\n@@ " + from + "\n-" + from + "\n+" + to, "working_dir": dir})
		if !r.OK || r.Results[0].File != "./a.py" {
			t.Errorf("%s: %+v", dir, r)
		}
	}
	if r := a.supyagent(map[string]any{"patch": "*** Add File: new.py\n+x", "working_dir": "not/yet"}); !r.OK {
		t.Errorf("%+v", r)
	}
	a.has(map[string]string{"sub/a.py": "four\n", "not/yet/new.py": "x\n"})
}

// TestSupyagentArguments checks that wrong arguments are named in a result of the same shape.
func TestSupyagentArguments(t *testing.T) {
	a := hire(t, "supyagent", nil)
	for args, says := range map[string]string{`{}`: "patch is missing", `{"patch":5}`: "patch is 5, a number", `{"patch":"x","dry_run":"yes"}`: `dry_run is "yes"`,
		`{"patch":"x","dryRun":true}`: `"dryRun" is not an argument of apply_patch. Did you mean "dry_run"?`} {
		if r := a.supyagent(json.RawMessage(args)); !strings.HasPrefix(r.Error, "Validation failed: ") || !strings.Contains(r.Error, says) {
			t.Errorf("%s: %+v", args, r)
		}
	}
}
