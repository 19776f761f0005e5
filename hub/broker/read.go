package broker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/emend-dev/emend/hub/wire"
)

// Message is a message of the stream of records.
type Message struct {
	Stream  uint64 // its number
	At      time.Time
	Subject string
	Data    []byte
}

// Follow calls each with the messages of the stream of records behind the number after, in order, and then with those that come,
// until ctx ends or each returns an error. idle, if it is not nil, is called when no message waits: a caller that collects several in
// a transaction ends it then.
func (b *Broker) Follow(ctx context.Context, after uint64, each func(Message) error, idle func() error) error {
	c, err := b.js.OrderedConsumer(ctx, wire.Records, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1})
	if err != nil {
		return err
	}
	msgs, err := c.Messages(jetstream.PullMaxMessages(256))
	if err != nil {
		return err
	}
	defer msgs.Stop()
	stop := context.AfterFunc(ctx, msgs.Stop)
	defer stop()
	for {
		m, err := msgs.Next()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if err := each(Message{meta.Sequence.Stream, meta.Timestamp, m.Subject(), m.Data()}); err != nil {
			return err
		}
		if meta.NumPending == 0 && idle != nil {
			if err := idle(); err != nil {
				return err
			}
		}
	}
}

// Last returns the number of the newest message of the stream of records, and what the stream takes on disk.
func (b *Broker) Last(ctx context.Context) (last uint64, size uint64, err error) {
	s, err := b.js.Stream(ctx, wire.Records)
	if err != nil {
		return 0, 0, err
	}
	return s.CachedInfo().State.LastSeq, s.CachedInfo().State.Bytes, nil
}

// Ask asks a joined workspace and returns its reply. An error is about the way there; a refusal is a reply.
func (b *Broker) Ask(ctx context.Context, ws string, a wire.Ask) (*wire.Reply, error) {
	a.V, a.ID, a.At = wire.Version, orID(a.ID), time.Now()
	data, err := json.Marshal(a)
	if err == nil {
		data, err = wire.Seal(b.keys.hub.key, wire.AskSubject(ws), data)
	}
	if err != nil {
		return nil, err
	}
	m, err := b.nc.RequestWithContext(ctx, wire.AskSubject(ws), data)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, ErrAway
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("the workspace did not answer in time; what was asked may have been done: %w", err)
	case err != nil:
		return nil, err
	}
	r := new(wire.Reply)
	body, err := wire.Unseal(ws, wire.ReplySubject(a.ID), m.Data)
	if err != nil || json.Unmarshal(body, r) != nil || r.ID != a.ID {
		return nil, errors.New("the workspace answered with something else than a reply")
	}
	return r, nil
}

func orID(id string) string {
	if id == "" {
		return wire.NewID()
	}
	return id
}

// Presences returns what each workspace said of itself last.
func (b *Broker) Presences(ctx context.Context) (map[string]wire.Presence, error) {
	out := map[string]wire.Presence{}
	err := b.said(ctx, b.presence, func(key string, body []byte) {
		var p wire.Presence
		if json.Unmarshal(body, &p) == nil && p.Workspace == key {
			out[key] = p
		}
	})
	return out, err
}

// PresenceOf returns what a workspace said of itself last; nil if it said nothing since the broker started.
func (b *Broker) PresenceOf(ctx context.Context, ws string) (*wire.Presence, error) {
	var data []byte
	e, err := b.presence.Get(ctx, ws)
	if err == nil {
		data = e.Value()
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, err
	}
	return b.readPresence(ws, data), nil
}

// readPresence returns what a workspace said of itself last, of which data may be the newest; nil if there is nothing.
func (b *Broker) readPresence(ws string, data []byte) *wire.Presence {
	body, _ := b.spoken.take(b.presence, ws, data)
	p := new(wire.Presence)
	if body == nil || json.Unmarshal(body, p) != nil || p.Workspace != ws {
		return nil
	}
	return p
}

// WatchPresence calls each with what every workspace says of itself, first what is there, until ctx ends.
func (b *Broker) WatchPresence(ctx context.Context, each func(wire.Presence)) error {
	return eachValue(ctx, b.presence, func() {}, func(e jetstream.KeyValueEntry) {
		if p := b.readPresence(e.Key(), e.Value()); p != nil {
			each(*p)
		}
	})
}

// Questions lists the calls that wait for a person, without those whose time is over.
func (b *Broker) Questions(ctx context.Context) ([]wire.Question, error) {
	var out []wire.Question
	now := time.Now()
	err := b.said(ctx, b.questions, func(key string, body []byte) {
		ws, id, _ := strings.Cut(key, ".")
		var q wire.Question
		if json.Unmarshal(body, &q) == nil && q.Workspace == ws && q.ID == id && q.Deadline.After(now) {
			out = append(out, q)
		}
	})
	return out, err
}

// readAll calls each with every value of a bucket.
func readAll(ctx context.Context, kv jetstream.KeyValue, each func(key string, data []byte)) error {
	return eachValue(ctx, kv, nil, func(e jetstream.KeyValueEntry) { each(e.Key(), e.Value()) })
}

// eachValue calls each with every value of a bucket. If follow is not nil it calls that behind what was there, and goes on with what is new until ctx ends.
func eachValue(ctx context.Context, kv jetstream.KeyValue, follow func(), each func(jetstream.KeyValueEntry)) error {
	w, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return fmt.Errorf("the bucket %s is read no further", kv.Bucket())
			case e != nil:
				each(e)
			case follow == nil: // a nil stands behind what was there
				return nil
			default:
				follow()
			}
		}
	}
}

// Diffs returns the diffs of a record that a workspace sent; nil if it sent none.
func (b *Broker) Diffs(ctx context.Context, ws string, seq uint64) (*wire.Diffs, error) {
	data, err := b.extra(ctx, ws, wire.DiffsSubject(ws, strconv.FormatUint(seq, 10)))
	if data == nil || err != nil {
		return nil, err
	}
	return wire.DecodeDiffs(data)
}

// Content returns the content with a sha256 that a workspace sent; nil if it sent none. It is checked.
func (b *Broker) Content(ctx context.Context, ws, sum string) ([]byte, error) {
	var all bytes.Buffer
	for part := 0; ; part++ {
		data, err := b.extra(ctx, ws, wire.ContentSubject(ws, sum, strconv.Itoa(part)))
		if data == nil || err != nil {
			return nil, err
		}
		p, err := wire.DecodePart(data)
		if err != nil {
			return nil, err
		}
		all.Write(p.Data)
		if all.Len() > wire.MaxContent {
			return nil, fmt.Errorf("the content %s is longer than %d bytes", sum, wire.MaxContent)
		}
		if part+1 < p.Of {
			continue
		}
		if got := sha256.Sum256(all.Bytes()); hex.EncodeToString(got[:]) != sum {
			return nil, fmt.Errorf("what %s sent as the content %s has the sha256 %x", ws, sum, got)
		}
		return all.Bytes(), nil
	}
}

func (b *Broker) extra(ctx context.Context, ws, subject string) ([]byte, error) {
	if strings.ContainsAny(subject, "*> \t") {
		return nil, fmt.Errorf("%q is not the name of one message", subject)
	}
	s, err := b.js.Stream(ctx, wire.Extras)
	if err != nil {
		return nil, err
	}
	m, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return wire.Unseal(ws, subject, m.Data)
}
