//go:build linux

package main

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Sizes in pixels, and times in seconds.
const (
	charWidth, lineHeight = 8.43, 20.0 // of 14 px type
	margin, bar           = 18.0, 34.0
	typing                = 0.045 // one character
	thinking              = 0.5   // between a command and its output
	reading               = 1.1   // after an output, and for each of its lines
	readingLine           = 0.35
	resting               = 5.0 // at the end
)

// picture is an SVG that is being drawn. Each line appears at its time, and all begin again at the end.
type picture struct {
	at    float64 // the time
	lines int
	body  bytes.Buffer
	moves []move
}

// move is how one line comes into view.
type move struct {
	from, to float64 // when it begins and is whole
	chars    int     // typed one by one; 0 for all at once
}

// draw returns the recording as an animated SVG. It is whole and at rest for those who want no motion.
func draw(steps []step) []byte {
	var p picture
	p.at = 0.8
	for _, s := range steps {
		chars := utf8.RuneCountInString(s.command)
		p.line(chars, `<tspan class="prompt">$</tspan> `+html.EscapeString(s.command))
		p.at += thinking
		for line := range strings.Lines(s.output) {
			p.line(0, spans(strings.TrimSuffix(line, "\n")))
			p.at += readingLine
		}
		p.at += reading
	}
	p.line(0, `<tspan class="prompt">$</tspan>`)
	return p.svg()
}

// line adds a line, which is typed if it has that many characters to type.
func (p *picture) line(chars int, markup string) {
	m := move{from: p.at, to: p.at + float64(chars)*typing, chars: chars}
	p.at = m.to
	y := bar + margin + float64(p.lines)*lineHeight
	fmt.Fprintf(&p.body, "<g class=\"l%d\"><text x=\"%g\" y=\"%g\">%s</text>", p.lines, margin, y+14, markup)
	if chars > 0 { // a cover moves off the line, character by character
		fmt.Fprintf(&p.body, "<rect class=\"c%d cover\" x=\"%.1f\" y=\"%g\" width=\"%.1f\" height=\"%g\"/>", p.lines, margin+2*charWidth, y, (columns-2)*charWidth, lineHeight)
	}
	p.body.WriteString("</g>\n")
	p.moves = append(p.moves, m)
	p.lines++
}

// svg returns the whole picture.
func (p *picture) svg() []byte {
	total := p.at + resting
	width, height := 2*margin+columns*charWidth, bar+2*margin+float64(p.lines)*lineHeight
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"A terminal: emend runs commands, shows what they changed, and takes it back\">\n", width, height)
	b.WriteString("<style>\ntext { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", monospace; fill: #d7dde5; white-space: pre }\n" +
		".frame, .cover { fill: #161b22 } .cover { visibility: hidden } .prompt { fill: #7ee787 } .b { font-weight: 600 } .s1 { fill: #ff8f87 } .s2 { fill: #7ee787 } .s3 { fill: #e3b341 } .s6 { fill: #79c0ff }\n" +
		"@media (prefers-reduced-motion: no-preference) {\n")
	percent := func(at float64) float64 { return 100 * at / total }
	for i, m := range p.moves {
		fmt.Fprintf(&b, ".l%d { animation: l%d %.1fs infinite } @keyframes l%d { 0%%, %.3f%% { visibility: hidden } %.3f%%, 100%% { visibility: visible } }\n", i, i, total, i, percent(m.from)-.001, percent(m.from))
		if m.chars > 0 {
			fmt.Fprintf(&b, ".c%d { visibility: inherit; animation: c%d %.1fs infinite } @keyframes c%d { 0%%, %.3f%% { transform: none; animation-timing-function: steps(%d) } %.3f%% { transform: translateX(%.1fpx); visibility: inherit } %.3f%%, 100%% { transform: translateX(%.1fpx); visibility: hidden } }\n",
				i, i, total, i, percent(m.from), m.chars, percent(m.to), float64(m.chars)*charWidth, percent(m.to)+.001, float64(m.chars)*charWidth)
		}
	}
	b.WriteString("}\n</style>\n")
	fmt.Fprintf(&b, "<rect class=\"frame\" width=\"%.0f\" height=\"%.0f\" rx=\"10\"/>\n", width, height)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, "<circle cx=\"%d\" cy=\"20\" r=\"6\" fill=\"%s\"/>", 22+20*i, colour)
	}
	b.WriteString("\n<clipPath id=\"screen\">")
	fmt.Fprintf(&b, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"10\"/></clipPath>\n<g clip-path=\"url(#screen)\">\n", width, height)
	b.Write(p.body.Bytes())
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// escapes are the sequences with which programs colour their output.
var escapes = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// spans returns a line as markup: bold, and the colours that the picture has.
func spans(line string) string {
	var out strings.Builder
	class, at := "", 0
	write := func(text string) {
		switch text = html.EscapeString(text); {
		case text == "":
		case class == "":
			out.WriteString(text)
		default:
			fmt.Fprintf(&out, `<tspan class="%s">%s</tspan>`, strings.TrimSpace(class), text)
		}
	}
	for _, m := range escapes.FindAllStringSubmatchIndex(line, -1) {
		write(line[at:m[0]])
		at = m[1]
		for code := range strings.SplitSeq(line[m[2]:m[3]], ";") {
			switch code {
			case "", "0":
				class = ""
			case "1":
				class += " b"
			case "31", "32", "33", "36":
				class += " s" + code[1:]
			}
		}
	}
	write(line[at:])
	return out.String()
}
