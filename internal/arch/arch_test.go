// Package arch holds the order of the rooms as one test. It has no code of its own.
package arch

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/emend-dev/emend"

// rooms is the table of docs/architecture.md, top to bottom: a room imports only rooms above it.
var rooms = []string{
	"patch", "fail", "api", "panics", "text", "credential", "abbrev", "decode", "dialect", "match", "plan", "notebook", "draft", "hint", "report", "explain",
	// The waterline: rooms above compute, rooms below may touch the world.
	"plant", "vfs", "watch", "gitobjects", "confine", "overlay", "guard", "find", "history", "audit", "commit", "board",
	// What an engine does with these, one room for each reason to change.
	"caller", "workspace", "consent", "logbook", "kept", "trace", "source", "read", "change", "undo", "look", "landing", "version",
	"emend", // the root package
	"tool", "profile", "front", "cmd",
}

const firstBelowWater = "plant"

// outside lists directories that use the rooms and that no room may use.
var outside = []string{"examples", "editors", "internal/arch", "internal/logtest", "internal/emendtest", "internal/fakeapi", "internal/vfs/vfstest"}

// worldly lists what a room above the waterline has no business with.
var worldly = []string{"os", "net", "syscall", "io/ioutil", "golang.org/x/sys"}

// The sources are parsed, not asked for with "go list": the test cache sees which files a test opens, but not
// what a program run by it opens, and would keep such a test green after a bad import.
func TestRooms(t *testing.T) {
	for _, complaint := range check(t, os.DirFS("../..")) {
		t.Error(complaint)
	}
}

func TestRoomsSeesClimbing(t *testing.T) {
	source := func(imports string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package x\nimport (" + imports + ")\n")}
	}
	for _, tc := range []struct{ file, imports, want string }{
		{"internal/text/a.go", `"` + module + `/internal/plan"`, "text imports plan"},
		{"internal/tool/a.go", `"` + module + `/internal/front/cli"`, "tool imports front"},
		{"internal/commit/a.go", `"` + module + `"`, "commit imports emend"},
		{"internal/commit/a.go", `"` + module + `/internal/vfs/vfstest"`, "outside"},
		{"internal/logbook/a.go", `"` + module + `/internal/change"`, "logbook imports change"},
		{"api/a.go", `"` + module + `/internal/text"`, "api imports text"},
		{"internal/plan/a.go", `"os/exec"`, "waterline"},
		{"internal/plan/a.go", `"net/http"`, "waterline"},
		{"cmd/emend/a.go", `"` + module + `/bench/x"`, "outside"},
		{"emend.go", `"` + module + `/internal/logtest"`, "outside"},
		{"internal/escape/a.go", "", "no room"},
		{"internal/utils/a.go", "", "no room"},
		{"pkg/a.go", "", "no room"},
		{"emend.go", `"` + module + `/internal/commit"`, ""},
		{"internal/front/cli/a.go", `"` + module + `/internal/front"; "os"`, ""},
		{"internal/text/a_test.go", `"os"`, ""},
		{"examples/a/a.go", `"` + module + `/examples/b"; "os"`, ""},
		{"tools/a.go", "", "no room"},
	} {
		got := strings.Join(check(t, fstest.MapFS{tc.file: source(tc.imports)}), "\n")
		if !strings.Contains(got, tc.want) || (tc.want == "") != (got == "") {
			t.Errorf("%s importing %s: %q, want %q", tc.file, tc.imports, got, tc.want)
		}
	}
}

// check returns every import of tree that climbs, and every package that has no room.
// Test files are free: a test may prove a room with the help of one below it.
func check(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skip(tree, name)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		complaints, err := checkFile(tree, name)
		out = append(out, complaints...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// skip leaves out what the go command leaves out: testdata, hidden directories and other modules.
func skip(tree fs.FS, dir string) error {
	base := path.Base(dir)
	if dir == "." {
		return nil
	}
	if base == "testdata" || base[0] == '.' || base[0] == '_' {
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, dir+"/go.mod"); err == nil {
		return fs.SkipDir
	}
	return nil
}

func checkFile(tree fs.FS, name string) ([]string, error) {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	dir := path.Dir(name)
	if slices.ContainsFunc(outside, func(o string) bool { return within(dir, o) }) {
		return nil, nil
	}
	from := room(dir)
	if !slices.Contains(rooms, from) {
		return []string{fmt.Sprintf("%s: no room is called %q; add it to the table here and in docs/architecture.md", name, from)}, nil
	}
	var out []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if why := forbidden(from, imported); why != "" {
			out = append(out, name+": "+why)
		}
	}
	return out, nil
}

// forbidden says why room from may not import the package, or nothing.
func forbidden(from, imported string) string {
	level := slices.Index(rooms, from)
	if !within(imported, module) {
		above := level < slices.Index(rooms, firstBelowWater)
		if above && slices.ContainsFunc(worldly, func(w string) bool { return within(imported, w) }) {
			return fmt.Sprintf("%s imports %s, but is above the waterline", from, imported)
		}
		return ""
	}
	dir := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
	to := room(dir)
	switch at := slices.Index(rooms, to); {
	case at < 0, slices.ContainsFunc(outside, func(o string) bool { return within(dir, o) }):
		return fmt.Sprintf("%s imports %s, which is outside the rooms", from, imported)
	case at > level:
		return fmt.Sprintf("%s imports %s, which is below it", from, to)
	}
	return ""
}

// room names the room of a directory: its first element, or the one after "internal".
func room(dir string) string {
	if dir == "" || dir == "." {
		return "emend"
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(dir, "internal/"), "/")
	return name
}

func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, dir+"/")
}
