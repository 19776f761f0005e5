package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/web"

	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/wire"
)

// waitingView is the data of the page "waiting".
type waitingView struct {
	Questions []question
	Labels    []string
	Label     string
	All       string
}

// question is a call that waits.
type question struct {
	wire.Question
	Space, SpaceHref string
	Labels           []string
	TimeLeft         string
	Paths            []askedPath
	Diffs            []web.NotedDiff
	Answered         string // what was answered already
	Allow, Session   *form
	Deny             *form
	WhyNot           string // why it cannot be answered here
}

type askedPath struct{ Do, Path, Rule, Why, Href string }

// questions lists the calls that wait which the person may see, the oldest first.
func (r *request) questions() ([]wire.Question, error) {
	all, err := r.site.Broker.Questions(r.Context())
	var out []wire.Question
	for _, q := range all {
		if r.f.byID[q.Workspace] != nil {
			out = append(out, q)
		}
	}
	return out, err
}

func (r *request) waitingPage() (page, error) {
	v := &waitingView{Labels: r.f.labels(), Label: r.URL.Query().Get("label"), All: r.to("waiting")}
	list, err := r.questions()
	if err != nil {
		return page{}, err
	}
	for i := range list {
		sp := r.f.byID[list[i].Workspace]
		if v.Label != "" && !slices.Contains(sp.Labels, v.Label) {
			continue
		}
		q, err := r.question(sp, &list[i])
		if err != nil {
			return page{}, err
		}
		v.Questions = append(v.Questions, *q)
	}
	title := "Waiting"
	if len(v.Questions) > 0 {
		title = fmt.Sprintf("Waiting (%d)", len(v.Questions))
	}
	return page{Name: "waiting", Title: title, Data: v, Reload: len(v.Questions) == 0}, nil
}

func (r *request) question(sp *space, w *wire.Question) (*question, error) {
	q := &question{Question: *w, Space: sp.Name, SpaceHref: r.workspaceHref(sp.ID), Labels: sp.Labels, TimeLeft: time.Until(w.Deadline).Round(time.Second).String(), Diffs: web.NotedDiffs(r.Request, w.Diff)}
	does := web.WhatIsDone(w.Diff)
	for _, a := range w.Paths {
		do := "read"
		if a.Write {
			do = cmp.Or(does[a.Path], "change")
		}
		q.Paths = append(q.Paths, askedPath{do, a.Path, a.Rule, a.Why, r.to("file", "repository", sp.ID, "path", a.Path)})
	}
	was, err := r.site.Control.Answered(r.Context(), w)
	switch {
	case err != nil:
		return nil, err
	case was != nil:
		q.Answered = "Answered by " + was.By + "; the workspace has not said yet that the call went on."
	case !r.who.May(control.Approver):
		q.WhyNot = "Your token shows what waits. An approver answers."
	case w.PageOnly:
		q.WhyNot = "The policy of this workspace takes an answer from its own page only."
	case sp.Presence != nil && !sp.Presence.Allow.Approve:
		q.WhyNot = "The owner of this workspace did not allow the hub to answer."
	default:
		same := []string{"workspace", w.Workspace, "id", w.ID, "digest", w.Digest}
		next := r.to("waiting")
		q.Deny = r.form("answer", next, append(same[:6:6], "allow", "false"), "reason")
		q.Allow = r.form("answer", next, append(same[:6:6], "allow", "true"))
		if w.ForSession {
			q.Session = r.form("answer", next, append(same[:6:6], "allow", "true", "session", "true"))
		}
	}
	return q, nil
}

// Others returns how many paths beside the first are asked about.
func (q *question) Others() int { return len(q.Paths) - 1 }

// undoView is the data of the page "undo".
type undoView struct {
	Title     string
	Space     *space
	SpaceHref string
	What      link
	Reply     *wire.Reply
	Diffs     []any
	Form      *form
	Skip      string // the preview of what does not conflict
	Skipping  bool
	Cancel    string
	Problem   string
}

