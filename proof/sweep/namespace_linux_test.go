package sweep

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// namespaceVar tells a test that it runs in a mount namespace of its own. It may mount anything: all of it is gone when the
// process ends.
const namespaceVar = "EMEND_SWEEP_INSIDE"

// inNamespace reports whether the test runs in its own namespace. If not, it has run the test again in one.
func inNamespace(t *testing.T, prog program) bool {
	t.Helper()
	return inNamespaces(t, prog, unix.CLONE_NEWNS)
}

// inNamespaces does the same with further namespaces.
func inNamespaces(t *testing.T, prog program, kinds uintptr) bool {
	t.Helper()
	if os.Getenv(namespaceVar) != "" {
		return true
	}
	var why error
	for _, attr := range namespaces(kinds) {
		out, err := again(t, prog, attr)
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			why = errors.Join(why, err)
			continue
		}
		logOutput(t, out, err)
		return false
	}
	t.Skipf("T2 NOT RUN: no mount namespace of its own: %v", why)
	return false
}

// namespaces returns ways to create one: as root, and as a user where user namespaces are allowed.
func namespaces(kinds uintptr) []*syscall.SysProcAttr {
	me := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
	}
	return []*syscall.SysProcAttr{
		{Unshareflags: kinds},
		{Cloneflags: unix.CLONE_NEWUSER, Unshareflags: kinds, UidMappings: me(os.Getuid()), GidMappings: me(os.Getgid())},
	}
}

func again(t *testing.T, prog program, attr *syscall.SysProcAttr) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=0")
	cmd.Env = append(os.Environ(), namespaceVar+"=1", "EMEND_SWEEP_EMEND="+prog.path)
	attr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// logOutput logs the output of the test in its namespace.
func logOutput(t *testing.T, out string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("in a mount namespace: %v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		if _, words, ok := strings.Cut(line, "T2: "); ok {
			t.Log("T2: " + strings.TrimSpace(words))
		}
		if _, words, ok := strings.Cut(line, "T2 NOT RUN: "); ok {
			t.Log("T2 NOT RUN: " + strings.TrimSpace(words))
		}
	}
	if strings.Contains(out, "\n--- SKIP: "+t.Name()) {
		t.SkipNow()
	}
	if !strings.Contains(out, "--- PASS: "+t.Name()) {
		t.Fatalf("in a mount namespace nothing ran:\n%s", out)
	}
}

// openDir makes a directory that everybody can reach.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for up := dir; up != filepath.Dir(os.TempDir()) && up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		os.Chmod(up, 0o755)
	}
	return dir
}

// mount mounts a file system on a new directory that everybody can reach, and returns the directory.
func mount(t *testing.T, kind, options string) string {
	t.Helper()
	dir := openDir(t)
	if err := unix.Mount("none", dir, kind, 0, options); err != nil {
		t.Skipf("T2 NOT RUN: mount %s %s: %v", kind, options, err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// remount changes the options of a mount.
func remount(dir string, flags uintptr, options string) error {
	if err := unix.Mount("none", dir, "", unix.MS_REMOUNT|flags, options); err != nil {
		return fmt.Errorf("remount %s: %w", options, err)
	}
	return nil
}

// count is the number of trials on real file systems by their end.
type count struct {
	done, refused, undecided int
}

func (c *count) add(exit int) {
	switch exit {
	case 0:
		c.done++
	case 1:
		c.refused++
	case 3:
		c.undecided++
	}
}

func (c *count) String() string {
	return fmt.Sprintf("%d done, %d refused, %d undecided and then recovered", c.done, c.refused, c.undecided)
}

// realTrial is an untraced trial with a real obstacle.
type realTrial struct {
	w      *workload
	what   string
	prog   program                       // without the obstacle
	as     program                       // with the obstacle
	dir    string                        // where the workspace is created
	around func(ws string) (ease func()) // puts the obstacle in place, and returns what removes it; or nil
}

// try makes the trial and counts how it ended.
func (c *count) try(t *testing.T, b realTrial) Result {
	t.Helper()
	tr := &trial{point: point{w: b.w, name: b.w.name + "/" + b.what}, prog: b.prog, dir: filepath.Join(b.dir, "ws")}
	if err := b.w.copy(tr.dir, b.prog); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tr.dir)
	if b.around != nil {
		tr.ease = b.around(tr.dir)
		defer tr.relieve()
	}
	r := b.as.result(tr.dir, b.w.apply()...)
	c.add(r.Exit)
	tr.report(t, r)
	if setting("ONLY", "") != "" {
		t.Logf("%s: exit %d: %s%s", tr.name, r.Exit, r.Out, r.ErrText)
	}
	return r
}

// report judges the end of the program.
func (t *trial) report(tt *testing.T, r Result) {
	tt.Helper()
	if err := t.judge(r); err != nil {
		tt.Errorf("%s: %v", t.name, err)
	}
	for _, wrong := range t.wrong {
		tt.Errorf("%s: exit %d: %s", t.name, r.Exit, wrong)
	}
}
