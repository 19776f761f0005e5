package dialect

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
)

const bom = "\uFEFF"

// unwrapHeredoc cuts "<<EOF" and "EOF" off a text of at least four lines. It returns the number of the first line that
// is left.
func unwrapHeredoc(text string) (string, int) {
	whole := strings.TrimSpace(text)
	skipped := strings.Count(text[:strings.Index(text, whole)], "\n")
	first, rest, _ := strings.Cut(whole, "\n")
	switch strings.TrimSuffix(first, "\r") {
	case "<<EOF", "<<'EOF'", `<<"EOF"`:
	default:
		return text, 1
	}
	end := strings.LastIndexByte(rest, '\n')
	if end < 0 || !strings.HasSuffix(whole, "EOF") || strings.Count(whole, "\n") < 3 {
		return text, 1
	}
	return rest[:end+1], skipped + 2
}

// unwrapJSON takes the patch out of a JSON string.
func (p *parser) unwrapJSON(text string) string {
	if rest, ok := strings.CutPrefix(text, bom); ok {
		p.report(1, "a byte order mark was taken off")
		text = rest
	}
	inner, ok := unwrapJSONText(text, p.g.begins())
	if !ok {
		return text
	}
	p.report(1, "a JSON string around the patch was taken off; line numbers count the lines of the string")
	inner, p.err = checkText(inner)
	return inner
}

// jsonKeys are the names that a patch may have in a JSON object.
var jsonKeys = []string{"patch", "input", "diff", "content"}

// begins returns what tells whether a text is a patch of the grammar's format.
func (g *grammar) begins() func(string) bool {
	switch g.name {
	case unifiedGrammar.name:
		return isFormat(unifiedFormat)
	case searchReplaceGrammar.name:
		return isFormat(searchReplaceFormat)
	}
	return hasEnvelope
}

// unwrapJSONText returns the patch in a text that is all JSON: a string, or an object with one of the known keys.
// Exactly one of them must hold a patch, and decoding must lose nothing: half a surrogate pair has no bytes.
func unwrapJSONText(text string, isPatch func(string) bool) (string, bool) {
	text = strings.TrimSpace(strings.TrimPrefix(text, bom))
	if text == "" || text[0] != '"' && text[0] != '{' || !utf8.ValidString(text) {
		return "", false
	}
	var one string
	if json.Unmarshal([]byte(text), &one) == nil {
		return one, isPatch(one) && !mangled(one, text)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil {
		return "", false
	}
	found := ""
	for _, key := range jsonKeys {
		var s string
		if json.Unmarshal(object[key], &s) != nil || firstFormat(s) == noFormat {
			continue
		}
		if found != "" || !isPatch(s) || mangled(s, text) {
			return "", false
		}
		found = s
	}
	return found, found != ""
}

// mangled reports whether decoding made replacement characters that the text did not have.
func mangled(decoded, text string) bool {
	const mark = "\uFFFD"
	asked := strings.Count(text, mark) + strings.Count(strings.ToLower(text), `\ufffd`)
	return strings.Count(decoded, mark) > asked
}

// unwrapLines takes a heredoc and an indentation off a text that has no envelope to find it by.
func (p *parser) unwrapLines(text string) string {
	whole := strings.TrimSpace(text)
	first, _, _ := strings.Cut(whole, "\n")
	if word := heredocWord(first); word != "" && lastText(whole) == word {
		p.report(1, "a heredoc around the patch was taken off")
		above, below := strings.Index(text, first)+len(first), strings.LastIndex(text, word)
		text = strings.Repeat("\n", strings.Count(text[:above], "\n")) + text[above:below]
	}
	if plain, ok := withoutIndent(text); ok {
		p.report(1, "the indentation of the patch was taken off")
		return plain
	}
	return text
}

// withoutIndent takes the indentation off a text that begins no patch but with it, as in a list or in a quotation of Markdown: white
// space, or the mark of a quotation.
func withoutIndent(text string) (string, bool) {
	if firstFormat(text) != noFormat {
		return "", false
	}
	const marks = " \t>"
	for l := startLines(text, 1); l.ok; l.advance() {
		first := strings.TrimLeft(l.line, marks)
		indent := l.line[:len(l.line)-len(first)]
		below := l.next()
		if indent == "" || !isSearch(first) && !strings.HasPrefix(first, "diff --git ") &&
			!(strings.HasPrefix(first, "--- ") && strings.HasPrefix(below, indent+"+++ ")) {
			continue
		}
		var b strings.Builder
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, indent); ok {
				line = rest
			} else if strings.TrimSpace(line) == strings.TrimSpace(indent) {
				line = "\n"
			}
			b.WriteString(line)
		}
		return b.String(), true
	}
	return "", false
}

// setAside takes off wrappers from the inside out, then the text that is left, and reports both.
func (p *parser) setAside(before string, first, after lines) {
	for {
		above := lastText(before)
		what := wrapper(above, after.line)
		if above == "" || !after.ok || what == "" {
			break
		}
		p.report(after.n, "%s around the patch was taken off", what)
		before = before[:strings.LastIndex(before, above)]
		after.advance()
		after.skipBlank()
	}
	if above := strings.TrimSpace(before); above != "" {
		p.report(first.n, "text before the patch was set aside: %s", fail.Quote(above))
	}
	if after.ok {
		p.report(after.n, "text after the patch was set aside: %s", fail.Quote(strings.TrimSpace(after.line)))
	}
}

// lastText returns the last line of text that is not white space.
func lastText(text string) string {
	text = trimEnd(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// wrapper names what the lines above and below a patch are, if they belong together.
func wrapper(above, below string) string {
	below = strings.TrimSpace(below)
	switch word := heredocWord(above); {
	case word != "" && word == below:
		return "a heredoc"
	case decode.IsFence(above) && decode.IsFence(below) && strings.Trim(below, "`~") == "":
		return "a Markdown fence"
	}
	return ""
}

// heredocWord returns EOF for "<<EOF", "apply_patch <<'EOF'" and `cat <<"EOF" > p`.
func heredocWord(line string) string {
	_, word, ok := strings.Cut(line, "<<")
	if !ok {
		return ""
	}
	word = strings.TrimLeft(strings.TrimPrefix(word, "-"), " ")
	if word == "" {
		return ""
	}
	if q := word[0]; q == '\'' || q == '"' {
		word, _, ok = strings.Cut(word[1:], string(q))
		if !ok {
			return ""
		}
		return word
	}
	word, _, _ = strings.Cut(word, " ")
	return word
}

// kindOf names a line that stands where none should.
func kindOf(line string) string {
	line = strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(line, bom):
		return "a byte order mark"
	case decode.IsFence(line):
		return "a Markdown fence"
	case heredocWord(line) != "":
		return "a heredoc"
	}
	return "text"
}
