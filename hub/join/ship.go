package join

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/wire"
)

// Log is the log of a workspace, as [emend.Host.Records] and [emend.Workspace.Watch] read it.
type Log interface {
	Records(ctx context.Context, r api.RecordsRequest) (*api.Records, error)
	Watch(ctx context.Context, tell func(api.Head)) error
}

// Shipper sends the records of a log to a hub: at least once, in order, and with bounded memory. It keeps nothing on disk: the last
// message on its subject says where to go on.
type Shipper struct {
	nc         *nats.Conn
	js         jetstream.JetStream
	ws         string
	key        nkeys.KeyPair
	log        Log
	repository string
	// extras, if it is not nil, sends what belongs to records, before these.
	extras func(ctx context.Context, records []api.Record) error
	// changed is called when the progress changed.
	changed func()

	// Of the one goroutine that ships:
	known  bool     // stream and after are those of the hub
	stream uint64   // the last message on the subject
	after  api.Head // what the next record continues
	lost   *api.Head
	limit  int
	// refused is the last message on the subject as the server refused a batch with it, and inTurn how often it did so in turn.
	refused uint64
	inTurn  int
	wake    chan struct{}
	asked   chan wire.Resend

	mu       sync.Mutex
	progress Progress
	cancel   context.CancelFunc // of the request that waits for the hub
}

// Progress says how far a shipper is.
type Progress struct {
	Local   api.Head  // the newest record of the log
	Shipped api.Head  // the newest record that the hub acknowledged
	Stream  uint64    // the message that has it
	Lost    *api.Head // a record that the hub has and that the log does not
	Problem string    // why it does not get on
	Sent    uint64    // records since the start
	Bytes   uint64    // of messages since the start, as they were sent
}

// Done reports whether the hub has everything.
func (p Progress) Done() bool {
	return p.Problem == "" && p.Local == p.Shipped
}

// NewShipper returns a shipper for the workspace with a key, with which nc is connected.
func NewShipper(nc *nats.Conn, key nkeys.KeyPair, log Log) (*Shipper, error) {
	ws, err := key.PublicKey()
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	return &Shipper{nc: nc, js: js, ws: ws, key: key, log: log, limit: startLimit, changed: func() {}, wake: make(chan struct{}, 1), asked: make(chan wire.Resend, 8)}, nil
}

const (
	startLimit     = 256     // records of a first read of the log
	readBytes      = 4 << 20 // about what a read of the log may hold
	publishTimeout = 15 * time.Second
)

// Progress returns how far the shipper is.
func (s *Shipper) Progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progress
}

func (s *Shipper) update(f func(*Progress)) {
	s.mu.Lock()
	before := s.progress
	f(&s.progress)
	same := before == s.progress
	s.mu.Unlock()
	if !same {
		s.changed()
	}
}

// Run ships until ctx ends.
func (s *Shipper) Run(ctx context.Context) error {
	watch := make(chan error, 1)
	go func() {
		watch <- s.log.Watch(ctx, func(h api.Head) {
			s.update(func(p *Progress) { p.Local = h })
			s.Wake()
		})
	}()
	status, again := s.nc.StatusChanged(nats.RECONNECTING, nats.CONNECTED), make(chan struct{}, 1)
	defer s.nc.RemoveStatusListener(status)
	go func() {
		for now := range status {
			if now == nats.CONNECTED {
				select {
				case again <- struct{}{}:
				default:
				}
				continue
			}
			s.mu.Lock()
			if s.cancel != nil { // no answer will come over a new connection
				s.cancel()
			}
			s.mu.Unlock()
		}
	}()
	var wait time.Duration
	for {
		more, err := s.step(ctx)
		switch {
		case ctx.Err() != nil:
			<-watch
			return nil
		case err != nil:
			wait = min(max(2*wait, 50*time.Millisecond), 5*time.Second)
			s.update(func(p *Progress) { p.Problem = err.Error() })
			select {
			case <-ctx.Done():
			case <-again:
				wait = 0
			case <-time.After(wait):
			}
			continue
		}
		wait = 0
		s.update(func(p *Progress) { p.Problem = "" })
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.wake:
		case r := <-s.asked:
			if err := s.resend(ctx, r); err != nil {
				s.update(func(p *Progress) { p.Problem = err.Error() })
			}
		case err := <-watch:
			if ctx.Err() == nil {
				return fmt.Errorf("the log cannot be followed: %w", err)
			}
			return nil
		}
	}
}

