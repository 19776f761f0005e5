package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// jsonVersion is the version of what programs get as JSON. A member that is added does not change it.
const jsonVersion = 1

// wantsJSON reports whether the answer goes to a program, such as an extension of an editor. Programs sign in with the token,
// under the same rules as browsers.
func wantsJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

// jsonHandler makes an HTTP handler of a function that returns a value.
func (s *Site) jsonHandler(h func(*request) (any, error)) http.HandlerFunc {
	return s.inWorkspace(func(w http.ResponseWriter, r *request) {
		v, err := h(r)
		if err != nil {
			r.Request.Header.Set("Accept", "application/json")
			s.show(w, r, r.errorPageOf(err))
			return
		}
		s.sendJSON(w, http.StatusOK, v)
	})
}

func (s *Site) sendJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		s.Log.Error("an answer could not be made", "error", err)
		http.Error(w, "emend: a defect in emend: the answer could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // the program is gone
}

// jsonErrors is the answer instead of a page that shows an error.
type jsonErrors struct {
	Errors []jsonError `json:"errors"`
}

// jsonError is one error, or one thing that stops an undo.
type jsonError struct {
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	Next    string `json:"next,omitempty"` // what to do about it
}

func (v errorView) json() jsonErrors {
	out := jsonErrors{Errors: []jsonError{}}
	for _, l := range v.List {
		out.Errors = append(out.Errors, jsonError{l.Path, l.Text, l.Next})
	}
	return out
}

func (w *obstacles) json() []jsonError {
	if w == nil {
		return nil
	}
	var out []jsonError
	for i := range w.List {
		o := &w.List[i]
		out = append(out, jsonError{o.Path, textOfLinks(o.Why), textOfLinks(o.Next)})
	}
	return out
}

func textOfLinks(all []link) string {
	var b strings.Builder
	for _, l := range all {
		b.WriteString(l.Text)
	}
	return b.String()
}

// jsonTimeline is a part of the timeline, the newest call first.
type jsonTimeline struct {
	Version  int        `json:"version"` // jsonVersion
	Emend    string     `json:"emend"`   // the version of the program
	Root     string     `json:"root"`
	ReadOnly bool       `json:"readOnly,omitempty"`
	Head     uint64     `json:"head"`           // the newest record of the log
	Next     uint64     `json:"next,omitempty"` // the "before" of the next part; none on the last
	Calls    []jsonCall `json:"calls"`
}

// jsonCall is a call, in the words of the pages.
type jsonCall struct {
	Entry     string     `json:"entry"`
	Seq       uint64     `json:"seq"`
	Time      time.Time  `json:"time"`
	Session   string     `json:"session,omitempty"`
	Turn      string     `json:"turn,omitempty"`
	Who       string     `json:"who"`
	Did       string     `json:"did"` // "edited cart.go and 2 more"
	Outcome   string     `json:"outcome"`
	Message   string     `json:"message,omitempty"` // of a call that was not simply done
	Undoable  bool       `json:"undoable,omitempty"`
	UndoneBy  string     `json:"undoneBy,omitempty"`
	Partly    string     `json:"partlyUndone,omitempty"` // which parts of it undos in effect reverted
	Files     []jsonFile `json:"files"`
	FileCount int        `json:"fileCount"`
	Added     *int       `json:"added,omitempty"` // lines; none if it is not known
	Removed   *int       `json:"removed,omitempty"`
}

// jsonFile is a file of a call. A change has the diff and the pieces too.
type jsonFile struct {
	N         int         `json:"n"` // its index in the entry
	Path      string      `json:"path"`
	To        string      `json:"to,omitempty"`
	Operation string      `json:"operation"`
	Diff      string      `json:"diff,omitempty"`
	WhyNoDiff string      `json:"whyNoDiff,omitempty"`
	Pieces    []jsonPiece `json:"pieces,omitempty"` // the whole file, then its hunks if it has several
}

type jsonPiece struct {
	N        int    `json:"n"` // the number of the hunk; 0 for the whole file
	Undoable bool   `json:"undoable"`
	UndoneBy string `json:"undoneBy,omitempty"`
}

