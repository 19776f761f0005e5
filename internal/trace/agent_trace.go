package trace

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

// AgentTrace says where the lines of a file come from as a record of Agent Trace that emend of this version makes.
func AgentTrace(ctx context.Context, w *workspace.Workspace, r api.BlameRequest, version string) (*api.AgentTrace, error) {
	b, lines, _, err := blameFile(ctx, w, r)
	if err != nil {
		return nil, err
	}
	return &api.AgentTrace{Version: api.AgentTraceVersion, ID: newUUID(), Timestamp: time.Now().UTC().Truncate(time.Millisecond),
		Tool:     api.AgentTraceTool{Name: "emend", Version: version},
		Files:    []api.AgentTraceFile{{Path: w.Paths().ToTop(b.Path), Conversations: conversations(b, lines)}},
		Metadata: api.AgentTraceMetadata{Emend: api.AgentTraceEmend{Sha256: b.Sha256, Log: b.Log}}}, nil
}

// conversation is what tells conversations apart. Lines of which the log names no session belong to one conversation with
// those of the same caller.
type conversation struct {
	source                               api.LineSource
	contributor                          api.Contributor
	session, turn, agent, client, unsure string
}

// conversations groups the ranges of b by the conversations that they came of, in the order of their first lines.
func conversations(b *api.Blame, lines *text.Lines) []api.AgentTraceConversation {
	out := []api.AgentTraceConversation{}
	number, named := map[conversation]int{}, map[string]bool{}
	for _, r := range b.Ranges {
		o := b.Origins[r.Origin]
		c := conversationOf(&o)
		n, ok := number[c]
		if !ok {
			n = len(out)
			number[c] = n
			out = append(out, api.AgentTraceConversation{Contributor: api.AgentTraceContributor{Type: o.Contributor}, Related: c.related()})
		}
		if o.By != nil && !named[o.By.Entry] {
			named[o.By.Entry] = true
			out[n].Related = append(out[n].Related, related("entry", o.By.Entry))
		}
		out[n].Ranges = append(out[n].Ranges, api.AgentTraceRange{StartLine: r.StartLine, EndLine: r.EndLine,
			ContentHash: "sha256:" + text.Sum(lines.Raw(r.StartLine-1, r.EndLine))})
	}
	return out
}

func conversationOf(o *api.LineOrigin) conversation {
	c := conversation{source: o.Source, contributor: o.Contributor}
	if o.By != nil {
		c.session, c.turn, c.agent, c.client = o.By.SessionID, o.By.Turn, o.By.AgentName, o.By.Client
	}
	if o.Uncertain {
		c.unsure = o.By.Entry // the caller whom the log names may not have made it
	}
	return c
}

// related names what the log has of a conversation.
func (c conversation) related() (out []api.AgentTraceRelated) {
	for _, r := range []struct{ kind, name string }{{"session", c.session}, {"turn", c.turn}, {"agent", c.agent}, {"client", c.client}} {
		if r.name != "" {
			out = append(out, related(r.kind, r.name))
		}
	}
	return out
}

func related(kind, name string) api.AgentTraceRelated {
	return api.AgentTraceRelated{Type: kind, URL: "emend:" + kind + "/" + url.PathEscape(name)}
}

// newUUID makes a random UUID, of version 4.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) //nolint:errcheck // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
