package arch

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNoHub: the program emend has nothing of the hub in it, and the main module requires nothing that the hub does.
func TestNoHub(t *testing.T) {
	if _, err := os.ReadFile("../../go.mod"); err != nil { // a cached result does not outlive a change of it
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list", "-deps", module + "/cmd/emend"}, {"list", "-m", "all"}} {
		out, err := exec.Command("go", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "nats") || strings.Contains(line, "sqlite") || strings.HasPrefix(line, module+"/hub") {
				t.Errorf("go %s has %s", strings.Join(args, " "), line)
			}
		}
	}
}
