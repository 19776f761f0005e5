package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerTime is how long a call waits for an answer, and how long a question that was handed to the client stays valid.
const answerTime = 10 * time.Minute

// askRound asks a person about one tool call, if a policy demands it. A client of an older revision is asked while the
// call waits. A newer one gets the question as the result of the call, and sends the call again with the answer.
type askRound struct {
	s      *Server
	req    *sdk.CallToolRequest
	result *sdk.CallToolResult // the question, to be sent instead of the tool's result; nil for none
}

// withAsker returns a context in which a policy's questions go to the person behind the client.
func (s *Server) withAsker(ctx context.Context, req *sdk.CallToolRequest) (context.Context, *askRound) {
	r := &askRound{s: s, req: req}
	return emend.WithAsker(ctx, r.ask), r
}

// elicitation is the key of a question in a result, and the word for a client's own dialog in the log.
const elicitation = "elicitation"

// errElicitFailed is wrapped by the errors of clients that announce elicitation and then cannot show the question.
var errElicitFailed = errors.New("the client could not ask a person")

// ask asks through the client's own dialog. If the client has none, or it fails, or the policy believes only a page, ask
// turns to the person who has a page open.
func (r *askRound) ask(ctx context.Context, q api.Question) (by string, err error) {
	switch {
	case q.PageOnly || !showsForms(r.req.ClientCapabilities()):
		return r.askAtPage(ctx, q)
	case asksDuringCall(r.req.Session):
		res, err := r.elicit(ctx, q)
		switch {
		case err == nil:
			return elicitation, answerError(res)
		case !errors.Is(err, errElicitFailed):
			return "", err
		}
		by, pageErr := r.askAtPage(ctx, q)
		if errors.Is(pageErr, api.ErrNoPage) {
			return "", fmt.Errorf("%w (%w)", err, api.ErrNoPage)
		}
		return by, pageErr
	}
	if res, ok := r.req.Params.InputResponses[elicitation].(*sdk.ElicitResult); ok &&
		r.s.tickets.Redeem(r.req.Params.RequestState, ticketFor(q)...) == nil {
		return elicitation, answerError(res)
	}
	r.result = &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{elicitation: askForm(q)},
		RequestState: r.s.tickets.Issue(ticketFor(q)...)}
	return "", api.ErrUnanswered
}

// ticketFor lists what an answer is bound to: one change, in one workspace, for whom the client says that it is. Whoever
// has the ticket may say yes: the answer is the client's word in any case.
func ticketFor(q api.Question) []string { return []string{q.Digest, q.Root, q.Actor.Client} }

// showsForms reports whether a client shows forms. A client that announces elicitation without saying which kind does.
func showsForms(c *sdk.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// asksDuringCall reports whether the client's revision of the protocol lets a server ask while a call runs.
func asksDuringCall(s *sdk.ServerSession) bool {
	p := s.InitializeParams()
	return p != nil && p.ProtocolVersion < statelessRevision
}

// elicit shows the question in the client's dialog and waits for the answer.
func (r *askRound) elicit(ctx context.Context, q api.Question) (*sdk.ElicitResult, error) {
	ctx, endWait, err := r.beginWait(ctx)
	if err != nil {
		return nil, err
	}
	defer endWait()
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

// answerError returns nil for a yes. Everything else is a no.
func answerError(res *sdk.ElicitResult) error {
	answer, _ := res.Content["answer"].(string)
	switch {
	case res.Action == "accept" && answer == "allow":
		return nil
	case res.Action == "cancel":
		return &fail.Error{Msg: "a person was asked, and dismissed the question",
			Hint: "Do not send the same call again; say what you wanted to do and why."}
	}
	e := &fail.Error{Msg: "a person denied it", Hint: "Do not send the same call again; do without it."}
	if reason, _ := res.Content["reason"].(string); reason != "" {
		e.Msg += fmt.Sprintf(": %q", truncate(reason, maxReasonBytes))
		e.Hint = "Do not send the same call again; do what the person says."
	}
	return e
}

// maxReasonBytes bounds what is passed on of the reason that a person gives.
const maxReasonBytes = 2000

func truncate(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
