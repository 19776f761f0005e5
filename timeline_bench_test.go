package emend_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/emend-dev/emend"
)

// BenchmarkTimeline prints what a page takes of a log of 100,000 calls.
func BenchmarkTimeline(b *testing.B) {
	ws := longLog(b, 100_000)
	deep := uint64(1000)
	for _, ask := range []struct {
		name string
		r    emend.TimelineRequest
	}{
		{"first", emend.TimelineRequest{}}, {"second", emend.TimelineRequest{Before: head(b, ws) - 100}}, {"last", emend.TimelineRequest{Before: deep}},
		{"session", emend.TimelineRequest{SessionID: "s-0003"}}, {"session/open", emend.TimelineRequest{SessionID: "s-0003", Look: 1 << 30}},
		{"text", emend.TimelineRequest{Text: "nowhere at all"}}, {"text/decoded", emend.TimelineRequest{Text: "nowhere é"}},
		{"aborted", emend.TimelineRequest{Outcome: emend.Aborted}}, {"path", emend.TimelineRequest{Path: "internal/room07/part3.go"}},
		{"until", emend.TimelineRequest{Until: time.Now().Add(-30 * 24 * time.Hour)}},
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
	t, err := ws.Timeline(b.Context(), emend.TimelineRequest{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	return t.Head.Seq
}

// BenchmarkShow prints what it takes to find an entry of 100,000, by its number and by its name.
func BenchmarkShow(b *testing.B) {
	ws := longLog(b, 100_000)
	for _, before := range []uint64{0, 1000} {
		t, err := ws.Timeline(b.Context(), emend.TimelineRequest{Before: before, Limit: 3})
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

// BenchmarkTally prints what it takes to count 100,000 calls, and to count one more.
func BenchmarkTally(b *testing.B) {
	ws := longLog(b, 100_000)
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if err := ws.Tally(b.Context(), new(emend.Tally)); err != nil {
				b.Fatal(err)
			}
		}
	})
	tally := new(emend.Tally)
	if err := ws.Tally(b.Context(), tally); err != nil {
		b.Fatal(err)
	}
	b.Run("one more", func(b *testing.B) {
		for b.Loop() {
			if _, err := ws.Apply(b.Context(), "x", emend.Options{}); err == nil {
				b.Fatal("applied")
			}
			if err := ws.Tally(b.Context(), tally); err != nil {
				b.Fatal(err)
			}
		}
	})
}
