package join

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"

	"github.com/emend-dev/emend/hub/wire"
)

// maxAtOnce limits the asks that are worked on at once, and maxReplies the replies that are remembered.
const maxAtOnce, maxReplies = 4, 1000

// answering returns the handler of asks.
func (j *Join) answering(ctx context.Context) nats.MsgHandler {
	slots := make(chan struct{}, maxAtOnce)
	return func(m *nats.Msg) {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		go func() {
			defer func() { <-slots }()
			reply := j.answer(ctx, m.Data)
			if reply == nil {
				return
			}
			data, err := json.Marshal(reply)
			if err == nil {
				data, err = wire.Seal(j.key, wire.ReplySubject(reply.ID), data)
			}
			if err == nil {
				err = m.Respond(data)
			}
			if err != nil {
				j.o.Log.Warn("a reply was not sent", "error", err)
			}
			j.announce()
		}()
	}
}

// answer does what an ask wants, once. It returns nil for what the hub did not sign.
func (j *Join) answer(ctx context.Context, data []byte) *wire.Reply {
	start := time.Now()
	data, err := wire.Unseal(j.o.Membership.Joined.HubKey, wire.AskSubject(j.o.Membership.Joined.Workspace), data)
	if err != nil {
		j.o.Log.Error("somebody else than the hub asked for something; it was not done")
		return nil
	}
	var a wire.Ask
	if err := json.Unmarshal(data, &a); err != nil || a.ID == "" || a.Kind() == "" || a.V > wire.Version {
		return &wire.Reply{V: wire.Version, ID: a.ID, Kind: wire.BadAsk, Text: "the ask cannot be read by this version"}
	}
	kind := a.Kind()
	reply := j.replies.once(a.ID, data, func() *wire.Reply {
		if age := start.Sub(a.At); age > wire.AskFor || age < -wire.AskFor {
			return &wire.Reply{Kind: wire.Outdated, Text: fmt.Sprintf("the ask is of %s, and here it is %s: an old ask was sent again, or the clocks differ", a.At.UTC().Format(time.RFC3339), start.UTC().Format(time.RFC3339))}
		}
		if !allowed(j.o.Allow, kind) {
			return &wire.Reply{Kind: wire.NotAllowed, Text: fmt.Sprintf("the owner of the workspace did not allow %q; \"emend-hub join --allow\" does", kind)}
		}
		r := j.do(ctx, &a)
		r.Took = time.Since(start)
		if kind == "stop" || kind == "resend" && a.Resend.Settled {
			j.settle.Do(func() { close(j.settled) })
		}
		return r
	})
	reply.V, reply.ID = wire.Version, a.ID
	j.o.Log.Info("the hub asked", "kind", kind, "by", a.By, "ok", reply.OK, "text", reply.Text)
	return reply
}

// allowed reports whether a kind of ask is. Records that the hub should have may be asked for at any time.
func allowed(a wire.Allow, kind string) bool {
	switch kind {
	case "resend":
		return true
	case "approve":
		return a.Approve
	case "undo":
		return a.Undo
	case "policy":
		return a.Policy
	case "stop":
		return a.Stop
	}
	return false
}

func (j *Join) do(ctx context.Context, a *wire.Ask) *wire.Reply {
	ctx = emend.WithAnsweredBy(emend.WithActor(ctx, api.Actor{Client: "emend-hub", Agent: a.By, Tool: a.Kind(), Call: a.ID}), api.AnsweredByHub)
	switch {
	case a.Answer != nil:
		return j.answerQuestion(ctx, a.Answer)
	case a.Undo != nil:
		return j.undo(ctx, a.ID, a.Undo)
	case a.Policy != nil:
		return j.install(a.Policy)
	case a.Stop != nil:
		return j.stop(ctx, a.By, a.Stop)
	default:
		j.sayAll.Store(true)
		if a.Resend.To == 0 {
			return &wire.Reply{OK: true, Text: "nothing is missing"}
		}
		if !j.ship.Resend(*a.Resend) {
			return &wire.Reply{Kind: string(fail.CommandFailed), Text: "too much is being sent again already"}
		}
		return &wire.Reply{OK: true, Text: "the records are sent again, as far as the log has them"}
	}
}

