package mcp

import (
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"
)

// BenchmarkHTTP calls read_file over HTTP, 32 calls at once, in the revision without sessions and with the default
// limits, none of which it reaches.
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
				io.Copy(io.Discard, resp.Body) //nolint:errcheck // the status says it
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
