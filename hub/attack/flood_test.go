package attack

import (
	"crypto/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/emend-dev/emend/internal/audit"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/wire"
)

// TestQuota: a workspace that sends more than its quota, in many connections and on any subject, is put out and not let in; others go on.
func TestQuota(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	go h.Limit(t.Context(), 4<<20)
	m, other := h.Enrol(t, "flood"), h.Enrol(t, "other")
	ws := m.Joined.Workspace
	noise := make([]byte, 256<<10)
	rand.Read(noise) // never fails
	subjects := []string{wire.RecordsSubject(ws), wire.DiffsSubject(ws, "1"), wire.QuestionSubject(ws, "q"), wire.PresenceSubject(ws)}
	for n := 0; !slices.Contains(h.Suspended(), ws); n++ {
		nc, err := join.Connect(m, nats.RetryOnFailedConnect(false), nats.NoReconnect())
		if err != nil {
			break // it is out
		}
		for i := range 4 {
			nc.Publish(subjects[i], noise) //nolint:errcheck // the attack may have ended
		}
		nc.FlushTimeout(5 * time.Second) //nolint:errcheck // as above
		nc.Close()
		if n == 500 {
			t.Fatal("500 MiB were taken")
		}
	}
	hubtest.Until(t, "it is not let in", func() bool {
		nc, err := join.Connect(m, nats.RetryOnFailedConnect(false), nats.NoReconnect())
		if err == nil {
			nc.Close()
		}
		return err != nil
	})
	dir := hubtest.Workspace(t)
	hubtest.Change(t, dir, 2)
	j, _ := hubtest.Join(t, join.Options{Dir: dir, Membership: other})
	hubtest.Flush(t, j)
	// To revoke another key does not let it in, and what the quota says is not for good.
	if err := h.Revoke(t.Context(), other.Joined.Workspace, "test"); err != nil {
		t.Fatal(err)
	}
	if nc, err := join.Connect(m, nats.RetryOnFailedConnect(false), nats.NoReconnect()); err == nil {
		nc.Close()
		t.Error("it is let in when another key is revoked")
	}
}

// TestBombs: batches that decompress to more than they may, of nothing, or of one huge record are findings, in bounded memory; what comes after counts.
func TestBombs(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	m := h.Enrol(t, "one")
	l := hubtest.LogOf(m)
	nc, _ := connect(t, m)
	send := func(batch []byte) {
		t.Helper()
		if r, err := nc.Request(wire.RecordsSubject(l.Workspace), l.Seal(batch), 10*time.Second); err != nil || strings.Contains(string(r.Data), "error") {
			t.Fatalf("%s, %v", r.Data, err)
		}
	}
	zeros := wire.Batch{Workspace: l.Workspace, Records: []wire.Record{{Line: make([]byte, 64<<20)}}}
	bomb, err := zeros.Encode()
	if err != nil {
		t.Fatal(err)
	}
	many := wire.Batch{Workspace: l.Workspace, Records: make([]wire.Record, 1<<20)}
	lines, err := many.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{bomb, lines, nil, []byte("\x28\xb5\x2f\xfd"), bomb[:len(bomb)/2]} {
		send(b)
	}
	// A record of more than a batch, deeply nested, and with all kinds of paths: it is one record.
	after := l.Head
	line := l.Add(audit.Record{Kind: audit.Failed, Message: strings.Repeat("[", 3<<20), Ops: []audit.Op{{Operation: "update", Path: "../../../etc/passwd"}, {Operation: "update", Path: "/etc/passwd\x00*>"}}})
	b := wire.Batch{Workspace: l.Workspace, After: after, Local: l.Head, Records: []wire.Record{{Line: line}}}
	huge, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	send(huge)
	c := hubtest.NewCopy()
	if err := c.CatchUp(t.Context(), h.Broker); err != nil {
		t.Fatal(err)
	}
	if k := c.Kinds(l.Workspace); k[chain.Unreadable] != 5 || len(k) != 1 {
		t.Errorf("the findings are %v", k)
	}
	if c.Of(l.Workspace).Head != l.Head {
		t.Errorf("the head is %v, want %v", c.Of(l.Workspace).Head, l.Head)
	}
	// Text that decompresses to more than it may is refused in an extra as well.
	if _, err := wire.DecodeDiffs(bomb); err == nil {
		t.Error("a bomb was taken as diffs")
	}
}

