package gate

import "log/slog"

// Warnings keeps a flood of refused requests from filling the log.
type Warnings struct{ limit *RateLimiter }

// NewWarnings returns a limit of one warning a second for each reason, and two after a pause.
func NewWarnings() *Warnings { return &Warnings{NewRateLimiter(1)} }

// Level returns the level at which a refusal for this reason is logged: as a warning, or, if there were enough of them in this
// second, for debugging. The reasons are few: they are never a caller's words.
func (w *Warnings) Level(reason string) slog.Level {
	if w.limit.Allow(reason) {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}
