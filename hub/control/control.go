// Package control is what people may do at a hub: tokens and their roles, policy packs and their rollout, answers to questions, undo, the kill
// switch. It asks workspaces, which do only what their owners allowed.
//
// Every act is appended to the hub's own log first, and takes effect when it is on disk. The log is all state there is: a hub that was killed
// reads it, and asks again for what it had decided and has no reply to.
package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/wire"
)

// Broker has the methods of a [broker.Broker] that control calls.
type Broker interface {
	JetStream() jetstream.JetStream
	Replicas() int
	Ask(ctx context.Context, ws string, a wire.Ask) (*wire.Reply, error)
	Members(ctx context.Context) ([]wire.Member, error)
	Member(ctx context.Context, id string) (*wire.Member, error)
	SetMember(ctx context.Context, id, name string, labels []string) error
	Revoke(ctx context.Context, id, why string) error
	Invite(ctx context.Context, url string, own bool, i wire.Invitation) (wire.Invite, error)
	Presences(ctx context.Context) (map[string]wire.Presence, error)
	WatchPresence(ctx context.Context, each func(wire.Presence)) error
	Questions(ctx context.Context) ([]wire.Question, error)
}

// Options configure a control.
type Options struct {
	PolicyKey string // the public key that signs policy packs; "" if the hub has none
	Log       *slog.Logger
}

// Control carries out what people do.
type Control struct {
	b Broker
	o Options

	mu  sync.Mutex // held while an act is decided and logged
	log *log
	now state

	tried tries
}

// state is the sum of all acts.
type state struct {
	tokens   map[string]*Token // by id
	byHash   map[string]string // ids by the hash of the secret
	packs    []Pack            // in the order in which they were published
	rollouts map[string]Act    // the newest of each label
	stops    map[string]Act    // by target
	answers  map[string]Act    // by workspace, question and digest
	resumed  map[string]bool   // workspaces that a resume may have to thaw
	open     map[uint64]Act    // answers and undos without an outcome
	acts     []Act             // the newest, for the page
}

// Pack is a published policy pack.
type Pack struct {
	wire.Pack
	By     string
	Signed *wire.SignedPack
}

// keptActs limits the acts that are kept in memory for the page of acts.
const keptActs = 1000

// Open reads and verifies the hub's log. If it does not verify, the error is [ErrLog].
func Open(ctx context.Context, b Broker, o Options) (*Control, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	l, err := openLog(ctx, b.JetStream(), b.Replicas())
	if err != nil {
		return nil, fmt.Errorf("the hub's log: %w", err)
	}
	c := &Control{b: b, o: o, log: l, tried: tries{at: map[string]time.Time{}, busy: map[string]int{}},
		now: state{tokens: map[string]*Token{}, byHash: map[string]string{}, rollouts: map[string]Act{}, stops: map[string]Act{}, answers: map[string]Act{},
			resumed: map[string]bool{}, open: map[uint64]Act{}}}
	if err := l.read(ctx, c.now.apply); err != nil {
		return nil, fmt.Errorf("the hub's log: %w", err)
	}
	return c, nil
}

// apply makes the state that of after an act.
func (s *state) apply(a *Act) {
	if s.acts = append(s.acts, *a); len(s.acts) > 2*keptActs {
		s.acts = slices.Clone(s.acts[keptActs:])
	}
	switch a.Kind {
	case ActIssue:
		s.tokens[a.Token.ID], s.byHash[a.Token.Hash] = a.Token, a.Token.ID
	case ActRevoke:
		if t := s.tokens[a.Revoked]; t != nil {
			gone := *t
			gone.Revoked = true
			s.tokens[t.ID] = &gone
			delete(s.byHash, t.Hash)
		}
	case ActPublish:
		// The signature was checked before the act was logged, and the log is verified.
		if p, err := a.Pack.Open(a.Pack.Key); err == nil {
			s.packs = append(s.packs, Pack{Pack: *p, By: a.By, Signed: a.Pack})
		}
	case ActRollout:
		s.rollouts[a.Rollout.Label] = *a
	case ActAnswer:
		s.answers[answerKey(a.Workspace, a.Answer.ID, a.Answer.Digest)] = *a
		s.open[a.Seq] = *a
	case ActUndo:
		s.open[a.Seq] = *a
	case ActStop:
		s.stops[a.Stop.target()] = *a
	case ActResume:
		delete(s.stops, a.Stop.target())
	case ActOutcome:
		delete(s.open, a.Of)
	}
}

func answerKey(workspace, id, digest string) string { return workspace + " " + id + " " + digest }

// act logs an act that decide returns. decide sees the newest state, and may refuse.
func (c *Control) act(ctx context.Context, who Person, decide func(*state) (*Act, error)) (*Act, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if err := c.log.read(ctx, c.now.apply); err != nil {
			return nil, err
		}
		if err := c.now.holds(who); err != nil {
			return nil, err
		}
		a, err := decide(&c.now)
		if err != nil {
			return nil, err
		}
		a.By, a.With = who.Name, who.Token
		switch err := c.log.append(ctx, a); {
		case errors.Is(err, errBehind):
			continue
		case err != nil:
			return nil, err
		}
		c.log.head = api.Head{Seq: a.Seq, H: a.H}
		c.now.apply(a)
		return a, nil
	}
}

// outcome logs what became of an act. That the act was done does not depend on it.
func (c *Control) outcome(ctx context.Context, of *Act, results []Result) {
	_, err := c.act(context.WithoutCancel(ctx), hubItself, func(*state) (*Act, error) {
		return &Act{Kind: ActOutcome, Of: of.Seq, Workspace: of.Workspace, Results: results}, nil
	})
	if err != nil {
		c.o.Log.Error("the outcome of an act could not be logged", "act", of.Seq, "error", err)
	}
}

// look calls fn with the newest state.
func (c *Control) look(ctx context.Context, fn func(*state)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.log.read(ctx, c.now.apply)
	fn(&c.now)
	return err
}

// Acts returns acts, the newest first: those before a number, or all that are in memory.
func (c *Control) Acts(ctx context.Context, before uint64, limit int) (out []Act, err error) {
	err = c.look(ctx, func(s *state) {
		for _, a := range slices.Backward(s.acts) {
			if (before == 0 || a.Seq < before) && len(out) < limit {
				out = append(out, a)
			}
		}
	})
	return out, err
}

// Verified is the result of a check of the hub's log.
type Verified struct {
	Acts uint64
	Head api.Head
}

// Verify reads the whole log from the store again, and checks each act and the chain. head, if it is not zero, is one that somebody kept: it must
// be in the log.
func (c *Control) Verify(ctx context.Context, head api.Head) (*Verified, error) {
	l := &log{js: c.log.js, s: c.log.s}
	found := head.Seq == 0
	err := l.read(ctx, func(a *Act) { found = found || a.Seq == head.Seq && a.H == head.H })
	if err == nil && !found {
		err = fmt.Errorf("%w: it does not have the act %s", ErrLog, head)
	}
	return &Verified{Acts: l.head.Seq, Head: l.head}, err
}

var _ Broker = (*broker.Broker)(nil)
