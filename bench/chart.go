package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// The chart has a panel for each rung: the times of emend and Codex by lines of the file. Both axes are logarithmic.
const (
	panelWide, panelHigh = 330, 300
	left, top, gap       = 64, 56, 64
	legendHigh           = 70
)

// curve is the time of a program for one number of hunks, by size of the file.
type curve struct {
	class, dash string
	points      []point // lines, milliseconds
	given       []bool  // the program was given up: it takes at least that
}

// chart draws time against size as SVG. It returns nil if there are no points.
func chart(rows []done) []byte {
	panels := map[string][]curve{}
	all := &bounds{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	shown := []string{"exact", "unicode"}
	for _, rung := range shown {
		panels[rung] = curves(rows, rung)
		for _, c := range panels[rung] {
			all.include(c.points)
		}
	}
	if all.x1 <= all.x0 {
		return nil
	}
	all.round()
	var b bytes.Buffer
	width, height := left+len(shown)*(panelWide+gap), top+panelHigh+legendHigh
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Time of a patch against the size of the file">%s`,
		width, height, width, height, style)
	for i, rung := range shown {
		p := panel{all, float64(left + i*(panelWide+gap)), top}
		p.axes(&b, rung)
		for _, c := range panels[rung] {
			p.draw(&b, c)
		}
	}
	legend(&b)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

const style = `
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600; font-size: 13px }
.ink { stroke: #57606a } .paper { fill: #ffffff } .grid { stroke: #d0d7de; stroke-width: 1 }
.emend { stroke: #0969da; fill: none; stroke-width: 2 } .codex { stroke: #bc4c00; fill: none; stroke-width: 2 }
.dot.emend { fill: #0969da } .dot.codex { fill: #bc4c00 } .up { stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .ink { stroke: #9198a1 } .paper { fill: #0d1117 } .grid { stroke: #30363d }
.emend { stroke: #58a6ff } .codex { stroke: #f0883e } .dot.emend { fill: #58a6ff } .dot.codex { fill: #f0883e }
}
</style>
<rect class="paper" width="100%" height="100%"/>
`

// dashes are the dash patterns of the curves, by number of hunks.
var dashes = map[int]string{1: "", 1000: "7 4", 100_000: "2 4"}

func curves(rows []done, rung string) (out []curve) {
	for _, hunks := range []int{1, 1000, 100_000} {
		for lane, class := range map[string]string{unsynced: "emend", codex: "codex"} {
			c := curve{class: class, dash: dashes[hunks]}
			for _, d := range rows {
				if l := d.lane(lane); l != nil && len(l.times) > 0 && d.failed == nil && d.id == (&bigFile{lines: d.lines, hunks: hunks, rung: rung}).row() {
					c.points = append(c.points, point{float64(d.lines), float64(l.median().Microseconds()) / 1000})
					c.given = append(c.given, l.slow)
				}
			}
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b curve) int { return len(a.class+a.dash) - len(b.class+b.dash) })
	return out
}

// bounds are the ends of the axes.
type bounds struct{ x0, x1, y0, y1 float64 }

func (b *bounds) include(points []point) {
	for _, p := range points {
		b.x0, b.x1 = min(b.x0, p.size), max(b.x1, p.size)
		b.y0, b.y1 = min(b.y0, p.cost), max(b.y1, p.cost)
	}
}

// round extends the axis of time to powers of ten.
func (b *bounds) round() {
	b.y0, b.y1 = math.Pow(10, math.Floor(math.Log10(b.y0))), math.Pow(10, math.Ceil(math.Log10(b.y1)))
}

// panel is one diagram with the position of its corner.
type panel struct {
	*bounds
	x, y float64
}

func (p panel) at(q point) (x, y float64) {
	return p.x + panelWide*math.Log(q.size/p.x0)/math.Log(p.x1/p.x0),
		p.y + panelHigh - panelHigh*math.Log(q.cost/p.y0)/math.Log(p.y1/p.y0)
}

func (p panel) axes(b *bytes.Buffer, rung string) {
	fmt.Fprintf(b, `<text class="title" x="%.0f" y="%.0f">%s: milliseconds by lines of the file</text>`+"\n", p.x, p.y-24, rung)
	for v := p.y0; v <= p.y1*1.01; v *= 10 {
		_, y := p.at(point{p.x0, v})
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f" text-anchor="end">%g</text>`+"\n",
			p.x, p.x+panelWide, y, y, p.x-6, y+4, v)
	}
	for n := p.x0; n <= p.x1*1.01; n *= 10 {
		x, _ := p.at(point{n, p.y0})
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			x, x, p.y, p.y+panelHigh, x, p.y+panelHigh+18, abbreviated(int(math.Round(n))))
	}
}

func (p panel) draw(b *bytes.Buffer, c curve) {
	if len(c.points) == 0 {
		return
	}
	fmt.Fprintf(b, `<polyline class="%s" stroke-dasharray="%s" points="`, c.class, c.dash)
	for _, q := range c.points {
		x, y := p.at(q)
		fmt.Fprintf(b, "%.1f,%.1f ", x, y)
	}
	b.WriteString(`"/>` + "\n")
	for i, q := range c.points {
		x, y := p.at(q)
		if c.given[i] {
			fmt.Fprintf(b, `<path class="up %s" d="M%.1f %.1f v-14 m-4 5 l4 -5 l4 5"/>`+"\n", c.class, x, y)
			continue
		}
		fmt.Fprintf(b, `<circle class="dot %s" cx="%.1f" cy="%.1f" r="3"/>`+"\n", c.class, x, y)
	}
}

func legend(b *bytes.Buffer) {
	const y = top + panelHigh + 50
	x := float64(left)
	for _, e := range []struct{ class, dash, words string }{
		{"emend", "", "emend, durability none"}, {"codex", "", "Codex"}, {"ink", "", "1 hunk"},
		{"ink", dashes[1000], "1,000 hunks"}, {"ink", dashes[100_000], "100,000 hunks"},
	} {
		fmt.Fprintf(b, `<line class="%s" stroke-dasharray="%s" stroke-width="2" x1="%.0f" x2="%.0f" y1="%d" y2="%d"/><text x="%.0f" y="%d">%s</text>`+"\n",
			e.class, e.dash, x, x+28, y, y, x+34, y+4, e.words)
		x += 52 + 7*float64(len(e.words))
	}
	fmt.Fprintf(b, `<text x="%.0f" y="%d">↑ given up</text>`+"\n", x, y+4)
}
