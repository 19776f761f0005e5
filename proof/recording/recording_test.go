//go:build linux

package main

import (
	"errors"
	"html"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestPicture: the picture in the documentation shows what emend prints today.
func TestPicture(t *testing.T) {
	svg, err := os.ReadFile("../../docs/images/run.svg")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := record(t.Context(), t.TempDir())
	if e, ok := errors.AsType[*exec.ExitError](err); ok && e.ExitCode() == noLayer && strings.Contains(err.Error(), "overlay") {
		t.Skip("NOT RUN: there can be no layer here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if want := draw(steps); shown(string(svg)) != shown(string(want)) {
		t.Errorf("docs/images/run.svg shows\n%s\nemend prints\n%s\nrecord it anew: go -C proof run ./recording -out ../docs/images/run.svg", shown(string(svg)), shown(string(want)))
	}
}

// noLayer is the exit code of emend run if it could not begin.
const noLayer = 125

var (
	texts = regexp.MustCompile(`<text[^>]*>(.*)</text>`)
	tags  = regexp.MustCompile(`<[^>]*>`)
	// vary are the names of entries, times, and how long a command ran.
	vary = regexp.MustCompile(`\d+(?:\.\d+)?m?s\)|\d{8}-\d{6}-[a-z2-7]{10}|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
)

// shown returns the lines of a picture without what is another one each time.
func shown(svg string) string {
	var out []string
	for _, m := range texts.FindAllStringSubmatch(svg, -1) {
		out = append(out, vary.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(m[1], "")), "*"))
	}
	return strings.Join(out, "\n")
}

// TestSpans: colours become classes, and everything else is text.
func TestSpans(t *testing.T) {
	for line, want := range map[string]string{
		"a <b> & c":                           "a &lt;b&gt; &amp; c",
		"\x1b[1mbold\x1b[0m, \x1b[36mx\x1b[m": `<tspan class="b">bold</tspan>, <tspan class="s6">x</tspan>`,
		"\x1b[1;31mboth\x1b[0m":               `<tspan class="b s1">both</tspan>`,
		"\x1b[35mno such colour\x1b[0m":       "no such colour",
	} {
		if got := spans(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
