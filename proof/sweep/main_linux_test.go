package sweep

import (
	"fmt"
	"os"
	"testing"
)

// helpers are programs that the tests run instead of emend, or in front of it. The test binary is each of them when
// this variable names it.
const helperVar = "EMEND_SWEEP_HELPER"

var helpers = map[string]func(args []string) error{}

func TestMain(m *testing.M) {
	name := os.Getenv(helperVar)
	if name == "" {
		code := m.Run()
		if dir, err := buildDir(); err == nil {
			os.RemoveAll(dir)
		}
		os.Exit(code)
	}
	if err := helpers[name](os.Args[1:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
