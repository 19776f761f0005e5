//go:build npm && linux

package agents

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend/proof/npm"
	"github.com/emend-dev/emend/proof/product"
)

// TestPlugins installs the plugin and the extension of a release into the programs that they are for. The model then reads and
// edits, and the edit is in the log.
func TestPlugins(t *testing.T) {
	dist := makeRelease(t)
	plugin := *claudeCode
	plugin.ask = func(prompt string) []string {
		return []string{"-p", prompt, "--allowedTools", "mcp__plugin_emend_emend"}
	}
	for _, row := range []struct {
		agent   *agent
		archive string
		install func(w *account, p program, dir string) []string // returns additional arguments
	}{
		{&plugin, "emend-0.0.1-claude-code-plugin.tar.gz", func(w *account, p program, dir string) []string {
			w.start(append(slices.Clone(p.command), "plugin", "validate", dir)...)
			return []string{"--plugin-dir", dir}
		}},
		{geminiCLI, "emend-0.0.1-gemini-extension.tar.gz", func(w *account, p program, dir string) []string {
			w.start(append(slices.Clone(p.command), "extensions", "install", dir, "--consent")...)
			return nil
		}},
	} {
		t.Run(slug(row.agent), func(t *testing.T) {
			t.Parallel()
			p := install(t, row.agent)
			w := newWorld(t)
			w.env = append(w.env, "PATH="+filepath.Dir(emendProgram)+":"+path())
			begin := time.Now()
			dir := filepath.Join(w.root, "plugin")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", filepath.Join(dist, row.archive), "-C", dir).CombinedOutput(); err != nil {
				t.Fatalf("tar: %v\n%s", err, out)
			}
			m := w.play(p, short(), func() []string { return row.install(w, p, dir) })
			w.holds("afterwards", edited)
			if said := w.run("log"); !strings.Contains(said, "server.conf") {
				t.Errorf("the log says %s", said)
			}
			t.Logf("%s %s with emend's plugin: from the archive to the first edit in the log %.1f s, of it the agent %.1f s", p.name, p.version,
				time.Since(begin).Seconds(), m.took.Seconds())
		})
	}
}

// makeRelease makes a release for this machine, and returns its directory.
func makeRelease(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("NOT RUN: with -short the plugins are not installed")
	}
	root, err := product.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dist := filepath.Join(t.TempDir(), "dist")
	cmd := exec.CommandContext(t.Context(), "go", "run", ".", "-q", "-dirty", "-version", "0.0.1", "-targets", "linux/"+runtime.GOARCH, "-out", dist)
	cmd.Dir = filepath.Join(root, "release")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return dist
}

// TestBundle has the validator of MCP bundles unpack the one for this machine, starts its server as its manifest says, and makes a
// first change through it. The programs that install bundles do not run here.
func TestBundle(t *testing.T) {
	dist := makeRelease(t)
	modules, err := npm.Install(t.Context(), "testdata/mcpb")
	if err != nil {
		t.Skipf("NOT RUN: mcpb: %v", err)
	}
	begin := time.Now()
	name := filepath.Join(dist, "emend-0.0.1-linux-"+runtime.GOARCH+".mcpb")
	dir := filepath.Join(t.TempDir(), "unpacked")
	mcpb := filepath.Join(modules, "node_modules", ".bin", "mcpb")
	for _, args := range [][]string{{"unpack", name, dir}, {"validate", filepath.Join(dir, "manifest.json")}, {"info", name}} {
		if out, err := exec.CommandContext(t.Context(), mcpb, args...).CombinedOutput(); err != nil {
			t.Fatalf("mcpb %v: %v\n%s", args, err, out)
		}
	}
	var manifest struct {
		Server struct {
			Config struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	filled := strings.NewReplacer("${__dirname}", dir, "${user_config.directory}", work)
	var args []string
	for _, arg := range manifest.Server.Config.Args {
		args = append(args, filled.Replace(arg))
	}
	cmd := exec.CommandContext(t.Context(), filled.Replace(manifest.Server.Config.Command), args...)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_file", Arguments: map[string]any{"path": "a.txt", "content": "one\n"}})
	if err != nil || got.IsError {
		t.Fatalf("create_file: %v, %v", err, got)
	}
	if text, err := os.ReadFile(filepath.Join(work, "a.txt")); err != nil || string(text) != "one\n" {
		t.Errorf("a.txt is %q, %v", text, err)
	}
	log := exec.CommandContext(t.Context(), filled.Replace(manifest.Server.Config.Command), "-C", work, "log")
	log.Env = cmd.Env
	if out, err := log.CombinedOutput(); err != nil || !strings.Contains(string(out), "a.txt") {
		t.Errorf("log: %v, %s", err, out)
	}
	t.Logf("from the bundle to the first change in the log: %.1f s", time.Since(begin).Seconds())
}
