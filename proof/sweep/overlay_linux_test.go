package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOverlay runs in a tree whose files all come from the lower layer, as in a container.
func TestOverlay(t *testing.T) {
	prog := newProgram(t, "")
	if !inNamespace(t, prog) {
		return
	}
	layers := mount(t, "tmpfs", "size=64m")
	var c count
	for _, w := range workloads(t) {
		tryOverlay(t, prog, w, filepath.Join(layers, w.name), &c)
	}
	t.Logf("T2: overlayfs: %s", &c)
}

// tryOverlay makes one trial on an overlay whose layers are in top.
func tryOverlay(t *testing.T, prog program, w *workload, top string, c *count) {
	t.Helper()
	lower, upper, work := filepath.Join(top, "lower"), filepath.Join(top, "upper"), filepath.Join(top, "work")
	bare := *w
	bare.fresh = true
	err := errors.Join(os.MkdirAll(upper, 0o755), os.Mkdir(work, 0o755), bare.copy(filepath.Join(lower, "ws"), prog))
	was, rerr := read(lower)
	if err := errors.Join(err, rerr); err != nil {
		t.Fatal(err)
	}
	merged := mount(t, "overlay", fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s%s", lower, upper, work, userXattrOption()))
	tr := &trial{point: point{w: w, name: w.name + "/overlay"}, prog: prog, dir: filepath.Join(merged, "ws")}
	if !w.fresh {
		if err := w.begin(tr.dir, prog); err != nil {
			t.Fatal(err)
		}
	}
	r := prog.result(tr.dir, w.apply()...)
	c.add(r.Exit)
	tr.report(t, r)
	if r.Exit != 0 {
		t.Errorf("%s: exit %d: %s", tr.name, r.Exit, r.ErrText)
	}
	is, err := read(lower)
	if d := difference(is, was); d != "" || err != nil {
		t.Errorf("%s: the lower layer: %s, %v", tr.name, d, err)
	}
}

// userXattrOption returns the mount option with which an overlay in a user namespace stores its marks in attributes that users may set.
func userXattrOption() string {
	b, err := os.ReadFile("/proc/self/uid_map")
	if err == nil && len(strings.Fields(string(b))) == 3 && strings.Fields(string(b))[2] == "1" {
		return ",userxattr"
	}
	return ""
}
