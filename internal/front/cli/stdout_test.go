package cli

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/fail"
)

// failingWriter is a standard output that cannot be written.
type failingWriter struct{ err error }

func (b *failingWriter) Write([]byte) (int, error) { return 0, b.err }

// A verb whose answer cannot be written says so once. A change that was made exits with 0, and an answer that was not
// printed with 1. If only the reader has gone, nothing is said about what was read.
func TestUnwritableOutput(t *testing.T) {
	const hash = "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb" // of "abc\n"
	const patch = "*** Begin Patch\n*** Add File: new\n+x\n*** End Patch\n"
	const call = "call create_file "
	tests := []struct {
		args string
		in   string
		want int
		done bool
	}{
		{"read f", "", 1, false}, {"ls", "", 1, false}, {"glob *", "", 1, false}, {"search abc", "", 1, false}, {"search abc --json", "", 1, false},
		{"log", "", 1, false}, {"log --json", "", 1, false}, {"show 2", "", 1, false}, {"show 2 --json", "", 1, false},
		{"verify", "", 1, false}, {"verify --json", "", 1, false}, {"doctor", "", 1, false}, {"doctor --json", "", 1, false}, {"log --follow", "", 1, false},
		{"trash list", "", 1, false}, {"trash list --json", "", 1, false}, {"version", "", 1, false}, {"version --json", "", 1, false}, {"man", "", 1, false},
		{"call --list", "", 1, false}, {"call --list --json", "", 1, false}, {`call read_file {"path":"f"}`, "", 1, false}, {"apply --help", "", 1, false}, {"help apply", "", 1, false},
		{"apply --dry-run", patch, 1, false}, {"apply --dry-run --json", patch, 1, false}, {"convert --to codex", patch, 1, false}, {"make f g", "", 1, false},
		{"completion bash", "", 1, false}, {"undo --dry-run", "", 1, false},
		{"apply", patch, 0, true}, {"apply --json", patch, 0, true}, {"create new", "x\n", 0, true}, {"create new --json", "x\n", 0, true},
		{"write f --expect " + hash, "x\n", 0, true}, {"edit f --old abc --new x --expect " + hash, "", 0, true}, {"rm f --expect " + hash, "", 0, true},
		{"mv f new --expect " + hash, "", 0, true}, {"undo", "", 0, true}, {"undo --json", "", 0, true}, {"recover", "", 0, true},
		{"purge --older-than 0s --yes", "", 0, true}, {"trash clear --yes", "", 0, true}, {call + `{"path":"new","content":"x"}`, "", 0, true},
		{call + `{"path":"f","content":"x"}`, "", 1, false}, {"apply --json", "nonsense", 1, false}, {"show 99 --json", "", 1, false}, {"read none --json", "", 1, false},
	}
	for _, tt := range tests {
		t.Chdir(t.TempDir())
		plain := func(out *bytes.Buffer, args ...string) {
			a := &app{in: strings.NewReader("made\n"), out: out, err: out, env: func(string) string { return "" }}
			if code := a.run(t.Context(), append(args, "--root", ".", "--durability", "none")); code != 0 {
				t.Fatalf("%s: %s", args, out)
			}
		}
		for _, f := range []string{"f", "g"} {
			if err := os.WriteFile(f, []byte(map[string]string{"f": "abc\n", "g": "abd\n"}[f]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		plain(&bytes.Buffer{}, "create", "made")
		for _, why := range []error{&os.PathError{Op: "write", Path: "out", Err: syscall.ENOSPC}, &os.PathError{Op: "write", Path: "out", Err: syscall.EPIPE}} {
			if tt.done && errors.Is(why, syscall.EPIPE) {
				continue // the change is made already
			}
			var errs bytes.Buffer
			a := &app{in: strings.NewReader(tt.in), out: &failingWriter{why}, err: &errs, env: func(string) string { return "" }}
			args := append(splitArgs(tt.args), "--root", ".", "--durability", "none")
			code := a.run(t.Context(), args)
			said := 1
			if errors.Is(why, syscall.EPIPE) {
				said = 0
			}
			if code != tt.want || strings.Count(errs.String(), "could not be printed") != said || strings.Contains(errs.String(), "it is done") != tt.done {
				t.Errorf("%s, %v: exit code %d, want %d; %s", tt.args, why, code, tt.want, &errs)
			}
		}
	}
}

// splitArgs splits a command line at spaces. From a brace on it is one argument.
func splitArgs(line string) []string {
	head, tail, ok := strings.Cut(line, "{")
	out := strings.Fields(head)
	if ok {
		out = append(out, "{"+tail)
	}
	return out
}

// An undecided commit keeps its exit code if standard output cannot be written.
func TestUndecidedWithUnwritableOutput(t *testing.T) {
	var errs bytes.Buffer
	out := &stickyWriter{Writer: &failingWriter{syscall.ENOSPC}}
	a := &app{out: out, err: &errs, json: true}
	err := a.printError(&fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate, Msg: "undecided"})
	if code := a.exitWith(out, err); code != exitUndecided {
		t.Errorf("exit code %d: %s", code, &errs)
	}
}
