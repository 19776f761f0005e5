package web

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
)

// stream opens a stream and returns its lines, until it ends.
func (b *testBrowser) stream(ctx context.Context) <-chan string {
	b.t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", b.url+b.at("/ui/default/events"), nil)
	b.must(err)
	req.AddCookie(b.cookies[0])
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	b.must(err)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		b.t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	out := make(chan string, 100)
	go func() {
		defer close(out)
		defer resp.Body.Close()
		for r := bufio.NewScanner(resp.Body); r.Scan(); {
			if r.Text() != "" {
				out <- r.Text()
			}
		}
	}()
	return out
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// next returns the next line with this beginning.
func next(t testing.TB, lines <-chan string, begins string) string {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				t.Fatalf("the stream ended before %q", begins)
			}
			if strings.HasPrefix(l, begins) {
				return l
			}
		case <-late:
			t.Fatalf("no %q within 20 s", begins)
		}
	}
}

func ends(lines <-chan string) bool {
	for {
		select {
		case _, ok := <-lines:
			if !ok {
				return true
			}
		default:
			return false
		}
	}
}

// TestManyStreams: of a thousand open pages, the newest hundred have a stream. When all are closed, nothing is left.
func TestManyStreams(t *testing.T) {
	p := newTestSite(t, nil)
	p.hubs["default"].stopDelay = 10 * time.Millisecond
	b := p.signIn()
	b.get("/ui/default/").want(t, 200)
	runtime.GC()
	before, memory := runtime.NumGoroutine(), heap()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var first, last <-chan string
	for i := range 1000 {
		last = b.stream(ctx)
		if i == 0 {
			first = last
		}
	}
	eventually(t, "the first is ended in favour of the newest", func() bool { return ends(first) })
	next(t, last, "data: ")
	d := p.hubs["default"]
	open := func() int {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.streams)
	}
	if n := open(); n > maxStreams {
		t.Errorf("%d streams are open", n)
	}
	eventually(t, "those that were ended hold nothing", func() bool { return runtime.NumGoroutine() < before+10*maxStreams })
	cancel()
	eventually(t, "all are closed, and nobody looks any more", func() bool { d.mu.Lock(); defer d.mu.Unlock(); return len(d.streams) == 0 && d.stop == nil })
	eventually(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before+2 })
	runtime.GC()
	t.Logf("heap before %d KiB, after %d KiB; goroutines %d, %d", memory>>10, heap()>>10, before, runtime.NumGoroutine())
	if grown := int64(heap()) - int64(memory); grown > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestSlowReader: a page that opens a stream and reads nothing does not keep others from the updates.
func TestSlowReader(t *testing.T) {
	p := newTestSite(t, nil)
	b := p.signIn()
	for range 5 {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		p.must(err)
		defer c.Close()
		c.(*net.TCPConn).SetReadBuffer(1) //nolint:errcheck // it is as small as the system lets it be
		_, err = c.Write([]byte("GET " + b.at("/ui/default/events") + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(p.url, "http://") + "\r\nCookie: " + b.cookies[0].Name + "=" + b.cookies[0].Value + "\r\n\r\n"))
		p.must(err)
	}
	reads := b.stream(t.Context())
	d := p.hubs["default"]
	eventually(t, "all are open", func() bool { d.mu.Lock(); defer d.mu.Unlock(); return len(d.streams) == 6 })
	for n := range uint64(20000) {
		d.broadcast(func(now *hubUpdate) { now.Head = 1000 + n })
	}
	eventually(t, "who reads hears the newest", func() bool { return strings.Contains(next(t, reads, "data: "), `"head":20999,`) })
}

// TestPageIsOpen: a page counts as open while it has a stream, and a moment longer. A page without a stream counts for a
// minute.
func TestPageIsOpen(t *testing.T) {
	p := newTestSite(t, nil)
	d := p.hubs["default"]
	d.stopDelay = 10 * time.Millisecond
	there := func() bool { d.mu.Lock(); defer d.mu.Unlock(); return d.stop != nil }
	ctx, cancel := context.WithCancel(t.Context())
	lines := p.signIn().stream(ctx)
	next(t, lines, "retry: ")
	if !there() {
		t.Error("a page is open, and nobody is there")
	}
	cancel()
	eventually(t, "nobody is there when all is closed", func() bool { return !there() })
	d.pageLoaded()
	d.pageLoaded()
	if !there() {
		t.Error("a page without a stream counts as none")
	}
	d.stopIfIdle() // as a timer that comes too early would
	if !there() {
		t.Error("a page without a stream counts as none soon after")
	}
	d.mu.Lock()
	d.openUntil = time.Now()
	d.mu.Unlock()
	d.stopIfIdle()
	if there() {
		t.Error("somebody is there forever")
	}
}

// TestReadOnlyDoesNotCount: no call waits for a person who cannot answer.
func TestReadOnlyDoesNotCount(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		p := newTestSite(t, func(c *Config) { c.ReadOnly = readOnly })
		next(t, p.signIn().stream(t.Context()), "retry: ")
		q := api.Question{Paths: []api.AskedPath{{Path: "a", Write: true, Rule: "a"}}}
		_, err := p.ws.Host().AskAtPage(t.Context(), q, time.Millisecond, nil)
		if alone := errors.Is(err, api.ErrNoPage); alone != readOnly || err == nil {
			t.Errorf("read-only %v: %v", readOnly, err)
		}
	}
}

// TestUpdates: each open page hears of a change, and a page that opens later hears the last update.
func TestUpdates(t *testing.T) {
	p := newTestSite(t, nil)
	b := p.signIn()
	hears := func(lines <-chan string) {
		t.Helper()
		for strings.Contains(next(t, lines, "data: "), `"head":0,`) {
		}
	}
	one, two := b.stream(t.Context()), b.stream(t.Context())
	p.create("a", "hello\n")
	hears(one)
	hears(two)
	if late := next(t, b.stream(t.Context()), "data: "); strings.Contains(late, `"head":0,`) {
		t.Errorf("a page that opens later hears %q", late)
	}
	p.Close()
	eventually(t, "the streams end with the site", func() bool { return ends(one) && ends(two) })
}

// TestStreamEndsWithLogin: a browser that signed out, or was idle for too long, hears nothing more and does not count as
// open.
func TestStreamEndsWithLogin(t *testing.T) {
	p := newTestSite(t, nil)
	d := p.hubs["default"]
	d.stopDelay = 10 * time.Millisecond
	gone, stays := p.signIn(), p.signIn()
	lines, others := gone.stream(t.Context()), stays.stream(t.Context())
	next(t, others, "data: ")
	gone.post("/ui/logout", nil).want(t, 303)
	eventually(t, "the stream ends with the way out", func() bool { return ends(lines) })
	p.create("a", "hello\n")
	next(t, others, "data: ")
	p.logins.mu.Lock()
	p.logins.now = func() time.Time { return time.Now().Add(2 * maxLoginIdle) }
	p.logins.mu.Unlock()
	p.logins.deleteIdle() // as each stream does now and then
	eventually(t, "the stream ends with the visit", func() bool { return ends(others) })
	eventually(t, "nobody is there", func() bool { d.mu.Lock(); defer d.mu.Unlock(); return d.stop == nil })
}
