package browser

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"

	"github.com/emend-dev/emend/internal/logtest"
)

// firstPageLimit is the limit for the server's time for a first page. It is printed beside the measured time.
const firstPageLimit = 150 * time.Millisecond

// Limits of memory and rows, whatever the size of the log.
const (
	serverRoom = 512 << 20
	pageRoom   = 256 << 20 // JavaScript heap, in bytes
	moreRoom   = 400 << 20 // memory of the page's process after scrolling, in bytes
	rowsRoom   = 13_000    // rows in the page at one time
)

// TestLoad opens the pages on a log of 100,000 calls, and scrolls a difference of 50,000 lines to its end (not with -short).
func TestLoad(t *testing.T) {
	needBrowser(t)
	entries, err := strconv.Atoi(cmp.Or(os.Getenv("EMEND_ENTRIES"), "100000"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, nil)
	start := time.Now()
	if err := logtest.Make(w.work, entries); err != nil {
		t.Fatal(err)
	}
	t.Logf("load: %d calls made in %v", entries, time.Since(start).Round(100*time.Millisecond))
	near := shop(t)
	near.cart()
	s, peer := w.ui(), near.ui()
	b, p := s.pages(t), peer.pages(t)
	before := s.memory(t)
	b.measure(p, "the timeline", "", "")
	change := b.firstChange("?path=table.csv")
	b.measure(p, "a change of 50,000 lines", change, p.firstChange(""))
	if !testing.Short() {
		b.scroll(change)
	}
	b.measure(p, "the timeline, once counted", "", "")
	b.measure(p, "the timeline of refused calls", "?outcome=refused", "?outcome=refused")
	b.measure(p, "the timeline of a client", "?client=terminal+2.0", "?client=claude-code%2F2.1.329")
	b.measure(p, "the timeline of a changed line", "?content=line", "?content=total")
	b.measure(p, "the sessions", "sessions", "sessions")
	after := s.memory(t)
	t.Logf("load: the server has %d MiB, and had %d MiB before the first page; at most %d MiB", after["VmRSS"]>>20, before["VmRSS"]>>20, after["VmHWM"]>>20)
	if after["VmHWM"] > serverRoom {
		t.Errorf("the server needed %d MiB", after["VmHWM"]>>20)
	}
}

// firstChange returns the address of the first call of a page.
func (b *tab) firstChange(path string) string {
	b.t.Helper()
	b.open(path)
	b.waitFor("li.call a.open")
	return eval[string](b, `document.querySelector("li.call a.open").href`)[len(b.base):]
}

// measure prints the server's time for a page as the browser sees it: of the first request, and the median of nine. The peer is
// a page of the same kind on a small workspace.
func (b *tab) measure(peer *tab, what, path, near string) {
	b.t.Helper()
	first, middle := b.times(path)
	_, other := peer.times(near)
	b.t.Logf("load: %s: first %v, then %v (the bar is %v); beside a small workspace: %v", what, first, middle, firstPageLimit, other)
}

func (b *tab) times(path string) (first, middle time.Duration) {
	b.t.Helper()
	var all []time.Duration
	for range 9 {
		b.open(path)
		ms := eval[float64](b, `(e => e.responseStart - e.requestStart)(performance.getEntriesByType("navigation")[0])`)
		all = append(all, time.Duration(ms*1000)*time.Microsecond)
	}
	first = all[0]
	slices.Sort(all)
	return first, all[len(all)/2]
}

// scrolled has the measurements of a page while it was scrolled.
type scrolled struct {
	Rows, Most           int // rows in total, and at one time
	Tasks, Frames        int
	Longest, Gap, Blocks float64 // milliseconds
}

// scroll scrolls a long difference to its end, two screens with each frame, as fast as more of it is loaded.
func (b *tab) scroll(path string) {
	b.t.Helper()
	b.open(path)
	before, was := b.heap(), b.largest()
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Minute)
	defer cancel()
	start := time.Now()
	r, err := chromedp.Run(ctx, chromedp.Evaluate[scrolled](scrolling, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	after, is := b.heap(), b.largest()
	b.t.Logf("load: scrolled to the end of %d rows in %v and %d frames: %d long tasks (over 50 ms), the longest %.0f ms, %.0f ms in all; the longest time between two frames %.0f ms",
		r.Rows, time.Since(start).Round(10*time.Millisecond), r.Frames, r.Tasks, r.Longest, r.Blocks, r.Gap)
	b.t.Logf("load: the page has %d KiB of JavaScript's heap, and had %d KiB with the first rows; the largest process of a page has %d MiB, and had %d MiB; %d rows were in the page at most",
		after>>10, before>>10, is>>20, was>>20, r.Most)
	if r.Rows < 50_000 {
		b.t.Errorf("it ends after %d rows", r.Rows)
	}
	if after > pageRoom {
		b.t.Errorf("the page needs %d MiB", after>>20)
	}
	if is-was > moreRoom || r.Most > rowsRoom {
		b.t.Errorf("the page has %d MiB more than before, and %d rows", (is-was)>>20, r.Most)
	}
	b.jumpBack()
}

const scrolling = `new Promise(done => {
	const tasks = [], rows = () => document.querySelectorAll("table.diff tr").length;
	const left = () => [...document.querySelectorAll("table.diff tbody[data-rows]")].reduce((n, b) => n + Number(b.dataset.rows), 0);
	let most = 0;
	new PerformanceObserver(l => l.getEntries().forEach(e => tasks.push(e.duration))).observe({type: "longtask"});
	let frames = 0, gap = 0, last = performance.now();
	const step = now => {
		frames++;
		gap = Math.max(gap, now - last);
		last = now;
		most = Math.max(most, rows());
		window.scrollBy(0, 2 * innerHeight);
		const s = document.scrollingElement;
		if (s.scrollTop + innerHeight >= s.scrollHeight - 2 && !document.querySelector("p.more a")) {
			return done({Rows: rows() + left(), Most: most, Frames: frames, Gap: gap, Tasks: tasks.length, Longest: Math.max(0, ...tasks), Blocks: tasks.reduce((a, b) => a + b, 0)});
		}
		requestAnimationFrame(step);
	};
	requestAnimationFrame(step);
})`

// heap returns the size of the JavaScript heap after a garbage collection.
func (b *tab) heap() int {
	b.t.Helper()
	command(b, heapprofiler.CollectGarbage, cdp.Empty{})
	command(b, performance.Enable, performance.EnableParams{})
	for _, m := range command(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "JSHeapUsedSize" {
			return int(m.Value)
		}
	}
	b.t.Fatal("the browser does not say how large the heap is")
	return 0
}

// largest returns the memory of the largest process that renders pages, as the kernel counts it.
func (b *tab) largest() (most int) {
	b.t.Helper()
	info, err := chromedp.CallBrowser(b.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, p := range info.ProcessInfo {
		if p.Type == "renderer" {
			most = max(most, memoryOf(b.t, int(p.ID))["VmRSS"])
		}
	}
	return most
}

var inKB = regexp.MustCompile(`(?m)^(Vm\w+):\s+(\d+) kB`)

func (s *server) memory(t *testing.T) map[string]int {
	t.Helper()
	return memoryOf(t, s.cmd.Process.Pid)
}

// memoryOf returns what the kernel reports about the memory of a process, in bytes.
func memoryOf(t *testing.T, pid int) map[string]int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("NOT RUN: memory: %v", err)
	}
	out := map[string]int{}
	for _, m := range inKB.FindAllStringSubmatch(string(text), -1) {
		kb, _ := strconv.Atoi(m[2])
		out[m[1]] = kb << 10
	}
	return out
}
