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
type stats struct {
	start   time.Time
	in, out atomic.Int64 // bytes of HTTP bodies

	mu      sync.Mutex
	calls   map[outcome]uint64
	times   map[string]*histogram // by tool
	commits uint64
	codes   map[string]uint64 // of HTTP answers
	refused map[string]uint64 // requests of HTTP, by what refused them
}

// outcome is how calls of a tool ended: the kind of the error, or "".
type outcome struct{ tool, kind string }

// steps are the upper bounds of the histogram, in seconds.
var steps = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

type histogram struct {
	counts [len(steps) + 1]uint64
	sum    float64
}

func newStats() *stats {
	return &stats{start: time.Now(), calls: map[outcome]uint64{}, times: map[string]*histogram{},
		codes: map[string]uint64{}, refused: map[string]uint64{}}
}

func (s *stats) called(tool, kind string, commit bool, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[outcome{tool, kind}]++
	if commit {
		s.commits++
	}
	h := s.times[tool]
	if h == nil {
		h = &histogram{}
		s.times[tool] = h
	}
	i, _ := slices.BinarySearch(steps[:], took.Seconds())
	h.counts[i]++
	h.sum += took.Seconds()
}

func (s *stats) answered(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[strconv.Itoa(code)]++
}

func (s *stats) refuse(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[why]++
}

// exposition is text in the format of Prometheus, in the making.
type exposition struct{ strings.Builder }

// family begins the samples of one name.
func (e *exposition) family(name, kind, help string) {
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n", name, strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help), name, kind)
}

// sample is one line; labels are pairs of a name and a value.
func (e *exposition) sample(name string, value float64, labels ...string) {
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

func (e *exposition) one(name, kind, help string, value float64) {
	e.family(name, kind, help)
	e.sample(name, value)
}

// counted are the counts of a family with one label.
func (e *exposition) counted(name, help, label string, counts map[string]uint64) {
	e.family(name, "counter", help)
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		e.sample(name, float64(counts[key]), label, key)
	}
}

// write tells all of it. What the server has at this moment is asked for now.
func (s *stats) write(w io.Writer, srv *Server, sessions int) error {
	var e exposition
	running, waiting := srv.calls.counts()
	e.family("emend_build_info", "gauge", "The version of emend, and of Go.")
	e.sample("emend_build_info", 1, "version", srv.Version, "goversion", runtime.Version())
	e.one("emend_start_time_seconds", "gauge", "When the server started, in seconds since 1970.", float64(s.start.UnixMilli())/1000)
	e.one("emend_calls_in_flight", "gauge", "Calls of tools that run.", float64(running))
	e.one("emend_calls_queued", "gauge", "Calls of tools that wait for their turn.", float64(waiting))
	e.one("emend_sessions", "gauge", "Sessions of HTTP that are open.", float64(sessions))
	e.one("emend_http_received_bytes_total", "counter", "Bytes of the bodies of requests.", float64(s.in.Load()))
	e.one("emend_http_sent_bytes_total", "counter", "Bytes of the bodies of answers.", float64(s.out.Load()))
	s.mu.Lock()
	s.writeCalls(&e)
	e.one("emend_commits_total", "counter", "Calls that changed files.", float64(s.commits))
	e.counted("emend_http_responses_total", "Answers of HTTP.", "code", s.codes)
	e.counted("emend_http_refused_total", "Requests of HTTP that were refused before any tool saw them.", "by", s.refused)
	s.mu.Unlock()
	e.one("go_goroutines", "gauge", "Goroutines.", float64(runtime.NumGoroutine()))
	e.one("go_memstats_heap_alloc_bytes", "gauge", "Bytes of the heap that are in use.", heap())
	_, err := io.WriteString(w, e.String())
	return err
}

func (s *stats) writeCalls(e *exposition) {
	e.family("emend_calls_total", "counter", "Calls of tools, by how they ended: ok, or the kind of the error.")
	byName := func(a, b outcome) int { return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.kind, b.kind)) }
	for _, o := range slices.SortedFunc(maps.Keys(s.calls), byName) {
		result := map[bool]string{true: "ok", false: "error"}[o.kind == ""]
		e.sample("emend_calls_total", float64(s.calls[o]), "tool", o.tool, "outcome", result, "kind", o.kind)
	}
	e.family("emend_call_seconds", "histogram", "How long calls of tools took, with the wait for their turn.")
	for _, tool := range slices.Sorted(maps.Keys(s.times)) {
		h, sum := s.times[tool], uint64(0)
		for i, n := range h.counts {
			sum += n
			le := "+Inf"
			if i < len(steps) {
				le = strconv.FormatFloat(steps[i], 'g', -1, 64)
			}
			e.sample("emend_call_seconds_bucket", float64(sum), "tool", tool, "le", le)
		}
		e.sample("emend_call_seconds_sum", h.sum, "tool", tool)
		e.sample("emend_call_seconds_count", float64(sum), "tool", tool)
	}
}

func heap() float64 {
	var m runtime.MemStats // what runtime/metrics says too, which every start of the program would wait for
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
