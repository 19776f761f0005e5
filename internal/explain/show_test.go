package explain

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/emend-dev/emend/internal/plan"
)

// evil is what files, patches and their names may have in them.
var evil = []string{"<script>alert(1)</script>", "</style>", "</code></td></table>", `"><img src=x onerror=alert(1)>`, "'onload='x", "{{.}}", "&lt;", "<!--", "]]>",
	"javascript:alert(1)", "\x1b[31m", "\x1b]0;x\x07", "\u009b2J", "\b\b", "\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "\xff", "\r", "\v"}

// hostile is a patch and a tree with all of it everywhere: in names, in lines that land and that do not, in what is added.
func hostile() (string, plan.Memory) {
	var p strings.Builder
	tree := plan.Memory{}
	p.WriteString("*** Begin Patch\n")
	for i, e := range evil {
		name := fmt.Sprintf("f%d %s.txt", i, strings.ReplaceAll(e, "/", "_"))
		tree[name] = "first\n" + e + " here\nlast " + e + "\n"
		fmt.Fprintf(&p, "*** Update File: %s\n@@\n first\n-%s There\n+%s\n@@ %s\n-last %s\n+%s\n", name, e, e, e, e, e)
		fmt.Fprintf(&p, "*** Update File: no %s\n@@\n-%s\n*** Add File: new %s\n+%s\n", name, e, name, e)
	}
	p.WriteString("*** End Patch\n")
	return p.String(), tree
}

// TestNothingControlsATerminal: whatever is in a file, a patch or a name, no text has a character that a terminal obeys or
// does not show, but for the colours that it is told to use.
func TestNothingControlsATerminal(t *testing.T) {
	patch, tree := hostile()
	for i, e := range []*Explanation{explained(t, patch, tree, nil), explained(t, "*** Begin Patch\n\x1b[2J\u202e\n*** End Patch\n", nil, nil)} {
		if e.Lands || i == 0 && len(e.Files) != 3*len(evil) || i == 1 && len(e.Unread) != 1 {
			t.Fatal(e.outline())
		}
		for _, l := range []Layout{{}, {Color: true}, {Width: 120}, {Width: 120, Color: true}} {
			text := textOf(t, e, l)
			if l.Color {
				text = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(text, "")
			}
			if i := strings.IndexFunc(text, obeyed); i >= 0 {
				t.Errorf("%+v: %q", l, text[max(0, i-40):i+20])
			}
		}
		if i := strings.IndexFunc(htmlOf(t, e), obeyed); i >= 0 {
			t.Errorf("the page has %q", htmlOf(t, e)[max(0, i-40):i+20])
		}
	}
}

func obeyed(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar)
}

// allowed are the elements of a page and their attributes, those that every element may have under "".
var allowed = map[string][]string{"": {"class", "id", "role", "aria-label", "aria-labelledby"},
	"html": {"lang"}, "head": nil, "meta": {"charset", "http-equiv", "content", "name"}, "title": nil, "style": nil, "body": nil, "header": nil, "main": nil,
	"nav": nil, "ol": nil, "li": nil, "a": {"href"}, "section": nil, "article": nil, "h1": nil, "h2": nil, "h3": nil, "p": nil, "pre": nil, "span": nil, "code": nil,
	"mark": nil, "ins": nil, "del": nil, "b": nil, "table": nil, "caption": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"scope"}, "td": {"colspan"}}

// TestNothingBecomesMarkup: a page has the elements and attributes that it is to have, closed as they were opened, and its
// links stay inside it.
func TestNothingBecomesMarkup(t *testing.T) {
	patch, tree := hostile()
	page := htmlOf(t, explained(t, patch, tree, nil))
	head, body, _ := strings.Cut(strings.TrimPrefix(page, "<!DOCTYPE html>\n"), "<title>")
	d := xml.NewDecoder(strings.NewReader(regexp.MustCompile("(<meta[^>]*)>").ReplaceAllString(head, "$1/>") + "<title>" + body))
	ids, links := map[string]bool{}, []string{}
	var open []string
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			mine, ok := allowed[tok.Name.Local]
			if !ok {
				t.Fatalf("the page has an element %q", tok.Name.Local)
			}
			open = append(open, tok.Name.Local)
			for _, a := range tok.Attr {
				if !slices.Contains(mine, a.Name.Local) && !slices.Contains(allowed[""], a.Name.Local) {
					t.Fatalf("%s has an attribute %q", tok.Name.Local, a.Name.Local)
				}
				switch a.Name.Local {
				case "id":
					if ids[a.Value] {
						t.Errorf("two elements are called %q", a.Value)
					}
					ids[a.Value] = true
				case "href", "aria-labelledby":
					links = append(links, strings.TrimPrefix(a.Value, "#"))
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.Comment, xml.ProcInst, xml.Directive:
			t.Fatalf("the page has %#v", tok)
		}
	}
	for _, l := range links {
		if !ids[l] {
			t.Errorf("nothing is called %q", l)
		}
	}
	if len(links) < 3*len(evil) {
		t.Errorf("%d links", len(links))
	}
}

