package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The test itself, on a real file system, must catch a writer that writes file by file.
func TestRigCatchesFileByFile(t *testing.T) {
	if testing.Short() {
		t.Skip("a real file system is mounted some sixty times")
	}
	if why := cannotRun(); why != "" {
		t.Skip("not run: " + why)
	}
	program := filepath.Join(t.TempDir(), "crashtest")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program, "-writer", "rename", "-fs", "ext4", "-patches", "2", "-states", "60").CombinedOutput()
	if strings.Contains(string(out), "NOT RUN") {
		t.Skipf("not run: %s", out)
	}
	if err != nil || !regexp.MustCompile(`(?m)^\| ext4 \| rename \| \d\d+ \|.* caught \|$`).Match(out) {
		t.Errorf("%v: not caught, or hardly a flush recorded\n%s", err, out)
	}
}
