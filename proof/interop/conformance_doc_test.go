//go:build npm

package interop

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	docPath   = "../../docs/conformance.md"
	docBegins = "<!-- what follows is compared with each run -->\n"
	docEnds   = "<!-- end -->\n"
)

// compareDoc compares the document with the runs.
func compareDoc(t *testing.T, all []campaign, results []map[string]outcome) {
	data, err := os.ReadFile(docPath)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), docBegins)
	said, after, ended := strings.Cut(rest, docEnds)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", docPath)
	}
	shown := table(all, results) + reasons(all)
	if os.Getenv("EMEND_CONFORMANCE_DOC") == "write" {
		if err := os.WriteFile(docPath, []byte(before+docBegins+shown+docEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if said != shown {
		t.Errorf("%s says something else than this run, which EMEND_CONFORMANCE_DOC=write puts there:\n%s", docPath, shown)
	}
}

func table(all []campaign, results []map[string]outcome) string {
	var b strings.Builder
	names := map[string]bool{}
	b.WriteString("| scenario |")
	for i := range all {
		fmt.Fprintf(&b, " %s |", all[i].name)
		for name := range results[i] {
			names[name] = true
		}
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(all)) + "\n")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&b, "| `%s` |", name)
		for i := range all {
			fmt.Fprintf(&b, " %s |", all[i].cell(name, results[i]))
		}
		b.WriteByte('\n')
	}
	b.WriteString("| **passed** |")
	for i := range all {
		fmt.Fprintf(&b, " %s |", all[i].total(results[i]))
	}
	return b.String() + "\n\n"
}

// cell returns the table's text for a scenario in one run.
func (c *campaign) cell(name string, results map[string]outcome) string {
	o, ran := results[name]
	if !ran {
		return ""
	}
	if r, ok := c.absent[name]; ok {
		return r.word
	}
	but := map[string]bool{}
	for _, check := range o.checks {
		if r, ok := c.absent[name+":"+check.ID]; ok {
			but[r.word] = true
		}
	}
	if len(but) == 0 {
		return "passed"
	}
	return "passed, but: " + strings.Join(slices.Sorted(maps.Keys(but)), ", ")
}

func (c *campaign) total(results map[string]outcome) string {
	n := 0
	for name := range results {
		if strings.HasPrefix(c.cell(name, results), "passed") {
			n++
		}
	}
	return fmt.Sprintf("%d of %d", n, len(results))
}

// reasons explains the words of the table.
func reasons(all []campaign) string {
	why := map[string]string{}
	for _, c := range all {
		for _, r := range c.absent {
			why[r.word] = r.why
		}
	}
	var b strings.Builder
	for _, word := range slices.Sorted(maps.Keys(why)) {
		fmt.Fprintf(&b, "* **%s**: %s\n", word, why[word])
	}
	return b.String()
}
