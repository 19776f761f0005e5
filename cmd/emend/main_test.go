package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/emend-dev/emend/internal/front/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"emend": func() { os.Exit(cli.Main()) }})
}

// TestScripts runs the scenarios in testdata/script. Each is one txtar that reads like a specification; the rows of
// docs/dialects.md have one each. Run one with -run 'TestScripts/name', and with -testwork to keep its files.
func TestScripts(t *testing.T) {
	for _, dir := range []string{"testdata/script/cli", "testdata/script/dialects", "testdata/script/engine"} {
		t.Run(dir[len("testdata/script/"):], func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true,
				Setup: func(e *testscript.Env) error {
					e.Setenv("NO_COLOR", "1")
					return os.Mkdir(e.WorkDir+"/.emend", 0o700) // the root, whatever stands above
				},
			})
		})
	}
}