// answerQuestion answers a waiting call, if it is still the one that the person saw.
func (j *Join) answerQuestion(ctx context.Context, a *wire.Answer) *wire.Reply {
	ws := j.workspace()
	w, err := ws.Host().WaitingFor(ctx, a.ID)
	if err != nil {
		return refusal(err)
	}
	if w.ID != a.ID || w.Question.Digest != a.Digest || a.Digest == "" {
		return &wire.Reply{Kind: string(fail.Stale), Text: "the call that waits is another one than the one that was answered"}
	}
	var answer *api.Answer[api.AnsweredData]
	if a.Allow {
		answer, err = ws.Allow(ctx, api.AllowRequest{ID: a.ID, Session: a.Session})
	} else {
		answer, err = ws.Deny(ctx, api.DenyRequest{ID: a.ID, Reason: a.Reason})
	}
	if err != nil {
		return refusal(err)
	}
	return &wire.Reply{OK: true, Text: answer.Result().Text()}
}

// undo takes back an entry or a session, or says what that would do.
func (j *Join) undo(ctx context.Context, id string, u *wire.Undo) *wire.Reply {
	if (u.Entry == "") == (u.Session == "") {
		return &wire.Reply{Kind: wire.BadAsk, Text: "an undo is of an entry, or of a session"}
	}
	ws := j.workspace()
	r := api.UndoRequest{Entry: u.Entry, SessionID: u.Session, SkipConflicts: u.SkipConflicts, DryRun: true}
	dry := r
	ctx = emend.WithAsker(ctx, func(ctx context.Context, q api.Question) (string, error) {
		return j.confirmed(ctx, ws, dry, u.Effect, q)
	})
	preview, err := ws.Undo(ctx, r)
	if err != nil {
		return refusal(err)
	}
	effect := effectOf(preview.Files())
	if u.Preview {
		return j.undone(preview, effect, true)
	}
	if u.Effect != "" && u.Effect != effect {
		return &wire.Reply{Kind: string(fail.Stale), Effect: effect, Text: "the undo would now do something else than was shown; look at it again"}
	}
	r.DryRun, r.IdempotencyKey = false, "hub-"+id
	done, err := ws.Undo(ctx, r)
	if err != nil {
		return refusal(err)
	}
	j.ship.Wake()
	return j.undone(done, effect, false)
}

// confirmed answers where the policy asks a person before an undo's writes: the person at the hub has seen the preview and confirmed its effect. That is
// the answer, if the owner lets the hub approve, and if the undo still has that effect. preview is the undo as a dry run.
func (j *Join) confirmed(ctx context.Context, ws *emend.Workspace, preview api.UndoRequest, effect string, q api.Question) (by string, err error) {
	if err := j.mayConfirm(q.Paths); err != nil {
		return "", err
	}
	if effect == "" {
		return "", errors.New("nobody confirmed what the undo does: it names no effect of a preview")
	}
	now, err := ws.Undo(ctx, preview)
	if err != nil {
		return "", err
	}
	if effectOf(now.Files()) != effect {
		return "", errors.New("the undo would now do something else than was shown")
	}
	return api.AnsweredByHub, nil
}

// mayConfirm returns why confirming an undo at the hub is no answer to what the policy asks about paths; nil if it is one.
func (j *Join) mayConfirm(asks []api.AskedPath) error {
	switch {
	case slices.ContainsFunc(asks, func(a api.AskedPath) bool { return !a.Write }):
		return errors.New("what may be read on asking only is not shown at a hub")
	case !j.o.Allow.Approve:
		return &fail.Error{Kind: fail.PermissionDenied, Msg: "the owner of the workspace allowed the hub to undo, and not to approve, and the policy asks a person about " + strconv.Quote(asks[0].Path),
			Hint: "\"emend-hub join --allow undo,approve\" allows both; or undo it at the workspace."}
	case j.workspace().Host().PageOnly():
		return errors.New("the policy of the workspace takes an answer from its own page only: undo it there")
	}
	return nil
}

