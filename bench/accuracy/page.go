package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

// page returns RESULTS.md.
func (b *bench) page() string {
	var w strings.Builder
	fmt.Fprintf(&w, intro, b.given, runtime.Version(), runtime.NumCPU(), b.took.Round(time.Second), b.seed, halves[b.half])
	b.writeAbsent(&w)
	b.writeHeadline(&w)
	fmt.Fprint(&w, "\n## What must hold\n\n")
	for _, c := range b.checks() {
		fmt.Fprint(&w, c)
	}
	b.writeBeside(&w)
	b.writeAlone(&w)
	b.writePairs(&w)
	b.writeKinds(&w)
	b.writeCorpus(&w)
	return w.String()
}

const intro = `# Right place or no place

Written by ` + "`go -C bench run ./accuracy%s`" + `: %s, %d cores, %s, seed %d. %s

Every change of the corpus is the work of people: a file of a published module, and the same file in the next version. The
benchmark writes the patch that a careful author sends for it, every hunk unique in the file, and damages patch or file in one
of the ways in which models do. Then the patch is applied, and what stands in the file is held against the truth. Every kind of
damage has the same weight: a figure over several kinds is the mean of theirs.

* **landed**: success, and the file is what it is to be, byte for byte. **Refused**: an error. **Wrong**: success, and other bytes.
* **After one repair**: a mechanical client sends, once, what the refusal says to send: corrected hunks word for word, hunks left
  out that are there already, the patch without its wrapping. Where a refusal offers nothing, nothing is sent.
* **Only a refusal is right**: a part of the change is not in the text, or a hunk stands in several places and neither its anchor
  nor its number nor the hunks around it tell which, or something else in the file resembles the hunk as much as the lines
  that its author meant, or the text does not tell how added lines are written. What lands wrong there is wrong and is counted.
  Nobody must land it, so it is left out of the shares of what landed.
* **Not to be told**: damaged as it is, the patch, or a hunk of it, is by the letter a good one for something else: it has its one
  place, which is another; or two changes look the same once they are damaged so. Nobody can know better from the text, so these
  are counted and not judged. For emend itself this does not hold of a hunk that is applied already and that its anchor, or what
  stands beside its place, speaks against: it is judged. The other dialects and programs keep their letter.
* **A unique near place**: every hunk stands in the file in just one place, or in none and nothing else in the file resembles it
  four fifths as much as the lines that its author meant. And the lines that it adds have one place there: where the file has
  lines that the hunk leaves out just where it adds some, nothing says on which side of them these go. It is worked out
  without the engine (` + "`bench/accuracy/damage/near_place.go`" + `).

* **On record**, **hash sent**: where the file changed since its author saw it, the history has that version, and, for the second, the
  client sends its hash. Everywhere else these are emend --lenient.

What the damage does, what the patch says by the letter and what the truth is are worked out without the engine as well. What
is not measured: how often models make which mistake.
`

// halves says which packages the page is about.
var halves = map[string]string{
	"report": "It is about the reporting half of the packages, which nothing is tuned to.",
	"tune":   "**It is about the tuning half of the packages: the engine is tuned to them.**",
	"all":    "**It is about all packages: the engine is tuned to half of them.**",
}

// writeAbsent writes which systems are missing.
func (b *bench) writeAbsent(w io.Writer) {
	for _, line := range b.absent() {
		fmt.Fprintf(w, "\n**NOT RUN**: %s\n", line)
	}
}

func (b *bench) absent() (out []string) {
	for _, m := range b.corpus.missing {
		out = append(out, fmt.Sprintf("%s: %v", m.What, m.Why))
	}
	for _, p := range b.peers {
		if p.why != "" {
			out = append(out, p.name+": "+p.why)
		}
	}
	if len(b.peers) == 0 {
		out = append(out, "the programs: -peers=false")
	}
	return out
}

