package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// page is what was measured, as it is to be read.
type page struct {
	rounds   int
	programs *programs
	machine  string
	rows     []done
	misses   misses
	left     []string // the rows that nobody asked for
}

// group is a heading, and what is said below it.
type group struct{ letter, title, words string }

// groups are the headings, in the order of the page.
var groups = []group{
	{"a", "One small patch, cold process", "The whole process, from its start to its end."},
	{"b", "Many files, one hunk each", "Files of 3.4 KB in ten directories."},
	{"c", "New files", "Files of 3.4 KB in ten directories that are there."},
	{"d", "One big file", bigWords},
	{"e", "A hunk that matches nowhere", "The last hunk's line is not in the file. Every program has to refuse, and to leave the file as it is."},
	{"f", "A hostile near match", "One line again and again, and a hunk that fits everywhere but for its last line."},
	{"g", "Search", searchWords},
	{"h", "Globs and recursive lists", "The same trees. A list is what is below the root, directories too, hidden names too; `rg --files` has files only."},
	{"i", "Some lines of a file of 1 GB", "emend hashes the whole file for them, so that the lines can be edited later."},
	{"j", "Hashes", "A file's sha256, asked of a server."},
	{"k", "Durable edits of one server", servedWords},
	{"l", "Calls of one server", "Reads of files of 3.4 KB, of 1,000 in turn, over standard input and output."},
}

// machine is the line about where this was measured.
func machine(dir string) string {
	return fmt.Sprintf("%d cores, %s, %s, %s%s", runtime.NumCPU(), kernel(), fileSystem(dir), runtime.Version(), load())
}

// load says how busy the machine was before, where that is to be known.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil || len(text) == 0 {
		return ""
	}
	return fmt.Sprintf(", a load of %s before the first row", strings.Fields(string(text))[0])
}

func (p *page) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# What emend costs beside what people use instead\n\nWritten by `go run ./bench`. %s. Every program has its turn in each of %d rounds,\n"+
		"after one to warm up; times are medians. All of emend is on: hashes, guard, log, history.\n\n", p.machine, p.rounds)
	p.writeSummary(&b)
	for _, g := range groups {
		if rows := p.of(g.letter); len(rows) > 0 {
			fmt.Fprintf(&b, "\n## (%s) %s\n\n%s\n", g.letter, g.title, g.words)
			if g.letter == "d" {
				fmt.Fprint(&b, "\n![Time of a patch against the size of the file](cost.svg)\n")
			}
			p.writeGroup(&b, rows)
		}
	}
	p.writeSyncs(&b)
	p.writeMisses(&b)
	return b.String()
}

func (p *page) of(group string) []done {
	return slices.DeleteFunc(slices.Clone(p.rows), func(d done) bool { return d.group != group })
}

// writeSummary says how many bars are met, and what is missing or wrong.
func (p *page) writeSummary(w io.Writer) {
	met, all, absent := 0, 0, 0
	for _, d := range p.rows {
		for _, v := range d.verdicts {
			all++
			if v.met() {
				met++
			} else if v.absent != "" {
				absent++
			}
		}
	}
	fmt.Fprintf(w, "Of %d bars %d are met, %d are missed, %d have no figure.\n", all, met, all-met-absent, absent)
	for _, d := range p.rows {
		if d.failed != nil {
			fmt.Fprintf(w, "\n**FAILED**: %s (%s): %v\n", d.id, d.title, d.failed)
		}
	}
	if len(p.left) > 0 {
		fmt.Fprintf(w, "\n**NOT RUN**: %s\n", strings.Join(p.left, ", "))
	}
	var versions []string
	for _, is := range p.programs.all() {
		if is.why != "" {
			fmt.Fprintf(w, "\n**MISSING**: %s: %s\n", is.name, is.why)
			continue
		}
		versions = append(versions, is.version)
	}
	fmt.Fprintf(w, "\n%s.\n", strings.Join(versions, "; "))
}

// writeGroup writes what each program took, then the bars.
func (p *page) writeGroup(out io.Writer, rows []done) {
	p.writeTimes(out, rows)
	for _, note := range notes(rows) {
		fmt.Fprintf(out, "\n%s.\n", note)
	}
	if slices.ContainsFunc(rows, func(d done) bool { return d.lane(planned) != nil }) {
		writeParts(out, rows)
	}
	if !slices.ContainsFunc(rows, func(d done) bool { return len(d.verdicts) > 0 }) {
		return
	}
	fmt.Fprint(out, "\n")
	t := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprint(t, "| work\t| bar\t| measured\t|\t|\n| ---\t| ---\t| ---:\t| ---\t|\n")
	for _, d := range rows {
		for _, v := range d.verdicts {
			fmt.Fprintf(t, "| %s\t| %s\t| %s\t| %s\t|\n", d.title, v.bar, v.figure(), v.word())
		}
	}
	t.Flush()
}

// notes are what the rows have to say, each once.
func notes(rows []done) (out []string) {
	for _, d := range rows {
		if d.note != "" && !slices.Contains(out, d.note) {
			out = append(out, d.note)
		}
	}
	return out
}

func (v verdict) figure() string {
	switch {
	case v.absent != "":
		return "–"
	case v.below:
		return fmt.Sprintf("< %.2f", v.got)
	}
	return fmt.Sprintf("%.2f", v.got)
}

