package control_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/wire"
)

var must, until = hubtest.Must, hubtest.Until

// world is a hub with people.
type world struct {
	*control.Control
	t      *testing.T
	hub    *hubtest.Hub
	key    ed25519.PrivateKey
	pinned string
	people map[string]control.Person
}

func newWorld(t *testing.T) *world {
	public, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	w := &world{t: t, key: key, pinned: wire.KeyText(public), people: map[string]control.Person{}}
	w.hub = hubtest.Serve(t, broker.Options{PolicyKey: w.pinned})
	w.Control = w.open()
	for name, role := range map[string]control.Role{"vera": control.Viewer, "anna": control.Approver, "adam": control.Admin} {
		w.people[name] = w.person(name, role)
	}
	w.people["ada"] = w.person("ada", control.Approver, "a")
	return w
}

func (w *world) open() *control.Control {
	c, err := control.Open(w.t.Context(), w.hub.Broker, control.Options{PolicyKey: w.pinned})
	must(w.t, err)
	return c
}

func (w *world) person(name string, role control.Role, labels ...string) control.Person {
	w.t.Helper()
	secret, _, err := w.Issue(w.t.Context(), control.Operator, control.Token{Name: name, Role: role, Labels: labels})
	must(w.t, err)
	p, err := w.Authenticate(w.t.Context(), secret)
	must(w.t, err)
	return p
}

// run has the hub keep workspaces as they should be, until the test ends.
func (w *world) run(c *control.Control) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { c.Run(ctx) }) //nolint:errcheck // it ends with the context
	w.t.Cleanup(func() { cancel(); done.Wait() })
}

// joined is a workspace that joined.
type joined struct {
	id, dir, policy string
	ws              *emend.Workspace
	stop            func()
}

func (w *world) join(name, allow string, labels ...string) *joined {
	w.t.Helper()
	policy := ""
	if strings.Contains(allow, "approve") {
		policy = "[write]\nask = [\"asked\"]\n"
	}
	return w.joinUnder(name, allow, policy, labels...)
}

// joinUnder joins a workspace whose owner has a policy. It is not replaced by a pack.
func (w *world) joinUnder(name, allow, policy string, labels ...string) *joined {
	w.t.Helper()
	m := w.hub.Enrol(w.t, name, labels...)
	j := &joined{id: m.Joined.Workspace, dir: hubtest.Workspace(w.t)}
	j.policy = filepath.Join(w.t.TempDir(), "policy.toml")
	if policy != "" {
		must(w.t, os.WriteFile(j.policy, []byte(policy), 0o600))
	}
	hubtest.Change(w.t, j.dir, 1)
	allowed, err := wire.ParseAllow(allow)
	must(w.t, err)
	joinIt := func() {
		_, j.stop = hubtest.Join(w.t, join.Options{Dir: j.dir, Membership: m, Allow: allowed, PolicyFile: j.policy, Ship: wire.ShipDiffs})
	}
	joinIt()
	until(w.t, name+" is there", func() bool { return w.presence(j) != nil })
	var options []emend.Option
	if policy != "" {
		options = append(options, emend.Policy(j.policy))
	}
	j.ws, err = emend.Open(j.dir, options...)
	must(w.t, err)
	w.t.Cleanup(func() { j.ws.Close() })
	return j
}

func (w *world) presence(j *joined) *wire.Presence {
	w.t.Helper()
	p, err := w.hub.PresenceOf(w.t.Context(), j.id)
	must(w.t, err)
	return p
}

func (w *world) pack(version uint64, policy string) *wire.SignedPack {
	w.t.Helper()
	s, err := wire.Sign(wire.Pack{Name: "team", Version: version, At: time.Now(), Policy: policy}, w.key)
	must(w.t, err)
	return s
}

// kinds lists the acts, the oldest first.
func (w *world) kinds() (out []string) {
	w.t.Helper()
	acts, err := w.Acts(w.t.Context(), 0, 1000)
	must(w.t, err)
	for _, a := range slices.Backward(acts) {
		out = append(out, string(a.Kind)+" by "+a.By)
	}
	return out
}

