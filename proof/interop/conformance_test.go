//go:build npm

package interop

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// campaign is one run of the conformance suite: one of its release lines, for one revision of the protocol, against one server.
type campaign struct {
	name   string
	lock   string
	args   []string // which scenarios
	server func(t *testing.T) (url, token string)
	absent map[string]reason // scenarios, and checks as scenario:check, that cannot pass
}

func campaigns() []campaign {
	both := func(version, lock, revision string, args ...string) []campaign {
		name := version + " for " + revision
		return []campaign{
			{name, lock, args, fixtureServer, notOffered},
			{name + ", shipped", lock, args, shippedServer, needFixture},
		}
	}
	return slices.Concat(both("0.1.16", "conformance1", "2025-11-25", "--suite", "all", "--spec-version", "2025-11-25"),
		both("0.2.0-alpha.12", "conformance2", "2025-11-25", "--requirements", "2025-11-25"),
		both("0.2.0-alpha.12", "conformance2", "2026-07-28", "--requirements", "2026-07-28"))
}

func shippedServer(t *testing.T) (url, token string) {
	return shipped(t, workspace(t, map[string]string{"a.txt": "one\n"}))
}

// TestConformance fails if a scenario that applies does not pass, if one that is listed as not applying passes, or if
// docs/conformance.md differs from the run.
func TestConformance(t *testing.T) {
	all := campaigns()
	results := make([]map[string]outcome, len(all))
	var mu sync.Mutex
	t.Run("suite", func(t *testing.T) {
		for i, c := range all {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				got := c.run(t)
				mu.Lock()
				defer mu.Unlock()
				results[i] = got
			})
		}
	})
	if slices.ContainsFunc(results, func(r map[string]outcome) bool { return r == nil }) {
		t.Skip("NOT RUN: docs/conformance.md was not compared, for a run of the suite is missing")
	}
	compareDoc(t, all, results)
}

// run runs the suite and judges every scenario.
func (c *campaign) run(t *testing.T) map[string]outcome {
	url, token := c.server(t)
	url = withToken(t, url, token)
	program := filepath.Join(install(t, c.lock), "@modelcontextprotocol", "conformance", "dist", "index.js")
	dir := t.TempDir()
	got := run(t, slices.Concat([]string{program, "server", "--url", url, "-o", dir}, c.args)...)
	results := outcomes(t, dir)
	if len(results) < 30 {
		t.Fatalf("the suite ran %d scenarios, and has more:\n%s%s", len(results), got.out, got.err)
	}
	for _, name := range slices.Sorted(maps.Keys(results)) {
		if problem := results[name].judge(c.absent); problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
	}
	c.tell(t, results, got)
	return results
}

// judge returns what is wrong with the outcome of a scenario, unless it is listed as absent.
func (o outcome) judge(absent map[string]reason) string {
	_, whole := absent[o.name]
	if whole && o.passed() {
		return "passes, and is on the list of those that cannot"
	}
	if whole {
		return ""
	}
	var problems []string
	for _, c := range o.checks {
		_, named := absent[o.name+":"+c.ID]
		if c.bad() && !named {
			problems = append(problems, c.Status+" "+c.ID+": "+c.ErrorMessage)
		}
		if named && c.Status == "SUCCESS" {
			problems = append(problems, c.ID+" passes, and is on the list of those that cannot")
		}
	}
	if o.count("SUCCESS") == 0 {
		problems = append(problems, "nothing was checked")
	}
	return strings.Join(problems, "\n")
}

// tell prints the results of a run.
func (c *campaign) tell(t *testing.T, results map[string]outcome, got said) {
	passed, checks, good := 0, 0, 0
	for _, o := range results {
		checks += len(o.checks)
		good += o.count("SUCCESS")
		if _, whole := c.absent[o.name]; !whole {
			passed++
		}
	}
	t.Logf("conformance: %d of %d scenarios apply and pass, %d of %d checks, in %.1fs", passed, len(results), good, checks, got.took.Seconds())
}
