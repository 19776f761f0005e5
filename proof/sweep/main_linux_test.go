package sweep

import (
	"fmt"
	"os"
	"testing"
)

// helperVar makes the test binary act as a helper: a program that tests run instead of emend, or that runs emend.
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
