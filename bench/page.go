package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/emend-dev/emend/bench/internal/disk"
)

// page is the results, as Markdown.
type page struct {
	rounds   int
	quick    bool
	programs *programs
	machine  string
	rows     []done
	misses   misses
	left     []string // rows that were not selected
}

// group is a section of the page with its introduction.
type group struct{ letter, title, words string }

// groups lists the sections in the order of the page.
var groups = []group{
	{"a", "One small patch, cold process", "The whole process, from its start to its end, in 40 rounds at the least."},
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

// machine describes the machine.
func machine(dir string) string {
	return fmt.Sprintf("%d cores, %s, %s, %s%s", runtime.NumCPU(), disk.Kernel(), disk.FileSystem(dir), runtime.Version(), load())
}

// load returns the load average before the first row, where the system tells it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil || len(text) == 0 {
		return ""
	}
	return fmt.Sprintf(", a load of %s before the first row", strings.Fields(string(text))[0])
}

func (p *page) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# What emend costs beside what people use instead\n\nWritten by `go -C bench run .`. %s. Every program has its turn in each of %d rounds,\n"+
		"after one to warm up; times are medians. All of emend is on: hashes, guard, log, history.\n\n", p.machine, p.rounds)
	if p.quick {
		fmt.Fprint(&b, "**QUICK**: the sizes are smaller than the titles say, and no figure means anything.\n\n")
	}
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
	p.writeOlder(&b)
	return b.String()
}

func (p *page) of(group string) []done {
	return slices.DeleteFunc(slices.Clone(p.rows), func(d done) bool { return d.group != group })
}

// writeSummary writes how many bars are met, and what failed or is missing.
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
	if len(versions) > 0 {
		fmt.Fprintf(w, "\n%s.\n", strings.Join(versions, "; "))
	}
}

// show prints the page, or writes it and the chart to files.
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

// failed returns an error if a row failed. A missed bar is no error.
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
