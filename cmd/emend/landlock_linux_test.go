package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/front/wall"
)

// landlockTrees are workspaces, and the flags to serve them with.
var landlockTrees = []struct {
	name  string
	make  func(t *testing.T, top string) (root string)
	flags func(top string) []string
}{
	{"a directory", func(_ *testing.T, top string) string { return top }, nil},
	{"a repository", func(t *testing.T, top string) string {
		must(t, os.MkdirAll(filepath.Join(top, ".git", "info"), 0o755))
		return top
	}, nil},
	{"below a repository", func(t *testing.T, top string) string {
		must(t, os.MkdirAll(filepath.Join(top, ".git", "info"), 0o755))
		must(t, os.WriteFile(filepath.Join(top, ".gitignore"), []byte("ignored\n"), 0o644))
		return mkdir(t, top, "sub")
	}, nil},
	{"below a linked worktree", func(t *testing.T, top string) string {
		common := mkdir(t, top, "main/.git")
		at := mkdir(t, common, "worktrees/w")
		must(t, os.WriteFile(filepath.Join(at, "commondir"), []byte("../..\n"), 0o644))
		must(t, os.WriteFile(filepath.Join(mkdir(t, common, "info"), "exclude"), []byte("ignored\n"), 0o644))
		must(t, os.WriteFile(filepath.Join(mkdir(t, top, "w"), ".git"), []byte("gitdir: "+at+"\n"), 0o644))
		must(t, os.WriteFile(filepath.Join(at, "gitdir"), []byte(filepath.Join(top, "w", ".git")+"\n"), 0o644))
		return mkdir(t, top, "w/sub")
	}, nil},
	{"a named store", func(t *testing.T, top string) string { return mkdir(t, top, "tree") },
		func(top string) []string { return []string{"--store", filepath.Join(top, "stores", "one")} }},
}

func mkdir(t *testing.T, dir, name string) string {
	t.Helper()
	out := filepath.Join(dir, filepath.FromSlash(name))
	must(t, os.MkdirAll(out, 0o755))
	return out
}

// Under Landlock a server does all that it does without.
func TestServeUnderLandlock(t *testing.T) {
	if wall.Version() == 0 {
		t.Skip("NOT RUN: this kernel has no Landlock, or one before version 2")
	}
	for _, setup := range landlockTrees {
		t.Run(setup.name, func(t *testing.T) {
			top := t.TempDir()
			must(t, os.Mkdir(filepath.Join(top, "stores"), 0o755))
			root := setup.make(t, top)
			args := []string{}
			if setup.flags != nil {
				args = setup.flags(top)
			}
			args = append(args, "serve", root)
			startConfined(t, root, args...).callEveryTool()
			// The second server finds a store.
			startConfined(t, root, args...).call("create_file", map[string]any{"path": "again/e.txt", "content": "\n", "createParentDirectories": true})
		})
	}
}

// confinedServer is a server under Landlock, and its client.
type confinedServer struct {
	*testing.T
	cs   *sdk.ClientSession
	root string
}

// command returns emend with nothing from this account's settings.
func command(t *testing.T, root string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("emend", args...)
	cmd.Dir, cmd.Env = root, []string{"HOME=" + t.TempDir()}
	return cmd
}

func startConfined(t *testing.T, root string, args ...string) *confinedServer {
	t.Helper()
	cmd := command(t, root, args...)
	cmd.Stderr = os.Stderr
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	must(t, err)
	t.Cleanup(func() { cs.Close() })
	if !hasNoNewPrivs(t, cmd.Process.Pid) {
		t.Fatal("the server is not behind its wall")
	}
	return &confinedServer{t, cs, root}
}

// A server over HTTP is confined too. EMEND_LANDLOCK=off turns that off, which the server logs.
func TestServeHTTPUnderLandlock(t *testing.T) {
	if wall.Version() == 0 {
		t.Skip("NOT RUN: this kernel has no Landlock, or one before version 2")
	}
	for _, tc := range []struct {
		env, says string
		confined  bool
	}{{"", `msg="behind Landlock"`, true}, {"EMEND_LANDLOCK=off", "EMEND_LANDLOCK says off", false}} {
		cmd := command(t, t.TempDir(), "serve", "--http", "127.0.0.1:0")
		cmd.Env = append(cmd.Env, tc.env)
		errors, err := cmd.StderrPipe()
		must(t, err)
		must(t, cmd.Start())
		tooLate := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
		said := false
		for lines := bufio.NewScanner(errors); !said && lines.Scan(); {
			said = strings.Contains(lines.Text(), tc.says)
		}
		if !said || !tooLate.Stop() {
			t.Errorf("%q: it does not say %s", tc.env, tc.says)
		} else if got := hasNoNewPrivs(t, cmd.Process.Pid); got != tc.confined {
			t.Errorf("%q: confined %t", tc.env, got)
		}
		cmd.Process.Kill()
		cmd.Wait() // returns that it was killed
	}
}

