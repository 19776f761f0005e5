// Package line is a client for servers of the Model Context Protocol with next to no costs, so that only the server is
// measured. It writes lines that were made before, and reads lines.
package line

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// Process is a running server with its streams.
type Process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer
	ids  int
}

// Start starts a server in an empty environment.
func Start(ctx context.Context, home string, args []string) (p *Process, err error) {
	p = &Process{cmd: exec.CommandContext(ctx, args[0], args[1:]...)}
	p.cmd.Env, p.cmd.Dir, p.cmd.Stderr = Environment(home), home, &p.said
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

// End closes the server's input and waits for its end.
func (p *Process) End() error {
	p.in.Close()
	io.Copy(io.Discard, p.out) // discard what nobody waited for
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, p.said.Bytes())
	}
	return nil
}

func (p *Process) PID() int { return p.cmd.Process.Pid }

// request returns a request as a line, with the next id.
func (p *Process) request(method string, params any) ([]byte, error) {
	p.ids++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.ids, "method": method, "params": params})
	return append(line, '\n'), err
}

// Meet initializes the server, as revisions with a handshake require.
func (p *Process) Meet() error {
	if _, err := p.Put("initialize", Hello); err != nil {
		return err
	}
	_, err := io.WriteString(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

// Put makes one request and returns the line that answers it.
func (p *Process) Put(method string, params any) ([]byte, error) {
	line, err := p.request(method, params)
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(line); err != nil {
		return nil, err
	}
	return p.answer()
}

// Ask writes a line and reads one, for a program without a protocol.
func (p *Process) Ask(what, into any) error {
	text, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(text, '\n')); err != nil {
		return err
	}
	line, err := p.out.ReadBytes('\n')
	if err == io.EOF {
		return fmt.Errorf("the client ended: %s", p.said.Bytes())
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

// Hello is the parameters of initialize.
var Hello = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
	"clientInfo": map[string]any{"name": "bench", "version": "1"}}

// answer reads the next line that answers a request.
func (p *Process) answer() ([]byte, error) {
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

// Where the libraries of both servers put the id of a request.
var (
	ahead  = regexp.MustCompile(`^\{"jsonrpc":"2\.0","id":(\d+),"(?:result|error)"`)
	behind = regexp.MustCompile(`"jsonrpc":"2\.0","id":(\d+)\}\s*$`)
)

// number returns the id of the request that a line answers. It looks only at the ends of the line, to keep the client fast.
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

// volley is calls in flight: the lines, and when each was sent.
type volley struct {
	*Process
	first int // id of the first one
	lines [][]byte
	sent  []time.Time
	out   *Slice
}

// Drive makes the calls, so many at a time. It returns the time of all and of each, and the answers.
func (p *Process) Drive(calls []Call, inFlight int) (*Slice, error) {
	v, err := p.volley(calls)
	if err != nil {
		return nil, err
	}
	before, err := Spent(p.PID())
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := v.fly(inFlight); err != nil {
		return nil, err
	}
	v.out.Took = time.Since(begin)
	after, err := Spent(p.PID())
	v.out.CPU = after - before
	return v.out, err
}

func (p *Process) volley(calls []Call) (*volley, error) {
	v := &volley{Process: p, first: p.ids + 1, out: &Slice{Each: make([]time.Duration, len(calls)), Answers: make([][]byte, len(calls))}}
	for i := range calls {
		line, err := p.request("tools/call", calls[i])
		if err != nil {
			return nil, err
		}
		v.lines = append(v.lines, line)
	}
	return v, nil
}

// fly sends the first lines, and another one for every answer.
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
	if i < 0 || i >= len(v.sent) || v.out.Answers[i] != nil {
		return fmt.Errorf("an answer to request %d, which was not made: %.200s", n, line)
	}
	v.out.Each[i], v.out.Answers[i] = time.Since(v.sent[i]), line
	return nil
}

// Refused reports whether a line says that there is no such method.
func Refused(line []byte) bool {
	var a struct{ Error json.RawMessage }
	return json.Unmarshal(line, &a) != nil || a.Error != nil
}

// Slice is finished calls.
type Slice struct {
	Took, CPU time.Duration
	Each      []time.Duration
	Answers   [][]byte // lines of the protocol
}

// Texts returns what a model would read of each answer, or an error if one of them is a refusal.
func (s *Slice) Texts() ([]string, error) {
	out := make([]string, len(s.Answers))
	for i, line := range s.Answers {
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

// Refused returns those of all whose call was refused.
func (s *Slice) Refused(all []int) (out []int, err error) {
	for k, line := range s.Answers {
		var a struct{ Result struct{ IsError bool } }
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, err
		}
		if a.Result.IsError {
			out = append(out, all[k])
		}
	}
	return out, nil
}

// Environment returns only what every program needs, so that no settings are read.
func Environment(home string) []string {
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C", "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home}
}
