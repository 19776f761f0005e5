package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// knownTool returns the name of a tool, or "other". Names that clients invent would otherwise fill the memory.
func (s *Server) knownTool(tool string) string {
	if _, ok := s.profile().Named(tool); ok {
		return tool
	}
	return "other"
}

// callRecord collects what the log and the metrics say about one call.
type callRecord struct {
	tool      string
	workspace string
	kind      string // of the error; "" for none
	commit    bool
	start     time.Time
}

type callRecordKey struct{}

// callRecordOf returns the record of the call that ctx belongs to, or one that nobody reads.
func callRecordOf(ctx context.Context) *callRecord {
	if n, ok := ctx.Value(callRecordKey{}).(*callRecord); ok {
		return n
	}
	return &callRecord{}
}

// setWorkspace notes the workspace that a call names, if there are several. A name that none of them has stays out of
// the log.
func (c *callRecord) setWorkspace(workspaces []tool.Workspace, args json.RawMessage) {
	if len(workspaces) == 1 {
		c.workspace = workspaces[0].Name
		return
	}
	var named struct{ Workspace string }
	json.Unmarshal(args, &named) //nolint:errcheck // arguments that cannot be read name no workspace
	if slices.ContainsFunc(workspaces, func(p tool.Workspace) bool { return p.Name == named.Workspace }) {
		c.workspace = named.Workspace
	}
}

// setResult notes how a tool answered.
func (c *callRecord) setResult(r api.Result) {
	if o, ok := r.(*report.Object); ok {
		c.commit = o.Meta != nil && o.Meta.Tx != ""
		if o.Error != nil {
			c.kind = string(o.Error.Kind)
		}
	}
	if !r.OK() && c.kind == "" {
		c.kind = "refused" // the result is text without a kind
	}
}

// setError notes the failure of a call that did not reach a tool or did not return from it. What the tool said wins.
func (c *callRecord) setError(r sdk.Result, err error) {
	out, ok := r.(*sdk.CallToolResult)
	switch {
	case c.kind != "":
	case errors.Is(err, errDefect):
		c.kind = string(fail.Unknown)
	case err != nil:
		c.kind = "protocol"
	case ok && out.IsError:
		c.kind = "refused"
	}
}

func (s *Server) finishRecord(ctx context.Context, call *sdk.CallToolRequest, record *callRecord) {
	took := time.Since(record.start)
	s.metrics.countCall(record.tool, record.kind, record.commit, took)
	level := slog.LevelInfo
	if record.kind == string(fail.Unknown) {
		level = slog.LevelError
	}
	if !s.Log.Enabled(ctx, level) {
		return
	}
	client := ""
	if c := call.ClientInfo(); c != nil {
		client = c.Name + "/" + c.Version
		client = client[:min(len(client), 100)]
	}
	s.Log.LogAttrs(ctx, level, "call", slog.String("tool", record.tool), slog.String("client", client), slog.String("session", logID(call.Session.ID())),
		slog.String("workspace", record.workspace), slog.Float64("ms", float64(took.Microseconds())/1000), slog.Bool("ok", record.kind == ""), slog.String("kind", record.kind))
}
