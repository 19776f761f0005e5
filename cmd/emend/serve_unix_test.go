//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// served is the real program, serving HTTP.
type served struct {
	t          *testing.T
	cmd        *exec.Cmd
	url, token string
	said       chan string // what it said on standard error, at its end
}

// serveHTTP starts it over dir; its configuration is in conf.
func serveHTTP(t *testing.T, dir, conf string, args ...string) *served {
	t.Helper()
	cmd := exec.Command("emend", append([]string{"serve", dir, "--http", "127.0.0.1:0"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home", "XDG_CONFIG_HOME=" + conf}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() }) //nolint:errcheck // it has mostly ended
	r := bufio.NewReader(errs)
	first, err := r.ReadString('\n')
	m := regexp.MustCompile(`serving (http://\S+/mcp)`).FindStringSubmatch(first)
	if m == nil {
		rest, _ := io.ReadAll(r)
		t.Fatalf("%v: %s%s", err, first, rest)
	}
	s := &served{t: t, cmd: cmd, url: m[1], said: make(chan string, 1)}
	go func() {
		b, _ := io.ReadAll(r)
		s.said <- first + string(b)
	}()
	file := filepath.Join(conf, "emend", "serve.key")
	b, err := os.ReadFile(file) // it is there before the address is told
	if err != nil {
		t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(b))
	return s
}

// post calls a tool, and returns what came back; an error is that nothing, or not all, did.
func (s *served) post(tool, args string) (int, string, error) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `,"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	req, err := http.NewRequest("POST", s.url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + s.token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// end sends a signal, and returns the exit code and what the program said.
func (s *served) end(sig syscall.Signal) (int, string) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	said := <-s.said
	s.cmd.Wait() //nolint:errcheck // the code says it
	return s.cmd.ProcessState.ExitCode(), said
}

// TestServeStops: SIGTERM in the middle of many calls. Every call that was answered with success is on disk, each patch is
// there whole or not at all, and the exit code is 0.
func TestServeStops(t *testing.T) {
	dir, conf := t.TempDir(), t.TempDir()
	s := serveHTTP(t, dir, conf, "--durability", "none")
	var mu sync.Mutex
	acknowledged, refused := map[string]bool{}, 0
	var wg sync.WaitGroup
	begun := make(chan struct{}, 1000)
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("f%d_%d", w, i)
				patch := fmt.Sprintf(`*** Begin Patch\n*** Add File: %s.a\n+%s\n*** Add File: %s.b\n+%s\n*** End Patch`, name, name, name, name)
				code, body, err := s.post("apply_patch", `{"patch":"`+patch+`"}`)
				mu.Lock()
				if err == nil && code == 200 && !strings.Contains(body, `"isError":true`) {
					acknowledged[name] = true
				} else {
					refused++
				}
				mu.Unlock()
				if err != nil || code != 200 {
					return
				}
				select {
				case begun <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 40 {
		<-begun
	}
	code, said := s.end(syscall.SIGTERM)
	wg.Wait()
	if code != 0 {
		t.Errorf("exit code %d: %s", code, said)
	}
	there := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "f*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(f), ".a"), ".b")
		there[name] = true
		for _, half := range []string{".a", ".b"} {
			if b, err := os.ReadFile(filepath.Join(dir, name+half)); err != nil || string(b) != name+"\n" {
				t.Errorf("%s%s: %v %q", name, half, err, b)
			}
		}
	}
	for name := range acknowledged {
		if !there[name] {
			t.Errorf("%s was acknowledged and is not there", name)
		}
	}
	t.Logf("%d patches were acknowledged and %d are there; %d calls were refused or cut off by the end", len(acknowledged), len(there), refused)
}

// TestServeToken: the token is shown once, and kept where only its owner reads it; the next start has the same, and
// --new-token another.
func TestServeToken(t *testing.T) {
	dir, conf := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for i, args := range [][]string{nil, nil, {"--new-token"}} {
		s := serveHTTP(t, dir, conf, args...)
		if code, body, err := s.post("read_file", `{"path":"a"}`); code != 200 || !strings.Contains(body, "text") {
			t.Errorf("%d %s %v", code, body, err)
		}
		code, said := s.end(syscall.SIGINT)
		if shown := strings.Contains(said, "Authorization: Bearer "+s.token+"\n"); shown != (i != 1) || code != 0 {
			t.Errorf("start %d: exit code %d, shown %t: %s", i, code, shown, said)
		}
		tokens = append(tokens, s.token)
	}
	if tokens[0] != tokens[1] || tokens[1] == tokens[2] {
		t.Errorf("%q", tokens)
	}
	if is, err := os.Stat(filepath.Join(conf, "emend", "serve.key")); err != nil || is.Mode() != 0o600 {
		t.Errorf("%v %v", is, err)
	}
}

// TestServeLogsJSON: with --log-format json all that is said is JSON, and a new token is not.
func TestServeLogsJSON(t *testing.T) {
	dir, conf := t.TempDir(), t.TempDir()
	cmd := exec.Command("emend", "serve", dir, "--http", "127.0.0.1:0", "--log-format", "json")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home", "XDG_CONFIG_HOME=" + conf}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(errs).ReadString('\n')
	cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // Wait tells
	if werr := cmd.Wait(); werr != nil || err != nil || !strings.HasPrefix(line, "{") || !strings.Contains(line, `"token_made":true`) || strings.Contains(line, "emend_") {
		t.Errorf("%v %v: %s", werr, err, line)
	}
}

// TestServeStdioStops: SIGTERM ends it with 0 over standard input and output too, and so does the end of the input.
func TestServeStdioStops(t *testing.T) {
	for _, how := range []string{"SIGTERM", "SIGINT", "end of input"} {
		cmd := exec.Command("emend", "serve", t.TempDir())
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home"}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "serverInfo") {
			t.Errorf("%v: %s", err, line)
		}
		switch how {
		case "SIGTERM":
			cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // Wait tells
		case "SIGINT":
			cmd.Process.Signal(syscall.SIGINT) //nolint:errcheck // Wait tells
		default:
			in.Close()
		}
		kill := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() }) //nolint:errcheck // Wait tells
		if err := cmd.Wait(); err != nil || errs.Len() > 0 {
			t.Errorf("%s: %v: %s", how, err, &errs)
		}
		kill.Stop()
	}
}