func newJSONCall(c *api.LoggedCall) jsonCall {
	v := callView{LoggedCall: c}
	out := jsonCall{Entry: c.Entry, Seq: c.Seq, Time: c.Timestamp, Session: c.SessionID, Turn: c.Turn, Who: actorOf(c.AgentName, c.Client, c.ToolName).Name,
		Did: sentenceOf(c).String(), Outcome: string(c.Outcome), Message: v.Remark(), Undoable: v.undoable(), UndoneBy: c.UndoneBy, Partly: report.PartWords(c.UndoneParts),
		Files: []jsonFile{}, FileCount: c.FileCount}
	if c.Lines != nil {
		out.Added, out.Removed = &c.Lines.Added, &c.Lines.Removed
	}
	for i := range c.Files {
		f := &c.Files[i]
		out.Files = append(out.Files, jsonFile{N: i, Path: f.Path, To: f.ToPath, Operation: f.Operation})
	}
	return out
}

// timelineJSON takes the conditions that the page takes.
func (r *request) timelineJSON() (any, error) {
	f := parseFilter(r.URL.Query(), time.Now())
	for _, c := range conditions {
		if problem := f.Problems[c.name]; problem != "" {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: c.name + ": " + problem}
		}
	}
	f.request.Limit, f.request.CountLines = callsPerPage, true
	t, err := r.ws.Timeline(r.Context(), f.request)
	if err != nil {
		return nil, err
	}
	out := jsonTimeline{Version: jsonVersion, Emend: r.site.Version, Root: r.ws.Root(), ReadOnly: r.site.ReadOnly, Head: t.Head.Seq, Next: t.Next, Calls: []jsonCall{}}
	for i := range t.Calls {
		out.Calls = append(out.Calls, newJSONCall(&t.Calls[i]))
	}
	return out, nil
}

// changeJSON has the diffs of an entry, and which of their pieces can be undone.
func (r *request) changeJSON() (any, error) {
	p, err := r.entryJSON()
	if err != nil {
		return nil, err
	}
	out := newJSONCall(asCall(&p.EntryData))
	gone := r.whyNotKept(p)
	for i := range p.EntryData.Files {
		e, f := &p.EntryData.Files[i], &out.Files[i]
		f.Diff, f.WhyNoDiff = e.Diff, whyNoDiff(p, e, gone)
		for _, piece := range r.pieces(&p.EntryData, e) {
			f.Pieces = append(f.Pieces, jsonPiece{piece.N, piece.Undo != "", piece.By})
		}
	}
	return out, nil
}

func (r *request) entryJSON() (*changePage, error) {
	a, err := r.ws.Show(r.Context(), entryName(r.PathValue("entry")))
	if err != nil {
		return nil, err
	}
	return &changePage{EntryData: a.Data, ws: r.ws}, nil
}

// contentJSON has the text of a file of an entry, before or after it. A side on which there is no file is empty.
func (r *request) contentJSON() (any, error) {
	p, err := r.entryJSON()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(r.PathValue("file"))
	if err != nil || n < 0 || n >= len(p.EntryData.Files) {
		return nil, &fail.Error{Kind: fail.NotFound, Msg: "the entry has no such file"}
	}
	f := &p.EntryData.Files[n]
	path, sum := f.Path, f.BeforeSha256
	if r.PathValue("side") == "after" {
		sum = f.AfterSha256
		if f.ToPath != "" {
			path = f.ToPath
		}
	}
	text, ok := "", true
	if sum != "" {
		text, ok = r.versionText(path, sum, 0)
	}
	if !ok {
		return nil, &fail.Error{Kind: fail.NotFound, Path: path, Msg: "this version is not text, is too long, or is no longer kept"}
	}
	return map[string]string{"path": path, "text": text}, nil
}

// jsonQuestion is a call that waits for a person.
type jsonQuestion struct {
	ID         string      `json:"id"`
	Who        string      `json:"who"`
	Session    string      `json:"session,omitempty"`
	Since      time.Time   `json:"since"`
	Deadline   time.Time   `json:"deadline"`
	Paths      []askedPath `json:"paths"`
	Rules      string      `json:"rules"`
	Diff       string      `json:"diff,omitempty"`
	Below      string      `json:"below"` // the directory that the paths of the diff begin at
	Allow      jsonForm    `json:"allow"`
	AllSession *jsonForm   `json:"allowSession,omitempty"`
	Deny       jsonForm    `json:"deny"` // with a field "reason" to fill in
}

