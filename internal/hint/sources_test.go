package hint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/hint"
	"github.com/emend-dev/emend/internal/tool"
)

var (
	marker   = regexp.MustCompile(`‹([^‹›]*)›`)
	flag     = regexp.MustCompile(`(^|[^-\w])--[a-z]`)
	ofGit    = regexp.MustCompile(`\bdiff --[a-z]`) // a header, or a program that an agent has, too
	verb     = regexp.MustCompile(`\bemend (apply|call|convert|create|doctor|edit|explain|glob|log|ls|make|mv|purge|read|recover|restore|rm|search|serve|setup|show|trash|ui|undo|verify|waiting|write)\b`)
	sentence = regexp.MustCompile(`^\W*[A-Z].* `)
)

// TestSources checks the words of every room that may be read by an agent and by a person at a terminal: a flag, a verb, an
// argument or a tool stands in them as a marker, which every reader is told in its own words.
func TestSources(t *testing.T) {
	argument := agentWords()
	said := 0
	for _, lit := range literals(t, "../..") {
		for _, m := range marker.FindAllString(lit.text, -1) {
			said++
			if (hint.Reader{}).Say(m) == m {
				t.Errorf("%s: no marker is called %s", lit.at, m)
			}
		}
		rest := marker.ReplaceAllString(lit.text, "")
		switch {
		case strings.ContainsAny(rest, "‹›"):
			t.Errorf("%s: half a marker in %q", lit.at, lit.text)
		case flag.MatchString(ofGit.ReplaceAllString(rest, "")) && !lit.operators:
			t.Errorf("%s: a flag, which no agent can pass, in %q", lit.at, lit.text)
		case verb.MatchString(rest) && !strings.Contains(rest, " person ") && !lit.operators:
			t.Errorf("%s: a verb, which no agent can run, in %q", lit.at, lit.text)
		case !lit.agents && !strings.Contains(rest, "'s apply_patch:") && sentence.MatchString(rest) && argument.MatchString(rest):
			t.Errorf("%s: %q, which nobody at a terminal knows, in %q", lit.at, argument.FindString(rest), lit.text)
		}
	}
	if said < 40 {
		t.Errorf("only %d markers: the sources are not read", said)
	}
}

// agentWords matches the names of tools and arguments that are no words of a language.
func agentWords() *regexp.Regexp {
	var all []string
	for _, t := range tool.All {
		all = append(all, t.Name)
		for name, s := range t.Input().Properties {
			all = append(all, name)
			if s.Items != nil {
				for name := range s.Items.Properties {
					all = append(all, name)
				}
			}
		}
	}
	var odd []string
	for _, name := range all {
		if strings.ToLower(name) != name || strings.Contains(name, "_") {
			odd = append(odd, name)
		}
	}
	return regexp.MustCompile(`\b(` + strings.Join(odd, "|") + `)\b`)
}

type literal struct {
	at, text  string
	agents    bool // only agents read it
	operators bool // only whoever runs emend reads it
}

// literals returns the string literals of the rooms below dir that word refusals for more than one reader, without tags.
func literals(t *testing.T, dir string) (out []literal) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || name != "." && name != "internal" && name != "api" && !strings.HasPrefix(name, "internal/")):
			return fs.SkipDir
		case d.IsDir() && (strings.HasPrefix(name, "internal/front/") && name != "internal/front/mcp" || name == "internal/hint" || name == "internal/emendtest"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"), strings.HasPrefix(name, "internal/front/mcp/token"), name == "internal/tool/options.go":
			return nil // the token and contradicting options are refused when a person starts the server
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				n.Tag = nil
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					out = append(out, literal{set.Position(n.Pos()).String(), text,
						strings.HasPrefix(name, "internal/tool/") || strings.HasPrefix(name, "internal/front/") || name == "internal/logbook/text.go",
						strings.HasPrefix(name, "internal/front/mcp/http_") || name == "internal/workspace/health.go"})
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
