package logbook_test

import (
	"fmt"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/logtest"
)

// BenchmarkCountLines times the first page of the timeline of a log of 100,000 calls, of which the newest hundred have diffs, with and
// without the numbers of lines:
//
//	go test -run '^$' -bench CountLines ./internal/logbook
func BenchmarkCountLines(b *testing.B) {
	dir := b.TempDir()
	if err := logtest.Make(dir, 100_000); err != nil {
		b.Fatal(err)
	}
	ws, err := emend.Open(dir, emend.NoSync())
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	for n := range 100 {
		if _, err := ws.Create(b.Context(), api.CreateRequest{Path: fmt.Sprintf("counted%d.txt", n), Content: "one\ntwo\nthree\n"}); err != nil {
			b.Fatal(err)
		}
	}
	for name, r := range map[string]api.TimelineRequest{"all": {}, "done": {Outcome: api.Done}, "refused": {Outcome: api.Refused}, "path": {Path: "counted7.txt"}, "text": {Text: "counted"},
		"content": {Content: "three"}} {
		for _, count := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/lines=%t", name, count), func(b *testing.B) {
				r.CountLines, r.Limit = count, 50
				for b.Loop() {
					t, err := ws.Timeline(b.Context(), r)
					if err != nil || len(t.Calls) == 0 {
						b.Fatal(err, len(t.Calls))
					}
				}
			})
		}
	}
}
