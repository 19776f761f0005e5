package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// process is a server that was started, and both ends of its streams.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer
	ids  int
}

// start starts a server in an empty environment.
func start(ctx context.Context, home string, args []string) (p *process, err error) {
	p = &process{cmd: exec.CommandContext(ctx, args[0], args[1:]...)}
	p.cmd.Env, p.cmd.Dir, p.cmd.Stderr = environment(home), home, &p.said
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	return p, p.cmd.Start()
}

// end lets the server end, as a client does that goes away.
func (p *process) end() error {
	p.in.Close()
	io.Copy(io.Discard, p.out) // what nobody waited for
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, p.said.Bytes())
	}
	return nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// request is one request as a line, under the next number.
func (p *process) request(method string, params any) ([]byte, error) {
	p.ids++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.ids, "method": method, "params": params})
	return append(line, '\n'), err
}

// meet makes the acquaintance of the server, as revisions with a handshake want it.
func (p *process) meet() error {
	line, err := p.request("initialize", hello)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(line); err != nil {
		return err
	}
	if _, err := p.answer(); err != nil {
		return err
	}
	_, err = io.WriteString(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

// hello is what initialize says.
var hello = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
	"clientInfo": map[string]any{"name": "bench", "version": "1"}}

// answer reads the next line that answers a request.
func (p *process) answer() ([]byte, error) {
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("the server's output ends: %w: %s", err, p.said.Bytes())
		}
		if _, ok := number(line); ok {
			return line, nil
		}
	}
}

// Where the libraries of both servers put the number of a request.
var (
	ahead  = regexp.MustCompile(`^\{"jsonrpc":"2\.0","id":(\d+),"(?:result|error)"`)
	behind = regexp.MustCompile(`"jsonrpc":"2\.0","id":(\d+)\}\s*$`)
)

// number is the number of the request that a line answers. It looks at the ends of the line alone: the client is not to be
// what is measured.
func number(line []byte) (int, bool) {
	m := ahead.FindSubmatch(line[:min(len(line), 64)])
	if m == nil {
		m = behind.FindSubmatch(line[max(0, len(line)-64):])
	}
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(string(m[1]))
	return n, err == nil
}

// volley is calls on their way: the lines, and when each was sent.
type volley struct {
	*process
	first int // the number of the first
	lines [][]byte
	sent  []time.Time
	out   *slice
}

// drive makes the calls, so many at a time, and returns how long all of them and each of them took, and what came back.
func (p *process) drive(calls []call, inFlight int) (*slice, error) {
	v, err := p.volley(calls)
	if err != nil {
		return nil, err
	}
	before, err := spent(p.pid())
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := v.fly(inFlight); err != nil {
		return nil, err
	}
	v.out.took = time.Since(begin)
	after, err := spent(p.pid())
	v.out.cpu = after - before
	return v.out, err
}

func (p *process) volley(calls []call) (*volley, error) {
	v := &volley{process: p, first: p.ids + 1, out: &slice{each: make([]time.Duration, len(calls)), answers: make([][]byte, len(calls))}}
	for i := range calls {
		line, err := p.request("tools/call", calls[i])
		if err != nil {
			return nil, err
		}
		v.lines = append(v.lines, line)
	}
	return v, nil
}

// fly sends the first lines, and another for every answer.
func (v *volley) fly(inFlight int) error {
	for range min(inFlight, len(v.lines)) {
		if err := v.send(); err != nil {
			return err
		}
	}
	for range v.lines {
		if err := v.take(); err != nil {
			return err
		}
		if len(v.sent) < len(v.lines) {
			if err := v.send(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *volley) send() error {
	v.sent = append(v.sent, time.Now())
	_, err := v.in.Write(v.lines[len(v.sent)-1])
	return err
}

func (v *volley) take() error {
	line, err := v.answer()
	if err != nil {
		return err
	}
	n, _ := number(line)
	i := n - v.first
	if i < 0 || i >= len(v.sent) || v.out.answers[i] != nil {
		return fmt.Errorf("an answer to request %d, which was not made: %.200s", n, line)
	}
	v.out.each[i], v.out.answers[i] = time.Since(v.sent[i]), line
	return nil
}

// refused reports whether a line says that there is no such method.
func refused(line []byte) bool {
	var a struct{ Error json.RawMessage }
	return json.Unmarshal(line, &a) != nil || a.Error != nil
}

// slice is calls that were made.
type slice struct {
	took, cpu time.Duration
	each      []time.Duration
	answers   [][]byte // lines of the protocol
}

// texts is what a model would read of each answer; an error if one of them is a refusal.
func (s *slice) texts() ([]string, error) {
	out := make([]string, len(s.answers))
	for i, line := range s.answers {
		var a struct {
			Result struct {
				Content []struct{ Text string }
				IsError bool
			}
			Error json.RawMessage
		}
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, err
		}
		if a.Error != nil || a.Result.IsError || len(a.Result.Content) == 0 {
			return nil, fmt.Errorf("the server refuses: %.600s", line)
		}
		out[i] = a.Result.Content[0].Text
	}
	if len(out) == 0 {
		return nil, errors.New("no calls were made")
	}
	return out, nil
}