// Wake makes the shipper look at the log.
func (s *Shipper) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Resend has records sent again. It reports false if too much was asked for already.
func (s *Shipper) Resend(r wire.Resend) bool {
	select {
	case s.asked <- r:
		return true
	default:
		return false
	}
}

// step ships the next batch, and reports whether there may be another.
func (s *Shipper) step(ctx context.Context) (more bool, err error) {
	if !s.known {
		if err := s.locate(ctx); err != nil {
			return false, err
		}
	}
	got, err := s.log.Records(ctx, api.RecordsRequest{After: s.after, Limit: s.limit})
	if err != nil {
		return false, fmt.Errorf("the log cannot be read: %w", err)
	}
	if !got.Known {
		s.lose(got)
		return true, nil
	}
	s.update(func(p *Progress) {
		p.Local = got.Head
		if len(got.Records) == 0 {
			p.Shipped, p.Stream = s.after, s.stream
		}
	})
	if len(got.Records) == 0 {
		return false, nil
	}
	s.adapt(got.Records)
	records := got.Records
	for len(records) > 0 {
		n := batchSize(records)
		if s.extras != nil {
			if err := s.extras(ctx, records[:n]); err != nil {
				return false, err
			}
		}
		b := &wire.Batch{Workspace: s.ws, After: s.after, Local: got.Head, Lost: s.lost, Repository: s.repository}
		if err := s.send(ctx, b, records[:n]); err != nil {
			return false, err
		}
		if !s.known {
			return true, nil
		}
		records = records[n:]
	}
	return true, nil
}

// adapt chooses how many records the next read of the log asks for, by how long these are.
func (s *Shipper) adapt(records []api.Record) {
	size := 0
	for i := range records {
		size += len(records[i].Line)
	}
	switch {
	case size > readBytes:
		s.limit = max(1, s.limit/2)
	case len(records) == s.limit && size < readBytes/4:
		s.limit = min(wire.MaxBatchRecords, 2*s.limit)
	}
}

// batchSize returns how many of the records are one batch: at least one.
func batchSize(records []api.Record) int {
	size := 0
	for i := range records {
		size += len(records[i].Line)
		if i > 0 && size > wire.MaxBatchBytes || i == wire.MaxBatchRecords {
			return i
		}
	}
	return len(records)
}

// waiting returns the context of a request: it ends when the connection is lost.
func (s *Shipper) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	return ctx, cancel
}

// locate asks the hub for the last message on the workspace's subject.
func (s *Shipper) locate(ctx context.Context) error {
	ctx, cancel := s.waiting(ctx)
	defer cancel()
	m, err := s.nc.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+wire.Records+"."+wire.RecordsSubject(s.ws), nil)
	if err != nil {
		return fmt.Errorf("the hub does not say which records it has: %w", err)
	}
	s.stream, s.after = 0, api.Head{}
	switch m.Header.Get("Status") {
	case "":
	case "404":
		s.known = true
		return nil
	default:
		return fmt.Errorf("the hub does not say which records it has: %s %s", m.Header.Get("Status"), m.Header.Get("Description"))
	}
	sequence := m.Header.Values("Nats-Sequence")
	if len(sequence) == 0 {
		return fmt.Errorf("the hub does not say which records it has: its answer has no sequence")
	}
	if s.stream, err = strconv.ParseUint(sequence[0], 10, 64); err != nil {
		return fmt.Errorf("the hub does not say which records it has: %w", err)
	}
	s.known = true
	var b *wire.Batch
	body, err := wire.Unseal(s.ws, wire.RecordsSubject(s.ws), m.Data)
	if err == nil {
		b, err = wire.DecodeBatch(body)
	}
	if err == nil && b.Workspace == s.ws {
		if s.after = b.Shipped; !b.Fill {
			s.after, err = b.Head()
		}
	}
	if err != nil || b.Workspace != s.ws {
		// It is not of this workspace: go on from what was acknowledged last, or from the beginning. The hub knows equal records. What somebody else
		// wrote may have headers that look like the server's, so that the number counts which the server refused the last batch with.
		if s.refused > 0 {
			s.stream = s.refused
		}
		s.after = s.Progress().Shipped
	}
	return nil
}

