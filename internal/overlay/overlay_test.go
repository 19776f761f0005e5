//go:build linux && (amd64 || arm64)

package overlay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asUser is the user as whom the tests run a second time if root runs them.
const asUser = 1500

func TestMain(m *testing.M) {
	Supervise()
	if dir := os.Getenv("EMEND_TEST_CALLER"); dir != "" {
		os.Exit(callerThatDies(dir))
	}
	unix.Umask(0o022)
	os.Exit(m.Run())
}

// TestAsUser runs the other tests as an ordinary user, which is how most people run emend.
func TestAsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: already an ordinary user")
	}
	dir, err := os.MkdirTemp("/tmp", "emend-overlay-user-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	must(t, os.Chmod(dir, 0o755))
	exe, err := os.Executable()
	must(t, err)
	data, err := os.ReadFile(exe)
	must(t, err)
	binary := filepath.Join(dir, "overlay.test")
	must(t, os.WriteFile(binary, data, 0o755))
	home := filepath.Join(dir, "home")
	must(t, os.Mkdir(home, 0o755))
	must(t, os.Chown(home, asUser, asUser))
	foreign := filepath.Join(dir, "foreign")
	fill(t, foreign, map[string]string{"d/of-root": "1"})
	must(t, os.Chown(foreign, asUser, asUser))
	must(t, os.Chown(filepath.Join(foreign, "d"), asUser, asUser))
	args := []string{"-test.v", "-test.timeout=5m"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home, "EMEND_TEST_FOREIGN="+foreign)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: asUser, Gid: asUser, Groups: []uint32{}}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("NOT RUN: the system does not let root be another user:", err)
	}
	var said strings.Builder
	for line := range strings.Lines(string(out)) {
		if s := strings.TrimSpace(line); !strings.HasPrefix(s, "=== ") && !strings.HasPrefix(s, "--- PASS") {
			said.WriteString(line)
		}
	}
	if err != nil {
		t.Fatalf("as user %d: %v\n%s", asUser, err, said.String())
	}
	t.Logf("as user %d:\n%s", asUser, said.String())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tree makes a directory with files, by path. A path that ends in a slash is a directory, a content "-> x" a link.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "tree, with: odd \\ name")
	must(t, os.Mkdir(root, 0o755))
	fill(t, root, files)
	return root
}

func fill(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			must(t, os.Symlink(target, path))
		} else if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
		} else {
			must(t, os.WriteFile(path, []byte(content), 0o644))
		}
	}
}

// options runs a shell command in root.
func options(t testing.TB, root, script string) Options {
	t.Helper()
	return Options{Root: root, Dir: filepath.Join(t.TempDir(), "layer"), Args: []string{"sh", "-c", script}, Env: os.Environ(),
		Grace: 50 * time.Millisecond, EndGrace: time.Second, OwnerSearch: time.Minute}
}

// runIn runs the command and returns its layer. Where the system has no overlays the test is not run.
func runIn(t testing.TB, o Options) *Layer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return runWith(t, ctx, o)
}

func runWith(t testing.TB, ctx context.Context, o Options) *Layer {
	t.Helper()
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	l, err := Run(ctx, o)
	if u, ok := errors.AsType[*Unsupported](err); ok {
		t.Skip("NOT RUN:", u)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Discard(); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	return l
}

// sh runs a script in root, which must succeed, and returns the changes as lines.
func sh(t testing.TB, root, script string) (*Layer, string) {
	t.Helper()
	l := runIn(t, options(t, root, "set -e\n"+script))
	if l.Exit != 0 || !l.Sealed {
		t.Fatalf("exit %d, sealed %v, %s", l.Exit, l.Sealed, l.NotStarted)
	}
	return l, changes(t, l)
}

func changes(t testing.TB, l *Layer) string {
	t.Helper()
	list, err := l.Changes()
	must(t, err)
	return lines(list)
}

// lines prints changes: the kind, what was there (+ nothing, ~ something), the path.
func lines(list []Change) string {
	var b strings.Builder
	for _, c := range list {
		was := "~"
		if c.Old == nil {
			was = "+"
		}
		if c.Kind == Deleted {
			was = "-"
		}
		fmt.Fprintf(&b, "%s %s %s", was, c.Kind, c.Path)
		if c.Whole {
			b.WriteString(" whole")
		}
		if c.SameContent {
			b.WriteString(" same")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func want(t testing.TB, got, wanted string) {
	t.Helper()
	var clean strings.Builder
	for line := range strings.Lines(wanted) {
		if s := strings.TrimSpace(line); s != "" {
			clean.WriteString(s + "\n")
		}
	}
	if got != clean.String() {
		t.Errorf("changes:\n%swant:\n%s", got, clean.String())
	}
}

// state lists a real tree with contents, modes and links.
func state(t testing.TB, root string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		must(t, err)
		fmt.Fprintf(&b, "%s %v", strings.TrimPrefix(p, root), info.Mode())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			must(t, err)
			fmt.Fprintf(&b, " %q", data)
		case info.Mode()&os.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			b.WriteString(" " + to)
		}
		b.WriteByte('\n')
		return nil
	}))
	return b.String()
}

func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("NOT RUN: there is no %s", program)
	}
}

// pipe returns the two ends of a pipe.
func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// output runs the command with its output in a file and returns it.
func output(t testing.TB, o Options) (*Layer, string) {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "out")
	must(t, err)
	defer f.Close()
	o.Stdout = f
	l := runIn(t, o)
	_, err = f.Seek(0, io.SeekStart)
	must(t, err)
	data, err := io.ReadAll(f)
	must(t, err)
	return l, string(data)
}
