package hub_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	row  = regexp.MustCompile("(?m)^\\|.*\\| (`[a-z/-]+\\.Test[^|]*) \\|$")
	name = regexp.MustCompile("`([a-z/-]+)\\.(Test[A-Za-z0-9]+)`")
)

// TestThreats: each row of docs/fleet-security.md names tests that exist.
func TestThreats(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "fleet-security.md"))
	if err != nil {
		t.Fatal(err)
	}
	attacks := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if !strings.HasPrefix(line, "|") || len(cells) < 3 || strings.HasPrefix(line, "|--") || strings.Contains(line, "| test |") || strings.HasPrefix(line, "| who |") || !inAttacks(string(text), line) {
			continue
		}
		if !row.MatchString(strings.TrimSpace(line)) {
			t.Errorf("a row names no test: %s", line)
		}
		attacks++
		for _, m := range name.FindAllStringSubmatch(line, -1) {
			if !declares(t, m[1], m[2]) {
				t.Errorf("there is no %s in %s", m[2], m[1])
			}
		}
	}
	if attacks < 30 {
		t.Errorf("the page has %d attacks", attacks)
	}
}

// inAttacks reports whether a line is below the heading of the attacks.
func inAttacks(text, line string) bool {
	return strings.Index(text, line) > strings.Index(text, "## Attacks")
}

// declares reports whether a package has a test.
func declares(t *testing.T, dir, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+test+"(t *testing.T)") {
			return true
		}
	}
	return false
}
