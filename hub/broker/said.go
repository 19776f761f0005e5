package broker

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/emend-dev/emend/hub/wire"
)

// maxQuestions limits the waiting calls of one workspace. Its own board has the same limit.
const maxQuestions = 256

// spoken keeps the newest signed message of each key in the buckets of presence and questions. What is in a bucket without a signature does not count,
// and neither does a key that is missing there: the answer of a server may be sent to any subject, with headers that remove a key.
type spoken struct {
	mu   sync.Mutex
	said map[string][]byte // bodies by bucket and key
}

// take returns what a workspace said last under a key, of which data may be the newest; nil if it said nothing. ok says that data is signed by it.
func (s *spoken) take(kv jetstream.KeyValue, key string, data []byte) (body []byte, ok bool) {
	ws, _, _ := strings.Cut(key, ".")
	subject := "$KV." + kv.Bucket() + "." + key
	body, err := wire.Unseal(ws, subject, data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		return s.said[subject], false
	}
	if s.said == nil {
		s.said = map[string][]byte{}
	}
	s.said[subject] = body
	return body, true
}

// of returns the keys of a bucket under which something was said, in order.
func (s *spoken) of(kv jetstream.KeyValue) (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for subject := range s.said {
		if key, ok := strings.CutPrefix(subject, "$KV."+kv.Bucket()+"."); ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// said calls each with what workspaces said last in a bucket, by key.
func (b *Broker) said(ctx context.Context, kv jetstream.KeyValue, each func(key string, body []byte)) error {
	now := map[string][]byte{}
	if err := readAll(ctx, kv, func(key string, data []byte) { now[key] = data }); err != nil {
		return err
	}
	for _, key := range b.spoken.of(kv) {
		if _, there := now[key]; !there {
			now[key] = nil
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if body, _ := b.spoken.take(kv, key, now[key]); body != nil {
			each(key, body)
		}
	}
	return nil
}

// listen keeps what workspaces say, and removes from the buckets what they did not sign and questions that are more than a workspace can have, until
// ctx ends. It calls began when it has what was there.
func (b *Broker) listen(ctx context.Context, kv jetstream.KeyValue, began func()) {
	defer began()
	for ctx.Err() == nil {
		err := eachValue(ctx, kv, began, func(e jetstream.KeyValueEntry) {
			why := ""
			if _, ok := b.spoken.take(kv, e.Key(), e.Value()); !ok {
				why = "it is not signed by the workspace"
			} else if kv == b.questions && b.spoken.tooMany(kv, e.Key()) {
				why = "more calls wait than a workspace can have"
			}
			if why != "" {
				b.o.Log.Warn("a message in the name of a workspace does not count", "bucket", kv.Bucket(), "key", e.Key(), "why", why)
				b.remove(ctx, kv, e)
			}
		})
		if ctx.Err() == nil {
			b.o.Log.Warn("what workspaces say is read again", "bucket", kv.Bucket(), "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// sayAgain asks every workspace to say again how it is and what waits there. What it said while no hub listened may have been replaced or removed
// by another's answer.
func (b *Broker) sayAgain(ctx context.Context) {
	members, err := b.Members(ctx)
	if err != nil {
		b.o.Log.Warn("workspaces are not asked to say again how they are", "error", err)
		return
	}
	var all sync.WaitGroup
	defer all.Wait()
	places := make(chan struct{}, 64)
	for _, m := range members {
		if m.Revoked != nil || ctx.Err() != nil {
			continue
		}
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			b.Ask(ctx, m.ID, wire.Ask{By: "the hub", Resend: &wire.Resend{}}) //nolint:errcheck // one that is not there says it when it comes
		})
	}
}

// tooMany forgets a key if its workspace has too many of them.
func (s *spoken) tooMany(kv jetstream.KeyValue, key string) bool {
	ws, _, _ := strings.Cut(key, ".")
	prefix := "$KV." + kv.Bucket() + "." + ws + "."
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for subject, body := range s.said {
		if strings.HasPrefix(subject, prefix) {
			if over(body) {
				delete(s.said, subject)
				continue
			}
			n++
		}
	}
	if n > maxQuestions {
		delete(s.said, "$KV."+kv.Bucket()+"."+key)
	}
	return n > maxQuestions
}

// over reports whether nobody waits any more for the answer to a question.
func over(body []byte) bool {
	var q wire.Question
	return json.Unmarshal(body, &q) != nil || time.Now().After(q.Deadline)
}

// remove removes one message from a bucket, if it is still the newest of its key. A marker takes its place: who reads a bucket waits for as many messages
// as there were, and would wait for ever for one that was purged.
func (b *Broker) remove(ctx context.Context, kv jetstream.KeyValue, e jetstream.KeyValueEntry) {
	if err := kv.Delete(ctx, e.Key(), jetstream.LastRevision(e.Revision())); err != nil && ctx.Err() == nil {
		b.o.Log.Debug("a message was not removed", "bucket", kv.Bucket(), "key", e.Key(), "error", err)
	}
}
