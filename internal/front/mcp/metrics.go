package mcp

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// metrics counts what the server does, for /metrics.
type metrics struct {
	start          time.Time
	received, sent atomic.Int64 // bytes of HTTP bodies

	mu        sync.Mutex
	calls     map[outcome]uint64
	durations map[string]*histogram // by tool
	commits   uint64
	responses map[string]uint64 // HTTP answers by status
	refusals  map[string]uint64 // HTTP requests that reached no tool, by reason
}

// outcome is how calls of a tool ended: the kind of the error, or "".
type outcome struct{ tool, kind string }

// buckets are the upper bounds of the histogram, in seconds.
var buckets = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

type histogram struct {
	counts [len(buckets) + 1]uint64
	sum    float64
}

func newMetrics() *metrics {
	return &metrics{start: time.Now(), calls: map[outcome]uint64{}, durations: map[string]*histogram{},
		responses: map[string]uint64{}, refusals: map[string]uint64{}}
}

func (m *metrics) countCall(tool, kind string, commit bool, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[outcome{tool, kind}]++
	if commit {
		m.commits++
	}
	h := m.durations[tool]
	if h == nil {
		h = &histogram{}
		m.durations[tool] = h
	}
	i, _ := slices.BinarySearch(buckets[:], took.Seconds())
	h.counts[i]++
	h.sum += took.Seconds()
}

func (m *metrics) countResponse(code int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.responses[strconv.Itoa(code)]++
}

func (m *metrics) countRefusal(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusals[why]++
}

// promText builds a text in the exposition format of Prometheus.
type promText struct{ strings.Builder }

// family begins the samples of one name.
func (t *promText) family(name, kind, help string) {
	fmt.Fprintf(t, "# HELP %s %s\n# TYPE %s %s\n", name, strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help), name, kind)
}

// sample writes one line. Labels are pairs of a name and a value.
func (t *promText) sample(name string, value float64, labels ...string) {
	t.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		fmt.Fprintf(t, `%s%s="%s"`, map[bool]string{true: "{", false: ","}[i == 0], labels[i],
			strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(labels[i+1]))
	}
	if len(labels) > 0 {
		t.WriteByte('}')
	}
	t.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

func (t *promText) single(name, kind, help string, value float64) {
	t.family(name, kind, help)
	t.sample(name, value)
}

// counters writes a family with one label.
func (t *promText) counters(name, help, label string, counts map[string]uint64) {
	t.family(name, "counter", help)
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		t.sample(name, float64(counts[key]), label, key)
	}
}

// write writes all metrics. It reads the gauges of the server at the moment of the call.
func (m *metrics) write(w io.Writer, srv *Server, sessions int) error {
	var text promText
	running, waiting := srv.calls.counts()
	text.family("emend_build_info", "gauge", "The version of emend, and of Go.")
	text.sample("emend_build_info", 1, "version", srv.Version, "goversion", runtime.Version())
	text.single("emend_start_time_seconds", "gauge", "When the server started, in seconds since 1970.", float64(m.start.UnixMilli())/1000)
	text.single("emend_calls_in_flight", "gauge", "Calls of tools that run.", float64(running))
	text.single("emend_calls_queued", "gauge", "Calls of tools that wait for their turn.", float64(waiting))
	text.single("emend_sessions", "gauge", "Sessions of HTTP that are open.", float64(sessions))
	text.single("emend_http_received_bytes_total", "counter", "Bytes of the bodies of requests.", float64(m.received.Load()))
	text.single("emend_http_sent_bytes_total", "counter", "Bytes of the bodies of answers.", float64(m.sent.Load()))
	m.mu.Lock()
	m.writeCalls(&text)
	text.single("emend_commits_total", "counter", "Calls that changed files.", float64(m.commits))
	text.counters("emend_http_responses_total", "Answers of HTTP.", "code", m.responses)
	text.counters("emend_http_refused_total", "Requests of HTTP that were refused before any tool saw them.", "by", m.refusals)
	m.mu.Unlock()
	text.single("go_goroutines", "gauge", "Goroutines.", float64(runtime.NumGoroutine()))
	text.single("go_memstats_heap_alloc_bytes", "gauge", "Bytes of the heap that are in use.", heapBytes())
	_, err := io.WriteString(w, text.String())
	return err
}

func (m *metrics) writeCalls(text *promText) {
	text.family("emend_calls_total", "counter", "Calls of tools, by how they ended: ok, or the kind of the error.")
	byName := func(a, b outcome) int { return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.kind, b.kind)) }
	for _, o := range slices.SortedFunc(maps.Keys(m.calls), byName) {
		result := map[bool]string{true: "ok", false: "error"}[o.kind == ""]
		text.sample("emend_calls_total", float64(m.calls[o]), "tool", o.tool, "outcome", result, "kind", o.kind)
	}
	text.family("emend_call_seconds", "histogram", "How long calls of tools took, with the wait for their turn.")
	for _, tool := range slices.Sorted(maps.Keys(m.durations)) {
		h, sum := m.durations[tool], uint64(0)
		for i, n := range h.counts {
			sum += n
			le := "+Inf"
			if i < len(buckets) {
				le = strconv.FormatFloat(buckets[i], 'g', -1, 64)
			}
			text.sample("emend_call_seconds_bucket", float64(sum), "tool", tool, "le", le)
		}
		text.sample("emend_call_seconds_sum", h.sum, "tool", tool)
		text.sample("emend_call_seconds_count", float64(sum), "tool", tool)
	}
}

func heapBytes() float64 {
	var m runtime.MemStats // runtime/metrics has the same number, and would slow down every start of the program
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
