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

// TestServeTokenOutOfReach: where the workspace is the directory that has the configuration, no tool reads the token, nor
// puts another in its place.
func TestServeTokenOutOfReach(t *testing.T) {
	dir := t.TempDir()
	s := serveHTTP(t, dir, filepath.Join(dir, "conf"))
	const key = `"conf/emend/serve.key"`
	for tool, args := range map[string]string{
		"read_file":   `{"path":` + key + `}`,
		"delete_file": `{"path":` + key + `}`,
		"create_file": `{"path":"conf/emend/other.key","content":"x"}`,
		"write_file":  `{"path":` + key + `,"content":"x","expectedSha256":"` + strings.Repeat("0", 64) + `"}`,
		"edit_file":   `{"path":` + key + `,"expectedSha256":"` + strings.Repeat("0", 64) + `","edits":[{"oldText":"emend_","newText":"x"}]}`,
		"move_file":   `{"fromPath":` + key + `,"toPath":"open.txt","expectedSha256":"` + strings.Repeat("0", 64) + `"}`,
		"apply_patch": `{"patch":"*** Begin Patch\n*** Delete File: conf/emend/serve.key\n*** End Patch"}`,
	} {
		if code, body, err := s.post(tool, args); err != nil || code != 200 || !strings.Contains(body, "permission_denied") || strings.Contains(body, s.token) {
			t.Errorf("%s: %d %v %s", tool, code, err, body)
		}
	}
	if _, body, err := s.post("search_files", `{"query":"emend_"}`); err != nil || strings.Contains(body, s.token) || strings.Contains(body, "serve.key") {
		t.Errorf("search_files: %v %s", err, body)
	}
	if code, said := s.end(syscall.SIGTERM); code != 0 || strings.Count(said, s.token) != 1 {
		t.Errorf("exit code %d: %s", code, said)
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
		if err := cmd.Wait(); err != nil || strings.Contains(errs.String(), "level=ERROR") || strings.Contains(errs.String(), "emend:") {
			t.Errorf("%s: %v: %s", how, err, &errs)
		}
		kill.Stop()
	}
}

// holdLock takes the lock of the store, as another process at work would, until it is let go, or the test ends.
func holdLock(t *testing.T, dir string) (letGo func()) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, ".emend", "lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return func() { f.Close() }
}

// stuck serves a call that waits for a lock that somebody holds; its answer comes through the channel.
func stuck(t *testing.T, args ...string) (s *served, dir string, letGo func(), answer <-chan string) {
	t.Helper()
	dir = t.TempDir()
	s = serveHTTP(t, dir, t.TempDir(), args...)
	if code, body, err := s.post("create_file", `{"path":"first","content":"x"}`); code != 200 || err != nil {
		t.Fatalf("%d %s %v", code, body, err)
	}
	letGo = holdLock(t, dir)
	out := make(chan string, 1)
	go func() {
		_, body, err := s.post("create_file", `{"path":"second","content":"x"}`)
		out <- fmt.Sprint(body, err)
	}()
	for range 1000 {
		if req, err := http.NewRequest("GET", strings.TrimSuffix(s.url, "/mcp")+"/metrics", nil); err == nil {
			req.Header.Set("Authorization", "Bearer "+s.token)
			if resp, err := http.DefaultClient.Do(req); err == nil {
				b, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if strings.Contains(string(b), "\nemend_calls_in_flight 1\n") {
					return s, dir, letGo, out
				}
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the call is not in hand")
	return nil, "", nil, nil
}

// TestServeGrace: a call that takes longer than the grace is cancelled, answered, and has changed nothing. That it was
// cancelled is noted in the log, for which the lock is waited for.
func TestServeGrace(t *testing.T) {
	s, dir, letGo, answer := stuck(t, "--grace", "1ms")
	defer time.AfterFunc(2*time.Second, letGo).Stop()
	if code, said := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d: %s", code, said)
	}
	if got := <-answer; !strings.Contains(got, `"isError":true`) {
		t.Errorf("the call was answered with %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "second")); err == nil {
		t.Error("it was made all the same")
	}
}

// TestServeSecondSignal: who does not want to wait says so twice.
func TestServeSecondSignal(t *testing.T) {
	for _, sigs := range [][2]syscall.Signal{{syscall.SIGTERM, syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGINT}, {syscall.SIGTERM, syscall.SIGINT}} {
		s, _, _, answer := stuck(t, "--grace", "10m")
		s.cmd.Process.Signal(sigs[0]) //nolint:errcheck // /healthz tells
		for range 1000 {
			resp, err := http.Get(strings.TrimSuffix(s.url, "/mcp") + "/healthz")
			if err != nil {
				t.Fatalf("%s: it ended at the first signal: %v", sigs, err)
			}
			resp.Body.Close()
			if resp.StatusCode == 503 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		s.end(sigs[1])
		if ws := s.cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != sigs[1] {
			t.Errorf("%s: it ended with %s", sigs, s.cmd.ProcessState)
		}
		<-answer
	}
}