// undoPage asks the workspace what an undo would do, and offers to do exactly that.
func (r *request) undoPage() (page, error) {
	q := r.URL.Query()
	sp, err := r.member(q.Get("workspace"))
	if err != nil {
		return page{}, err
	}
	u := wire.Undo{Entry: q.Get("entry"), Session: q.Get("session"), SkipConflicts: q.Get("skip") == "true"}
	v := &undoView{Title: "Undo a session", Space: sp, SpaceHref: r.workspaceHref(sp.ID), Skipping: u.SkipConflicts, Cancel: r.sessionHref(sp.ID, u.Session)}
	v.What = link{u.Session, v.Cancel}
	if u.Entry != "" {
		v.Title, v.Cancel = "Undo "+u.Entry, r.entryHref(sp.ID, u.Entry)
		v.What = link{u.Entry, v.Cancel}
	}
	v.Reply, err = r.site.Control.Preview(r.Context(), r.who, sp.ID, u)
	switch {
	case err != nil && statusOf(err) != http.StatusConflict:
		return page{}, err
	case err != nil:
		v.Problem, v.Reply = err.Error(), &wire.Reply{}
	case !v.Reply.OK:
		if !u.SkipConflicts && v.Reply.Kind != wire.NotAllowed {
			v.Skip = web.WithQuery(r.URL.RequestURI(), "skip", "true")
		}
	case v.Reply.WhyNot != "": // it is shown, without a button
	case v.Reply.Effect != "" && len(v.Reply.Files) > 0:
		fields := []string{"workspace", sp.ID, "entry", u.Entry, "session", u.Session, "effect", v.Reply.Effect}
		if u.SkipConflicts {
			fields = append(fields, "skip", "true")
		}
		v.Form = r.form("undo", v.Cancel, fields)
	}
	v.Diffs = r.diffs(v.Reply.Files)
	return page{Name: "undo", Title: v.Title, Data: v}, nil
}

// policyView is the data of the page "policy".
type policyView struct {
	Packs    []packRow
	Rollouts []rolloutRow
	Labels   []string
	Publish  *form
	Out      []spaceRow // workspaces that do not have what they should
}

type packRow struct {
	control.Pack
	Has     int // workspaces that have it
	RollOut *form
}

type rolloutRow struct {
	control.Act
	Has, Of int
}

func (r *request) policyPage() (page, error) {
	packs, err := r.site.Control.Packs(r.Context())
	if err != nil {
		return page{}, err
	}
	rollouts, err := r.site.Control.Rollouts(r.Context())
	if err != nil {
		return page{}, err
	}
	v := &policyView{Labels: r.f.labels()}
	runs := func(sp *space, name string, version uint64) bool {
		return sp.Presence != nil && sp.Presence.Pack != nil && sp.Presence.Pack.Name == name && sp.Presence.Pack.Version == version
	}
	for _, p := range packs {
		row := packRow{Pack: p}
		for _, sp := range r.f.spaces {
			if runs(sp, p.Name, p.Version) {
				row.Has++
			}
		}
		if r.rules() {
			row.RollOut = r.form("rollout", r.to("policy"), []string{"pack", p.Name, "version", strconv.FormatUint(p.Version, 10)}, "label")
		}
		v.Packs = append(v.Packs, row)
	}
	for _, a := range rollouts {
		row := rolloutRow{Act: a}
		for _, sp := range r.f.spaces {
			if sp.Revoked == nil && (a.Rollout.Label == "" || slices.Contains(sp.Labels, a.Rollout.Label)) {
				row.Of++
				if runs(sp, a.Rollout.Pack.Name, a.Rollout.Pack.Version) {
					row.Has++
				}
			}
		}
		v.Rollouts = append(v.Rollouts, row)
	}
	for _, sp := range r.f.spaces {
		if sp.Revoked == nil && sp.OutOfPolicy() != "" && len(v.Out) < maxSpaces {
			v.Out = append(v.Out, spaceRow{sp, r.workspaceHref(sp.ID)})
		}
	}
	if r.rules() {
		v.Publish = r.form("publish", r.to("policy"), nil, "pack")
	}
	return page{Name: "policy", Title: "Policy", Data: v}, nil
}

// stopView is the data of the page "stop".
type stopView struct {
	Stops  []stopRow
	Labels []string
	Stop   *form // with a label that the person chooses
	Scoped bool  // the token is for some labels only
	Frozen []spaceRow
}

