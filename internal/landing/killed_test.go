//go:build linux && (amd64 || arm64)

package landing_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
)

// inOtherProcess starts a process that runs a script over a layer.
func (w *world) inOtherProcess(script string) *exec.Cmd {
	w.t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "EMEND_TEST_RUN_IN="+w.dir, "EMEND_TEST_SCRIPT="+script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(w.t, cmd.Start())
	w.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

// until asks again and again, for a minute at most.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came to pass: " + what)
		}
	}
}

// TestKilledInTheRun checks that the layer of a run that is alive is neither listed nor removed, and that of a dead run is both.
func TestKilledInTheRun(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n"})
	w.lands("true") // or there are no layers here
	here := filepath.Join(t.TempDir(), "here")
	must(t, syscall.Mkfifo(here, 0o600))
	cmd := w.inOtherProcess(fmt.Sprintf("echo 2 > a; echo > '%s'; sleep 300", here))
	if _, err := os.ReadFile(here); err != nil {
		t.Fatal(err)
	}
	if kept := w.layers(); len(kept) > 0 {
		t.Errorf("a layer that is in use is listed: %+v", kept)
	}
	_, err := w.ws.Host().ShowLayer(t.Context(), "2")
	w.isRefused(err, "is in use")
	w.isRefused(w.ws.Host().DiscardLayer(t.Context(), "2"), "is in use")
	must(t, cmd.Process.Kill())
	cmd.Wait()
	var kept []api.KeptLayer
	until(t, "the layer of a dead run is listed", func() bool { kept = w.layers(); return len(kept) > 0 })
	if !strings.Contains(kept[0].Why, "interrupted") || len(kept[0].Command) == 0 {
		t.Errorf("kept = %+v", kept)
	}
	w.has("a", "a\n")
	_, err = w.ws.Host().LandLayer(t.Context(), kept[0].Name)
	w.isRefused(err, "interrupted")
	w.has("a", "a\n")
	w.discard(kept[0].Name)
}

// TestKilledBeforeTheRun checks that what is left of a run that never began is listed and can be removed.
func TestKilledBeforeTheRun(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n"})
	w.lands("true")
	must(t, os.MkdirAll(filepath.Join(w.store(), "runs/20261123-000000-x/upper"), 0o700))
	kept := w.layers()
	if len(kept) != 1 || !strings.Contains(kept[0].Why, "before the command began") {
		t.Fatalf("kept = %+v", kept)
	}
	_, err := w.ws.Host().LandLayer(t.Context(), kept[0].Name)
	w.isRefused(err, "before the command began")
	w.discard(kept[0].Name)
}

// TestKilledInTheLanding kills emend at many moments of a landing: the tree is old or new, and what is left of the layer lands entirely
// or is removed.
func TestKilledInTheLanding(t *testing.T) {
	const files = 1000
	script := fmt.Sprintf("echo 2 > a; rm b; mkdir -p n/e; chmod 711 n/e; i=0; while [ $i -lt %d ]; do echo $i > n/$i; i=$((i+1)); done", files)
	for name, reached := range map[string]func(w *world, grown bool) bool{
		"staging":      func(w *world, _ bool) bool { return w.slots() > 0 },
		"half staged":  func(w *world, _ bool) bool { return w.slots() > files/2 },
		"staged":       func(w *world, _ bool) bool { return w.slots() > files },
		"decided":      func(_ *world, grown bool) bool { return grown },
		"applying":     func(w *world, _ bool) bool { return w.exists("n/0") },
		"half applied": func(w *world, _ bool) bool { return w.exists(fmt.Sprint("n/", files/2)) },
		"last applied": func(w *world, _ bool) bool { return !w.exists("b") },
		"directories":  func(w *world, _ bool) bool { return w.exists("n/e") },
		"removes a layer": func(w *world, _ bool) bool {
			g, _ := filepath.Glob(filepath.Join(w.store(), "runs/*/gone"))
			return len(g) > 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "half staged" && name != "half applied" {
				t.Skip("NOT RUN: two of the moments are enough for a short run")
			}
			w := newWorld(t, map[string]string{"a": "a\n", "b": "b\n"})
			w.lands("true")
			old, size := w.tree(), w.logSize()
			cmd := w.inOtherProcess(script)
			over := make(chan struct{})
			go func() { cmd.Wait(); close(over) }()
			until(t, name+", or all is over", func() bool {
				select {
				case <-over:
					return true
				default:
					return reached(w, w.logSize() > size)
				}
			})
			cmd.Process.Kill()
			<-over
			w.ws.Close()
			w = openWorld(t, w.dir)
			if _, err := w.ws.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			is := w.tree()
			_, landed := is["n/0"]
			switch {
			case !landed && diff(old, is) != "":
				t.Fatalf("neither old nor new:\n%.500s", diff(old, is))
			case landed:
				w.isNew(files)
			}
			t.Logf("landed: %t", landed)
			var kept []api.KeptLayer
			until(t, "the layer is listed or gone", func() bool {
				kept = w.layers()
				left, _ := os.ReadDir(filepath.Join(w.store(), "runs"))
				return len(kept) == len(left)
			})
			for _, k := range kept {
				if landed && !strings.Contains(k.Why, "it landed as") {
					t.Errorf("kept = %+v", k)
				}
				if _, err := w.ws.Host().LandLayer(t.Context(), k.Name); err != nil {
					// A landing that was taken back gave files a new time of change, as if somebody had saved them.
					takenBack := !landed && strings.Contains(err.Error(), "changed it while the command ran")
					if !takenBack && !strings.Contains(k.Why, "interrupted") {
						t.Error(err)
					}
					w.discard(k.Name)
					return
				}
				w.isNew(files)
			}
			w.noLayers()
		})
	}
}

func (w *world) slots() int {
	in, _ := os.ReadDir(filepath.Join(w.store(), "slots"))
	return len(in)
}

func (w *world) logSize() (n int64) {
	all, _ := filepath.Glob(filepath.Join(w.store(), "log/*.jsonl"))
	for _, p := range all {
		if info, err := os.Stat(p); err == nil {
			n += info.Size()
		}
	}
	return n
}

func (w *world) exists(name string) bool {
	_, err := os.Lstat(w.path(name))
	return err == nil
}

// isNew checks that all that the script of TestKilledInTheLanding does was done.
func (w *world) isNew(files int) {
	w.t.Helper()
	w.has("a", "2\n")
	w.hasNot("b")
	if is, err := os.Stat(w.path("n/e")); err != nil || is.Mode().Perm() != 0o711 {
		w.t.Errorf("the empty directory: %v, %v", is, err)
	}
	for i := range files {
		w.has(fmt.Sprint("n/", i), fmt.Sprintln(i))
	}
}
