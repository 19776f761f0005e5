// Command structure measures the layout of a checkout of emend: how many lines stand where, how wide the root package is, and
// which files form cycles. It prints plain text, so that two commits can be compared with diff.
//
//	go -C tools run ./structure ..    # the argument is the checkout
//
// It counts Go and assembler sources for every platform, and no testdata, pages or styles. Blank lines do not count.
// The other figures come from go/types, for the platform that it runs on and without test files. A declaration uses each function,
// method, type, variable and constant of its package that it names. Uses of fields and calls through interfaces do not count.
// Files form a cycle when each uses each other, directly or through others. 0 in a column of cycles means that there is none.
// It reads checkouts from before proof/ and api/ existed: packages of internal/ that proved the product count as proof.
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"log"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go -C tools run ./structure CHECKOUT")
	}
	if err := measure(os.Args[1]); err != nil {
		log.Fatal("structure: ", err)
	}
}

// measure prints the figures of a checkout.
func measure(checkout string) error {
	all, err := findSources(checkout)
	if err != nil {
		return fmt.Errorf("%s: %w", checkout, err)
	}
	pkgs, err := load(checkout, all)
	if err != nil {
		return err
	}
	root := pkgs["."]
	if root == nil || root.Types.Scope().Lookup("Workspace") == nil {
		return fmt.Errorf("%s is not a checkout of emend: it has no type Workspace at its root", checkout)
	}
	found, largest := map[string][][]string{}, map[string]int{} // cycles by directory, the size of the largest by room
	for dir, p := range pkgs {
		found[dir] = cycles(p)
		size := largest[roomOf(dir)]
		for _, cycle := range found[dir] {
			size = max(size, len(cycle))
		}
		largest[roomOf(dir)] = size
	}
	printRoot(all, root, largest["."])
	delete(largest, ".")
	fmt.Printf("\n%-36s %7s %7s %14s\n", "ROOMS", "files", "lines", "largest cycle")
	for _, room := range slices.Sorted(maps.Keys(largest)) {
		files, lines := count(all, func(s source) bool { return s.part == product && roomOf(s.dir) == room })
		fmt.Printf("%-36s %7d %7d %14d\n", room, files, lines, largest[room])
	}
	fmt.Printf("\n%-36s %7s %7s\n", "TOTALS", "files", "lines")
	for _, part := range parts {
		files, lines := count(all, func(s source) bool { return s.part == part })
		fmt.Printf("%-36s %7d %7d\n", part, files, lines)
	}
	fmt.Println("\nCYCLES OF FILES")
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		for _, cycle := range found[dir] {
			fmt.Printf("%s: %d: %s\n", dir, len(cycle), strings.Join(cycle, " "))
		}
	}
	return nil
}

func printRoot(all []source, root *packages.Package, largestCycle int) {
	row := func(name string, n int) { fmt.Printf("%-36s %7d\n", name, n) }
	fmt.Println("ROOT PACKAGE")
	files, lines := count(all, func(s source) bool { return s.part == product && s.dir == "." })
	row("files", files)
	row("lines", lines)
	scope := root.Types.Scope()
	row("exported names", len(slices.DeleteFunc(scope.Names(), func(n string) bool { return !token.IsExported(n) })))
	for _, name := range []string{"Workspace", "Host"} {
		if t := scope.Lookup(name); t != nil {
			methods := slices.Collect(types.NewMethodSet(types.NewPointer(t.Type())).Methods())
			methods = slices.DeleteFunc(methods, func(m *types.Selection) bool { return !m.Obj().Exported() })
			row("methods of "+name, len(methods))
		}
	}
	decls := declarations(root)
	for _, name := range []string{"Undo", "Apply"} {
		method, _, _ := types.LookupFieldOrMethod(scope.Lookup("Workspace").Type(), true, root.Types, name)
		row("files reached from Workspace."+name, len(filesReached(decls, method)))
	}
	row("largest cycle of files", largestCycle)
}

// source is one file of Go or assembler.
type source struct {
	dir   string // below the checkout, with slashes
	lines int    // that are not blank
	part  string // one of parts
}

func count(all []source, counts func(source) bool) (files, lines int) {
	for _, s := range all {
		if counts(s) {
			files, lines = files+1, lines+s.lines
		}
	}
	return files, lines
}

const product = "product"

var (
	parts        = []string{product, "tests of the product", "proof", "bench", "tools and examples"}
	formerProofs = strings.Fields("agents browser crashtest escape growth interop longlog npm oracle scenes siege sweep")
	testHelpers  = strings.Fields("arch emendtest logtest")
)

