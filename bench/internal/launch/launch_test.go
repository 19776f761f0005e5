package launch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// role makes the test's own program act as the launcher, or as the program that it starts.
const role = "EMEND_LAUNCH_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "launcher":
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "child":
		fmt.Println("printed", strings.Join(os.Args[1:], " "))
		fmt.Fprintln(os.Stderr, "said")
		os.Exit(3)
	case "sleeper":
		time.Sleep(time.Minute)
	default:
		os.Exit(m.Run())
	}
}

func launcher(t *testing.T) *Launcher {
	t.Helper()
	t.Setenv(role, "launcher")
	l, err := Start(context.Background(), self(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.End(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func order(t *testing.T, as string) Order {
	dir := t.TempDir()
	return Order{Path: self(t), Args: []string{"child", "one", "two"}, Dir: dir, Env: append(os.Environ(), role+"="+as),
		Stdout: filepath.Join(dir, "out"), Stderr: filepath.Join(dir, "err")}
}

// TestRun checks that output goes to the files, and that the exit code and the program's own memory are reported.
func TestRun(t *testing.T) {
	large := make([]byte, 256<<20)
	for i := range large {
		large[i] = 1
	}
	o := order(t, "child")
	d, err := launcher(t).Run(o)
	runtime.KeepAlive(large)
	if err != nil || d.Exit != 3 || d.Took <= 0 || d.Slow {
		t.Fatalf("%+v, %v", d, err)
	}
	for name, want := range map[string]string{o.Stdout: "printed one two\n", o.Stderr: "said\n"} {
		if text, err := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("%q, %v, want %q", text, err, want)
		}
	}
	if d.Peak > 128<<20 || d.Peak == 0 && runtime.GOOS == "linux" {
		t.Errorf("the program's memory is said to be %d MiB", d.Peak>>20)
	}
}

// TestLimit checks that a program is killed at its limit, and that this is reported.
func TestLimit(t *testing.T) {
	o := order(t, "sleeper")
	o.Limit = 50 * time.Millisecond
	if d, err := launcher(t).Run(o); err != nil || !d.Slow || d.Took > 30*time.Second {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestNoProgram checks that a missing program is an error, and that the launcher continues.
func TestNoProgram(t *testing.T) {
	l, o := launcher(t), order(t, "child")
	path := o.Path
	o.Path += "-not"
	if d, err := l.Run(o); err == nil {
		t.Errorf("%+v", d)
	}
	o.Path = path
	if d, err := l.Run(o); err != nil || d.Exit != 3 {
		t.Errorf("%+v, %v", d, err)
	}
}
