package broker

import (
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/emend-dev/emend/hub/wire"
)

// quotaTime is the period of a quota. The bytes that a workspace sent are forgotten evenly over it.
const quotaTime = 24 * time.Hour

// maxConnections bounds how many connections are looked at: the open ones, and those that were closed last.
const maxConnections = 1 << 20

// quota counts what workspaces send.
type quota struct {
	most float64 // bytes
	sent map[string]float64
	seen map[uint64]int64 // bytes of each connection, by its number
	at   time.Time
	out  map[string]bool // who is not let in
}

// count adds what connections sent, and returns who is over the quota now, and who may come back. What was sent counts less as time goes by.
func (q *quota) count(conns []*server.ConnInfo, now time.Time) (over, back []string) {
	less := q.most * now.Sub(q.at).Seconds() / quotaTime.Seconds()
	q.at = now
	for ws := range q.sent {
		if q.sent[ws] -= less; q.sent[ws] <= 0 {
			delete(q.sent, ws)
		}
	}
	seen := map[uint64]int64{}
	for _, c := range conns {
		if seen[c.Cid] = c.InBytes; wire.IsWorkspace(c.AuthorizedUser) {
			q.sent[c.AuthorizedUser] += float64(c.InBytes - q.seen[c.Cid])
		}
	}
	q.seen = seen
	for ws, n := range q.sent {
		if n > q.most && !q.out[ws] {
			q.out[ws] = true
			over = append(over, ws)
		}
	}
	for ws := range q.out {
		if q.sent[ws] < 0.9*q.most { // a tenth of a day later at least: not in and out all the time
			delete(q.out, ws)
			back = append(back, ws)
		}
	}
	slices.Sort(over)
	slices.Sort(back)
	return over, back
}

// Limit keeps a workspace from sending more than most bytes a day to an embedded server, of whatever kind: its connections end, and it is let in again
// when it has room. Others go on. What was counted is forgotten when the hub is stopped. Limit returns when ctx ends.
func (b *Broker) Limit(ctx context.Context, most int64) {
	if b.srv == nil || most <= 0 {
		return // the servers of a cluster see each a part of the connections
	}
	q := &quota{most: float64(most), sent: map[string]float64{}, seen: map[uint64]int64{}, at: time.Now(), out: map[string]bool{}}
	tick := time.NewTicker(lookAtDisk)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		all, err := b.srv.Connz(&server.ConnzOptions{Username: true, State: server.ConnAll, Limit: maxConnections})
		if err != nil {
			b.o.Log.Error("what workspaces send cannot be counted", "error", err)
			continue
		}
		over, back := q.count(all.Conns, time.Now())
		for _, ws := range over {
			b.o.Log.Error("a workspace sent more than its quota and is not let in until it has room again", "workspace", ws, "quota", most)
		}
		for _, ws := range back {
			b.o.Log.Warn("a workspace has room in its quota and is let in again", "workspace", ws)
		}
		if len(over)+len(back) == 0 {
			continue
		}
		if err := b.suspend(ctx, over, back); err != nil {
			b.o.Log.Error("the server did not take who is over the quota", "error", err)
			for _, ws := range over {
				delete(q.out, ws) // and again
			}
			for _, ws := range back {
				q.out[ws] = true
			}
		}
	}
}

// suspend makes what some workspaces connect with void, without storing that, and valid again for others.
func (b *Broker) suspend(ctx context.Context, out, back []string) error {
	account, err := b.keys.suspend(out, back)
	if err != nil {
		return err
	}
	return b.pushAccount(ctx, account)
}

// Suspended lists the workspaces that are over their quota.
func (b *Broker) Suspended() []string { return b.keys.suspendedNow() }