// The pages of emend ui are confined, and all of them can be read and used.
func TestUIUnderLandlock(t *testing.T) {
	if wall.Version() == 0 {
		t.Skip("NOT RUN: this kernel has no Landlock, or one before version 2")
	}
	for _, setup := range landlockTrees {
		t.Run(setup.name, func(t *testing.T) {
			top := t.TempDir()
			must(t, os.Mkdir(filepath.Join(top, "stores"), 0o755))
			root, args := setup.make(t, top), []string(nil)
			if setup.flags != nil {
				args = setup.flags(top)
			}
			must(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\n"), 0o644))
			p := startUI(t, root, t.TempDir(), append([]string{"--no-open"}, args...)...)
			_, cookies := signIn(t, p.address, p.token) // by now it has entered
			if !hasNoNewPrivs(t, p.cmd.Process.Pid) {
				t.Fatal("emend ui is not behind its wall")
			}
			at := p.address + cookies[0].Path + "default/"
			for _, path := range []string{"", "sessions", "waiting", "trash", "health?verify=1"} {
				if code, page := getPage(t, at+path, cookies); code != 200 {
					t.Errorf("%q: %d %s", path, code, page)
				}
			}
			edit := command(t, root, append(args, "apply")...)
			edit.Stdin = strings.NewReader("*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n")
			if out, err := edit.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if _, page := getPage(t, at, cookies); !strings.Contains(page, "a.txt") {
				t.Errorf("the timeline has no change: %s", page)
			}
			if code, page := getPage(t, at+"file?path=a.txt", cookies); code != 200 || !strings.Contains(page, "Before the first change") {
				t.Errorf("the file: %d %s", code, page)
			}
		})
	}
}

// call makes a call that must succeed, and returns its text and data.
func (c *confinedServer) call(tool string, args map[string]any) (text string, data map[string]any) {
	c.Helper()
	r, err := c.cs.CallTool(c.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	must(c.T, err)
	text = r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		c.Fatalf("%s %v: %s", tool, args, text)
	}
	b, _ := json.Marshal(r.StructuredContent)
	var o struct{ Data map[string]any }
	json.Unmarshal(b, &o) //nolint:errcheck // some results have no object
	return text, o.Data
}

func (c *confinedServer) callEveryTool() {
	_, made := c.call("create_file", map[string]any{"path": "new/dir/a.txt", "content": "one\n", "createParentDirectories": true})
	if err := unix.Setxattr(filepath.Join(c.root, "new/dir/a.txt"), "user.test", []byte("kept"), 0); err != nil {
		c.Logf("NOT RUN: a file with attributes: %v", err)
	}
	_, edited := c.call("edit_file", map[string]any{"path": "new/dir/a.txt", "expectedSha256": made["sha256"], "edits": []any{map[string]any{"oldText": "one", "newText": "two"}}})
	_, written := c.call("write_file", map[string]any{"path": "new/dir/a.txt", "expectedSha256": edited["afterSha256"], "content": "three\n"})
	c.call("move_file", map[string]any{"fromPath": "new/dir/a.txt", "toPath": "other/b.txt", "expectedSha256": written["afterSha256"], "createParentDirectories": true})
	c.call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: other/b.txt\n@@\n-three\n+four\n*** Add File: other/d.txt\n+new\n*** End Patch\n"})
	c.call("undo", map[string]any{})
	_, deleted := c.call("delete_file", map[string]any{"path": "other/b.txt"})
	c.call("restore_file", map[string]any{"trashedPath": deleted["trashedTo"]})
	c.call("create_file", map[string]any{"path": "ignored", "content": "three\n"})
	if text, _ := c.call("read_file", map[string]any{"path": "other/b.txt"}); !strings.HasSuffix(text, "three\n") {
		c.Errorf("read: %s", text)
	}
	list, _ := c.call("list_directory", map[string]any{"path": "."})
	found, _ := c.call("search_files", map[string]any{"query": "three", "mode": "text"})
	globbed, _ := c.call("glob", map[string]any{"pattern": "**/*.txt"})
	history, _ := c.call("history", map[string]any{})
	for text, want := range map[string]string{list: "other", found: "other/b.txt", globbed: "other/b.txt", history: "restore_file"} {
		if !strings.Contains(text, want) {
			c.Errorf("no %q in: %s", want, text)
		}
	}
	if ignoring := strings.Contains(c.Name(), "below"); ignoring && strings.Contains(found, "ignored") {
		c.Errorf("the rules above the root are not read: %s", found)
	}
	value := make([]byte, 8)
	if n, err := unix.Getxattr(filepath.Join(c.root, "other/b.txt"), "user.test", value); err == nil && string(value[:n]) != "kept" {
		c.Errorf("the attribute: %q", value[:n])
	}
}

// hasNoNewPrivs reports whether a process has given up new privileges. Only confining itself makes the server do that.
func hasNoNewPrivs(t *testing.T, pid int) bool {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	return strings.Contains(string(b), "NoNewPrivs:\t1")
}
