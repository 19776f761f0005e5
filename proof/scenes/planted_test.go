//go:build linux && planted

package scenes

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/plant"
)

// TestPlanted checks that each planted bug which a scene can meet makes that scene fail, for the right reason.
func TestPlanted(t *testing.T) {
	for _, tc := range []struct {
		bug         plant.Bug
		scene, says string
	}{
		{plant.NoVerify, "TestHumans", "saves were lost"},
		{plant.NoWalkBack, "TestHumans", "patches that were refused are in it"},
	} {
		t.Run(string(tc.bug), func(t *testing.T) {
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), exe, "-test.v", "-test.run=^"+tc.scene+"$")
			cmd.Env = append(os.Environ(), "EMEND_PLANT="+string(tc.bug))
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), tc.says) {
				t.Errorf("%s does not see the bug (%v):\n%s", tc.scene, err, out)
			}
		})
	}
}
