//go:build oracle

package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// vocabulary is small, so that lines repeat and places are ambiguous.
var vocabulary = []string{
	"a", "b", "c", "a", "b", "", "", "  a", "    a", "\ta", "\t\tb", "b  ", "c\t", "  b ", "{", "}", "  }", "return x",
	"    return x", "def f(x):", "  def f(x):", "x — y", "x - y", "“q” it’s", "\"q\" it's", "a\u00a0b", "a b", "café", "cafe\u0301",
	"*** note", "@@ not a hunk", "-- dash", "++ plus", "中文", "👍🏽 ok", "a\u2003b", "\\ back",
}

// gen generates cases from a seed.
type gen struct {
	*rand.Rand
	files map[string]string
	out   strings.Builder
}

// makeCase generates case number n of a seed.
func makeCase(seed, n uint64) tcase {
	g := &gen{Rand: rand.New(rand.NewPCG(seed, n)), files: map[string]string{}}
	for i := range 1 + g.IntN(3) {
		name := fmt.Sprintf("f%d", i)
		if g.chance(0.15) {
			name = "dir/" + name
		}
		g.files[name] = g.content()
	}
	for range 1 + g.few() {
		g.section()
	}
	return tcase{g.files, g.envelope(g.out.String())}
}

func (g *gen) chance(p float64) bool { return g.Float64() < p }

// few returns a number that is mostly 0 and seldom more than 2.
func (g *gen) few() int { return int(g.ExpFloat64() * 0.8) }

func pick[T any](g *gen, from []T) T { return from[g.IntN(len(from))] }

func (g *gen) line() string { return pick(g, vocabulary) }

// content returns a file, mostly plain, sometimes with the oddities of real files.
func (g *gen) content() string {
	if g.chance(0.03) {
		return ""
	}
	end := "\n"
	if g.chance(0.12) {
		end = "\r\n"
	}
	mixed := g.chance(0.08)
	var b strings.Builder
	if g.chance(0.03) {
		b.WriteString("\ufeff")
	}
	distinct := g.chance(0.3)
	for i := range 1 + g.IntN(14) {
		if distinct && g.chance(0.9) {
			fmt.Fprintf(&b, "%sline %d of this", strings.Repeat("    ", g.IntN(3)), i)
		} else {
			b.WriteString(g.line())
		}
		if mixed && g.chance(0.4) {
			b.WriteString(pick(g, []string{"\n", "\r\n", "\r"}))
		} else {
			b.WriteString(end)
		}
	}
	s := b.String()
	if g.chance(0.15) {
		s = strings.TrimSuffix(s, end)
	}
	if g.chance(0.01) {
		s = "nul\x00\n" + s
	}
	if g.chance(0.01) {
		s = "latin \xe9\n" + s
	}
	return s
}

func (g *gen) emit(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }

// oldPath returns a path that mostly exists; newPath one that mostly does not.
func (g *gen) oldPath() string {
	if g.chance(0.05) {
		return pick(g, []string{"missing", "dir", "dir/missing", "f0/below"})
	}
	name := pick(g, slices.Sorted(maps.Keys(g.files)))
	if g.chance(0.04) {
		return "./" + name
	}
	return name
}

func (g *gen) newPath() string {
	if g.chance(0.2) {
		return g.oldPath()
	}
	return pick(g, []string{"n1", "n2", "dir/n3", "deep/er/n4", "with space", "é.txt", "\"quoted\"", "n1.go"})
}

func (g *gen) section() {
	switch {
	case g.chance(0.15):
		g.add()
	case g.chance(0.08):
		g.emit("*** Delete File: %s", g.oldPath())
	default:
		g.update()
	}
	if g.chance(0.03) {
		g.emit("")
	}
}

func (g *gen) add() {
	g.emit("*** Add File: %s", g.newPath())
	for range g.IntN(4) {
		g.emit("+%s", g.line())
	}
	if g.chance(0.03) {
		g.emit("%s", pick(g, []string{" context", "", "-gone", "@@", "*** End of File", "\\ No newline at end of file"}))
	}
}

func (g *gen) update() {
	name := g.oldPath()
	g.emit("*** Update File: %s", name)
	if g.chance(0.12) {
		g.emit("*** Move to: %s", g.newPath())
	} else if g.chance(0.01) {
		g.emit("*** Move to: %s", name)
	}
	lines := splitLines(g.files[strings.TrimPrefix(name, "./")])
	places := g.places(len(lines))
	for i, at := range places {
		g.hunk(lines, at, i == 0)
	}
}

// places returns the lines at which hunks begin, mostly in order.
func (g *gen) places(n int) []int {
	var out []int
	for range 1 + min(g.few(), 3) {
		out = append(out, g.IntN(n+1))
	}
	if !g.chance(0.07) {
		slices.Sort(out)
	}
	return out
}

