package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/emend-dev/emend/bench/internal/line"
)

// firstAnswers is the time from the start of servers to the answer to the first request.
type firstAnswers struct {
	server string
	times  map[string][]time.Duration // by method
	// The most memory that it had after an answer, all of it and its own, in bytes.
	resident, own int64
}

// firstRequests lists the first requests of the revisions with and without a handshake.
var firstRequests = []struct {
	method string
	params map[string]any
}{
	{"initialize", line.Hello},
	{"server/discover", map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "bench", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{}}}},
}

// starts starts each server in turn, round by round.
func (b *bench) starts(ctx context.Context) ([]firstAnswers, error) {
	home := filepath.Join(b.scratch, "starts")
	dir := filepath.Join(home, "tree")
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o777); err != nil {
		return nil, err
	}
	all := append([]server{{name: "an empty server on the same library", args: []string{b.programs.empty}}}, b.programs.servers()...)
	out := make([]firstAnswers, len(all))
	for i, s := range all {
		out[i] = firstAnswers{server: s.name, times: map[string][]time.Duration{}}
	}
	for round := range b.rounds*5 + 1 {
		for k := range all {
			i := (k + round) % len(all)
			for _, ask := range firstRequests {
				took, ok, err := out[i].firstAnswer(ctx, home, append(all[i].args[:len(all[i].args):len(all[i].args)], dir), ask.method, ask.params)
				if err != nil {
					return nil, err
				}
				if ok && round > 0 {
					out[i].times[ask.method] = append(out[i].times[ask.method], took)
				}
			}
		}
	}
	return out, nil
}

// firstAnswer also reports whether the method exists.
func (f *firstAnswers) firstAnswer(ctx context.Context, home string, args []string, method string, params any) (took time.Duration, ok bool, err error) {
	begin := time.Now()
	p, err := line.Start(ctx, home, args)
	if err != nil {
		return 0, false, err
	}
	answer, err := p.Put(method, params)
	took = time.Since(begin)
	if err != nil {
		return 0, false, err
	}
	f.resident, f.own = max(f.resident, line.ResidentNow(p.PID())), max(f.own, line.OwnNow(p.PID()))
	return took, !line.Refused(answer), p.End()
}

// syncs returns the median time to write a small file and sync it, which durable edits need at least.
func (b *bench) syncs() (time.Duration, error) {
	var all []time.Duration
	for i := range 25 {
		begin := time.Now()
		if err := write(filepath.Join(b.scratch, "syncs", strconv.Itoa(i)), content(i, 0)); err != nil {
			return 0, err
		}
		all = append(all, time.Since(begin))
	}
	return quantile(all, 0.5), nil
}
