package web

import (
	"regexp"
	"sync"
)

// link is a piece of text and the address that it links to, or "" for plain text.
type link struct{ Text, To string }

// transactionPattern matches the names of transactions.
var transactionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9]{8}-[0-9]{6}-[a-z2-7]{10}\b`) })

// Linked links every transaction that a message of the engine names to its page.
func (w *Workspace) Linked(text string) (out []link) {
	at := 0
	for _, m := range transactionPattern().FindAllStringIndex(text, -1) {
		if m[0] > at {
			out = append(out, link{Text: text[at:m[0]]})
		}
		tx := text[m[0]:m[1]]
		out = append(out, link{tx, w.EntryPage(tx)})
		at = m[1]
	}
	if at < len(text) {
		out = append(out, link{Text: text[at:]})
	}
	return out
}

// transactionsIn returns the transactions that a text names, each once.
func transactionsIn(text string) (out []string) {
	seen := map[string]bool{}
	for _, tx := range transactionPattern().FindAllString(text, -1) {
		if !seen[tx] {
			seen[tx] = true
			out = append(out, tx)
		}
	}
	return out
}
