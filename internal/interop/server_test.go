//go:build npm

package interop

import (
	"bufio"
	"crypto/rand"
	"io"
	"log"
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

// workspace is a directory with files in it that marks itself as a root.
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

// fixtureServer serves what the conformance suite calls, and emend's own tools, by emend's own construction.
func fixtureServer(t *testing.T) (url, token string) {
	t.Helper()
	ws, err := emend.Open(workspace(t, map[string]string{"a.txt": "one\n"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	s := mcp.New(mcp.Config{Workspaces: []mcp.Workspace{{Workspace: ws}}, Tools: tool.Options{}, Version: "test"})
	fixture(s.SDK())
	token = rand.Text()
	web := httptest.NewServer(s.Handler(mcp.HTTPConfig{Token: token}))
	t.Cleanup(web.Close)
	return web.URL, token
}

var serving = regexp.MustCompile(`http://[0-9.:]+`)

// shipped serves a workspace with the program itself, over HTTP.
func shipped(t *testing.T, args ...string) (url, token string) {
	t.Helper()
	cmd := exec.Command(program, slices.Concat([]string{"serve", "--http", "127.0.0.1:0"}, args)...)
	token = rand.Text()
	cmd.Env = append(environment(t), "EMEND_TOKEN="+token)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	for url == "" && lines.Scan() {
		url = serving.FindString(lines.Text())
	}
	var rest sync.WaitGroup
	rest.Go(func() { io.Copy(io.Discard, errs) })
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		rest.Wait()
		cmd.Wait()
		late.Stop()
	})
	if url == "" {
		t.Fatal("emend serve did not say where it serves")
	}
	return url, token
}

// withToken stands in front of a server and adds the token to what goes there, for programs that cannot send one. It
// changes nothing else: the Host and the Origin are those of the program.
func withToken(t *testing.T, to, token string) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}, ErrorLog: log.New(io.Discard, "", 0)}) // the suite hangs up on streams that it has seen enough of
	t.Cleanup(front.Close)
	return front.URL + "/mcp"
}
