package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/cli"
)

func TestMain(m *testing.M) {
	emend.Supervise()
	testscript.Main(m, map[string]func(){"emend": func() { os.Exit(cli.Main()) }})
}

// TestScripts runs the scenarios in testdata/script. Each is one txtar that reads like a specification; the rows of
// docs/dialects.md have one each. Run one with -run 'TestScripts/name', and with -testwork to keep its files.
func TestScripts(t *testing.T) {
	dirs, err := filepath.Glob("testdata/script/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"freeze": freeze, "thaw": thaw, "take": take},
				Condition: func(c string) (bool, error) {
					switch c {
					case "freezes":
						return canFreeze(), nil
					case "layers":
						return haveLayers(t), nil
					case "root":
						return os.Geteuid() == 0, nil
					}
					return false, fmt.Errorf("no condition is called %q", c)
				},
				Setup: func(e *testscript.Env) error {
					e.Setenv("NO_COLOR", "1")
					return os.Mkdir(e.WorkDir+"/.emend", 0o700) // makes it the root, whatever is above
				},
			})
		})
	}
}
