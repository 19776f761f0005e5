// Package hubtest has what the tests of several rooms share: a hub in a temporary directory, workspaces that joined it, and a copy of the records in
// memory.
package hubtest

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/wire"
)

// Must ends the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Until waits for what others bring about, for a minute.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// Hub is a broker with the handler that enrols workspaces.
type Hub struct {
	*broker.Broker
	URL, Dir string
}

// Serve starts a hub.
func Serve(t testing.TB, o broker.Options) *Hub {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	b, err := broker.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	s := httptest.NewUnstartedServer(b.JoinHandler())
	s.TLS = broker.TLSConfig(b.Certificate())
	s.StartTLS()
	t.Cleanup(s.Close)
	return &Hub{b, s.URL, o.Dir}
}

// Enrol makes a member.
func (h *Hub) Enrol(t testing.TB, name string, labels ...string) *wire.Membership {
	t.Helper()
	i, err := h.Invite(t.Context(), h.URL, true, wire.Invitation{Name: "test", Labels: labels, Uses: 1, Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := join.Enrol(t.Context(), i, name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Join joins a workspace, and has it run until the test ends or stop is called.
func Join(t testing.TB, o join.Options) (j *join.Join, stop func()) {
	t.Helper()
	j, err := join.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- j.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("join: %v", err)
		}
		if err := j.Close(); err != nil {
			t.Errorf("join: %v", err)
		}
	})
	t.Cleanup(stop)
	return j, stop
}

// Workspace makes a workspace with a file, and returns its directory.
func Workspace(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "first"), []byte("first\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Change makes n changes in a workspace.
func Change(t testing.TB, dir string, n int, options ...emend.Option) {
	t.Helper()
	ws, err := emend.Open(dir, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for i := range n {
		ctx := emend.WithActor(t.Context(), api.Actor{Client: "test", Session: "s-1", Agent: "agent"})
		if _, err := ws.Create(ctx, api.CreateRequest{Path: fmt.Sprintf("f-%d-%d", time.Now().UnixNano(), i), Content: fmt.Sprintf("text %d\n", i)}); err != nil {
			t.Fatal(err)
		}
	}
}

// Flush waits until the hub has everything.
func Flush(t testing.TB, j *join.Join) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := j.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

// Copy is a verified copy of the chains, in memory: the states, and the hash of each record.
type Copy struct {
	mu       sync.Mutex
	states   map[string]chain.State
	hashes   map[epoch]*[][32]byte
	Last     uint64
	Findings []chain.Finding
	Records  int
}

type epoch struct {
	ws string
	n  int
}

// NewCopy returns an empty copy.
func NewCopy() *Copy { return &Copy{states: map[string]chain.State{}, hashes: map[epoch]*[][32]byte{}} }

// State is a [chain.Past]'s.
func (c *Copy) State(ws string) (chain.State, error) { return c.states[ws], nil }

// HashAt is a [chain.Past]'s.
func (c *Copy) HashAt(ws string, n int, seq uint64) (string, error) {
	all := c.hashes[epoch{ws, n}]
	if all == nil || seq >= uint64(len(*all)) || (*all)[seq] == [32]byte{} {
		return "", nil
	}
	return hex.EncodeToString((*all)[seq][:]), nil
}

// Add stores what was verified. It reports a record that is there already.
func (c *Copy) Add(v *chain.Verified) error {
	for i := range v.Records {
		r := &v.Records[i]
		k := epoch{v.Workspace, r.Epoch}
		all := c.hashes[k]
		if all == nil {
			all = new([][32]byte)
			c.hashes[k] = all
		}
		for uint64(len(*all)) <= r.Seq {
			*all = append(*all, [32]byte{})
		}
		if (*all)[r.Seq] != [32]byte{} {
			return fmt.Errorf("record %d of %s was taken twice", r.Seq, v.Workspace)
		}
		if _, err := hex.Decode((*all)[r.Seq][:], []byte(r.H)); err != nil {
			return err
		}
		c.Records++
	}
	c.Findings = append(c.Findings, v.Findings...)
	c.states[v.Workspace], c.Last = v.State, v.Stream
	return nil
}

// CatchUp reads what the hub has, to its end.
func (c *Copy) CatchUp(ctx context.Context, b *broker.Broker) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, _, err := b.Last(ctx)
	if err != nil || last <= c.Last {
		return err
	}
	v := chain.New(c)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = b.Follow(ctx, c.Last, func(m broker.Message) error {
		got, err := v.Take(m.Stream, m.At, m.Subject, m.Data)
		if err != nil {
			return err
		}
		if err := c.Add(got); err != nil {
			return err
		}
		if m.Stream >= last {
			cancel()
		}
		return nil
	}, nil)
	if c.Last >= last {
		return nil
	}
	return err
}

// Of returns the state of a workspace.
func (c *Copy) Of(ws string) chain.State { return c.states[ws] }

// Kinds counts the findings of a workspace.
func (c *Copy) Kinds(ws string) map[chain.Kind]int {
	out := map[chain.Kind]int{}
	for _, f := range c.Findings {
		if f.Workspace == ws {
			out[f.Kind]++
		}
	}
	return out
}
