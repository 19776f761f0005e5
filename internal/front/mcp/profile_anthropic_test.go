package mcp_test

import (
	"cmp"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/tool"
)

const editTool = "str_replace_based_edit_tool"

// says makes a call and compares its text.
func (a *agent) says(tool string, args map[string]any, refused bool, want string) {
	a.Helper()
	got, isError := a.text(tool, args)
	if want, more := strings.CutSuffix(want, "…"); isError != refused || got != want && !(more && strings.HasPrefix(got, want)) {
		a.Errorf("%s %v: refused %t, %q; want %q", tool, args, isError, got, want)
	}
}

// TestAnthropicEditor runs the example of the documentation of the text editor, and every command.
func TestAnthropicEditor(t *testing.T) {
	a := hire(t, "anthropic", map[string]string{"primes.py": "def is_prime(n):\n    for num in range(2, limit + 1)\n        pass\n", "src/win.txt": "a\r\nb\r\n",
		"src/.hidden": "x", "node_modules/x/y": "x", "ignored/z": "x", ".gitignore": "ignored\n", "empty": ""})
	a.offers(editTool, "memory")
	for _, row := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"command": "view", "path": "primes.py"}, "1: def is_prime(n):\n2:     for num in range(2, limit + 1)\n3:         pass"},
		{map[string]any{"command": "view", "path": "primes.py", "view_range": []int{2, -1}}, "2:     for num in range(2, limit + 1)\n3:         pass"},
		{map[string]any{"command": "view", "path": "primes.py", "view_range": []int{1, 1}}, "1: def is_prime(n):"},
		{map[string]any{"command": "view", "path": "primes.py", "view_range": []int{3, 99}}, "3:         pass"},
		{map[string]any{"command": "view", "path": a.absolute("src/win.txt")}, "1: a\n2: b"},
		{map[string]any{"command": "view", "path": "empty"}, ""},
		{map[string]any{"command": "view", "path": "src/"}, "Here're the files and directories up to 2 levels deep in src, excluding hidden items and node_modules:\n-\tsrc\n6B\tsrc/win.txt"},
		{map[string]any{"command": "view", "path": "."}, "Here're the files and directories up to 2 levels deep in ., excluding hidden items and node_modules:\n-\t.\n0B\tempty\n-\tignored\n1B\tignored/z\n65B\tprimes.py\n-\tsrc\n6B\tsrc/win.txt"},
		{map[string]any{"command": "str_replace", "path": "primes.py", "old_str": "    for num in range(2, limit + 1)", "new_str": "    for num in range(2, limit + 1):"},
			"Successfully replaced text at exactly one location."},
		{map[string]any{"command": "str_replace", "path": "src/win.txt", "old_str": "a\nb\n", "new_str": "A\nB\n"}, "Successfully replaced text at exactly one location."},
		{map[string]any{"command": "str_replace", "path": "primes.py", "old_str": "        pass\n", "view_range": nil}, "Successfully replaced text at exactly one location."},
		{map[string]any{"command": "create", "path": "new/dir/a.txt", "file_text": "a"}, "File created successfully at: new/dir/a.txt"},
		{map[string]any{"command": "insert", "path": "primes.py", "insert_line": 0, "insert_text": "\"\"\"Primes.\n\"\"\"\n"}, "The file primes.py has been edited."},
		{map[string]any{"command": "insert", "path": "src/win.txt", "insert_line": 2, "new_str": "C"}, "The file src/win.txt has been edited."},
	} {
		a.says(editTool, row.args, false, row.want)
	}
	a.has(map[string]string{"primes.py": "\"\"\"Primes.\n\"\"\"\ndef is_prime(n):\n    for num in range(2, limit + 1):\n", "src/win.txt": "A\r\nB\r\nC\r\n",
		"new/dir/a.txt": "a", "src/.hidden": "x", "node_modules/x/y": "x", "ignored/z": "x", ".gitignore": "ignored\n", "empty": ""})
}

