package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

//go:embed client.mjs
var script []byte

// typescript is a client on the protocol's TypeScript library, in a process of its own, with the server that it started.
type typescript struct {
	*process     // the client
	server   int // the server's process
}

// typescript starts the client on a side.
func (b *bench) typescript(ctx context.Context, s *side) (link, error) {
	name := filepath.Join(b.programs.modules, "node_modules", ".emend-bench.mjs") // where its imports are found
	if err := os.WriteFile(name, script, 0o666); err != nil {
		return nil, err
	}
	p, err := start(ctx, s.home, []string{b.programs.node, name})
	if err != nil {
		return nil, err
	}
	c := &typescript{process: p}
	args := s.command()
	var is struct{ PID int }
	err = c.ask(map[string]any{"command": args[0], "args": args[1:], "env": environmentMap(s.home), "cwd": s.home}, &is)
	c.server = is.PID
	return c, err
}

// lines starts a server on a side and makes its acquaintance.
func (b *bench) lines(ctx context.Context, s *side) (link, error) {
	p, err := start(ctx, s.home, s.command())
	if err != nil {
		return nil, err
	}
	return p, p.meet()
}

// ask sends the client a line and reads one.
func (c *typescript) ask(what, into any) error {
	text, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		return err
	}
	line, err := c.out.ReadBytes('\n')
	if err == io.EOF {
		return fmt.Errorf("the client ended: %s", c.said.Bytes())
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

func (c *typescript) pid() int { return c.server }

func (c *typescript) drive(calls []call, inFlight int) (*slice, error) {
	before, err := spent(c.server)
	if err != nil {
		return nil, err
	}
	var is struct {
		Took    float64
		Each    []float64
		Answers []json.RawMessage
	}
	if err := c.ask(map[string]any{"calls": calls, "inFlight": inFlight}, &is); err != nil {
		return nil, err
	}
	after, err := spent(c.server)
	out := &slice{took: millis(is.Took), cpu: after - before}
	for i, ms := range is.Each {
		out.each = append(out.each, millis(ms))
		out.answers = append(out.answers, fmt.Appendf(nil, `{"result":%s}`, is.Answers[i]))
	}
	return out, err
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
