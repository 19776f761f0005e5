package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/fail"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/wire"
)

// askTimeout limits the time of a workspace to reply.
const askTimeout = 20 * time.Second

// atOnce limits the workspaces that are asked at the same time.
const atOnce = 64

// ask asks a workspace for an act. The id of an answer or an undo is the act's, so that one that is sent again is done once.
func (c *Control) ask(ctx context.Context, a *Act, ws string, ask wire.Ask) (Result, *wire.Reply) {
	ask.By = a.By
	if a.Kind == ActAnswer || a.Kind == ActUndo {
		ask.ID = a.H[:32]
	} // else a new one: it may have to be asked again later, when the workspace came back in another state
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	reply, err := c.b.Ask(ctx, ws, ask)
	r := Result{Workspace: ws}
	switch {
	case errors.Is(err, broker.ErrAway):
		r.Away, r.Text = true, "not there"
	case err != nil:
		r.Text = err.Error()
	default:
		r.OK, r.Text, r.Tx = reply.OK, clip(reply.Text), reply.Tx
	}
	return r, reply
}

// clip bounds what a workspace says before it is logged.
func clip(s string) string {
	if len(s) > 2000 {
		return strings.ToValidUTF8(s[:2000], "") + "…"
	}
	return s
}

// member returns a workspace that a person may act on.
func (c *Control) member(ctx context.Context, who Person, ws string) (*wire.Member, error) {
	m, err := c.b.Member(ctx, ws)
	if err != nil {
		return nil, err
	}
	if !who.Sees(m.Labels) {
		return nil, ErrLabel
	}
	return m, nil
}

// Question returns a question that waits, if a person may see it.
func (c *Control) Question(ctx context.Context, who Person, ws, id string) (*wire.Question, error) {
	if _, err := c.member(ctx, who, ws); err != nil {
		return nil, err
	}
	all, err := c.b.Questions(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Workspace == ws && all[i].ID == id {
			return &all[i], nil
		}
	}
	return nil, errors.New("the call does not wait any more: it was answered, or its time is over")
}

// Answered reports whether the hub gave an answer to a question.
func (c *Control) Answered(ctx context.Context, q *wire.Question) (a *Act, err error) {
	err = c.look(ctx, func(s *state) {
		if was, ok := s.answers[answerKey(q.Workspace, q.ID, q.Digest)]; ok {
			a = &was
		}
	})
	return a, err
}

// Answer answers a question, once. The answer is bound to the digest that the person was shown: if the call would do anything else by now, it is
// refused, here or by the workspace.
func (c *Control) Answer(ctx context.Context, who Person, ws string, answer wire.Answer) (Result, error) {
	q, err := c.Question(ctx, who, ws, answer.ID)
	if err != nil {
		return Result{}, err
	}
	a, err := c.act(ctx, who, func(s *state) (*Act, error) {
		was, again := s.answers[answerKey(ws, answer.ID, answer.Digest)]
		switch {
		case !who.May(Approver):
			return nil, ErrRole
		case q.Digest != answer.Digest:
			return nil, errors.New("the call is another one than the one that was shown: look at it again")
		case q.PageOnly:
			return nil, errors.New("the policy of this workspace takes an answer from its own page only")
		case again:
			return nil, fmt.Errorf("%s answered it already, with %s", was.By, yesOrNo(was.Answer.Allow))
		case len(answer.Reason) > 1000:
			return nil, errors.New("the reason has more than 1,000 bytes")
		}
		return &Act{Kind: ActAnswer, Workspace: ws, Answer: &answer}, nil
	})
	if err != nil {
		return Result{}, err
	}
	r, _ := c.ask(ctx, a, ws, wire.Ask{Answer: a.Answer})
	c.outcome(ctx, a, []Result{r})
	return r, nil
}

func yesOrNo(allow bool) string {
	if allow {
		return "yes"
	}
	return "no"
}

