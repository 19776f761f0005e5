package sweep

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// errnos are errors that disks, quotas, permissions and signals cause.
var errnos = []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EDQUOT, syscall.EINTR}

// reach is the maximal distance of the second fault from the first: past the end of any recovery, or shorter in a part.
func reach() int {
	if whole() {
		return 200
	}
	return 25
}

// points returns every point of a workload whose run makes n calls.
func (w *workload) points(n int) []point {
	var out []point
	add := func(p point, format string, args ...any) {
		p.w, p.name = w, w.name+"/"+fmt.Sprintf(format, args...)
		out = append(out, p)
	}
	one := func(f Fault) point { return point{apply: []Fault{f}} }
	for k := 1; k <= n; k++ {
		add(one(Fault{At: k, Do: KillBefore}), "kill before %d", k)
		add(one(Fault{At: k, Do: KillAfter}), "kill after %d", k)
		for _, e := range errnos {
			add(one(Fault{At: k, Do: Fail, Errno: e}), "fail %d %s", k, name(e))
		}
		add(one(Fault{At: k, Do: FailAfter, Errno: syscall.EIO}), "fail after %d EIO", k)
		add(one(Fault{At: k, Do: Fail, Errno: syscall.ENOSPC, Forever: true}), "fail from %d ENOSPC", k)
		add(one(Fault{At: k, Do: Fail, Errno: syscall.EIO, Forever: true}), "fail from %d EIO", k)
		add(one(Fault{At: k, Do: Fail, Errno: syscall.EROFS, Forever: true}), "fail from %d EROFS", k)
		if len(w.edited) > 0 {
			add(point{apply: []Fault{{At: k}}, save: saveByRename}, "save by rename %d", k)
			add(point{apply: []Fault{{At: k}}, save: saveInPlace}, "save in place %d", k)
		}
	}
	return out
}

// pairs returns points with two faults: a kill during a rollback, and a recovery that is killed or fails.
func (w *workload) pairs(n int) []point {
	var out []point
	add := func(chain string, j int, apply, again []Fault) {
		chain = w.name + "/" + chain
		out = append(out, point{w: w, chain: chain, name: fmt.Sprintf("%s %d", chain, j), apply: apply, again: again})
	}
	for k := 1; k <= n; k++ {
		fail, kill := Fault{At: k, Do: Fail, Errno: syscall.EIO}, []Fault{{At: k, Do: KillBefore}}
		chain := fmt.Sprintf("kill %d, recover", k)
		for j := 1; j <= reach(); j++ {
			add(fmt.Sprintf("fail %d, kill", k), k+j, []Fault{fail, {At: k + j, Do: KillBefore}}, nil)
			add(chain+" kill before", j, kill, []Fault{{At: j, Do: KillBefore}})
			add(chain+" kill after", j, kill, []Fault{{At: j, Do: KillAfter}})
			add(chain+" fail", j, kill, []Fault{{At: j, Do: Fail, Errno: errnos[(k+j)%len(errnos)]}})
		}
	}
	return out
}

func name(e syscall.Errno) string {
	return map[syscall.Errno]string{syscall.ENOSPC: "ENOSPC", syscall.EIO: "EIO", syscall.EACCES: "EACCES",
		syscall.EDQUOT: "EDQUOT", syscall.EINTR: "EINTR"}[e]
}

// record runs a workload without faults, and returns its calls.
func (w *workload) record(t *testing.T, prog program, more ...string) []Call {
	t.Helper()
	return w.recordIn(t, prog, t.TempDir(), more...)
}

func (w *workload) recordIn(t *testing.T, prog program, top string, more ...string) []Call {
	t.Helper()
	dir := filepath.Join(top, "ws")
	defer os.RemoveAll(dir)
	if err := w.copy(dir, prog); err != nil {
		t.Fatal(err)
	}
	r := run(t, prog.command(dir, w.apply(more...)...))
	if r.Exit != 0 {
		t.Fatalf("%s: exit %d: %s%s", w.name, r.Exit, r.Out, r.ErrText)
	}
	got, err := w.read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(got, w.after()); d != "" {
		t.Fatalf("%s: %s", w.name, d)
	}
	return r.Calls
}

// tally is the result of a sweep.
type tally struct {
	sync.Mutex
	tried, missed, drafts int
	wrong                 []string
	ended                 map[string]bool // chains
}

// sweep tries points, several at once.
func sweep(t *testing.T, prog program, points []point) *tally {
	t.Helper()
	return sweepIn(t, prog, points, t.TempDir())
}

