// Package join is the workspace's side of a hub. It follows the log and ships it, says how the workspace is, and does what a hub asks,
// as far as the workspace's owner allowed that beforehand. It works through emend's library, beside the programs that change files: it is
// in no call's way.
package join

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/wire"
)

// Options say what a joined workspace sends, and what may be asked of it.
type Options struct {
	Dir        string
	Membership *wire.Membership
	Ship       wire.Ship // "" for records
	Allow      wire.Allow
	PolicyFile string         // where the policy is that applies, and where a pack is installed
	PackName   string         // the only pack that may be installed; "" for the one that is installed first
	Emend      []emend.Option // for opening the workspace; not the policy
	Log        *slog.Logger
}

// Join is a joined workspace.
type Join struct {
	o       Options
	nc      *nats.Conn
	key     nkeys.KeyPair
	ship    *Shipper
	started time.Time
	host    string
	refused chan error // the hub does not know the key any more

	mu        sync.RWMutex // guards ws, which a new policy replaces, and pack
	ws        *emend.Workspace
	replaced  chan struct{} // closed when ws is replaced: closing ws waits for the calls of it
	pack      *wire.PackName
	packError string
	packing   sync.Mutex // one pack is installed at a time

	pageMu sync.Mutex // guards leave, and is held while ws is replaced
	leave  func()     // closes the page of ws, by which calls may wait for an answer from the hub; nil while none is open

	say     chan struct{} // presence is due
	sayAll  atomic.Bool   // and so are all calls that wait
	settled chan struct{} // closed when the hub has said whether the workspace is stopped
	settle  sync.Once
	replies replies
}

