package mcp

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// families parses Prometheus's text format strictly, and returns the samples by name and labels. What promtool would
// reject is an error.
func families(text string) (map[string]float64, error) {
	var (
		help   = regexp.MustCompile(`^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)$`)
		kind   = regexp.MustCompile(`^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$`)
		sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)((?:\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*\})?) (\S+)$`)
	)
	out, kinds, family, helped := map[string]float64{}, map[string]string{}, "", ""
	if !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("the last line has no end")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := help.FindStringSubmatch(line); m != nil {
			if kinds[m[1]] != "" {
				return nil, fmt.Errorf("%s comes twice", m[1])
			}
			helped = m[1]
			continue
		}
		if m := kind.FindStringSubmatch(line); m != nil {
			if m[1] != helped || (m[2] == "counter") != strings.HasSuffix(m[1], "_total") {
				return nil, fmt.Errorf("%q: the help before is of %s, or the name does not fit", line, helped)
			}
			family, kinds[m[1]] = m[1], m[2]
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("not understood: %q", line)
		}
		name := m[1]
		if kinds[family] == "histogram" {
			name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		}
		if name != family {
			return nil, fmt.Errorf("%q stands among the samples of %s", line, family)
		}
		if _, twice := out[m[1]+m[2]]; twice {
			return nil, fmt.Errorf("%s%s comes twice", m[1], m[2])
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return nil, err
		}
		out[m[1]+m[2]] = v
	}
	return out, nil
}

// TestFamiliesSees checks that families is strict.
func TestFamiliesSees(t *testing.T) {
	for _, bad := range []string{"a 1", "a 1\n", "# HELP a x\n# TYPE a gauge\nb 1\n", "# HELP a x\n# TYPE a counter\na 1\n", "# TYPE a gauge\na 1\n",
		"# HELP a x\n# TYPE a gauge\na{b=\"c\nd\"} 1\n", "# HELP a x\n# TYPE a gauge\na 1\na 1\n", "# HELP a x\n# TYPE a gauge\na one\n",
		"# HELP a x\n# TYPE a gauge\n# HELP a x\n"} {
		if _, err := families(bad); err == nil {
			t.Errorf("nothing is said of %q", bad)
		}
	}
}

func TestMetrics(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil)
	s.good()
	s.want(toolCall("read_file", `{"path":"none.txt"}`), 200)
	s.want(toolCall("create_file", `{"path":"new.txt","content":"x"}`), 200)
	s.want(toolCall("no_such_tool", `{}`), 400)
	s.want(request{token: "-"}, 401)
	s.session()
	_, text := s.ask(request{method: "GET", path: "/metrics"})
	got, err := families(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for name, want := range map[string]float64{
		`emend_calls_total{tool="read_file",outcome="ok",kind=""}`:             1,
		`emend_calls_total{tool="read_file",outcome="error",kind="not_found"}`: 1,
		`emend_calls_total{tool="create_file",outcome="ok",kind=""}`:           1,
		`emend_commits_total`:                                   1,
		`emend_sessions`:                                        1,
		`emend_calls_in_flight`:                                 0,
		`emend_calls_queued`:                                    0,
		`emend_http_refused_total{by="token"}`:                  1,
		`emend_http_responses_total{code="401"}`:                1,
		`emend_call_seconds_count{tool="read_file"}`:            2,
		`emend_call_seconds_bucket{tool="read_file",le="+Inf"}`: 2,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for _, name := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes", "emend_http_received_bytes_total", "emend_http_sent_bytes_total"} {
		if got[name] <= 0 {
			t.Errorf("%s is %v", name, got[name])
		}
	}
	if !strings.Contains(text, `emend_build_info{version="test",goversion="go`) {
		t.Error("no version")
	}
}

// TestHistogram checks that each count is in the right bucket, and that the buckets are cumulative.
func TestHistogram(t *testing.T) {
	s := newMetrics()
	for _, d := range []time.Duration{0, 500 * time.Microsecond, 501 * time.Microsecond, time.Second, time.Hour} {
		s.countCall(`a"\`+"\n", "", false, d)
	}
	var e promText
	s.writeCalls(&e)
	got, err := families(e.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, &e)
	}
	for le, want := range map[string]float64{"0.0005": 2, "0.001": 3, "0.5": 3, "1": 4, "30": 4, "+Inf": 5} {
		if n := got[`emend_call_seconds_bucket{tool="a\"\\\n",le="`+le+`"}`]; n != want {
			t.Errorf("%s: %v, want %v", le, n, want)
		}
	}
	if sum := got[`emend_call_seconds_sum{tool="a\"\\\n"}`]; math.Abs(sum-3601.001001) > 1e-9 {
		t.Errorf("the sum is %v", sum)
	}
}
