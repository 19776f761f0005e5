//go:build linux && (amd64 || arm64)

package overlay

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func runOutside(dir, script string) (string, error) {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestMoved: a person works on the tree while the command does. What the command also changed is found, whatever the person did; what
// it did not is no matter.
func TestMoved(t *testing.T) {
	files := map[string]string{"a": "1", "b": "1", "d/a": "1", "d/b": "1", "d/e/f": "1", "spare/a": "9", "spare/b": "9", "dead/x": "1"}
	const command = "echo 2 > a; echo 2 >> d/a; rm -r dead; echo new > d/new; mkdir fresh; echo 1 > fresh/x; echo 2 > d/e/f"
	for name, tc := range map[string]struct{ person, want string }{
		"nothing":                         {"true", ""},
		"another file, in place":          {"echo 3 > b; echo 3 >> d/b", ""},
		"another file, atomically":        {"echo 3 > t; mv t b; echo 3 > d/t; mv d/t d/b", ""},
		"other names in a directory":      {"echo 3 > d/other; rm d/b; mkdir d/e/g", ""},
		"in place":                        {"echo 3 >> a", "a"},
		"atomically":                      {"echo 3 > t; mv t a", "a"},
		"touched":                         {"touch d/a", "d/a"},
		"time set back":                   {"echo 3 > a; touch -d 2001-01-01 a", "a"},
		"an old file moved in":            {"mv spare/a a", "a"},
		"removed":                         {"rm d/a", "d/a"},
		"renamed":                         {"mv d/a d/z", "d/a"},
		"made too":                        {"echo 3 > d/new", "d/new"},
		"directory made too":              {"mkdir fresh", "fresh"},
		"directory made with a file":      {"mkdir fresh; echo 3 > fresh/y", "fresh"},
		"a file where a directory is new": {"echo 3 > fresh", "fresh"},
		"new in what was deleted":         {"echo 3 > dead/y", "dead"},
		"saved in what was deleted":       {"echo 3 > dead/x", "dead/x"},
		"deleted too":                     {"rm -r dead", ""},
		"directory replaced":              {"mv d old; mv spare d", "d"},
		"directory removed":               {"rm -r d", "d"},
		"directory by a link":             {"mv d old; ln -s old d", "d"},
		"directory by a file":             {"rm -r d; echo 3 > d", "d"},
		"directory moved and back":        {"mv d old; mv old d", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, files)
			r, w := pipe(t)
			in, ready := pipe(t)
			o := options(t, root, command+"; echo ready; read x")
			o.Stdin, o.Stdout = in, w
			go func() {
				bufio.NewReader(r).ReadString('\n')
				out, err := runOutside(root, tc.person)
				if err != nil {
					t.Errorf("%v: %s", err, out)
				}
				ready.WriteString("go\n")
			}()
			l := runIn(t, o)
			list, err := l.Changes()
			must(t, err)
			moved, err := l.Moved(list)
			must(t, err)
			var got []string
			for _, m := range moved {
				got = append(got, m.Path)
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("moved %v, want %q; changes:\n%s", moved, tc.want, lines(list))
			}
		})
	}
}

// TestSavedBefore: saves right before the run are no conflict, and saves right after the start are never missed.
func TestSavedBefore(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	a := filepath.Join(root, "a")
	for i := range 30 {
		must(t, os.WriteFile(a, []byte("x"), 0o644))
		l, _ := sh(t, root, "echo 2 > a")
		list, err := l.Changes()
		must(t, err)
		moved, err := l.Moved(list)
		must(t, err)
		if len(moved) > 0 {
			t.Fatalf("run %d: %v", i, moved)
		}
		must(t, os.WriteFile(a, []byte("y"), 0o644))
		if list, err = l.Changes(); err != nil {
			t.Fatal(err)
		}
		if moved, err = l.Moved(list); err != nil || len(moved) != 1 {
			t.Fatalf("run %d: %v, %v", i, moved, err)
		}
	}
}

// TestSavedAfterChanges: somebody saves after Changes has looked.
func TestSavedAfterChanges(t *testing.T) {
	root := tree(t, map[string]string{"a": "1", "b": "1"})
	l, _ := sh(t, root, "echo 2 > a; rm b; echo 3 > c")
	list, err := l.Changes()
	must(t, err)
	if out, err := runOutside(root, "echo 4 > c; rm a; echo 5 > b"); err != nil {
		t.Fatal(out)
	}
	moved, err := l.Moved(list)
	must(t, err)
	if len(moved) != 3 {
		t.Error(moved)
	}
}

// TestClockSetBack: times prove nothing then.
func TestClockSetBack(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	l, _ := sh(t, root, "echo 2 > a")
	list, err := l.Changes()
	must(t, err)
	l.Clock += 1e9
	moved, err := l.Moved(list)
	must(t, err)
	if len(moved) != 1 || !strings.Contains(moved[0].Why, "clock") {
		t.Error(moved)
	}
}

// TestRootReplaced: the layer is not for another directory at the same path.
func TestRootReplaced(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	l, _ := sh(t, root, "echo 2 > a")
	list, err := l.Changes()
	must(t, err)
	must(t, os.Rename(root, root+".old"))
	must(t, os.Mkdir(root, 0o755))
	moved, err := l.Moved(list)
	must(t, err)
	if len(moved) != 1 || moved[0].Path != "." {
		t.Error(moved)
	}
}

// TestSavesMeanwhile: a person saves a file again and again while commands append to it. If nothing is said to have moved, the layer has
// the file as it is now, with what was appended: never a stale text.
func TestSavesMeanwhile(t *testing.T) {
	for name, save := range map[string]func(path, text string) error{
		"in place": func(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) },
		"atomically": func(path, text string) error {
			return errors.Join(os.WriteFile(path+".new", []byte(text), 0o644), os.Rename(path+".new", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"a": "0\n"})
			a := filepath.Join(root, "a")
			stop, stopped := make(chan bool), make(chan int)
			var saving sync.Mutex // held during a save, as its file is open for writing
			go func() {
				random := rand.New(rand.NewPCG(1, 2))
				for i := 1; ; i++ {
					select {
					case <-stop:
						stopped <- i
						return
					case <-time.After(time.Duration(random.IntN(120)) * time.Millisecond):
						saving.Lock()
						if err := save(a, fmt.Sprintln(i)); err != nil {
							t.Error(err)
						}
						saving.Unlock()
					}
				}
			}()
			clean, refused := 0, 0
			for range 60 {
				l, _ := sh(t, root, "cat a >/dev/null; echo more >> a")
				list, err := l.Changes()
				must(t, err)
				saving.Lock()
				now, err := os.ReadFile(a)
				must(t, err)
				moved, err := l.Moved(list)
				must(t, err)
				saving.Unlock()
				if len(moved) > 0 {
					refused++
					continue
				}
				clean++
				if data, err := os.ReadFile(filepath.Join(l.upper(), "a")); err != nil || string(data) != string(now)+"more\n" {
					t.Errorf("nothing moved, and the layer has %q on top of %q", data, now)
				}
			}
			close(stop)
			t.Logf("%d saves, %d runs clean, %d refused", <-stopped, clean, refused)
		})
	}
}
