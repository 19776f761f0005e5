package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/report"
)

// answerTime is how long an answer is waited for, and how long a question is good.
const answerTime = 10 * time.Minute

// round is one request, in which a person may have to be asked. Newer clients are given the question as the result, and
// send the call again with the answer; older ones are asked while the call waits.
type round struct {
	s        *Server
	req      *sdk.CallToolRequest
	question *sdk.CallToolResult // what to answer instead of the call's result
}

// asking has the person behind a client asked where a policy wants it.
func (s *Server) asking(ctx context.Context, req *sdk.CallToolRequest) (context.Context, *round) {
	r := &round{s: s, req: req}
	return emend.Asking(ctx, r.ask), r
}

const elicitation = "elicitation"

func (r *round) ask(ctx context.Context, q emend.Question) (by string, err error) {
	switch {
	case !canAsk(r.req.ClientCapabilities()):
		return "", &fail.Error{Kind: fail.PermissionDenied, Msg: "this client cannot ask a person, since it offers no elicitation",
			Hint: "Leave the file as it is. A person can change the policy, or use a client that can ask."}
	case waits(r.req.Session):
		res, err := r.elicit(ctx, q)
		if err != nil {
			return "", err
		}
		return elicitation, verdict(res)
	}
	t := ticket{Digest: q.Digest, Workspace: q.Root, Client: q.Actor.Client}
	if res, ok := r.req.Params.InputResponses[elicitation].(*sdk.ElicitResult); ok && r.s.seals.redeem(r.req.Params.RequestState, t) {
		return elicitation, verdict(res)
	}
	r.question = &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{elicitation: form(q)}, RequestState: r.s.seals.seal(t)}
	return "", emend.ErrUnanswered
}

// canAsk reports whether a client shows forms; one that says nothing of their kind does.
func canAsk(c *sdk.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// waits reports whether the client's revision of the protocol has it asked while the call waits.
func waits(s *sdk.ServerSession) bool {
	p := s.InitializeParams()
	return p != nil && p.ProtocolVersion < stateless
}

// elicit asks and waits. Who waits for a person takes the place of a call that could run, so that not all may wait.
func (r *round) elicit(ctx context.Context, q emend.Question) (*sdk.ElicitResult, error) {
	select {
	case r.s.asked <- struct{}{}:
		defer func() { <-r.s.asked }()
	default:
		return nil, &fail.Error{Msg: "too many questions wait for a person already", Hint: "Try again when they are answered."}
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	res, err := r.req.Session.Elicit(ctx, form(q))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("a person was asked, and did not answer within %v", answerTime)
	case err != nil:
		return nil, fmt.Errorf("the client could not ask a person: %w", err)
	}
	return res, nil
}

// verdict is nil for a yes; everything else is a no.
func verdict(res *sdk.ElicitResult) error {
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
		e.Msg += fmt.Sprintf(": %q", cut(reason, maxReason))
		e.Hint = "Do not send the same call again; do what the person says."
	}
	return e
}

// maxReason is how much of a person's words is passed on, in bytes.
const maxReason = 2000

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// form is a question as a client shows it.
func form(q emend.Question) *sdk.ElicitParams {
	return &sdk.ElicitParams{Mode: "form", Message: wording(q), RequestedSchema: &jsonschema.Schema{
		Type: "object", Required: []string{"answer"},
		Properties: map[string]*jsonschema.Schema{
			"answer": {Type: "string", Enum: []any{"allow", "deny"}, Title: "Answer", Description: "allow lets it happen now, once"},
			"reason": {Type: "string", Title: "Reason", Description: "what the agent should know, if you say no"},
		},
		PropertyOrder: []string{"answer", "reason"},
	}}
}

// maxLines is how many lines of a change a person is shown.
const maxLines = 200

func wording(q emend.Question) string {
	var b strings.Builder
	who := q.Actor.Client
	if who == "" {
		who = "An agent"
	}
	fmt.Fprintf(&b, "%s calls %s in %s. The policy wants you to be asked about:\n",
		report.OneLine(who), report.OneLine(q.Actor.Tool), report.OneLine(q.Root))
	for _, p := range q.Paths {
		verb := "reading"
		if p.Write {
			verb = "changing"
		}
		fmt.Fprintf(&b, "  %s %s (rule %q)\n", verb, report.OneLine(p.Path), p.Rule)
	}
	if q.Diff == "" {
		return b.String()
	}
	lines := strings.SplitAfter(q.Diff, "\n")
	b.WriteString("\n" + strings.Join(lines[:min(len(lines), maxLines)], ""))
	if len(lines) > maxLines {
		fmt.Fprintf(&b, "… %d more lines are not shown\n", len(lines)-maxLines)
	}
	return b.String()
}