// jsonForm is a call that can be made once, by sending its fields to do/TOOL.
type jsonForm struct {
	Tool   string     `json:"tool"`
	Fields url.Values `json:"fields"`
}

func (r *request) jsonForm(tool string, args url.Values, open ...string) jsonForm {
	sealed := r.seal(tool, args, open...)
	args.Set("seal", sealed)
	return jsonForm{tool, args}
}

func (r *request) waitingJSON() (any, error) {
	list, err := r.ws.Waiting(r.Context())
	if err != nil {
		return nil, err
	}
	out := []jsonQuestion{}
	for i := range list {
		w := &list[i]
		q := r.question(w, false, new(0))
		asked := jsonQuestion{ID: w.ID, Who: q.Actor.Name, Session: w.Question.Actor.Session, Since: w.Since, Deadline: w.Deadline, Paths: q.Paths, Rules: q.Rules,
			Diff: w.Question.Diff, Below: w.Below, Allow: r.jsonForm("allow", url.Values{"id": {w.ID}}), Deny: r.jsonForm("deny", url.Values{"id": {w.ID}}, "reason")}
		if w.ForSession {
			asked.AllSession = new(r.jsonForm("allow", url.Values{"id": {w.ID}, "session": {"true"}}))
		}
		out = append(out, asked)
	}
	return map[string]any{"waiting": out}, nil
}

// jsonPreview is what a call would do, as the page shows it before the call is made.
type jsonPreview struct {
	Title     string            `json:"title"`
	Button    string            `json:"button"`
	Summary   string            `json:"summary,omitempty"`
	Empty     string            `json:"empty,omitempty"` // why it would do nothing
	Notes     []string          `json:"notes,omitempty"`
	Files     []jsonPreviewFile `json:"files"`
	More      int               `json:"more,omitempty"`      // files that are not listed
	Obstacles []jsonError       `json:"obstacles,omitempty"` // what stops it
	Stays     []jsonError       `json:"stays,omitempty"`     // what an undo leaves, as asked
	Skip      string            `json:"skip,omitempty"`      // TOOL?ARGUMENTS of the undo of all that does not conflict
	Form      *jsonForm         `json:"form,omitempty"`      // makes the call; none if it cannot be made
}

type jsonPreviewFile struct {
	Did  string `json:"did"`
	Path string `json:"path"`
	To   string `json:"to,omitempty"`
	Diff string `json:"diff,omitempty"`
}

func (r *request) confirmJSON() (any, error) {
	page, err := r.confirm()
	if err != nil {
		return nil, err
	}
	p := page.Data.(*confirmPage)
	out := jsonPreview{Title: p.Title, Button: p.Button, Summary: p.Summary, Empty: p.Empty, Notes: p.Notes, Files: []jsonPreviewFile{}, More: p.Omitted,
		Obstacles: p.Obstacles.json(), Stays: p.Stays.json(), Skip: p.Skip}
	for i := range p.Files {
		f := &p.Files[i]
		out.Files = append(out.Files, jsonPreviewFile{f.Did, f.Path, f.ToPath, f.Patch})
	}
	if p.Form != nil {
		fields := url.Values{"seal": {p.Form.Seal}}
		for _, f := range p.Form.Fields {
			fields.Add(f.Name, f.Value)
		}
		out.Form = &jsonForm{p.Tool, fields}
	}
	return out, nil
}

// sendResult answers a form that a program sent.
func (r *request) sendResult(w http.ResponseWriter, result api.Result) {
	if !result.OK() {
		r.site.sendJSON(w, http.StatusConflict, jsonErrors{r.obstaclesOf(result).json()})
		return
	}
	out := struct {
		Entry string `json:"entry,omitempty"` // that the call made
	}{}
	if o, ok := result.(*report.Object); ok && o.Meta != nil {
		out.Entry = o.Meta.Tx
	}
	r.site.sendJSON(w, http.StatusOK, out)
}