// Preview asks a workspace what an undo would do, and what is in its way. It changes nothing.
func (c *Control) Preview(ctx context.Context, who Person, ws string, u wire.Undo) (*wire.Reply, error) {
	if !who.May(Approver) {
		return nil, ErrRole
	}
	if _, err := c.member(ctx, who, ws); err != nil {
		return nil, err
	}
	if err := c.look(ctx, func(s *state) {}); err != nil {
		return nil, err
	}
	u.Preview, u.Effect = true, ""
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return c.b.Ask(ctx, ws, wire.Ask{By: who.Name, Undo: &u})
}

// Undo undoes an entry or a session of a workspace, as its preview showed: u has the preview's effect.
func (c *Control) Undo(ctx context.Context, who Person, ws string, u wire.Undo) (Result, error) {
	if _, err := c.member(ctx, who, ws); err != nil {
		return Result{}, err
	}
	u.Preview = false
	a, err := c.act(ctx, who, func(*state) (*Act, error) {
		switch {
		case !who.May(Approver):
			return nil, ErrRole
		case (u.Entry == "") == (u.Session == ""):
			return nil, errors.New("an undo names an entry or a session")
		case u.Effect == "":
			return nil, errors.New("an undo is confirmed on its preview: it must name the effect that was shown")
		}
		return &Act{Kind: ActUndo, Workspace: ws, Undo: &u}, nil
	})
	if err != nil {
		return Result{}, err
	}
	r, _ := c.ask(ctx, a, ws, wire.Ask{Undo: a.Undo})
	c.outcome(ctx, a, []Result{r})
	return r, nil
}

// Stop is the kill switch: the workspaces with a label, one workspace or all go read-only, at once. One that is not there is stopped as soon as it
// comes back.
func (c *Control) Stop(ctx context.Context, who Person, s Stop) ([]Result, error) {
	return c.stop(ctx, who, ActStop, s)
}

// Resume ends what [Control.Stop] began with the same target.
func (c *Control) Resume(ctx context.Context, who Person, s Stop) ([]Result, error) {
	return c.stop(ctx, who, ActResume, s)
}

func (c *Control) stop(ctx context.Context, who Person, kind ActKind, target Stop) ([]Result, error) {
	switch {
	case target.Workspace != "" && target.Label != "":
		return nil, errors.New("name a workspace or a label")
	case target.Workspace != "":
		if _, err := c.member(ctx, who, target.Workspace); err != nil {
			return nil, err
		}
	case len(who.Labels) > 0 && !slices.Contains(who.Labels, target.Label):
		return nil, ErrLabel
	}
	a, err := c.act(ctx, who, func(s *state) (*Act, error) {
		_, stopped := s.stops[target.target()]
		switch {
		case !who.May(Approver):
			return nil, ErrRole
		case kind == ActResume && !stopped:
			return nil, errors.New("it is not stopped")
		case kind == ActStop && stopped:
			return nil, errors.New("it is stopped already")
		case len(target.Reason) > 1000:
			return nil, errors.New("the reason has more than 1,000 bytes")
		}
		return &Act{Kind: kind, Stop: &target}, nil
	})
	if err != nil {
		return nil, err
	}
	return c.bring(ctx, a, func(m *wire.Member) bool {
		return target.Workspace == m.ID || target.Workspace == "" && (target.Label == "" || slices.Contains(m.Labels, target.Label))
	}), nil
}

// Stops lists what is stopped, the newest first.
func (c *Control) Stops(ctx context.Context) (out []Act, err error) {
	err = c.look(ctx, func(s *state) {
		for _, a := range s.stops {
			out = append(out, a)
		}
	})
	slices.SortFunc(out, func(a, b Act) int { return int(b.Seq) - int(a.Seq) })
	return out, err
}

// stopped returns the act that keeps a workspace stopped; nil if none does.
func (s *state) stopped(m *wire.Member) *Act {
	for _, target := range append([]Stop{{}, {Workspace: m.ID}}, labelStops(m.Labels)...) {
		if a, ok := s.stops[target.target()]; ok {
			return &a
		}
	}
	return nil
}

