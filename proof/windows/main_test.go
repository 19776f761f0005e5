package windows

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/front/cli"
)

// roleVar makes this test binary act as another program: emend itself, or a writer.
const roleVar = "EMEND_WINDOWS_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "emend":
		emend.Supervise()
		os.Exit(cli.Main())
	case "writer":
		os.Exit(writerMain())
	}
	os.Exit(m.Run())
}

// place is a workspace of the program, with a directory beside it for what is no file of it.
type place struct {
	t         *testing.T
	dir, home string
}

// newPlace makes a workspace with files.
func newPlace(t *testing.T, files map[string]string) *place {
	t.Helper()
	switch {
	case runtime.GOOS != "windows" && os.Getenv("EMEND_WINDOWS_ANYWHERE") == "":
		t.Skip("NOT RUN: it is about Windows")
	case !commit.Supported:
		t.Skip("NOT RUN: this version writes nothing on " + runtime.GOOS)
	}
	top := t.TempDir()
	p := &place{t, filepath.Join(top, "ws"), filepath.Join(top, "home")}
	must(t, errors.Join(os.MkdirAll(filepath.Join(p.dir, ".emend"), 0o700), os.Mkdir(p.home, 0o700)))
	for name, text := range files {
		p.put(name, text)
	}
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p *place) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *place) put(name, text string) {
	p.t.Helper()
	must(p.t, errors.Join(os.MkdirAll(filepath.Dir(p.path(name)), 0o755), os.WriteFile(p.path(name), []byte(text), 0o644)))
}

// aside writes a file that is not in the workspace and returns its path.
func (p *place) aside(name, text string) string {
	p.t.Helper()
	name = filepath.Join(p.home, name)
	must(p.t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// command returns a command of the program in the workspace.
func (p *place) command(ctx context.Context, args ...string) *exec.Cmd {
	exe, err := os.Executable()
	must(p.t, err)
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), roleVar+"=emend", "NO_COLOR=1", "HOME="+p.home, "USERPROFILE="+p.home, "AppData="+p.home, "XDG_CONFIG_HOME="+p.home)
	return cmd
}

// said is the output of the program, and its exit code.
type said struct {
	out  string
	code int
}

// run runs the program. A minute is far more than it needs.
func (p *place) run(args ...string) said {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	cmd := p.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return said{out.String(), cmd.ProcessState.ExitCode()}
}

// do runs the program, which must succeed.
func (p *place) do(args ...string) string {
	p.t.Helper()
	got := p.run(args...)
	if got.code != 0 {
		p.t.Fatalf("emend %s: exit code %d\n%s", strings.Join(args, " "), got.code, got.out)
	}
	return got.out
}

// tree returns the files of the workspace and their contents; a directory has none.
func (p *place) tree() map[string]string {
	p.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.dir, path)
		if err != nil || rel == "." {
			return err
		}
		if d.IsDir() && (d.Name() == ".emend" || rel == filepath.Join(".git", "emend")) {
			return filepath.SkipDir
		}
		text := "(a directory)"
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		}
		all[filepath.ToSlash(rel)] = text
		return nil
	})
	must(p.t, err)
	return all
}

// differ lists the names in which two trees differ.
func differ(a, b map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if text, ok := b[name]; !ok || text != a[name] {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// number returns the value of an environment variable, or def.
func number(t *testing.T, name string, def int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return def
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
