//go:build npm

package interop

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend/proof/product"
)

// program is emend, built as it is shipped.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "emend")
	if err := product.Build(context.Background(), program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
