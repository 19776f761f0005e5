package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// writeReference writes the pages that come from the code: the verbs with their flags, the tools, the kinds of errors, and the keys of a
// policy.
func (s *site) writeReference(ctx context.Context) error {
	emend := filepath.Join(s.work, "emend")
	if _, err := output(ctx, s.root, "go", "build", "-o", emend, "./cmd/emend"); err != nil {
		return err
	}
	for _, p := range []struct {
		name, title string
		write       func(context.Context, string) (string, error)
	}{
		{"commands", "Commands", commands},
		{"tools", "Tools and their arguments", tools},
		{"errors", "Kinds of errors", s.kinds},
		{"policy", "Keys of a policy", s.policyKeys},
	} {
		text, err := p.write(ctx, emend)
		if err != nil {
			return fmt.Errorf("reference/%s: %w", p.name, err)
		}
		path := "reference/" + p.name + ".md"
		if err := s.write(path, []byte("# "+p.title+"\n\n"+text)); err != nil {
			return err
		}
		s.pages = append(s.pages, page{path, p.title})
	}
	return nil
}

// commands prints the help of every verb.
func commands(ctx context.Context, emend string) (string, error) {
	var out strings.Builder
	out.WriteString("What `emend VERB --help` prints. [The command line](../docs/command-line.md) says what all verbs have in common.\n")
	help, err := output(ctx, ".", emend, "--help")
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&out, "\n```text\n%s```\n", help)
	list, err := output(ctx, ".", emend, "__complete", "")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(list) {
		verb, _, ok := strings.Cut(line, "\t")
		if !ok || verb == "help" {
			continue
		}
		help, err := output(ctx, ".", emend, verb, "--help")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "\n## emend %s\n\n```text\n%s```\n", verb, help)
	}
	return out.String(), nil
}

// tool is what emend call --list prints of a tool.
type tool struct {
	Name        string
	Description string
	InputSchema struct {
		Properties map[string]property
		Required   []string
	}
}

type property struct {
	Type        any
	Description string
	Default     any
	Enum        []any
}

// tools prints the tools of every profile.
func tools(ctx context.Context, emend string) (string, error) {
	var out strings.Builder
	out.WriteString("What a model is told, by profile. [The tools](../docs/tools.md) and [profiles](../docs/profiles.md) say what it means.\n")
	profiles, err := output(ctx, ".", emend, "__complete", "serve", "--profile", "")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(profiles) {
		profile, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if profile == "" || strings.HasPrefix(profile, ":") {
			continue
		}
		text, err := output(ctx, ".", emend, "call", "--list", "--json", "--profile", profile)
		if err != nil {
			return "", err
		}
		var list []tool
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "\n## Profile %s\n", profile)
		for _, t := range list {
			fmt.Fprintf(&out, "\n### %s\n\n```text\n%s\n```\n", t.Name, t.Description)
			if len(t.InputSchema.Properties) == 0 {
				continue
			}
			out.WriteString("\n| argument | type | meaning |\n|---|---|---|\n")
			for _, name := range slices.Sorted(maps.Keys(t.InputSchema.Properties)) {
				p := t.InputSchema.Properties[name]
				words := cell(p.Description)
				if p.Default != nil {
					words += fmt.Sprintf(" (default `%v`)", p.Default)
				}
				if slices.Contains(t.InputSchema.Required, name) {
					words = strings.TrimSpace("**required.** " + words)
				}
				fmt.Fprintf(&out, "| `%s` | %s | %s |\n", name, cell(typeName(p)), words)
			}
		}
	}
	return out.String(), nil
}

func typeName(p property) string {
	switch t := p.Type.(type) {
	case string:
		if len(p.Enum) > 0 {
			return strings.Trim(fmt.Sprint(p.Enum), "[]")
		}
		return t
	case []any:
		var names []string
		for _, n := range t {
			names = append(names, fmt.Sprint(n))
		}
		return strings.Join(names, " or ")
	}
	return "any"
}

// cell makes a text fit into one cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}

