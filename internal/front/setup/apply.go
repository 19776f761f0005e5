package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/emend-dev/emend/fail"
)

// Apply carries out the plan step by step. It stops at the first step that fails. The steps before it are marked as
// done.
func (p *Plan) Apply(ctx context.Context) error {
	for _, s := range p.Steps {
		if !s.Change {
			continue
		}
		if err := s.apply(ctx, p.Remove); err != nil {
			return p.withDone(err)
		}
		s.Done, p.Written = true, true
	}
	return nil
}

// withDone adds to an error what was done before it.
func (p *Plan) withDone(err error) error {
	e, ok := errors.AsType[*fail.Error](err)
	if !ok {
		return err
	}
	for _, s := range p.Steps {
		if s.Done {
			e.Notes = append(e.Notes, s.File+" was changed before that.")
		}
	}
	return e
}

var errNotConfigured = errors.New("the client's own command ran, and the file does not say so")

func (s *Step) apply(ctx context.Context, remove bool) error {
	if err := s.file.checkUnchanged(); err != nil {
		return err
	}
	if s.backUp && s.file.exists() && !remove {
		var err error
		if s.Backup, err = s.file.writeBackup(); err != nil {
			return s.file.failure(fail.CommandFailed, err, "Nothing was written: there is no room for a backup.")
		}
	}
	switch {
	case s.Commands != nil:
		return s.runCommands(ctx, remove)
	case s.Deleted:
		err := s.file.remove()
		if err == nil {
			s.file.removeBackups(s.obsolete)
		}
		return err
	}
	err := s.file.write(s.newContent, s.private)
	if err == nil && remove {
		s.file.removeBackups(s.obsolete)
	}
	return err
}

// commandTimeout is how long a client's own command may take.
const commandTimeout = 30 * time.Second

// runCommands runs the client's own commands, and then checks that the file has what was wanted.
func (s *Step) runCommands(ctx context.Context, remove bool) error {
	for _, argv := range s.Commands {
		if err := runCommand(ctx, s.dir, argv); err != nil {
			return s.file.failure(fail.CommandFailed, err, "")
		}
	}
	now, err := readFile(s.file.path)
	if err != nil {
		return err
	}
	if _, configured := s.expected.current(now.text); configured == remove {
		return s.file.failure(fail.CommandFailed, errNotConfigured, "Look at what its command says: "+strings.Join(s.Commands[len(s.Commands)-1], " "))
	}
	return nil
}

func runCommand(ctx context.Context, dir string, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv[:min(3, len(argv))], " "), err, fail.Quote(string(bytes.TrimSpace(out))))
	}
	return nil
}
