package pages

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/wire"
)

// fleet describes all workspaces at one time.
type fleet struct {
	spaces []*space // by name
	byID   map[string]*space
	all    bool // the person sees every workspace
}

// space is a workspace, from all that the hub knows of it.
type space struct {
	wire.Member
	Presence *wire.Presence
	Index    index.Workspace
	Wanted   *wire.PackName // the policy pack that it should have
	Finding  *chain.Finding // what its presence says against its records
}

// state says in a word how a workspace is.
type state string

// The states, the worst first.
const (
	ill     state = "ill"     // its log was changed, or it says that something is wrong
	stopped state = "stopped" // it is read-only
	behind  state = "behind"  // it has records that the hub does not have
	away    state = "away"    // it does not say anything
	here    state = "here"
	revoked state = "revoked"
)

// fleetFor returns what a person may see. What is known of all is looked up once a second.
func (s *Site) fleetFor(ctx context.Context, who control.Person) (*fleet, error) {
	s.mu.Lock()
	f, fresh := s.fleet, time.Since(s.fleetAt) < s.fleetAge
	s.mu.Unlock()
	if f == nil || !fresh {
		var err error
		if f, err = s.lookUp(ctx); err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.fleet, s.fleetAt = f, time.Now()
		s.mu.Unlock()
	}
	if len(who.Labels) == 0 {
		return f, nil
	}
	only := &fleet{byID: map[string]*space{}}
	for _, sp := range f.spaces {
		if who.Sees(sp.Labels) {
			only.spaces = append(only.spaces, sp)
			only.byID[sp.ID] = sp
		}
	}
	return only, nil
}

// forget has the next page look the fleet up again.
func (s *Site) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fleet = nil
}