// Open opens a workspace that has joined. It does not wait for the hub.
func Open(o Options) (*Join, error) {
	o.Ship, o.Log = cmp.Or(o.Ship, wire.ShipRecords), cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	j := &Join{o: o, started: time.Now(), say: make(chan struct{}, 1), settled: make(chan struct{}), refused: make(chan error, 1)}
	j.host, _ = os.Hostname() // for show
	var err error
	if j.key, err = nkeys.FromSeed([]byte(o.Membership.Seed)); err != nil {
		return nil, fmt.Errorf("the key of the membership cannot be read: %w", err)
	}
	if err := j.reopen(); err != nil {
		return nil, err
	}
	if o.PolicyFile != "" {
		if j.pack, err = installedPack(o.PolicyFile); err != nil {
			j.packError = err.Error()
		}
	}
	j.nc, err = Connect(o.Membership,
		nats.ConnectHandler(func(*nats.Conn) { j.announce() }), nats.ReconnectHandler(func(*nats.Conn) { j.announce() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { j.o.Log.Info("the hub is out of reach", "error", err) }),
		nats.ClosedHandler(func(nc *nats.Conn) { j.gone(nc.LastError()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			j.o.Log.Warn("the hub refused something", "error", err)
		}))
	if err == nil {
		j.ship, err = NewShipper(j.nc, j.key, workspaceLog{j})
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	j.ship.changed, j.ship.repository = j.announce, repositoryOf(o.Dir)
	if o.Ship.Diffs() {
		j.ship.extras = j.sendExtras
	}
	return j, nil
}

// reopen opens the workspace under the policy that applies now.
func (j *Join) reopen() error {
	options := append([]emend.Option(nil), j.o.Emend...)
	if j.o.PolicyFile != "" {
		if _, err := os.Stat(j.o.PolicyFile); err == nil {
			options = append(options, emend.Policy(j.o.PolicyFile))
		}
	}
	ws, err := emend.Open(j.o.Dir, options...)
	if err != nil {
		return err
	}
	j.pageMu.Lock()
	if j.leave != nil { // the new page is open before the old one closes, so that no call finds none
		leave := j.leave
		j.leave = j.openPage(ws)
		leave()
	}
	j.mu.Lock()
	old, replaced := j.ws, j.replaced
	j.ws, j.replaced = ws, make(chan struct{})
	j.mu.Unlock()
	j.pageMu.Unlock()
	if old != nil {
		close(replaced)
		return old.Close()
	}
	return nil
}

// workspace returns the workspace as it is open now.
func (j *Join) workspace() *emend.Workspace {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.ws
}

// workspaceLog is the log of the workspace of a Join, which a new policy opens anew.
type workspaceLog struct{ j *Join }

func (l workspaceLog) Records(ctx context.Context, r api.RecordsRequest) (*api.Records, error) {
	return l.j.workspace().Host().Records(ctx, r)
}

func (l workspaceLog) Watch(ctx context.Context, tell func(api.Head)) error {
	for ctx.Err() == nil {
		l.j.mu.RLock()
		ws, replaced := l.j.ws, l.j.replaced
		l.j.mu.RUnlock()
		here, stop := context.WithCancel(ctx)
		go func() {
			select {
			case <-replaced:
				stop()
			case <-here.Done():
			}
		}()
		err := ws.Watch(here, tell)
		stop()
		if err != nil && ws == l.j.workspace() {
			return err
		}
	}
	return nil
}

// gone is called when the connection is closed for good.
func (j *Join) gone(err error) {
	if err == nil {
		return
	}
	select {
	case j.refused <- fmt.Errorf("the hub does not let this workspace in: %w; if its key was revoked, join again with a new invitation; if it sent more than the hub's quota, try again later", err):
	default:
	}
}

// announce has the presence said soon.
func (j *Join) announce() {
	select {
	case j.say <- struct{}{}:
	default:
	}
}

// Run ships and answers until ctx ends. An error says why it cannot go on.
func (j *Join) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sub, err := j.nc.QueueSubscribe(wire.AskSubject(j.o.Membership.Joined.Workspace), "join", j.answering(ctx))
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	var all sync.WaitGroup
	all.Go(func() { j.presence(ctx) })
	all.Go(func() { j.questions(ctx) })
	failed := make(chan error, 1)
	all.Go(func() { failed <- j.ship.Run(ctx) })
	select {
	case <-ctx.Done():
	case err = <-failed:
	case err = <-j.refused:
	}
	cancel()
	all.Wait()
	return err
}

// Settled is closed when the hub, which hears that this process is there, has said whether the workspace is stopped, and it is frozen if so. It stays
// open if the hub is out of reach, or may not stop the workspace.
func (j *Join) Settled() <-chan struct{} { return j.settled }

// Progress returns how far the shipping is.
func (j *Join) Progress() Progress { return j.ship.Progress() }

// Flush waits until the hub has acknowledged every record that the log has when it is called, or ctx ends. Run has to be running.
func (j *Join) Flush(ctx context.Context) error {
	var upTo api.Head
	head, stop := context.WithCancel(ctx)
	err := j.workspace().Watch(head, func(h api.Head) { upTo = h; stop() })
	stop()
	if err != nil {
		return err
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		p := j.ship.Progress()
		if p.Shipped.Seq >= upTo.Seq && (p.Shipped.Seq > upTo.Seq || p.Shipped.H == upTo.H) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("the hub has not acknowledged all: " + missing(p, upTo))
		case <-tick.C:
		}
	}
}

func missing(p Progress, upTo api.Head) string {
	s := fmt.Sprintf("it has record %d of %d", p.Shipped.Seq, upTo.Seq)
	if p.Problem != "" {
		s += "; " + p.Problem
	}
	return s
}

// Close says goodbye to the hub, and closes the connection and the workspace.
func (j *Join) Close() error {
	if j.nc != nil {
		if j.nc.IsConnected() && j.ship != nil {
			p := j.state(context.Background())
			p.Left = true
			j.ship.publishKey(wire.PresenceSubject(p.Workspace), p)
			j.nc.FlushTimeout(time.Second)
		}
		j.nc.Close()
	}
	if ws := j.workspace(); ws != nil {
		return ws.Close()
	}
	return nil
}

// Connected reports whether there is a connection to the hub.
func (j *Join) Connected() bool { return j.nc.IsConnected() }
