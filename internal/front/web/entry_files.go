package web

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

// entryFile is a file of an entry: what was done to it, and how it stands now.
type entryFile struct {
	api.LogEntry
	Workspace  *Workspace
	EntryName  string
	N          int // its index in the entry
	Did        string
	HunkPlaces []string // where and how each hunk matched
	Status     *fileStatus
	Commit     *gitCommit // of git, in which the change now stands; nil for none
	Diff       *diffView
	WhyNoDiff  string // "" if there is a diff
	Whole      *piece // all that was done to the file; nil if nothing can be said about it
	Select     bool   // it can be selected as a whole, to be undone with others

	pieces []piece
}

// maxPageFiles limits the files of one page.
const maxPageFiles = 50

// changeFiles fills in the files of an entry, beginning with the given one.
func (r *request) changeFiles(p *changePage, from int) {
	all := p.EntryData.Files
	since := r.filesSince(p)
	gone := r.whyNotKept(p)
	for i := from; i < min(from+maxPageFiles, len(all)); i++ {
		f := entryFile{LogEntry: all[i], Workspace: r.ws, EntryName: p.Entry, N: i, Did: verbForFile(p, &all[i]), HunkPlaces: hunkPlaces(&all[i])}
		if i < len(since) {
			f.Status = newFileStatus(&since[i], all[i].Operation == patch.Delete.String())
		}
		pieces := r.pieces(&p.EntryData, &all[i])
		f.pieces = pieces
		if len(pieces) > 0 && (len(all) > 1 || len(pieces) > 1) {
			f.Whole = &pieces[0]
		}
		if f.WhyNoDiff = whyNoDiff(p, &all[i], gone); f.WhyNoDiff == "" && all[i].Diff != "" {
			f.Diff = r.diffView(all[i].Diff, r.entryDiffAddress(p.Entry, i), r.textOf(&all[i]))
			f.Diff.Anchor, f.Diff.History = lineAnchor(i), r.ws.FilePage(f.Diff.File.Path())
			f.Diff.Pieces = pieces
			f.Diff.Editor = r.editorAddress(f.Diff)
		}
		p.Files = append(p.Files, f)
		p.Index.add(i, f.Did, f.Path, f.Diff)
	}
	if p.Selects = p.selects(); p.Selects {
		for i := range p.Files {
			f := &p.Files[i]
			f.Select = len(f.pieces) == 1 && f.pieces[0].Undo != ""
			if f.Diff != nil {
				f.Diff.Selects = len(f.pieces) > 1
			}
		}
	}
	r.addCommits(p, since)
	if p.Omitted = len(all) - from - len(p.Files); p.Omitted > 0 {
		p.RestHref = r.ws.EntryPage(p.Entry) + "?from=" + strconv.Itoa(from+len(p.Files))
	}
}

// verbForFile says what was done to a file, or attempted.
func verbForFile(p *changePage, e *api.LogEntry) string {
	v, ok := operationVerbs[e.Operation]
	switch {
	case !ok:
		return ""
	case !p.OK:
		return v[1]
	}
	return v[0]
}

// hunkPlaces says where and how each hunk matched.
func hunkPlaces(e *api.LogEntry) (out []string) {
	for _, h := range e.Hunks {
		out = append(out, fmt.Sprintf("line %s, %s", grouped(h.Line), rungText(h.Rung)))
	}
	return out
}

// rungText names a rung for people.
func rungText(rung string) string {
	if w := map[string]string{"trailing": "white space at line ends ignored", "whitespace": "indentation ignored",
		"composed": "indentation and Unicode normal form ignored", "unicode": "indentation and typography ignored",
		"corrected": "corrected with the lines of the file"}[rung]; w != "" {
		return w
	}
	return rung
}

// whyNoDiff says why a file has no diff, or returns "" if it has one or needs none.
func whyNoDiff(p *changePage, e *api.LogEntry, gone string) string {
	switch {
	case !p.OK || !changesFiles(&p.EntryData):
		return ""
	case strings.HasPrefix(e.Message, "the diff is not shown"):
		return upperFirst(e.Message) + "."
	case e.Diff == "":
		return gone
	}
	return ""
}

// whyNotKept says why diffs of an entry are gone, or returns "" if none is.
func (r *request) whyNotKept(p *changePage) string {
	if !changesFiles(&p.EntryData) || !p.OK {
		return ""
	}
	for i := range p.EntryData.Files {
		if p.EntryData.Files[i].Diff == "" {
			return r.whyForgotten(p.Entry)
		}
	}
	return ""
}

func (r *request) whyForgotten(tx string) string {
	t, err := r.ws.Timeline(r.Context(), api.TimelineRequest{Tool: "purge", Text: tx, Limit: 1})
	if err == nil && len(t.Calls) > 0 {
		return "The diff was purged (" + t.Calls[0].Entry + ")."
	}
	return "The diff is no longer kept: the history keeps newer changes, up to its limits of age and size. The hashes stay in the log."
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// fileStatus says how a file of an entry stands now.
type fileStatus struct {
	State string // for the style of the text
	Text  string
	By    []api.LogEntry // the entries that changed it
	At    string         // its path now, if it was moved
}

// fileStatusTexts are the words for the states. The names of those who changed the file may follow.
var fileStatusTexts = map[api.FileState]fileStatus{
	api.FileSame:    {State: "unchanged", Text: "Unchanged since."},
	api.FileChanged: {State: "changed", Text: "Changed since"},
	api.FileGone:    {State: "gone", Text: "Deleted since"},
	api.FileBack:    {State: "back", Text: "It was deleted, and exists again"},
	api.FileUnknown: {State: "hidden", Text: "Its current state is not shown: it may not be read."},
}

func newFileStatus(f *api.FileSince, deleted bool) *fileStatus {
	out := fileStatusTexts[f.State]
	out.By, out.At = f.By, f.At
	switch {
	case f.State == api.FileGone && deleted:
		out.Text = "Still deleted."
	case f.State == api.FileChanged && f.Outside:
		out.State, out.Text = "edited", "Changed since, outside emend"
		if len(f.By) > 0 {
			out.Text += ", and before that"
		}
	}
	return &out
}

// filesSince returns how the files of an entry stand now, if it changed any.
func (r *request) filesSince(p *changePage) []api.FileSince {
	if !changesFiles(&p.EntryData) || !p.OK {
		return nil
	}
	out, err := r.ws.Host().FilesSince(r.Context(), p.Entry)
	if err != nil {
		p.Notes = append(p.Notes, "The current state of the files is not known: "+err.Error())
	}
	return out
}