func (s *Site) lookUp(ctx context.Context) (*fleet, error) {
	members, err := s.Broker.Members(ctx)
	presences, pErr := s.Broker.Presences(ctx)
	known, xErr := s.Index.Workspaces(ctx)
	wanted, wErr := s.Control.WantedPacks(ctx, members)
	if err := errors.Join(err, pErr, xErr, wErr); err != nil {
		return nil, err
	}
	f := &fleet{byID: map[string]*space{}, all: true}
	for i, m := range members {
		sp := &space{Member: m, Index: known[m.ID], Wanted: wanted[i]}
		if p, ok := presences[m.ID]; ok {
			sp.Presence = &p
			sp.Finding = chain.Compare(sp.Index.State, p)
		}
		f.spaces = append(f.spaces, sp)
		f.byID[m.ID] = sp
	}
	slices.SortStableFunc(f.spaces, func(a, b *space) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	return f, nil
}

// names returns the ids of the workspaces for a query of the index: nil for all.
func (f *fleet) names(has func(*space) bool) []string {
	if f.all && has == nil {
		return nil
	}
	out := []string{}
	for _, sp := range f.spaces {
		if has == nil || has(sp) {
			out = append(out, sp.ID)
		}
	}
	return out
}

// labels lists the labels of the workspaces.
func (f *fleet) labels() (out []string) {
	for _, sp := range f.spaces {
		out = append(out, sp.Labels...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// State says how the workspace is.
func (s *space) State() state {
	switch p := s.Presence; {
	case s.Revoked != nil:
		return revoked
	case s.Index.Grave > 0 || s.Finding != nil || p != nil && (p.Problem != "" || p.Lost != nil):
		return ill
	case p == nil || p.Away(time.Now()):
		return away
	case p.Frozen != nil:
		return stopped
	case p.Behind() > 0:
		return behind
	}
	return here
}

// Why says why the workspace is in its state.
func (s *space) Why() string {
	p := s.Presence
	switch s.State() {
	case revoked:
		return s.Member.Why
	case ill:
		switch {
		case s.Finding != nil:
			return s.Finding.Text
		case s.Index.Grave > 0:
			return "its log does not verify"
		case p.Problem != "":
			return p.Problem
		}
		return "its log lost a record that the hub has"
	case stopped:
		return p.Frozen.Reason
	}
	return ""
}

// Seen returns when the workspace was heard of last.
func (s *space) Seen() time.Time {
	if s.Presence != nil {
		return s.Presence.At
	}
	return s.Index.Arrived
}

// Behind returns how many records the hub does not have; 0 if that is not known.
func (s *space) Behind() int {
	if s.Presence == nil {
		return 0
	}
	return int(s.Presence.Behind())
}

// OutOfPolicy says what is wrong with the policy of the workspace.
func (s *space) OutOfPolicy() string {
	p := s.Presence
	switch {
	case s.Wanted == nil || p == nil:
		return ""
	case p.PackError != "":
		return "refused: " + p.PackError
	case p.Pack == nil:
		return "not installed"
	case p.Pack.Name != s.Wanted.Name || p.Pack.Version != s.Wanted.Version:
		return "should be " + s.Wanted.String()
	}
	return ""
}

var signs = map[state]string{ill: "✕", stopped: "‖", behind: "!", away: "○", here: "✓", revoked: "✕"}

// Sign returns the sign of the state, so that states can be told apart without colour.
func (s *space) Sign() string { return signs[s.State()] }

// Good says how a state is coloured: good, warn, bad or quiet.
func (s *space) Outcome() string {
	return map[state]string{ill: "refused", stopped: "aborted", behind: "aborted", away: "undone", here: "done", revoked: "undone"}[s.State()]
}

// tile counts the workspaces in one state.
type tile struct {
	State   state
	Sign    string
	Good    string
	Count   int
	Href    string
	Current bool
}

// fleetView is the data of the page "fleet".
type fleetView struct {
	Tiles    []tile
	Labels   []string
	Label    string
	State    string
	Q        string
	Spaces   []spaceRow
	More     int
	All      string
	Count    int
	Findings []chain.Finding
	Unknown  []chain.Finding // of messages that no workspace can have sent
}

type spaceRow struct {
	*space
	Href string
}

// maxSpaces limits the workspaces of a page.
const maxSpaces = 200

func (r *request) fleetPage() (page, error) {
	q := r.URL.Query()
	v := &fleetView{Labels: r.f.labels(), Label: q.Get("label"), State: q.Get("state"), Q: q.Get("q"), All: r.root, Count: len(r.f.spaces)}
	counts := map[state]int{}
	limit := maxSpaces
	if q.Get("all") != "" {
		limit = len(r.f.spaces)
	}
	for _, sp := range r.f.spaces {
		if v.Label != "" && !slices.Contains(sp.Labels, v.Label) || !strings.Contains(strings.ToLower(sp.Name+" "+sp.ID), strings.ToLower(v.Q)) {
			continue
		}
		counts[sp.State()]++
		if v.State != "" && v.State != string(sp.State()) {
			continue
		}
		if len(v.Spaces) == limit {
			v.More++
			continue
		}
		v.Spaces = append(v.Spaces, spaceRow{sp, r.workspaceHref(sp.ID)})
	}
	for _, t := range []tile{{State: here, Good: "good"}, {State: behind, Good: "warn"}, {State: away, Good: "none"}, {State: stopped, Good: "warn"}, {State: ill, Good: "bad"}, {State: revoked, Good: "none"}} {
		t.Sign, t.Count, t.Current = signs[t.State], counts[t.State], v.State == string(t.State)
		t.Href = r.to("", "state", string(t.State), "label", v.Label, "q", v.Q)
		if t.Count == 0 && t.State != here {
			t.Good = "none"
		}
		if t.Count > 0 || t.State != revoked {
			v.Tiles = append(v.Tiles, t)
		}
	}
	var err error
	if v.Findings, err = r.site.Index.Findings(r.Context(), r.f.names(nil), true, 10); err != nil {
		return page{}, err
	}
	return page{Name: "fleet", Title: "Fleet", Data: v}, nil
}

// workspaceView is the data of the page "workspace".
type workspaceView struct {
	*space
	Findings   []chain.Finding
	Entries    []callRow
	Timeline   string
	Sessions   string
	Repository []link // the other clones
	Rename     *form
	Expel      *form
	Stop       *form
	LabelText  string
}

// link is a text with an address.
type link struct{ Text, To string }

func (r *request) workspacePage() (page, error) {
	sp, err := r.member(r.PathValue("ws"))
	if err != nil {
		return page{}, err
	}
	v := &workspaceView{space: sp, Timeline: r.to("timeline", "workspace", sp.ID), Sessions: r.to("sessions", "workspace", sp.ID), LabelText: strings.Join(sp.Labels, ", ")}
	if v.Findings, err = r.site.Index.Findings(r.Context(), []string{sp.ID}, false, 50); err != nil {
		return page{}, err
	}
	if v.Finding != nil {
		v.Findings = append([]chain.Finding{*v.Finding}, v.Findings...)
	}
	if v.Entries, _, err = r.calls(index.Query{Workspaces: []string{sp.ID}, Limit: 10}); err != nil {
		return page{}, err
	}
	for _, other := range r.f.spaces {
		if sp.Index.Repository != "" && other.Index.Repository == sp.Index.Repository && other != sp {
			v.Repository = append(v.Repository, link{other.Name, r.workspaceHref(other.ID)})
		}
	}
	if r.rules() && sp.Revoked == nil {
		v.Rename = r.form("member", r.workspaceHref(sp.ID), []string{"workspace", sp.ID}, "name", "labels")
		v.Expel = r.form("expel", r.workspaceHref(sp.ID), []string{"workspace", sp.ID}, "reason")
	}
	if r.who.May(control.Approver) && sp.Revoked == nil {
		v.Stop = r.form("stop", r.to("stop"), []string{"workspace", sp.ID}, "reason")
	}
	return page{Name: "workspace", Title: sp.Name, Data: v}, nil
}

// rules reports whether the person may decide for the whole fleet.
func (r *request) rules() bool { return r.who.May(control.Admin) && len(r.who.Labels) == 0 }
