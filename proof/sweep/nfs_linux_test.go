package sweep

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNFS runs on a directory that this machine serves to itself. Without --unsafe-fs nothing may be changed there.
func TestNFS(t *testing.T) {
	prog := newProgram(t, "")
	if !inNamespaces(t, prog, unix.CLONE_NEWNS|unix.CLONE_NEWNET) {
		return
	}
	served := volume{name: "ext4 for nfs", kind: "ext4", mkfs: []string{"mkfs.ext4", "-q", "-F"}}.mount(t)
	dir := t.TempDir()
	serveNFS(t, served)
	out, err := exec.Command("mount", "-t", "nfs4", "-o", "vers=4.2,soft,timeo=100", "127.0.0.1:/", dir).CombinedOutput()
	if err != nil {
		t.Skipf("T2 NOT RUN: nfs: mount: %v: %s", err, oneLine(out))
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH|unix.MNT_FORCE) })
	refusedWithout(t, prog, dir)
	prog.flags = []string{"--unsafe-fs"}
	onVolume(t, prog, volume{name: "nfs with --unsafe-fs"}, dir)
}

// serveNFS serves a directory until the test ends.
func serveNFS(t *testing.T, dir string) {
	t.Helper()
	out, err := exec.Command("sh", "testdata/nfs.sh", dir).CombinedOutput()
	t.Cleanup(func() { exec.Command("rpc.nfsd", "0").Run() })
	if err != nil {
		t.Skipf("T2 NOT RUN: nfs: %v: %s", err, oneLine(out))
	}
	daemon := exec.Command("rpc.mountd", "-F", "-N", "2", "-N", "3")
	if err := daemon.Start(); err != nil {
		t.Skipf("T2 NOT RUN: nfs: %v", err)
	}
	t.Cleanup(func() {
		daemon.Process.Kill()
		daemon.Wait()
	})
}

func oneLine(out []byte) string { return strings.Join(strings.Fields(string(out)), " ") }

// refusedWithout checks that emend refuses to write to a network file system of its own accord, and says how a person can have it.
func refusedWithout(t *testing.T, prog program, dir string) {
	t.Helper()
	w := workloads(t, "first")[0]
	ws := filepath.Join(dir, "ws")
	defer os.RemoveAll(ws)
	if err := w.copy(ws, prog); err != nil {
		t.Fatal(err)
	}
	r := prog.result(ws, w.apply()...)
	got, err := w.read(ws)
	if d := difference(got, w.before()); r.Exit != 1 || !strings.Contains(r.ErrText, "--unsafe-fs") || d != "" || err != nil {
		t.Errorf("without --unsafe-fs: exit %d: %s%s: %s, %v", r.Exit, r.Out, r.ErrText, d, err)
	}
	t.Logf("T2: nfs without --unsafe-fs: refused, nothing changed")
}