// TestAnthropicEditorRefusals checks the refusals that the documentation words, and others, and that nothing is changed.
func TestAnthropicEditorRefusals(t *testing.T) {
	before := map[string]string{"a.txt": "one\ntwo\none\ntwo\none\n", "dir/x": "x\n", "bin": "a\x00b"}
	a := hire(t, "anthropic", maps.Clone(before))
	for _, row := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"command": "view", "path": "none"}, "Error: File not found…"},
		{map[string]any{"command": "str_replace", "path": "none", "old_str": "a"}, "Error: File not found…"},
		{map[string]any{"command": "insert", "path": "dir", "insert_line": 0, "insert_text": "a"}, "Error: File not found…"},
		{map[string]any{"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "1"},
			"Error: Found 3 matches for replacement text. Please provide more context to make a unique match.\n  place 1: line 1…"},
		{map[string]any{"command": "str_replace", "path": "a.txt", "old_str": "twoo\none"},
			"Error: No match found for replacement. Please check your text and try again.\n  nearest: lines 2-3 (2: changed)…"},
		{map[string]any{"command": "str_replace", "path": "a.txt", "old_str": "", "new_str": "x"}, "Error: old_str is empty…"},
		{map[string]any{"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "one"}, "Error: old_str and new_str are the same…"},
		{map[string]any{"command": "create", "path": "a.txt", "file_text": "x"}, "Error: a.txt: the path exists. str_replace and insert change a file; create makes a new one."},
		{map[string]any{"command": "create", "path": "dir", "file_text": "x"}, "Error: dir: is a directory…"},
		{map[string]any{"command": "create", "path": ".git/config", "file_text": "x"}, "Error: Permission denied. Cannot write to file. …"},
		{map[string]any{"command": "create", "path": "../x", "file_text": "x"}, "Error: Permission denied. Cannot write to file. …"},
		{map[string]any{"command": "view", "path": "/etc/passwd"}, "Error: Permission denied. /etc/passwd…"},
		{map[string]any{"command": "view", "path": "bin"}, "Error: bin: the file is binary…"},
		{map[string]any{"command": "view", "path": "dir", "view_range": []int{1, 2}}, "Error: view_range is for files…"},
		{map[string]any{"command": "view", "path": "a.txt", "view_range": []int{0, 2}}, "Error: view_range is [0 2]…"},
		{map[string]any{"command": "view", "path": "a.txt", "view_range": []int{2, 1}}, "Error: view_range is [2 1]…"},
		{map[string]any{"command": "view", "path": "a.txt", "view_range": []int{2}}, "Error: view_range is [2]…"},
		{map[string]any{"command": "view", "path": "a.txt", "view_range": []int{6, -1}}, "Error: view_range begins at line 6, and the file has 5…"},
		{map[string]any{"command": "insert", "path": "a.txt", "insert_line": 6, "insert_text": "x"}, "Error: a.txt:6: there is no line 6 to insert after: the file has 5…"},
		{map[string]any{"command": "insert", "path": "a.txt", "insert_line": -1, "insert_text": "x"}, "Error: a.txt: there is no line -1 to insert after…"},
		{map[string]any{"command": "insert", "path": "a.txt", "insert_line": 1, "insert_text": ""}, "Error: a.txt: there is no text to insert…"},
		{map[string]any{"command": "insert", "path": "a.txt", "insert_line": 1}, "Error: insert_text is missing, which insert needs…"},
		{map[string]any{"command": "insert", "path": "a.txt", "insert_line": 1, "insert_text": "a", "new_str": "b"}, "Error: new_str is not an argument of insert…"},
		{map[string]any{"command": "view", "path": "a.txt", "file_text": "x"}, "Error: file_text is not an argument of view…"},
		{map[string]any{"command": "undo_edit", "path": "a.txt"}, `Error: command is "undo_edit"; it has to be one of view, create, str_replace, insert…`},
		{map[string]any{"command": "delete", "path": "a.txt"}, `Error: command is "delete"…`},
		{map[string]any{"path": "a.txt"}, "Error: command is missing…"},
		{map[string]any{"command": "view", "path": "a.txt", "other": 1}, `Error: "other" is not an argument of str_replace_based_edit_tool…`},
	} {
		a.says(editTool, row.args, true, row.want)
	}
	a.has(before)
}

// TestAnthropicInsertAfterOthers: the number of an insert is of the version that was shown, or that the session left. Where somebody else
// changed the file since, it is refused unless it still names the same place.
func TestAnthropicInsertAfterOthers(t *testing.T) {
	p, _ := tool.ProfileNamed("anthropic")
	view := map[string]any{"command": "view", "path": "f"}
	insert := func(line int) map[string]any {
		return map[string]any{"command": "insert", "path": "f", "insert_line": line, "insert_text": "new"}
	}
	const edited = "The file f has been edited."
	const again = -1 // line 2, once the file was viewed again
	for _, row := range []struct {
		name   string
		calls  []map[string]any // before somebody else changes the file
		others string           // what they leave; "" for no change
		line   int
		says   string
		after  string // "" for no change
	}{
		{"nobody else", []map[string]any{view}, "", 2, edited, "a\nb\nnew\nc\nd\n"},
		{"not shown at all", nil, "x\na\nb\nc\nd\n", 2, edited, "x\na\nnew\nb\nc\nd\n"},
		{"a line above", []map[string]any{view}, "x\na\nb\nc\nd\n", 2, "Error: f:2: the file changed since it was shown: what was line 2 is line 3 now…", ""},
		{"the line itself", []map[string]any{view}, "a\nB\nc\nd\n", 2, "Error: f:2: the file changed since it was shown, and line 2 may be another one now…", ""},
		{"the line below it", []map[string]any{view}, "a\nb\nC\nd\n", 2, "Error: f:2: the file changed since it was shown, and line 2 may be another one now…", ""},
		{"a line further down", []map[string]any{view}, "a\nb\nc\nD\n", 2, edited + "\nNote: f changed since it was shown, though not where the lines go.", "a\nb\nnew\nc\nD\n"},
		{"a line above, in place of another", []map[string]any{view}, "A\nb\nc\nd\n", 2, edited + "\nNote: f changed since it was shown, though not where the lines go.", "A\nb\nnew\nc\nd\n"},
		{"at the top", []map[string]any{view}, "x\na\nb\nc\nd\n", 0, edited + "\nNote: f changed since it was shown, though not where the lines go.", "new\nx\na\nb\nc\nd\n"},
		{"its own change", []map[string]any{view, insert(1)}, "", 2, edited, "a\nnew\nnew\nb\nc\nd\n"},
		{"its own change, and then another's", []map[string]any{view, insert(1)}, "x\na\nnew\nb\nc\nd\n", 2, "Error: f:2: the file changed since it was shown: what was line 2 is line 3 now…", ""},
		{"shown again", []map[string]any{view}, "x\na\nb\nc\nd\n", again, edited, "x\na\nnew\nb\nc\nd\n"},
	} {
		dir := t.TempDir()
		ws, err := emend.Open(dir, emend.Store(filepath.Join(t.TempDir(), "store")), emend.KeepReads())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		a := &agent{t, dir, connect(t, mcp.Config{Workspaces: []tool.Workspace{{Workspace: ws}}, Tools: tool.Options{Profile: p}})}
		place(t, dir, map[string]string{"f": "a\nb\nc\nd\n"})
		for _, c := range row.calls {
			a.text(editTool, c)
		}
		if row.others != "" {
			place(t, dir, map[string]string{"f": row.others})
		}
		if row.line == again {
			row.line = 2
			a.text(editTool, view)
		}
		got, refused := a.text(editTool, insert(row.line))
		if want, more := strings.CutSuffix(row.says, "…"); refused != (row.after == "") || got != want && !(more && strings.HasPrefix(got, want)) {
			t.Errorf("%s: refused %t, %q; want %q", row.name, refused, got, row.says)
		}
		a.has(map[string]string{"f": cmp.Or(row.after, row.others)})
	}
}

// TestAnthropicMemory checks every sentence of the documentation of the memory tool.
func TestAnthropicMemory(t *testing.T) {
	a := hire(t, "anthropic", map[string]string{"outside.txt": "x\n"})
	const dir = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n-\t/memories"
	for _, row := range []struct {
		args    map[string]any
		refused bool
		want    string
	}{
		{map[string]any{"command": "view", "path": "/memories"}, false, dir},
		{map[string]any{"command": "view", "path": "/memories/notes.txt"}, true, "The path /memories/notes.txt does not exist. Please provide a valid path."},
		{map[string]any{"command": "create", "path": "/memories/notes.txt", "file_text": "Hello World\nThis is line two\na\nb\na\n"}, false, "File created successfully at: /memories/notes.txt"},
		{map[string]any{"command": "create", "path": "/memories/notes.txt", "file_text": "x"}, true, "Error: File /memories/notes.txt already exists"},
		{map[string]any{"command": "view", "path": "/memories/"}, false, dir + "\n35B\t/memories/notes.txt"},
		{map[string]any{"command": "view", "path": "/memories/notes.txt", "view_range": []int{1, 2}}, false,
			"Here's the content of /memories/notes.txt with line numbers:\n     1\tHello World\n     2\tThis is line two"},
		{map[string]any{"command": "str_replace", "path": "/memories/no.txt", "old_str": "a"}, true, "Error: The path /memories/no.txt does not exist. Please provide a valid path."},
		{map[string]any{"command": "str_replace", "path": "/memories", "old_str": "a"}, true, "Error: str_replace does not work on /memories itself…"},
		{map[string]any{"command": "str_replace", "path": "/memories/notes.txt", "old_str": "zzz"}, true,
			"No replacement was performed, old_str `zzz` did not appear verbatim in /memories/notes.txt."},
		{map[string]any{"command": "str_replace", "path": "/memories/notes.txt", "old_str": "a\n"}, true,
			"No replacement was performed. Multiple occurrences of old_str `a\n` in lines: 3, 5. Please ensure it is unique\n…"},
		{map[string]any{"command": "str_replace", "path": "/memories/notes.txt", "old_str": "b\na\n", "new_str": "c\n"}, false,
			"The memory file has been edited.\n     1\tHello World\n     2\tThis is line two\n     3\ta\n     4\tc"},
		{map[string]any{"command": "insert", "path": "/memories/no.txt", "insert_line": 0, "insert_text": "x"}, true, "Error: The path /memories/no.txt does not exist"},
		{map[string]any{"command": "insert", "path": "/memories/notes.txt", "insert_line": 9, "insert_text": "x"}, true,
			"Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 4]"},
		{map[string]any{"command": "insert", "path": "/memories/notes.txt", "insert_line": 4, "insert_text": "x"}, false, "The file /memories/notes.txt has been edited."},
		{map[string]any{"command": "rename", "old_path": "/memories/no.txt", "new_path": "/memories/x"}, true, "Error: The path /memories/no.txt does not exist"},
		{map[string]any{"command": "create", "path": "/memories/d/x", "file_text": "x"}, false, "File created successfully at: /memories/d/x"},
		{map[string]any{"command": "rename", "old_path": "/memories/notes.txt", "new_path": "/memories/d/x"}, true, "Error: The destination /memories/d/x already exists"},
		{map[string]any{"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"}, false, "Successfully renamed /memories/d to /memories/e"},
		{map[string]any{"command": "rename", "old_path": "/memories/notes.txt", "new_path": "/memories/e/final.txt"}, false,
			"Successfully renamed /memories/notes.txt to /memories/e/final.txt"},
		{map[string]any{"command": "delete", "path": "/memories/no.txt"}, true, "Error: The path /memories/no.txt does not exist"},
		{map[string]any{"command": "delete", "path": "/memories/d"}, true, "Error: The path /memories/d does not exist"},
		{map[string]any{"command": "delete", "path": "/memories"}, true, "Error: delete does not work on /memories itself…"},
		{map[string]any{"command": "delete", "path": "/memories/e/x"}, false, "Successfully deleted /memories/e/x"},
		{map[string]any{"command": "view", "path": "/memories/../outside.txt"}, true, "Error: the path /memories/../outside.txt leads through . or .."},
		{map[string]any{"command": "view", "path": "outside.txt"}, true, "Error: the path outside.txt does not begin with /memories…"},
		{map[string]any{"command": "rename", "old_path": "/memories/e/final.txt", "new_path": "/final.txt"}, true, "Error: the path /final.txt does not begin with /memories…"},
		{map[string]any{"command": "view", "path": "/memoriesx"}, true, "Error: the path /memoriesx does not begin with /memories…"},
		{map[string]any{"command": "rename", "old_path": "/memories/e/final.txt"}, true, "Error: new_path is missing, which rename needs…"},
	} {
		if strings.Contains(row.want, "leads through") {
			row.want += "…"
		}
		a.says("memory", row.args, row.refused, row.want)
	}
	a.has(map[string]string{"outside.txt": "x\n", "memories/e/final.txt": "Hello World\nThis is line two\na\nc\nx\n"})
}

// TestAnthropicViewOfMuch checks how a view of much text ends, and that of too many lines.
func TestAnthropicViewOfMuch(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	a := hire(t, "anthropic", map[string]string{"memories/long.txt": strings.Repeat(line, 200), "memories/wide.txt": strings.Repeat("x", 20_000) + "\n",
		"memories/many.txt": strings.Repeat("\n", 1_000_000), "long.txt": strings.Repeat(line, 3000)})
	for path, want := range map[string]string{
		"/memories/long.txt": "\n   160\t" + line + "Note: cut here; send view_range [161, -1] for the rest of the 200 lines.",
		"/memories/wide.txt": "x\nNote: line 1 of 1 is longer than this.",
	} {
		if got, refused := a.text("memory", map[string]any{"command": "view", "path": path}); refused || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q", path, got[max(0, len(got)-300):])
		}
	}
	a.says("memory", map[string]any{"command": "view", "path": "/memories/many.txt"}, true, "File /memories/many.txt exceeds maximum line limit of 999,999 lines.")
	got, refused := a.text(editTool, map[string]any{"command": "view", "path": "long.txt"})
	if refused || !strings.HasSuffix(got, "Note: cut here; send view_range [2622, -1] for the rest of the 3000 lines.") {
		t.Errorf("%q", got[max(0, len(got)-300):])
	}
	got, refused = a.text(editTool, map[string]any{"command": "view", "path": "long.txt", "view_range": []int{2622, -1}})
	if refused || !strings.HasPrefix(got, "2622: x") || !strings.HasSuffix(got, "\n3000: "+strings.TrimSuffix(line, "\n")) {
		t.Errorf("%q", got[max(0, len(got)-300):])
	}
}
