package web

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast checks that each text colour of a diff can be read on each background that it may have, in light and dark.
// WCAG 2 asks for a contrast of 4.5 to 1.
func TestContrast(t *testing.T) {
	css, err := staticFS.ReadFile("static/diff.css")
	if err != nil {
		t.Fatal(err)
	}
	light, _, ok := strings.Cut(string(css), "\n}\n")
	_, dark, ok2 := strings.Cut(darkColours(t), "/* diffs */")
	if !ok || !ok2 {
		t.Fatal("the style sheets have no colours")
	}
	lines := []string{"ground", "add", "add-mark", "del", "del-mark"} // the backgrounds of a line
	pairs := map[string][]string{
		"quiet":    append([]string{"bar", "none", "hunk"}, lines...),
		"add-sign": {"add", "bar"},
		"del-sign": {"del", "bar"},
		"e":        {"e-ground"},
		"focus":    {"ground", "bar"}, // links
	}
	for _, text := range []string{"text", "k", "t", "s", "c", "n", "f", "a", "m"} {
		pairs[text] = append([]string{"bar"}, lines...)
	}
	for scheme, source := range map[string]string{"light": light, "dark": dark} {
		colours := colours("--diff-", source)
		if len(colours) != strings.Count(source, "--diff-") || len(colours) < len(pairs) {
			t.Fatalf("%s: %d colours can be read of %d", scheme, len(colours), strings.Count(source, "--diff-"))
		}
		least := 21.0
		for text, grounds := range pairs {
			for _, ground := range grounds {
				a, ok := colours[text]
				b, ok2 := colours[ground]
				if c := contrast(a, b); !ok || !ok2 || c < 4.5 {
					t.Errorf("%s: %s on %s has a contrast of %.2f", scheme, text, ground, c)
				} else {
					least = min(least, c)
				}
			}
		}
		t.Logf("%s: the least contrast is %.2f", scheme, least)
	}
}

// TestFrameContrast checks text and signs outside of diffs.
func TestFrameContrast(t *testing.T) {
	css, err := staticFS.ReadFile("static/app.css")
	must(t, err)
	light, _, _ := strings.Cut(string(css), "* { box-sizing")
	dark, _, _ := strings.Cut(darkColours(t), "/* diffs */")
	for name, text := range map[string]string{"light": light, "dark": dark} {
		color := colours("--", text)
		for _, pair := range []struct {
			ink, ground string
			least       float64
		}{
			{"ink", "paper", 7}, {"ink", "card", 7}, {"ink", "field", 7}, {"quiet", "paper", 4.5}, {"quiet", "card", 4.5}, {"quiet", "field", 4.5},
			{"link", "paper", 4.5}, {"link", "card", 4.5}, {"link", "field", 4.5}, {"on", "link", 4.5}, {"good", "goodback", 4.5}, {"good", "paper", 4.5}, {"good", "card", 4.5},
			{"bad", "badback", 4.5}, {"bad", "card", 4.5}, {"bad", "paper", 4.5}, {"warn", "warnback", 4.5}, {"warn", "card", 4.5}, {"warn", "paper", 4.5}, {"ink", "warnback", 7},
			{"strong", "card", 3}, {"strong", "paper", 3}, {"focus", "paper", 3}, {"barDone", "card", 3}, {"barRefused", "card", 3}, {"barUndone", "card", 3},
			{"on-hue", "hue-1", 4.5}, {"on-hue", "hue-2", 4.5}, {"on-hue", "hue-3", 4.5}, {"on-hue", "hue-4", 4.5}, {"on-hue", "hue-5", 4.5}, {"on-hue", "hue-you", 4.5},
		} {
			if got := contrast(color[pair.ink], color[pair.ground]); got < pair.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", name, pair.ink, pair.ground, got, pair.least)
			}
		}
	}
}

func darkColours(t *testing.T) string {
	t.Helper()
	css, err := staticFS.ReadFile("static/dark.css")
	if err != nil {
		t.Fatal(err)
	}
	return string(css)
}

// colours returns the luminance of each colour of a style sheet, by the part of its name after the prefix.
func colours(prefix, css string) map[string]float64 {
	out := map[string]float64{}
	for _, m := range regexp.MustCompile(prefix+`([A-Za-z0-9-]+): #([0-9a-f]{6});`).FindAllStringSubmatch(css, -1) {
		n, _ := strconv.ParseUint(m[2], 16, 32)
		out[m[1]] = 0.2126*linear(n>>16) + 0.7152*linear(n>>8&0xff) + 0.0722*linear(n&0xff)
	}
	return out
}

func linear(n uint64) float64 {
	c := float64(n) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }
