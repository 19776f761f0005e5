package growth

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// counted returns the patterns of the packages whose statements count: what plans and reports a change, and the engine.
func counted() string {
	out := []string{module}
	for _, room := range []string{"text", "dialect", "match", "plan", "report", "guard", "find",
		"caller", "workspace", "consent", "outcome", "logbook", "kept", "trace", "source", "read", "change", "undo"} {
		out = append(out, module+"/internal/"+room+"/...")
	}
	return strings.Join(out, ",")
}

const module = "github.com/emend-dev/emend"

// workVar has the name of a job and its size, for a child process that does it.
const workVar = "EMEND_GROWTH_WORK"

// TestSteps checks the number of statements that every job executes, and its growth. Work without statements of emend, such as
// a search for a byte in a long text, is one step whatever it costs.
func TestSteps(t *testing.T) {
	only(t, "the statements that jobs execute")
	prog := filepath.Join(t.TempDir(), "counted.test")
	out, err := exec.Command("go", "test", "-c", "-covermode", "atomic", "-coverpkg", counted(), "-o", prog, ".").CombinedOutput()
	if err != nil {
		t.Skipf("NOT RUN: the statements that jobs execute: go test -c -cover: %v\n%s", err, out)
	}
	for _, j := range jobs {
		if j.small {
			continue
		}
		t.Run(j.name, func(t *testing.T) {
			var steps []float64
			for _, n := range sizes {
				steps = append(steps, executed(t, prog, j, n)-executed(t, prog, job{}, 0))
			}
			hold(t, "statements: "+j.name, steps[len(sizes)-1])
			grow(t, "statements", steps)
		})
	}
}

// TestWork does one job, when this is the child process.
func TestWork(t *testing.T) {
	name, n := "", 0
	for _, j := range jobs {
		var ok bool
		if name, ok = strings.CutPrefix(os.Getenv(workVar), j.name+": "); !ok {
			continue
		}
		_, err := fmt.Sscan(name, &n)
		check(t, err)
		j.make(t, n)()
	}
}

// executed returns the number of counted statements that a program executes for j.
func executed(t *testing.T, prog string, j job, n int) float64 {
	profile := filepath.Join(t.TempDir(), "profile")
	cmd := exec.Command(prog, "-test.run", "^TestWork$", "-test.coverprofile", profile)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", fmt.Sprintf("%s=%s: %d", workVar, j.name, n))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(profile)
	check(t, err)
	defer f.Close()
	total := 0.0
	for in := bufio.NewScanner(f); in.Scan(); {
		var statements, times float64
		if fields := strings.Fields(in.Text()); len(fields) == 3 {
			_, err := fmt.Sscan(fields[1]+" "+fields[2], &statements, &times)
			check(t, err)
			total += statements * times
		}
	}
	return total
}
