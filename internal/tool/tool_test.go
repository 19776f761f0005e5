package tool

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machinery lists the files of this package that hold no tool.
var machinery = []string{"tool.go", "schema.go", "arguments.go", "arguments_check.go", "call.go", "options.go", "workspaces.go", "profile.go", "time_argument.go", "editor.go", "editor_words.go"}

// TestAllIsAll checks that every other file holds the tool of its name, or a profile, and that it is listed.
func TestAllIsAll(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if slices.Contains(machinery, file) || strings.HasSuffix(file, "_test.go") {
			continue
		}
		name := strings.TrimSuffix(file, ".go")
		if profile, ok := strings.CutPrefix(name, "profile_"); ok {
			if _, ok := ProfileNamed(profile); !ok {
				t.Errorf("%s: no profile %q is in Profiles", file, profile)
			}
			continue
		}
		names = append(names, name)
		if _, ok := Named(name); !ok {
			t.Errorf("%s: no tool %q is in All", file, name)
		}
		if n := defined(t, file); n != 1 {
			t.Errorf("%s defines %d tools", file, n)
		}
	}
	for _, p := range Profiles[1:] {
		if !slices.Contains(files, "profile_"+p.Name+".go") {
			t.Errorf("the profile %s has no file", p.Name)
		}
	}
	if len(names) != len(All) {
		t.Errorf("%d files, and %d tools in All: %q", len(names), len(All), Names())
	}
}

// defined counts the tools that a file defines.
func defined(t *testing.T, file string) (n int) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && (id.Name == "define" || id.Name == "build") {
				n++
			}
		}
		return true
	})
	return n
}

// TestRecords checks that every record is complete, and that its example is a valid call.
func TestRecords(t *testing.T) {
	for _, p := range append(slices.Clip(Profiles), People) {
		if p.System == "" || p.Doc == "" || p.Instructions == "" && p != People {
			t.Errorf("%s: a word is missing", p.Name)
		}
		seen := map[string]bool{}
		for _, tool := range p.Tools {
			at := p.Name + " " + tool.Name
			if seen[tool.Name] || tool.Title == "" || tool.Doc == "" || !strings.Contains(tool.Doc, "efuse") && tool.Name != "history" {
				t.Errorf("%s: a word is missing, or it comes twice", at)
			}
			seen[tool.Name] = true
			if _, err := (Options{Profile: p}).arguments(tool, json.RawMessage(tool.Example)); err != nil {
				t.Errorf("%s: the example does not fit: %v", at, err)
			}
			if (tool.Destructive || !tool.Idempotent) && !tool.Mutates {
				t.Errorf("%s: it changes nothing, so that it is neither destructive nor different the second time", at)
			}
			if strings.ContainsAny(tool.Doc, "\n\t`") || !strings.HasSuffix(tool.Doc, ".") {
				t.Errorf("%s: words %q", at, tool.Doc)
			}
			if first, _, _ := strings.Cut(tool.Doc, ". "); len(first) < 20 || len(first) > 110 {
				t.Errorf("%s: the first sentence stands alone in some clients, and is %q", at, first)
			}
		}
	}
}

// TestPersons checks that no profile and no options offer a tool that is only for people. To an agent that calls one,
// it does not exist.
func TestPersons(t *testing.T) {
	var persons []string
	for _, tool := range All {
		if !tool.PersonOnly {
			continue
		}
		persons = append(persons, tool.Name)
		for _, p := range Profiles {
			if _, ok := p.Named(tool.Name); ok {
				t.Errorf("%s has %s", p.Name, tool.Name)
			}
		}
		ws := open(t, map[string]string{"a": "one\n"})
		for _, o := range []Options{{}, {Profile: Comma}, {ReadOnly: true}} {
			r := replied(t, o.Call(t.Context(), ws, tool.Name, json.RawMessage(tool.Example)))
			if r.OK || !strings.Contains(r.Output, `no tool is called "`+tool.Name+`"`) || len(files(t, ws.Root(), true)) != 1 {
				t.Errorf("%s: %+v", tool.Name, r)
			}
		}
	}
	if got, want := strings.Join(persons, " "), "undo_turn undo_pieces put_back allow deny clear_trash purge recover"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(People.Tools) != len(All) || len(Emend.Tools)+len(persons) != len(All) {
		t.Errorf("people have %d tools, agents %d, of %d", len(People.Tools), len(Emend.Tools), len(All))
	}
	for _, tool := range (Options{Profile: People}).Tools() {
		if tool.PersonOnly {
			t.Errorf("%s is offered", tool.Name)
		}
	}
	if _, ok := ProfileNamed(People.Name); ok || slices.Contains(Profiles, People) || (Options{Profile: People}).Check() == nil {
		t.Error("a server can be told to offer the tools of people")
	}
}

