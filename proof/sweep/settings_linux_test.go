package sweep

import (
	"os"
	"strconv"
	"testing"
)

// setting returns one of the environment variables that doc.go lists.
func setting(name, otherwise string) string {
	if v := os.Getenv("EMEND_SWEEP_" + name); v != "" {
		return v
	}
	return otherwise
}

func number(t testing.TB, name string, otherwise uint64) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(setting(name, strconv.FormatUint(otherwise, 10)), 10, 64)
	if err != nil {
		t.Fatalf("EMEND_SWEEP_%s: %v", name, err)
	}
	return n
}

// whole reports whether all points are to be tried.
func whole() bool { return setting("ALL", "") != "" }
