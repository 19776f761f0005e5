package explain

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the style
	"encoding/base64"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/internal/report"
)

//go:embed page.css
var style string

// WriteHTML writes the explanation as one page that needs nothing else: no script, no other file, no network.
func (e *Explanation) WriteHTML(w io.Writer) error {
	p := &page{bufio.NewWriterSize(w, 64<<10)}
	p.head(e.Says)
	p.header(e)
	p.nav(e.Files)
	p.raw("<main>\n")
	for i := range e.Unread {
		p.excerpt(&e.Unread[i])
	}
	for i := range e.Files {
		p.file(i, &e.Files[i])
	}
	p.raw("</main>\n</body>\n</html>\n")
	return p.w.Flush()
}

// page writes HTML. Markup and text are two types, so that nothing from a file, a patch or a name can become markup.
// html/template would do the same, but it makes the linker keep every method of a program that embeds emend: three
// megabytes, and a start that takes a sixth longer.
type page struct{ w *bufio.Writer }

// markup is written as it is. All values are constants.
type markup string

func (p *page) raw(m ...markup) {
	for _, s := range m {
		p.w.WriteString(string(s)) //nolint:errcheck // Flush returns it
	}
}

// text writes s as text, with everything in it visible, between elements or in a quoted attribute.
func (p *page) text(s string) { p.w.WriteString(html.EscapeString(report.Escape(s))) } //nolint:errcheck // Flush returns it

// line writes text on one line.
func (p *page) line(s string) { p.text(report.OneLine(s)) }

func (p *page) number(n int) { p.raw(markup(strconv.Itoa(n))) }

// between writes text, if there is any, between two pieces of markup.
func (p *page) between(before markup, s string, after markup) {
	if s != "" {
		p.raw(before)
		p.text(s)
		p.raw(after)
	}
}

// head ends with the style, whose hash is all that the page's policy allows.
func (p *page) head(title string) {
	sum := sha256.Sum256([]byte(style))
	p.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-`)
	p.text(base64.StdEncoding.EncodeToString(sum[:]))
	p.raw("'; base-uri 'none'; form-action 'none'\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>")
	p.line(title)
	p.raw("</title>\n<style>", markup(style), "</style>\n</head>\n")
}

func (p *page) header(e *Explanation) {
	p.raw("<body>\n<header>\n<h1>What this patch would do</h1>\n<p class=\"", class(e.Lands), "\">")
	p.line(e.Says)
	p.raw("</p>\n")
	p.between("<p class=\"quiet\">Read in the dialect ", e.Dialect, ".</p>\n")
	for _, n := range e.Passed {
		p.between("<p>Passed: ", n, "</p>\n")
	}
	for _, n := range e.Notes {
		p.between("<p>Note: ", n, "</p>\n")
	}
	p.raw("</header>\n")
}

func class(lands bool) markup {
	if lands {
		return "lands"
	}
	return "refused"
}

func (p *page) nav(files []File) {
	if len(files) == 0 {
		return
	}
	p.raw("<nav aria-label=\"Sections of the patch\">\n<ol>\n")
	for i := range files {
		p.raw("<li><a href=\"#s")
		p.number(i + 1)
		p.raw("\">")
		p.line(files[i].Operation + " " + files[i].Path)
		p.raw("</a>: <span class=\"", class(files[i].Verdict != Refused), "\">")
		p.line(files[i].Verdict.Words())
		p.raw("</span></li>\n")
	}
	p.raw("</ol>\n</nav>\n")
}

func (p *page) excerpt(x *Excerpt) {
	what := "The patch"
	if x.Line > 0 {
		what = "Patch line " + strconv.Itoa(x.Line)
	}
	p.raw("<section>\n<h2>")
	p.text(what)
	p.raw(" cannot be read</h2>\n")
	p.between("<p class=\"refused\">", x.Says, "</p>\n")
	p.between("<p class=\"next\">Next: ", x.Next, "</p>\n")
	if len(x.Lines) > 0 {
		p.raw("<pre>\n")
		for i, l := range x.Lines {
			before, after := markup(""), markup("\n")
			if x.First+i == x.Line {
				before, after = "<mark>", "</mark>\n"
			}
			p.between(before, strconv.Itoa(x.First+i)+"  "+report.OneLine(l), after)
		}
		p.raw("</pre>\n")
	}
	p.raw("</section>\n")
}

func (p *page) file(i int, f *File) {
	p.raw("<section id=\"s")
	p.number(i + 1)
	p.raw("\" aria-labelledby=\"s")
	p.number(i + 1)
	p.raw("h\">\n<h2 id=\"s")
	p.number(i + 1)
	p.raw("h\">")
	p.text(f.Operation)
	p.raw(" <code>")
	p.line(f.Path)
	p.raw("</code>")
	p.between(" to <code>", report.OneLine(f.ToPath), "</code>")
	p.raw("</h2>\n<p><span class=\"", class(f.Verdict != Refused), "\">")
	p.text(f.Verdict.Words())
	p.raw("</span>")
	p.between(" (", string(f.Kind), ")")
	p.raw(": ")
	p.line(f.Says)
	p.from(f.PatchLine)
	p.raw("</p>\n")
	p.between("<p class=\"next\">Next: ", f.Next, "</p>\n")
	for k := range f.Hunks {
		p.hunk(i, &f.Hunks[k])
	}
	p.raw("</section>\n")
}

// from says where something is in the patch.
func (p *page) from(line int) {
	p.raw(" <span class=\"quiet\">(patch line ")
	p.number(line)
	p.raw(")</span>")
}

func (p *page) hunk(i int, h *Hunk) {
	id := func() {
		p.raw("s")
		p.number(i + 1)
		p.raw("h")
		p.number(h.Number)
	}
	p.raw("<article aria-labelledby=\"")
	id()
	p.raw("\">\n<h3 id=\"")
	id()
	p.raw("\">Hunk ")
	p.number(h.Number)
	p.raw(": <span class=\"", class(h.Verdict == Lands), "\">")
	p.text(h.Verdict.Words())
	p.raw("</span>")
	p.from(h.PatchLine)
	p.raw("</h3>\n")
	p.between("<p>", h.Says, "</p>\n")
	if len(h.Places) > 0 {
		p.between("<p>Places: ", h.placeList(), "</p>\n")
	}
	for k := range h.Views {
		p.view(&h.Views[k])
	}
	p.between("<p class=\"next\">Next: ", h.Next, "</p>\n")
	p.between("<p>This hunk would apply:</p>\n<pre>\n", strings.TrimSuffix(h.Corrected, "\n"), "\n</pre>\n")
	p.raw("</article>\n")
}