// TestNames: an id that begins like another's, is cut, has more parts, wildcards or what leads out of a directory names no workspace and no content.
func TestNames(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	m := h.Enrol(t, "one")
	ws := m.Joined.Workspace
	for _, id := range []string{"", "*", ">", ws[:len(ws)-1], ws + "A", ws + ".x", ws + ".*", strings.ToLower(ws), ws[:8] + "*", "../" + ws, " " + ws, ws + "\n", "U" + strings.Repeat("A", 55)} {
		if wire.IsWorkspace(id) {
			t.Errorf("%q is taken as a workspace", id)
		}
		if _, err := h.Member(t.Context(), id); err == nil {
			t.Errorf("%q is a member", id)
		}
		if err := h.Revoke(t.Context(), id, "x"); err == nil {
			t.Errorf("%q was revoked", id)
		}
	}
	for _, sum := range []string{"*", ">", "../../keys.json", "a.b", "a b", strings.Repeat("*", 64), "x.0\r\nPUB y"} {
		if c, err := h.Content(t.Context(), ws, sum); c != nil {
			t.Errorf("the content %q is %q, %v", sum, c, err)
		}
	}
	nc, refused := connect(t, m)
	for i, subject := range []string{wire.RecordsSubject(ws + "x"), wire.RecordsSubject(ws[:len(ws)-1]), wire.RecordsSubject("*"), wire.QuestionSubject(ws, "a.b"),
		wire.ContentSubject(ws, "a", "b") + ".c", wire.InboxPrefix(ws[:len(ws)-1]) + ".x"} {
		if err := nc.Publish(subject, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if !refused(i + 1) {
			t.Errorf("publishing on %q was not refused", subject)
		}
	}
}

// TestOlderCopy: the hub's keys come back from a copy that is older than a revocation: the key stays revoked, since its members say so. An invitation that
// was used does not let a revoked key in again.
func TestOlderCopy(t *testing.T) {
	dir := t.TempDir()
	h := hubtest.Serve(t, broker.Options{Dir: dir})
	m, other := h.Enrol(t, "one"), h.Enrol(t, "two")
	// One is revoked first, so that there is something to go back to.
	if err := h.Revoke(t.Context(), other.Joined.Workspace, "first"); err != nil {
		t.Fatal(err)
	}
	older := read(t, dir, "account.jwt")
	if err := h.Revoke(t.Context(), m.Joined.Workspace, "stolen"); err != nil {
		t.Fatal(err)
	}
	h.Close()
	write(t, dir, "account.jwt", older)
	again, err := broker.Open(t.Context(), broker.Options{Dir: dir, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	c := *m
	c.Joined.Servers = again.Servers()
	if nc, err := join.Connect(&c, nats.RetryOnFailedConnect(false)); err == nil {
		nc.Close()
		t.Error("a revoked key is let in by a hub whose keys are from an older copy")
	}
}

// TestSlowReader: a workspace that asks for much and reads nothing is put out, or waits alone: others go on.
func TestSlowReader(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	m, other := h.Enrol(t, "slow"), h.Enrol(t, "other")
	nc, _ := connect(t, m)
	l := hubtest.LogOf(m)
	noise := make([]byte, 1<<20)
	rand.Read(noise) // never fails
	if _, err := nc.Request(wire.RecordsSubject(l.Workspace), noise, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	if _, err := nc.Subscribe(wire.InboxPrefix(l.Workspace)+".slow", func(*nats.Msg) { <-read }); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		msg := nats.NewMsg("$JS.API.DIRECT.GET." + wire.Records + "." + wire.RecordsSubject(l.Workspace))
		msg.Reply = wire.InboxPrefix(l.Workspace) + ".slow"
		if err := nc.PublishMsg(msg); err != nil {
			break
		}
	}
	dir := hubtest.Workspace(t)
	hubtest.Change(t, dir, 3)
	j, _ := hubtest.Join(t, join.Options{Dir: dir, Membership: other})
	hubtest.Flush(t, j)
	close(read)
}
