package dialect

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/patch"
)

// A dialect that is declared and not listed would be there for nobody.
func TestEveryDialectIsListed(t *testing.T) {
	declared, listed := map[string]string{}, []string{}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := goparser.ParseFile(token.NewFileSet(), e.Name(), nil, goparser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range variables(file) {
			if u, ok := value.(*ast.UnaryExpr); ok {
				value = u.X
			}
			lit, ok := value.(*ast.CompositeLit)
			if !ok {
				continue
			}
			if id, ok := lit.Type.(*ast.Ident); ok && id.Name == "Dialect" {
				declared[name] = e.Name()
			}
			if name == "All" {
				for _, x := range lit.Elts {
					listed = append(listed, x.(*ast.Ident).Name)
				}
			}
		}
	}
	if len(declared) != len(All) {
		t.Errorf("%d dialects are declared, %d are listed", len(declared), len(All))
	}
	for name, file := range declared {
		if !slices.Contains(listed, name) {
			t.Errorf("%s of %s is not in All", name, file)
		}
		if file != strings.ToLower(name)+".go" {
			t.Errorf("%s is declared in %s", name, file)
		}
	}
}

func variables(file *ast.File) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				out[v.Names[0].Name] = v.Values[0]
			}
		}
	}
	return out
}

func TestAllIsWhole(t *testing.T) {
	if got := Names(); !slices.Equal(got, []string{"emend", "comma", "codex", "supyagent", "chimera", "unified", "search-replace"}) {
		t.Errorf("Names() = %q", got)
	}
	for i, d := range All {
		if found, ok := Named(d.Name); !ok || found != d {
			t.Errorf("Named(%q) is not it", d.Name)
		}
		if grammars[i].name != d.Name {
			t.Errorf("grammar %d is %s's, dialect %d is %s", i, grammars[i].name, i, d.Name)
		}
		if d.Doc == "" || d.Parse == nil || d.Print == nil || d.PrintHunk == nil || d.Rules == nil {
			t.Errorf("%s is not whole", d.Name)
		}
		if d.Words.Shape != Object && d.Words.Refusal == nil || d.Words.Shape == Text && d.Words.Success == nil || d.Words.Shape == Results && d.Words.Each == nil {
			t.Errorf("%s has no words for its shape", d.Name)
		}
	}
	if _, ok := Named("git"); ok {
		t.Error(`Named("git") found something`)
	}
}

func TestRules(t *testing.T) {
	exact := []patch.Rung{patch.Exact}
	full := []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode}
	lenient := Options{Lenient: true}
	to := func(r patch.Rung) Options { return Options{Tolerance: r} }
	codex := Rules{Place: Cursor, Ladder: full, RepeatPaths: true, AddReplaces: true, MoveReplaces: true, MoveInPlace: true,
		MakeParents: true, Absolute: true, FinalNewline: true, BlankFallback: true}
	for _, tt := range []struct {
		name string
		d    *Dialect
		o    Options
		want Rules
	}{
		{"emend", Emend, Options{}, Rules{Place: Ordered, Ladder: exact}},
		{"emend lenient", Emend, lenient, Rules{Place: Ordered, Ladder: full, Corrects: true, MakeParents: true, Absolute: true}},
		{"emend lenient, but unicode", Emend, Options{Lenient: true, Tolerance: patch.Unicode}, Rules{Place: Ordered, Ladder: full, MakeParents: true, Absolute: true}},
		{"emend to whitespace", Emend, to(patch.Whitespace), Rules{Place: Ordered, Ladder: full[:3]}},
		{"emend to unicode", Emend, to(patch.Unicode), Rules{Place: Ordered, Ladder: full}},
		{"emend lenient, but exact", Emend, Options{Lenient: true, Tolerance: patch.Exact}, Rules{Place: Ordered, Ladder: exact, MakeParents: true, Absolute: true}},
		{"comma", Comma, Options{Lenient: true, Tolerance: patch.Unicode}, Rules{Place: Unique, Ladder: exact}},
		{"codex", Codex, lenient, codex},
		{"supyagent", Supyagent, Options{}, Rules{Place: Unique, Ladder: []patch.Rung{patch.Exact, patch.Whitespace}, MakeParents: true, Absolute: true}},
		{"supyagent to trailing", Supyagent, to(patch.Trailing), Rules{Place: Unique, Ladder: exact, MakeParents: true, Absolute: true}},
		{"chimera", Chimera, to(patch.Unicode), Rules{Place: Unique, Ladder: []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Composed}, MakeParents: true, Absolute: true, DeletesFiles: true}},
		{"chimera to whitespace", Chimera, to(patch.Whitespace), Rules{Place: Unique, Ladder: full[:3], MakeParents: true, Absolute: true, DeletesFiles: true}},
	} {
		if got := tt.d.Rules(tt.o); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if got := Codex.Rules(to(patch.Composed)).Ladder; !slices.Equal(got, full) {
		t.Errorf("codex to composed: %v", got)
	}
}
