package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A diff is coloured on a terminal only. NO_COLOR and --no-color turn it off.
func TestColor(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a", []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\x1b[2J\n*** End Patch\n"
	tests := []struct {
		name  string
		tty   bool
		env   string
		args  []string
		color bool
	}{
		{"terminal", true, "", nil, true},
		{"pipe", false, "", nil, false},
		{"NO_COLOR", true, "1", nil, false},
		{"--no-color", true, "", []string{"--no-color"}, false},
	}
	for _, tt := range tests {
		var out, errs bytes.Buffer
		a := &app{in: strings.NewReader(text), out: &out, err: &errs, ttyOut: tt.tty, env: func(string) string { return tt.env }}
		if code := a.run(t.Context(), append([]string{"apply", "--dry-run", "--root", "."}, tt.args...)); code != exitDone {
			t.Fatalf("%s: exit code %d: %s", tt.name, code, &errs)
		}
		if got := strings.Contains(out.String(), green+"+y"); got != tt.color {
			t.Errorf("%s: coloured %v, want %v: %q", tt.name, got, tt.color, &out)
		}
		if strings.Contains(out.String(), "\x1b[2J") {
			t.Errorf("%s: the file's own escape sequence reached the terminal: %q", tt.name, &out)
		}
	}
}
