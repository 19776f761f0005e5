package growth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
)

// job is work that must not grow faster than its input.
type job struct {
	name string
	unit string                           // what n counts
	make func(t *testing.T, n int) func() // returns the work on n units, which may be done any number of times
	// small means that the work is little beside what make does: its statements cannot be told from those.
	small bool
}

var jobs = []job{
	{name: "split", unit: "lines", make: func(_ *testing.T, n int) func() {
		file := lines(n)
		return func() { text.Split(file) }
	}},
	{name: "split, mixed ends", unit: "lines", make: func(_ *testing.T, n int) func() {
		file := strings.ReplaceAll(lines(n), "7\n", "7\r")
		return func() { text.Split(file) }
	}},
	{name: "parse", unit: "lines", make: func(t *testing.T, n int) func() {
		patch := edits(n/4, 4, same)
		return func() { parse(t, "codex", patch) }
	}},
	{name: "parse, hostile", unit: "lines", make: func(_ *testing.T, n int) func() { return parseHostile(n / 4) }},
	planning("plan, exact", "codex", same, ""),
	planning("plan, trailing", "codex", func(l string) string { return l + " " }, ""),
	planning("plan, whitespace", "codex", func(l string) string { return "\t" + l }, ""),
	planning("plan, unicode", "codex", func(l string) string { return strings.ReplaceAll(l, " ", "\u00a0") }, ""),
	planning("plan, no place", "codex", func(l string) string { return l + "x" }, "not in the file"),
	{name: "plan, near matches everywhere", unit: "lines", make: func(t *testing.T, n int) func() {
		patch := "*** Begin Patch\n*** Update File: f\n@@\n" + strings.Repeat(" a\n", n/2) + "-b\n*** End Patch\n"
		return builds(t, "codex", patch, strings.Repeat("a\n", n), "not in the file")
	}},
	{name: "diff", unit: "lines", make: func(t *testing.T, n int) func() {
		p := build(t, "codex", edits(n, 4, same), lines(n), "")
		return func() { report.Diff(&p.Steps[0]) }
	}},
	{name: "replace", unit: "lines", make: func(t *testing.T, n int) func() {
		file := lines(n)
		var edits []plan.TextEdit
		for i := 0; i < n; i += 100 {
			edits = append(edits, plan.TextEdit{Old: fmt.Sprintf("line %d of", i), New: "changed"})
		}
		return func() { _, err := plan.Replace(file, edits, plan.ReplaceOptions{}); check(t, err) }
	}},
	{name: "read a slice", unit: "lines", make: func(t *testing.T, n int) func() {
		ws := workspace(t, map[string]string{"f": lines(64 * n)})
		return func() {
			_, err := ws.Read(t.Context(), api.ReadRequest{Path: "f", StartLine: n, EndLine: n + 9})
			check(t, err)
		}
	}},
	{name: "search", unit: "files", make: func(t *testing.T, n int) func() {
		ws := tree(t, n/16)
		return func() {
			_, err := ws.Search(t.Context(), api.SearchRequest{Query: "nowhere", Mode: "text"})
			check(t, err)
		}
	}},
	{name: "list", unit: "files", make: func(t *testing.T, n int) func() {
		ws := tree(t, n/16)
		return func() { _, err := ws.List(t.Context(), api.ListRequest{Path: ".", Recursive: true}); check(t, err) }
	}},
	{name: "doctor", unit: "transactions", make: func(t *testing.T, n int) func() {
		ws := edited(t, n/16)
		return func() { _, err := ws.Host().Doctor(t.Context()); check(t, err) }
	}},
	{name: "page of the oldest file", unit: "transactions", small: true, make: func(t *testing.T, n int) func() {
		ws := edited(t, n/16)
		return func() { oldest(t, ws) }
	}},
	{name: "page with the line counts of ten changes", unit: "lines of each", small: true, make: func(t *testing.T, n int) func() {
		ws := workspace(t, nil)
		for i := range 10 {
			_, err := ws.Create(t.Context(), api.CreateRequest{Path: fmt.Sprint(i), Content: lines(n)})
			check(t, err)
		}
		return func() {
			page, err := ws.Timeline(t.Context(), api.TimelineRequest{CountLines: true})
			check(t, err)
			if got := page.Calls[9].Lines; got == nil || got.Added != n {
				t.Fatalf("%d lines are counted as %v", n, got)
			}
		}
	}},
	{name: "undo of the oldest entry", unit: "transactions", small: true, make: func(t *testing.T, n int) func() {
		ws := edited(t, n/16)
		r := api.UndoRequest{Entry: oldest(t, ws), DryRun: true}
		return func() { _, err := ws.Undo(t.Context(), r); check(t, err) }
	}},
}

