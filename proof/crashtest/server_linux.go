package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// server is emend as one process that makes all changes, an MCP server over standard input and output. After a power cut it is
// the program that recovers, as it is for every change.
type server struct {
	*emend
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// write applies patch t by a call of the running server.
func (s *server) write(t int) error {
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return err
		}
	}
	var r struct {
		IsError bool
		Content json.RawMessage
	}
	err := s.call("tools/call", map[string]any{"name": "apply_patch", "arguments": map[string]any{"patch": s.work.patches[t], "lenient": true}}, &r)
	if err == nil && r.IsError {
		err = fmt.Errorf("apply_patch: %s", r.Content)
	}
	return err
}

func (s *server) start() (err error) {
	s.cmd = exec.Command(s.Emend, "serve", s.dir)
	s.cmd.Env = s.environment()
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	hello := map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "crashtest", "version": "1"}}
	if err := s.call("initialize", hello, nil); err != nil {
		return err
	}
	return s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// call sends a request and waits for its result.
func (s *server) call(method string, params, result any) error {
	s.id++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		return err
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var m struct {
		ID     int
		Error  json.RawMessage
		Result json.RawMessage
	}
	if err := json.Unmarshal(line, &m); err != nil || m.ID != s.id || m.Error != nil {
		return fmt.Errorf("%s: the server answered %s", method, line)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

func (s *server) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(line, '\n'))
	return err
}

// close ends the process, which holds files of the disk open.
func (s *server) close() error {
	if s.cmd == nil {
		return nil
	}
	err := errors.Join(s.in.Close(), s.cmd.Wait())
	s.cmd = nil
	return err
}