// TestTokens: a token is good for who has its secret, until it expires or is revoked, and is nowhere in the log.
func TestTokens(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	secret, token, err := w.Issue(ctx, w.people["adam"], control.Token{Name: "eve", Role: control.Viewer, Labels: []string{"x"}})
	must(t, err)
	p, err := w.Authenticate(ctx, " "+secret+"\n")
	if err != nil || p.Name != "eve" || p.Role != control.Viewer || !p.Sees([]string{"x", "y"}) || p.Sees([]string{"y"}) {
		t.Fatalf("%+v %v", p, err)
	}
	for _, wrong := range []string{"", secret + "x", secret[:len(secret)-1], token.ID, token.Hash, "emendhub_"} {
		if _, err := w.Authenticate(ctx, wrong); !errors.Is(err, control.ErrToken) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	short, _, err := w.Issue(ctx, w.people["adam"], control.Token{Name: "late", Role: control.Viewer, Expires: time.Now().Add(-time.Second)})
	must(t, err)
	if _, err := w.Authenticate(ctx, short); !errors.Is(err, control.ErrToken) {
		t.Errorf("an expired token: %v", err)
	}
	must(t, w.RevokeToken(ctx, w.people["adam"], token.ID))
	if _, err := w.Authenticate(ctx, secret); !errors.Is(err, control.ErrToken) {
		t.Errorf("a revoked token: %v", err)
	}
	if _, err := w.Holder(ctx, token.ID); !errors.Is(err, control.ErrToken) {
		t.Errorf("the holder of a revoked token: %v", err)
	}
	if err := w.SignIn(ctx, p); !errors.Is(err, control.ErrToken) {
		t.Errorf("somebody whose token was revoked can act: %v", err)
	}
	if err := w.RevokeToken(ctx, w.people["adam"], w.people["adam"].Token); err == nil {
		t.Error("the last admin can be revoked")
	}
	s, err := w.hub.JetStream().Stream(ctx, "EMEND_ACTS")
	must(t, err)
	for n := uint64(1); n <= s.CachedInfo().State.LastSeq; n++ {
		m, err := s.GetMsg(ctx, n)
		must(t, err)
		if strings.Contains(string(m.Data), secret) {
			t.Errorf("the log has a secret: %s", m.Data)
		}
	}
	if err := s.DeleteMsg(ctx, 1); err == nil {
		t.Error("an act can be deleted")
	}
	if err := s.Purge(ctx); err == nil {
		t.Error("the acts can be purged")
	}
}

// TestFirst: a new hub has one token, for an admin, and gives no second one.
func TestFirst(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	for i := range 2 {
		c, err := control.Open(t.Context(), h.Broker, control.Options{})
		must(t, err)
		secret, err := c.First(t.Context())
		must(t, err)
		if (i == 0) != (secret != "") {
			t.Errorf("start %d prints %q", i, secret)
		}
		if i == 0 {
			p, err := c.Authenticate(t.Context(), secret)
			if err != nil || p.Role != control.Admin {
				t.Errorf("%+v %v", p, err)
			}
		}
	}
}

// TestRoles: what each role may not do, and a token with labels not elsewhere, is refused and changes nothing.
func TestRoles(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.join("ws", "undo,approve,policy,stop", "b")
	before := len(w.kinds())
	acts := map[string]func(control.Person) error{
		"issue": func(p control.Person) error {
			_, _, err := w.Issue(ctx, p, control.Token{Name: "x", Role: control.Viewer})
			return err
		},
		"revoke":   func(p control.Person) error { return w.RevokeToken(ctx, p, w.people["vera"].Token) },
		"publish":  func(p control.Person) error { _, err := w.Publish(ctx, p, w.pack(1, "")); return err },
		"roll out": func(p control.Person) error { _, err := w.RollOut(ctx, p, control.Rollout{}); return err },
		"invite": func(p control.Person) error {
			_, err := w.Invite(ctx, p, "https://x", true, wire.Invitation{Name: "x", Uses: 1, Expires: time.Now().Add(time.Hour)})
			return err
		},
		"change workspace": func(p control.Person) error { return w.SetMember(ctx, p, j.id, "x", nil) },
		"revoke workspace": func(p control.Person) error { return w.Expel(ctx, p, j.id, "") },
		"preview":          func(p control.Person) error { _, err := w.Preview(ctx, p, j.id, wire.Undo{Session: "s-1"}); return err },
		"undo": func(p control.Person) error {
			_, err := w.Undo(ctx, p, j.id, wire.Undo{Session: "s-1", Effect: "x"})
			return err
		},
		"stop":       func(p control.Person) error { _, err := w.Stop(ctx, p, control.Stop{Workspace: j.id}); return err },
		"stop label": func(p control.Person) error { _, err := w.Stop(ctx, p, control.Stop{Label: "b"}); return err },
		"stop all":   func(p control.Person) error { _, err := w.Stop(ctx, p, control.Stop{}); return err },
	}
	forAdmins := []string{"issue", "revoke", "publish", "roll out", "invite", "change workspace", "revoke workspace"}
	stranger := control.Person{Name: "adam", Token: "t-nothing", Role: control.Admin}
	raised := w.people["vera"]
	raised.Role = control.Admin
	local := w.person("local", control.Admin, "a")
	before++
	for name, act := range acts {
		for who, p := range map[string]control.Person{"vera": w.people["vera"], "anna": w.people["anna"], "ada": w.people["ada"], "stranger": stranger, "raised": raised, "local": local} {
			if who == "anna" && !slices.Contains(forAdmins, name) {
				continue
			}
			err := act(p)
			switch {
			case errors.Is(err, control.ErrRole), errors.Is(err, control.ErrLabel), errors.Is(err, control.ErrToken):
			case name == "preview" && (who == "stranger" || who == "raised"): // it changes nothing; the front has authenticated
			default:
				t.Errorf("%s by %s: %v", name, who, err)
			}
		}
	}
	if got := w.kinds(); len(got) != before {
		t.Errorf("something was done: %v", got[before:])
	}
	if p := w.presence(j); p.Frozen != nil {
		t.Error("it is stopped")
	}
}

// ask has an agent change a file that a person is asked about, and returns the question and what becomes of the call.
func (w *world) ask(j *joined, before ...*wire.Question) (*wire.Question, <-chan error) {
	w.t.Helper()
	leave, err := j.ws.Host().PageOpen(api.AnsweredByHub)
	must(w.t, err)
	result := make(chan error, 1)
	go func() {
		defer leave()
		ctx := emend.WithActor(context.Background(), api.Actor{Client: "agent/1", Session: "s-9"})
		_, err := j.ws.Create(emend.WithAsker(ctx, func(ctx context.Context, q api.Question) (string, error) {
			return j.ws.Host().AskAtPage(ctx, q, 30*time.Second, nil)
		}), api.CreateRequest{Path: "asked", Content: "text\n"})
		result <- err
	}()
	var found *wire.Question
	until(w.t, "the question is at the hub", func() bool {
		all, err := w.hub.Questions(w.t.Context())
		must(w.t, err)
		for i := range all {
			if all[i].Workspace == j.id && (before == nil || all[i].ID != before[0].ID) {
				found = &all[i]
			}
		}
		return found != nil
	})
	return found, result
}

// TestAnswers: an answer reaches the call that was shown, once, and no other.
func TestAnswers(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.join("ws", "approve", "b")
	anna := w.people["anna"]
	q, result := w.ask(j)
	if !strings.Contains(q.Diff, "+text") {
		t.Errorf("the question does not show the diff: %+v", q)
	}
	for name, answer := range map[string]wire.Answer{"another digest": {ID: q.ID, Digest: strings.Repeat("0", 64), Allow: true}, "no digest": {ID: q.ID, Allow: true},
		"another question": {ID: "x" + q.ID, Digest: q.Digest, Allow: true}} {
		if _, err := w.Answer(ctx, anna, j.id, answer); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	yes := wire.Answer{ID: q.ID, Digest: q.Digest, Allow: true}
	for name, p := range map[string]control.Person{"a viewer": w.people["vera"], "who is for another label": w.people["ada"]} {
		if _, err := w.Answer(ctx, p, j.id, yes); err == nil {
			t.Errorf("%s can answer", name)
		}
	}
	var given sync.WaitGroup
	var mu sync.Mutex
	accepted := 0
	for range 8 { // eight people at once
		given.Go(func() {
			r, err := w.Answer(ctx, anna, j.id, yes)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && r.OK {
				accepted++
			} else if err == nil {
				t.Errorf("%+v", r)
			}
		})
	}
	given.Wait()
	if accepted != 1 {
		t.Errorf("%d answers were accepted", accepted)
	}
	if err := <-result; err != nil {
		t.Errorf("the call was allowed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(j.dir, "asked")); err != nil {
		t.Error(err)
	}
	if _, err := w.Answer(ctx, anna, j.id, yes); err == nil {
		t.Error("it can be answered again")
	}

	must(t, os.Remove(filepath.Join(j.dir, "asked")))
	q, result = w.ask(j, q)
	r, err := w.Answer(ctx, anna, j.id, wire.Answer{ID: q.ID, Digest: q.Digest, Reason: "not on Fridays"})
	if err != nil || !r.OK {
		t.Fatalf("%+v %v", r, err)
	}
	if err := <-result; err == nil || !strings.Contains(err.Error(), "not on Fridays") {
		t.Errorf("the call was denied: %v", err)
	}
}

// TestNotAllowed: what the owner of a workspace did not allow, it does not do, and the hub says so.
func TestNotAllowed(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.join("ws", "none", "b")
	r, err := w.Stop(ctx, w.people["anna"], control.Stop{Workspace: j.id, Reason: "now"})
	if err != nil || len(r) != 1 || r[0].OK || r[0].Away {
		t.Errorf("%+v %v", r, err)
	}
	if reply, err := w.Preview(ctx, w.people["anna"], j.id, wire.Undo{Session: "s-1"}); err != nil || reply.OK || reply.Kind != wire.NotAllowed {
		t.Errorf("%+v %v", reply, err)
	}
	if p := w.presence(j); p.Frozen != nil {
		t.Error("it is stopped")
	}
}

// TestUndo: an undo is previewed, does what was shown, and is refused if it would do anything else.
func TestUndo(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.join("ws", "undo", "a")
	ada := w.people["ada"]
	hubtest.Change(t, j.dir, 2)
	preview, err := w.Preview(ctx, ada, j.id, wire.Undo{Session: "s-1"})
	must(t, err)
	if !preview.OK || preview.Effect == "" || len(preview.Files) != 3 {
		t.Fatalf("%+v", preview)
	}
	hubtest.Change(t, j.dir, 1) // the agent goes on while the person reads
	r, err := w.Undo(ctx, ada, j.id, wire.Undo{Session: "s-1", Effect: preview.Effect})
	if err != nil || r.OK {
		t.Errorf("an undo of more than was shown: %+v %v", r, err)
	}
	for name, u := range map[string]wire.Undo{"no effect": {Session: "s-1"}, "nothing": {Effect: "x"}, "both": {Entry: "x", Session: "s-1", Effect: "x"}} {
		if _, err := w.Undo(ctx, ada, j.id, u); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	preview, err = w.Preview(ctx, ada, j.id, wire.Undo{Session: "s-1"})
	must(t, err)
	r, err = w.Undo(ctx, ada, j.id, wire.Undo{Session: "s-1", Effect: preview.Effect})
	if err != nil || !r.OK || r.Tx == "" {
		t.Fatalf("%+v %v", r, err)
	}
	left, err := filepath.Glob(filepath.Join(j.dir, "f-*"))
	must(t, err)
	if len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
}

// TestUndoOfAsked: where the policy asks a person before a write, confirming the preview of an undo is the answer, if the owner lets the hub undo and
// approve. It is an answer to what was shown only, and none where the policy wants it from a page.
func TestUndoOfAsked(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	for name, tt := range map[string]struct {
		allow, policy string
		change, ok    bool
		whyNot        string // what the preview says
	}{
		"both":           {"undo,approve", "", false, true, ""},
		"changed since":  {"undo,approve", "", true, false, ""},
		"undo only":      {"undo", "", false, false, "--allow undo,approve"},
		"answers a page": {"undo,approve", "[ask]\nanswer = \"page\"\n", false, false, "own page only"},
	} {
		j := w.joinUnder(name, tt.allow, "[write]\nask = [\"asked\"]\n"+tt.policy, "a")
		yes := emend.WithAnsweredBy(emend.WithAsker(ctx, func(context.Context, api.Question) (string, error) { return api.AnsweredByPage, nil }), api.AnsweredByPage)
		r, err := j.ws.Create(yes, api.CreateRequest{Path: "asked", Content: "one\n"})
		must(t, err)
		u := wire.Undo{Entry: r.Tx}
		preview, err := w.Preview(ctx, w.people["ada"], j.id, u)
		must(t, err)
		if u.Effect = preview.Effect; !preview.OK || len(preview.Files) != 1 || (preview.WhyNot == "") != (tt.whyNot == "") || !strings.Contains(preview.WhyNot, tt.whyNot) {
			t.Fatalf("%s: %+v", name, preview)
		}
		if tt.change {
			must(t, os.WriteFile(filepath.Join(j.dir, "asked"), []byte("one\ntwo\n"), 0o644))
		}
		got, err := w.Undo(ctx, w.people["ada"], j.id, u)
		must(t, err)
		_, gone := os.Stat(filepath.Join(j.dir, "asked"))
		if got.OK != tt.ok || os.IsNotExist(gone) != tt.ok {
			t.Errorf("%s: %+v, %v", name, got, gone)
		}
		if tt.ok {
			e, err := j.ws.Show(ctx, got.Tx)
			must(t, err)
			if e.Data.AskedBy != api.AnsweredByHub {
				t.Errorf("the log says that %q answered", e.Data.AskedBy)
			}
		}
		if name == "undo only" && !strings.Contains(got.Text, "--allow undo,approve") {
			t.Errorf("%s: %q does not say what to do", name, got.Text)
		}
	}
}

// TestStop: a label is read-only at once; a workspace that comes back later is stopped then; a resume ends it, but not what a person
// there froze.
func TestStop(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.run(w.Control)
	one, two, other := w.join("one", "stop", "a"), w.join("two", "stop", "a", "b"), w.join("other", "stop", "b")
	own := w.join("own", "stop", "a")
	_, err := own.ws.Host().Freeze(ctx, api.FreezeRequest{By: "its owner"})
	must(t, err)
	until(t, "the hub knows", func() bool { return w.presence(own).Frozen != nil })
	create := func(j *joined) error {
		_, err := j.ws.Create(ctx, api.CreateRequest{Path: fmt.Sprintf("x%d", time.Now().UnixNano()), Content: "x\n"})
		return err
	}
	r, err := w.Stop(ctx, w.people["ada"], control.Stop{Label: "a", Reason: "an incident"})
	must(t, err)
	if len(r) != 3 || !r[0].OK || !r[1].OK || !r[2].OK {
		t.Errorf("%+v", r)
	}
	for _, j := range []*joined{one, two} {
		if err := create(j); err == nil || !strings.Contains(err.Error(), "an incident") {
			t.Errorf("a stopped workspace can be changed: %v", err)
		}
	}
	must(t, create(other))
	if _, err := w.Stop(ctx, w.people["ada"], control.Stop{Label: "a"}); err == nil {
		t.Error("it was stopped twice")
	}
	late := w.join("late", "stop", "a")
	until(t, "the workspace that came later is stopped", func() bool { return create(late) != nil })
	if _, err = w.Resume(ctx, w.people["ada"], control.Stop{Label: "a"}); err != nil {
		t.Fatal(err)
	}
	must(t, create(one))
	must(t, create(two))
	must(t, create(late))
	if err := create(own); err == nil {
		t.Error("the hub thawed what the owner froze")
	}
	if _, err := w.Resume(ctx, w.people["ada"], control.Stop{Label: "a"}); err == nil {
		t.Error("it was resumed twice")
	}
}

// TestSilent: a workspace that says all the time that it begins, and answers nothing, does not keep the hub from stopping another that comes back.
func TestSilent(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.run(w.Control)
	m := w.hub.Enrol(t, "silent")
	nc, err := join.Connect(m)
	must(t, err)
	defer nc.Close()
	asked := make(chan struct{}, 1000)
	_, err = nc.Subscribe(wire.AskSubject(m.Joined.Workspace), func(*nats.Msg) { asked <- struct{}{} })
	must(t, err)
	log, subject := hubtest.LogOf(m), wire.PresenceSubject(m.Joined.Workspace)
	for i := range 300 {
		p := wire.Presence{V: 1, Workspace: m.Joined.Workspace, At: time.Now(), Started: time.Unix(int64(i), 0), Allow: wire.Allow{Stop: true}}
		must(t, nc.Publish(subject, log.Say(subject, p)))
	}
	until(t, "the silent workspace is asked", func() bool { return len(asked) > 0 })
	_, err = w.Stop(ctx, w.people["ada"], control.Stop{Label: "a"})
	must(t, err)
	began := time.Now()
	late := w.join("late", "stop", "a")
	until(t, "the other one is stopped", func() bool { return w.presence(late).Frozen != nil })
	if took := time.Since(began); took > 15*time.Second { // it would wait for an answer for 20
		t.Errorf("it was stopped after %v", took)
	}
	if n := len(asked); n > 8 {
		t.Errorf("the silent workspace was asked %d times", n)
	}
}

// TestPolicy: only packs that are signed by the pinned key, parse and are newer can be published and rolled out. Workspaces get the newest that a
// label of theirs has, also when they come later.
func TestPolicy(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.run(w.Control)
	adam := w.people["adam"]
	_, stranger, err := ed25519.GenerateKey(nil)
	must(t, err)
	forged, err := wire.Sign(wire.Pack{Name: "team", Version: 1, At: time.Now(), Policy: ""}, stranger)
	must(t, err)
	changed := *w.pack(1, "[write]\ndeny = [\"a\"]\n")
	changed.Pack = []byte(strings.Replace(string(changed.Pack), `\"a\"`, `\"b\"`, 1))
	for name, s := range map[string]*wire.SignedPack{"another key": forged, "changed": &changed, "empty": {}, "no policy": w.pack(1, "[nonsense"), "unknown": w.pack(1, "[write]\nfrobnicate = 1\n")} {
		if _, err := w.Publish(ctx, adam, s); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	one, other := w.join("one", "policy", "a"), w.join("other", "policy", "b")
	first := w.pack(1, "[write]\ndeny = [\"secret\"]\n")
	if _, err := w.Publish(ctx, adam, first); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Publish(ctx, adam, first); err == nil {
		t.Error("a pack can be published twice")
	}
	r, err := w.RollOut(ctx, adam, control.Rollout{Label: "a", Pack: wire.PackName{Name: "team", Version: 1}})
	if err != nil || len(r) != 1 || !r[0].OK {
		t.Fatalf("%+v %v", r, err)
	}
	until(t, "the workspace says which pack it has", func() bool { p := w.presence(one).Pack; return p != nil && p.Version == 1 })
	ws, err := emend.Open(one.dir, emend.Policy(one.policy))
	must(t, err)
	defer ws.Close()
	if _, err := ws.Create(ctx, api.CreateRequest{Path: "secret", Content: "x"}); err == nil {
		t.Error("the policy does not hold")
	}
	if p := w.presence(other).Pack; p != nil {
		t.Errorf("another label got %v", p)
	}
	if _, err := w.Publish(ctx, adam, w.pack(2, "")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.RollOut(ctx, adam, control.Rollout{Label: "", Pack: wire.PackName{Name: "team", Version: 2}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.RollOut(ctx, adam, control.Rollout{Label: "", Pack: wire.PackName{Name: "team", Version: 1}}); err == nil {
		t.Error("an older version was rolled out")
	}
	if _, err := w.RollOut(ctx, adam, control.Rollout{Label: "", Pack: wire.PackName{Name: "team", Version: 3}}); err == nil {
		t.Error("a version that was not published was rolled out")
	}
	late := w.join("late", "policy", "c")
	for _, j := range []*joined{one, other, late} {
		until(t, "the workspace has version 2", func() bool { p := w.presence(j).Pack; return p != nil && p.Version == 2 })
	}
}

// TestKilled: a hub that is killed after it decided and before the workspace replied asks again, once; after the time for that it says that it
// does not know.
func TestKilled(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.join("ws", "approve", "b")
	q, result := w.ask(j)
	dying, err := control.Open(ctx, deafBroker{w.hub.Broker}, control.Options{})
	must(t, err)
	var killed sync.WaitGroup
	killed.Go(func() {
		r, err := dying.Answer(ctx, w.people["anna"], j.id, wire.Answer{ID: q.ID, Digest: q.Digest, Allow: true})
		t.Errorf("the answer was acknowledged: %+v %v", r, err)
	})
	killed.Wait()
	if got := w.kinds(); got[len(got)-1] != "answer by anna" {
		t.Fatalf("the acts are %v", got)
	}
	w.run(w.open())
	if err := <-result; err != nil {
		t.Errorf("the answer was lost: %v", err)
	}
	until(t, "the outcome is logged", func() bool { return slices.Contains(w.kinds(), "outcome by hub") })
	w.run(w.open())
	if n := strings.Count(strings.Join(w.kinds(), "\n"), "outcome"); n != 1 {
		t.Errorf("%d outcomes", n)
	}
}

// deafBroker is that of a hub that is killed when it wants to ask.
type deafBroker struct{ *broker.Broker }

func (deafBroker) Ask(context.Context, string, wire.Ask) (*wire.Reply, error) {
	runtime.Goexit()
	return nil, nil
}

// TestLog: the hub's log verifies; a head that was kept is found in it; another hub on the same store sees each act.
func TestLog(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	v, err := w.Verify(ctx, api.Head{})
	if err != nil || v.Acts != 4 {
		t.Fatalf("%+v %v", v, err)
	}
	second := w.open()
	var both sync.WaitGroup
	for i := range 10 {
		for _, c := range []*control.Control{w.Control, second} {
			both.Go(func() {
				if _, _, err := c.Issue(ctx, control.Operator, control.Token{Name: fmt.Sprint("p", i), Role: control.Viewer}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	both.Wait()
	after, err := second.Verify(ctx, v.Head)
	if err != nil || after.Acts != 24 {
		t.Errorf("%+v %v", after, err)
	}
	for _, c := range []*control.Control{w.Control, second} {
		if all, err := c.Tokens(ctx); err != nil || len(all) != 24 {
			t.Errorf("%d tokens, %v", len(all), err)
		}
	}
	v.Head.H = strings.Repeat("0", 64)
	if _, err := w.Verify(ctx, v.Head); !errors.Is(err, control.ErrLog) {
		t.Errorf("another head: %v", err)
	}
	first, err := w.hub.JetStream().Stream(ctx, "EMEND_ACTS")
	must(t, err)
	old, err := first.GetMsg(ctx, 1)
	must(t, err)
	for what, forged := range map[string][]byte{"an act that was copied": old.Data, "a forged act": []byte(`{"v":1,"seq":25,"kind":"issue token","by":"operator","h":"0"}`)} {
		if _, err := w.hub.JetStream().Publish(ctx, "emend.acts", forged); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Verify(ctx, api.Head{}); !errors.Is(err, control.ErrLog) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := w.Issue(ctx, control.Operator, control.Token{Name: "p", Role: control.Viewer}); !errors.Is(err, control.ErrLog) {
		t.Errorf("a hub whose log was changed goes on: %v", err)
	}
}