// partOf returns the part that a file counts into. A test of anything but the product counts with what it tests.
func partOf(dir string, isTest bool) string {
	room := roomOf(dir)
	name, isInternal := strings.CutPrefix(room, "internal/")
	switch {
	case room == "proof", isInternal && slices.Contains(formerProofs, name):
		return "proof"
	case room == "bench":
		return "bench"
	case room == "tools", room == "examples":
		return "tools and examples"
	case isTest, isInternal && slices.Contains(testHelpers, name):
		return "tests of the product"
	}
	return product
}

// roomOf returns internal/x for x and all that is below it, and the topmost directory for any other.
func roomOf(dir string) string {
	names := strings.Split(dir, "/")
	if names[0] != "internal" {
		return names[0]
	}
	return path.Join(names[:min(2, len(names))]...)
}

var line = regexp.MustCompile(`(?m)^.*\S`) // that is not blank

// findSources returns the sources of all modules of the checkout. It skips the directories that the go command skips.
func findSources(checkout string) ([]source, error) {
	var all []source
	tree := os.DirFS(checkout)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (base == "testdata" || base[0] == '.' || base[0] == '_'):
			return fs.SkipDir
		case d.IsDir() || path.Ext(base) != ".go" && path.Ext(base) != ".s":
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		all = append(all, source{path.Dir(name), len(line.FindAll(text, -1)), partOf(path.Dir(name), strings.HasSuffix(base, "_test.go"))})
		return err
	})
	return all, err
}

// load type-checks the packages of the product and returns them by directory below the checkout.
func load(checkout string, all []source) (map[string]*packages.Package, error) {
	patterns := map[string]bool{}
	for _, s := range all {
		if s.part == product {
			patterns["./"+s.dir] = true
		}
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: checkout}, slices.Sorted(maps.Keys(patterns))...)
	if err != nil {
		return nil, err
	}
	pkgs := map[string]*packages.Package{}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		pkgs[path.Join(".", strings.TrimPrefix(p.PkgPath, p.Module.Path))] = p
	}
	return pkgs, nil
}

// declaration is a function, method, type, variable or constant of a package.
type declaration struct {
	file string
	uses []types.Object // of any package
}

func declarations(p *packages.Package) map[types.Object]declaration {
	decls := map[types.Object]declaration{}
	add := func(node ast.Node, names ...*ast.Ident) {
		d := declaration{file: filepath.Base(p.Fset.Position(node.Pos()).Filename)}
		ast.Inspect(node, func(n ast.Node) bool {
			id, _ := n.(*ast.Ident)
			used := p.TypesInfo.Uses[id]
			if f, ok := used.(*types.Func); ok {
				used = f.Origin() // the declared method, for a method of an instantiated type
			}
			if used != nil {
				d.uses = append(d.uses, used)
			}
			return true
		})
		for _, name := range names {
			decls[p.TypesInfo.Defs[name]] = d
		}
	}
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				add(n, n.Name)
			case *ast.TypeSpec:
				add(n, n.Name)
			case *ast.ValueSpec:
				add(n, n.Names...)
			default:
				return true
			}
			return false
		})
	}
	return decls
}

// filesReached returns the files of start and of all declarations that it uses, directly or through others.
func filesReached(decls map[types.Object]declaration, start types.Object) map[string]bool {
	files := map[string]bool{}
	reached := reach(start, func(o types.Object) []types.Object { return decls[o].uses })
	reached[start] = true
	for o := range reached {
		if d, ok := decls[o]; ok {
			files[d.file] = true
		}
	}
	return files
}

// cycles returns each set of files that use each other, directly or through others.
func cycles(p *packages.Package) [][]string {
	decls := declarations(p)
	uses := map[string][]string{}
	for _, d := range decls {
		for _, o := range d.uses {
			if to, ok := decls[o]; ok && to.file != d.file {
				uses[d.file] = append(uses[d.file], to.file)
			}
		}
	}
	reached := map[string]map[string]bool{}
	for file := range uses {
		reached[file] = reach(file, func(f string) []string { return uses[f] })
	}
	var found [][]string
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		cycle := slices.Sorted(maps.Keys(reached[file]))
		cycle = slices.DeleteFunc(cycle, func(other string) bool { return !reached[other][file] })
		if len(cycle) > 0 && cycle[0] == file { // a cycle is found once, from its first file
			found = append(found, cycle)
		}
	}
	return found
}

// reach returns what can be reached from start in one step or more. It has start only if a cycle leads back to it.
func reach[T comparable](start T, next func(T) []T) map[T]bool {
	seen := map[T]bool{}
	var visit func(T)
	visit = func(from T) {
		for _, to := range next(from) {
			if !seen[to] {
				seen[to] = true
				visit(to)
			}
		}
	}
	visit(start)
	return seen
}
