package web

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// link is a piece of text, and the address that it leads to; "" for one that leads nowhere.
type link struct{ Text, To string }

// With is the address of a page with a query of names and values; what has no value is left out.
func (s *Workspace) With(page string, query ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			q.Add(query[i], query[i+1])
		}
	}
	if len(q) == 0 {
		return s.Page(page)
	}
	return s.Page(page) + "?" + q.Encode()
}

// Confirm is the page on which a person sees what a tool would do, and has it done.
func (s *Workspace) Confirm(tool string, args ...string) string {
	q := s.With("", args...)
	return s.Page("confirm", tool) + q[len(s.Page("")):]
}

// transactionPattern is how the log names them.
var transactionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9]{8}-[0-9]{6}-[a-z2-7]{10}\b`) })

// Linked is a text of the engine, in which every transaction leads to its page.
func (s *Workspace) Linked(text string) (out []link) {
	at := 0
	for _, m := range transactionPattern().FindAllStringIndex(text, -1) {
		if m[0] > at {
			out = append(out, link{Text: text[at:m[0]]})
		}
		tx := text[m[0]:m[1]]
		out = append(out, link{tx, s.EntryPage(tx)})
		at = m[1]
	}
	if at < len(text) {
		out = append(out, link{Text: text[at:]})
	}
	return out
}

// transactionsIn are the transactions that a text names, each once.
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

// entryOfID is the entry of which the history keeps something under an ID.
func entryOfID(id string) string {
	tx, _, _ := strings.Cut(id, ".")
	return tx
}

// queryNumber is a number of the address between 0 and most.
func (r *request) queryNumber(name string, most int) int {
	n, _ := strconv.Atoi(r.URL.Query().Get(name))
	return max(0, min(n, most))
}