func same(l string) string { return l }

// planning places a hunk in every fifty lines. how writes its old lines.
func planning(name, dialect string, how func(string) string, refused string) job {
	return job{name: name, unit: "lines", make: func(t *testing.T, n int) func() {
		return builds(t, dialect, edits(n, 50, how), lines(n), refused)
	}}
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of a file\n", i)
	}
	return b.String()
}

// edits returns a patch with a hunk in every so many of n lines.
func edits(n, every int, how func(string) string) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n*** Update File: f\n")
	line := func(i int) string { return how(fmt.Sprintf("line %d of a file", i)) }
	for i := 1; i+1 < n; i += every {
		fmt.Fprintf(&b, "@@\n %s\n-%s\n+%s\n %s\n", line(i-1), line(i), how("changed"), line(i+1))
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}

func parse(t *testing.T, name, text string) (*dialect.Dialect, dialect.Parsed) {
	d, _ := dialect.Named(name)
	p, err := d.Parse(text, dialect.Options{})
	check(t, err)
	return d, p
}

func builds(t *testing.T, name, text, file, refused string) func() {
	return func() { build(t, name, text, file, refused) }
}

func build(t *testing.T, name, text, file, refused string) *plan.Plan {
	d, p := parse(t, name, text)
	out, err := plan.Build(context.Background(), p.Patch, d.Rules(dialect.Options{}), plan.Memory{"f": file}, plan.Options{Print: d.PrintHunk})
	if refused == "" {
		check(t, err)
	} else if err == nil || !strings.Contains(err.Error(), refused) {
		t.Fatalf("err = %v, want one that says %q", err, refused)
	}
	return out
}

func workspace(t *testing.T, files map[string]string) *emend.Workspace {
	dir := t.TempDir()
	for name, data := range files {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	ws, err := emend.Open(dir)
	check(t, err)
	t.Cleanup(func() { ws.Close() })
	return ws
}

// tree returns n small files, twenty in a directory.
func tree(t *testing.T, n int) *emend.Workspace { return workspace(t, small(n)) }

// edited returns a workspace in which a file called first was made, and then another was written n times. The log has an index
// of all but the newest few transactions.
func edited(t *testing.T, n int) *emend.Workspace {
	defer audit.IndexEvery(16 << 10)()
	dir := t.TempDir()
	ws, err := emend.Open(dir, emend.NoSync())
	check(t, err)
	t.Cleanup(func() { ws.Close() })
	for _, name := range []string{"first", "f"} {
		_, err = ws.Create(t.Context(), api.CreateRequest{Path: name})
		check(t, err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(nil))
	for i := range n {
		a, err := ws.Write(t.Context(), api.WriteRequest{Path: "f", Content: fmt.Sprintln(i), ExpectedSha256: sum})
		check(t, err)
		sum = a.Data.AfterSha256
	}
	return ws
}

// oldest returns the entry that made the file called first.
func oldest(t *testing.T, ws *emend.Workspace) string {
	page, err := ws.Timeline(t.Context(), api.TimelineRequest{Path: "first"})
	check(t, err)
	if len(page.Calls) != 1 {
		t.Fatalf("%d calls made it", len(page.Calls))
	}
	return page.Calls[0].Entry
}

func small(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("d%d/f%d.txt", i/20, i)] = lines(20)
	}
	return files
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