// writeHeadline writes the figures that a reader looks for first.
func (b *bench) writeHeadline(w io.Writer) {
	fmt.Fprintf(w, "\n%d kinds of damage, up to %d changes of each. In percent, each kind with the same weight; cases that landed wrong by number:\n", len(b.alone.kinds), b.max)
	b.headline().write(w)
	fmt.Fprint(w, "\nWhat a refusal shows a model, in bytes of text:\n")
	g := grid{head: []string{"", "refusals", "median", "p90"}}
	for _, p := range profiles {
		median, p90, n := b.alone.sizes(p.name)
		g.row(p.name, fmt.Sprint(n), fmt.Sprint(median), fmt.Sprint(p90))
	}
	g.write(w)
}

func (b *bench) headline() *grid {
	g := &grid{head: []string{"", "landed at first", "landed after one repair", "wrong at first", "wrong after one repair", "cases", "kinds that can land"}}
	for _, s := range mustBeRight {
		first, n := b.alone.mean(s, b.alone.kinds, questions[0].of)
		end, _ := b.alone.mean(s, b.alone.kinds, questions[2].of)
		c := b.alone.total(s, b.alone.kinds)
		g.row(s, percent(first), percent(end), fmt.Sprint(c.wrong), fmt.Sprint(c.rewrong), fmt.Sprint(c.judged()), fmt.Sprint(n))
	}
	return g
}

func (b *bench) writeBeside(w io.Writer) {
	systems := append(slices.Clone(mustBeRight), others...)
	fmt.Fprintf(w, beside, b.perKind, b.versions())
	fmt.Fprintf(w, "In percent, the counts where they are small; the best of a row is marked.\n")
	b.beside.totals(w, systems)
	for _, q := range questions {
		fmt.Fprintf(w, "\n### %s\n\n%s\n", q.title, q.words)
		b.beside.byKind(w, q, systems)
	}
}

const beside = `
## Beside the programs that people use

Up to %d changes of each kind, the same ones for everybody. emend and emend --lenient ran on files too, as the program that is
shipped: outcome, file and what a client sends next were in every case those of the judge in process, or this page would not be
here. The others run as they are without options (patch -p1), in an empty environment, without a terminal to ask at. git and GNU
patch get the hunks as a unified diff: its line numbers are right for the file that its author saw, its counts are those of the
hunks as they are sent, and for --3way git has what the author saw as well. A kind that is not put to them is "–": it damages
the envelope or its headers, or needs two files. %s.

`

func (b *bench) versions() string {
	var out []string
	for _, p := range b.peers {
		if p.version != "" && !slices.Contains(out, p.version) {
			out = append(out, p.version)
		}
	}
	return strings.Join(out, "; ")
}

func (b *bench) writeAlone(w io.Writer) {
	var systems []string
	for _, p := range profiles {
		systems = append(systems, p.name)
	}
	fmt.Fprintf(w, "\n## In process\n\n%d changes, %d kinds, %d texts judged in %s: %.0f a second on %d cores, with parsing, planning, the refusal in full and the repair.\n",
		b.corpus.changes, len(b.alone.kinds), b.judged, b.judging.Round(time.Second), float64(b.judged)/b.judging.Seconds(), runtime.NumCPU())
	b.alone.totals(w, systems)
	for _, q := range questions[:4] {
		fmt.Fprintf(w, "\n### %s\n", q.title)
		b.alone.byKind(w, q, systems)
	}
	fmt.Fprint(w, "\n### Of the refused with a unique near place, landed after one repair\n")
	b.alone.byKind(w, question{of: func(c *count) (int, int) { return c.nearRepaired, c.near }}, systems)
	b.writeExclusions(w, systems)
}

// writeExclusions writes, for every kind, what became of the changes that were looked at.
func (b *bench) writeExclusions(w io.Writer, systems []string) {
	fmt.Fprintf(w, exclusions, b.max)
	g := grid{head: []string{"damage", "looked at", "does not apply", "cases"}}
	g.head = append(g.head, systems...)
	for _, k := range b.alone.kinds {
		n := b.alone.asked("emend", k)
		row := []string{k, fmt.Sprint(b.tried[k]), fmt.Sprint(b.tried[k] - n), fmt.Sprint(n)}
		for _, s := range systems {
			c := b.alone.at(s, k)
			row = append(row, fmt.Sprintf("%d / %d", c.onlyRefusal, c.untellable))
		}
		g.row(row...)
	}
	g.write(w)
}