// sweepIn tries points in directories of top.
func sweepIn(t *testing.T, prog program, points []point, top string) *tally {
	t.Helper()
	sum := &tally{ended: map[string]bool{}}
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				if sum.chainEnded(points[i]) {
					continue
				}
				tr, err := points[i].try(prog, filepath.Join(top, fmt.Sprint(i)))
				sum.add(t, points[i], tr, err)
			}
		})
	}
	for i := range points {
		next <- i
	}
	close(next)
	wg.Wait()
	return sum
}

func (s *tally) add(t *testing.T, p point, tr *trial, err error) {
	s.Lock()
	defer s.Unlock()
	s.tried++
	if s.tried%5000 == 0 {
		t.Logf("T1: %d points so far, %d violations", s.tried, len(s.wrong))
	}
	if err != nil {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %v", p.name, err))
		return
	}
	if !tr.fired {
		s.missed++
		s.ended[p.chain] = p.chain != ""
	}
	if tr.draft {
		s.drafts++
	}
	if setting("ONLY", "") != "" {
		t.Logf("%s: %s", p.name, listCalls(tr.calls))
	}
	for _, w := range tr.wrong {
		s.wrong = append(s.wrong, p.name+callName(p, tr.calls)+": "+w)
	}
}

// chainEnded reports whether an earlier point of the chain was past the end.
func (s *tally) chainEnded(p point) bool {
	s.Lock()
	defer s.Unlock()
	return s.ended[p.chain]
}

// callName names the call at which something happened.
func callName(p point, calls []Call) string {
	if k := p.apply[0].At; k <= len(calls) {
		return " (" + calls[k-1].String() + ")"
	}
	return ""
}

func listCalls(calls []Call) string {
	var b strings.Builder
	for i, c := range calls {
		fmt.Fprintf(&b, "\n%4d %s", i+1, c)
	}
	return b.String()
}

// some picks n of the points, always the same for a seed.
func some(t *testing.T, points []point, n int) []point {
	t.Helper()
	r := rand.New(rand.NewPCG(number(t, "SEED", 1), 0))
	r.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	return points[:min(n, len(points))]
}

// TestSweep is T1: it kills emend, or makes a call fail, at every call that changes the disk, and then recovers.
func TestSweep(t *testing.T) {
	prog := newProgram(t, "")
	var singles, doubles []point
	works := workloads(t)
	for _, w := range works {
		n := len(w.record(t, prog))
		singles, doubles = append(singles, w.points(n)...), append(doubles, w.pairs(n)...)
	}
	points := slices.Concat(singles, doubles)
	if only := setting("ONLY", ""); only != "" {
		points = slices.DeleteFunc(points, func(p point) bool { return !strings.Contains(p.name, only) })
	} else if !whole() {
		n := int(number(t, "POINTS", 120))
		points = append(some(t, singles, n*2/3), some(t, doubles, n/3)...)
	}
	sum := sweep(t, prog, points)
	for _, w := range sum.wrong {
		t.Error(w)
	}
	t.Logf("T1: %d points of %d workloads swept (%d after the end, %d leave a half-made store), %d violations",
		sum.tried, len(works), sum.missed, sum.drafts, len(sum.wrong))
}

// TestSweepCountsAlike checks that a workload makes the same number of calls each time. Otherwise call k would mean nothing.
func TestSweepCountsAlike(t *testing.T) {
	prog := newProgram(t, "")
	for _, w := range workloads(t) {
		first := w.record(t, prog)
		for range 2 {
			if again := w.record(t, prog); len(again) != len(first) {
				t.Errorf("%s: %d calls, then %d:%s\n%s", w.name, len(first), len(again), listCalls(first), listCalls(again))
			}
		}
	}
}

// TestSweepSeesPlantedBugs checks that a sweep finds planted bugs.
func TestSweepSeesPlantedBugs(t *testing.T) {
	for bug, kinds := range map[string]string{
		"log-after-apply": "kill",
		"no-walk-back":    "fail",
		"no-verify":       "save",
	} {
		t.Run(bug, func(t *testing.T) {
			prog := newProgram(t, bug)
			w := workloads(t, "mixed")[0]
			points := slices.DeleteFunc(w.points(len(w.record(t, prog))), func(p point) bool {
				return !strings.Contains(p.name, "/"+kinds) || strings.Contains(p.name, "from")
			})
			if !whole() {
				points = some(t, points, 30)
			}
			sum := sweep(t, prog, points)
			if len(sum.wrong) == 0 {
				t.Errorf("no violation in %d points", sum.tried)
			} else {
				t.Logf("T1: %s: %d points, %d violations, the first: %s", bug, sum.tried, len(sum.wrong), sum.wrong[0])
			}
		})
	}
}
