package mcp

import (
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"
)

// BenchmarkHTTP is calls of read_file over HTTP, 32 in flight, in the revision without sessions, under the limits that every
// server has: none of them is met.
func BenchmarkHTTP(b *testing.B) {
	s := serve(b, HTTPConfig{}, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(io.Discard, nil)) })
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	todo := make(chan struct{})
	for range 32 {
		wg.Go(func() {
			for range todo {
				resp, err := client.Do(s.new(read))
				if err != nil || resp.StatusCode != 200 {
					b.Errorf("%v %v", resp, err)
					return
				}
				io.Copy(io.Discard, resp.Body) //nolint:errcheck // the code says it
				resp.Body.Close()
			}
		})
	}
	for b.Loop() {
		todo <- struct{}{}
	}
	close(todo)
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
