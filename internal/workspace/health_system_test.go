package workspace

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
)

// Where emend changes no files, it does not say that every promise holds.
func TestHealthOfSystems(t *testing.T) {
	for system, want := range map[string]string{"linux": "", "darwin": "macOS has no leases", "windows": "on Windows a changed file keeps its access list", "plan9": "does not change files on plan9"} {
		h := &api.Health{}
		checkSystem(h, system)
		if got := strings.Join(h.Weaker, "\n"); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", system, got)
		}
	}
}
