package browser

import (
	"strings"
	"testing"
)

// Names that look like markup, or like something else than they are.
const (
	evilName    = `<img src=x onerror=alert(1)>.html`
	evilText    = "<script>alert(document.domain)</script>\n<img src=x onerror=\"alert(2)\">\n<!-- </td></tr></table><h1>owned</h1>\n"
	evilSession = `"><script>alert(3)</script>`
	evilAgent   = `<b onmouseover=alert(4)>claude</b>`
	bidiName    = "invoice-\u202egpj.js"
)

// TestHostile has an agent choose markup as names of files, of itself and of its session. Every page must show them as text:
// nothing runs, nothing is fetched, and no name changes the reading direction.
func TestHostile(t *testing.T) {
	t.Parallel()
	w := shop(t)
	b := w.ui().pages(t)
	a := w.client("<i>client</i>", "1", "--agent", evilAgent, "--session", evilSession)
	a.call("create_file", map[string]any{"path": evilName, "content": evilText})
	a.call("edit_file", map[string]any{"path": evilName, "expectedSha256": a.sha(evilName),
		"edits": []any{map[string]any{"oldText": "alert(2)", "newText": "alert('</script>')"}}})
	w.write(bidiName, "let a = 1;\n") // no tool can create such a name
	a.call("edit_file", map[string]any{"path": bidiName, "expectedSha256": a.sha(bidiName),
		"edits": []any{map[string]any{"oldText": "let a = 1;", "newText": "let a = 1; // \u202e } \u2066if (admin)\u2069"}}})
	a.call("delete_file", map[string]any{"path": evilName})
	a.refused("edit_file", map[string]any{"path": "README.md", "expectedSha256": a.sha("README.md"),
		"edits": []any{map[string]any{"oldText": "<script>alert(5)</script>", "newText": "x"}}})

	b.until("they arrive", timelineHas(evilName))
	b.entry("done", evilName)
	b.says("main", "<b onmouseover=alert(4)>")
	b.open("change/" + b.entryOf("create_file", evilName))
	b.until("the name of the session as text", `document.querySelector("details.more-facts")?.textContent.includes(`+quote(evilSession)+`)`)
	b.says("section.file", "<script>alert(document.domain)</script>", "<!-- </td></tr></table><h1>owned</h1>")
	t.Logf("hostile: %d pages read", b.crawl(b.harmless))
}

// harmless fails if a part of the names became an element or a direction mark.
func (b *tab) harmless(path string) {
	b.t.Helper()
	for _, s := range []string{"img", "main script", "i", "[onerror]", "[onmouseover]", "a[href^='javascript:']"} {
		if n := b.count(s); n != 0 {
			b.t.Errorf("%s: %d elements %s", path, n, s)
		}
	}
	if text := eval[string](b, "document.documentElement.textContent"); strings.ContainsAny(text, "\u202e\u2066\u2069") {
		b.t.Errorf("%s: the page has characters that turn the order of reading", path)
	}
}

// entryOf returns the newest call of a tool that is done or undone and whose text contains a text.
func (b *tab) entryOf(tool, text string) string {
	b.t.Helper()
	b.open("?tool=" + tool)
	found := `[...document.querySelectorAll("li.call")].filter(c => c.innerText.includes(` + quote(text) + `))[0]`
	b.until(tool+" of "+text, found)
	return strings.TrimPrefix(eval[string](b, found+".dataset.entry"), "#")
}
