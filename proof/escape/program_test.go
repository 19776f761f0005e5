//go:build linux || darwin

package escape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// answered is the program's refusal: the kinds of its failures.
type answered []string

func (a answered) Error() string { return fmt.Sprintf("%q", []string(a)) }

// forProgram reports whether the program can be given the attack. It runs in the workspace, so its working directory is no way
// out.
func (a *attack) forProgram() bool {
	return a.base == "" && a.options == nil && a.store == "" && !strings.Contains(fmt.Sprint(a.patch, a.files), "/self/cwd")
}

// program gives the attack to emend apply, in a process that runs in the workspace.
func (a *attack) program(ctx context.Context, top string) error {
	text, o := a.text(top)
	args := []string{"apply", "--json", "--durability", "none", "--dialect", o.Dialect}
	if o.Lenient {
		args = append(args, "--lenient")
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Dir = top + "/ws"
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	exit, ran := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case ran && exit.ExitCode() == 1:
		return failed(out)
	}
	return fmt.Errorf("%w: %s", err, out)
}

// failed parses a refusal of the program. All of it must be safe for a terminal.
func failed(out []byte) error {
	type failure struct {
		Kind    string
		Details struct {
			Reason   string
			Failures []failure
		}
	}
	var said struct{ Error failure }
	if err := json.Unmarshal(out, &said); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if err := readable(string(out)); err != nil {
		return err
	}
	all := said.Error.Details.Failures
	if len(all) == 0 {
		all = []failure{said.Error}
	}
	var kinds answered
	for _, f := range all {
		kinds = append(kinds, strings.TrimSuffix(f.Kind+"/"+f.Details.Reason, "/"))
	}
	return kinds
}

// readable rejects text that controls a terminal, or that looks different from what it is.
func readable(out string) error {
	i := strings.IndexFunc(out, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar)
	})
	if i < 0 {
		return nil
	}
	return fmt.Errorf("the answer controls the terminal at %d: %q", i, out[max(0, i-40):min(len(out), i+40)])
}

// TestTerminal checks that no output of the program, whether names or contents, success or refusal, can control a terminal.
func TestTerminal(t *testing.T) {
	for what, evil := range unreadable {
		a := attack{files: map[string]string{"ws/" + evil: "old\n", "ws/lines": "one\n" + evil + "\nthree\n", "ws/dir/" + evil + "/f": "old\n",
			"ws/l": "-> " + evil}}
		top := a.ground(t)
		for verb, text := range map[string]string{
			"update": update(evil), "update below": update("dir/" + evil + "/f"), "no such file": update("none" + evil), "delete": remove(evil), "new": add("new" + evil),
			"link":    update("l"),
			"nearest": "*** Update File: lines\n@@\n-one\n-" + evil + "x\n-three\n+four\n",
			"content": "*** Update File: lines\n@@\n one\n-" + evil + "\n+" + evil + evil + "\n",
			"heading": "*** Update File: lines\n@@ " + evil + "\n-none\n+x\n",
			"header":  "*** " + evil + " File: lines\n",
		} {
			for _, flags := range [][]string{{"--dry-run"}, {"--json", "--dry-run"}, {}, {"--json"}} {
				tally.attacks.Add(1)
				cmd := exec.CommandContext(t.Context(), self, append([]string{"apply", "--durability", "none"}, flags...)...)
				cmd.Env = append(os.Environ(), asProgram+"=1", "NO_COLOR=1")
				cmd.Dir = top + "/ws"
				cmd.Stdin = strings.NewReader(envelope(text))
				out, _ := cmd.CombinedOutput() // it may be refused
				if err := readable(string(out)); err != nil {
					t.Errorf("%s, %s, %q: %v", what, verb, flags, err)
				}
			}
		}
	}
	t.Log(slices.Sorted(maps.Keys(unreadable)))
}
