package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
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
			files := runnable(t, dir)
			if len(files) == 0 {
				return // each is NOT RUN
			}
			testscript.Run(t, testscript.Params{
				Files: files, RequireExplicitExec: true, RequireUniqueNames: true,
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
					e.Setenv("ROOT", filepath.ToSlash(e.WorkDir)) // $WORK, as JSON has it without escapes
					return os.Mkdir(e.WorkDir+"/.emend", 0o700)   // makes it the root, whatever is above
				},
			})
		})
	}
}

// runnable returns the scenarios of a directory. One is NOT RUN if it runs a program without a condition that is missing, if it has
// symbolic links and the system makes none, or if it has a file with a name that Windows does not have.
func runnable(t *testing.T, dir string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no scenarios in %s: %v", dir, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	os.Symlink("nowhere", link)
	_, err = os.Readlink(link) // wine makes what nobody reads
	links := err == nil
	for _, file := range all {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		missing := ""
		for _, m := range scriptNeeds.FindAllSubmatch(script, -1) {
			if program := string(m[1]); program == "" && !links {
				missing = "symbolic links"
			} else if _, err := exec.LookPath(program); program != "" && program != "emend" && err != nil {
				missing = program
			}
		}
		if runtime.GOOS == "windows" && unixName.Match(script) {
			missing = "file with such a name"
		}
		if missing == "" {
			files = append(files, file)
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { t.Skipf("NOT RUN: there is no %s here", missing) })
	}
	return files
}

// unixName finds files of a scenario with names that Windows does not have.
var unixName = regexp.MustCompile(`(?m)^-- .*[<>:"|?*\\].* --$|^-- .*[. ] --$`)

// scriptNeeds finds the programs that a scenario runs, and the links that it makes.
var scriptNeeds = regexp.MustCompile(`(?m)^(?:! |\? )?(?:exec ([a-z0-9]+)|(?:\[symlink\] )?symlink) `)
