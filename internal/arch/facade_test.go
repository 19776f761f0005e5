package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// The bounds of the root package, which is what somebody who embeds emend has to read.
const (
	maxRootFiles   = 12
	maxRootLines   = 1500
	maxRootNames   = 60 // exported, without methods
	maxRootMethods = 36 // of Workspace
	maxBodyLines   = 12 // of a function
)

// loops lists the functions of the root that may loop: over options, and over the files of a plan to wrap them.
var loops = []string{"Open", "files"}

// noFiles lists what a facade without file access does not import.
var noFiles = []string{"os", "io/fs", "path/filepath", "syscall", "net"}

// TestRootIsAFacade checks that the root package has no logic: its functions are short, do not loop, start no goroutine and open no
// file. What they do is done by rooms.
func TestRootIsAFacade(t *testing.T) {
	for _, complaint := range facade(t, os.DirFS("../..")) {
		t.Error(complaint)
	}
}

func TestFacadeSeesLogic(t *testing.T) {
	for src, want := range map[string]string{
		"func f() { for range 3 { } }":                                 "loops",
		"func f() { func() { for { } }() }":                            "loops",
		"func files() { for range 3 { } }":                             "",
		"func f() { go f() }":                                          "starts a goroutine",
		"func f() {" + strings.Repeat("\n_ = 1", maxBodyLines+1) + "}": "lines",
		`import "os"; var f = os.Stat`:                                 "imports os",
		"func f() int { if true { return 1 }; return 2 }":              "",
		strings.Repeat("var A, B, C, D, E int\n", 13):                  "exported names",
		"type Workspace int\n" + methods(maxRootMethods+1):             "methods",
		strings.Repeat("// a\n", maxRootLines):                         "lines",
	} {
		tree := fstest.MapFS{"a.go": &fstest.MapFile{Data: []byte("package emend\n" + src + "\n")}}
		got := strings.Join(facade(t, tree), "\n")
		if !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%.60s: %q, want %q", src, got, want)
		}
	}
}

func methods(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func (w *Workspace) M%d() {}\n", i)
	}
	return b.String()
}

// facade returns what the root package of tree has and a facade must not have.
func facade(t *testing.T, tree fs.FS) (out []string) {
	t.Helper()
	names, err := fs.Glob(tree, "*.go")
	if err != nil {
		t.Fatal(err)
	}
	files, lines, exported, methods := 0, 0, 0, 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		files, lines = files+1, lines+strings.Count(string(src), "\n")
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if imported, _ := strconv.Unquote(spec.Path.Value); slices.Contains(noFiles, imported) {
				out = append(out, name+" imports "+imported)
			}
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.GenDecl:
				exported += exportedSpecs(decl)
			case *ast.FuncDecl:
				switch {
				case decl.Recv == nil && decl.Name.IsExported():
					exported++
				case decl.Recv != nil && decl.Name.IsExported() && receiver(decl) == "Workspace":
					methods++
				}
				out = append(out, logic(set, decl)...)
			}
		}
	}
	for _, bound := range []struct {
		what     string
		got, max int
	}{{"files", files, maxRootFiles}, {"lines", lines, maxRootLines}, {"exported names", exported, maxRootNames}, {"methods of Workspace", methods, maxRootMethods}} {
		if bound.got > bound.max {
			out = append(out, fmt.Sprintf("the root has %d %s, and at most %d are allowed", bound.got, bound.what, bound.max))
		}
	}
	return out
}

// logic returns what a function of a facade does itself instead of calling a room.
func logic(set *token.FileSet, f *ast.FuncDecl) (out []string) {
	if f.Body == nil {
		return nil
	}
	at := set.Position(f.Pos())
	if n := set.Position(f.Body.Rbrace).Line - set.Position(f.Body.Lbrace).Line; n > maxBodyLines {
		out = append(out, fmt.Sprintf("%s: %s has %d lines", at, f.Name.Name, n))
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if !slices.Contains(loops, f.Name.Name) {
				out = append(out, fmt.Sprintf("%s: %s loops", at, f.Name.Name))
			}
		case *ast.GoStmt:
			out = append(out, fmt.Sprintf("%s: %s starts a goroutine", at, f.Name.Name))
		}
		return true
	})
	return out
}

func exportedSpecs(d *ast.GenDecl) (n int) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				n++
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					n++
				}
			}
		}
	}
	return n
}

// receiver returns the name of a method's type.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