// kinds prints the kinds and reasons of errors, from the source of the package fail.
func (s *site) kinds(context.Context, string) (string, error) {
	var out strings.Builder
	out.WriteString("Each refusal has one of these kinds, in `error.kind` of a result, and some a reason in `error.details.reason`. The list is closed.\n" +
		"[The tools](../docs/tools.md#kinds-of-errors) have what each carries.\n")
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(s.root, "fail", "fail.go"), nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	n := 0
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST || d.Doc == nil {
			continue
		}
		var rows []string
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			lit, ok := v.Values[0].(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				continue
			}
			value, err := strconv.Unquote(lit.Value)
			if err != nil {
				return "", err
			}
			if v.Comment == nil {
				return "", fmt.Errorf("fail.%s has no comment that says what it means", v.Names[0].Name)
			}
			rows = append(rows, fmt.Sprintf("| `%s` | `fail.%s` | %s |\n", value, v.Names[0].Name, cell(strings.TrimSpace(v.Comment.Text()))))
		}
		if len(rows) > 0 {
			n++
			head := strings.NewReplacer("[", "`", "]", "`").Replace(strings.TrimSuffix(strings.TrimSpace(d.Doc.Text()), "."))
			fmt.Fprintf(&out, "\n## %s\n\n| in a result | in Go | when |\n|---|---|---|\n%s", head, strings.Join(rows, ""))
		}
	}
	if n < 3 {
		return "", fmt.Errorf("fail.go has %d lists, and kinds and the reasons of two are expected", n)
	}
	return out.String(), nil
}

// policyKeys prints the keys that a policy may have, from the source of the package guard.
func (s *site) policyKeys(context.Context, string) (string, error) {
	files, err := filepath.Glob(filepath.Join(s.root, "internal", "guard", "policy_*.go"))
	if err != nil {
		return "", err
	}
	types := map[string]*ast.StructType{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return "", err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if t, ok := n.(*ast.TypeSpec); ok {
				if st, ok := t.Type.(*ast.StructType); ok {
					types[t.Name.Name] = st
				}
			}
			return true
		})
	}
	top, ok := types["policyFile"]
	if !ok {
		return "", fmt.Errorf("the package guard has no type policyFile")
	}
	var out strings.Builder
	out.WriteString("All keys of `policy.toml`. An unknown key is refused. [Policy](../docs/policy.md) says what they do, with examples.\n\n| section | key | value | meaning |\n|---|---|---|---|\n")
	var row func(section string, st *ast.StructType) error
	row = func(section string, st *ast.StructType) error {
		for _, f := range st.Fields.List {
			kind := typeText(f.Type)
			if f.Tag == nil { // embedded
				if err := row(section, types[kind]); err != nil {
					return err
				}
				continue
			}
			tag, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				return err
			}
			key := reflect.StructTag(tag).Get("toml")
			switch inner := types[strings.TrimPrefix(kind, "map[string]")]; {
			case inner != nil && strings.HasPrefix(kind, "map"):
				fmt.Fprintf(&out, "| `[%s.\"DIR\".…]` | | | the sections write, read, ask and run, for the workspace at DIR alone |\n", key)
			case inner != nil:
				if err := row(strings.TrimPrefix(section+"."+key, "."), inner); err != nil {
					return err
				}
			case f.Comment == nil:
				return fmt.Errorf("the key %s of [%s] has no comment that says what it means", key, section)
			default:
				fmt.Fprintf(&out, "| `[%s]` | `%s` | %s | %s |\n", section, key, strings.NewReplacer("[]string", "list of texts", "string", "text").Replace(kind), cell(strings.TrimSpace(f.Comment.Text())))
			}
		}
		return nil
	}
	err = row("", top)
	return out.String(), err
}

// typeText returns a type as the source has it, as far as a policy uses types.
func typeText(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.ArrayType:
		return "[]" + typeText(t.Elt)
	case *ast.MapType:
		return "map[" + typeText(t.Key) + "]" + typeText(t.Value)
	}
	return "?"
}
