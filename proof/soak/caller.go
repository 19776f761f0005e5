package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/emend-dev/emend/proof/session"
)

// caller calls the tools of emend, in one of the ways that there are.
type caller interface {
	// call makes a call. The error is errCut if nobody knows whether it happened, and errBefore if it did not.
	call(tool string, arguments args) (*reply, error)
	pause() time.Duration // at most, between two calls
}

type args = map[string]any

// reply is an answer, from whichever caller.
type reply struct {
	session.Structured
	ok   bool
	text string
}

var (
	errCut    = errors.New("cut off")
	errBefore = errors.New("refused before it began")
)

// process is a process of its own for each call, of which some are killed unless they are spared.
type process struct {
	world  *world
	spared bool
}

func (p *process) pause() time.Duration { return 0 }

func (p *process) call(tool string, a args) (*reply, error) {
	argv, input := verb(tool, a)
	cmd := p.world.command(argv...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader([]byte(input)), &out, &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	if !p.spared && rand.Float64() < p.world.killed {
		go p.kill(cmd.Process, a, ended)
	}
	err := cmd.Wait()
	close(ended)
	e, ok := errors.AsType[*exec.ExitError](err)
	killed := ok && e.ExitCode() == -1
	r := &reply{text: out.String()}
	if json.Unmarshal(out.Bytes(), &r.Structured) == nil {
		r.text = output(out.Bytes())
		r.ok = err == nil || killed && r.Error.Kind == "" // it may have been killed after its answer
		return r, nil
	}
	if killed {
		p.world.kills.Add(1)
		return nil, errCut
	}
	if err == nil {
		r.ok = true
		return r, nil // a verb without an answer in JSON
	}
	return nil, fmt.Errorf("%q: %w: %.1000s%.1000s", argv, err, said.Bytes(), out.Bytes())
}

// kill kills a process at some moment, or in the worst one: when the file of the call has just changed.
func (p *process) kill(victim *os.Process, a args, ended <-chan struct{}) {
	defer victim.Kill()
	path, _ := a["path"].(string)
	if path != "" && rand.IntN(3) > 0 && untilChanged(filepath.Join(p.world.dir, path), ended) == nil {
		return
	}
	select {
	case <-ended:
	case <-time.After(rand.N(200 * time.Millisecond)):
	}
}

func output(answer []byte) string {
	var is struct{ Output string }
	json.Unmarshal(answer, &is)
	return is.Output
}

// verb returns the command line and the standard input of a call.
func verb(tool string, a args) (argv []string, input string) {
	s := func(name string) string { v, _ := a[name].(string); return v }
	switch tool {
	case "apply_patch":
		return []string{"apply", "--json"}, s("patch")
	case "edit_file":
		edit := a["edits"].([]map[string]string)[0]
		return []string{"edit", "--json", s("path"), "--old", edit["oldText"], "--new", edit["newText"], "--expect", s("expectedSha256")}, ""
	case "write_file":
		return []string{"write", "--json", s("path"), "--expect", s("expectedSha256")}, s("content")
	case "create_file":
		return []string{"create", "--json", s("path")}, s("content")
	case "move_file":
		return []string{"mv", "--json", s("fromPath"), s("toPath"), "--expect", s("expectedSha256")}, ""
	case "delete_file":
		return []string{"rm", "--json", s("path"), "--expect", s("expectedSha256")}, ""
	case "restore_file":
		return []string{"restore", "--json", s("trashedPath")}, ""
	case "undo":
		return []string{"undo", "--json", s("entry")}, ""
	case "read_file":
		return []string{"read", "--json", s("path")}, ""
	case "search_files":
		return []string{"search", "--json", s("query")}, ""
	case "history":
		return []string{"log", "--json", "--limit", "3", "--diff", "--path", s("path")}, ""
	case "trash clear":
		return []string{"trash", "clear", "--json", "--yes", s("id")}, ""
	case "purge":
		return []string{"purge", "--json", "--yes", "--path", s("path")}, ""
	}
	return []string{tool, "--json"}, "" // verify, recover
}

// remote is a session of a server over HTTP.
type remote struct {
	world  *world
	server *server
	old    bool
	client *session.Client
}

func (r *remote) pause() time.Duration { return 2 * time.Second }

func (r *remote) call(tool string, a args) (*reply, error) {
	if url, token := r.server.at(); r.client == nil || r.client.URL != url {
		if r.client != nil {
			r.client.HTTP.CloseIdleConnections()
		}
		client := &session.Client{URL: url, Token: token, Old: r.old, HTTP: &http.Client{Transport: &http.Transport{}, Timeout: 2 * time.Minute}}
		if err := client.Meet(); err != nil {
			return nil, r.otherServer(url, errBefore, err)
		}
		r.client = client
	}
	got, err := r.client.Call(tool, a)
	if e, ok := errors.AsType[*session.StatusError](err); ok && e.Code == http.StatusServiceUnavailable {
		return nil, r.otherServer(r.client.URL, errBefore, err)
	}
	if err != nil {
		return nil, r.otherServer(r.client.URL, errCut, err)
	}
	return &reply{got.StructuredContent, !got.IsError, got.Text()}, nil
}

// otherServer returns what an error means if the server at url has ended and another one has taken its place; otherwise the error
// itself.
func (r *remote) otherServer(url string, means, err error) error {
	for range 3000 {
		if now, _ := r.server.at(); now != url {
			return means
		}
		if r.server == r.world.steady {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// stdio is a session of a server of its own, which is killed now and then.
type stdio struct {
	world *world
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	ids   int
}

func (s *stdio) pause() time.Duration { return 2 * time.Second }

func (s *stdio) call(tool string, a args) (*reply, error) {
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return nil, err
		}
	}
	if rand.Float64() < s.world.killed {
		server := s.cmd.Process
		kill := time.AfterFunc(rand.N(100*time.Millisecond), func() { server.Kill() })
		defer kill.Stop()
	}
	var got session.Answer
	if err := s.request("tools/call", args{"name": tool, "arguments": a}, &got); err != nil {
		s.stop()
		return nil, err
	}
	return &reply{got.StructuredContent, !got.IsError, got.Text()}, nil
}

func (s *stdio) start() error {
	s.cmd = s.world.command("serve", s.world.dir)
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return err
	}
	s.in, s.out = in, bufio.NewReaderSize(out, 1<<20)
	var is struct{ ProtocolVersion string }
	err = s.request("initialize", args{"protocolVersion": session.WithSessions, "capabilities": args{}, "clientInfo": args{"name": "soak", "version": "1"}}, &is)
	if err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	return err
}

// request sends a request and reads lines up to its answer. An end of either stream is a kill.
func (s *stdio) request(method string, params, into any) error {
	s.ids++
	text, err := json.Marshal(args{"jsonrpc": "2.0", "id": s.ids, "method": method, "params": params})
	if err != nil {
		return err
	}
	if _, err := s.in.Write(append(text, '\n')); err != nil {
		return errCut
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return errCut
		}
		if err := session.Decode(line, s.ids, into); !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
	}
}

// stop ends the server.
func (s *stdio) stop() {
	if s.cmd == nil {
		return
	}
	s.in.Close()
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s.cmd = nil
	s.world.kills.Add(1)
}
