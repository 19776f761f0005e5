package mcp

import (
	"context"
	"log/slog"
)

// sdkLogger returns the logger of the SDK. What the SDK logs as information is a detail here, and the ids of sessions
// are abbreviated.
func (s *Server) sdkLogger() *slog.Logger { return slog.New(sdkLogHandler{s.Log.Handler()}) }

// sdkLogHandler demotes information to a detail and abbreviates the ids of sessions.
type sdkLogHandler struct{ slog.Handler }

func (h sdkLogHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return h.Handler.Enabled(ctx, demote(l))
}

func (h sdkLogHandler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, demote(r.Level), r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(redact(a))
		return true
	})
	return h.Handler.Handle(ctx, out)
}

func (h sdkLogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = redact(a)
	}
	return sdkLogHandler{h.Handler.WithAttrs(out)}
}

func (h sdkLogHandler) WithGroup(name string) slog.Handler {
	return sdkLogHandler{h.Handler.WithGroup(name)}
}

func demote(l slog.Level) slog.Level {
	if l == slog.LevelInfo {
		return slog.LevelDebug
	}
	return l
}

func redact(a slog.Attr) slog.Attr {
	if a.Key == "session_id" {
		return slog.String("session", logID(a.Value.String()))
	}
	return a
}

// logID abbreviates the id of a session for the log. Sessions can be told apart by it, and nobody can enter one with
// it.
func logID(session string) string {
	if session == "" {
		return ""
	}
	return digest(session)[:8]
}
