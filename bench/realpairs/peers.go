package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/internal/draft"
	"znkr.io/diff/textdiff"
)

// peer is another program that applies patches.
type peer struct {
	name string
	args []string // it runs in the tree, with the patch on standard input
	ask  []string // prints its version
}

// Neither may convert line ends.
var peers = []peer{
	{
		"git apply",
		[]string{"git", "-c", "core.autocrlf=false", "-c", "core.eol=lf", "apply", "--whitespace=nowarn", "-"},
		[]string{"git", "--version"},
	},
	{
		"GNU patch",
		[]string{"patch", "--binary", "--strip=1", "--silent", "--force", "--no-backup-if-mismatch", "--reject-file=-"},
		[]string{"patch", "--version"},
	},
}

// version returns the first line of the peer's version.
func (p peer) version() string {
	out, err := exec.Command(p.ask[0], p.ask[1:]...).Output()
	if err != nil {
		return p.name + ": " + err.Error()
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

func (s *summary) askPeers(ctx context.Context, names []string, changes []draft.Change) error {
	for _, p := range peers {
		verdicts, err := p.judge(ctx, changes)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		for i, v := range verdicts {
			s.note(p.name, v, names[i], func() string { return unified("f", changes[i]) })
		}
	}
	return nil
}

// judge applies all changes at once. If the peer refuses them, it tries halves of them, to find the change that it refuses.
func (p peer) judge(ctx context.Context, changes []draft.Change) ([]verdict, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "realpairs")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	said, err := p.apply(ctx, dir, changes)
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return nil, err
	}
	if err != nil && len(changes) > 1 {
		first, err := p.judge(ctx, changes[:len(changes)/2])
		if err != nil {
			return nil, err
		}
		second, err := p.judge(ctx, changes[len(changes)/2:])
		return append(first, second...), err
	}
	if err != nil {
		return []verdict{{failed, said}}, nil
	}
	verdicts := make([]verdict, len(changes))
	for i, ch := range changes {
		verdicts[i] = landed(filepath.Join(dir, file(i)), ch)
	}
	return verdicts, nil
}

// apply creates the old files in dir and runs the peer with the diffs.
func (p peer) apply(ctx context.Context, dir string, changes []draft.Change) (said string, err error) {
	var diffs bytes.Buffer
	for i, ch := range changes {
		diffs.WriteString(unified(file(i), ch))
		if ch.HasOld {
			if err := os.WriteFile(filepath.Join(dir, file(i)), []byte(ch.Old), 0o666); err != nil {
				return "", err
			}
		}
	}
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Dir = dir
	cmd.Stdin = &diffs
	// No settings of this machine, and no repository around the scratch directory.
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "PWD="+dir)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// landed compares what a peer left with the change.
func landed(name string, ch draft.Change) verdict {
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if ch.HasNew {
			return verdict{wrong, "no file"}
		}
	case err != nil:
		return verdict{failed, err.Error()}
	case !ch.HasNew:
		return verdict{wrong, "the file is still there"}
	case string(data) != ch.New:
		return verdict{wrong, "other bytes"}
	}
	return verdict{exact, ""}
}

// file returns the name of change i in a scratch directory: real paths could conflict.
func file(i int) string { return fmt.Sprintf("f%03d", i) }

// unified formats ch as a diff with git's headers.
func unified(name string, ch draft.Change) string {
	var b strings.Builder
	from, to := "a/"+name, "b/"+name
	fmt.Fprintf(&b, "diff --git %s %s\n", from, to)
	if !ch.HasOld {
		b.WriteString("new file mode 100644\n")
		from = "/dev/null"
	}
	if !ch.HasNew {
		b.WriteString("deleted file mode 100644\n")
		to = "/dev/null"
	}
	if body := textdiff.Unified(ch.Old, ch.New); body != "" {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n%s", from, to, body)
	}
	return b.String()
}
