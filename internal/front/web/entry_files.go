package web

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/patch"
)

// touched is one file of an entry: what was done to it, and what became of it since.
type touched struct {
	emend.LogEntry
	Space    *Workspace
	N        int // its place in the entry
	Did      string
	Hunks    []string // where each hunk landed, and how
	Fate     *fate
	Diff     *diffView
	NotShown string // why there is no diff
}

// maxShown is how many files a page has in full.
const maxShown = 50

// changeFiles puts the files of an entry on its page, from one of them on.
func (r *request) changeFiles(p *changePage, from int) {
	all := p.EntryData.Files
	fates := r.fates(p)
	gone := r.whyGone(p)
	for i := from; i < min(from+maxShown, len(all)); i++ {
		f := touched{LogEntry: all[i], Space: r.space, N: i, Did: didTo(p, &all[i]), Hunks: rungs(&all[i])}
		if i < len(fates) {
			f.Fate = fateOf(&fates[i], all[i].Operation == patch.Delete.String())
		}
		if f.NotShown = notShown(p, &all[i], gone); f.NotShown == "" && all[i].Diff != "" {
			f.Diff = r.diffView(all[i].Diff, r.diffOf(p.Entry, i))
		}
		p.Files = append(p.Files, f)
		p.Index.add(i, f.Did, f.Path, f.Diff)
	}
	if p.Left = len(all) - from - len(p.Files); p.Left > 0 {
		p.Rest = r.space.EntryPage(p.Entry) + "?from=" + strconv.Itoa(from+len(p.Files))
	}
}

// didTo is what was done to a file, or what was tried.
func didTo(p *changePage, e *emend.LogEntry) string {
	v, ok := verbs[e.Operation]
	switch {
	case !ok:
		return "about"
	case !p.OK:
		return "to " + v[1]
	}
	return v[0]
}

// rungs says where each hunk landed.
func rungs(e *emend.LogEntry) (out []string) {
	for _, h := range e.Hunks {
		out = append(out, fmt.Sprintf("line %s, %s", grouped(h.Line), rungWords(h.Rung)))
	}
	return out
}

// rungWords is a rung as people say it.
func rungWords(rung string) string {
	if w := map[string]string{"trailing": "white space at line ends ignored", "whitespace": "indentation ignored",
		"composed": "indentation and Unicode normal form ignored", "unicode": "indentation and typography ignored"}[rung]; w != "" {
		return w
	}
	return rung
}

// notShown says why there is no diff; "" where there is one, or need be none.
func notShown(p *changePage, e *emend.LogEntry, gone string) string {
	switch {
	case !p.OK || !decided(&p.EntryData):
		return ""
	case strings.HasPrefix(e.Message, "the diff is not shown"):
		return upperFirst(e.Message) + "."
	case e.Diff == "":
		return gone
	}
	return ""
}

// whyGone says why the diffs of an entry are not kept any more.
func (r *request) whyGone(p *changePage) string {
	if !decided(&p.EntryData) || !p.OK {
		return ""
	}
	for i := range p.EntryData.Files {
		if p.EntryData.Files[i].Diff == "" {
			return r.forgotten(p.Entry)
		}
	}
	return ""
}

func (r *request) forgotten(tx string) string {
	t, err := r.space.Timeline(r.Context(), emend.TimelineRequest{Tool: "purge", Text: tx, Limit: 1})
	if err == nil && len(t.Calls) > 0 {
		return "The difference is not kept: a person had it forgotten (" + t.Calls[0].Entry + ")."
	}
	return "The difference is not kept any more: the history keeps what is newer, within its bounds of age and size. The hashes stay in the log."
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// fate is what became of a file since, in words.
type fate struct {
	State emend.FateState
	Words string
	By    []emend.LogEntry // who changed it
	At    string           // where it is now, if it was moved
}

// fateWords are the states, before the names of who changed it.
var fateWords = map[emend.FateState]string{
	emend.Unchanged: "Unchanged since.",
	emend.Changed:   "Changed since",
	emend.Edited:    "Changed since, outside of emend",
	emend.Gone:      "Gone since",
	emend.Back:      "It was deleted, and something is there again",
	emend.Hidden:    "What became of it is not shown: it may not be read.",
}

func fateOf(f *emend.Fate, deleted bool) *fate {
	out := &fate{State: f.State, Words: fateWords[f.State], By: f.By, At: f.At}
	if f.State == emend.Gone && deleted {
		out.Words = "Gone still."
	}
	if f.State == emend.Edited && len(f.By) > 0 {
		out.Words += ", and before that"
	}
	return out
}

// fates are what became of the files of an entry that changed some.
func (r *request) fates(p *changePage) []emend.Fate {
	if !decided(&p.EntryData) || !p.OK {
		return nil
	}
	out, err := r.space.Fates(r.Context(), p.Entry)
	if err != nil {
		p.Notes = append(p.Notes, "What became of the files since cannot be said: "+err.Error())
	}
	return out
}
