//go:build npm

package interop

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/tool"
)

// plan tells a driver in testdata/drive what to do.
type plan struct {
	Dir      string   `json:"dir"`
	Revision string   `json:"revision"` // to be negotiated
	Mode     string   `json:"mode,omitempty"`
	Tools    []string `json:"tools"`

	Command string            `json:"command,omitempty"` // over stdio
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`

	URL     string `json:"url,omitempty"` // over HTTP
	Token   string `json:"token,omitempty"`
	Metrics string `json:"metrics,omitempty"`
}

// TestTypeScriptClients has both generations of the official TypeScript client call every tool, over both transports.
func TestTypeScriptClients(t *testing.T) {
	for _, c := range []struct{ name, lock, driver, mode, revision string }{
		{"v1", "client1", "v1.mjs", "", "2025-11-25"},
		{"v2", "client2", "v2.mjs", "", "2025-11-25"},
		{"v2 auto", "client2", "v2.mjs", "auto", "2026-07-28"},
	} {
		driver := drivers(t, c.lock, c.driver)
		for _, transport := range []string{"stdio", "http"} {
			t.Run(c.name+" "+transport, func(t *testing.T) {
				t.Parallel()
				p := plan{Dir: playground(t), Revision: c.revision, Mode: c.mode, Tools: tool.Names()}
				p.reach(t, transport)
				told, err := json.Marshal(p)
				if err != nil {
					t.Fatal(err)
				}
				got := run(t, driver, string(told))
				if got.code != 0 {
					t.Fatalf("exit %d after\n%s%s", got.code, got.out, got.err)
				}
				if !strings.Contains(got.out, "\nrevision "+c.revision+"\n") {
					t.Errorf("the steps did not reach their end:\n%s", got.out)
				}
				steps := strings.Count("\n"+got.out, "\nok ")
				t.Logf("client: %s over %s speaks %s; %d steps, %d tools, in %.1fs", c.name, transport, c.revision, steps, len(p.Tools), got.took.Seconds())
			})
		}
	}
}

// reach says how to reach the server: the client starts it, or it is already running.
func (p *plan) reach(t *testing.T, transport string) {
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte("[write]\nask = [\"asked\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if transport == "http" {
		url, token := shipped(t, p.Dir, "--policy", policy)
		p.URL, p.Token, p.Metrics = url+"/mcp", token, url+"/metrics"
		return
	}
	p.Command, p.Args, p.Env = program, []string{"serve", p.Dir, "--policy", policy}, map[string]string{}
	for _, kv := range environment(t) {
		name, value, _ := strings.Cut(kv, "=")
		p.Env[name] = value
	}
}

// drivers copies the programs of testdata/drive next to the packages that they import, since Node looks for packages there.
func drivers(t *testing.T, lock, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/drive")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(install(t, lock), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// playground creates a workspace with the files that the steps change, and with files in which a certain search takes minutes.
// Each of those is in a directory of its own, since progress is reported by directory.
func playground(t *testing.T) string {
	dir := workspace(t, map[string]string{"src/a.txt": "one\ntwo\nthree\n", "src/b.txt": "b\n", "slow/0/a.txt": words(1 << 20)})
	for i := 1; i < 1000; i++ {
		to := filepath.Join(dir, "slow", strconv.Itoa(i))
		if err := errors.Join(os.Mkdir(to, 0o755), os.Link(filepath.Join(dir, "slow", "0", "a.txt"), filepath.Join(to, "a.txt"))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// words returns so many bytes of lines of words of the letters a to j.
func words(bytes int) string {
	r, b := rand.New(rand.NewPCG(1, 1)), strings.Builder{}
	for b.Len() < bytes {
		for range 10 {
			for range 2 + r.IntN(6) {
				b.WriteByte('a' + byte(r.IntN(10)))
			}
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	return b.String()
}
