package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

// writeFormats prints FORMATS.md, and writes it to a file.
func (b *bench) writeFormats(stdout io.Writer) error {
	page := b.formatsPage()
	fmt.Fprint(stdout, page)
	if b.out != "" {
		if err := os.WriteFile(filepath.Join(b.out, "FORMATS.md"), []byte(page), 0o666); err != nil {
			return err
		}
	}
	return b.formatsVerdict()
}

// formatsVerdict returns an error if a format landed anything wrong.
func (b *bench) formatsVerdict() error {
	if bad := append(b.alone.wrong(formatsRight()), b.beside.wrong(formatsRight())...); len(bad) > 0 {
		return fmt.Errorf("landed wrong:\n%s", strings.Join(bad, "\n"))
	}
	return nil
}

// A quick run has this many changes of each kind, of files up to a size.
const (
	sliceOfFormats    = 4
	largestInTheSlice = 64 << 10
)

// formatsSlice runs a small part, without the programs.
func (b *bench) formatsSlice(ctx context.Context, stdout io.Writer) error {
	c := b.config
	c.formats, c.peersToo, c.damages, c.max, c.perKind, c.perPair = true, false, formatKinds(), sliceOfFormats, 0, 0
	f := &bench{config: c, corpus: b.corpus, log: b.log, largest: largestInTheSlice}
	if err := f.measureFormats(ctx); err != nil {
		return err
	}
	var lines []string
	for _, s := range formatsRight() {
		n := f.alone.total(s, f.alone.kinds)
		lines = append(lines, fmt.Sprintf("%s %d of %d", s, n.wrong+n.rewrong, n.judged()))
	}
	fmt.Fprintf(stdout, "slice: formats, landed wrong: %s\n", strings.Join(lines, ", "))
	return f.formatsVerdict()
}

func formatNames() (out []string) {
	for _, p := range formats {
		out = append(out, p.name)
	}
	return out
}

const formatsIntro = `# The same change in every format

Written by ` + "`go -C bench run ./accuracy%s`" + `: %s, %d cores, %s, seed %d. %s

What a case is, and when something landed, was refused or landed wrong, is said in [RESULTS.md](RESULTS.md). Here the same hunks are
written in every format, each unique by its lines: a hunk that three lines of context leave ambiguous has more, also where a format has
anchors or numbers for that. A kind of damage counts for a format if it shows there: what is sent is not what a careful author sends, or
the file is not what the author saw. "–" says that it does not: a format without context has no typing mistakes in it.

* **openai**, **edit_file** and **anthropic** are calls of the tools, in a workspace. Dialects are judged in memory.
* **edit_file** sends the hash of the file that the author read. If the file has changed, the refusal says which hash it has now, and the
  mechanical client sends the same edits with that. Anchors are of one version, so it cannot mend these.
* **anthropic** sends a call for each hunk, one after the other: ` + "`insert`" + ` with a line number for lines that are added at one place,
  otherwise ` + "`str_replace`" + `. Calls are not all or nothing together: "refused, changed" says how often a part of them was made.
* **Not to be told**: by its letter what is sent is a good patch for something else, and that is what comes out. Nobody can know better, so it is
  not called wrong. But it is no refusal either.
`

// formatsPage returns FORMATS.md.
func (b *bench) formatsPage() string {
	var w strings.Builder
	fmt.Fprintf(&w, formatsIntro, b.given, runtime.Version(), runtime.NumCPU(), b.took.Round(time.Second), b.seed, halves[b.half])
	b.writeAbsent(&w)
	b.writeSideBySide(&w)
	fmt.Fprint(&w, "\n## What must hold\n\n")
	for _, s := range formatsRight() {
		fmt.Fprint(&w, b.nothingWrong(s))
	}
	for _, p := range b.peers {
		fmt.Fprint(&w, b.landsWhatLands(p.name))
	}
	fmt.Fprintf(&w, besideFormats, b.perKind, b.versions())
	b.beside.totals(&w, append([]string{unifiedName, unifiedLenient, unifiedOnRecord}, peerNames(b.peers)...))
	b.writeBeaten(&w)
	for _, q := range questions[:5] {
		fmt.Fprintf(&w, "\n## %s\n\n%s\n", q.title, q.words)
		b.alone.byKind(&w, q, formatNames())
	}
	fmt.Fprint(&w, "\n## Not to be told, and only to be refused\n\nCases that are not to be told / of which only a refusal is right.\n")
	g := grid{head: append([]string{"damage"}, formatNames()...)}
	for _, k := range b.alone.kinds {
		row := []string{k}
		for _, s := range formatNames() {
			c := b.alone.at(s, k)
			row = append(row, fmt.Sprintf("%d / %d", c.untellable, c.onlyRefusal))
		}
		g.row(row...)
	}
	g.write(&w)
	b.writeFormatKinds(&w)
	b.writeCorpus(&w)
	return w.String()
}