type stopRow struct {
	control.Act
	Target string
	Resume *form
}

func (r *request) stopPage() (page, error) {
	stops, err := r.site.Control.Stops(r.Context())
	if err != nil {
		return page{}, err
	}
	v := &stopView{Labels: r.f.labels(), Scoped: len(r.who.Labels) > 0}
	if v.Scoped {
		v.Labels = r.who.Labels
	}
	for _, a := range stops {
		row := stopRow{Act: a, Target: "all workspaces"}
		switch {
		case a.Stop.Workspace != "":
			sp := r.f.byID[a.Stop.Workspace]
			if sp == nil {
				continue
			}
			row.Target = sp.Name
		case a.Stop.Label != "":
			row.Target = "label " + a.Stop.Label
		}
		if r.who.May(control.Approver) && (a.Stop.Workspace != "" || !v.Scoped || slices.Contains(r.who.Labels, a.Stop.Label)) {
			row.Resume = r.form("resume", r.to("stop"), []string{"workspace", a.Stop.Workspace, "label", a.Stop.Label})
		}
		v.Stops = append(v.Stops, row)
	}
	for _, sp := range r.f.spaces {
		if sp.Presence != nil && sp.Presence.Frozen != nil && len(v.Frozen) < maxSpaces {
			v.Frozen = append(v.Frozen, spaceRow{sp, r.workspaceHref(sp.ID)})
		}
	}
	if r.who.May(control.Approver) {
		v.Stop = r.form("stop", r.to("stop"), nil, "label", "reason")
	}
	return page{Name: "stop", Title: "Stop", Data: v}, nil
}

// actsView is the data of the page "acts".
type actsView struct {
	Rows     []actRow
	Older    string
	Verified *control.Verified
	Problem  string
	Check    string
}

type actRow struct {
	control.Act
	Says    string
	Results []actResult
	More    int
}

type actResult struct {
	control.Result
	Space string
}

// sees reports whether a person may see an act: one about a workspace that they may not see is not shown.
func (r *request) sees(a *control.Act) bool {
	about := a.Workspace
	if a.Stop != nil {
		about = a.Stop.Workspace
	}
	return r.f.all || about == "" && a.Kind != control.ActIssue && a.Kind != control.ActInvite || r.f.byID[about] != nil
}

func (r *request) actsPage() (page, error) {
	before, _ := strconv.ParseUint(r.URL.Query().Get("before"), 10, 64)
	list, err := r.site.Control.Acts(r.Context(), before, 100)
	if err != nil {
		return page{}, err
	}
	v := &actsView{Check: r.to("acts", "check", "1")}
	for _, a := range list {
		if r.sees(&a) {
			v.Rows = append(v.Rows, r.actRow(a))
		}
	}
	if len(list) == 100 {
		v.Older = r.to("acts", "before", strconv.FormatUint(list[99].Seq, 10))
	}
	if r.URL.Query().Get("check") != "" {
		if v.Verified, err = r.site.Control.Verify(r.Context(), api.Head{}); err != nil {
			v.Problem = err.Error()
		}
	}
	return page{Name: "acts", Title: "Acts", Data: v}, nil
}

func (r *request) actRow(a control.Act) actRow {
	row := actRow{Act: a, Says: r.says(&a)}
	for _, res := range a.Results {
		sp := r.f.byID[res.Workspace]
		switch {
		case sp == nil:
		case len(row.Results) == 20:
			row.More++
		default:
			row.Results = append(row.Results, actResult{res, sp.Name})
		}
	}
	return row
}

