package mcp

import (
	"context"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestNobodyHearsOfASession: a session ends whose client has left before it was told of it.
func TestNobodyHearsOfASession(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	s.SDK().AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			r, err := next(ctx, method, req)
			if method == "initialize" {
				leave()
				<-left
			}
			return r, err
		}
	})
	s.ServeHTTP(httptest.NewRecorder(), s.new(old("", hello)).WithContext(ctx))
	close(left)
	eventually(t, "the session has ended", func() bool { return sessionsOf(s.SDK()) == 0 })
	if n := s.sessions.count(); n != 0 || s.sessions.coming != 0 {
		t.Errorf("%d sessions are kept, and %d come", n, s.sessions.coming)
	}
	s.good()
}
