// Package mcp is emend as a server that speaks the Model Context Protocol, over standard input and output and over HTTP.
// It translates calls and results; which tools there are and what they do is for internal/tool, what may be touched for
// the workspace.
package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
)

// Config is what the person who starts a server decides. Nothing that a client sends changes it.
type Config struct {
	Workspaces []Workspace // at least one
	Tools      tool.Options
	Version    string       // of emend
	Log        *slog.Logger // for people; nil for none
}

// Workspace is a workspace and the name under which clients know it, where there are several.
type Workspace struct {
	Name string
	*emend.Workspace
}

// Server answers clients. One server may have several transports at once.
type Server struct {
	Config
	all   *sdk.Server // over all workspaces
	seals *seals      // of the questions that persons are asked
}

// New makes a server.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Config: c, seals: newSeals()}
	s.all = s.build(c.Workspaces)
	return s
}

// SDK is the server as the protocol's library knows it, for tests that offer more through it.
func (s *Server) SDK() *sdk.Server { return s.all }

// build makes the protocol's server over some of the workspaces.
func (s *Server) build(spaces []Workspace) *sdk.Server {
	profile := s.Tools.Profile
	if profile == nil {
		profile = tool.Emend
	}
	out := sdk.NewServer(&sdk.Implementation{Name: "emend", Title: "emend", Version: s.Version}, &sdk.ServerOptions{
		Instructions: profile.Instructions,
		Logger:       s.Log,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	for _, t := range s.Tools.Tools() {
		out.AddTool(offer(t), s.handler(t, spaces[0]))
	}
	out.AddReceivingMiddleware(s.survive)
	return out
}

// survive answers a panic as an error: the library would let it end the process, with the calls of everybody else.
func (s *Server) survive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (r sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("a request failed", "method", method, "panic", p, "stack", string(debug.Stack()))
				r, err = nil, fmt.Errorf("%s failed: a defect in emend", method)
			}
		}()
		return next(ctx, method, req)
	}
}

// offer is a tool as clients see it.
func offer(t *tool.Tool) *sdk.Tool {
	out := &sdk.Tool{Name: t.Name, Title: t.Title, Description: t.Description(), InputSchema: t.Input,
		Annotations: &sdk.ToolAnnotations{Title: t.Title, ReadOnlyHint: !t.Mutates, DestructiveHint: new(t.Destructive),
			IdempotentHint: t.Idempotent, OpenWorldHint: new(false)}}
	if t.Output != nil {
		out.OutputSchema = t.Output
	}
	return out
}

func (s *Server) handler(t *tool.Tool, ws Workspace) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, asked := s.asking(emend.As(ctx, s.actor(req)), req, ws)
		r := s.Tools.Call(ctx, ws.Workspace, t.Name, req.Params.Arguments)
		if asked.question != nil {
			return asked.question, nil
		}
		return tell(t, r)
	}
}
