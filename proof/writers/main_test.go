//go:build linux

package writers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend/proof/product"
)

// program is the emend under test.
var program string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "emend-writers")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "emend")
	if err := product.Build(context.Background(), program, "-trimpath"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
