package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// point is one combination of faults in one run.
type point struct {
	w     *workload
	name  string
	chain string  // points of one chain differ in the position of the second fault; one that is past the end stops the chain
	apply []Fault // faults during apply
	again []Fault // faults during the recovery after it, if any
	save  saving  // somebody saves a file at the first call of apply
}

// trial is a point being tried.
type trial struct {
	point
	prog  program
	dir   string // the workspace
	saved string // path that somebody saved, or ""
	late  func() // finishes a save that had to wait
	ease  func() // removes the obstacle, once the tree has been checked
	wrong []string
	calls []Call
	fired bool // all faults happened
	draft bool // there is an unfinished store

	recovered bool // a recovery was completed
}

// try makes a copy of the tree, runs the program with the faults, and returns what is wrong afterwards. err means that it could
// not be tried.
func (p point) try(prog program, top string) (*trial, error) {
	t := &trial{point: p, prog: prog, dir: filepath.Join(top, "ws"), fired: true}
	defer os.RemoveAll(top)
	if err := errors.Join(os.MkdirAll(top, 0o755), p.w.copy(t.dir, prog)); err != nil {
		return nil, err
	}
	r, err := Trace(prog.command(t.dir, p.w.apply()...), t.faults()...)
	if err != nil {
		return nil, err
	}
	if t.late != nil {
		t.late()
	}
	t.calls, t.fired = r.Calls, r.Fired == len(t.apply)
	return t, t.judge(r)
}

func (t *trial) complain(format string, args ...any) {
	t.wrong = append(t.wrong, fmt.Sprintf(format, args...))
}

// faults returns the point's faults, including the save.
func (t *trial) faults() []Fault {
	if t.save == nil {
		return t.apply
	}
	f := slices.Clone(t.apply)
	f[0].Do = Meanwhile
	f[0].Run = func() {
		t.saved = t.w.edited[0]
		t.late = t.save(t.dir, t.saved)
	}
	return f
}

// judge compares the tree with what the exit code says.
func (t *trial) judge(r Result) error {
	if r.Hung {
		t.complain("hangs")
		return nil
	}
	t.rules(r)
	switch {
	case r.Killed:
		if err := t.checkBetweenStates(); err != nil {
			return err
		}
		if err := t.recover(); err != nil {
			return err
		}
		if r.Out != "" {
			return errors.Join(t.expectState("was told done, then killed", t.w.after()), t.settled())
		}
	case r.Exit == 0:
		return errors.Join(t.expectState("exit 0", t.w.after()), t.settled())
	case r.Exit == 1:
		return errors.Join(t.expectState("exit 1", t.w.refusedStates()...), t.settled())
	case r.Exit == 3:
		if err := t.checkBetweenStates(); err != nil {
			return err
		}
		if err := t.recover(); err != nil {
			return err
		}
	default:
		t.complain("exit %d, signal %v: %s%s", r.Exit, r.Signal, r.Out, r.ErrText)
	}
	return errors.Join(t.expectState("recovered", t.w.states...), t.settled())
}

// expectState complains unless the tree is one of states, apart from what somebody saved.
func (t *trial) expectState(when string, states ...tree) error {
	got, err := t.w.read(t.dir)
	if err != nil {
		return err
	}
	t.checkSaved(got)
	best := ""
	for _, s := range states {
		d := difference(t.w.withoutEmptyDirs(got, s), t.without(s))
		if d == "" {
			return nil
		}
		if best == "" || len(d) < len(best) {
			best = d
		}
	}
	t.complain("%s: %s", when, best)
	return nil
}

// checkSaved checks that what somebody saved is there, and removes it from the tree.
func (t *trial) checkSaved(got tree) {
	if t.saved == "" {
		return
	}
	if _, content, _ := strings.Cut(got[t.saved], " "); content != foreignText {
		t.complain("somebody's edit of %s is gone: %q", t.saved, got[t.saved])
	}
	delete(got, t.saved)
}

func (t *trial) without(s tree) tree {
	if t.saved == "" {
		return s
	}
	s = maps.Clone(s)
	delete(s, t.saved)
	return s
}

// checkBetweenStates checks a tree that may be between two states: everything in it must be whole, and belong to one of them.
func (t *trial) checkBetweenStates() error {
	got, err := t.w.read(t.dir)
	if err != nil {
		return err
	}
	for name, has := range got {
		_, content, _ := strings.Cut(has, " ")
		ok := name == t.saved && content == foreignText ||
			slices.ContainsFunc(t.w.states, func(s tree) bool { return s[name] == has })
		if !ok {
			t.complain("before recovery: %s has %q, of no state", name, has)
		}
	}
	return nil
}

func (t *trial) relieve() {
	if t.ease != nil {
		t.ease()
		t.ease = nil
	}
}

// recover runs the recovery, first with its faults.
func (t *trial) recover() error {
	t.relieve()
	if len(t.again) > 0 {
		r, err := Trace(t.prog.command(t.dir, "recover"), t.again...)
		if err != nil {
			return err
		}
		t.fired = t.fired && r.Fired == len(t.again)
		t.calls = append(t.calls, r.Calls...)
		if r.Hung {
			t.complain("recover hangs")
		}
		if err := t.checkBetweenStates(); err != nil {
			return err
		}
	}
	t.recovered = true
	if s := t.prog.run(t.dir, "recover"); s.exit != 0 {
		t.complain("recover: exit %d: %s", s.exit, s.text)
	}
	return nil
}

// settled checks that nothing is left to do, that the store can be used and that the log is whole.
func (t *trial) settled() error {
	t.relieve()
	if err := t.recoverIdle(); err != nil {
		return err
	}
	// Append first: that sets aside what a dead process left at the end of the log.
	if err := t.usable(); err != nil {
		return err
	}
	store := filepath.Join(t.dir, store(t.dir))
	for _, err := range checkLog(store) {
		t.complain("the log: %v", err)
	}
	if err := t.checkLayer(); err != nil {
		return err
	}
	drafts, err := filepath.Glob(store + ".*")
	t.draft = len(drafts) > 0
	return err
}

// recoverIdle checks that a recovery with nothing pending changes no file of the user's and leaves nothing to do.
func (t *trial) recoverIdle() error {
	left, err := t.w.read(t.dir)
	if err != nil {
		return err
	}
	if !t.recovered {
		t.prog.run(t.dir, "recover")
	}
	first, err := t.all()
	if err != nil {
		return err
	}
	s := t.prog.run(t.dir, "recover")
	second, err := t.all()
	if err != nil {
		return err
	}
	if d := difference(second, first); d != "" || s.exit != 0 || !strings.HasPrefix(s.text, "Nothing to recover") {
		t.complain("a second recovery: exit %d: %s: %s", s.exit, s.text, d)
	}
	now, err := t.w.read(t.dir)
	if d := difference(now, left); d != "" {
		t.complain("recovery although nothing was pending: %s", d)
	}
	return err
}

// all returns the tree with the store, but without the names of lock holders.
func (t *trial) all() (tree, error) { return read(t.dir, filepath.Join(store(t.dir), "lock")) }

// usable makes another transaction.
func (t *trial) usable() error {
	file := filepath.Join(filepath.Dir(t.dir), "again.patch")
	from := 1
	if t.w.fresh {
		from = 0
	}
	if err := put(file, []byte(warmPatch(from, from+1)), 0o644); err != nil {
		return err
	}
	s := t.prog.run(t.dir, "apply", file)
	b, err := os.ReadFile(filepath.Join(t.dir, warmup))
	if s.exit != 0 || string(b) != fmt.Sprintln(from+1) {
		t.complain("the next transaction: exit %d: %s, leaves %q", s.exit, s.text, b)
	}
	return err
}

// rules checks what holds for every run: a failed sync is neither retried nor ignored, and another interrupted call is made
// again.
func (t *trial) rules(r Result) {
	for _, f := range t.apply {
		if f.Do != Fail || f.At > len(r.Calls) || r.Killed {
			continue
		}
		c := r.Calls[f.At-1]
		synced := c.Name == "fsync" || c.Name == "fdatasync" || c.Name == "syncfs"
		switch {
		case strings.Contains(c.Path, "emend."): // an unfinished store, which is given up for one elsewhere
		case synced && r.Exit == 0:
			t.complain("done, although %v", c)
		case !synced && !f.Forever && r.Exit == 3:
			t.complain("undecided after one failure: %v: %s", c, r.ErrText)
		case synced && triedAgain(r.Calls[f.At:], c):
			t.complain("tried again after %v", c)
		case !synced && f.Errno == syscall.EINTR && r.Exit != 0:
			t.complain("not tried again: exit %d after %v: %s", r.Exit, c, cmp.Or(r.ErrText, r.Out))
		}
	}
}

func triedAgain(later []Call, failed Call) bool {
	return slices.ContainsFunc(later, func(c Call) bool { return c.Name == failed.Name && c.Path == failed.Path })
}

// refusedStates returns the states in which a refusal may leave the tree: the first one, or any that a patch which is not atomic had
// reached.
func (w *workload) refusedStates() []tree {
	if len(w.states) > 2 {
		return w.states
	}
	return w.states[:1]
}