// lose goes on from an earlier record, since the log does not have the one that the hub has.
func (s *Shipper) lose(got *api.Records) {
	lost := s.after
	if s.after = s.Progress().Shipped; s.after == lost {
		s.after = api.Head{}
		s.update(func(p *Progress) { p.Shipped = api.Head{} })
	}
	if got.First <= lost.Seq+1 || got.Head.Seq == 0 { // else it was dropped by rule
		s.lost = &lost
		s.update(func(p *Progress) { p.Lost = &lost })
	}
}

// send publishes records as the batch b. If somebody else published meanwhile, the shipper has to locate again.
func (s *Shipper) send(ctx context.Context, b *wire.Batch, records []api.Record) error {
	for i := range records {
		b.Records = append(b.Records, wire.RecordOf(&records[i]))
	}
	data, err := b.Encode()
	if err != nil {
		return err
	}
	if len(data) > wire.MaxMessage-4096 { // one record that hardly compresses
		for i := range b.Records {
			b.Records[i] = wire.HeaderOf(&records[i], len(records[i].Line))
		}
		if data, err = b.Encode(); err != nil {
			return err
		}
	}
	if data, err = wire.Seal(s.key, wire.RecordsSubject(s.ws), data); err != nil {
		return err
	}
	ctx, cancel := s.waiting(ctx)
	defer cancel()
	ack, err := s.js.Publish(ctx, wire.RecordsSubject(s.ws), data, jetstream.WithExpectLastSequencePerSubject(s.stream), jetstream.WithRetryAttempts(0))
	if err != nil {
		s.known = false             // it may have arrived
		const withoutNumber = 10164 // the same of a cluster that has other messages in hand
		if e, ok := errors.AsType[*jetstream.APIError](err); ok && (e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == withoutNumber) {
			if _, err := fmt.Sscanf(e.Description, "wrong last sequence: %d", &s.refused); err != nil {
				s.refused = 0
			}
			if s.inTurn++; s.inTurn > 3 {
				return errors.New("somebody else publishes in the name of this workspace all the time")
			}
			return nil
		}
		return fmt.Errorf("the hub did not take the records: %w", err)
	}
	s.stream, s.refused, s.inTurn = ack.Sequence, 0, 0
	if b.Fill {
		return nil
	}
	last := &records[len(records)-1]
	s.after, s.lost = api.Head{Seq: last.Seq, H: last.H}, nil
	s.update(func(p *Progress) {
		p.Shipped, p.Stream = s.after, s.stream
		p.Sent += uint64(len(records))
		p.Bytes += uint64(len(data))
	})
	return nil
}

// resend sends records again that the hub misses.
func (s *Shipper) resend(ctx context.Context, r wire.Resend) error {
	after := r.After
	for after.Seq < r.To {
		got, err := s.log.Records(ctx, api.RecordsRequest{After: after, Limit: int(min(uint64(s.limit), r.To-after.Seq))})
		if err != nil {
			return fmt.Errorf("the log cannot be read: %w", err)
		}
		if !got.Known || len(got.Records) == 0 {
			return nil // the log does not have them; what it has is shipped anyway
		}
		records := got.Records[:batchSize(got.Records)]
		if !s.known {
			if err := s.locate(ctx); err != nil {
				return err
			}
		}
		if err := s.send(ctx, &wire.Batch{Workspace: s.ws, After: after, Local: got.Head, Fill: true, Shipped: s.after, Repository: s.repository}, records); err != nil {
			return err
		}
		if !s.known {
			continue
		}
		last := &records[len(records)-1]
		after = api.Head{Seq: last.Seq, H: last.H}
	}
	return nil
}

// publishKey sets a key of a bucket. It waits for no acknowledgement: it is said again.
func (s *Shipper) publishKey(subject string, v any) error {
	m := nats.NewMsg(subject)
	data, err := json.Marshal(v)
	if err == nil {
		m.Data, err = wire.Seal(s.key, subject, data)
	}
	if err != nil {
		return err
	}
	return s.nc.PublishMsg(m)
}