func labelStops(labels []string) (out []Stop) {
	for _, l := range labels {
		out = append(out, Stop{Label: l})
	}
	return out
}

// bring brings the workspaces of an act to what they should be now, and logs what each replied.
func (c *Control) bring(ctx context.Context, a *Act, concerns func(*wire.Member) bool) []Result {
	ctx = context.WithoutCancel(ctx)
	members, err := c.b.Members(ctx)
	presences, pErr := c.b.Presences(ctx)
	if err = errors.Join(err, pErr); err != nil {
		c.o.Log.Error("workspaces could not be asked now; they are asked as they are heard of", "act", a.Seq, "error", err)
		return nil
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	var out []Result
	places := make(chan struct{}, atOnce)
	for _, m := range members {
		if m.Revoked != nil || !concerns(&m) {
			continue
		}
		p, known := presences[m.ID]
		if !known || p.Left {
			mu.Lock()
			out = append(out, Result{Workspace: m.ID, Away: true, Text: "not there"})
			mu.Unlock()
			continue
		}
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			r := c.settle(ctx, a, &m, &p)
			mu.Lock()
			defer mu.Unlock()
			out = append(out, r...)
		})
	}
	wait.Wait()
	slices.SortFunc(out, func(x, y Result) int { return strings.Compare(x.Workspace, y.Workspace) })
	c.outcome(ctx, a, out)
	return out
}

// frozenByHub reports whether a workspace says that a hub froze it, rather than a person there.
func frozenByHub(p *wire.Presence) bool {
	return p.Frozen != nil && strings.HasPrefix(p.Frozen.By, wire.HubActor)
}

// settle asks a workspace for what is different from what it should be. a is the act on whose account it is asked; nil if the hub only heard of the
// workspace.
func (c *Control) settle(ctx context.Context, a *Act, m *wire.Member, p *wire.Presence) (out []Result) {
	var stop *Act
	var pack *Pack
	var rollout Act
	if err := c.look(ctx, func(s *state) {
		stop, pack = s.stopped(m), s.wanted(m)
		for _, r := range s.rollouts {
			if pack != nil && r.Rollout.Pack.Name == pack.Name && r.Rollout.Pack.Version == pack.Version && r.Seq > rollout.Seq {
				rollout = r
			}
		}
	}); err != nil {
		return []Result{{Workspace: m.ID, Text: err.Error()}}
	}
	ask := func(of *Act, ask wire.Ask) {
		r, _ := c.ask(ctx, of, m.ID, ask)
		out = append(out, r)
	}
	thaw := func(of *Act) {
		stop := &wire.Stop{Thaw: true}
		if p.Frozen != nil {
			stop.Since = p.Frozen.At
		}
		r, reply := c.ask(ctx, of, m.ID, wire.Ask{Stop: stop})
		if reply != nil && reply.Kind == string(fail.Stale) && reply.Frozen != nil { // the hub has not heard of this freeze yet
			stop.Since = reply.Frozen.At
			r, _ = c.ask(ctx, of, m.ID, wire.Ask{Stop: stop})
		}
		out = append(out, r)
	}
	switch {
	case stop != nil && (p.Frozen == nil || a != nil && a.Kind == ActStop):
		ask(stop, wire.Ask{Stop: &wire.Stop{Reason: stop.Stop.Reason}})
	case stop == nil && a != nil && a.Kind == ActResume:
		thaw(a)
	case stop == nil && frozenByHub(p):
		thaw(&Act{Kind: ActResume, By: hubItself.Name})
	}
	if pack != nil && rollout.Rollout != nil && (p.Pack == nil || p.Pack.Name != pack.Name || p.Pack.Version != pack.Version) && (a == nil || a.Kind == ActRollout) {
		ask(&rollout, wire.Ask{Policy: pack.Signed})
	}
	return out
}

// tries remembers when a workspace was asked last without being told to by an act, so that one which refuses is not asked all the time.
type tries struct {
	mu   sync.Mutex
	at   map[string]time.Time
	busy map[string]int // how often a workspace is being asked
}

