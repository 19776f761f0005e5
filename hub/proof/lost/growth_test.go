package lost

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/wire"
)

var grow = flag.String("grow", "10x2000", "WORKSPACESxRECORDS, with commas: sizes to measure")

// TestGrowth measures what records cost a hub, for numbers of workspaces and of records. Every workspace has a log to send, as after days offline, and
// sends it as fast as the hub takes it. The logs are made as they are sent. Figures are printed, and not asserted; that all arrives is.
func TestGrowth(t *testing.T) {
	program := program(t)
	for size := range strings.SplitSeq(*grow, ",") {
		w, r, _ := strings.Cut(size, "x")
		workspaces, err := strconv.Atoi(w)
		if err != nil {
			t.Fatal(err)
		}
		records, err := strconv.Atoi(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(size, func(t *testing.T) { measure(t, program, workspaces, records) })
	}
}

func measure(t *testing.T, program string, workspaces, records int) {
	h := &hub{t: t, program: program, dir: t.TempDir(), listen: freePort(t), https: freePort(t)}
	h.start()
	defer h.kill()
	b := h.attach()
	defer b.Close()
	invite, err := b.Invite(t.Context(), "https://"+h.https, true, wire.Invitation{Uses: workspaces, Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	sims := joinSims(t, invite, workspaces)
	x, err := index.Open(t.Context(), filepath.Join(h.dir, "index.db"), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	idle := memory(t, h.cmd.Process.Pid)
	begin := time.Now()
	for _, s := range sims {
		s.total = max(1, uint64(records/workspaces))
		all.Go(func() { s.ship.Run(ctx) })
	}
	var shipped, current time.Duration
	var had progress
	var last uint64
	for moved, told := begin, begin; current == 0; time.Sleep(20 * time.Millisecond) {
		now, done := progress{}, true
		for _, s := range sims {
			p := s.ship.Progress()
			now.acknowledged, now.sent = now.acknowledged+p.Shipped.Seq, now.sent+p.Bytes
			done = done && p.Shipped.Seq >= s.total && p.Shipped == s.head()
		}
		if done && shipped == 0 {
			shipped = time.Since(begin)
			if last, _, err = b.Last(t.Context()); err != nil { // not before: a server that is busy does not answer in time
				t.Fatal(err)
			}
		}
		if now.position, err = x.Position(t.Context()); err != nil {
			t.Fatal(err)
		}
		if done && now.position >= last {
			current = time.Since(begin)
		}
		if now != had {
			had, moved = now, time.Now()
		}
		if time.Since(moved) > 2*time.Minute {
			t.Fatalf("nothing moves for two minutes: %+v", now)
		}
		if time.Since(told) > 30*time.Second {
			told = time.Now()
			t.Logf("%v: %d records acknowledged, %d messages in the index; the hub's memory is %d MiB, the test's %d MiB", time.Since(begin).Round(time.Second), now.acknowledged,
				now.position, memory(t, h.cmd.Process.Pid).now, memory(t, os.Getpid()).now)
		}
	}
	_, size, err := b.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	disk, indexed := int64(0), x.Bytes()
	filepath.Walk(filepath.Join(h.dir, "nats"), func(_ string, i os.FileInfo, err error) error {
		if err == nil && !i.IsDir() {
			disk += i.Size()
		}
		return nil
	})
	n, mem, here := float64(had.acknowledged), memory(t, h.cmd.Process.Pid), memory(t, os.Getpid())
	pages := h.pages(sims)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	h.stop() // the index merges what was written lately into its file
	rest, err := os.Stat(filepath.Join(h.dir, "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("fleet: %d workspaces, %d records: acknowledged at %.0f a second, in the index at %.0f a second; of a record %.0f bytes are sent, %.0f are in the stream (%.0f on disk), %.0f in the index (%.0f at rest); the hub's memory is %d MiB (%d MiB before, at most %d MiB), that of all workspaces together at most %d MiB",
		workspaces, had.acknowledged, n/shipped.Seconds(), n/current.Seconds(), float64(had.sent)/n, float64(size)/n, float64(disk)/n, float64(indexed)/n, float64(rest.Size())/n, mem.now, idle.now, mem.most, here.most)
	t.Logf("fleet: %d workspaces, %d records: pages, median and worst of %d: %s", workspaces, had.acknowledged, pageRounds, pages)
}

// progress counts the records that are acknowledged, the bytes that were sent, and the messages in the index.
type progress struct{ acknowledged, sent, position uint64 }

// pageRounds is the number of times each page is read.
const pageRounds = 11

// pages reads pages as a browser that is signed in, and says how long that takes.
func (h *hub) pages(sims []*sim) string {
	h.t.Helper()
	secret, err := exec.Command(h.program, "token", "--data", h.dir, "reader").Output()
	if err != nil {
		h.t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	signedIn, err := client.PostForm("https://"+h.https+"/ui/login", url.Values{"token": {strings.TrimSpace(string(secret))}})
	if err != nil {
		h.t.Fatal(err)
	}
	signedIn.Body.Close()
	var out []string
	for _, p := range []struct{ name, path string }{
		{"fleet", ""}, {"timeline", "timeline"}, {"a workspace", "workspace/" + sims[0].m.Joined.Workspace}, {"sessions", "sessions"},
		{"a directory", "timeline?path=src/billing"}, {"refused", "timeline?kind=refused"}, {"a text in many names", "timeline?q=file07"}, {"a text that nothing has", "timeline?q=nothing+has+this"},
	} {
		var took []time.Duration
		for range pageRounds {
			start := time.Now()
			answer, err := client.Get(signedIn.Request.URL.String() + p.path)
			if err != nil {
				h.t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			if took = append(took, time.Since(start)); err != nil || answer.StatusCode != http.StatusOK {
				h.t.Fatalf("page %q: %s, %v", p.path, answer.Status, err)
			}
		}
		slices.Sort(took)
		out = append(out, fmt.Sprintf("%s %.1f, %.1f ms", p.name, took[len(took)/2].Seconds()*1000, took[len(took)-1].Seconds()*1000))
	}
	return strings.Join(out, "; ")
}

type memoryOf struct{ now, most int }

// memory returns what a process has, in MiB; 0 where the system does not say.
func memory(t *testing.T, pid int) (m memoryOf) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kib, _ := strconv.Atoi(f[1])
		switch f[0] {
		case "VmRSS:":
			m.now = kib >> 10
		case "VmHWM:":
			m.most = kib >> 10
		}
	}
	return m
}
