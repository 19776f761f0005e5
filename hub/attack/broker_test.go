// Package attack has the attacks on a hub and on joined workspaces that docs/fleet-security.md lists: none may succeed unseen.
package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/wire"
)

// connect connects with a membership, as an attacker who has its key would: refusals are counted, not obeyed.
func connect(t *testing.T, m *wire.Membership) (nc *nats.Conn, refused func(want int) bool) {
	t.Helper()
	var count atomic.Int64
	nc, err := join.Connect(m, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			count.Add(1)
		}
	}))
	if err == nil {
		err = flush(nc)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, func(want int) bool {
		if err := flush(nc); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); count.Load() < int64(want) && time.Since(start) < 2*time.Second; { // errors are told later than answers
			time.Sleep(time.Millisecond)
		}
		return count.Load() == int64(want)
	}
}

// flush waits until the server has read all that was sent. There need not be a connection yet.
func flush(nc *nats.Conn) (err error) {
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		if err = nc.FlushTimeout(10 * time.Second); err == nil {
			return nil
		}
	}
	return err
}

// TestSubjects: with the key of one workspace, nothing of another can be written, read or listened to, and no stream can be changed.
func TestSubjects(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	mine, other := h.Enrol(t, "mine"), h.Enrol(t, "other")
	me, victim := mine.Joined.Workspace, other.Joined.Workspace
	nc, refused := connect(t, mine)
	n := 0
	for _, subject := range []string{
		wire.RecordsSubject(victim), wire.DiffsSubject(victim, "1"), wire.ContentSubject(victim, "ab", "0"), wire.PresenceSubject(victim),
		wire.QuestionSubject(victim, "q"), wire.AskSubject(victim), wire.AskSubject(me), wire.InboxPrefix(victim) + ".x",
		"$KV.emend_fleet.member." + me, "$KV.emend_policy.x", "$SYS.REQ.CLAIMS.UPDATE", "$JS.API.INFO", "$JS.API.STREAM.LIST",
		"$JS.API.STREAM.PURGE." + wire.Records, "$JS.API.STREAM.DELETE." + wire.Records, "$JS.API.STREAM.MSG.DELETE." + wire.Records,
		"$JS.API.STREAM.UPDATE." + wire.Records, "$JS.API.STREAM.MSG.GET." + wire.Records, "$JS.API.DIRECT.GET." + wire.Records,
		"$JS.API.DIRECT.GET." + wire.Records + "." + wire.RecordsSubject(victim), "$JS.API.DIRECT.GET.KV_emend_questions.$KV.emend_questions." + victim + ".q",
		"$JS.API.CONSUMER.CREATE." + wire.Records, "$JS.API.CONSUMER.CREATE." + wire.Records + ".x", "$JS.API.STREAM.CREATE.MINE",
		"emend.records." + me + ".x", "anything",
	} {
		if err := nc.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if n++; !refused(n) {
			t.Errorf("publishing on %s was not refused", subject)
			n--
		}
	}
	for _, subject := range []string{">", "emend.>", "emend.records.>", wire.RecordsSubject(victim), wire.RecordsSubject(me), wire.AskSubject(victim), "emend.ask.*",
		wire.InboxPrefix(victim) + ".>", "_INBOX.>", "_INBOX_*.>", "$KV.>", "$JS.>", "$SYS.>"} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		if n++; !refused(n) {
			t.Errorf("listening on %s was not refused", subject)
			n--
		}
	}
	if last, _, err := h.Last(t.Context()); err != nil || last != 0 {
		t.Errorf("the stream has %d messages, %v", last, err)
	}
}

