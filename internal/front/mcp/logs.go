package mcp

import (
	"context"
	"log/slog"
)

// library is the log of the protocol's library: its news are details, and it names sessions by their ids, which nobody
// who reads a log is to have.
func (s *Server) library() *slog.Logger { return slog.New(discreet{s.Log.Handler()}) }

type discreet struct{ slog.Handler }

func (d discreet) Enabled(ctx context.Context, l slog.Level) bool {
	return d.Handler.Enabled(ctx, lower(l))
}

func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, lower(r.Level), r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(hidden(a))
		return true
	})
	return d.Handler.Handle(ctx, out)
}

func (d discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = hidden(a)
	}
	return discreet{d.Handler.WithAttrs(out)}
}

func (d discreet) WithGroup(name string) slog.Handler { return discreet{d.Handler.WithGroup(name)} }

func lower(l slog.Level) slog.Level {
	if l == slog.LevelInfo {
		return slog.LevelDebug
	}
	return l
}

func hidden(a slog.Attr) slog.Attr {
	if a.Key == "session_id" {
		return slog.String("session", short(a.Value.String()))
	}
	return a
}
