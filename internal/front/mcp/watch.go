package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// watch bounds the calls of tools and the reading of resources. It counts the calls and logs one line for each: never what
// was in it.
func (s *Server) trackCalls(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, ok := req.(*sdk.CallToolRequest)
		if !ok && method == "resources/read" {
			return s.limitRequest(ctx, method, req, next)
		}
		if !ok || call.Params == nil {
			return next(ctx, method, req)
		}
		n := &callRecord{tool: s.knownTool(call.Params.Name), start: time.Now()}
		ctx, leave, err := s.enterCall(context.WithValue(ctx, callRecordKey{}, n))
		if err != nil {
			n.setResult(report.Of(report.View{Reads: true}, nil, err))
			s.recordCall(ctx, call, n)
			return s.notAdmitted(call.Params.Name, err)
		}
		defer leave()
		r, err := next(ctx, method, req)
		n.setError(r, err)
		s.recordCall(ctx, call, n)
		return r, err
	}
}

// turn waits for the turn of a request. The context that it returns ends when the server gives up what is in hand.
func (s *Server) enterCall(ctx context.Context) (in context.Context, leave func(), err error) {
	out, err := s.calls.enter(ctx)
	if err != nil {
		return ctx, nil, err
	}
	in, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.stopping, cancel)
	return in, func() { stop(); cancel(); out() }, nil
}

func (s *Server) limitRequest(ctx context.Context, method string, req sdk.Request, next sdk.MethodHandler) (sdk.Result, error) {
	ctx, leave, err := s.enterCall(ctx)
	if err != nil {
		return nil, &jsonrpc.Error{Code: codeBusy, Message: err.Error()}
	}
	defer leave()
	return next(ctx, method, req)
}

// turnedAway answers a call that no tool has seen, in the shape of its tool.
func (s *Server) notAdmitted(name string, err error) (sdk.Result, error) {
	t, ok := s.profile().Named(name)
	if !ok {
		return nil, err
	}
	return toolResult(t, report.Of(report.View{Reads: true}, nil, err))
}

// known is the name of a tool, or "other": what a client makes up does not fill the memory.
func (s *Server) knownTool(tool string) string {
	if _, ok := s.profile().Named(tool); ok {
		return tool
	}
	return "other"
}

// note is what one call leaves for the log and the counts.
type callRecord struct {
	tool      string
	workspace string
	kind      string // of the error; "" for none
	commit    bool
	start     time.Time
}

type callRecordKey struct{}

// noteOf is the note of the call that ctx belongs to, or one that nobody reads.
func callRecordOf(ctx context.Context) *callRecord {
	if n, ok := ctx.Value(callRecordKey{}).(*callRecord); ok {
		return n
	}
	return &callRecord{}
}

// at is the workspace that a call names, where there are several; what is none of them stays out of the log.
func (n *callRecord) setWorkspace(places []tool.Place, args json.RawMessage) {
	if len(places) == 1 {
		n.workspace = places[0].Name
		return
	}
	var named struct{ Workspace string }
	json.Unmarshal(args, &named) //nolint:errcheck // then it names none
	if slices.ContainsFunc(places, func(p tool.Place) bool { return p.Name == named.Workspace }) {
		n.workspace = named.Workspace
	}
}

// ended says how a tool answered.
func (n *callRecord) setResult(r emend.Result) {
	if o, ok := r.(*report.Object); ok {
		n.commit = o.Meta != nil && o.Meta.Tx != ""
		if o.Error != nil {
			n.kind = string(o.Error.Kind)
		}
	}
	if !r.OK() && n.kind == "" {
		n.kind = "refused" // the shape has words only
	}
}

// failed says what no tool has said: that the call did not reach one, or did not come back from it.
func (n *callRecord) setError(r sdk.Result, err error) {
	out, ok := r.(*sdk.CallToolResult)
	switch {
	case n.kind != "":
	case errors.Is(err, errDefect):
		n.kind = string(fail.Unknown)
	case err != nil:
		n.kind = "protocol"
	case ok && out.IsError:
		n.kind = "refused"
	}
}

func (s *Server) recordCall(ctx context.Context, call *sdk.CallToolRequest, n *callRecord) {
	took := time.Since(n.start)
	s.metrics.countCall(n.tool, n.kind, n.commit, took)
	level := slog.LevelInfo
	if n.kind == string(fail.Unknown) {
		level = slog.LevelError
	}
	if !s.Log.Enabled(ctx, level) {
		return
	}
	who := ""
	if c := call.ClientInfo(); c != nil {
		who = c.Name + "/" + c.Version
		who = who[:min(len(who), 100)]
	}
	s.Log.LogAttrs(ctx, level, "call", slog.String("tool", n.tool), slog.String("client", who), slog.String("session", shortDigest(call.Session.ID())),
		slog.String("workspace", n.workspace), slog.Float64("ms", float64(took.Microseconds())/1000), slog.Bool("ok", n.kind == ""), slog.String("kind", n.kind))
}

// short is what the log has of a session's id: enough to tell sessions apart, and nothing to come in with.
func shortDigest(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}
