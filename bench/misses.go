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

// miss is the explanation of a missed bar, written by a person: the cause and what to try next.
type miss struct{ pattern, words string }

type misses []miss

// readMisses reads paragraphs, each of which begins with a pattern of row names and a colon.
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

// key identifies a bar: the name of its row, with ".memory" for a bar about memory.
func (d *done) key(v verdict) string {
	if v.memory {
		return d.id + ".memory"
	}
	return d.id
}

// about returns the explanation for a key, or "".
func (m misses) about(id string) (words string, at int) {
	at = slices.IndexFunc(m, func(m miss) bool { ok, _ := path.Match(m.pattern, id); return ok })
	if at < 0 {
		return "", at
	}
	return m[at].words, at
}

// writeMisses lists the missed bars with their explanations, and explanations that no missed bar needs.
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
