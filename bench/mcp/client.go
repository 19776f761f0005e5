package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/emend-dev/emend/bench/internal/line"
)

//go:embed client.mjs
var script []byte

// typescript is a client on the protocol's TypeScript library, in a process of its own, with the server that it started.
type typescript struct {
	*line.Process     // the client
	server        int // process id of the server
}

// typescript starts the client on a side.
func (b *bench) typescript(ctx context.Context, s *side) (connection, error) {
	name := filepath.Join(b.programs.modules, "node_modules", ".emend-bench.mjs") // next to the packages that it imports
	if err := os.WriteFile(name, script, 0o666); err != nil {
		return nil, err
	}
	p, err := line.Start(ctx, s.home, []string{b.programs.node, name})
	if err != nil {
		return nil, err
	}
	c := &typescript{Process: p}
	args := s.command()
	var is struct{ PID int }
	err = c.Ask(map[string]any{"command": args[0], "args": args[1:], "env": environmentMap(s.home), "cwd": s.home}, &is)
	c.server = is.PID
	return c, err
}

// lines starts a server on a side and initializes it.
func (b *bench) lines(ctx context.Context, s *side) (connection, error) {
	p, err := line.Start(ctx, s.home, s.command())
	if err != nil {
		return nil, err
	}
	return p, p.Meet()
}

func (c *typescript) PID() int { return c.server }

func (c *typescript) Drive(calls []line.Call, inFlight int) (*line.Slice, error) {
	before, err := line.Spent(c.server)
	if err != nil {
		return nil, err
	}
	var is struct {
		Took    float64
		Each    []float64
		Answers []json.RawMessage
	}
	if err := c.Ask(map[string]any{"calls": calls, "inFlight": inFlight}, &is); err != nil {
		return nil, err
	}
	after, err := line.Spent(c.server)
	out := &line.Slice{Took: millis(is.Took), CPU: after - before}
	for i, ms := range is.Each {
		out.Each = append(out.Each, millis(ms))
		out.Answers = append(out.Answers, fmt.Appendf(nil, `{"result":%s}`, is.Answers[i]))
	}
	return out, err
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