// TestHints checks the hints of each tool against the contract.
func TestHints(t *testing.T) {
	var reads, adds, repeats []string
	for _, tool := range All {
		if !tool.Mutates {
			reads = append(reads, tool.Name)
		} else if !tool.Destructive {
			adds = append(adds, tool.Name)
		}
		if !tool.Idempotent {
			repeats = append(repeats, tool.Name)
		}
	}
	for _, row := range []struct {
		got  []string
		want string
	}{
		{reads, "read_file list_directory search_files glob history"},
		{adds, "create_file restore_file allow deny recover"},
		{repeats, "apply_patch undo allow deny"},
	} {
		if got := strings.Join(row.got, " "); got != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
	}
}

// required lists the required arguments, by the contract.
var required = map[string]string{
	"read_file": "path", "list_directory": "path", "search_files": "query mode", "glob": "pattern", "create_file": "path content",
	"write_file": "path content expectedSha256", "edit_file": "path expectedSha256 edits", "edit_cell": "path expectedSha256", "delete_file": "path", "restore_file": "trashedPath",
	"move_file": "fromPath toPath expectedSha256", "apply_patch": "patch", "history": "", "undo": "",
	"undo_turn": "sessionId", "undo_pieces": "entry", "put_back": "path version", "allow": "id", "deny": "id", "clear_trash": "", "purge": "", "recover": "",
}

func TestSchemas(t *testing.T) {
	for _, tool := range All {
		if got := strings.Join(tool.Input().Required, " "); got != required[tool.Name] {
			t.Errorf("%s requires %s", tool.Name, got)
		}
		if tool.Mutates != (tool.Output() != nil) || tool.Mutates != (tool.Form == TextAndObject) {
			t.Errorf("%s: small results have a schema, and texts have none", tool.Name)
		}
		if _, key := tool.Input().Properties["idempotencyKey"]; key != (tool.Mutates && (!tool.PersonOnly || tool == putBack)) {
			t.Errorf("%s: idempotencyKey %t", tool.Name, key)
		}
	}
	b, err := json.Marshal(searchFiles.Input())
	if err != nil || !strings.Contains(string(b), `"mode":{"type":"string","description":`) || !strings.Contains(string(b), `"enum":["path","text","regex"]`) {
		t.Errorf("%s, %v", b, err)
	}
}

// TestDocs checks that docs/tools.md has every tool, its example and its arguments.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	for _, tool := range All {
		if !strings.Contains(doc, tool.Example) {
			t.Errorf("docs/tools.md lacks the example of %s", tool.Name)
		}
		_, part, ok := strings.Cut(doc, "\n### "+tool.Name+"\n")
		part, _, _ = strings.Cut(part, "\n### ")
		if !ok {
			t.Errorf("docs/tools.md has no section %s", tool.Name)
		}
		for name := range tool.Input().Properties {
			if !strings.Contains(part, "`"+name+"`") {
				t.Errorf("docs/tools.md: %s lacks %s", tool.Name, name)
			}
		}
	}
}

// TestProfileDocs checks that docs/profiles.md has every profile, the arguments of its tools, and an example.
func TestProfileDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Profiles[1:] {
		_, part, ok := strings.Cut(string(b), "\n## `"+p.Name+"`\n")
		part, _, _ = strings.Cut(part, "\n## ")
		if !ok {
			t.Errorf("docs/profiles.md has no section %s", p.Name)
		}
		examples := 0
		for _, tool := range p.Tools {
			if !strings.Contains(part, "`"+tool.Name+"`") {
				t.Errorf("docs/profiles.md: %s lacks %s", p.Name, tool.Name)
			}
			for name := range tool.Input().Properties {
				if len(p.Tools) == 1 && !strings.Contains(part, "`"+name+"`") {
					t.Errorf("docs/profiles.md: %s lacks %s", p.Name, name)
				}
			}
			examples += strings.Count(part, tool.Example)
		}
		if examples == 0 {
			t.Errorf("docs/profiles.md: %s has no example", p.Name)
		}
	}
}