// atOnceEach limits how often one workspace is asked at the same time, so that those which do not answer leave room for others.
const atOnceEach = 4

// begin reports whether a workspace may be asked. If so, end has to follow.
func (t *tries) begin(ws string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy[ws] == atOnceEach {
		return false
	}
	t.busy[ws]++
	return true
}

func (t *tries) end(ws string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy[ws]--; t.busy[ws] == 0 {
		delete(t.busy, ws)
	}
}

// again is the pause before the hub asks a workspace again that did not get into its wanted state.
const again = time.Minute

// first reports whether a process is heard of for the first time.
func (t *tries) first(ws string, started time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, known := t.at[ws+started.String()]
	return !known
}

func (t *tries) may(ws string, started time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	key := ws + started.String()
	if now.Sub(t.at[key]) < again {
		return false
	}
	if len(t.at) > 1<<16 {
		clear(t.at)
	}
	t.at[key] = now
	return true
}

// Run keeps workspaces as they should be, until ctx ends: it asks again for answers and undos that have no outcome, and brings each workspace that
// it hears of to the policy and the stops that hold for it.
func (c *Control) Run(ctx context.Context) error {
	c.finish(ctx)
	places := make(chan struct{}, atOnce)
	return c.b.WatchPresence(ctx, func(p wire.Presence) {
		begins := p.Allow.Stop && c.tried.first(p.Workspace, p.Started) // it may wait to hear whether it is stopped
		if p.Left || !c.differs(ctx, &p) && !begins || !c.tried.begin(p.Workspace) {
			return
		}
		if !c.tried.may(p.Workspace, p.Started) {
			c.tried.end(p.Workspace)
			return
		}
		places <- struct{}{}
		go func() {
			defer func() { <-places }()
			defer c.tried.end(p.Workspace)
			m, err := c.b.Member(ctx, p.Workspace)
			if err != nil || m.Revoked != nil {
				return
			}
			did := c.settle(ctx, nil, m, &p)
			for _, r := range did {
				c.o.Log.Info("a workspace was brought to what it should be", "workspace", m.Name, "ok", r.OK, "reply", r.Text)
			}
			if begins && !slices.ContainsFunc(did, func(r Result) bool { return !r.OK }) {
				c.ask(ctx, &Act{By: hubItself.Name}, p.Workspace, wire.Ask{Resend: &wire.Resend{Settled: true}})
			}
		}()
	})
}

// differs reports whether a workspace is not what it should be.
func (c *Control) differs(ctx context.Context, p *wire.Presence) (out bool) {
	m, err := c.b.Member(ctx, p.Workspace)
	if err != nil {
		return false
	}
	if err := c.look(ctx, func(s *state) {
		stop, pack := s.stopped(m), s.wanted(m)
		out = stop != nil && p.Frozen == nil || stop == nil && frozenByHub(p) ||
			pack != nil && (p.Pack == nil || p.Pack.Name != pack.Name || p.Pack.Version != pack.Version)
	}); err != nil {
		return false
	}
	return out
}

// finish asks again for what was decided before the hub was killed, as long as the workspace would still do it; then it says that nothing is known.
func (c *Control) finish(ctx context.Context) {
	var open []Act
	if err := c.look(ctx, func(s *state) {
		for _, a := range s.open {
			open = append(open, a)
		}
	}); err != nil {
		c.o.Log.Error("what was decided before cannot be read", "error", err)
		return
	}
	for _, a := range open {
		r := Result{Workspace: a.Workspace, Text: "the hub was stopped before the workspace replied; whether it was done is in the workspace's log"}
		if time.Since(a.At) < wire.AskFor {
			r, _ = c.ask(ctx, &a, a.Workspace, wire.Ask{Answer: a.Answer, Undo: a.Undo})
		}
		if ctx.Err() == nil {
			c.outcome(ctx, &a, []Result{r})
		}
	}
}
