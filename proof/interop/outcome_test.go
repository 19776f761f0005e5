//go:build npm

package interop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// outcome is the suite's result of one scenario.
type outcome struct {
	name   string
	checks []check
}

type check struct{ ID, Status, ErrorMessage string }

func (c check) bad() bool { return c.Status == "FAILURE" || c.Status == "WARNING" }

func (o outcome) count(status string) (n int) {
	for _, c := range o.checks {
		if c.Status == status {
			n++
		}
	}
	return n
}

// passed reports whether something was checked and nothing failed or warned.
func (o outcome) passed() bool {
	return o.count("SUCCESS") > 0 && o.count("FAILURE") == 0 && o.count("WARNING") == 0
}

// The suite leaves one directory for each scenario: server, its name, the time.
var leftBy = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT.*$`)

// outcomes reads the results that a run of the suite left in a directory.
func outcomes(t *testing.T, dir string) map[string]outcome {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]outcome{}
	for _, e := range entries {
		m := leftBy.FindStringSubmatch(e.Name())
		if m == nil {
			t.Fatalf("the suite left %q, which is no scenario", e.Name())
		}
		out[m[1]] = outcome{m[1], checks(t, filepath.Join(dir, e.Name(), "checks.json"))}
	}
	return out
}

func checks(t *testing.T, path string) (out []check) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
