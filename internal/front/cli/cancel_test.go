package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// A verb that is cancelled before it starts prints an error and changes nothing.
func TestCancelled(t *testing.T) {
	const hash = "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb" // of "abc\n"
	tests := [][]string{
		{"read", "f"}, {"ls"}, {"glob", "*"}, {"search", "abc"}, {"search", "f", "--mode", "path"},
		{"create", "g"}, {"write", "f", "--expect", hash}, {"edit", "f", "--old", "abc", "--new", "x", "--expect", hash},
		{"rm", "f"}, {"mv", "f", "g", "--expect", hash},
	}
	for _, args := range tests {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("f", []byte("abc\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out, errs bytes.Buffer
		a := &app{in: strings.NewReader("new\n"), out: &out, err: &errs, env: func(string) string { return "" }}
		if code := a.run(ctx, append(args, "--root", ".")); code != exitRefused || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%s: exit code %d, %q, %q", args, code, &out, &errs)
		}
		if b, err := os.ReadFile("f"); err != nil || string(b) != "abc\n" {
			t.Errorf("%s: %q, %v", args, b, err)
		}
		if _, err := os.Stat("g"); err == nil {
			t.Errorf("%s: g was made", args)
		}
	}
}
