// Package mcp is emend as a server that speaks the Model Context Protocol, over standard input and output and over HTTP.
// It translates calls and results; which tools there are and what they do is for internal/tool, what may be touched for
// the workspace.
package mcp

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
)

// Config is what the person who starts a server decides. Nothing that a client sends changes it.
type Config struct {
	Workspaces []Workspace // at least one
	Tools      tool.Options
	Who        emend.Actor  // what the command line says of who asks: its session and agent win over what clients say
	Version    string       // of emend
	Log        *slog.Logger // for people; nil for none
	MaxCalls   int          // that run at once; 0 for the default

	Wait time.Duration // how long a call waits for a person who has a page open; 0: it does not
}

// Workspace is a workspace and the name under which clients know it, where there are several.
type Workspace struct {
	Name string
	*emend.Workspace
}

// Server answers clients. One server may have several transports at once.
type Server struct {
	Config
	sdk    *sdk.Server // over all workspaces
	calls  *callLimit
	metrics  *metrics
	sessionNames *sessionNames
	seals  *seals // of the questions that persons are asked
	pending   pendingQuestions
	askSlots  chan struct{} // has room for the calls that may wait for a person

	stopping context.Context // done when calls that have not reached their commit are to end
	cancelCalls   context.CancelFunc
}

// New makes a server.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Config: c, calls: newCallLimit(cmp.Or(c.MaxCalls, defaultCalls)), metrics: newMetrics(), sessionNames: newSessionNames(), seals: newSeals(),
		pending: pendingQuestions{open: map[int]pendingQuestion{}}}
	s.askSlots = make(chan struct{}, max(1, cmp.Or(c.MaxCalls, defaultCalls)/4))
	s.stopping, s.cancelCalls = context.WithCancel(context.Background())
	s.sdk = s.newSDKServer(c.Workspaces)
	return s
}

// SDK is the server as the protocol's library knows it, for tests that offer more through it.
func (s *Server) SDK() *sdk.Server { return s.sdk }

// build makes the protocol's server over some of the workspaces.
func (s *Server) newSDKServer(spaces []Workspace) *sdk.Server {
	out := sdk.NewServer(&sdk.Implementation{Name: "emend", Title: "emend", Version: s.Version}, &sdk.ServerOptions{
		Instructions: s.profile().Instructions,
		Logger:       s.sdkLogger(),
		Capabilities: capabilities(s.profile()),
	})
	tools := s.Tools
	for _, ws := range spaces {
		tools.Places = append(tools.Places, tool.Place(ws))
	}
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
	out.AddReceivingMiddleware(s.trackCalls, s.recoverPanics, addToolsOnDemand(addTools))
	return out
}

// furnished has the server furnished when a client asks for more than who it is: to make the schemas of all tools takes as long
// as all else until the first answer.
func addToolsOnDemand(addTools func()) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method != "initialize" && method != "server/discover" {
				addTools()
			}
			return next(ctx, method, req)
		}
	}
}

func (s *Server) profile() *tool.Profile { return cmp.Or(s.Tools.Profile, tool.Emend) }

// errDefect is what a client hears of a panic.
var errDefect = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "a defect in emend"}

// survive answers a panic as an error: the library would let it end the process, with the calls of everybody else.
func (s *Server) recoverPanics(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (r sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("a request failed", "method", method, "panic", p, "stack", string(debug.Stack()))
				r, err = nil, fmt.Errorf("%s failed: %w", method, errDefect)
			}
		}()
		return next(ctx, method, req)
	}
}

// offer is a tool as clients see it.
func sdkTool(t *tool.Tool) *sdk.Tool {
	out := &sdk.Tool{Name: t.Name, Title: t.Title, Description: t.Description(), InputSchema: t.Input(),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: !t.Mutates, IdempotentHint: t.Idempotent, OpenWorldHint: new(false)}}
	if t.Mutates { // the hint has no meaning for others
		out.Annotations.DestructiveHint = new(t.Destructive)
	}
	if s := t.Output(); s != nil {
		out.OutputSchema = s
	}
	return out
}

func (s *Server) toolHandler(t *tool.Tool, tools tool.Options) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		n := callRecordOf(ctx)
		n.setWorkspace(tools.Places, req.Params.Arguments)
		o := tools
		ctx, staged, end := s.startProgress(emend.As(ctx, s.actor(req)), req)
		o.Progress = staged
		ctx, asked := s.withAsker(ctx, req)
		r := o.Call(ctx, o.Places[0].Workspace, t.Name, req.Params.Arguments)
		end()
		if asked.result != nil {
			return asked.result, nil
		}
		n.setResult(r)
		return toolResult(t, r)
	}
}
