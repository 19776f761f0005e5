package lost

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/wire"
)

// sim is a workspace without a disk: a log that grows in memory, with the shipping of a real one.
type sim struct {
	m    *wire.Membership
	nc   *nats.Conn
	ship *join.Shipper

	mu       sync.Mutex
	writer   *hubtest.Writer
	records  []api.Record // those behind base
	base     api.Head     // what was acknowledged is forgotten up to here
	wake     chan struct{}
	violated string // the hub went back behind what it had acknowledged
	total    uint64 // Records makes the log up to this number as it is read; 0 for a log that grow makes
}

func newSim(m *wire.Membership, seed uint64) (*sim, error) {
	key, err := nkeys.FromSeed([]byte(m.Seed))
	if err != nil {
		return nil, err
	}
	s := &sim{m: m, writer: hubtest.NewWriter(seed), wake: make(chan struct{}, 1)}
	s.writer.Key, s.writer.Workspace = key, m.Joined.Workspace
	if s.nc, err = join.Connect(m); err != nil {
		return nil, err
	}
	s.ship, err = join.NewShipper(s.nc, key, s)
	return s, err
}

// grow adds one call to the log, unless most records wait already. It reports whether it did.
func (s *sim) grow(most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	acked := s.ship.Progress().Shipped
	if n := int(acked.Seq) - int(s.base.Seq) - most; n > most { // keep some, to be sent again
		s.forget(n)
	}
	if s.writer.Head.Seq-acked.Seq >= uint64(most) {
		return false
	}
	s.call()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return true
}

// call adds one call to the log.
func (s *sim) call() {
	for _, line := range s.writer.Call(time.Now()) {
		r, err := emend.ParseRecord(line)
		if err != nil {
			panic(err) // the writer makes records
		}
		s.records = append(s.records, *r)
	}
}

// forget drops the n oldest records.
func (s *sim) forget(n int) {
	s.base = api.Head{Seq: s.records[n-1].Seq, H: s.records[n-1].H}
	s.records = append([]api.Record(nil), s.records[n:]...)
}

func (s *sim) head() api.Head {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writer.Head
}

// Records is a [join.Log]'s.
func (s *sim) Records(_ context.Context, r api.RecordsRequest) (*api.Records, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total > 0 {
		if n := int(s.ship.Progress().Shipped.Seq) - int(s.base.Seq); n > 0 {
			s.forget(n)
		}
		for s.writer.Head.Seq < min(s.total, r.After.Seq+uint64(r.Limit)) {
			s.call()
		}
	}
	out := &api.Records{Head: s.writer.Head, First: 1}
	if r.After.Seq < s.base.Seq {
		s.violated = fmt.Sprintf("the hub is at %v, and acknowledged everything up to %v", r.After, s.base)
		return nil, fmt.Errorf("%s", s.violated)
	}
	i := int(r.After.Seq - s.base.Seq)
	if out.Known = i <= len(s.records) && (i == 0 && r.After == s.base || i > 0 && s.records[i-1].H == r.After.H); out.Known {
		out.Records = s.records[i:min(len(s.records), i+r.Limit)]
	}
	return out, nil
}

// Watch is a [join.Log]'s.
func (s *sim) Watch(ctx context.Context, tell func(api.Head)) error {
	for {
		tell(s.head())
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
	}
}

// again publishes what the hub has already, as something that repeats messages of days ago would.
func (s *sim) again() error {
	s.mu.Lock()
	n := min(len(s.records), 5)
	b := &wire.Batch{Workspace: s.m.Joined.Workspace, After: s.base}
	for i := range s.records[:n] {
		b.Records = append(b.Records, wire.RecordOf(&s.records[i]))
	}
	s.mu.Unlock()
	if n == 0 {
		return nil
	}
	data, err := b.Encode()
	if err != nil {
		return err
	}
	return s.nc.Publish(wire.RecordsSubject(s.m.Joined.Workspace), s.writer.Seal(data))
}
