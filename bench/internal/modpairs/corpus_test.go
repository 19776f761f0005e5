package modpairs

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestLists reads the two lists of the benchmark. It fetches nothing.
func TestLists(t *testing.T) {
	for _, name := range []string{"../../realpairs/modules.txt", "../../accuracy/packages.txt", "../../accuracy/second_modules.txt", "../../accuracy/second_packages.txt"} {
		seen := map[string]bool{}
		for _, v := range list(t, name) {
			if seen[v.String()] {
				t.Errorf("%s has %s twice", name, v)
			}
			seen[v.String()] = true
			if want := strings.HasSuffix(name, "packages.txt"); v.published() != want {
				t.Errorf("%s: %s has the checksum %s", name, v, v.Sum)
			}
		}
	}
}

// TestCorpus fetches everything in both lists and counts the changes by language.
func TestCorpus(t *testing.T) {
	if os.Getenv("EMEND_CORPUS") == "" {
		t.Skip("NOT RUN: EMEND_CORPUS is not set; it fetches some 120 MB")
	}
	pairs, missing, err := Corpus(t.Context(), list(t, "../../realpairs/modules.txt"), list(t, "../../accuracy/packages.txt"), t.Output())
	if err != nil || len(missing) > 0 {
		t.Fatal(err, missing)
	}
	counts, fromModules := map[string]int{}, map[string]int{}
	for _, p := range pairs {
		counts[p.Language()]++
		fromModules[p.Module]++
	}
	report(t, counts)
	report(t, fromModules)
	t.Logf("%6d in all", len(pairs))
	if others := len(pairs) - counts["Go"]; len(pairs) < 5_000 || others < 3_000 {
		t.Errorf("%d changes, %d of them not Go: too few", len(pairs), others)
	}
}

func list(t *testing.T, name string) []Version {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := ReadList(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return list
}

func report(t *testing.T, counts map[string]int) {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return counts[b] - counts[a] })
	for _, name := range names {
		t.Logf("%6d %s", counts[name], name)
	}
}
