package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/report"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// form is a question as a client shows it.
func askForm(q api.Question) *sdk.ElicitParams {
	return &sdk.ElicitParams{Mode: "form", Message: askMessage(q), RequestedSchema: &jsonschema.Schema{
		Type: "object", Required: []string{"answer"},
		Properties: map[string]*jsonschema.Schema{
			"answer": {Type: "string", Enum: []any{"allow", "deny"}, Title: "Answer", Description: "allow lets it happen now, once"},
			"reason": {Type: "string", Title: "Reason", Description: "what the agent should know, if you say no"},
		},
		PropertyOrder: []string{"answer", "reason"},
	}}
}

// maxLines is how many lines of a change a person is shown.
const maxDiffLines = 200

func askMessage(q api.Question) string {
	var b strings.Builder
	who := "An agent"
	if q.Actor.Client != "" {
		who = "A client that says it is " + report.OneLine(q.Actor.Client)
	}
	says := "You are asked about:"
	if slices.ContainsFunc(q.Paths, func(p api.AskedPath) bool { return !p.BuiltIn }) {
		says = "The policy wants you to be asked about:"
	}
	fmt.Fprintf(&b, "%s calls %s in %s. %s\n", who, report.OneLine(q.Actor.Tool), report.OneLine(q.Root), says)
	for _, p := range q.Paths {
		verb := "reading"
		if p.Write {
			verb = "changing"
		}
		fmt.Fprintf(&b, "  %s %s (%s)\n", verb, report.OneLine(p.Path), consent.RuleText(p))
	}
	if q.Diff == "" {
		return b.String()
	}
	lines := strings.SplitAfter(q.Diff, "\n")
	b.WriteString("\n" + strings.Join(lines[:min(len(lines), maxDiffLines)], ""))
	if len(lines) > maxDiffLines {
		fmt.Fprintf(&b, "… %d more lines are not shown\n", len(lines)-maxDiffLines)
	}
	return b.String()
}
