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
	fmt.Fprintf(&w, intro, b.given, runtime.Version(), runtime.NumCPU(), b.took.Round(time.Second), b.seed)
	b.writeAbsent(&w)
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

Written by ` + "`go -C bench run ./accuracy%s`" + `: %s, %d cores, %s, seed %d.

Every change of the corpus is the work of people: a file of a published module, and the same file in the next version. The
benchmark writes the patch that a careful author sends for it, every hunk unique in the file, and spoils patch or file in one
of the ways in which models do. Then the patch is applied, and what stands in the file is held against the truth.

* **landed**: success, and the file is what it is to be, byte for byte. **Refused**: an error. **Wrong**: success, and other bytes.
* **After one repair**: a mechanical client sends, once, what the refusal says to send: corrected hunks word for word, hunks left
  out that are there already, the patch without its wrapping. Where a refusal offers nothing, nothing is sent.
* **Not to be told**: damaged as it is, the patch, or a hunk of it, is by the letter a good one for something else: it has its one
  place, which is another; or two changes look the same once they are damaged so. Nobody can know better from the text, so these
  are counted and not judged.
* **A unique near place**: every hunk stands in the file in just one place, or in none and nothing else in the file resembles it
  four fifths as much as the lines that its author meant. And the lines that it adds have one place there: where the file has
  lines that the hunk leaves out just where it adds some, nothing says on which side of them these go. It is worked out
  without the engine (` + "`bench/accuracy/damage/near_place.go`" + `).

What the damage does, what the patch says by the letter and what the truth is are worked out without the engine as well. What
is not measured: how often models make which mistake.
`

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
hunks as they are sent, and for --3way git has what the author saw as well. A kind that a unified diff cannot have is "–". %s.

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
	fmt.Fprintf(w, "\n## All changes, in process\n\n%d changes, %d kinds, %d texts judged in %s: %.0f a second on %d cores, with parsing, planning, the refusal in full and the repair.\n",
		b.corpus.changes, len(b.alone.kinds), b.judged, b.judging.Round(time.Second), float64(b.judged)/b.judging.Seconds(), runtime.NumCPU())
	b.alone.totals(w, systems)
	for _, q := range questions[:3] {
		fmt.Fprintf(w, "\n### %s\n", q.title)
		b.alone.byKind(w, q, systems)
	}
	fmt.Fprint(w, "\n### Of the refused with a unique near place, landed after one repair\n")
	b.alone.byKind(w, question{of: func(c *count) (int, int) { return c.nearRepaired, c.near }}, systems)
	fmt.Fprint(w, "\n### Not to be told\n\nThe numbers of changes.\n")
	g := grid{head: append([]string{"damage"}, systems...)}
	for _, k := range b.alone.kinds {
		row := []string{k}
		for _, s := range systems {
			row = append(row, fmt.Sprint(b.alone.at(s, k).untellable))
		}
		g.row(row...)
	}
	g.write(w)
}

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
	if len(c.pairs) < c.found {
		fmt.Fprintf(w, ", of a sample of %d of %d", len(c.pairs), c.found)
	} else {
		fmt.Fprintf(w, ", of %d; the others are no plain lines that end in LF", c.found)
	}
	fmt.Fprintf(w, ". Files have at most 256 KiB, and no program wrote them; one version gives at most 120. %s.\n", c.spoken())
	for i, name := range lists {
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
	fmt.Fprintf(&w, "slice: %d changes, %d texts judged in process", b.corpus.changes, b.judged)
	for _, s := range append(slices.Clone(mustBeRight), others...) {
		c := b.beside.total(s, b.beside.kinds)
		c.plus(b.pairs.total(s, b.pairs.kinds))
		fmt.Fprintf(&w, "\nslice: %s: %d asked, %s %% landed, %d wrong, %d wrong after a repair", s, c.n, share(c.landed, c.n), c.wrong, c.rewrong)
	}
	return w.String() + "\n"
}
