package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func init() { helpers["several"] = applySeveral }

// severalPatches is how many patches one process applies.
const severalPatches = 6

// severalFiles returns the files that patch i changes, before and after it.
func severalFiles(i int) (before, after map[string]string) {
	name := func(kind string) string { return fmt.Sprintf("d%d/%s%d.txt", i%2, kind, i) }
	before = map[string]string{name("edit"): "one\ntwo\n", name("gone"): "gone soon\n", name("move"): "moved\n"}
	after = map[string]string{name("edit"): "one\nTWO\n", name("new"): "new\n", "moved/" + fmt.Sprint(i): "moved\n"}
	return before, after
}

func severalPatch(i int) string {
	return fmt.Sprintf("*** Begin Patch\n*** Update File: d%[2]d/edit%[1]d.txt\n@@\n-two\n+TWO\n*** Add File: d%[2]d/new%[1]d.txt\n+new\n"+
		"*** Delete File: d%[2]d/gone%[1]d.txt\n*** Update File: d%[2]d/move%[1]d.txt\n*** Move to: moved/%[1]d\n*** End Patch\n", i, i%2)
}

// applySeveral is a program that applies all patches with one open workspace, as a server does. It prints how each ended.
func applySeveral([]string) error {
	ws, err := emend.Open(".")
	if err != nil {
		return err
	}
	defer ws.Close()
	for i := range severalPatches {
		_, err := ws.Apply(context.Background(), severalPatch(i), api.PatchOptions{})
		e, refused := errors.AsType[*fail.Error](err)
		switch {
		case err == nil:
			fmt.Println("done", i)
		case refused && e.Reason == fail.Indeterminate:
			fmt.Println("undecided", i)
		default:
			fmt.Println("refused", i)
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return nil
}

// TestSweepOneProcess is T1 for a process that lives long: it applies several patches, and is killed at a call of any of them, or a
// call fails. What it said of each patch holds after the recovery.
func TestSweepOneProcess(t *testing.T) {
	prog := newProgram(t, "")
	top := t.TempDir()
	start := func(name string, faults ...Fault) (Result, string) {
		dir := filepath.Join(top, name, "ws")
		for _, sub := range []string{".git", "d0", "d1", "moved"} {
			if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
				t.Error(err)
			}
		}
		for i := range severalPatches {
			before, _ := severalFiles(i)
			for name, text := range before {
				if err := put(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Error(err)
				}
			}
		}
		c := standIn(t, "several", dir)
		c.Env, c.Limit = append(slices.Clone(prog.env), helperVar+"=several", "GORACE=atexit_sleep_ms=0"), time.Minute
		r, err := Trace(c, faults...)
		if errors.Is(err, ErrNotHere) {
			t.Skipf("T1 NOT RUN: %v", err)
		}
		if err != nil {
			t.Error(err)
		}
		return r, dir
	}
	r, dir := start("first")
	if strings.Count(r.Out, "done") != severalPatches {
		t.Fatalf("without a fault: %s%s", r.Out, r.ErrText)
	}
	checkSeveral(t, prog, r, dir, "without a fault")
	var faults []Fault
	for k := 1; k <= len(r.Calls); k++ {
		faults = append(faults, Fault{At: k, Do: KillBefore}, Fault{At: k, Do: KillAfter}, Fault{At: k, Do: Fail, Errno: syscall.EIO},
			Fault{At: k, Do: Fail, Errno: syscall.ENOSPC}, Fault{At: k, Do: FailAfter, Errno: syscall.EIO})
	}
	if !whole() {
		rng := rand.New(rand.NewPCG(number(t, "SEED", 1), 0))
		rng.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
		faults = faults[:min(len(faults), 60)]
	}
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				name := fmt.Sprint(i)
				r, dir := start(name, faults[i])
				checkSeveral(t, prog, r, dir, fmt.Sprintf("%v %v at call %d", faults[i].Do, faults[i].Errno, faults[i].At))
				os.RemoveAll(filepath.Join(top, name))
			}
		})
	}
	for i := range faults {
		next <- i
	}
	close(next)
	wg.Wait()
	t.Logf("T1: one process, %d patches, %d calls: %d points", severalPatches, len(r.Calls), len(faults))
}

// checkSeveral recovers, and compares each patch's files with what the process said of it. Of the first patch that it said nothing
// about, all or nothing is done.
func checkSeveral(t *testing.T, prog program, r Result, dir, where string) {
	t.Helper()
	if r.Hung {
		t.Errorf("%s: hangs", where)
	}
	if s := prog.run(dir, "recover"); s.exit != 0 {
		t.Errorf("%s: recover: exit %d: %s", where, s.exit, s.text)
	}
	got, err := read(dir, stores...)
	if err != nil {
		t.Error(err)
	}
	said := strings.Split(strings.TrimSpace(r.Out), "\n")
	for i := range severalPatches {
		before, after := severalFiles(i)
		isOld, isNew := hasAll(got, before, after), hasAll(got, after, before)
		word := "nothing"
		if i < len(said) {
			word, _, _ = strings.Cut(said[i], " ")
		}
		ok := map[string]bool{"done": isNew, "refused": isOld, "undecided": isOld || isNew, "nothing": isOld || isNew, "": isOld || isNew}[word]
		if i > len(said) || i == len(said) && !r.Killed {
			ok = isOld
		}
		if !ok {
			t.Errorf("%s: the process said %q of patch %d, and the tree has %v", where, word, i, got)
		}
	}
	if s := prog.run(dir, "verify"); s.exit != 0 {
		t.Errorf("%s: verify: exit %d: %s", where, s.exit, s.text)
	}
	at := filepath.Join(dir, store(dir))
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) && len(said) < 2 {
		return // it was killed while it made the store
	}
	for _, err := range checkLog(at) {
		t.Errorf("%s: the log: %v", where, err)
	}
}

// hasAll reports whether a tree has all of the files, and none of those that are only in the others.
func hasAll(got tree, files, others map[string]string) bool {
	for name, text := range files {
		if _, content, _ := strings.Cut(got[name], " "); content != text {
			return false
		}
	}
	for name := range others {
		if _, also := files[name]; also {
			continue
		}
		if _, there := got[name]; there {
			return false
		}
	}
	return true
}
