// Package gotest runs go test for another system or processor and tells in a table what became of the tests.
package gotest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// Results are the outcomes of tests, by package.
type Results map[string]*outcome

// Run runs go test in a directory, with arguments and additions to the environment, and adds what became of the tests. It prints a line
// for each package. A test that fails is no error.
func (r Results) Run(ctx context.Context, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := r.read(out, func(line string) { fmt.Println(line) })
	io.Copy(io.Discard, out) //nolint:errcheck // so that go test ends
	if err := cmd.Wait(); readErr != nil || ctx.Err() != nil {
		return fmt.Errorf("go test: %w", errors.Join(err, readErr, ctx.Err()))
	}
	return nil
}

// outcome is what became of the tests of one package.
type outcome struct {
	tests  map[string]string // "pass", "fail" or "skip", by name; "" for one that has not ended
	output map[string][]string
	ended  bool
	failed bool // the package itself: it did not build, or ended in the middle
}

func (r Results) of(pkg string) *outcome {
	if r[pkg] == nil {
		r[pkg] = &outcome{tests: map[string]string{}, output: map[string][]string{}}
	}
	return r[pkg]
}

// event is a line of go test -json.
type event struct{ Action, Package, ImportPath, Test, Output string }

// keptLines is how much of the output of a test is kept.
const keptLines = 400

// read reads the output of go test -json and says of each package when it is done.
func (r Results) read(from io.Reader, say func(string)) error {
	in := bufio.NewReader(from)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var e event
		if json.Unmarshal(line, &e) != nil || e.Package == "" {
			if e.Action == "build-output" {
				say(strings.TrimRight(e.Output, "\n"))
			}
			continue
		}
		r.add(e, say)
	}
}

func (r Results) add(e event, say func(string)) {
	o := r.of(e.Package)
	switch {
	case e.Action == "output":
		out := append(o.output[e.Test], e.Output)
		o.output[e.Test] = out[max(0, len(out)-keptLines):]
	case e.Action == "run":
		o.tests[e.Test] = ""
	case e.Action != "pass" && e.Action != "fail" && e.Action != "skip":
	case e.Test != "":
		o.tests[e.Test] = e.Action
	default:
		o.ended, o.failed = true, e.Action == "fail"
		if len(o.tests) > 0 || o.failed {
			pass, fail, skip := o.count()
			say(fmt.Sprintf("%s: %d passed, %d failed, %d skipped", short(e.Package), pass, fail, skip))
		}
	}
}

// leaves calls f for each test without tests below it.
func (o *outcome) leaves(f func(name, result string)) {
	names := slices.Sorted(maps.Keys(o.tests))
	parents := map[string]bool{}
	for _, name := range names {
		for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
			parents[name[:i]] = true
		}
	}
	for _, name := range names {
		// A test that fails although none below it does has failed by itself.
		if result := o.tests[name]; !parents[name] || (result == "fail" || result == "") && !o.failsBelow(name) {
			f(name, o.tests[name])
		}
	}
}

func (o *outcome) failsBelow(name string) bool {
	for below, result := range o.tests {
		if (result == "fail" || result == "") && strings.HasPrefix(below, name+"/") {
			return true
		}
	}
	return false
}

func (o *outcome) count() (pass, fail, skip int) {
	o.leaves(func(_, result string) {
		switch result {
		case "pass":
			pass++
		case "fail", "":
			fail++
		default:
			skip++
		}
	})
	return pass, fail, skip
}

func short(pkg string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(pkg, "github.com/"), "/emend")
	if rest = strings.TrimPrefix(rest, "/"); rest == "" {
		return "emend"
	}
	return rest
}

// Known is a test that cannot pass, and why.
type Known struct {
	pkg    string
	name   *regexp.Regexp
	reason string
	seen   bool
}

// ReadKnown reads a list of tests that cannot pass, a line for each: a package, a pattern for the names of tests, and the reason.
func ReadKnown(text string) (out []*Known, err error) {
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, " ", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("line %d: want a package, a pattern and a reason", i+1)
		}
		name, err := regexp.Compile("^(?:" + f[1] + ")$")
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		out = append(out, &Known{pkg: f[0], name: name, reason: strings.TrimSpace(f[2])})
	}
	return out, nil
}

func find(list []*Known, pkg, test string) *Known {
	for _, k := range list {
		if k.pkg == pkg && k.name.MatchString(test) {
			return k
		}
	}
	return nil
}

// Table words the outcomes: a row for each package, what is known to fail, and the end of the output of each other failure. If all
// tests ran, it names what is in the list and does not fail.
func (r Results) Table(list []*Known, all bool) (text string, failed bool) {
	var rows, expected, surprises strings.Builder
	total := [4]int{}
	for _, pkg := range slices.Sorted(maps.Keys(r)) {
		o, name := r[pkg], short(pkg)
		if len(o.tests) == 0 && o.ended && !o.failed {
			continue
		}
		n := [4]int{}
		o.leaves(func(test, result string) {
			k := find(list, name, test)
			switch {
			case result == "pass":
				n[0]++
			case result == "skip":
				n[2]++
			case result == "":
				n[1]++
				fmt.Fprintf(&surprises, "\n%s %s did not end:\n%s", name, test, o.tail(test))
			case k != nil:
				n[3]++
				fmt.Fprintf(&expected, "* `%s` %s: %s\n", name, test, k.reason)
				k.seen = true
			default:
				n[1]++
				fmt.Fprintf(&surprises, "\n%s %s:\n%s", name, test, o.tail(test))
			}
		})
		if o.failed && n[1]+n[3] == 0 || !o.ended && n[1] == 0 { // it did not build, or ended without a test that failed
			n[1]++
			fmt.Fprintf(&surprises, "\n%s:\n%s", name, o.tail(""))
		}
		fmt.Fprintf(&rows, "| %s | %d | %d | %d | %d |\n", name, n[0], n[1], n[2], n[3])
		for i := range n {
			total[i] += n[i]
		}
	}
	var b strings.Builder
	b.WriteString("| package | passed | failed | skipped | known to fail |\n|---|---:|---:|---:|---:|\n" + rows.String() +
		fmt.Sprintf("| all | %d | %d | %d | %d |\n", total[0], total[1], total[2], total[3]))
	if expected.Len() > 0 {
		b.WriteString("\nKnown to fail:\n\n" + expected.String())
	}
	if surprises.Len() > 0 {
		b.WriteString("\nFailed:\n" + surprises.String())
	}
	ran := map[string]bool{}
	for pkg := range r {
		ran[short(pkg)] = true
	}
	for _, k := range list {
		if all && !k.seen && ran[k.pkg] {
			fmt.Fprintf(&b, "\nKnown to fail, and does not: %s %s\n", k.pkg, k.name)
		}
	}
	return b.String(), total[1] > 0
}

// tail returns the last lines of what a test said.
func (o *outcome) tail(test string) string {
	const lines = 20
	out := o.output[test]
	return "    " + strings.Join(out[max(0, len(out)-lines):], "    ")
}
