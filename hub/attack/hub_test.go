package attack

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/wire"
)

// here waits until a joined workspace answers.
func here(t *testing.T, h *hubtest.Hub, ws string) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		r, err := h.Ask(t.Context(), ws, wire.Ask{Resend: &wire.Resend{}})
		if err == nil && r.OK {
			return
		}
		if time.Since(start) > 20*time.Second {
			t.Fatalf("the workspace does not answer: %v", err)
		}
	}
}

// TestNotAllowed: what the owner did not allow is not done, whatever the hub asks.
func TestNotAllowed(t *testing.T) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	h := hubtest.Serve(t, broker.Options{PolicyKey: wire.KeyText(private.Public().(ed25519.PublicKey))})
	pack, err := wire.Sign(wire.Pack{Name: "team", Version: 1, At: time.Now(), Policy: "[write]\ndeny = [\"x\"]\n"}, private)
	if err != nil {
		t.Fatal(err)
	}
	asks := map[string]wire.Ask{
		"undo":    {Undo: &wire.Undo{Session: "s-1"}},
		"approve": {Answer: &wire.Answer{ID: "q", Digest: "d", Allow: true}},
		"policy":  {Policy: pack},
		"stop":    {Stop: &wire.Stop{}},
	}
	for allowed := range asks {
		allow, err := wire.ParseAllow(strings.Join(without(asks, allowed), ","))
		if err != nil {
			t.Fatal(err)
		}
		dir, m := hubtest.Workspace(t), h.Enrol(t, allowed)
		hubtest.Change(t, dir, 1)
		file := filepath.Join(t.TempDir(), "policy.toml")
		hubtest.Join(t, join.Options{Dir: dir, Membership: m, Allow: allow, PolicyFile: file})
		here(t, h, m.Joined.Workspace)
		before := headOf(t, dir)
		r, err := h.Ask(t.Context(), m.Joined.Workspace, asks[allowed])
		if err != nil || r.OK || r.Kind != wire.NotAllowed {
			t.Errorf("%s was not allowed: %+v, %v", allowed, r, err)
		}
		if after := headOf(t, dir); after != before {
			t.Errorf("%s was not allowed, and the log went from %v to %v", allowed, before, after)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s was not allowed, and there is a policy", allowed)
		}
	}
	// Two at once, and none, are no ask.
	dir, m := hubtest.Workspace(t), h.Enrol(t, "all")
	hubtest.Join(t, join.Options{Dir: dir, Membership: m, Allow: wire.Allow{Undo: true, Approve: true, Policy: true, Stop: true}})
	here(t, h, m.Joined.Workspace)
	for _, a := range []wire.Ask{{}, {Stop: &wire.Stop{}, Undo: &wire.Undo{}}} {
		if r, err := h.Ask(t.Context(), m.Joined.Workspace, a); err != nil || r.Kind != wire.BadAsk {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

func without(asks map[string]wire.Ask, word string) (out []string) {
	for k := range asks {
		if k != word {
			out = append(out, k)
		}
	}
	return out
}

func headOf(t *testing.T, dir string) api.Head {
	t.Helper()
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	r, err := ws.Host().Records(t.Context(), api.RecordsRequest{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.Head
}

// TestSettled: a command that waits to hear whether its workspace is stopped does not take another ask for that.
func TestSettled(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	m := h.Enrol(t, "one")
	j, _ := hubtest.Join(t, join.Options{Dir: hubtest.Workspace(t), Membership: m, Allow: wire.Allow{Stop: true}})
	here(t, h, m.Joined.Workspace)
	select {
	case <-j.Settled():
		t.Error("to say again how it is was taken for word that the workspace is not stopped")
	default:
	}
	if r, err := h.Ask(t.Context(), m.Joined.Workspace, wire.Ask{Resend: &wire.Resend{Settled: true}}); err != nil || !r.OK {
		t.Errorf("%+v, %v", r, err)
	}
	<-j.Settled()
}

// TestReplayedAsk: an ask that somebody recorded and sends again is done once; it is refused when it is old, and when it is changed.
func TestReplayedAsk(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	dir, m := hubtest.Workspace(t), h.Enrol(t, "one")
	hubtest.Change(t, dir, 3)
	ws := m.Joined.Workspace
	hubtest.Join(t, join.Options{Dir: dir, Membership: m, Allow: wire.Allow{Undo: true, Stop: true}})
	here(t, h, ws)
	recorded := make(chan []byte, 10)
	if _, err := h.Conn().Subscribe(wire.AskSubject(ws), func(m *nats.Msg) { recorded <- m.Data }); err != nil {
		t.Fatal(err)
	}
	r, err := h.Ask(t.Context(), ws, wire.Ask{Undo: &wire.Undo{Session: "s-1"}})
	if err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	ask := <-recorded
	head := headOf(t, dir)
	again := func(data []byte) *wire.Reply {
		t.Helper()
		got, err := h.Conn().Request(wire.AskSubject(ws), data, 2*time.Second)
		if err != nil {
			return nil
		}
		reply := new(wire.Reply)
		if err := json.Unmarshal(got.Data[64:], reply); err != nil {
			t.Fatal(err)
		}
		return reply
	}
	if got := again(ask); got == nil || got.Tx != r.Tx {
		t.Errorf("the same ask again: %+v, want the first reply %+v", got, r)
	}
	changed := bytes.Clone(ask)
	changed[len(changed)-10] ^= 1
	if got := again(changed); got != nil {
		t.Errorf("an ask that was changed was answered: %+v", got)
	}
	if got := headOf(t, dir); got != head {
		t.Errorf("the log went on from %v to %v", head, got)
	}
	// The hub itself, lying about the time or using an id twice.
	old := wire.Ask{ID: wire.NewID(), Stop: &wire.Stop{}}
	if got := sendAsk(t, h, ws, old, time.Now().Add(-time.Hour)); got.Kind != wire.Outdated {
		t.Errorf("an ask of an hour ago: %+v", got)
	}
	if got := sendAsk(t, h, ws, wire.Ask{ID: r.ID, Stop: &wire.Stop{}}, time.Now()); got.Kind != wire.Outdated {
		t.Errorf("another ask with the same id: %+v", got)
	}
}

// asking joins a workspace whose policy asks about the file "asked", and returns a function that has an agent write it: it returns the question that
// the hub got, and what becomes of the call.
func asking(t *testing.T, h *hubtest.Hub, m *wire.Membership) (dir string, ws *emend.Workspace, call func(content string) (wire.Question, <-chan error)) {
	t.Helper()
	dir = hubtest.Workspace(t)
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte("[write]\nask = [\"asked\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hubtest.Join(t, join.Options{Dir: dir, Membership: m, Ship: wire.ShipDiffs, Allow: wire.Allow{Approve: true}, PolicyFile: policy})
	here(t, h, m.Joined.Workspace)
	ws, err := emend.Open(dir, emend.Policy(policy))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	call = func(content string) (wire.Question, <-chan error) {
		t.Helper()
		done := make(chan error, 1)
		ctx := emend.WithAsker(t.Context(), func(ctx context.Context, q api.Question) (string, error) {
			return ws.Host().AskAtPage(ctx, q, time.Minute, nil)
		})
		go func() {
			_, err := ws.Create(ctx, api.CreateRequest{Path: "asked", Content: content})
			done <- err
		}()
		for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
			select {
			case err := <-done:
				if strings.Contains(err.Error(), "no page is open") { // join has not said yet that somebody is there
					go func() {
						_, err := ws.Create(ctx, api.CreateRequest{Path: "asked", Content: content})
						done <- err
					}()
					continue
				}
				t.Fatal(err)
			default:
			}
			all, err := h.Questions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(all) == 1 {
				return all[0], done
			}
		}
		t.Fatal("no question came")
		return wire.Question{}, nil
	}
	return dir, ws, call
}

// TestReplayedApproval: an answer is good for the call that the person saw, once.
func TestReplayedApproval(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	m := h.Enrol(t, "one")
	dir, ws, call := asking(t, h, m)
	first, done := call("first\n")
	if !strings.Contains(first.Diff, "first") || first.Digest == "" {
		t.Errorf("the question is %+v", first)
	}
	if r, err := h.Ask(t.Context(), m.Joined.Workspace, wire.Ask{Answer: &wire.Answer{ID: first.ID, Digest: strings.Repeat("ab", 32), Allow: true}}); err != nil || r.OK || r.Kind != string(fail.Stale) {
		t.Errorf("an answer to another call was taken: %+v, %v", r, err)
	}
	yes := &wire.Answer{ID: first.ID, Digest: first.Digest}
	if r, err := h.Ask(t.Context(), m.Joined.Workspace, wire.Ask{Answer: yes}); err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := <-done; err == nil {
		t.Error("the call was made, and the answer was no")
	}
	yes.Allow = true
	if r, err := h.Ask(t.Context(), m.Joined.Workspace, wire.Ask{Answer: yes}); err != nil || r.OK {
		t.Errorf("a call that was answered was answered again: %+v, %v", r, err)
	}
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		if all, err := h.Questions(t.Context()); err != nil {
			t.Fatal(err)
		} else if len(all) == 0 {
			break
		}
	}
	second, done := call("second\n")
	if r, err := h.Ask(t.Context(), m.Joined.Workspace, wire.Ask{Answer: &wire.Answer{ID: second.ID, Digest: first.Digest, Allow: true}}); err != nil || r.OK || second.Digest == first.Digest {
		t.Errorf("the answer to the first call was taken for the second: %+v, %v", r, err)
	}
	if r, err := h.Ask(t.Context(), m.Joined.Workspace, wire.Ask{Answer: &wire.Answer{ID: second.ID, Digest: second.Digest, Allow: true}}); err != nil || !r.OK {
		t.Errorf("%+v, %v", r, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil || string(text) != "second\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
	last, err := ws.History(t.Context(), api.HistoryRequest{Path: "asked", Limit: 1})
	if err != nil || len(last.Data.Entries) != 1 {
		t.Fatal(err)
	}
	if e, err := ws.Show(t.Context(), last.Data.Entries[0].Entry); err != nil || e.Data.AskedBy != api.AnsweredByHub {
		t.Errorf("the log says %q answered, %v", e.Data.AskedBy, err)
	}
}

// TestHiddenAtStart: another workspace's answer removed a question while no hub listened. A hub that starts then asks, and has it at once.
func TestHiddenAtStart(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	m, mine := h.Enrol(t, "one"), h.Enrol(t, "mine")
	_, _, call := asking(t, h, m)
	q, done := call("first\n")
	nc, _ := connect(t, mine)
	forged := nats.NewMsg("$JS.API.DIRECT.GET." + wire.Records + "." + wire.RecordsSubject(mine.Joined.Workspace))
	forged.Reply = wire.QuestionSubject(m.Joined.Workspace, q.ID)
	if err := errors.Join(nc.PublishMsg(forged), flush(nc)); err != nil {
		t.Fatal(err)
	}
	kv, err := h.JetStream().KeyValue(t.Context(), wire.Questions)
	if err != nil {
		t.Fatal(err)
	}
	hubtest.Until(t, "the answer took the question's place, and was removed", func() bool {
		_, err := kv.Get(t.Context(), m.Joined.Workspace+"."+q.ID)
		return errors.Is(err, jetstream.ErrKeyNotFound)
	})
	again, err := broker.Open(t.Context(), broker.Options{Dir: h.Dir, NATS: h.Servers()[0], CA: filepath.Join(h.Dir, "tls.crt")})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		all, err := again.Questions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 1 && all[0].ID == q.ID {
			break
		}
		if time.Since(start) > wire.PresenceEvery/2 {
			t.Fatal("the hub does not know the question")
		}
	}
	if r, err := again.Ask(t.Context(), m.Joined.Workspace, wire.Ask{Answer: &wire.Answer{ID: q.ID, Digest: q.Digest}}); err != nil || !r.OK {
		t.Errorf("%+v, %v", r, err)
	}
	if err := <-done; err == nil {
		t.Error("the call was made, and the answer was no")
	}
}

// TestPacks: a pack that is forged, older, of another name, no policy, or in the place of the owner's own policy, is not installed, and that is said.
func TestPacks(t *testing.T) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, forger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	h := hubtest.Serve(t, broker.Options{PolicyKey: wire.KeyText(private.Public().(ed25519.PublicKey))})
	dir, m := hubtest.Workspace(t), h.Enrol(t, "one")
	ws := m.Joined.Workspace
	file := filepath.Join(t.TempDir(), "emend", "policy.toml")
	hubtest.Join(t, join.Options{Dir: dir, Membership: m, Allow: wire.Allow{Policy: true}, PolicyFile: file})
	here(t, h, ws)
	now := time.Now()
	sign := func(p wire.Pack, k ed25519.PrivateKey) *wire.SignedPack {
		t.Helper()
		s, err := wire.Sign(p, k)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const policy = "[write]\ndeny = [\"x\"]\n"
	changed := sign(wire.Pack{Name: "team", Version: 5, At: now.Add(time.Hour), Policy: policy}, private)
	changed.Pack = bytes.Replace(changed.Pack, []byte("deny"), []byte("okay"), 1)
	huge := func(size int) *wire.SignedPack { // wire.Sign makes none that is too long
		t.Helper()
		s := sign(wire.Pack{Name: "team", Version: 1, At: now, Policy: policy}, private)
		s.Pack = bytes.Replace(s.Pack, []byte("[write]"), []byte("#"+strings.Repeat("x", size)+`\n[write]`), 1)
		s.Sig = ed25519.Sign(private, append([]byte("emend policy pack v1\n"), s.Pack...))
		return s
	}
	if r, err := h.Ask(t.Context(), ws, wire.Ask{Policy: huge(10 << 20)}); err == nil {
		t.Errorf("a policy pack of ten megabytes, more than a message holds: %+v", r)
	}
	for _, c := range []struct {
		name string
		pack *wire.SignedPack
		ok   bool
	}{
		{"of another key", sign(wire.Pack{Name: "team", Version: 1, At: now, Policy: policy}, forger), false},
		{"no policy", sign(wire.Pack{Name: "team", Version: 1, At: now, Policy: "[write\n"}, private), false},
		{"an unknown rule", sign(wire.Pack{Name: "team", Version: 1, At: now, Policy: "[writes]\ndeny = []\n"}, private), false},
		{"too long", huge(1 << 20), false},
		{"the first", sign(wire.Pack{Name: "team", Version: 2, At: now, Policy: policy}, private), true},
		{"the same", sign(wire.Pack{Name: "team", Version: 2, At: now, Policy: policy}, private), false},
		{"older by its version", sign(wire.Pack{Name: "team", Version: 1, At: now.Add(time.Second), Policy: policy}, private), false},
		{"older by its time", sign(wire.Pack{Name: "team", Version: 3, At: now.Add(-time.Second), Policy: policy}, private), false},
		{"of another name", sign(wire.Pack{Name: "open", Version: 9, At: now.Add(time.Hour), Policy: policy}, private), false},
		{"changed after it was signed", changed, false},
		{"the next", sign(wire.Pack{Name: "team", Version: 3, At: now.Add(time.Second), Policy: policy + "ask = [\"y\"]\n"}, private), true},
	} {
		before, _ := os.ReadFile(file) // there may be none
		r, err := h.Ask(t.Context(), ws, wire.Ask{Policy: c.pack})
		if err != nil || r.OK != c.ok || !c.ok && r.Kind != wire.BadPack {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		after, _ := os.ReadFile(file)
		if bytes.Equal(before, after) == c.ok {
			t.Errorf("%s: the policy is now %q", c.name, after)
		}
	}
	other := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(other, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	own := h.Enrol(t, "own")
	hubtest.Join(t, join.Options{Dir: hubtest.Workspace(t), Membership: own, Allow: wire.Allow{Policy: true}, PolicyFile: other})
	here(t, h, own.Joined.Workspace)
	if r, err := h.Ask(t.Context(), own.Joined.Workspace, wire.Ask{Policy: sign(wire.Pack{Name: "team", Version: 2, At: now, Policy: policy}, private)}); err != nil || r.OK {
		t.Errorf("the owner's own policy was replaced: %+v, %v", r, err)
	}
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		p, err := h.PresenceOf(t.Context(), own.Joined.Workspace)
		if err == nil && p != nil && strings.Contains(p.PackError, "owner's own") {
			break
		}
		if time.Since(start) > 20*time.Second {
			t.Fatalf("the refusal is not reported: %+v, %v", p, err)
		}
	}
}

// TestSecrets: whatever a workspace chooses to send, nothing that it sends has what the policy protects from reading, or what looks like a key.
func TestSecrets(t *testing.T) {
	const secret, key = "a-secret-that-is-protected", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	h := hubtest.Serve(t, broker.Options{})
	dir, m := hubtest.Workspace(t), h.Enrol(t, "one")
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte("[read]\ndeny = [\"hidden\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := emend.Open(dir, emend.AllowProtected(".env"))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for path, text := range map[string]string{".env": secret + "\n", "hidden": secret + "\n", "keys.go": "var k = \"" + key + "\"\n", "open": "for everybody\n"} {
		if _, err := ws.Create(t.Context(), api.CreateRequest{Path: path, Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	j, _ := hubtest.Join(t, join.Options{Dir: dir, Membership: m, Ship: wire.ShipContents, PolicyFile: policy})
	hubtest.Flush(t, j)
	var all []byte
	for _, stream := range []string{wire.Records, wire.Extras, "KV_" + wire.Presences} {
		all = append(all, sent(t, h, stream)...)
	}
	for _, s := range []string{secret, key, ".env", "hidden"} {
		if bytes.Contains(all, []byte(s)) {
			t.Errorf("what was sent has %q", s)
		}
	}
	for _, s := range []string{`"open"`, "+for everybody"} {
		if !bytes.Contains(all, []byte(s)) {
			t.Errorf("what was sent does not have %q", s)
		}
	}
	list, err := ws.History(t.Context(), api.HistoryRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Data.Entries {
		c, err := h.Content(t.Context(), m.Joined.Workspace, e.AfterSha256)
		if err != nil || (c != nil) != (e.Path == "open") {
			t.Errorf("content of %s: %q, %v", e.Path, c, err)
		}
	}
}

// sent returns all that is in a stream, decompressed.
func sent(t *testing.T, h *hubtest.Hub, stream string) (out []byte) {
	t.Helper()
	s, err := h.JetStream().Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := info.State.FirstSeq; n <= info.State.LastSeq; n++ {
		m, err := s.GetMsg(t.Context(), n)
		if err == jetstream.ErrMsgNotFound {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m.Data...)
		if text, err := wire.Decompress(m.Data[64:]); err == nil {
			out = append(append(out, text...), '\n')
		}
	}
	return out
}

// TestReplayedThaw: a thaw that somebody recorded ends no later stop, also when the join was started again meanwhile and remembers no replies.
func TestReplayedThaw(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	dir, m := hubtest.Workspace(t), h.Enrol(t, "one")
	ws := m.Joined.Workspace
	o := join.Options{Dir: dir, Membership: m, Allow: wire.Allow{Stop: true}}
	_, stop := hubtest.Join(t, o)
	here(t, h, ws)
	frozen := func() *api.Frozen {
		t.Helper()
		w, err := emend.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		f, err := w.Host().Frozen()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	ask := func(a wire.Stop) *wire.Reply {
		t.Helper()
		r, err := h.Ask(t.Context(), ws, wire.Ask{Stop: &a})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ask(wire.Stop{})
	recorded := make(chan []byte, 10)
	if _, err := h.Conn().Subscribe(wire.AskSubject(ws), func(m *nats.Msg) { recorded <- m.Data }); err != nil {
		t.Fatal(err)
	}
	if r := ask(wire.Stop{Thaw: true, Since: frozen().At}); !r.OK || frozen() != nil {
		t.Fatalf("the thaw: %+v, %v", r, frozen())
	}
	thaw := <-recorded
	if r := ask(wire.Stop{Reason: "again"}); !r.OK {
		t.Fatalf("the second stop: %+v", r)
	}
	stop()
	_, stop = hubtest.Join(t, o)
	defer stop()
	var got *nats.Msg
	hubtest.Until(t, "an answer to the thaw that is sent again", func() (ok bool) {
		var err error
		got, err = h.Conn().Request(wire.AskSubject(ws), thaw, 2*time.Second)
		return err == nil && len(got.Data) > 64
	})
	reply := new(wire.Reply)
	if err := json.Unmarshal(got.Data[64:], reply); err != nil {
		t.Fatal(err)
	}
	if f := frozen(); reply.OK || reply.Kind != string(fail.Stale) || f == nil || f.Reason != "again" {
		t.Errorf("a thaw that was sent again: %+v; frozen: %+v", reply, f)
	}
}

// sendAsk sends an ask as the hub's own key signs it, with a time that it does not have.
func sendAsk(t *testing.T, h *hubtest.Hub, ws string, a wire.Ask, at time.Time) *wire.Reply {
	t.Helper()
	var seeds struct{ Hub string }
	text, err := os.ReadFile(filepath.Join(h.Dir, "keys.json"))
	if err == nil {
		err = json.Unmarshal(text, &seeds)
	}
	if err != nil {
		t.Fatal(err)
	}
	key, err := nkeys.FromSeed([]byte(seeds.Hub))
	if err != nil {
		t.Fatal(err)
	}
	a.V, a.At = wire.Version, at
	data, err := json.Marshal(a)
	if err == nil {
		data, err = wire.Seal(key, wire.AskSubject(ws), data)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.Conn().Request(wire.AskSubject(ws), data, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	r := new(wire.Reply)
	if err := json.Unmarshal(got.Data[64:], r); err != nil {
		t.Fatal(err)
	}
	return r
}
