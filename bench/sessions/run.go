package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/emend-dev/emend/bench/internal/line"
	"github.com/emend-dev/emend/proof/session"
)

type options struct {
	length            time.Duration
	sessions, servers int
	emend, dir, out   string
}

// filesOfSession is the number of files that a session edits, in turn.
const filesOfSession = 8

// run starts the servers below home and has the sessions work.
func run(ctx context.Context, o options, home string) (r *result, err error) {
	dir := filepath.Join(home, "tree")
	agents := make([]*agent, o.sessions)
	for n := range agents {
		agents[n] = &agent{n: n}
		if err := agents[n].lay(dir); err != nil {
			return nil, err
		}
	}
	r = &result{options: o, agents: agents}
	var servers []*server
	defer func() {
		for _, s := range servers {
			err = errors.Join(err, s.end())
		}
		if err == nil {
			err = check(ctx, o, home, dir, agents)
		}
	}()
	for range o.servers {
		s, err := start(ctx, o.emend, home, dir)
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	for n, a := range agents {
		s := servers[n%len(servers)]
		a.Client = &session.Client{URL: s.url, Token: s.token, Old: true, HTTP: &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}}
		if err := a.Meet(); err != nil {
			return nil, err
		}
	}
	return r, r.work(ctx, servers)
}

// work has all sessions work until the time is over, and looks at the memory four times.
func (r *result) work(ctx context.Context, servers []*server) error {
	ctx, stop := context.WithTimeout(ctx, r.length)
	defer stop()
	errs := make([]error, len(r.agents))
	var unknown error
	var all sync.WaitGroup
	r.begin = time.Now()
	for n, a := range r.agents {
		all.Go(func() {
			if errs[n] = a.work(ctx); errs[n] != nil {
				stop()
			}
		})
	}
	for q := range r.states {
		select {
		case <-time.After(time.Until(r.begin.Add(r.length * time.Duration(q+1) / quarters))):
		case <-ctx.Done():
		}
		var err error
		r.states[q], err = stateOf(servers)
		unknown = errors.Join(unknown, err)
	}
	all.Wait()
	r.took = time.Since(r.begin)
	return errors.Join(append(errs, unknown)...)
}

func stateOf(servers []*server) (state, error) {
	out := state{load: load()}
	for _, s := range servers {
		spent, err := line.Spent(s.cmd.Process.Pid)
		if err != nil {
			return out, err
		}
		out.resident += line.ResidentNow(s.cmd.Process.Pid)
		out.processor += spent
	}
	return out, nil
}

// server is a running emend serve.
type server struct {
	cmd        *exec.Cmd
	url, token string
	said       io.ReadCloser
}

func start(ctx context.Context, emend, home, dir string) (*server, error) {
	s := &server{cmd: exec.CommandContext(ctx, emend, "serve", dir, "--http", "127.0.0.1:0", "--log-level", "error")}
	s.cmd.Env = line.Environment(home)
	var err error
	if s.said, err = s.cmd.StderrPipe(); err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	out := bufio.NewReader(s.said)
	first, err := out.ReadString('\n')
	s.url, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(first), "emend: serving "), ";")
	if err != nil || !strings.HasPrefix(s.url, "http://") {
		return nil, errors.Join(fmt.Errorf("the server says %q, %w", first, err), s.end())
	}
	go io.Copy(io.Discard, out)
	token, err := os.ReadFile(filepath.Join(home, "emend", "serve.key"))
	s.token = strings.TrimSpace(string(token))
	return s, err
}

func (s *server) end() error {
	s.cmd.Process.Signal(syscall.SIGTERM)
	return s.cmd.Wait()
}

// agent is a session and what it knows of its files.
type agent struct {
	*session.Client
	n     int
	at    [filesOfSession]int // number of edits of each file
	calls []call
}

func (a *agent) path(i int) string { return fmt.Sprintf("dir%02d/session%d-%d.txt", i, a.n, i) }

// text returns the content of a file after so many edits.
func (a *agent) text(i, edits int) string {
	const usual = "a line of the file that says what it always said, and nobody ever changes it\n"
	return fmt.Sprintf("%s%s%s", strings.Repeat(usual, 20), a.mark(i, edits), strings.Repeat(usual, 20))
}

func (a *agent) mark(i, edits int) string {
	return fmt.Sprintf("file %d of session %d was edited %d times\n", i, a.n, edits)
}

func (a *agent) lay(dir string) error {
	for i := range a.at {
		name := filepath.Join(dir, a.path(i))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(a.text(i, 0)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// work makes calls until ctx ends.
func (a *agent) work(ctx context.Context) error {
	for n := 0; ctx.Err() == nil; n++ {
		begin := time.Now()
		tool, arguments, edited := a.next(n)
		answer, err := a.Call(tool, arguments)
		if err != nil {
			return fmt.Errorf("session %d: %s: %w", a.n, tool, err)
		}
		if answer.IsError {
			return fmt.Errorf("session %d: %s: %s", a.n, tool, answer.Text())
		}
		ended := time.Now()
		a.calls = append(a.calls, call{edits: edited >= 0, ended: ended, took: ended.Sub(begin)})
		if edited >= 0 {
			a.at[edited]++
		}
	}
	return nil
}

// next returns call n, and the file that it edits, -1 for none.
func (a *agent) next(n int) (tool string, arguments map[string]any, edited int) {
	i := n % filesOfSession
	if n%4 < 3 {
		old := a.text(i, a.at[i])
		return "edit_file", map[string]any{"path": a.path(i), "expectedSha256": fmt.Sprintf("%x", sha256.Sum256([]byte(old))),
			"edits": []map[string]string{{"oldText": a.mark(i, a.at[i]), "newText": a.mark(i, a.at[i]+1)}}}, i
	}
	switch n / 4 % 3 {
	case 0:
		return "read_file", map[string]any{"path": a.path(i)}, -1
	case 1:
		return "list_directory", map[string]any{"path": filepath.Dir(a.path(i))}, -1
	}
	return "search_files", map[string]any{"query": "session" + fmt.Sprint(a.n) + "-*", "mode": "path"}, -1
}

// check compares the files with what was acknowledged, and has the log verified.
func check(ctx context.Context, o options, home, dir string, agents []*agent) error {
	for _, a := range agents {
		for i, edits := range a.at {
			text, err := os.ReadFile(filepath.Join(dir, a.path(i)))
			if err != nil {
				return err
			}
			if string(text) != a.text(i, edits) {
				return fmt.Errorf("%s is not as it was after %d edits", a.path(i), edits)
			}
		}
	}
	cmd := exec.CommandContext(ctx, o.emend, "-C", dir, "verify")
	cmd.Env = line.Environment(home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("verify: %w\n%s", err, out)
	}
	return nil
}
