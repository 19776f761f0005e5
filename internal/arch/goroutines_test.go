package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// startsItself lists the files that start goroutines without package panics, and why a panic there ends nobody's call.
var startsItself = map[string]string{
	"internal/panics/panics.go":           "the place where they are started",
	"internal/report/diff_plan.go":        "recovers, and raises the panic where the diffs are used",
	"internal/front/cli/browser.go":       "waits for a program",
	"internal/front/cli/cli.go":           "waits for a signal",
	"internal/front/cli/log_follow.go":    "waits for the end of standard output; the process is one call",
	"internal/front/cli/serve.go":         "waits for signals and ticks; what it calls is called through panics.Call",
	"internal/front/cli/ui.go":            "closes the site when the context ends",
	"internal/front/cli/serve_http.go":    "closes the site when the context ends",
	"internal/front/web/hub.go":           "a timer that takes locks and closes",
	"internal/front/mcp/http_serve.go":    "a timer that cancels a context",
	"internal/front/mcp/middleware.go":    "cancels a context",
	"internal/front/mcp/stdio.go":         "cancels a context",
	"internal/front/mcp/http_sessions.go": "a timer that removes a session",
	"internal/find/walk.go":               "stops a walk when its context ends",
}

// TestGoroutines: a panic in a goroutine that nobody recovers ends the process. So every goroutine is started by package panics,
// or stands in the list above.
func TestGoroutines(t *testing.T) {
	for _, complaint := range goroutines(t, os.DirFS("../..")) {
		t.Error(complaint)
	}
}

func TestGoroutinesSeesThem(t *testing.T) {
	for src, found := range map[string]bool{
		"func f() { go f() }":                                               true,
		"func f() { var w sync.WaitGroup; w.Go(f) }":                        true,
		"type t struct { w sync.WaitGroup }; func (x *t) f() { x.w.Go(f) }": true,
		"func f() { context.AfterFunc(ctx, f) }":                            true,
		"func f() { var w panics.Group; w.Go(f) }":                          false,
		"func f() { panics.Go(f, g) }":                                      false,
		"func f() { var w sync.WaitGroup; w.Add(1); w.Wait() }":             false,
	} {
		tree := fstest.MapFS{"internal/read/a.go": &fstest.MapFile{Data: []byte("package read\n" + src + "\n")}}
		if got := goroutines(t, tree); (len(got) > 0) != found {
			t.Errorf("%s: %q", src, got)
		}
	}
}

// goroutines lists the places of tree that start a goroutine on their own.
func goroutines(t *testing.T, tree fs.FS) (out []string) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "examples" || name == "internal/logtest" || name == "internal/emendtest" || name == "internal/vfs/vfstest"):
			return fs.SkipDir
		case d.IsDir():
			return skip(tree, name)
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || startsItself[name] != "":
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
		for _, at := range starts(file, strings.Contains(string(src), "sync.WaitGroup")) {
			out = append(out, set.Position(at).String()+" starts a goroutine; start it with package panics")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// starts returns where a file starts goroutines. groups says that it has a sync.WaitGroup, whose Go starts one.
func starts(file *ast.File, groups bool) (out []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, n.Pos())
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, _ := f.X.(*ast.Ident)
			ours := from != nil && from.Name == "panics"
			if f.Sel.Name == "AfterFunc" || f.Sel.Name == "Go" && groups && !ours {
				out = append(out, n.Pos())
			}
		}
		return true
	})
	return out
}
