package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/emend-dev/emend/bench/internal/modpairs"
	"github.com/emend-dev/emend/internal/draft"
)

// summary is the results of a run. Its methods may be called from several workers.
type summary struct {
	config
	pairs []modpairs.Pair // the sample
	total int             // number of all pairs
	trees []modpairs.Tree
	zip   int64
	took  time.Duration

	mu                               sync.Mutex
	done                             int
	changed, added, deleted, notText int
	bytes                            int64
	tallies                          map[string]*tally
}

// tally is the results of one dialect or peer.
type tally struct {
	by      [failed + 1]int
	reasons map[string]int
	bad     []finding
}

// finding is one violation.
type finding struct {
	verdict
	name, smallest string
}

// shown is the number of findings of one dialect that are shown in full.
const shown = 5

func newSummary(c config, trees []modpairs.Tree, pairs []modpairs.Pair) *summary {
	s := &summary{config: c, trees: trees, total: len(pairs), tallies: map[string]*tally{}}
	for _, t := range trees {
		s.zip += t.Zip
	}
	return s
}

func (s *summary) progress(w io.Writer, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += n
	fmt.Fprintf(w, "%d of %d changes\n", s.done, len(s.pairs))
}

func (s *summary) binary() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notText++
}

func (s *summary) change(ch draft.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += int64(len(ch.Old) + len(ch.New))
	switch {
	case !ch.HasOld:
		s.added++
	case !ch.HasNew:
		s.deleted++
	default:
		s.changed++
	}
}

// note counts a verdict of a dialect or a peer. It keeps violations, the first ones with their smallest form.
func (s *summary) note(who string, v verdict, name string, smallest func() string) {
	s.mu.Lock()
	t := s.tallies[who]
	if t == nil {
		t = &tally{reasons: map[string]int{}}
		s.tallies[who] = t
	}
	t.by[v.outcome]++
	if v.outcome != exact {
		t.reasons[v.why]++
	}
	detail := v.outcome > refused && len(t.bad) < shown
	s.mu.Unlock()
	if !detail {
		return
	}
	f := finding{v, name, smallest()}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.bad = append(t.bad, f)
}

// count returns how many verdicts were right and how many were not.
func (s *summary) count() (passed, bad int) {
	for _, t := range s.tallies {
		passed += t.by[exact] + t.by[refused]
		bad += t.by[wrong] + t.by[failed]
	}
	return passed, bad
}

// String formats the summary as Markdown that is readable as plain text.
func (s *summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Real pairs\n\n%d versions of %d modules (%d MB of archives), consecutive versions compared: %d changes",
		len(s.trees), s.modules(), s.zip/1e6, s.total)
	if len(s.pairs) < s.total {
		fmt.Fprintf(&b, ", of which a sample of %d (seed %d)", len(s.pairs), s.seed)
	}
	fmt.Fprintf(&b, ".\n%d files changed, %d added, %d deleted (%d MB of text); %d more are binary and were left out. %s, %s.\n",
		s.changed, s.added, s.deleted, s.bytes/1e6, s.notText, runtime.Version(), s.took.Round(time.Second))
	s.table(&b, "dialect", "refused", s.names())
	if s.peers {
		s.table(&b, "peer", "-", []string{peers[0].name, peers[1].name})
		fmt.Fprintf(&b, "\n%s; %s.\n", peers[0].version(), peers[1].version())
	}
	s.writeReasons(&b)
	s.writeFindings(&b)
	return b.String()
}

func (s *summary) modules() int {
	names := map[string]bool{}
	for _, t := range s.trees {
		names[t.Module] = true
	}
	return len(names)
}

func (s *summary) names() []string {
	var out []string
	for _, d := range s.dialects {
		out = append(out, d.Name)
	}
	return out
}

func (s *summary) table(w io.Writer, what, refusedAs string, rows []string) {
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(tw, "| %s\t| exact\t| %s\t| wrong\t| failed\t|\n| ---\t| ---:\t| ---:\t| ---:\t| ---:\t|\n", what, refusedAs)
	for _, row := range rows {
		t := s.tallies[row]
		if t == nil {
			t = &tally{}
		}
		fmt.Fprintf(tw, "| %s\t| %d\t| %d\t| %d\t| %d\t|\n", row, t.by[exact], t.by[refused], t.by[wrong], t.by[failed])
	}
	tw.Flush()
}

func (s *summary) writeReasons(w io.Writer) {
	for _, who := range slices.Sorted(maps.Keys(s.tallies)) {
		reasons := s.tallies[who].reasons
		byCount := func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b)) }
		for _, why := range slices.SortedFunc(maps.Keys(reasons), byCount) {
			fmt.Fprintf(w, "\n- %s, %d times: %s", who, reasons[why], why)
		}
	}
	fmt.Fprintln(w)
}

func (s *summary) writeFindings(w io.Writer) {
	for _, who := range slices.Sorted(maps.Keys(s.tallies)) {
		for _, f := range s.tallies[who].bad {
			fmt.Fprintf(w, "\n## %s: %s\n\n%s\n\n```\n%s\n```\n", who, f.name, f.why, strings.TrimRight(f.smallest, "\n"))
		}
	}
}