// says words an act.
func (r *request) says(a *control.Act) string {
	name := a.Workspace
	if sp := r.f.byID[a.Workspace]; sp != nil {
		name = sp.Name
	}
	switch a.Kind {
	case control.ActIssue:
		return fmt.Sprintf("issued a token: %s for %s%s", a.Token.Role, a.Token.Name, ofLabels(a.Token.Labels))
	case control.ActRevoke:
		return "revoked the token of " + a.Text
	case control.ActPublish:
		return "published the policy " + a.Text
	case control.ActRollout:
		return "rolled out " + a.Rollout.Pack.String() + " to " + cmp.Or(a.Rollout.Label, "all workspaces")
	case control.ActAnswer:
		said := "denied"
		if a.Answer.Allow {
			said = "allowed"
		}
		if a.Answer.Session {
			said += " for the session"
		}
		return said + " a call of " + name + because(a.Answer.Reason)
	case control.ActUndo:
		return "undid " + cmp.Or(a.Undo.Entry, "the session "+a.Undo.Session) + " of " + name
	case control.ActStop, control.ActResume:
		target := cmp.Or(a.Stop.Label, "all workspaces")
		if a.Stop.Workspace != "" {
			target = a.Stop.Workspace
			if sp := r.f.byID[target]; sp != nil {
				target = sp.Name
			}
		}
		if a.Kind == control.ActStop {
			return "stopped " + target + because(a.Stop.Reason)
		}
		return "resumed " + target
	case control.ActInvite:
		return fmt.Sprintf("invited %s%s: %s", web.Plural(a.Invite.Uses, "workspace"), ofLabels(a.Invite.Labels), a.Invite.Name)
	case control.ActMember:
		return "named a workspace " + a.Member.Name + ofLabels(a.Member.Labels)
	case control.ActExpel:
		return "revoked the key of " + name + because(a.Member.Why)
	case control.ActSignIn:
		return "signed in"
	case control.ActOutcome:
		return fmt.Sprintf("logged what became of act %d", a.Of)
	}
	return string(a.Kind)
}

func ofLabels(labels []string) string {
	if len(labels) == 0 {
		return ""
	}
	return ", label " + strings.Join(labels, ", ")
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// accessView is the data of the page "access".
type accessView struct {
	Tokens []tokenRow
	Issue  *form
	Invite *form
}

type tokenRow struct {
	control.Token
	Revoke *form
}

func (r *request) accessPage() (page, error) {
	if !r.rules() {
		return page{}, control.ErrRole
	}
	list, err := r.site.Control.Tokens(r.Context())
	if err != nil {
		return page{}, err
	}
	v := &accessView{Issue: r.form("issue", r.to("access"), nil, "name", "role", "labels", "days"), Invite: r.form("invite", r.to("access"), nil, "name", "labels", "uses", "hours")}
	for _, t := range list {
		v.Tokens = append(v.Tokens, tokenRow{t, r.form("revoke", r.to("access"), []string{"token", t.ID})})
	}
	return page{Name: "access", Title: "Access", Data: v}, nil
}

// news returns what open pages are told: how far the index is, and how many calls wait for a person.
func (s *Site) news(ctx context.Context, who control.Person) (head uint64, waiting int) {
	head, _ = s.Index.Position(ctx)
	f, err := s.fleetFor(ctx, who)
	if err != nil {
		return head, 0
	}
	all, err := s.Broker.Questions(ctx)
	if err != nil {
		return head, 0
	}
	for _, q := range all {
		if f.byID[q.Workspace] != nil {
			waiting++
		}
	}
	return head, waiting
}

// pollInterval is the shortest time between two notices to an open page.
const pollInterval = time.Second

// events serves the event stream of one open page, until its person signs out or loses the token.
func (s *Site) events(w http.ResponseWriter, r *http.Request) {
	req := s.request(r)
	if req.root == "" {
		s.stranger(w, req)
		return
	}
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	ctl := http.NewResponseController(w)
	send := func(format string, args ...any) bool {
		ctl.SetWriteDeadline(time.Now().Add(writeTimeout)) //nolint:errcheck // only a test's connection has no deadlines
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && ctl.Flush() == nil
	}
	ok := send("retry: 1000\n\n")
	over := s.logins.Ended(r)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	last, told := "", time.Now()
	for ok {
		if now := s.request(r); now.root == "" && now.err == nil {
			return
		}
		head, waiting := s.news(r.Context(), req.who)
		data, _ := json.Marshal(map[string]any{"head": head, "waiting": waiting}) // numbers
		switch {
		case string(data) != last:
			last, told = string(data), time.Now()
			ok = send("event: news\ndata: %s\n\n", data)
		case time.Since(told) > 15*time.Second:
			told = time.Now()
			ok = send(": still here\n\n")
		}
		select {
		case <-tick.C:
		case <-over:
			return
		case <-r.Context().Done():
			return
		}
	}
}