// writeSideBySide writes the table that says what a format costs and what comes of it.
func (b *bench) writeSideBySide(w io.Writer) {
	n := len(b.alone.sent[wholeFile])
	fmt.Fprintf(w, "\n## Side by side\n\nBytes are of %d undamaged changes: in the median, and on the average. As a call, they are the arguments in JSON that a model writes, "+
		"with its\nescapes. No tokenizer is at hand here: tokens are not counted. The other figures are means in percent over the kinds of damage that a format\ncan have, each with the same weight; "+
		"wrong and not to be told are numbers of cases.\n", n)
	g := grid{head: []string{"", "bytes, median", "mean", "as a call, median", "mean", "kinds", "cases", "landed", "after one repair", "refused in the end", "refused, changed", "wrong", "not to be told"}}
	for _, s := range append(formatNames(), wholeFile) {
		row := append([]string{s}, b.sizeCells(s)...)
		if s == wholeFile {
			g.row(append(row, slices.Repeat([]string{"–"}, 8)...)...)
			continue
		}
		c := b.alone.total(s, b.alone.kinds)
		cell := func(of func(*count) (int, int)) string {
			rate, _ := b.alone.mean(s, b.alone.kinds, of)
			return percent(rate)
		}
		_, kinds := b.alone.mean(s, b.alone.kinds, questions[0].of)
		g.row(append(row, fmt.Sprint(kinds), fmt.Sprint(c.n), cell(questions[0].of), cell(questions[2].of),
			cell(func(c *count) (int, int) { return c.refused - c.repaired, c.n }), cell(questions[4].of), fmt.Sprint(c.wrong+c.rewrong), fmt.Sprint(c.untellable))...)
	}
	g.write(w)
	shared := b.alone.shared(slices.DeleteFunc(formatNames(), func(s string) bool { return s == "edit_file, anchors" || s == "anthropic" }))
	fmt.Fprintf(w, "\nOver the %d kinds that every format but the last two can have:\n", len(shared))
	g = grid{head: []string{"", "landed", "after one repair"}}
	for _, s := range formatNames()[:len(formats)-2] {
		first, _ := b.alone.mean(s, shared, questions[0].of)
		end, _ := b.alone.mean(s, shared, questions[2].of)
		g.row(s, percent(first), percent(end))
	}
	g.write(w)
}

// sizeCells returns the median and the mean of the sizes of a format, as it is and as a call.
func (b *bench) sizeCells(system string) (out []string) {
	for i := range 2 {
		var all []int
		sum := 0
		for _, s := range b.alone.sent[system] {
			all, sum = append(all, s[i]), sum+s[i]
		}
		if slices.Sort(all); len(all) == 0 {
			return slices.Repeat([]string{"–"}, 4)
		}
		out = append(out, fmt.Sprint(all[len(all)/2]), fmt.Sprint(sum/len(all)))
	}
	return out
}

func peerNames(peers []*peer) (out []string) {
	for _, p := range peers {
		out = append(out, p.name)
	}
	return out
}

const besideFormats = `
## Unified diffs, beside the programs that read them

Up to %d changes of each kind, the same diffs for everybody: with the line numbers of the file that its author saw, and for --3way with
what the author saw. The programs run without options (patch -p1). %s.
`

// landsWhatLands checks that emend lands as a unified diff what a program lands right.
func (b *bench) landsWhatLands(peer string) check {
	name := unifiedLenient
	if peer == threeWay {
		name = unifiedOnRecord
	}
	c := check{text: name + " lands what " + peer + " lands right", met: true}
	right, strict, lenient := 0, 0, 0
	missed := map[string][3]int{}
	for _, x := range b.beaten {
		if x.peer != peer {
			continue
		}
		right, strict, lenient = right+1, strict+one(x.strict == landed), lenient+one(x.lenient == landed)
		m := missed[x.kind]
		missed[x.kind] = [3]int{m[0] + 1, m[1] + one(x.strict != landed), m[2] + one(x.lenient != landed)}
	}
	for _, k := range b.alone.kinds {
		if m := missed[k]; m[2] > 0 {
			c.rest = append(c.rest, fmt.Sprintf("%s: refuses %d of %d", k, m[2], m[0]))
		}
	}
	c.met = right > 0 && len(c.rest) == 0
	c.found = fmt.Sprintf("of %d cases unified lands %s %%, %s %s %%", right, share(strict, right), name, share(lenient, right))
	return c
}

// writeBeaten writes, for each kind, what emend lands of what a program lands right, and what that program lands wrong.
func (b *bench) writeBeaten(w io.Writer) {
	fmt.Fprint(w, "\nOf the cases that a program lands right, and that can be told: how many there are / how many unified refuses / how many unified --lenient refuses,\nof those of --3way with the file on record / how many others of the kind the program lands wrong.\nKinds of which neither refuses any, and of which the programs land nothing wrong, are left out.\n")
	g := grid{head: append([]string{"damage"}, peerNames(b.peers)...)}
	for _, k := range b.alone.kinds {
		row, any := []string{k}, false
		for _, p := range b.peers {
			var n [3]int
			for _, x := range b.beaten {
				if x.peer == p.name && x.kind == k {
					n = [3]int{n[0] + 1, n[1] + one(x.strict != landed), n[2] + one(x.lenient != landed)}
				}
			}
			wrong := b.beside.at(p.name, k).wrong
			any = any || n[1] > 0 || n[2] > 0 || wrong > 0
			row = append(row, fmt.Sprintf("%d / %d / %d / %d", n[0], n[1], n[2], wrong))
		}
		if any {
			g.row(row...)
		}
	}
	g.write(w)
}

func (b *bench) writeFormatKinds(w io.Writer) {
	fmt.Fprint(w, "\n## The kinds of damage that a format has beside the others\n\nThe others are described in [RESULTS.md](RESULTS.md).\n")
	g := grid{head: []string{"damage", "what is done"}, words: true}
	for _, k := range damage.FormatKinds {
		g.row(k.Name, k.Doc)
	}
	g.write(w)
}
