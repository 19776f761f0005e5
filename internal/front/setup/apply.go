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

// Apply does what the plan says, step by step. It stops at the first that fails; the steps before it are marked as done.
func (p *Plan) Apply(ctx context.Context) error {
	for _, s := range p.Steps {
		if !s.Change {
			continue
		}
		if err := s.apply(ctx, p.Remove); err != nil {
			return p.after(err)
		}
		s.Done, p.Written = true, true
	}
	return nil
}

// after adds to an error what was done before it.
func (p *Plan) after(err error) error {
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

var errNotThere = errors.New("the client's own command ran, and the file does not say so")

func (s *Step) apply(ctx context.Context, remove bool) error {
	if err := s.file.fresh(); err != nil {
		return err
	}
	if s.copies && s.file.exists() && !remove {
		var err error
		if s.Backup, err = s.file.keep(); err != nil {
			return s.file.refused(fail.CommandFailed, err, "Nothing was written: there is no room for a backup.")
		}
	}
	switch {
	case s.Run != nil:
		return s.runs(ctx, remove)
	case s.Gone:
		err := s.file.remove()
		if err == nil {
			s.file.forget(s.spent)
		}
		return err
	}
	err := s.file.write(s.after, s.private)
	if err == nil && remove {
		s.file.forget(s.spent)
	}
	return err
}

// patience is how long a client's own command may take.
const patience = 30 * time.Second

// runs runs the client's own commands and looks whether the file then has what was wanted.
func (s *Step) runs(ctx context.Context, remove bool) error {
	for _, argv := range s.Run {
		if err := run(ctx, s.dir, argv); err != nil {
			return s.file.refused(fail.CommandFailed, err, "")
		}
	}
	is, err := load(s.file.path)
	if err != nil {
		return err
	}
	if _, there := s.wants.now(is.text); there == remove {
		return s.file.refused(fail.CommandFailed, errNotThere, "Look at what its command says: "+strings.Join(s.Run[len(s.Run)-1], " "))
	}
	return nil
}

func run(ctx context.Context, dir string, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv[:min(3, len(argv))], " "), err, fail.Quote(string(bytes.TrimSpace(out))))
	}
	return nil
}
