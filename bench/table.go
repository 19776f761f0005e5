package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// writeGroup writes the times of each program, then the bars.
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

// notes returns the notes of the rows without duplicates.
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
		return fmt.Sprintf("%s\t| given up after %s\t|\t| > %s\t| %s\t|", l.name, ms(slices.Max(l.times)), times, mib(l.peak))
	}
	return fmt.Sprintf("%s\t| %s\t| %s\t| %s\t| %s\t|", l.name, ms(l.median()), ms(l.quickest()), times, mib(l.peak))
}

func (d *done) perSecond(l *laneDone) string {
	if d.ops == 0 || len(l.times) == 0 {
		return "\t|"
	}
	return fmt.Sprintf(" %.0f\t|", float64(d.ops)/l.median().Seconds())
}

// writeParts writes where emend's time goes: the differences between lanes that each do one step more.
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

// writeSyncs writes how many syncs each program made.
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
		work := fmt.Sprintf("(%s) %s", d.group, d.title)
		for _, l := range d.lanes {
			if l.syncs != nil {
				fmt.Fprintf(t, "| %s\t| %s\t| %s\t|\n", work, l.name, counted(l.syncs))
				work = "" // only in the first line
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
