//go:build unix

package main

import (
	"bufio"
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

// httpServer is a running emend serve --http.
type httpServer struct {
	t          *testing.T
	cmd        *exec.Cmd
	url, token string
	stderr     chan string // gets all of standard error when the process ends
}

// serveHTTP starts a server over dir, with its configuration in conf.
func serveHTTP(t *testing.T, dir, conf string, args ...string) *httpServer {
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
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() }) //nolint:errcheck // it has ended in most tests
	r := bufio.NewReader(errs)
	first, err := r.ReadString('\n')
	m := regexp.MustCompile(`serving (http://\S+/mcp)`).FindStringSubmatch(first)
	if m == nil {
		rest, _ := io.ReadAll(r)
		t.Fatalf("%v: %s%s", err, first, rest)
	}
	s := &httpServer{t: t, cmd: cmd, url: m[1], stderr: make(chan string, 1)}
	go func() {
		b, _ := io.ReadAll(r)
		s.stderr <- first + string(b)
	}()
	file := filepath.Join(conf, "emend", "serve.key")
	b, err := os.ReadFile(file) // it exists before the address is printed
	if err != nil {
		t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(b))
	return s
}

// post calls a tool and returns the status and the body. It returns an error if the answer is missing or incomplete.
func (s *httpServer) post(tool, args string) (int, string, error) {
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

// end sends a signal, and returns the exit code and standard error.
func (s *httpServer) end(sig syscall.Signal) (int, string) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	said := <-s.stderr
	s.cmd.Wait() //nolint:errcheck // the exit code has it
	return s.cmd.ProcessState.ExitCode(), said
}

// SIGTERM arrives among many calls. The exit code is 0, every call that was answered with success is on disk, and each
// patch is there whole or not at all.
func TestServeStopsAtSIGTERM(t *testing.T) {
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

// The token is shown once, and kept where only its owner can read it. The next start has the same token, and
// --new-token makes another.
func TestServeKeepsToken(t *testing.T) {
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

// If the configuration is inside the workspace, no tool reads the token or replaces it.
func TestServeTokenIsProtected(t *testing.T) {
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

// With --log-format json all output is JSON, and a new token is not printed.
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
	cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // Wait returns it
	if werr := cmd.Wait(); werr != nil || err != nil || !strings.HasPrefix(line, "{") || !strings.Contains(line, `"token_made":true`) || strings.Contains(line, "emend_") {
		t.Errorf("%v %v: %s", werr, err, line)
	}
}

// holdLock takes the store's lock, as another process would, until release is called or the test ends.
func holdLock(t *testing.T, dir string) (release func()) {
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

// startBlockedCall starts a server with a call that waits for a lock. The call ends after release, and its answer is
// sent to the channel.
func startBlockedCall(t *testing.T, args ...string) (s *httpServer, dir string, release func(), answer <-chan string) {
	t.Helper()
	dir = t.TempDir()
	s = serveHTTP(t, dir, t.TempDir(), args...)
	if code, body, err := s.post("create_file", `{"path":"first","content":"x"}`); code != 200 || err != nil {
		t.Fatalf("%d %s %v", code, body, err)
	}
	release = holdLock(t, dir)
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
					return s, dir, release, out
				}
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the call is not in hand")
	return nil, "", nil, nil
}

// A call that takes longer than --grace is cancelled and answered, and changes nothing. The server waits for the lock
// to note the cancellation in the log.
func TestServeGrace(t *testing.T) {
	s, dir, release, answer := startBlockedCall(t, "--grace", "1ms")
	defer time.AfterFunc(2*time.Second, release).Stop()
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

// The second signal ends the server at once.
func TestServeSecondSignal(t *testing.T) {
	for _, sigs := range [][2]syscall.Signal{{syscall.SIGTERM, syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGINT}, {syscall.SIGTERM, syscall.SIGINT}} {
		s, _, _, answer := startBlockedCall(t, "--grace", "10m")
		s.cmd.Process.Signal(sigs[0]) //nolint:errcheck // /healthz shows it
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
