package trace_test

import (
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
)

// BenchmarkTrace measures the pages of one entry, one file and one session in a log of 100,000 calls: of the newest, and of
// those near its beginning.
func BenchmarkTrace(b *testing.B) {
	ws := emendtest.LongLog(b, 100_000)
	for _, when := range []struct {
		name string
		r    api.TimelineRequest
	}{{"new", api.TimelineRequest{Outcome: api.Done, Limit: 30}}, {"old", api.TimelineRequest{Outcome: api.Done, Before: 1000, Limit: 30}}} {
		t, err := ws.Timeline(b.Context(), when.r)
		if err != nil {
			b.Fatal(err)
		}
		c := t.Calls[len(t.Calls)-1]
		for _, one := range []struct {
			name string
			do   func() error
		}{
			{"show", func() error { _, err := ws.Show(b.Context(), c.Entry); return err }},
			{"fates", func() error { _, err := ws.Host().FilesSince(b.Context(), c.Entry); return err }},
			{"file", func() error { _, err := ws.FileHistory(b.Context(), c.Files[0].Path, 0); return err }},
			{"session", func() error { _, err := ws.SessionChanges(b.Context(), c.SessionID); return err }},
			{"undo", func() error { _, _ = ws.Undo(b.Context(), api.UndoRequest{Entry: c.Entry, DryRun: true}); return nil }},
			{"undo/session", func() error {
				_, _ = ws.Undo(b.Context(), api.UndoRequest{SessionID: c.SessionID, DryRun: true})
				return nil
			}},
		} {
			b.Run(when.name+"/"+one.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := one.do(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
