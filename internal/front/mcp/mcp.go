// Package mcp serves emend's tools over the Model Context Protocol, on standard input and output and over HTTP.
//
// It translates requests and results, and protects the server from its clients: what it reads, queues and runs at once
// is bounded. Which tools there are and what they do is in internal/tool. What may be touched is decided by the
// workspace.
package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/seal"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Config is what the person who starts a server decides. Nothing that a client sends changes it.
type Config struct {
	Workspaces []tool.Workspace // at least one
	Tools      tool.Options
	Actor      api.Actor    // the session and agent from the command line, which win over what clients say
	Version    string       // of emend
	Log        *slog.Logger // for people; nil for none
	MaxCalls   int          // calls that run at once; 0 for the default

	AskWait time.Duration // how long a call waits for a person who has a page open; 0 means that it does not wait
}

// Server answers clients. One server may have several transports at once.
type Server struct {
	Config
	sdk          *sdk.Server // over all workspaces
	calls        *callLimit
	metrics      *metrics
	sessionNames *sessionNames

	tickets  *seal.Issuer // bind an answer to the question that a client was sent
	pending  pendingQuestions
	grants   sessionGrants
	askSlots chan struct{} // has room for the calls that may wait for a person

	stopping    context.Context // done when calls that have not begun to commit must end
	cancelCalls context.CancelFunc
}

// New makes a server.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	maxCalls := cmp.Or(c.MaxCalls, defaultCalls)
	s := &Server{Config: c, calls: newCallLimit(maxCalls), metrics: newMetrics(), sessionNames: newSessionNames(),
		tickets: seal.New(answerTime), pending: pendingQuestions{all: map[*pendingQuestion]struct{}{}},
		askSlots: make(chan struct{}, max(1, maxCalls/4))}
	s.grants.start, s.grants.all = s.start, map[*sdk.ServerSession]*emend.Grants{}
	s.stopping, s.cancelCalls = context.WithCancel(context.Background())
	s.sdk = s.newSDKServer(c.Workspaces)
	return s
}

// start calls f in a goroutine that nobody waits for. A panic of it is logged, and ends nothing else.
func (s *Server) start(what string, f func()) { panics.Go(f, panics.LogTo(s.Log, what)) }

// SDK returns the server of the protocol's SDK, for tests that add to it.
func (s *Server) SDK() *sdk.Server { return s.sdk }

// newSDKServer makes a server of the SDK over some of the workspaces. It adds the tools when a client first asks for
// more than the server's name: making all schemas takes as long as everything else up to the first answer.
func (s *Server) newSDKServer(spaces []tool.Workspace) *sdk.Server {
	out := sdk.NewServer(&sdk.Implementation{Name: "emend", Title: "emend", Version: s.Version}, &sdk.ServerOptions{
		Instructions: s.profile().Instructions,
		Logger:       s.sdkLogger(),
		Capabilities: capabilities(s.profile()),
	})
	tools := s.Tools
	tools.Workspaces = spaces
	addTools := sync.OnceFunc(func() {
		for _, t := range tools.Tools() {
			out.AddTool(sdkTool(t), s.toolHandler(t, tools))
		}
		if s.profile() == tool.Emend {
			s.addResources(out, spaces)
		}
	})
	if s.profile() == tool.Emend {
		out.AddReceivingMiddleware(escapeURI)
	}
	out.AddReceivingMiddleware(s.trackCalls, s.recoverPanics, beforeRequests(addTools))
	return out
}

func (s *Server) profile() *tool.Profile { return cmp.Or(s.Tools.Profile, tool.Emend) }

// sdkTool describes a tool to clients.
func sdkTool(t *tool.Tool) *sdk.Tool {
	out := &sdk.Tool{Name: t.Name, Title: t.Title, Description: t.Description(), InputSchema: t.Input(),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: !t.Mutates, IdempotentHint: t.Idempotent, OpenWorldHint: new(false)}}
	if t.Mutates { // the hint has no meaning for other tools
		out.Annotations.DestructiveHint = new(t.Destructive)
	}
	if s := t.Output(); s != nil {
		out.OutputSchema = s
	}
	return out
}

func (s *Server) toolHandler(t *tool.Tool, tools tool.Options) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		record := callRecordOf(ctx)
		record.setWorkspace(tools.Workspaces, req.Params.Arguments)
		o := tools
		ctx, staged, stopProgress := s.startProgress(emend.WithActor(ctx, s.actor(req)), req)
		o.Progress, o.Defect = staged, panics.LogTo(s.Log, t.Name)
		ctx, asked := s.withAsker(ctx, req)
		r := o.Call(ctx, o.Workspaces[0].Workspace, t.Name, req.Params.Arguments)
		stopProgress()
		if asked.result != nil {
			return asked.result, nil
		}
		record.setResult(r)
		return toolResult(t, r)
	}
}
