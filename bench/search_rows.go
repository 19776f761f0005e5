package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

const searchWords = `In a copy of the Go toolchain's own tree and in a generated one. Neither has a .git, a node_modules, links, binary files or
names that emend protects, so that nothing has to be left out on one side. ` + "`rg --no-config --hidden --line-number`" + ` writes paths,
numbers and lines as emend does, both into a file in memory; rg in the order in which it finds them, emend sorted. The lines are compared.`

// query is a search.
type query struct {
	id, words         string
	most              float64 // of the bar
	args              []string
	inGo, inGenerated string
}

var queries = []query{
	{"literal", "a literal", 1, nil, "ErrUnexpectedEOF", "Needle_in_the_Hay"},
	{"fold", "a literal, case-insensitive", 1, []string{"--ignore-case"}, "errunexpectedeof", "needle_in_the_hay"},
	{"none", "no match", 1, nil, "nowhere to be found in here", "nowhere to be found in here"},
	{"alternation", "an alternation", 1.3, []string{regex}, "ErrUnexpectedEOF|ErrShortWrite|ErrClosedPipe", "Needle_in|func do77[0-9]|nowhere at all"},
	{"class", "classes around a literal", 1.3, []string{regex}, `func [A-Za-z_]+\([^)]*\) error`, `func [a-z0-9]+\([^)]*\) error`},
	{"date", "classes alone", 1.3, []string{regex}, `[0-9]{4}-[0-9]{2}-[0-9]{2}`, `[0-9]{4}-[0-9]{2}-[0-9]{2}`},
	{"million", "a million matches", 1.3, nil, "e", "reader"},
}

const (
	regex   = "--mode=regex"
	ripgrep = "ripgrep"
	fd      = "fd"
	rgFiles = "rg --files"
)

// searchTrees lists the trees by their names in rows.
var searchTrees = []struct {
	id, title string
	grow      func(*bench, context.Context) (*searchTree, error)
}{
	{"go", "the Go tree", (*bench).goTree},
	{"generated", "the generated tree", (*bench).generatedTree},
}

func searchRows() (out []row) {
	for _, g := range searchTrees {
		for _, q := range queries {
			text := map[string]string{"go": q.inGo, "generated": q.inGenerated}[g.id]
			title := fmt.Sprintf("%s, %s: `%s`", g.title, q.words, strings.ReplaceAll(text, "|", `\|`))
			out = append(out, row{"g." + g.id + "." + q.id, "g", title, searched(q, text, g.grow)})
		}
	}
	return out
}

func searched(q query, text string, grow func(*bench, context.Context) (*searchTree, error)) func(context.Context, *bench, string) (*work, error) {
	return func(ctx context.Context, b *bench, _ string) (*work, error) {
		g, err := grow(b, ctx)
		if err != nil {
			return nil, err
		}
		theirs := []string{"--no-config", "--hidden", "--no-heading", "--with-filename", "--line-number", "--color=never"}
		if !slices.Contains(q.args, regex) {
			theirs = append(theirs, "--fixed-strings")
		}
		if slices.Contains(q.args, "--ignore-case") {
			theirs = append(theirs, "--ignore-case")
		}
		ours := slices.Concat([]string{"--root=.", "search"}, q.args, []string{"--", text})
		exit := map[bool]int{true: 1}[q.id == "none"]
		same := &agreement{equal: equalHit}
		return &work{note: g.note, found: same.found, bars: []bar{{lane: durable, peer: ripgrep, most: q.most}}, lanes: b.lanes(
			searchTask(g, same, task{name: durable, program: b.programs.emend, args: ours, exit: exit}),
			searchTask(g, same, task{name: ripgrep, program: b.programs.rg, args: append(theirs, "-e", text), exit: exit}),
		)}, nil
	}
}

// searchTask completes a task in a tree whose output must agree with that of the others.
func searchTask(g *searchTree, same *agreement, t task) task {
	t.tree = func() (string, error) { return g.dir, nil }
	t.check, t.silent = same.checker(t.name), true
	return t
}

// listedPart is the part of each tree that is listed. emend lists 5,000 names at most.
var listedPart = map[string]string{"go": "src/crypto", "generated": "the00"}

func listRows() (out []row) {
	suffix := map[string]string{"go": "_test.go", "generated": "76.go"}
	for _, g := range searchTrees {
		s, part := suffix[g.id], listedPart[g.id]
		out = append(out,
			row{"h." + g.id + ".suffix", "h", fmt.Sprintf("%s, glob `**/*%s`", g.title, s), listed(g.grow,
				[]string{"glob", "**/*" + s}, []string{"--glob", "*" + s}, []string{"--glob", "*" + s})},
			row{"h." + g.id + ".all", "h", g.title + ", glob `**`", listed(g.grow, []string{"glob", "**"}, nil, nil)},
			row{"h." + g.id + ".list", "h", fmt.Sprintf("%s, recursive list of `%s`", g.title, part), listed(g.grow,
				[]string{"ls", "--recursive", "--hidden", "--depth=32", part}, []string{".", part}, []string{part})})
	}
	return out
}

func listed(grow func(*bench, context.Context) (*searchTree, error), ours, fds, rgs []string) func(context.Context, *bench, string) (*work, error) {
	return func(ctx context.Context, b *bench, _ string) (*work, error) {
		g, err := grow(b, ctx)
		if err != nil {
			return nil, err
		}
		same := &agreement{equal: equalPath}
		files := &agreement{equal: equalPath, beside: same} // lists files only
		return &work{note: g.note, found: same.found, bars: []bar{{lane: durable, peer: fd, most: 1}}, lanes: b.lanes(
			searchTask(g, same, task{name: durable, program: b.programs.emend, args: slices.Concat([]string{"--root=."}, ours)}),
			searchTask(g, same, task{name: fd, program: b.programs.fd, args: slices.Concat([]string{"--hidden", "--color=never"}, fds)}),
			searchTask(g, files, task{name: rgFiles, program: b.programs.rg, args: slices.Concat([]string{"--no-config", "--files", "--hidden", "--color=never"}, rgs)}),
		)}, nil
	}
}