// hunk writes a change of the lines from at on.
func (g *gen) hunk(lines []string, at int, first bool) {
	opening := "@@"
	if g.chance(0.2) && at > 0 {
		opening += " " + g.damage(lines[g.IntN(at)])
	} else if g.chance(0.04) {
		opening += " " + g.line()
	} else if first && g.chance(0.1) {
		opening = ""
	}
	if opening != "" {
		g.emit("%s", opening)
	}
	if g.chance(0.01) {
		g.emit("@@ %s", g.line())
	}
	if at == len(lines) || g.chance(0.06) { // only additions
		for range 1 + g.IntN(2) {
			g.emit("+%s", g.line())
		}
	} else {
		at = g.body(lines, at)
	}
	if (at == len(lines) && g.chance(0.4)) || g.chance(0.02) {
		g.emit("*** End of File")
	}
	if g.chance(0.03) {
		g.emit("")
	}
}

// body writes context, removals and additions from lines[at:] and returns where it stopped.
func (g *gen) body(lines []string, at int) int {
	damaged := g.chance(0.3)
	for n := 1 + g.IntN(5); n > 0 && at < len(lines); n, at = n-1, at+1 {
		text := lines[at]
		if damaged && g.chance(0.5) {
			text = g.damage(text)
		}
		switch mark := pick(g, []string{" ", " ", "-", "-", "-+", "+ ", "-++"}); {
		case mark == " " && text == "" && g.chance(0.5):
			g.emit("")
		case mark == "+ ":
			g.emit("+%s\n %s", g.line(), text)
		case strings.HasSuffix(mark, "+"):
			g.emit("-%s", text)
			for range len(mark) - 1 {
				g.emit("+%s", g.line())
			}
		default:
			g.emit("%s%s", mark, text)
		}
	}
	if g.chance(0.15) {
		g.emit("+%s", g.line())
	}
	return at
}

var folds = strings.NewReplacer("—", "-", "“", "\"", "”", "\"", "’", "'", "\u00a0", " ", "\u2003", " ", "e\u0301", "é")

// damage changes a line as models do when they repeat it.
func (g *gen) damage(s string) string {
	switch g.IntN(8) {
	case 0:
		return s + pick(g, []string{" ", "\t", "  "})
	case 1:
		return strings.TrimRight(s, " \t")
	case 2:
		return strings.TrimLeft(s, " \t")
	case 3:
		return pick(g, []string{"  ", "\t", "    "}) + s
	case 4:
		return folds.Replace(s)
	case 5:
		return strings.NewReplacer("-", "—", "'", "’", " ", "\u00a0").Replace(s)
	case 6:
		return g.line()
	}
	return s
}

// envelope wraps sections in an envelope, which is mostly complete.
func (g *gen) envelope(body string) string {
	begin, end := "*** Begin Patch\n", "*** End Patch\n"
	if g.chance(0.02) {
		begin += pick(g, []string{"*** Environment ID: e\n", "*** Environment ID:\n", "\n", "*** Environment ID: e\n*** Environment ID: e\n"})
	}
	s := begin + body + end
	if g.chance(0.88) {
		return s
	}
	switch g.IntN(14) {
	case 0:
		return " *** Begin Patch\t\n" + body + "  *** End Patch \n"
	case 1:
		return pick(g, []string{"<<EOF\n", "<<'EOF'\n", "<<\"EOF\"\n", "  <<EOF\n", "<<'PATCH'\n", "apply_patch <<EOF\n"}) + s + pick(g, []string{"EOF\n", "EOF", "xEOF\n", "PATCH\n"})
	case 2:
		return pick(g, []string{"\n\n", " \n", "Here it is:\n", "```\n"}) + s
	case 3:
		return s + pick(g, []string{"\n\n", "  \n", "done\n", "```\n", begin + end})
	case 4:
		return strings.ReplaceAll(s, "\n", "\r\n")
	case 5:
		return g.someCR(s)
	case 6:
		return strings.TrimSuffix(s, "\n")
	case 7:
		return pick(g, []string{body + end, begin + body, "", body, strings.ToLower(begin) + body + end, begin + end})
	case 8:
		return strings.ReplaceAll(s, "\n*** ", "\n *** ")
	case 9:
		return strings.Replace(s, ": ", pick(g, []string{":", ":  ", " : ", ": \t"}), 1)
	case 10:
		return strings.Replace(s, "*** Update File: ", pick(g, []string{"*** Update: ", "*** update File: ", "*** Rename File: ", "*** Move File: ", "***Update File: "}), 1)
	}
	return g.mutate(s)
}

func (g *gen) someCR(s string) string {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(s, "\n") {
		if body, ok := strings.CutSuffix(line, "\n"); ok && g.chance(0.4) {
			line = body + pick(g, []string{"\r\n", "\r\n", "\r\r\n"})
		}
		b.WriteString(line)
	}
	return b.String()
}

// mutate drops, doubles, swaps or damages a line.
func (g *gen) mutate(s string) string {
	lines := strings.SplitAfter(s, "\n")
	i, j := g.IntN(len(lines)), g.IntN(len(lines))
	switch g.IntN(5) {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, i, lines[j])
	case 2:
		lines[i], lines[j] = lines[j], lines[i]
	case 3:
		lines[i] = pick(g, []string{"stray\n", "\\ No newline at end of file\n", "\n", "   \n", "*** End of File\n", "@@\n", "*** Frobnicate\n"})
	case 4:
		lines[i] = " " + lines[i]
	}
	return strings.Join(lines, "")
}

// splitLines splits at LF, CRLF and CR and drops the line ends.
func splitLines(s string) []string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(s, "\ufeff"))
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
