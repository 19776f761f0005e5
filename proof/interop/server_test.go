//go:build npm

package interop

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/tool"
)

// workspace creates a directory with files and a mark that makes it a root.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fixtureServer serves what the conformance suite calls, and emend's own tools, with emend's own server.
func fixtureServer(t *testing.T) (url, token string) {
	t.Helper()
	ws, err := emend.Open(workspace(t, map[string]string{"a.txt": "one\n"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	s := mcp.New(mcp.Config{Workspaces: []tool.Workspace{{Workspace: ws}}, Tools: tool.Options{}, Version: "test"})
	fixture(s.SDK())
	token = rand.Text()
	web := httptest.NewServer(s.HTTP(mcp.HTTPConfig{Token: token}))
	t.Cleanup(web.Close)
	return web.URL, token
}

var (
	serving = regexp.MustCompile(`http://[0-9.:]+`)
	bearer  = regexp.MustCompile(`Bearer (\S+)`)
)

// shipped runs the program over HTTP. The token is the one that it prints at its first start.
func shipped(t *testing.T, args ...string) (url, token string) {
	t.Helper()
	cmd := exec.Command(program, slices.Concat([]string{"serve", "--http", "127.0.0.1:0"}, args)...)
	cmd.Env = environment(t)
	errs, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	for (url == "" || token == "") && lines.Scan() {
		url = cmp.Or(url, serving.FindString(lines.Text()))
		if m := bearer.FindStringSubmatch(lines.Text()); m != nil {
			token = m[1]
		}
	}
	var rest sync.WaitGroup
	rest.Go(func() { io.Copy(io.Discard, errs) })
	t.Cleanup(func() { stop(t, cmd, &rest) })
	if url == "" || token == "" {
		t.Fatal("emend serve did not say where it serves, and with which token")
	}
	return url, token
}

// stop stops a server as an operator does. It must end by itself.
func stop(t *testing.T, cmd *exec.Cmd, rest *sync.WaitGroup) {
	cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer late.Stop()
	rest.Wait()
	if err := cmd.Wait(); err != nil {
		t.Errorf("emend serve, told to end: %v", err)
	}
}

// withToken returns the address of a proxy that adds the token, for programs that cannot send one. It changes nothing else;
// Host and Origin are those of the program.
func withToken(t *testing.T, to, token string) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}, ErrorLog: log.New(io.Discard, "", 0)} // the suite closes streams that it has seen enough of
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without this, an answer that begins before the proxy has seen the end of the request closes the request, and the
		// proxy aborts the answer: golang/go#40747.
		http.NewResponseController(w).EnableFullDuplex() //nolint:errcheck // all of HTTP/1 have it
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL + "/mcp"
}
