package main

import (
	_ "embed"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

//go:embed misses.txt
var missesText string

// miss is what a person wrote about rows that miss a bar: why, and what to try next.
type miss struct{ pattern, words string }

type misses []miss

// readMisses reads paragraphs, each of which begins with the pattern of the rows that it is about, and a colon.
func readMisses() (out misses, err error) {
	for par := range strings.SplitSeq(strings.TrimSpace(missesText), "\n\n") {
		if par = strings.TrimSpace(par); par == "" || strings.HasPrefix(par, "#") {
			continue
		}
		pattern, words, ok := strings.Cut(par, ":")
		if _, err := path.Match(pattern, ""); err != nil || !ok {
			return nil, fmt.Errorf("misses.txt: a paragraph begins with the pattern of its rows and a colon, not %q", par)
		}
		out = append(out, miss{pattern, strings.Join(strings.Fields(words), " ")})
	}
	return out, nil
}

// key is what a bar is known by: the row, and whether it is about memory.
func (d *done) key(v verdict) string {
	if v.memory {
		return d.id + ".memory"
	}
	return d.id
}

// about is what was written about a row, or "".
func (m misses) about(id string) (words string, at int) {
	at = slices.IndexFunc(m, func(m miss) bool { ok, _ := path.Match(m.pattern, id); return ok })
	if at < 0 {
		return "", at
	}
	return m[at].words, at
}

// writeMisses lists the bars that are missed, with what was written about them, and what was written for nothing.
func (p *page) writeMisses(out io.Writer) {
	used, ran := map[int]bool{}, map[int]bool{}
	fmt.Fprint(out, "\n## Misses\n\n")
	none := true
	for _, d := range p.rows {
		for _, v := range d.verdicts {
			words, at := p.misses.about(d.key(v))
			ran[at] = true
			if v.met() || v.absent != "" {
				continue
			}
			none, used[at] = false, true
			if words == "" {
				words = "Nobody has written down why."
			}
			fmt.Fprintf(out, "- `%s` %s: %s, measured %s. %s\n", d.key(v), d.title, v.bar, v.figure(), words)
		}
	}
	if none {
		fmt.Fprint(out, "None.\n")
	}
	for i, m := range p.misses {
		if ran[i] && !used[i] {
			fmt.Fprintf(out, "\nStale: misses.txt has a reason for `%s`, and its bars are met: %s\n", m.pattern, m.words)
		}
	}
}