func (j *Join) undone(r *emend.Report, effect string, preview bool) *wire.Reply {
	out := &wire.Reply{OK: true, Text: r.Summary(), Tx: r.Tx, Head: r.Head, Effect: effect, Undoes: r.Undoes(), InWay: r.Notes}
	if asks := r.Asks(); preview && len(asks) > 0 {
		if err := j.mayConfirm(asks); err != nil {
			out.WhyNot = err.Error()
			if f, ok := errors.AsType[*fail.Error](err); ok && f.Hint != "" {
				out.WhyNot += "; " + strings.TrimSuffix(f.Hint, ".")
			}
		}
	}
	for _, f := range r.Files() {
		d := wire.FileDiff{Path: f.Path, ToPath: f.To}
		if preview {
			d.Diff, d.NotShown = j.shown(f.Diff())
		}
		out.Files = append(out.Files, d)
	}
	return out
}

// effectOf identifies what a change does: each file, before and after.
func effectOf(files []emend.File) string {
	var lines []string
	for _, f := range files {
		lines = append(lines, fmt.Sprintf("%v %q %q %x %x\n", f.Op, f.Path, f.To, sha256.Sum256([]byte(f.Before)), sha256.Sum256([]byte(f.After))))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

// stop freezes the workspace, or thaws it.
func (j *Join) stop(ctx context.Context, by string, s *wire.Stop) *wire.Reply {
	h := j.workspace().Host()
	was, err := h.Frozen()
	if err != nil {
		return refusal(err)
	}
	if was != nil && !strings.HasPrefix(was.By, wire.HubActor) { // what somebody here froze is not the hub's to thaw, and stays theirs
		return &wire.Reply{OK: !s.Thaw, Text: fmt.Sprintf("the workspace is read-only since %s, by %s", was.At.UTC().Format(time.RFC3339), cmp.Or(was.By, "somebody"))}
	}
	if s.Thaw {
		if was != nil && !was.At.Equal(s.Since) {
			return &wire.Reply{Kind: string(fail.Stale), Frozen: was, Text: fmt.Sprintf("the workspace is read-only since %s, and the thaw is of another stop", was.At.UTC().Format(time.RFC3339Nano))}
		}
		if err := h.Thaw(ctx); err != nil {
			return refusal(err)
		}
		return &wire.Reply{OK: true, Text: "the workspace can be changed again"}
	}
	f, err := h.Freeze(ctx, api.FreezeRequest{By: wire.HubActor + by + ")", Reason: s.Reason})
	if err != nil {
		return refusal(err)
	}
	return &wire.Reply{OK: true, Text: "the workspace is read-only since " + f.At.UTC().Format(time.RFC3339)}
}

// refusal is the reply to an ask that emend refused.
func refusal(err error) *wire.Reply {
	out := &wire.Reply{Kind: string(fail.CommandFailed), Text: err.Error()}
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		out.Text = r.Explain()
		for i, f := range r.Failures {
			if i == 0 {
				out.Kind = string(f.Kind)
			}
			out.InWay = append(out.InWay, f.Error())
		}
	}
	return out
}

// replies remembers what was answered, so that an ask which comes again is done once.
type replies struct {
	mu    sync.Mutex
	done  map[string]*given
	order []string
}

type given struct {
	once  sync.Once
	sum   [sha256.Size]byte
	reply wire.Reply
}

// once calls f if the ask with an id did not come before. The same id with other contents is refused.
func (r *replies) once(id string, data []byte, f func() *wire.Reply) *wire.Reply {
	sum := sha256.Sum256(data)
	r.mu.Lock()
	if r.done == nil {
		r.done = map[string]*given{}
	}
	g := r.done[id]
	if g == nil {
		g = &given{sum: sum}
		r.done[id] = g
		if r.order = append(r.order, id); len(r.order) > maxReplies {
			delete(r.done, r.order[0])
			r.order = r.order[1:]
		}
	}
	r.mu.Unlock()
	if g.sum != sum {
		return &wire.Reply{Kind: wire.Outdated, Text: "an ask with this id was answered before, and it was another one"}
	}
	g.once.Do(func() { g.reply = *f() })
	reply := g.reply
	return &reply
}
