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
	all    *sdk.Server // over all workspaces
	calls  *limit
	stats  *stats
	visits *visits
	seals  *seals // of the questions that persons are asked
	open   questions
	asked  chan struct{} // has room for the calls that may wait for a person

	halted context.Context // done when calls that have not reached their commit are to end
	halt   context.CancelFunc
}

// New makes a server.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Config: c, calls: newLimit(cmp.Or(c.MaxCalls, defaultCalls)), stats: newStats(), visits: newVisits(), seals: newSeals(),
		open: questions{open: map[int]question{}}}
	s.asked = make(chan struct{}, max(1, cmp.Or(c.MaxCalls, defaultCalls)/4))
	s.halted, s.halt = context.WithCancel(context.Background())
	s.all = s.build(c.Workspaces)
	return s
}

// SDK is the server as the protocol's library knows it, for tests that offer more through it.
func (s *Server) SDK() *sdk.Server { return s.all }

// build makes the protocol's server over some of the workspaces.
func (s *Server) build(spaces []Workspace) *sdk.Server {
	out := sdk.NewServer(&sdk.Implementation{Name: "emend", Title: "emend", Version: s.Version}, &sdk.ServerOptions{
		Instructions: s.profile().Instructions,
		Logger:       s.library(),
		Capabilities: capabilities(s.profile()),
	})
	tools := s.Tools
	for _, ws := range spaces {
		tools.Places = append(tools.Places, tool.Place(ws))
	}
	furnish := sync.OnceFunc(func() {
		for _, t := range tools.Tools() {
			out.AddTool(offer(t), s.handler(t, tools))
		}
		if s.profile() == tool.Emend {
			s.addResources(out, spaces)
		}
	})
	if s.profile() == tool.Emend {
		out.AddReceivingMiddleware(escapeURI)
	}
	out.AddReceivingMiddleware(s.watch, s.survive, furnished(furnish))
	return out
}

// furnished has the server furnished when a client asks for more than who it is: to make the schemas of all tools takes as long
// as all else until the first answer.
func furnished(furnish func()) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method != "initialize" && method != "server/discover" {
				furnish()
			}
			return next(ctx, method, req)
		}
	}
}

func (s *Server) profile() *tool.Profile { return cmp.Or(s.Tools.Profile, tool.Emend) }

// errDefect is what a client hears of a panic.
var errDefect = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "a defect in emend"}

// survive answers a panic as an error: the library would let it end the process, with the calls of everybody else.
func (s *Server) survive(next sdk.MethodHandler) sdk.MethodHandler {
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
func offer(t *tool.Tool) *sdk.Tool {
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

func (s *Server) handler(t *tool.Tool, tools tool.Options) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		n := noteOf(ctx)
		n.at(tools.Places, req.Params.Arguments)
		o := tools
		ctx, staged, end := s.progressOf(emend.As(ctx, s.actor(req)), req)
		o.Progress = staged
		ctx, asked := s.asking(ctx, req)
		r := o.Call(ctx, o.Places[0].Workspace, t.Name, req.Params.Arguments)
		end()
		if asked.question != nil {
			return asked.question, nil
		}
		n.ended(r)
		return tell(t, r)
	}
}
