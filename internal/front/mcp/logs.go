package mcp

import (
	"context"
	"log/slog"
)

// library is the log of the protocol's library: its news are details, and it names sessions by their ids, which nobody
// who reads a log is to have.
func (s *Server) sdkLogger() *slog.Logger { return slog.New(sdkLogHandler{s.Log.Handler()}) }

type sdkLogHandler struct{ slog.Handler }

func (d sdkLogHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return d.Handler.Enabled(ctx, demote(l))
}

func (d sdkLogHandler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, demote(r.Level), r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(redact(a))
		return true
	})
	return d.Handler.Handle(ctx, out)
}

func (d sdkLogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = redact(a)
	}
	return sdkLogHandler{d.Handler.WithAttrs(out)}
}

func (d sdkLogHandler) WithGroup(name string) slog.Handler { return sdkLogHandler{d.Handler.WithGroup(name)} }

func demote(l slog.Level) slog.Level {
	if l == slog.LevelInfo {
		return slog.LevelDebug
	}
	return l
}

func redact(a slog.Attr) slog.Attr {
	if a.Key == "session_id" {
		return slog.String("session", shortDigest(a.Value.String()))
	}
	return a
}