// TestHeaders: with the headers of JetStream a workspace can remove or suppress nothing that another sent, or that it sent itself.
func TestHeaders(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	mine, other := h.Enrol(t, "mine"), h.Enrol(t, "other")
	me, victim := mine.Joined.Workspace, other.Joined.Workspace
	nc, _ := connect(t, mine)
	theirs, _ := connect(t, other)
	send := func(nc *nats.Conn, subject, reply string, headers ...string) string {
		m := nats.NewMsg(subject)
		m.Data = []byte("x")
		for i := 0; i < len(headers); i += 2 {
			m.Header.Set(headers[i], headers[i+1])
		}
		if reply != "" {
			m.Reply = reply
			if err := errors.Join(nc.PublishMsg(m), nc.FlushTimeout(10*time.Second)); err != nil {
				t.Fatal(err)
			}
			return ""
		}
		got, err := nc.RequestMsg(m, 5*time.Second)
		if err != nil {
			return err.Error()
		}
		return string(got.Data)
	}
	js := h.JetStream()
	count := func(stream, subject string) int {
		s, err := js.Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		info, err := s.Info(t.Context(), jetstream.WithSubjectFilter(subject))
		if err != nil {
			t.Fatal(err)
		}
		return int(info.State.Subjects[subject])
	}
	presence := "KV_" + wire.Presences
	send(theirs, wire.RecordsSubject(victim), "")
	for subject, v := range map[string]any{wire.PresenceSubject(victim): wire.Presence{V: 1, Workspace: victim},
		wire.QuestionSubject(victim, "q"): wire.Question{V: 1, Workspace: victim, ID: "q", Deadline: time.Now().Add(time.Hour)}} {
		if _, err := theirs.Request(subject, hubtest.LogOf(other).Say(subject, v), 5*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	send(nc, wire.RecordsSubject(me), "")

	for _, how := range []string{"all", "sub"} {
		send(nc, wire.RecordsSubject(me), "", "Nats-Rollup", how)
		send(nc, wire.PresenceSubject(me), "", "Nats-Rollup", how)
		send(nc, wire.QuestionSubject(me, "q"), "", "Nats-Rollup", how)
	}
	send(nc, wire.QuestionSubject(me, "q"), "", "KV-Operation", "PURGE", "Nats-Rollup", "all")
	send(nc, wire.RecordsSubject(me), "", "Nats-TTL", "1s")
	send(nc, wire.RecordsSubject(me), "", "Nats-Schedule", "@every 1s", "Nats-Schedule-Target", wire.RecordsSubject(victim))
	send(nc, wire.RecordsSubject(me), "", "Nats-Incr", "1")
	if n := count(wire.Records, wire.RecordsSubject(victim)); n != 1 {
		t.Errorf("the other workspace has %d batches, want 1", n)
	}
	if n := count(wire.Records, wire.RecordsSubject(me)); n != 1 {
		t.Errorf("the workspace's own batches are %d, want the 1 that was sent without tricks", n)
	}
	if count(presence, wire.PresenceSubject(victim)) != 1 || count("KV_"+wire.Questions, wire.QuestionSubject(victim, "q")) != 1 {
		t.Error("what the other workspace says of itself is gone")
	}

	// A message id that another workspace will use must not make its message a duplicate: no program here uses ids. The attack is on one that would.
	send(nc, wire.RecordsSubject(me), "", "Nats-Msg-Id", "batch-2")
	if got := send(theirs, wire.RecordsSubject(victim), ""); strings.Contains(got, "duplicate") {
		t.Errorf("a batch counts as a duplicate: %s", got)
	}
}

// TestAnswersElsewhere: a workspace may ask the server for its own last message, and choose where the answer goes: to another's subjects. What
// arrives there in the other's name, or the hub's, is not signed by them. It is not obeyed, does not count, and is told.
func TestAnswersElsewhere(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	mine, other := h.Enrol(t, "mine"), h.Enrol(t, "other")
	me, victim := mine.Joined.Workspace, other.Joined.Workspace
	dir := hubtest.Workspace(t)
	hubtest.Change(t, dir, 2)
	j, stop := hubtest.Join(t, join.Options{Dir: dir, Membership: other, Allow: wire.Allow{Stop: true, Undo: true, Approve: true, Policy: true}})
	hubtest.Flush(t, j)
	nc, _ := connect(t, mine)
	key, err := nkeys.FromSeed([]byte(mine.Seed))
	if err != nil {
		t.Fatal(err)
	}
	for subject, v := range map[string]any{
		wire.AskSubject(victim):           wire.Ask{V: 1, ID: wire.NewID(), At: time.Now(), Stop: &wire.Stop{Reason: "attack"}},
		wire.PresenceSubject(victim):      wire.Presence{V: 1, Workspace: victim, At: time.Now(), Root: "attack"},
		wire.QuestionSubject(victim, "q"): wire.Question{V: 1, Workspace: victim, ID: "q", Deadline: time.Now().Add(time.Hour), Root: "attack"},
		wire.RecordsSubject(victim):       wire.Batch{V: 1, Workspace: victim},
	} {
		body, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := wire.Seal(key, subject, body)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{plain, body} {
			if _, err := nc.Request(wire.RecordsSubject(me), data, 5*time.Second); err != nil {
				t.Fatal(err)
			}
			m := nats.NewMsg("$JS.API.DIRECT.GET." + wire.Records + "." + wire.RecordsSubject(me))
			m.Reply = subject
			if err := errors.Join(nc.PublishMsg(m), flush(nc)); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Records that come later arrive all the same, and are the first thing that shows that what was sent before was read.
	hubtest.Change(t, dir, 2)
	hubtest.Flush(t, j)
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if f, err := ws.Host().Frozen(); f != nil || err != nil {
		t.Errorf("the workspace was frozen by another workspace: %+v, %v", f, err)
	}
	all, err := h.Presences(t.Context())
	if err != nil || all[victim].Root == "attack" {
		t.Errorf("the presence is %+v, %v", all[victim], err)
	}
	questions, err := h.Questions(t.Context())
	if err != nil || len(questions) != 0 {
		t.Errorf("the questions are %+v, %v", questions, err)
	}
	stop()
	c := hubtest.NewCopy()
	if err := c.CatchUp(t.Context(), h.Broker); err != nil {
		t.Fatal(err)
	}
	k, s := c.Kinds(victim), c.Of(victim)
	if k[chain.Unsigned] == 0 || len(k) != 1 {
		t.Errorf("the findings are %v, want only %s", k, chain.Unsigned)
	}
	if p := j.Progress(); s.Head != p.Local || s.Epoch != 1 {
		t.Errorf("the hub has %+v, the log %+v", s, p.Local)
	}
}

// TestHidden: what another workspace says of itself cannot be hidden by an answer that takes its place or removes it, nor can what waits there.
func TestHidden(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	mine, other := h.Enrol(t, "mine"), h.Enrol(t, "other")
	me, victim := mine.Joined.Workspace, hubtest.LogOf(other)
	theirs, _ := connect(t, other)
	nc, _ := connect(t, mine)
	presence, question := wire.PresenceSubject(victim.Workspace), wire.QuestionSubject(victim.Workspace, "q1")
	say := func(subject string, v any) {
		t.Helper()
		if _, err := theirs.Request(subject, victim.Say(subject, v), 5*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	say(presence, wire.Presence{V: 1, Workspace: victim.Workspace, At: time.Now(), Root: "/true"})
	say(question, wire.Question{V: 1, Workspace: victim.Workspace, ID: "q1", Deadline: time.Now().Add(time.Hour)})
	seen := func() bool {
		p, err := h.PresenceOf(t.Context(), victim.Workspace)
		all, err2 := h.Presences(t.Context())
		waiting, err3 := h.Questions(t.Context())
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		return p != nil && p.Root == "/true" && all[victim.Workspace].Root == "/true" && len(waiting) == 1 && waiting[0].ID == "q1"
	}
	if !seen() {
		t.Fatal("what was said is not there")
	}
	for _, header := range []string{"", "DEL", "PURGE"} {
		m := nats.NewMsg(wire.RecordsSubject(me))
		m.Data = []byte("nothing")
		if header != "" {
			m.Header.Set("KV-Operation", header)
		}
		if _, err := nc.RequestMsg(m, 5*time.Second); err != nil {
			t.Fatal(err)
		}
		for _, subject := range []string{presence, question} {
			for _, over := range []string{"$JS.API.DIRECT.GET." + wire.Records + "." + wire.RecordsSubject(me), wire.RecordsSubject(me)} {
				m := nats.NewMsg(over)
				m.Reply = subject
				if err := errors.Join(nc.PublishMsg(m), flush(nc)); err != nil {
					t.Fatal(err)
				}
				if !seen() {
					t.Errorf("an answer with the operation %q hides what the workspace said on %s", header, subject)
				}
			}
		}
	}
	// In the names of calls that do not wait it fills nothing either.
	for i := range 50 {
		m := nats.NewMsg("$JS.API.DIRECT.GET." + wire.Records + "." + wire.RecordsSubject(me))
		m.Reply = wire.QuestionSubject(victim.Workspace, fmt.Sprint("x", i))
		if err := nc.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := flush(nc); err != nil {
		t.Fatal(err)
	}
	kv, err := h.JetStream().KeyValue(t.Context(), wire.Questions)
	if err != nil {
		t.Fatal(err)
	}
	left := func() int {
		keys, err := kv.Keys(t.Context())
		if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
			t.Fatal(err)
		}
		return len(keys)
	}
	hubtest.Until(t, "what is not signed is removed", func() bool { return left() == 0 })
	if !seen() {
		t.Error("the question is gone")
	}
	// Nor does a workspace fill it with questions of its own.
	key := hubtest.LogOf(mine)
	for i := range 400 {
		subject := wire.QuestionSubject(me, fmt.Sprint("q", i))
		if err := nc.Publish(subject, key.Say(subject, wire.Question{V: 1, Workspace: me, ID: fmt.Sprint("q", i), Deadline: time.Now().Add(time.Hour)})); err != nil {
			t.Fatal(err)
		}
	}
	if err := flush(nc); err != nil {
		t.Fatal(err)
	}
	hubtest.Until(t, "a workspace has 256 questions at most", func() bool { n := left(); return n == 256 })
	say(question, wire.Question{V: 1, Workspace: victim.Workspace, ID: "q1"})
	hubtest.Until(t, "a question is withdrawn", func() bool {
		all, err := h.Questions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range all {
			if q.Workspace == victim.Workspace {
				return false
			}
		}
		return true
	})
}

// TestWrittenOnce: a diff or a content that was sent cannot be replaced.
func TestWrittenOnce(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	m := h.Enrol(t, "mine")
	nc, _ := connect(t, m)
	ws := m.Joined.Workspace
	key, err := nkeys.FromSeed([]byte(m.Seed))
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"first", "second"} {
		data, err := wire.EncodeExtra(&wire.Diffs{V: 1, Seq: 1, Entry: text})
		if err == nil {
			data, err = wire.Seal(key, wire.DiffsSubject(ws, "1"), data)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := nc.Request(wire.DiffsSubject(ws, "1"), data, 5*time.Second)
		if err != nil || strings.Contains(string(got.Data), "error") != (i == 1) {
			t.Errorf("%s: %s, %v", text, got.Data, err)
		}
	}
	d, err := h.Diffs(t.Context(), ws, 1)
	if err != nil || d == nil || d.Entry != "first" {
		t.Errorf("the diffs are %+v, %v", d, err)
	}
	part := wire.Parts([]byte("not what the name says"))[0]
	data, err := wire.EncodeExtra(&part)
	if err == nil {
		data, err = wire.Seal(key, wire.ContentSubject(ws, strings.Repeat("ab", 32), "0"), data)
	}
	if err == nil {
		_, err = nc.Request(wire.ContentSubject(ws, strings.Repeat("ab", 32), "0"), data, 5*time.Second)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c, err := h.Content(t.Context(), ws, strings.Repeat("ab", 32)); err == nil {
		t.Errorf("a content with another hash was taken: %q", c)
	}
}

// TestKeys: who has no key, another's JWT, or a JWT of their own making does not get in; and a revoked key is out at once, for good.
func TestKeys(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	m, other := h.Enrol(t, "mine"), h.Enrol(t, "other")
	try := func(name string, change func(*wire.Membership)) {
		t.Helper()
		c := *m
		change(&c)
		nc, err := join.Connect(&c, nats.RetryOnFailedConnect(false))
		if err == nil {
			nc.Close()
			t.Errorf("%s: it got in", name)
		}
	}
	try("another's JWT", func(c *wire.Membership) { c.Joined.JWT = other.Joined.JWT })
	try("no JWT", func(c *wire.Membership) { c.Joined.JWT = "" })
	try("a JWT that it signed itself", func(c *wire.Membership) {
		account, err := nkeys.CreateAccount()
		if err != nil {
			t.Fatal(err)
		}
		u := jwt.NewUserClaims(c.Joined.Workspace)
		claims, err := jwt.DecodeUserClaims(c.Joined.JWT)
		if err != nil {
			t.Fatal(err)
		}
		u.IssuerAccount = claims.Issuer
		if c.Joined.JWT, err = u.Encode(account); err != nil {
			t.Fatal(err)
		}
	})
	try("a hub with another certificate", func(c *wire.Membership) { c.Pin = "x" + c.Pin[1:] })

	closed := make(chan struct{})
	nc, err := join.Connect(m, nats.RetryOnFailedConnect(false), nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
	if err == nil {
		err = flush(nc)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if err := h.Revoke(t.Context(), m.Joined.Workspace, "stolen"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Error("the connection of a revoked key goes on")
	}
	try("a revoked key", func(*wire.Membership) {})
	if nc, err := join.Connect(other, nats.RetryOnFailedConnect(false)); err != nil {
		t.Errorf("the other key does not get in: %v", err)
	} else {
		nc.Close()
	}
}

// TestInvitations: an invitation is good as often and as long as it says, for who has its secret.
func TestInvitations(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	invite := func(uses int, valid time.Duration) wire.Invite {
		i, err := h.Invite(t.Context(), h.URL, true, wire.Invitation{Uses: uses, Expires: time.Now().Add(valid)})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	rejected := func(name string, i wire.Invite) {
		t.Helper()
		_, err := join.Enrol(t.Context(), i, "x")
		if _, ok := errors.AsType[*join.Rejected](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	once := invite(1, time.Hour)
	if _, err := join.Enrol(t.Context(), once, "x"); err != nil {
		t.Fatal(err)
	}
	rejected("used already", once)
	short := invite(5, 50*time.Millisecond)
	time.Sleep(60 * time.Millisecond)
	rejected("expired", short)
	guessed := invite(1, time.Hour)
	guessed.Secret = strings.Repeat("A", len(guessed.Secret))
	rejected("guessed", guessed)
	pinned := invite(1, time.Hour)
	pinned.Pin = strings.Repeat("A", len(pinned.Pin))
	if _, err := join.Enrol(t.Context(), pinned, "x"); err == nil {
		t.Error("a hub with another certificate was joined")
	}

	// At once: exactly as many as it is good for.
	many := invite(3, time.Hour)
	results := make(chan error, 12)
	for range cap(results) {
		go func() {
			_, err := join.Enrol(context.WithoutCancel(t.Context()), many, "x")
			results <- err
		}()
	}
	joined := 0
	for range cap(results) {
		if err := <-results; err == nil {
			joined++
		}
	}
	if joined != 3 {
		t.Errorf("%d joined with an invitation for 3", joined)
	}

	// A request with somebody else's key, or that was changed on its way.
	i := invite(1, time.Hour)
	key, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	good := wire.JoinRequest{V: 1, Secret: i.Secret, Key: public, Name: "x", At: time.Now()}
	if good.Sig, err = key.Sign(good.ProofOf()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*wire.JoinRequest){
		"another key": func(r *wire.JoinRequest) { r.Key = hubtest.NewLog().Workspace },
		"no key":      func(r *wire.JoinRequest) { r.Key = "" },
		"an old one":  func(r *wire.JoinRequest) { r.At = r.At.Add(-time.Hour) },
	} {
		r := good
		change(&r)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.JoinHandler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/join", strings.NewReader(string(data))))
		if w.Code != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}
