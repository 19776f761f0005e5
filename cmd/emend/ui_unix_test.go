//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// uiProcess is a running emend ui.
type uiProcess struct {
	t       *testing.T
	cmd     *exec.Cmd
	address string // http://host:port
	token   string
	stderr  *bytes.Buffer // on standard error
}

// startUI starts emend ui over dir and reads the address that it prints.
func startUI(t *testing.T, dir, conf string, args ...string) *uiProcess {
	t.Helper()
	p := &uiProcess{t: t, cmd: exec.Command("emend", append([]string{"ui", dir}, args...)...), stderr: &bytes.Buffer{}}
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home", "XDG_CONFIG_HOME=" + conf}
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() }) //nolint:errcheck // it has ended in most tests
	line, err := bufio.NewReader(out).ReadString('\n')
	at, tok, ok := strings.Cut(strings.TrimSpace(line), "/ui/#token=")
	if err != nil || !ok || !strings.HasPrefix(at, "http://127.0.0.1:") || len(tok) < 43 {
		t.Fatalf("%v: %q %s", err, line, p.stderr)
	}
	p.address, p.token = at, tok
	return p
}

// signIn sends a token to the pages, and returns the status and the cookies.
func signIn(t *testing.T, at, token string) (int, []*http.Cookie) {
	t.Helper()
	form := strings.NewReader(url.Values{"token": {token}}.Encode())
	req, err := http.NewRequest("POST", at+"/ui/login", form)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode, resp.Cookies()
}

// getPage opens a page with cookies.
func getPage(t *testing.T, address string, cookies []*http.Cookie) (int, string) {
	t.Helper()
	req, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cookies {
		req.AddCookie(c)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

// The printed address signs in, and Ctrl-C ends the process at once while a page is open.
func TestUI(t *testing.T) {
	dir, conf := t.TempDir(), t.TempDir()
	p := startUI(t, dir, conf, "--no-open")
	if code, _ := signIn(t, p.address, p.token[1:]); code != 401 {
		t.Errorf("a wrong token: %d", code)
	}
	code, cookies := signIn(t, p.address, p.token)
	if code != 303 || len(cookies) != 1 {
		t.Fatalf("the token: %d %v", code, cookies)
	}
	root := cookies[0].Path // of the session's pages
	if code, page := getPage(t, p.address+root+"default/", cookies); code != 200 || !strings.Contains(page, "<h1>") {
		t.Errorf("%d %s", code, page)
	}
	if code, _ := getPage(t, p.address+root+"default/", nil); code != 401 {
		t.Errorf("without a cookie: %d", code)
	}
	if code, _ := getPage(t, p.address+"/ui/default/", cookies); code != 401 {
		t.Errorf("at the address of no session: %d", code)
	}
	req, _ := http.NewRequest("GET", p.address+root+"default/events", nil)
	req.AddCookie(cookies[0])
	stream, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || stream.StatusCode != 200 {
		t.Fatalf("%v %v", stream, err)
	}
	defer stream.Body.Close()
	p.cmd.Process.Signal(syscall.SIGINT) //nolint:errcheck // Wait returns it
	if err := p.cmd.Wait(); err != nil || p.stderr.Len() > 0 {
		t.Errorf("%v: %s", err, p.stderr)
	}
	io.Copy(io.Discard, stream.Body) //nolint:errcheck // only its end matters
}

// The pages of a server have a token of their own. The agents' token opens no page, and the pages' token calls no tool.
func TestServePages(t *testing.T) {
	dir, conf := t.TempDir(), t.TempDir()
	s := serveHTTP(t, dir, conf, "--log-level", "debug")
	at := strings.TrimSuffix(s.url, "/mcp")
	b, err := os.ReadFile(filepath.Join(conf, "emend", "ui.key"))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(b))
	if code, cookies := signIn(t, at, s.token); code != 401 || len(cookies) > 0 {
		t.Errorf("the token of an agent lets into the pages: %d", code)
	}
	code, cookies := signIn(t, at, token)
	if code != 303 || len(cookies) != 1 {
		t.Fatalf("%d %v", code, cookies)
	}
	if code, _ := getPage(t, at+cookies[0].Path+"default/", cookies); code != 200 {
		t.Errorf("%d", code)
	}
	agents := s.token
	s.token = token
	if code, body, err := s.post("read_file", `{"path":"a"}`); code != 401 {
		t.Errorf("the token of the pages calls tools: %d %s %v", code, body, err)
	}
	s.token = agents
	if code, said := s.end(syscall.SIGTERM); code != 0 || strings.Contains(said, token) || !strings.Contains(said, "ui.key") {
		t.Errorf("%d: %s", code, said)
	}
}

// With --no-ui a server has no pages, and makes no token for them.
func TestServeNoPages(t *testing.T) {
	dir, conf := t.TempDir(), t.TempDir()
	s := serveHTTP(t, dir, conf, "--no-ui")
	if code, body := getPage(t, strings.TrimSuffix(s.url, "/mcp")+"/ui/", nil); code != 401 || strings.Contains(body, "<html") {
		t.Errorf("%d %s", code, body)
	}
	if _, err := os.Stat(filepath.Join(conf, "emend", "ui.key")); err == nil {
		t.Error("a token was made")
	}
}
