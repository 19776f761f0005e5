package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/fail"
)

// answerTime is how long an answer is waited for, and how long a question is good.
const answerTime = 10 * time.Minute

// round is one request, in which a person may have to be asked. Newer clients are given the question as the result, and
// send the call again with the answer; older ones are asked while the call waits.
type askRound struct {
	s        *Server
	req      *sdk.CallToolRequest
	result *sdk.CallToolResult // what to answer instead of the call's result
}

// asking has the person behind a client asked where a policy wants it.
func (s *Server) withAsker(ctx context.Context, req *sdk.CallToolRequest) (context.Context, *askRound) {
	r := &askRound{s: s, req: req}
	return emend.Asking(ctx, r.ask), r
}

const elicitation = "elicitation"

// errDialog is in the errors of clients that say they can ask a person, and then cannot.
var errElicitFailed = errors.New("the client could not ask a person")

// ask asks the person behind the client, where the client can; else the one who has a page open.
func (r *askRound) ask(ctx context.Context, q emend.Question) (by string, err error) {
	switch {
	case !showsForms(r.req.ClientCapabilities()):
		return r.askAtPage(ctx, q)
	case asksDuringCall(r.req.Session):
		res, err := r.elicit(ctx, q)
		switch {
		case err == nil:
			return elicitation, answerError(res)
		case !errors.Is(err, errElicitFailed):
			return "", err
		}
		by, there := r.askAtPage(ctx, q)
		if errors.Is(there, emend.ErrNobodyThere) {
			return "", err
		}
		return by, there
	}
	t := ticket{Digest: q.Digest, Workspace: q.Root, Client: q.Actor.Client}
	if res, ok := r.req.Params.InputResponses[elicitation].(*sdk.ElicitResult); ok && r.s.seals.redeem(r.req.Params.RequestState, t) {
		return elicitation, answerError(res)
	}
	r.result = &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{elicitation: askForm(q)}, RequestState: r.s.seals.seal(t)}
	return "", emend.ErrUnanswered
}

// canAsk reports whether a client shows forms; one that says nothing of their kind does.
func showsForms(c *sdk.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// waits reports whether the client's revision of the protocol has it asked while the call waits.
func asksDuringCall(s *sdk.ServerSession) bool {
	p := s.InitializeParams()
	return p != nil && p.ProtocolVersion < statelessRevision
}

// elicit asks and waits.
func (r *askRound) elicit(ctx context.Context, q emend.Question) (*sdk.ElicitResult, error) {
	ctx, leave, err := r.beginWait(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	res, err := r.req.Session.Elicit(ctx, askForm(q))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("a person was asked, and did not answer within %v", answerTime)
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%w: %w", errElicitFailed, err)
	case err != nil:
		return nil, err
	}
	return res, nil
}

// wait begins a call's wait for a person, which ends with its session. It takes the place of a call that could run, so that not
// all may wait.
func (r *askRound) beginWait(ctx context.Context) (_ context.Context, leave func(), err error) {
	select {
	case r.s.askSlots <- struct{}{}:
	default:
		return nil, nil, &fail.Error{Msg: "too many questions wait for a person already", Hint: "Try again when they are answered."}
	}
	ctx, cancel := context.WithCancel(ctx)
	answered := r.s.pending.add(r.req.Session.ID(), cancel)
	return ctx, func() { answered(); cancel(); <-r.s.askSlots }, nil
}

// verdict is nil for a yes; everything else is a no.
func answerError(res *sdk.ElicitResult) error {
	answer, _ := res.Content["answer"].(string)
	switch {
	case res.Action == "accept" && answer == "allow":
		return nil
	case res.Action == "cancel":
		return &fail.Error{Msg: "a person was asked, and dismissed the question",
			Hint: "Do not send the same call again; say what you wanted to do and why."}
	}
	e := &fail.Error{Msg: "a person was asked, and said no", Hint: "Do not send the same call again; do without it."}
	if reason, _ := res.Content["reason"].(string); reason != "" {
		e.Msg += fmt.Sprintf(": %q", truncate(reason, maxReasonBytes))
		e.Hint = "Do not send the same call again; do what the person says."
	}
	return e
}

// maxReason is how much of a person's words is passed on, in bytes.
const maxReasonBytes = 2000

func truncate(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
