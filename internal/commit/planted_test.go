//go:build planted

package commit

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/plant"
)

// The sweeps catch every planted bug.
func TestPlanted(t *testing.T) {
	caught := map[plant.Bug]string{
		plant.NoStageSync:    "TestPowerCutAtEveryCall",
		plant.NoDirSync:      "TestPowerCutAtEveryCall",
		plant.NoLink:         "TestPowerCutAtEveryCall",
		plant.LogAfterApply:  "TestKilledAtEveryCall",
		plant.NoWalkBack:     "TestEveryCallFails",
		plant.NoVerify:       "TestSomebodySavesAtEveryCall",
		plant.NoUnlinkBack:   "TestKilledAtEveryCall",
		plant.BackMovesEarly: "TestEveryCallFails",
	}
	for _, bug := range plant.Bugs {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			sweep, ok := caught[bug]
			if !ok {
				t.Fatal("no sweep claims to catch it")
			}
			cmd := exec.Command(os.Args[0], "-test.run=^"+sweep+"$", "-every=20")
			cmd.Env = append(os.Environ(), "EMEND_PLANT="+string(bug))
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: "+sweep) {
				t.Fatalf("%s did not catch it: %v\n%.2000s", sweep, err, out)
			}
			first, _, _ := strings.Cut(string(out[strings.Index(string(out), "_test.go"):]), "\n")
			t.Logf("caught by %s: %.160s", sweep, first)
		})
	}
}