func (v verdict) word() string {
	switch {
	case v.absent != "":
		return "no figure: " + v.absent
	case v.met():
		return "met"
	}
	return "**MISSED**"
}

func (p *page) writeTimes(out io.Writer, rows []done) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(d done) bool { return len(d.lanes) == 0 })
	if len(rows) == 0 {
		return
	}
	rate := slices.ContainsFunc(rows, func(d done) bool { return d.ops > 0 })
	fmt.Fprint(out, "\n")
	t := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintf(t, "| work\t| program\t| median ms\t| quickest ms\t| × the first\t| peak MiB\t|%s\n", title(rate, " a second\t|"))
	fmt.Fprintf(t, "| ---\t| ---\t| ---:\t| ---:\t| ---:\t| ---:\t|%s\n", title(rate, " ---:\t|"))
	for _, d := range rows {
		for i := range d.lanes {
			fmt.Fprintf(t, "| %s\t| %s%s\n", map[bool]string{true: d.title}[i == 0], d.lanes[i].cells(&d), title(rate, d.perSecond(&d.lanes[i])))
		}
	}
	t.Flush()
}

func title(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

func (l *laneDone) cells(d *done) string {
	switch {
	case l.why != "":
		return l.name + "\t| missing\t|\t|\t|\t|"
	case len(l.times) == 0:
		return l.name + "\t| –\t|\t|\t|\t|"
	}
	times := "–"
	if first := d.lanes[0]; len(first.times) > 0 {
		times = fmt.Sprintf("%.2f", float64(l.median())/float64(first.median()))
	}
	if l.slow {
		return fmt.Sprintf("%s\t| given up after %s\t|\t| > %s\t| %s\t|", l.name, ms(l.median()), times, mib(l.peak))
	}
	return fmt.Sprintf("%s\t| %s\t| %s\t| %s\t| %s\t|", cmp.Or(l.note, l.name), ms(l.median()), ms(l.quickest()), times, mib(l.peak))
}

func (d *done) perSecond(l *laneDone) string {
	if d.ops == 0 || len(l.times) == 0 {
		return "\t|"
	}
	return fmt.Sprintf(" %.0f\t|", float64(d.ops)/l.median().Seconds())
}

// writeParts says where emend's time goes, by what it takes to go a step further.
func writeParts(out io.Writer, rows []done) {
	fmt.Fprint(out, "\nWhere the time of emend goes, as the difference between the quickest runs that each go one step further:\n\n")
	t := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprint(t, "| work\t| start\t| read and plan\t| stage, log, apply\t| syncs\t|\n| ---\t| ---:\t| ---:\t| ---:\t| ---:\t|\n")
	for _, d := range rows {
		if d.failed != nil {
			continue
		}
		start, plan, none, full := d.lane(started).quickest(), d.lane(planned).quickest(), d.lane(unsynced).quickest(), d.lane(durable).quickest()
		fmt.Fprintf(t, "| %s\t| %s\t| %s\t| %s\t| %s\t|\n", d.title, ms(start), ms(plan-start), ms(none-plan), ms(full-none))
	}
	t.Flush()
}

// writeSyncs says how often each program waited for the disk.
func (p *page) writeSyncs(out io.Writer) {
	if p.programs.strace.why != "" {
		return
	}
	rows := slices.DeleteFunc(slices.Clone(p.rows), func(d done) bool {
		return d.failed != nil || !slices.ContainsFunc(d.lanes, func(l laneDone) bool { return l.syncs != nil })
	})
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## Syncs\n\nHow often each program asked that something be on the disk, counted by strace: %s.\n\n", strings.Join(syncs, ", "))
	t := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprint(t, "| work\t| program\t| calls\t|\n| ---\t| ---\t| ---\t|\n")
	for _, d := range rows {
		for i, l := range d.lanes {
			if l.syncs != nil {
				fmt.Fprintf(t, "| %s\t| %s\t| %s\t|\n", map[bool]string{true: fmt.Sprintf("(%s) %s", d.group, d.title)}[i == 0], l.name, counted(l.syncs))
			}
		}
	}
	t.Flush()
}

func counted(calls map[string]int) string {
	var out []string
	for _, name := range syncs {
		if calls[name] > 0 {
			out = append(out, fmt.Sprintf("%d %s", calls[name], name))
		}
	}
	return cmp.Or(strings.Join(out, ", "), "none")
}

// show prints the page, and writes it and the chart where they belong.
func (p *page) show(out string) error {
	if out == "" {
		fmt.Print(p)
		return nil
	}
	err := os.WriteFile(out, []byte(p.String()), 0o666)
	if picture := chart(p.rows); picture != nil {
		err = errors.Join(err, os.WriteFile(filepath.Join(filepath.Dir(out), "cost.svg"), picture, 0o666))
	}
	return err
}

// failed is what ends the command with an error: a row that was not done, not a bar that was missed.
func (p *page) failed() error {
	var out []string
	for _, d := range p.rows {
		if d.failed != nil {
			out = append(out, d.id)
		}
	}
	if len(out) > 0 {
		return fmt.Errorf("these rows failed: %s", strings.Join(out, ", "))
	}
	return nil
}
