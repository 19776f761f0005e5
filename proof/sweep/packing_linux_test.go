package sweep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// The workspace of TestSweepPacking: a session changed packedFiles files twice and deleted the last; then came so many other calls, which
// are only in the log, that the changes may be packed and that the next append writes an index.
const (
	packedFiles   = 3
	packedSession = "packed"
	laterCalls    = 1200 // 1.2 MB of log
)

// longLived makes the workspace in dir. It returns the files as they were before the session.
func longLived(dir string) (before tree, err error) {
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		return nil, err
	}
	name := func(i int) string { return fmt.Sprintf("file%d.txt", i) }
	for i := range packedFiles {
		if err := put(filepath.Join(dir, name(i)), fmt.Appendf(nil, "one of %d\ntwo\n", i), 0o644); err != nil {
			return nil, err
		}
	}
	if before, err = read(dir); err != nil {
		return nil, err
	}
	ws, err := emend.Open(dir, emend.NoSync())
	if err != nil {
		return nil, err
	}
	ctx := emend.WithActor(context.Background(), api.Actor{Session: packedSession})
	for n := range 2 {
		for i := range packedFiles {
			patch := fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n one of %d\n-%s\n+%s\n*** End Patch\n", name(i), i,
				[]string{"two", "TWO"}[n], []string{"TWO", "three"}[n])
			if _, aerr := ws.Apply(ctx, patch, api.PatchOptions{}); aerr != nil {
				err = errors.Join(err, aerr)
			}
		}
	}
	_, derr := ws.Apply(ctx, "*** Begin Patch\n*** Delete File: "+name(packedFiles-1)+"\n*** End Patch\n", api.PatchOptions{})
	err = errors.Join(err, derr, ws.Close())
	if err != nil {
		return nil, err
	}
	return before, lengthenLog(filepath.Join(dir, store(dir), "log"))
}

// lengthenLog appends calls of other sessions, each like the newest, and removes the indexes.
func lengthenLog(name string) error {
	dir, err := vfs.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	log, err := audit.Open(dir, audit.Options{})
	if err != nil {
		return err
	}
	var like audit.Record
	for r, rerr := range log.Backward() {
		if rerr != nil {
			return rerr
		}
		if r.Kind == audit.Commit {
			like = *r
			break
		}
	}
	var all []*audit.Record
	for i := range laterCalls {
		r := like
		r.Tx, r.Actor.Session = history.NewID(time.Now()), fmt.Sprint("later ", i/50)
		all = append(all, &r, &audit.Record{Kind: audit.Applied, Tx: r.Tx, OK: true})
	}
	if err := errors.Join(log.AppendAll(all, false), log.Close()); err != nil {
		return err
	}
	for _, index := range indexes(name) {
		if err := os.Remove(index); err != nil {
			return err
		}
	}
	return nil
}

// indexes lists the indexes of a log.
func indexes(log string) []string {
	all, _ := filepath.Glob(filepath.Join(log, "*.idx*"))
	return all
}

// packing is a run that packs the history, or that writes an index.
type packing struct {
	name string
	args []string // of emend
	did  string   // a file of the store that there is afterwards, as a pattern
}

var packings = []packing{
	{"pack", []string{"doctor", "--pack"}, "slots/packs/*.pack"},
	{"index", []string{"call", "create_file", `{"path":"new.txt","content":"new\n"}`}, "log/*.idx*"},
}

// TestSweepPacking is T1 for what is done to old changes: the history is packed, and the index of the log is written. The program is
// killed at every call, or a call fails. Afterwards the log is whole and says the same with and without its indexes, packing
// completes, and the session whose changes are packed can be undone.
func TestSweepPacking(t *testing.T) {
	prog := newProgram(t, "")
	top := t.TempDir()
	type faulted struct {
		packing
		Fault
	}
	var faults []faulted
	for _, p := range packings {
		calls := tryPacking(t, prog, filepath.Join(top, p.name), p)
		for k := 1; k <= len(calls); k++ {
			for _, f := range []Fault{{At: k, Do: KillBefore}, {At: k, Do: KillAfter}, {At: k, Do: Fail, Errno: syscall.EIO},
				{At: k, Do: Fail, Errno: syscall.ENOSPC}, {At: k, Do: FailAfter, Errno: syscall.EIO}} {
				faults = append(faults, faulted{p, f})
			}
		}
	}
	all := len(faults)
	if !whole() {
		rng := rand.New(rand.NewPCG(number(t, "SEED", 1), 0))
		rng.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
		faults = faults[:min(len(faults), int(number(t, "POINTS", 120))/4)]
	}
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				tryPacking(t, prog, filepath.Join(top, fmt.Sprint(i)), faults[i].packing, faults[i].Fault)
			}
		})
	}
	for i := range faults {
		next <- i
	}
	close(next)
	wg.Wait()
	t.Logf("T1: packing and indexes: %d of %d points", len(faults), all)
}

// tryPacking makes the workspace, does p with faults, and checks what is there afterwards. It returns the calls.
func tryPacking(t *testing.T, prog program, top string, p packing, faults ...Fault) []Call {
	where := p.name + " without a fault"
	for _, f := range faults {
		where = fmt.Sprintf("%s, %v %v at call %d", p.name, f.Do, f.Errno, f.At)
	}
	dir := filepath.Join(top, "ws")
	defer os.RemoveAll(top)
	before, err := longLived(dir)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return nil
	}
	at := filepath.Join(dir, store(dir))
	told := prog.run(dir, "log", "--session", packedSession, "--diff", "--json", "--limit", "0")
	r, err := Trace(prog.command(dir, p.args...), faults...)
	if errors.Is(err, ErrNotHere) {
		t.Skipf("T1 NOT RUN: %v", err)
	}
	if err != nil || r.Hung {
		t.Errorf("%s: hung %v, %v", where, r.Hung, err)
		return nil
	}
	if done, _ := filepath.Glob(filepath.Join(at, p.did)); len(faults) == 0 && (r.Exit != 0 || len(done) == 0) {
		t.Errorf("%s: exit %d, made %q: %s%s", where, r.Exit, done, r.Out, r.ErrText)
	}
	expect := func(what string, args ...string) said {
		s := prog.run(dir, args...)
		if s.exit != 0 {
			t.Errorf("%s: %s: exit %d: %s", where, what, s.exit, s.text)
		}
		return s
	}
	expect("recover", "recover")
	ask := func(when string) {
		if got := prog.run(dir, "log", "--session", packedSession, "--diff", "--json", "--limit", "0"); got != told {
			t.Errorf("%s, %s: the log says of the session %s, before %s", where, when, got.text, told.text)
		}
		expect(when+", verify", "verify")
	}
	ask("recovered")
	for _, index := range indexes(filepath.Join(at, "log")) {
		if err := os.Remove(index); err != nil {
			t.Error(err)
		}
	}
	ask("without indexes")
	expect("packed again", "doctor", "--pack")
	if loose, _ := filepath.Glob(filepath.Join(at, "slots", "*.[0-9]")); len(loose) > 0 {
		t.Errorf("%s: packed again: %q are left", where, loose)
	}
	expect("undo", "undo", "--session", packedSession)
	got, err := read(dir, stores...)
	delete(got, "new.txt")
	delete(before, ".git")
	delete(got, ".git")
	if d := difference(got, before); d != "" || err != nil {
		t.Errorf("%s: undone: %s, %v", where, d, err)
	}
	for _, err := range checkLog(at) {
		t.Errorf("%s: the log: %v", where, err)
	}
	return r.Calls
}
