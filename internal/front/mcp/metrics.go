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

// stats count what the server does, for whoever watches it.
type metrics struct {
	start   time.Time
	received, sent atomic.Int64 // bytes of HTTP bodies

	mu      sync.Mutex
	calls   map[outcome]uint64
	durations   map[string]*histogram // by tool
	commits uint64
	responses   map[string]uint64 // of HTTP answers
	refusals map[string]uint64 // requests of HTTP, by what refused them
}

// outcome is how calls of a tool ended: the kind of the error, or "".
type outcome struct{ tool, kind string }

// steps are the upper bounds of the histogram, in seconds.
var buckets = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

type histogram struct {
	counts [len(buckets) + 1]uint64
	sum    float64
}

func newMetrics() *metrics {
	return &metrics{start: time.Now(), calls: map[outcome]uint64{}, durations: map[string]*histogram{},
		responses: map[string]uint64{}, refusals: map[string]uint64{}}
}

func (s *metrics) countCall(tool, kind string, commit bool, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[outcome{tool, kind}]++
	if commit {
		s.commits++
	}
	h := s.durations[tool]
	if h == nil {
		h = &histogram{}
		s.durations[tool] = h
	}
	i, _ := slices.BinarySearch(buckets[:], took.Seconds())
	h.counts[i]++
	h.sum += took.Seconds()
}

func (s *metrics) countResponse(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.responses[strconv.Itoa(code)]++
}

func (s *metrics) countRefusal(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[why]++
}

// exposition is text in the format of Prometheus, in the making.
type promText struct{ strings.Builder }

// family begins the samples of one name.
func (e *promText) family(name, kind, help string) {
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n", name, strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help), name, kind)
}

// sample is one line; labels are pairs of a name and a value.
func (e *promText) sample(name string, value float64, labels ...string) {
	e.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		fmt.Fprintf(e, `%s%s="%s"`, map[bool]string{true: "{", false: ","}[i == 0], labels[i],
			strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(labels[i+1]))
	}
	if len(labels) > 0 {
		e.WriteByte('}')
	}
	e.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

func (e *promText) single(name, kind, help string, value float64) {
	e.family(name, kind, help)
	e.sample(name, value)
}

// counted are the counts of a family with one label.
func (e *promText) counters(name, help, label string, counts map[string]uint64) {
	e.family(name, "counter", help)
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		e.sample(name, float64(counts[key]), label, key)
	}
}

// write tells all of it. What the server has at this moment is asked for now.
func (s *metrics) write(w io.Writer, srv *Server, sessions int) error {
	var e promText
	running, waiting := srv.calls.counts()
	e.family("emend_build_info", "gauge", "The version of emend, and of Go.")
	e.sample("emend_build_info", 1, "version", srv.Version, "goversion", runtime.Version())
	e.single("emend_start_time_seconds", "gauge", "When the server started, in seconds since 1970.", float64(s.start.UnixMilli())/1000)
	e.single("emend_calls_in_flight", "gauge", "Calls of tools that run.", float64(running))
	e.single("emend_calls_queued", "gauge", "Calls of tools that wait for their turn.", float64(waiting))
	e.single("emend_sessions", "gauge", "Sessions of HTTP that are open.", float64(sessions))
	e.single("emend_http_received_bytes_total", "counter", "Bytes of the bodies of requests.", float64(s.received.Load()))
	e.single("emend_http_sent_bytes_total", "counter", "Bytes of the bodies of answers.", float64(s.sent.Load()))
	s.mu.Lock()
	s.writeCalls(&e)
	e.single("emend_commits_total", "counter", "Calls that changed files.", float64(s.commits))
	e.counters("emend_http_responses_total", "Answers of HTTP.", "code", s.responses)
	e.counters("emend_http_refused_total", "Requests of HTTP that were refused before any tool saw them.", "by", s.refusals)
	s.mu.Unlock()
	e.single("go_goroutines", "gauge", "Goroutines.", float64(runtime.NumGoroutine()))
	e.single("go_memstats_heap_alloc_bytes", "gauge", "Bytes of the heap that are in use.", heapBytes())
	_, err := io.WriteString(w, e.String())
	return err
}

func (s *metrics) writeCalls(e *promText) {
	e.family("emend_calls_total", "counter", "Calls of tools, by how they ended: ok, or the kind of the error.")
	byName := func(a, b outcome) int { return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.kind, b.kind)) }
	for _, o := range slices.SortedFunc(maps.Keys(s.calls), byName) {
		result := map[bool]string{true: "ok", false: "error"}[o.kind == ""]
		e.sample("emend_calls_total", float64(s.calls[o]), "tool", o.tool, "outcome", result, "kind", o.kind)
	}
	e.family("emend_call_seconds", "histogram", "How long calls of tools took, with the wait for their turn.")
	for _, tool := range slices.Sorted(maps.Keys(s.durations)) {
		h, sum := s.durations[tool], uint64(0)
		for i, n := range h.counts {
			sum += n
			le := "+Inf"
			if i < len(buckets) {
				le = strconv.FormatFloat(buckets[i], 'g', -1, 64)
			}
			e.sample("emend_call_seconds_bucket", float64(sum), "tool", tool, "le", le)
		}
		e.sample("emend_call_seconds_sum", h.sum, "tool", tool)
		e.sample("emend_call_seconds_count", float64(sum), "tool", tool)
	}
}

func heapBytes() float64 {
	var m runtime.MemStats // what runtime/metrics says too, which every start of the program would wait for
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