const exclusions = `
### What is left out

Changes are looked at in a random order until %d of a kind are found, or there are no more. The damage "does not apply" where a
change has nothing that can be damaged so, or where a careful author cannot write it in both forms that programs get. Then, for
each system: cases of which only a refusal is right / cases that are not to be told.
`

// writePairs writes totals, and the pairs of which something landed wrong.
func (b *bench) writePairs(w io.Writer) {
	fmt.Fprintf(w, "\n## Two kinds at once\n\n%d pairs of kinds, up to %d changes of each.\n", len(b.pairs.kinds), b.perPair)
	b.pairs.totals(w, append(slices.Clone(mustBeRight), others...))
	for _, s := range append(slices.Clone(mustBeRight), codex) {
		fmt.Fprintf(w, "\n%s: %s\n", s, b.pairs.inPairs(s))
	}
}

// inPairs returns the pairs that a system lands wrong, and those that it refuses most.
func (t *tally) inPairs(system string) string {
	var bad []string
	refusing := 0
	for _, k := range t.kinds {
		c := t.at(system, k)
		if c.wrong+c.rewrong > 0 {
			bad = append(bad, fmt.Sprintf("%s (%d of %d)", k, c.wrong+c.rewrong, c.n))
		}
		refusing += one(c.n > 0 && 2*c.refused > c.n)
	}
	out := fmt.Sprintf("lands something wrong in %d pairs", len(bad))
	if len(bad) > 0 {
		out += ": " + strings.Join(bad[:min(len(bad), 12)], ", ")
	}
	return fmt.Sprintf("%s; refuses more than half in %d of %d.", out, refusing, len(t.kinds))
}

func (b *bench) writeKinds(w io.Writer) {
	fmt.Fprint(w, "\n## The kinds of damage\n")
	g := grid{head: []string{"damage", "what is done"}, words: true}
	for _, k := range damage.Kinds {
		g.row(k.Name, k.Doc)
	}
	g.write(w)
}

func (b *bench) writeCorpus(w io.Writer) {
	c := b.corpus
	fmt.Fprintf(w, "\n## The corpus\n\n%d changes between consecutive versions of %d modules and packages", c.changes, c.modules())
	fmt.Fprintf(w, ", the first of %d in a random order that are plain lines ending in LF; both halves have %d", len(c.pairs), c.found)
	fmt.Fprintf(w, ". Files have at most 256 KiB, and no program wrote them; one version gives at most 120. %s.\n", c.spoken())
	for i, name := range c.lists {
		fmt.Fprintf(w, "\n* `bench/%s`: %d versions, each with its checksum; sha256 of the list %s", name, c.versions[i], c.sums[i])
	}
	fmt.Fprintln(w)
}

// slice returns the output of a quick run.
func (b *bench) slice() string {
	var w strings.Builder
	for _, line := range b.absent() {
		fmt.Fprintf(&w, "NOT RUN: %s\n", line)
	}
	fmt.Fprintf(&w, "slice: %d kinds, %d changes of half %q, %d texts judged in process", len(b.alone.kinds), b.corpus.changes, b.half, b.judged)
	for _, s := range append(slices.Clone(mustBeRight), others...) {
		t := b.beside
		if b.ours(s) {
			t = b.alone
		}
		c := t.total(s, t.kinds)
		c.plus(b.pairs.total(s, b.pairs.kinds))
		rate, _ := t.mean(s, t.kinds, questions[0].of)
		fmt.Fprintf(&w, "\nslice: %s: %d cases, %s %% landed alone, %d wrong, %d wrong after a repair", s, c.judged(), percent(rate), c.wrong, c.rewrong)
		if median, p90, n := t.sizes(s); n > 0 {
			fmt.Fprintf(&w, "; refusals of %d bytes, %d at p90", median, p90)
		}
	}
	return w.String() + "\n"
}
