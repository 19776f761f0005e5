// Package ingest brings what arrives at a broker into the index: in order, verified, each message once. It asks workspaces again for
// what is missing, and compares what they say of themselves with what they sent.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/wire"
)

// Limits of a transaction: whatever comes first.
const (
	maxMessages = 256
	maxBytes    = 8 << 20
	maxWait     = 200 * time.Millisecond
)

// askAgain is the time that a workspace has to fill a gap before it is asked again.
const askAgain = 10 * time.Second

// Ingest is the work of bringing a broker's messages into an index.
type Ingest struct {
	b   *broker.Broker
	x   *index.Index
	log *slog.Logger

	asking sync.WaitGroup
	mu     sync.Mutex
	asked  map[string]time.Time // when a workspace was asked to fill a gap
}

// New returns the work, not begun.
func New(b *broker.Broker, x *index.Index, log *slog.Logger) *Ingest {
	return &Ingest{b: b, x: x, log: log, asked: map[string]time.Time{}}
}

// Run goes on until ctx ends. It returns earlier if the broker has fewer messages than the index. An index that cannot be written, as on a full disk, is
// tried again.
func (g *Ingest) Run(ctx context.Context) error {
	defer g.asking.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g.asking.Go(func() { g.watch(ctx) })
	for {
		err := g.follow(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if behind, ok := errors.AsType[*behind](err); ok {
			return behind.error
		}
		g.log.Warn("the records are read again from where the index ends", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// behind is the error of a broker that has fewer messages than the index.
type behind struct{ error }

func (g *Ingest) follow(ctx context.Context) error {
	position, err := g.x.Position(ctx)
	if err != nil {
		return fmt.Errorf("the index cannot be read: %w", err)
	}
	last, _, err := g.b.Last(ctx)
	if err != nil {
		return err
	}
	if last < position {
		return &behind{fmt.Errorf("the index has %d messages, and the broker's newest is %d: the broker was restored from an older copy; remove the index, so that it is made again, and the workspaces send what is missing", position, last)}
	}
	var batch []broker.Message
	size, since := 0, time.Time{}
	store := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := g.store(ctx, batch)
		batch, size = batch[:0], 0
		if err != nil {
			return fmt.Errorf("the index cannot be written: %w", err)
		}
		return nil
	}
	err = g.b.Follow(ctx, position, func(m broker.Message) error {
		if len(batch) == 0 {
			since = time.Now()
		}
		batch = append(batch, m)
		if size += len(m.Data); len(batch) < maxMessages && size < maxBytes && time.Since(since) < maxWait {
			return nil
		}
		return store()
	}, store)
	if ctx.Err() == nil || len(batch) == 0 {
		return err
	}
	return nil // what was not stored is read again
}

// store verifies messages and stores what they came to, in one transaction.
func (g *Ingest) store(ctx context.Context, messages []broker.Message) error {
	gaps := map[string]chain.Gap{}
	err := g.x.Update(ctx, func(tx *index.Tx) error {
		v := chain.New(tx)
		for _, m := range messages {
			got, err := v.Take(m.Stream, m.At, m.Subject, m.Data)
			if err != nil {
				return err
			}
			for _, f := range got.Findings {
				g.log.Warn("a chain has a finding", "workspace", f.Workspace, "kind", f.Kind, "seq", f.Seq, "have", f.Have, "got", f.Got, "text", f.Text)
			}
			if delete(gaps, got.Workspace); len(got.State.Gaps) > 0 {
				gaps[got.Workspace] = got.State.Gaps[0]
			}
			if err := tx.Store(got); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		for ws, gap := range gaps {
			g.fill(ctx, ws, gap)
		}
	}
	return err
}

// fill asks a workspace for what is missing, now and then.
func (g *Ingest) fill(ctx context.Context, ws string, gap chain.Gap) {
	g.mu.Lock()
	due := time.Since(g.asked[ws]) > askAgain
	if due {
		g.asked[ws] = time.Now()
	}
	g.mu.Unlock()
	if !due {
		return
	}
	g.asking.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, askAgain)
		defer cancel()
		_, err := g.b.Ask(ctx, ws, wire.Ask{By: "the hub", Resend: &wire.Resend{After: gap.After, To: gap.To}})
		if err != nil {
			g.log.Info("missing records could not be asked for", "workspace", ws, "error", err)
		}
	})
}

// watch compares what workspaces say of themselves with what they sent, and asks those that came back for what is missing.
func (g *Ingest) watch(ctx context.Context) {
	for ctx.Err() == nil {
		err := g.b.WatchPresence(ctx, func(p wire.Presence) {
			if err := g.compare(ctx, p); err != nil && ctx.Err() == nil {
				g.log.Error("what a workspace says could not be compared", "workspace", p.Workspace, "error", err)
			}
		})
		if ctx.Err() == nil {
			g.log.Warn("presence is watched again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (g *Ingest) compare(ctx context.Context, p wire.Presence) error {
	state, err := g.x.State(ctx, p.Workspace)
	if err != nil {
		return err
	}
	if len(state.Gaps) > 0 && !p.Left {
		g.fill(ctx, p.Workspace, state.Gaps[0])
	}
	f := chain.Compare(state, p)
	if f == nil {
		return nil
	}
	g.log.Warn("a chain has a finding", "workspace", f.Workspace, "kind", f.Kind, "seq", f.Seq, "have", f.Have, "got", f.Got, "text", f.Text)
	return g.x.Update(ctx, func(tx *index.Tx) error { return tx.Tell(f) })
}
