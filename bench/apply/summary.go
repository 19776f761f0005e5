package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// summary is what was measured.
type summary struct {
	config
	scratch string
	emend   string // the program
	results []result
	missing []string
	calls   []call
}

func (s *summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Applying a patch\n\nOne line changed in each file of 3.4 KB, in %d directories. Whole processes, in milliseconds: the median of\n"+
		"%d rounds in which each program had its turn, and the quickest. %d cores, %s, %s.\n\n",
		directories, s.rounds, runtime.NumCPU(), fileSystem(s.scratch), runtime.Version())
	s.writeTimes(&b)
	s.writeParts(&b)
	s.writeNotes(&b)
	return b.String()
}

// writeTimes is a table of the programs that change files.
func (s *summary) writeTimes(w io.Writer) {
	s.table(w, "program", func(r *result) (string, bool) {
		return fmt.Sprintf("%s (%s)", ms(r.median()), ms(r.quickest())), !r.part
	})
}

// table writes a line for each contender and a column for each size.
func (s *summary) table(w io.Writer, title string, cell func(*result) (string, bool)) {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(t, "| %s", title)
	for _, n := range s.sizes {
		fmt.Fprintf(t, "\t| %s", files(n))
	}
	fmt.Fprintf(t, "\t|\n| ---%s\t|\n", strings.Repeat("\t| ---:", len(s.sizes)))
	per := len(s.results) / len(s.sizes)
	for i := range per {
		if _, show := cell(&s.results[i]); !show {
			continue
		}
		fmt.Fprintf(t, "| %s", s.results[i].name)
		for k := range s.sizes {
			text, _ := cell(&s.results[k*per+i])
			fmt.Fprintf(t, "\t| %s", text)
		}
		fmt.Fprint(t, "\t|\n")
	}
	t.Flush()
}

// writeParts says where emend's time goes, by what it takes to go a step further.
func (s *summary) writeParts(w io.Writer) {
	fmt.Fprint(w, "\nWhere the time of emend goes, as the difference between the quickest runs that each go one step\nfurther:\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(t, "| files\t| start\t| read and plan\t| stage, log, apply\t| syncs\t|\n| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t|\n")
	for _, n := range s.sizes {
		start, plan, none, full := s.of(started, n), s.of(planned, n), s.of(unsynced, n), s.of(durable, n)
		fmt.Fprintf(t, "| %d\t| %s\t| %s\t| %s\t| %s\t|\n", n, ms(start), ms(plan-start), ms(none-plan), ms(full-none))
	}
	t.Flush()
}

func (s *summary) of(name string, n int) time.Duration {
	i := slices.IndexFunc(s.results, func(r result) bool { return r.name == name && r.files == n })
	return s.results[i].quickest()
}

func (s *summary) writeNotes(w io.Writer) {
	if len(s.calls) > 0 {
		fmt.Fprintf(w, "\nThe system calls of one durable commit of %s:", files(slices.Max(s.sizes)))
		for i, c := range s.calls[:min(len(s.calls), 16)] {
			fmt.Fprintf(w, "%s %s %d", separator(i), c.name, c.times)
		}
		fmt.Fprint(w, ".\n")
	}
	fmt.Fprint(w, "\nOnly `emend apply` is durable when it ends; `--durability=none` and emend's peers leave that to the system. Only\n"+
		"emend makes all changes or none when it is killed. Its store was there already, as in every tree but a new one.\n")
	if len(s.missing) > 0 {
		fmt.Fprintf(w, "\nMissing: %s.\n", strings.Join(s.missing, "; "))
	}
	if v := s.versions(); len(v) > 0 {
		fmt.Fprintf(w, "\n%s.\n", strings.Join(v, "; "))
	}
}

func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// versions names the peers that ran.
func (s *summary) versions() (out []string) {
	for _, r := range s.results {
		if r.version != "" && !slices.Contains(out, r.version) {
			out = append(out, r.version)
		}
	}
	return out
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }
