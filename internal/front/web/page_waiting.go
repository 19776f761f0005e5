package web

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/web/diff"
)

// waitingPage is the data of the page of calls that wait.
type waitingPage struct {
	Questions []question
	Refused   *obstacles // why the last answer was refused
	Done      string     // what the last answer did
	AllHref   string     // the page of all calls, on the page of one
}

// question is a call that waits.
type question struct {
	api.Waiting
	Actor       actor
	SessionHref string
	TimeLeft    string // until it is refused
	Wait        string // how long the agent waits in all
	Paths       []askedPath
	Rules       string
	Diffs       []askedDiff
	Lines       int    // the length of the diff
	AloneHref   string // the page of this question, if its diff has no room here
	Once        answerForm
	Session     *answerForm // nil if the call belongs to no session
	Deny        answerForm
}

type askedPath struct {
	Do   string `json:"do"`
	Path string `json:"path"`
	Rule string `json:"rule"`
	Why  string `json:"why,omitempty"`
	File string `json:"-"` // the page of the file
}

// askedDiff is the diff of one file of a question, and what a diff cannot say of it.
type askedDiff struct {
	Notes []string
	Diff  *diffView
}

// answerForm is a form that answers a question.
type answerForm struct{ Action, Seal, Next string }

// answerTexts confirm an answer.
var answerTexts = map[string]string{
	"allow": "Allowed. The call continues.",
	"deny":  "Denied. The agent gets the reason.",
}

// maxQuestionLines limits the lines of diffs on a page. The first question is shown whole in any case.
const maxQuestionLines = 4000

func (r *request) waiting() (page, error) {
	list, err := r.ws.Waiting(r.Context())
	if err != nil {
		return page{}, err
	}
	p := &waitingPage{Refused: r.obstaclesOf(r.refusal), Done: answerTexts[r.URL.Query().Get("done")]}
	room, only := maxQuestionLines, r.URL.Query().Get("id")
	for i := range list {
		switch w := &list[i]; {
		case only == "":
			p.Questions = append(p.Questions, r.question(w, i == 0, &room))
		case only == w.ID:
			p.Questions, p.AllHref = append(p.Questions, r.question(w, true, &room)), r.ws.Page("waiting")
		}
	}
	title := "Waiting"
	if n := len(list); n > 0 {
		title = fmt.Sprintf("Waiting (%d)", n)
	}
	return page{Name: "waiting", Title: title, Data: p, Reload: len(list) == 0}, nil
}

// question makes one question. It has its diff if there is room for it, since many long diffs would make the page unusable.
// Only a question with its whole diff can be allowed.
func (r *request) question(w *api.Waiting, whole bool, room *int) question {
	q := question{Waiting: *w, Actor: actorOf(w.Question.Actor.Agent, w.Question.Actor.Client, ""), SessionHref: r.ws.SessionPage(w.Question.Actor.Session),
		TimeLeft: duration(max(0, time.Until(w.Deadline))), Wait: duration(w.Deadline.Sub(w.Since).Round(time.Second))}
	parts := splitDiffs(w.Question.Diff)
	does := whatIsDone(parts)
	for _, a := range w.Question.Paths {
		do := "read"
		if a.Write {
			do = cmp.Or(does[a.Path], "change")
		}
		q.Paths = append(q.Paths, askedPath{do, a.Path, a.Rule, a.Why, r.ws.FilePage(path.Join(w.Below, a.Path))})
	}
	q.Rules = ruleTexts(w.Question.Paths)
	if q.Lines = strings.Count(w.Question.Diff, "\n"); q.Lines > *room && !whole {
		q.AloneHref = r.ws.With("waiting", "id", w.ID)
		r.addForms(&q)
		return q
	}
	*room -= q.Lines
	for _, part := range parts {
		views := r.diffViews(part.text)
		if len(views) == 0 {
			q.Diffs = append(q.Diffs, askedDiff{Notes: part.notes})
		}
		for i, v := range views {
			d := askedDiff{Diff: v}
			if i == 0 {
				d.Notes = part.notes
			}
			q.Diffs = append(q.Diffs, d)
		}
	}
	r.addForms(&q)
	return q
}

// whatIsDone returns what the diffs of a question do to each path.
func whatIsDone(parts []notedDiff) map[string]string {
	verbs := map[diff.Op]string{diff.Added: "create", diff.Deleted: "delete", diff.Moved: "move", diff.Changed: "edit"}
	out := map[string]string{}
	for _, part := range parts {
		for _, f := range diff.ParseAll(part.text) {
			for _, p := range []string{f.From, f.To} {
				if p != "" {
					out[p] = verbs[f.Op]
				}
			}
		}
	}
	return out
}

// Others returns how many paths beside the first are asked about.
func (q *question) Others() int { return len(q.Paths) - 1 }

// addForms adds the forms that answer a question.
func (r *request) addForms(q *question) {
	form := func(tool string, args url.Values, open ...string) answerForm {
		args.Set("id", q.ID)
		return answerForm{r.ws.Page("do", tool), r.seal(tool, args, open...), r.ws.With("waiting", "done", tool)}
	}
	q.Once = form("allow", url.Values{})
	q.Deny = form("deny", url.Values{}, "reason")
	if q.ForSession {
		q.Session = new(form("allow", url.Values{"session": {"true"}}))
	}
}

// ruleTexts lists the rules that a question is about, each once.
func ruleTexts(about []api.AskedPath) string {
	var out []string
	seen := map[string]bool{}
	for _, a := range about {
		do := "reading"
		if a.Write {
			do = "changing"
		}
		text := do + " " + a.Rule
		if a.BuiltIn {
			text += " (built in: " + a.Why + ")"
		}
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// notedDiff is the diff of one file of a question, with the notes before it.
type notedDiff struct {
	notes []string
	text  string
}

// splitDiffs splits the diff of a question into files. Lines that begin with "# " stand between diffs and are notes. A patch,
// which begins otherwise, is one part.
func splitDiffs(text string) (out []notedDiff) {
	if text == "" || !strings.HasPrefix(text, "# ") && !strings.HasPrefix(text, "diff --git ") {
		if text != "" {
			out = append(out, notedDiff{text: text})
		}
		return out
	}
	var now notedDiff
	for line := range strings.Lines(text) {
		note := strings.HasPrefix(line, "# ")
		if now.text != "" && (note || strings.HasPrefix(line, "diff --git ")) {
			out, now = append(out, now), notedDiff{}
		}
		if note {
			now.notes = append(now.notes, strings.TrimSpace(line[2:]))
			continue
		}
		now.text += line
	}
	return append(out, now)
}
