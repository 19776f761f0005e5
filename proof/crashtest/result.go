package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// result is the result of a round.
type result struct {
	round
	notRun string // why it did not run, or ""
	err    error  // it was aborted
	flush  int    // number of recorded flushes
	states int
	random int
	bad    int
	moved  int // states in which the recovery changed the tree
	raw    map[treeState]int
	wrong  []string // the first few violations
	took   time.Duration
}

const examples = 5

// count adds the verdict on the state c.
func (r *result) count(c crash, v verdict) {
	r.states++
	if c.random {
		r.random++
	}
	r.raw[v.Raw]++
	if v.Moved {
		r.moved++
	}
	if len(v.Wrong) == 0 {
		return
	}
	r.bad++
	if len(r.wrong) < examples {
		r.wrong = append(r.wrong, fmt.Sprintf("state %d, %d writes kept and %d lost, tree found %s: %s",
			r.states, c.kept, c.lost, v.Raw, strings.Join(v.Wrong, "; ")))
	}
}

// verdict summarizes the result in a word or two.
func (r *result) verdict() string {
	switch {
	case r.notRun != "":
		return "NOT RUN"
	case r.err != nil:
		return "BROKE OFF"
	case r.mustFail && r.bad == 0:
		return "MISSED"
	case r.mustFail:
		return "caught"
	case r.bad > 0:
		return "WRONG"
	}
	return "ok"
}

// failed reports whether the whole run fails because of this round.
func (r *result) failed(allowMissing bool) bool {
	switch r.verdict() {
	case "ok", "caught":
		return false
	case "NOT RUN":
		return !allowMissing
	}
	return true
}

// table formats the results as Markdown.
func table(results []*result) string {
	var b strings.Builder
	b.WriteString("| file system | writer | flushes | states | of them random | found right | old | mixed | torn | unreadable | " +
		"not mounted | changed by the recovery | violations | ms a state | |\n")
	b.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d |", r.fs.name, r.round, r.flush, r.states, r.random)
		for _, kind := range raws {
			fmt.Fprintf(&b, " %d |", r.raw[kind])
		}
		perState := float64(r.took.Milliseconds()) / float64(max(1, r.states))
		fmt.Fprintf(&b, " %d | %d | %.0f | %s |\n", r.moved, r.bad, perState, r.verdict())
	}
	return b.String()
}

// details returns what the table has no room for.
func details(results []*result) string {
	var b strings.Builder
	for _, r := range results {
		head := fmt.Sprintf("%s, %s: ", r.fs.name, r.round)
		if r.notRun != "" {
			fmt.Fprintf(&b, "%sNOT RUN: %s\n", head, r.notRun)
		}
		if r.err != nil {
			fmt.Fprintf(&b, "%sbroke off: %v\n", head, r.err)
		}
		for _, w := range r.wrong {
			fmt.Fprintf(&b, "%s%s\n", head, w)
		}
	}
	return b.String()
}

// replaceSection replaces the text between the marks called name in a Markdown file.
func replaceSection(file, name, text string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+" -->", "<!-- /"+name+" -->"
	section := regexp.MustCompile(`(?s)` + regexp.QuoteMeta(begin) + `.*?` + regexp.QuoteMeta(end))
	if !section.Match(data) {
		return fmt.Errorf("%s has no %s … %s", file, begin, end)
	}
	data = section.ReplaceAllLiteral(data, []byte(begin+"\n"+text+end))
	return os.WriteFile(file, data, 0o644)
}

// section returns the name of the marks that c writes between.
func (c config) section() string {
	switch {
	case c.self:
		return "crashtest-selftest"
	case c.again:
		return "crashtest-again"
	case c.writer != "emend":
		return "crashtest-" + c.writer
	}
	return "crashtest"
}
