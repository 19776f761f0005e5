package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestNothingIsCompiledEarly: each process waits for what its packages do before main, whatever it was called for. To compile a
// regular expression takes longer than to apply a hunk: it is done when somebody wants to match, with sync.OnceValue. So does the
// table of a checksum.
func TestNothingIsCompiledEarly(t *testing.T) {
	for _, complaint := range early(t, os.DirFS("../..")) {
		t.Error(complaint)
	}
	for src, want := range map[string]int{
		"var a = regexp.MustCompile(`x`)":                                             1,
		"var a = map[bool]*regexp.Regexp{true: regexp.MustCompile(`x`)}":              1,
		"var a = sync.OnceValue(func() any { return regexp.MustCompile(`x`) })":       0,
		"func f() { a := regexp.MustCompile(`x`); _ = a }":                            0,
		"var a = crc32.MakeTable(crc32.Castagnoli)":                                   1,
		"func init() { a = regexp.MustCompile(`x`) }":                                 1,
		"var a, b = 1, func() any { return regexp.MustCompile(`x`) }; var c = f(`x`)": 0,
	} {
		tree := fstest.MapFS{"internal/text/a.go": &fstest.MapFile{Data: []byte("package x\n" + src + "\n")}}
		if got := early(t, tree); len(got) != want {
			t.Errorf("%s: %q", src, got)
		}
	}
}

func early(t *testing.T, tree fs.FS) (out []string) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skip(tree, name)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !slices.Contains(rooms, room(path.Dir(name))) {
			return nil
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			for _, at := range compiles(decl) {
				out = append(out, set.Position(at).String()+": a regular expression, or the table of a checksum, is made before main")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compiles lists where a declaration compiles an expression or makes a table when the program starts: not in functions, but in
// init.
func compiles(decl ast.Decl) (out []token.Pos) {
	if f, ok := decl.(*ast.FuncDecl); ok && (f.Name.Name != "init" || f.Recv != nil) {
		return nil
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (strings.HasPrefix(s.Sel.Name, "MustCompile") || s.Sel.Name == "MakeTable") {
			out = append(out, s.Pos())
		}
		_, function := n.(*ast.FuncLit)
		return !function
	})
	return out
}