// TestPagePolicy: the page allows nothing but its own style, and names no other place.
func TestPagePolicy(t *testing.T) {
	patch, tree := hostile()
	page := htmlOf(t, explained(t, patch, tree, nil))
	_, rest, _ := strings.Cut(page, "<style>")
	css, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(css))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if !strings.Contains(html.UnescapeString(page), `http-equiv="Content-Security-Policy" content="`+want+`"`) {
		t.Errorf("the page has no policy %s", want)
	}
	if strings.Contains(css, "url(") || strings.Contains(css, "@import") || strings.Contains(page[:strings.Index(page, "<body>")], "//") {
		t.Error("the page names another place")
	}
	if n := strings.Count(page, "<style>"); n != 1 {
		t.Errorf("%d styles", n)
	}
}

// TestColors: on a terminal colours and underlining mark what differs, and no line of carets does.
func TestColors(t *testing.T) {
	e := explained(t, "*** Begin Patch\n*** Update File: f\n@@\n one\n-two\n+2\n*** End Patch\n", plan.Memory{"f": "one\ntwo  \n"}, nil)
	if text := textOf(t, e, Layout{Color: true}); !strings.Contains(text, differs+"··"+reset) || strings.Contains(text, "^") {
		t.Errorf("%q", text)
	}
	if text := textOf(t, e, Layout{}); strings.Contains(text, "\x1b") || !strings.Contains(text, "^^") {
		t.Errorf("%q", text)
	}
}

// TestResult: the value that a script reads has its verdicts where the words have them.
func TestResult(t *testing.T) {
	tree := plan.Memory{"f": "one\ntwo\n", "g": "x\n"}
	e := explained(t, "*** Begin Patch\n*** Update File: f\n@@\n-two \n+2\n*** Update File: g\n@@\n-x\n+y\n*** End Patch\n", tree, nil)
	data, err := json.Marshal(e.Result())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Ok     bool
		Output string
		Data   Explanation
		Error  struct{ Kind string }
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	f, g := got.Data.Files[0], got.Data.Files[1]
	row := f.Hunks[0].Views[0].Rows[1]
	if got.Ok || got.Error.Kind != "patch_apply_error" || f.Verdict != Refused || f.Hunks[0].Verdict != NotFound || f.Hunks[0].Corrected == "" || g.Hunks[0].Verdict != Lands ||
		row.Pairing != Differs || row.Patch != "two " || row.File != "two" || len(row.Differs) != 1 || g.Hunks[0].Line != 1 || g.Hunks[0].Rung != "exact" {
		t.Errorf("%s", data)
	}
	if want := "Would not apply: 1 of 2 sections and 1 of 2 hunks apply.\nupdate f: refused"; !strings.HasPrefix(got.Output, want) {
		t.Errorf("%q", got.Output)
	}
}

// BenchmarkExplain prints the time that a hunk takes, of patches that double.
func BenchmarkExplain(b *testing.B) {
	for _, n := range []int{2500, 5000, 10_000} {
		var p, f strings.Builder
		p.WriteString("*** Begin Patch\n*** Update File: f\n")
		for i := range n {
			fmt.Fprintf(&f, "line %d\nother\nsome\nmore\n", i)
			fmt.Fprintf(&p, "@@\n line %d\n-other%s\n+others\n some\n", i, strings.Repeat(" ", i%2))
		}
		p.WriteString("*** End Patch\n")
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var took [3]time.Duration
			for b.Loop() {
				at := []time.Time{time.Now()}
				e := explained(b, p.String(), plan.Memory{"f": f.String()}, nil)
				at = append(at, time.Now())
				e.WriteText(io.Discard, Layout{}) //nolint:errcheck // it is discarded
				at = append(at, time.Now())
				e.WriteHTML(io.Discard) //nolint:errcheck // it is discarded
				at = append(at, time.Now())
				for i := range took {
					took[i] += at[i+1].Sub(at[i])
				}
			}
			for i, what := range []string{"explain", "text", "page"} {
				b.ReportMetric(float64(took[i].Nanoseconds())/float64(b.N*n), "ns/hunk-"+what)
			}
		})
	}
}
