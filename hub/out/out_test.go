package out_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/ingest"
	"github.com/emend-dev/emend/hub/out"
	"github.com/emend-dev/emend/hub/wire"
)

var must = hubtest.Must

// hub is a hub with records of two workspaces, one of which was rewritten.
func hub(t *testing.T) (*out.Source, *hubtest.Hub, *hubtest.Writer) {
	h := hubtest.Serve(t, broker.Options{})
	x, err := index.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), 4)
	must(t, err)
	t.Cleanup(func() { x.Close() })
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { ingest.New(h.Broker, x, slog.New(slog.DiscardHandler)).Run(ctx) }) //nolint:errcheck // it ends with the context
	t.Cleanup(func() { cancel(); running.Wait() })
	var last *hubtest.Writer
	for i := range 2 {
		w := hubtest.NewWriter(uint64(i))
		w.Log = hubtest.LogOf(h.Enrol(t, fmt.Sprint("ws", i), "ci"))
		for range 3 {
			send(t, h, w, 30)
		}
		last = w
	}
	before := last.Head
	lines := [][]byte{last.Add(audit.Record{Kind: audit.Failed, Message: "kept", OK: true})}
	publish(t, h, last, before, lines...)
	publish(t, h, last, before, lines...) // again: it is told once
	last.Head = before
	publish(t, h, last, before, last.Add(audit.Record{Kind: audit.Failed, Message: "rewritten"}))
	return &out.Source{Broker: h.Broker, Index: x}, h, last
}

func send(t *testing.T, h *hubtest.Hub, w *hubtest.Writer, calls int) {
	t.Helper()
	after := w.Head
	var lines [][]byte
	for range calls {
		lines = append(lines, w.Call(time.Now().UTC())...)
	}
	publish(t, h, w, after, lines...)
}

func publish(t *testing.T, h *hubtest.Hub, w *hubtest.Writer, after api.Head, lines ...[]byte) {
	t.Helper()
	_, err := h.JetStream().Publish(t.Context(), wire.RecordsSubject(w.Workspace), w.Message(after, lines...))
	must(t, err)
}

func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	must(t, json.Unmarshal(out.Schema, &s))
	s.ID = "" // it is no URL
	r, err := s.Resolve(nil)
	must(t, err)
	return r
}

// TestLines: each verified record is told once, in order, from any position on, and fits the published schema; so do the examples.
func TestLines(t *testing.T) {
	src, h, w := hub(t)
	last, _, err := h.Last(t.Context())
	must(t, err)
	for {
		if n, err := src.Index.Position(t.Context()); err != nil || n >= last {
			must(t, err)
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	read := func(after uint64) (events []out.Event) {
		t.Helper()
		var b bytes.Buffer
		must(t, out.Lines(t.Context(), src, after, false, &b))
		s := schema(t)
		for lines := bufio.NewScanner(&b); lines.Scan(); {
			var v any
			must(t, json.Unmarshal(lines.Bytes(), &v))
			if err := s.Validate(v); err != nil {
				t.Fatalf("%s: %v", lines.Text(), err)
			}
			var e out.Event
			must(t, json.Unmarshal(lines.Bytes(), &e))
			events = append(events, e)
		}
		return events
	}
	all := read(0)
	ids, findings, messages := map[string]bool{}, 0, 0
	var position uint64
	for _, e := range all {
		if ids[e.ID] {
			t.Errorf("%s is told twice", e.ID)
		}
		ids[e.ID] = true
		if e.Position < position {
			t.Errorf("%s is out of order", e.ID)
		}
		position = e.Position
		if e.Workspace.ID == w.Workspace && (e.Workspace.Name != "ws1" || !slices.Equal(e.Workspace.Labels, []string{"ci"})) {
			t.Errorf("the workspace is %+v", e.Workspace)
		}
		if e.Type == "finding" {
			findings++
		} else if e.Record.Message == "kept" || e.Record.Message == "rewritten" {
			messages++
		}
	}
	if findings != 1 || messages != 2 || len(all) < 300 {
		t.Errorf("%d events, %d findings, %d of the last two", len(all), findings, messages)
	}
	for after := range last + 1 {
		want := slices.DeleteFunc(slices.Clone(all), func(e out.Event) bool { return e.Position <= after })
		if got := read(after); len(got) != len(want) || len(got) > 0 && got[0].ID != want[0].ID {
			t.Errorf("behind %d there are %d events, want %d", after, len(got), len(want))
		}
	}

	examples, err := filepath.Glob("schema/examples/*.json")
	must(t, err)
	if len(examples) != 4 {
		t.Errorf("there are %d examples", len(examples))
	}
	for _, name := range examples {
		text, err := os.ReadFile(name)
		must(t, err)
		var v map[string]any
		must(t, json.Unmarshal(text, &v))
		if err := schema(t).Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(new(out.Event)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		v["type"] = "other"
		if schema(t).Validate(v) == nil {
			t.Error("the schema takes anything")
		}
	}
}

// collector is a collector that now and then does not take what it is sent.
type collector struct {
	mu     sync.Mutex
	n      int
	status []int // of the first answers
	ids    []string
	bodies []string
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || r.URL.Path != "/v1/logs" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Key") != "k" {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	c.n++
	if c.n <= len(c.status) && c.status[c.n-1] != 200 {
		w.WriteHeader(c.status[c.n-1])
		return
	}
	var in struct {
		ResourceLogs []struct {
			ScopeLogs []struct {
				LogRecords []struct {
					TimeUnixNano string
					Attributes   []struct {
						Key   string
						Value struct{ StringValue string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, rl := range in.ResourceLogs {
		for _, l := range rl.ScopeLogs[0].LogRecords {
			for _, a := range l.Attributes {
				if a.Key == "emend.id" {
					c.ids = append(c.ids, a.Value.StringValue)
				}
			}
		}
	}
	c.bodies = append(c.bodies, string(body))
	fmt.Fprint(w, "{}")
}

func (c *collector) seen() (map[string]int, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]int{}
	for _, id := range c.ids {
		out[id]++
	}
	return out, strings.Join(c.bodies, "\n")
}

// TestOTLP: everything reaches a collector that is away, busy or restarted, in the attributes of the conventions; a sender that is stopped goes on where
// it was.
func TestOTLP(t *testing.T) {
	src, h, w := hub(t)
	c := &collector{status: []int{503, 200, 429, 500, 502, 200}}
	server := httptest.NewServer(c)
	defer server.Close()
	cursor := filepath.Join(t.TempDir(), "cursor")
	atEnd := func() bool {
		last, _, err := h.Last(t.Context())
		must(t, err)
		text, err := os.ReadFile(cursor)
		return err == nil && strings.TrimSpace(string(text)) == fmt.Sprint(last)
	}
	run := func() {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- (&out.OTLP{Endpoint: server.URL, Headers: map[string]string{"X-Key": "k"}, Cursor: cursor, Version: "test", Wait: time.Millisecond}).Run(ctx, src)
		}()
		for end := time.Now().Add(30 * time.Second); !atEnd(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				seen, _ := c.seen()
				t.Fatalf("the cursor does not come to the end; %d events arrived", len(seen))
			}
		}
		cancel()
		must(t, <-done)
	}
	run()
	send(t, h, w, 5)
	run()
	var b bytes.Buffer
	must(t, out.Lines(t.Context(), src, 0, false, &b))
	seen, bodies := c.seen()
	for _, want := range []string{`"key":"mcp.session.id"`, `"key":"mcp.method.name","value":{"stringValue":"tools/call"}`, `"key":"gen_ai.tool.name","value":{"stringValue":"edit_file"}`,
		`"key":"service.name","value":{"stringValue":"emend"}`, `"eventName":"emend.finding"`, `"severityText":"ERROR"`, `"key":"emend.record.hash"`} {
		if !strings.Contains(bodies, want) {
			t.Errorf("no log has %s", want)
		}
	}
	all := b.String()
	for lines := bufio.NewScanner(&b); lines.Scan(); {
		var e out.Event
		must(t, json.Unmarshal(lines.Bytes(), &e))
		if seen[e.ID] != 1 { // the collector took each request whole or not at all
			t.Errorf("%s arrived %d times", e.ID, seen[e.ID])
		}
	}
	if len(seen) < 300 || len(seen) != strings.Count(all, "\n") {
		t.Errorf("%d events arrived, of %d", len(seen), strings.Count(all, "\n"))
	}
}

// TestRedirected: neither the events nor the key go where a redirect leads, and the events do not count as taken.
func TestRedirected(t *testing.T) {
	src, _, _ := hub(t)
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { elsewhere.Add(1); fmt.Fprint(w, "{}") }))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, code) }))
		cursor := filepath.Join(t.TempDir(), "cursor")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // whoever follows the redirect goes on for ever
		err := (&out.OTLP{Endpoint: server.URL, Headers: map[string]string{"X-Key": "k"}, Cursor: cursor}).Run(ctx, src)
		cancel()
		if err == nil || !strings.Contains(err.Error(), other.URL) || elsewhere.Load() != 0 {
			t.Errorf("%d: %v; %d requests elsewhere", code, err, elsewhere.Load())
		}
		if _, err := os.Stat(cursor); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%d: there is a cursor: %v", code, err)
		}
		server.Close()
	}
}

// TestSlowCollector: a collector that does not answer, or not to its end, gets the events again.
func TestSlowCollector(t *testing.T) {
	src, h, _ := hub(t)
	c := &collector{}
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) <= 2 {
			io.Copy(io.Discard, r.Body) //nolint:errcheck // until the client gives up
			if n.Load() == 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
			return
		}
		c.ServeHTTP(w, r)
	}))
	defer server.Close()
	cursor := filepath.Join(t.TempDir(), "cursor")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- (&out.OTLP{Endpoint: server.URL, Headers: map[string]string{"X-Key": "k"}, Cursor: cursor, Wait: time.Millisecond, Client: &http.Client{Timeout: 200 * time.Millisecond}}).Run(ctx, src)
	}()
	last, _, err := h.Last(t.Context())
	must(t, err)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(cursor); err == nil && strings.TrimSpace(string(text)) == fmt.Sprint(last) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the cursor does not come to the end")
		}
	}
	cancel()
	must(t, <-done)
	if seen, _ := c.seen(); len(seen) == 0 {
		t.Error("nothing arrived")
	}
}

// TestRefusedForGood: a collector that does not want the events ends the sending, with its words, and the cursor stays.
func TestRefusedForGood(t *testing.T) {
	src, _, _ := hub(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "wrong key", http.StatusUnauthorized) }))
	defer server.Close()
	cursor := filepath.Join(t.TempDir(), "cursor")
	err := (&out.OTLP{Endpoint: server.URL + "/v1/logs", Cursor: cursor}).Run(t.Context(), src)
	if err == nil || !strings.Contains(err.Error(), "wrong key") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(cursor); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a cursor: %v", err)
	}
	must(t, os.WriteFile(cursor, []byte("rubbish"), 0o600))
	if err := (&out.OTLP{Endpoint: server.URL, Cursor: cursor}).Run(t.Context(), src); err == nil || !strings.Contains(err.Error(), "is no position") {
		t.Errorf("%v", err)
	}
}
