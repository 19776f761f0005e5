package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/emend-dev/emend/bench/accuracy/damage"
	"znkr.io/diff/textdiff"
)

// show selects the cases to show.
type show struct {
	what, system, keep string
	most               int
	w                  io.Writer
	printed            atomic.Int32
}

// showable are the names of the selections.
var showable = []string{"landed", "refused", "wrong", "left", "offered", "unoffered", "repaired", "rerefused", "rewrong", "unrepaired", "untellable", "only refusal"}

// errShown is returned when enough cases were shown.
var errShown = errors.New("shown")

func (s *show) check() error {
	if s.what != "" && !slices.Contains(showable, s.what) {
		return fmt.Errorf("-show: there is no %q, only %s", s.what, strings.Join(showable, ", "))
	}
	return nil
}

// wants reports whether r is selected. The unrepaired cases are those that a repair should have landed.
func (s *show) wants(r record) bool {
	switch no := r.first == refused; {
	case r.system != s.system || r.untellable:
		return r.system == s.system && s.what == "untellable"
	case s.what == "only refusal":
		return r.onlyRefusal
	case s.what == "left":
		return r.left
	case s.what == "offered":
		return no && r.offered
	case s.what == "unoffered":
		return no && !r.offered
	case s.what == "repaired":
		return no && r.second == landed
	case s.what == "rerefused":
		return no && r.offered && r.second == refused
	case s.what == "rewrong":
		return no && r.second == wrong
	case s.what == "unrepaired":
		return r.near && r.second != landed
	}
	return r.first.String() == s.what
}

// exhibit is a case to show.
type exhibit struct {
	name  string
	what  string
	c     *damage.Case
	trial *trial
	record
}

// of returns the case if it is selected.
func (s *show) of(name string, r record, c *damage.Case, t *trial) []exhibit {
	if s == nil || !s.wants(r) || int(s.printed.Load()) >= s.most {
		return nil
	}
	return []exhibit{{name, s.what, c, t, r}}
}

func (s *show) print(all []exhibit) error {
	for _, e := range all {
		n := s.printed.Add(1)
		if int(n) > s.most {
			return errShown
		}
		fmt.Fprint(s.w, e)
		if err := e.save(s.keep, int(n)); err != nil {
			return err
		}
	}
	return nil
}

func (e exhibit) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "##### %s\n##### %s: %s: %v, then %v\n%s", e.name, e.system, e.kind, e.first, e.second, e.trial.text)
	if words := e.trial.first.words(); words != "" {
		fmt.Fprintf(&b, "--- said\n%s\n", words)
	}
	if e.offered {
		fmt.Fprintf(&b, "--- next\n%s", e.trial.next)
	}
	if e.first != refused || e.left {
		fmt.Fprintf(&b, "--- what came out, from the truth\n%s", textdiff.Unified(wanted(e.c), e.trial.first.got))
	}
	if e.first == refused && e.second == wrong {
		fmt.Fprintf(&b, "--- what came out of the repair, from the truth\n%s", textdiff.Unified(wanted(e.c), e.trial.second.got))
	}
	if e.what == "only refusal" || e.what == "untellable" {
		fmt.Fprintf(&b, "--- the truth, from the file\n%s", textdiff.Unified(e.c.Disk, e.c.Want))
	}
	return b.String() + "\n"
}

// wanted returns the expected files, as a reply has them.
func wanted(c *damage.Case) string {
	var out []string
	for _, f := range c.Files() {
		out = append(out, f.Want)
	}
	return strings.Join(out, between)
}

// save writes the texts of e into dir.
func (e exhibit) save(dir string, n int) error {
	if dir == "" {
		return nil
	}
	for name, text := range map[string]string{"disk": e.c.Disk, "want": e.c.Want, "patch": e.trial.text, "next": e.trial.next, "got": e.trial.first.got} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.%s", n, name)), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// words returns what was said, as a person reads it.
func (r reply) words() string {
	if r.answer.Error == nil {
		return strings.TrimSpace(r.said)
	}
	all := r.answer.Error.Details.Failures
	if len(all) == 0 {
		all = []failure{*r.answer.Error}
	}
	var out []string
	for _, f := range all {
		out = append(out, f.Kind+": "+f.Message, "next: "+f.Next)
	}
	return strings.Join(out, "\n")
}
