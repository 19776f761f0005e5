package mcp

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend/internal/report"
)

// trackCalls bounds the tool calls and the reads of resources that run at once. It counts each tool call and writes one
// line about it to the log, without its arguments and its result.
func (s *Server) trackCalls(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, ok := req.(*sdk.CallToolRequest)
		if !ok && method == "resources/read" {
			return s.limitRequest(ctx, method, req, next)
		}
		if !ok || call.Params == nil {
			return next(ctx, method, req)
		}
		record := &callRecord{tool: s.knownTool(call.Params.Name), start: time.Now()}
		ctx, leave, err := s.enterCall(context.WithValue(ctx, callRecordKey{}, record))
		if err != nil {
			record.setResult(report.New(report.View{ReadOnly: true}, nil, err))
			s.finishRecord(ctx, call, record)
			return s.notAdmitted(call.Params.Name, err)
		}
		defer leave()
		r, err := next(ctx, method, req)
		record.setError(r, err)
		s.finishRecord(ctx, call, record)
		return r, err
	}
}

// enterCall waits until a request may run. The context that it returns ends when the server gives up the calls in hand.
func (s *Server) enterCall(ctx context.Context) (in context.Context, leave func(), err error) {
	release, err := s.calls.enter(ctx)
	if err != nil {
		return ctx, nil, err
	}
	in, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.stopping, cancel)
	return in, func() { stop(); cancel(); release() }, nil
}

func (s *Server) limitRequest(ctx context.Context, method string, req sdk.Request, next sdk.MethodHandler) (sdk.Result, error) {
	ctx, leave, err := s.enterCall(ctx)
	if err != nil {
		return nil, &jsonrpc.Error{Code: codeBusy, Message: err.Error()}
	}
	defer leave()
	return next(ctx, method, req)
}

// notAdmitted answers a call that reached no tool, in the shape of the tool's results.
func (s *Server) notAdmitted(name string, err error) (sdk.Result, error) {
	t, ok := s.profile().Named(name)
	if !ok {
		return nil, err
	}
	return toolResult(t, report.New(report.View{ReadOnly: true}, nil, err))
}

// errDefect is what a client is told about a panic.
var errDefect = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "a defect in emend"}

// recoverPanics turns a panic into an error. The SDK would let it end the process, and with it everybody's calls.
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

// beforeRequests calls do before every request except those that only ask for the server's name and capabilities.
func beforeRequests(do func()) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method != "initialize" && method != "server/discover" {
				do()
			}
			return next(ctx, method, req)
		}
	}
}
