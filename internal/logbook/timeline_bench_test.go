package logbook_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// BenchmarkTimeline measures pages of a log of 100,000 calls.
func BenchmarkTimeline(b *testing.B) {
	ws := emendtest.LongLog(b, 100_000)
	deep := uint64(1000)
	for _, ask := range []struct {
		name string
		r    api.TimelineRequest
	}{
		{"first", api.TimelineRequest{}}, {"second", api.TimelineRequest{Before: head(b, ws) - 100}}, {"last", api.TimelineRequest{Before: deep}},
		{"session", api.TimelineRequest{SessionID: "s-0003"}}, {"session/open", api.TimelineRequest{SessionID: "s-0003", Look: 1 << 30}},
		{"text", api.TimelineRequest{Text: "nowhere at all"}}, {"text/decoded", api.TimelineRequest{Text: "nowhere é"}},
		{"aborted", api.TimelineRequest{Outcome: api.Aborted}}, {"path", api.TimelineRequest{Path: "internal/room07/part3.go"}},
		{"until", api.TimelineRequest{Until: time.Now().Add(-30 * 24 * time.Hour)}},
	} {
		b.Run(ask.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := ws.Timeline(b.Context(), ask.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func head(b *testing.B, ws *emend.Workspace) uint64 {
	b.Helper()
	t, err := ws.Timeline(b.Context(), api.TimelineRequest{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	return t.Head.Seq
}

// BenchmarkShow measures finding one of 100,000 entries, by its number and by its name.
func BenchmarkShow(b *testing.B) {
	ws := emendtest.LongLog(b, 100_000)
	for _, before := range []uint64{0, 1000} {
		t, err := ws.Timeline(b.Context(), api.TimelineRequest{Before: before, Limit: 3})
		if err != nil {
			b.Fatal(err)
		}
		for _, entry := range []string{t.Calls[2].Entry, fmt.Sprint("#", t.Calls[2].Seq)} {
			b.Run(entry, func(b *testing.B) {
				for b.Loop() {
					if _, err := ws.Show(b.Context(), entry); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkTally measures counting 100,000 calls, and one more.
func BenchmarkTally(b *testing.B) {
	ws := emendtest.LongLog(b, 100_000)
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if err := ws.Host().Tally(b.Context(), new(api.Tally)); err != nil {
				b.Fatal(err)
			}
		}
	})
	tally := new(api.Tally)
	if err := ws.Host().Tally(b.Context(), tally); err != nil {
		b.Fatal(err)
	}
	b.Run("one more", func(b *testing.B) {
		for b.Loop() {
			if _, err := ws.Apply(b.Context(), "x", api.PatchOptions{}); err == nil {
				b.Fatal("applied")
			}
			if err := ws.Host().Tally(b.Context(), tally); err != nil {
				b.Fatal(err)
			}
		}
	})
}
