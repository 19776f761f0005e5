//go:build linux && (amd64 || arm64)

package landing_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/overlay"
)

func TestMain(m *testing.M) {
	overlay.Supervise()
	syscall.Umask(0o022)
	if dir := os.Getenv("EMEND_TEST_RUN_IN"); dir != "" {
		os.Exit(runForParent(dir))
	}
	os.Exit(m.Run())
}

// runForParent runs EMEND_TEST_SCRIPT in dir, for a test that kills this process.
func runForParent(dir string) int {
	ws, err := emend.Open(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer ws.Close()
	rep, err := ws.Host().Run(context.Background(), api.RunRequest{Args: []string{"sh", "-c", os.Getenv("EMEND_TEST_SCRIPT")}, Dir: dir, Env: os.Environ()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return rep.Exit
}

// asUser is the user as whom the tests run a second time if root runs them.
const asUser = 1500

// TestAsUser runs the other tests as an ordinary user, which is how most people run emend.
func TestAsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: already an ordinary user")
	}
	dir, err := os.MkdirTemp("/tmp", "emend-landing-user-")
	must(t, err)
	defer os.RemoveAll(dir)
	must(t, os.Chmod(dir, 0o755))
	data, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	binary, home := filepath.Join(dir, "landing.test"), filepath.Join(dir, "home")
	must(t, os.WriteFile(binary, data, 0o755))
	must(t, os.Mkdir(home, 0o755))
	must(t, os.Chown(home, asUser, asUser))
	args := []string{"-test.v", "-test.timeout=5m"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home)
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

// world is a tree on the disk with a workspace at it.
type world struct {
	t   *testing.T
	dir string // where commands start
	ws  *emend.Workspace
}

// newWorld makes a tree of files, by path and content. A path that ends in a slash is a directory, a content "-> x" a link.
func newWorld(t *testing.T, files map[string]string, options ...emend.Option) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for name, content := range files {
		p := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			must(t, os.Symlink(target, p))
		} else if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(p, 0o755))
		} else {
			must(t, os.WriteFile(p, []byte(content), 0o644))
		}
	}
	return openWorld(t, dir, options...)
}

func openWorld(t *testing.T, dir string, options ...emend.Option) *world {
	t.Helper()
	ws, err := emend.Open(dir, options...)
	must(t, err)
	t.Cleanup(func() { ws.Close() })
	return &world{t, dir, ws}
}

// run runs a script over a layer.
func (w *world) run(ctx context.Context, script string) (*api.RunReport, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return w.request(ctx, api.RunRequest{Args: []string{"sh", "-ec", script}})
}

func (w *world) request(ctx context.Context, r api.RunRequest) (*api.RunReport, error) {
	w.t.Helper()
	r.Dir, r.Env = w.dir, append(os.Environ(), "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@x", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	rep, err := w.ws.Host().Run(ctx, r)
	if emend.IsNoLayer(err) {
		w.t.Skip("NOT RUN:", err)
	}
	return rep, err
}

// lands runs a script that must land.
func (w *world) lands(script string) *api.RunReport {
	w.t.Helper()
	rep, err := w.run(context.Background(), script)
	if err != nil || rep.Exit != 0 {
		w.t.Fatalf("exit %v, err = %v", rep, err)
	}
	w.noLayers()
	return rep
}

// refused runs a script of which nothing may land, and returns the name of the layer.
func (w *world) refused(ctx context.Context, script, why string) string {
	w.t.Helper()
	before := w.tree()
	rep, err := w.run(ctx, script)
	w.isRefused(err, why)
	if d := diff(before, w.tree()); d != "" {
		w.t.Errorf("the tree changed:\n%s", d)
	}
	if rep == nil || rep.Layer == "" {
		w.t.Fatalf("no layer is kept: %+v", rep)
	}
	if kept := w.layers(); len(kept) != 1 || kept[0].Name != rep.Layer || !strings.Contains(kept[0].Why, why) {
		w.t.Errorf("kept = %+v, want %s because of %s", kept, rep.Layer, why)
	}
	return rep.Layer
}

func (w *world) isRefused(err error, why string) {
	w.t.Helper()
	if err == nil || !strings.Contains(err.Error(), why) {
		w.t.Fatalf("err = %v, want %q in it", err, why)
	}
}

// discard removes a layer, of which nothing may be left.
func (w *world) discard(name string) {
	w.t.Helper()
	must(w.t, w.ws.Host().DiscardLayer(context.Background(), name))
	w.noLayers()
}

func (w *world) layers() []api.KeptLayer {
	w.t.Helper()
	all, err := w.ws.Host().Layers(context.Background())
	must(w.t, err)
	return all
}

// noLayers checks that no layer is listed, and that the store has nothing of one.
func (w *world) noLayers() {
	w.t.Helper()
	if kept := w.layers(); len(kept) > 0 {
		w.t.Errorf("kept = %+v", kept)
	}
	left, _ := filepath.Glob(filepath.Join(w.store(), "runs", "*"))
	if len(left) > 0 {
		w.t.Errorf("left in the store: %q", left)
	}
}

// store returns the directory of the store.
func (w *world) store() string {
	for dir := w.dir; dir != "/"; dir = filepath.Dir(dir) {
		for _, s := range []string{".git/emend", ".emend"} {
			if _, err := os.Stat(filepath.Join(dir, s)); err == nil {
				return filepath.Join(dir, s)
			}
		}
	}
	return ""
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) has(name, content string) {
	w.t.Helper()
	if data, err := os.ReadFile(w.path(name)); err != nil || string(data) != content {
		w.t.Errorf("%s = %q (%v), want %q", name, data, err, content)
	}
}

func (w *world) hasNot(name string) {
	w.t.Helper()
	if _, err := os.Lstat(w.path(name)); err == nil {
		w.t.Errorf("%s is there", name)
	}
}

// tree returns what the tree has, without the store: type, permissions and content of each path.
func (w *world) tree() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	must(w.t, filepath.WalkDir(w.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".emend" || strings.HasSuffix(p, ".git/emend")) {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(w.dir, p)
		out[rel] = info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			out[rel] += " " + string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			out[rel] += " -> " + target
		}
		return nil
	}))
	return out
}

func diff(before, after map[string]string) string {
	var b strings.Builder
	for p, s := range before {
		if after[p] != s {
			fmt.Fprintf(&b, "%q was %.100q, is %.100q\n", p, s, after[p])
		}
	}
	for p, s := range after {
		if _, ok := before[p]; !ok {
			fmt.Fprintf(&b, "%q is new: %.100q\n", p, s)
		}
	}
	return b.String()
}

// meanwhile returns a script that does first, has person called, and does the rest when person has returned.
func (w *world) meanwhile(first, rest string, person func()) (script string) {
	w.t.Helper()
	dir := w.t.TempDir()
	here, on := filepath.Join(dir, "here"), filepath.Join(dir, "on")
	must(w.t, syscall.Mkfifo(here, 0o600))
	must(w.t, syscall.Mkfifo(on, 0o600))
	go func() {
		if _, err := os.ReadFile(here); err != nil {
			return
		}
		person()
		os.WriteFile(on, []byte("on"), 0) //nolint:errcheck // the command waits until its timeout
	}()
	return fmt.Sprintf("%s\necho > '%s'\ncat '%s' > /dev/null\n%s", first, here, on, rest)
}

func write(t testing.TB, p, content string) {
	t.Helper()
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		t.Error(err)
	}
}

// TestSomebodyElse has a person change what a command changes too: nothing lands, then or later, and what the person did stays.
func TestSomebodyElse(t *testing.T) {
	for name, c := range map[string]struct {
		first, rest string
		person      func(t *testing.T, dir string)
	}{
		"save in place":             {"echo 2 > a", "", func(t *testing.T, dir string) { write(t, dir+"/a", "person") }},
		"save before the command's": {"cat a", "echo 2 > a", func(t *testing.T, dir string) { write(t, dir+"/a", "person") }},
		"atomic save": {"echo 2 > a; echo 2 > b", "", func(t *testing.T, dir string) {
			write(t, dir+"/a.tmp", "person")
			if err := os.Rename(dir+"/a.tmp", dir+"/a"); err != nil {
				t.Error(err)
			}
		}},
		"removal":                     {"echo 2 > a", "", func(t *testing.T, dir string) { os.Remove(dir + "/a") }},
		"same new file":               {"echo 2 > n", "", func(t *testing.T, dir string) { write(t, dir+"/n", "person") }},
		"save of what is deleted":     {"rm a", "", func(t *testing.T, dir string) { write(t, dir+"/a", "person") }},
		"save in a removed directory": {"rm -r d", "", func(t *testing.T, dir string) { write(t, dir+"/d/new", "person") }},
		"directory replaced": {"echo 2 > d/e/b", "", func(t *testing.T, dir string) {
			if err := os.Rename(dir+"/d", dir+"/old"); err != nil {
				t.Error(err)
			}
			os.MkdirAll(dir+"/d/e", 0o755)
			write(t, dir+"/d/e/b", "b\n")
		}},
		"new file in a replaced directory": {"echo 2 > d/e/n", "", func(t *testing.T, dir string) {
			if err := os.Rename(dir+"/d", dir+"/old"); err != nil {
				t.Error(err)
			}
			os.MkdirAll(dir+"/d/e", 0o755)
		}},
		"empty directory that is a file": {"mkdir n", "", func(t *testing.T, dir string) { write(t, dir+"/n", "person") }},
		"permissions":                    {"echo 2 > a", "", func(t *testing.T, dir string) { os.Chmod(dir+"/a", 0o600) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a": "a\n", "b": "b\n", "d/e/b": "b\n", "d/c": "c\n"})
			var after map[string]string
			script := w.meanwhile(c.first, c.rest, func() {
				c.person(t, w.dir)
				after = w.tree()
			})
			rep, err := w.run(t.Context(), script)
			if err == nil || rep == nil || rep.Layer == "" {
				t.Fatalf("it landed: %+v, err = %v", rep, err)
			}
			kept := w.layers()
			if len(kept) != 1 || kept[0].Name != rep.Layer || !strings.Contains(kept[0].Why, "somebody") {
				t.Errorf("kept = %+v", kept)
			}
			if d := diff(after, w.tree()); d != "" {
				t.Errorf("the tree is not as they left it:\n%s", d)
			}
			if _, err := w.ws.Host().LandLayer(t.Context(), rep.Layer); err == nil {
				t.Error("it landed later")
			}
			if d := diff(after, w.tree()); d != "" {
				t.Errorf("the tree is not as they left it, later:\n%s", d)
			}
			w.discard(rep.Layer)
		})
	}
}

// TestWhatOthersDoElsewhere checks that a person who works on other files, beside those of the command, is not in its way.
func TestWhatOthersDoElsewhere(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n", "d/b": "b\n", "d/c": "c\n"})
	script := w.meanwhile("echo 2 > a; echo 2 > d/b; echo 2 > d/n", "", func() { write(t, w.path("d/c"), "person"); write(t, w.path("d/p"), "person") })
	w.lands(script)
	w.has("a", "2\n")
	w.has("d/b", "2\n")
	w.has("d/n", "2\n")
	w.has("d/c", "person")
	w.has("d/p", "person")
}

// TestProtected checks that one protected path refuses all.
func TestProtected(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"secret", "echo 2 > .env"},
		{"workflow", "mkdir -p .github/workflows; echo 2 > .github/workflows/x.yml"},
		{"deny", "mkdir vendor; echo 2 > vendor/x"},
		{"deny, removed", "rm generated/x"},
		{"deny, moved", "mv generated other"},
		{"deny, directory", "mkdir vendor"},
		{"deny, removed directory", "rmdir generated/empty"},
		{"deny, link", "ln -s a vendor"},
		{"deny, chmod", "chmod +x generated/x"},
		{"repository", "mkdir -p x/objects x/refs; echo ref: refs/heads/x > x/HEAD; echo > x/config; echo > x/objects/y; echo > x/refs/y"},
		{"empty repository", "mkdir -p x/objects x/refs; echo ref: refs/heads/x > x/HEAD; echo > x/config"},
		{"store", "rm -rf .emend/slots"},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy := filepath.Join(t.TempDir(), "policy.toml")
			write(t, policy, "[write]\ndeny = [\"vendor\", \"generated/**\"]\n")
			w := newWorld(t, map[string]string{"a": "a\n", "generated/x": "x\n", "generated/empty/": ""}, emend.Policy(policy))
			w.discard(w.refused(t.Context(), "echo 2 > a\n"+c.script, ""))
		})
	}
}

// TestAsk checks that a rule that asks has a person asked once, with all paths, and that their answer holds.
func TestAsk(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.toml")
	write(t, policy, "[write]\nask = [\"migrations/**\"]\n")
	const script = "echo 2 > migrations/a; echo 2 > migrations/b; echo 2 > c"
	files := map[string]string{"migrations/a": "1\n", "c": "1\n"}

	w := newWorld(t, files, emend.Policy(policy))
	layer := w.refused(t.Context(), script, "nobody is there to approve")
	no := emend.WithAsker(t.Context(), func(context.Context, api.Question) (string, error) { return "", fmt.Errorf("they said no") })
	_, err := w.ws.Host().LandLayer(no, layer)
	w.isRefused(err, "they said no")
	var asked []api.Question
	yes := emend.WithAsker(t.Context(), func(_ context.Context, q api.Question) (string, error) {
		asked = append(asked, q)
		return "a test", nil
	})
	rep, err := w.ws.Host().LandLayer(yes, layer)
	must(t, err)
	if len(asked) != 1 || len(asked[0].Paths) != 2 || !strings.Contains(asked[0].Diff, "+2") {
		t.Errorf("asked %+v", asked)
	}
	if rep.Entry == "" {
		t.Error("no entry")
	}
	w.has("migrations/a", "2\n")
	w.has("c", "2\n")
	w.noLayers()

	w = newWorld(t, files, emend.Policy(policy))
	w.discard(w.refused(no, script, "they said no"))

	// A person who saves while they are asked wins.
	w = newWorld(t, files, emend.Policy(policy))
	saves := emend.WithAsker(t.Context(), func(context.Context, api.Question) (string, error) {
		write(t, w.path("c"), "person")
		return "a test", nil
	})
	rep, err = w.run(saves, script)
	w.isRefused(err, "c: ")
	w.has("c", "person")
	w.has("migrations/a", "1\n")
	w.discard(rep.Layer)
}

// TestBelowTheTop runs commands in a workspace below the top of the tree: what changes outside of it refuses all.
func TestBelowTheTop(t *testing.T) {
	top := newWorld(t, map[string]string{"a": "a\n", "sub/b": "b\n"})
	top.lands("echo 2 > a") // makes the store at the top
	w := openWorld(t, top.path("sub"))
	w.lands("echo 2 > b; mkdir n; echo 3 > n/c")
	w.has("b", "2\n")
	w.has("n/c", "3\n")
	for _, script := range []string{"echo 3 > b; echo 3 > ../a", "echo 3 > b; echo 3 > ../n", "echo 3 > b; rm ../a", "echo 3 > b; mkdir ../n", "echo 3 > b; mkdir ../n; rmdir n || rm -r n; chmod 700 .."} {
		before := top.tree()
		rep, err := w.run(t.Context(), script)
		if err == nil || !strings.Contains(err.Error(), "outside of the workspace") {
			t.Errorf("%s: %+v, err = %v", script, rep, err)
			continue
		}
		if d := diff(before, top.tree()); d != "" {
			t.Errorf("%s: the tree changed:\n%s", script, d)
		}
		w.discard(rep.Layer)
	}
}

// TestKindsThatDoNotLand checks that what cannot land is refused with everything else.
func TestKindsThatDoNotLand(t *testing.T) {
	for name, script := range map[string]string{
		"FIFO":                  "mkfifo f",
		"FIFO in a directory":   "mkdir n; mkfifo n/f",
		"FIFO over a file":      "rm a; mkfifo a",
		"directory over file":   "rm a; mkdir a; echo 2 > a/b",
		"empty dir over file":   "rm a; mkdir a",
		"file over directory":   "rm -r d; echo 2 > d",
		"link over directory":   "rm -r d; ln -s a d",
		"name not UTF-8":        "echo 1 > \"$(printf 'x\\377y')\"",
		"removal of a FIFO":     "rm fifo",
		"file over FIFO":        "rm fifo; echo 2 > fifo",
		"directory over link":   "rm l; mkdir l; echo > l/x",
		"directory over a FIFO": "rm fifo; mkdir fifo; echo > fifo/x",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a": "a\n", "d/b": "b\n", "z": "z\n", "l": "-> a"})
			must(t, syscall.Mkfifo(w.path("fifo"), 0o600))
			tree := w.path("fifo")
			_ = tree
			rep, err := w.run(t.Context(), "echo 2 > z; "+script)
			if err == nil {
				t.Fatalf("it landed: %+v", rep)
			}
			w.has("a", "a\n")
			w.has("z", "z\n")
			w.has("d/b", "b\n")
			w.discard(rep.Layer)
		})
	}
}

// TestWhatLands checks what files bring with them, by comparing with what the same script does without a layer.
func TestWhatLands(t *testing.T) {
	for name, script := range map[string]string{
		"contents":           "echo 2 > a; printf 3 >> d/b; : > c; printf '\\000\\377' > bin",
		"modes":              "chmod 700 a; chmod 444 c; echo x > s; chmod 4755 s",
		"links":              "rm l; ln -s elsewhere l; ln -s d/b n; ln -sfn d dl; rm dangling",
		"link over file":     "rm a; ln -s c a",
		"file over link":     "rm l; echo 2 > l",
		"link removed":       "rm l dl",
		"directory removed":  "rm -r d",
		"directory moved":    "mv d n",
		"directory emptied":  "rm d/b d/e/f",
		"directory renewed":  "rm -r d; mkdir d; echo 2 > d/n",
		"empty directories":  "mkdir -p x/y/z x/w; mkdir -m 700 private",
		"empty removed":      "rmdir empty/in; rmdir empty",
		"only removed":       "rmdir other",
		"private":            "mkdir -m 700 p; echo 2 > p/q; mkdir -p -m 750 p/r; echo 3 > p/r/s",
		"directory modes":    "mkdir n; chmod 1777 n; echo x > n/x",
		"swap":               "mv a t; mv c a; mv t c",
		"odd names":          "echo 1 > \"$(printf 'new\\nline')\"; echo 2 > \"$(printf 'zero\\342\\200\\213width')\"; echo 3 > \"$(printf '\\033[31mred')\"; echo 4 > ' lead'; echo 5 > -x",
		"rename over":        "mv a c",
		"case":               "mv a A",
		"nothing of content": "cp a a.new; mv a.new a",
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"a": "a\n", "c": "c\n", "d/b": "b\n", "d/e/f": "f\n", "l": "-> d/b", "dl": "-> d/e", "dangling": "-> nowhere", "empty/in/": "", "other/": ""}
			w, plain := newWorld(t, files), newWorld(t, files)
			cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
			cmd.Dir = plain.dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			before := w.tree()
			rep := w.lands(script)
			if d := diff(plain.tree(), w.tree()); d != "" {
				t.Errorf("what landed is not what the command does without a layer:\n%s%+v", d, rep)
			}
			if rep.Entry == "" {
				return
			}
			if _, err := w.ws.Undo(t.Context(), api.UndoRequest{Entry: rep.Entry}); err != nil {
				t.Fatal(err)
			}
			if d := diff(before, w.tree()); d != "" {
				t.Errorf("after the undo:\n%s", d)
			}
		})
	}
}

// TestTimesAndAttributes checks that times and extended attributes land, and no mark of the overlay.
func TestTimesAndAttributes(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n"})
	must(t, syscall.Setxattr(w.path("a"), "user.old", []byte("1"), 0))
	w.lands("echo 2 > a; touch -d 2001-02-03T04:05:06Z a; echo n > n; touch -d 2001-02-03T04:05:06Z n; ln -s a l; touch -h -d 2001-02-03T04:05:06Z l")
	want := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, name := range []string{"a", "n", "l"} {
		info, err := os.Lstat(w.path(name))
		must(t, err)
		if !info.ModTime().Equal(want) {
			t.Errorf("%s: %v", name, info.ModTime())
		}
		var b [1000]byte
		n, err := syscall.Listxattr(w.path(name), b[:])
		if err != nil || strings.Contains(string(b[:n]), "overlay") {
			t.Errorf("%s: %q, %v", name, b[:n], err)
		}
	}
	var b [10]byte
	if n, err := syscall.Getxattr(w.path("a"), "user.old", b[:]); err != nil || string(b[:n]) != "1" {
		t.Errorf("user.old = %q, %v", b[:max(n, 0)], err)
	}
}

// TestHardLinks checks that new hard links land as such, and that it is said of a link of the tree that is split.
func TestHardLinks(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n"})
	must(t, os.Link(w.path("a"), w.path("b")))
	rep := w.lands("echo 2 > x; ln x y; ln x z; echo 3 > a")
	ids := map[uint64]bool{}
	for _, name := range []string{"x", "y", "z"} {
		var st syscall.Stat_t
		must(t, syscall.Stat(w.path(name), &st))
		ids[st.Ino] = true
		if st.Nlink != 3 {
			t.Errorf("%s has %d links", name, st.Nlink)
		}
	}
	if len(ids) != 1 {
		t.Errorf("inodes %v", ids)
	}
	w.has("a", "3\n")
	w.has("b", "a\n")
	if len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "a: it was one of 2 hard links") {
		t.Errorf("notes %q", rep.Notes)
	}
}

// TestNothingChanged checks that a command that changes nothing leaves neither entry nor layer.
func TestNothingChanged(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n", "d/b": "b\n"})
	for _, script := range []string{"true", "cat a d/b", "touch a; echo x > n; rm n", "mv d e; mv e d", "echo 2 > a; echo a > a"} {
		rep := w.lands(script)
		if rep.Entry != "" || len(rep.Files) > 0 || len(rep.Notes) > 0 {
			t.Errorf("%s: %+v", script, rep)
		}
	}
	log, err := w.ws.History(t.Context(), api.HistoryRequest{})
	must(t, err)
	if len(log.Data.Entries) > 0 {
		t.Errorf("log = %+v", log.Data.Entries)
	}
}

// TestDryRun checks that a dry run says what would land, and leaves nothing.
func TestDryRun(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n", "d/b": "b\n"})
	before := w.tree()
	for _, script := range []string{"echo 2 > a; rm -r d", "echo 2 > a; echo > .env", "mkfifo x"} {
		rep, err := w.request(t.Context(), api.RunRequest{Args: []string{"sh", "-ec", script}, DryRun: true})
		if script == "echo 2 > a; rm -r d" && (err != nil || len(rep.Files) != 2 || !strings.Contains(rep.Files[0].Diff, "+2")) || script != "echo 2 > a; rm -r d" && err == nil {
			t.Errorf("%s: %+v, err = %v", script, rep, err)
		}
		if d := diff(before, w.tree()); d != "" {
			t.Errorf("%s: the tree changed:\n%s", script, d)
		}
		w.noLayers()
	}
}

// TestProcessesLeftBehind checks that they are ended and named.
func TestProcessesLeftBehind(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n"})
	rep := w.lands("sleep 300 > /dev/null 2>&1 & echo 2 > a")
	if len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "sleep") || !strings.Contains(rep.Notes[0], "was ended") {
		t.Errorf("notes %q", rep.Notes)
	}
	w.has("a", "2\n")
}

// TestUnreadable lands a file that its owner may not read, which only root can.
func TestUnreadable(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n"})
	const script = "echo 2 > a; echo x > o; chmod 0 o"
	if os.Geteuid() != 0 {
		w.discard(w.refused(t.Context(), script, "o: its owner may not read it"))
		return
	}
	w.lands(script)
	if info, err := os.Stat(w.path("o")); err != nil || info.Mode() != 0 {
		t.Errorf("o: %v, %v", info, err)
	}
}

// TestUnasked checks that the log says where a built-in rule wanted a person to be asked, and nobody could be.
func TestUnasked(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n", "d/AGENTS.md": "old\n"})
	rep := w.lands("echo 2 > a; echo 2 > d/AGENTS.md; echo 2 > z")
	e, err := w.ws.Show(t.Context(), rep.Entry)
	must(t, err)
	if s := fmt.Sprintf("%+v", e.Data); !strings.Contains(s, "nobody") {
		t.Errorf("entry = %s", s)
	}
}

// TestManyFiles lands 2,000 files in one transaction and takes them back.
func TestManyFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "a\n"})
	before := w.tree()
	rep := w.lands("i=0; while [ $i -lt 2000 ]; do d=d$((i % 20)); [ -d $d ] || mkdir $d; echo $i > $d/$i; i=$((i+1)); done")
	if len(rep.Files) != 2000 {
		t.Errorf("%d files", len(rep.Files))
	}
	for i := range 2000 {
		w.has(fmt.Sprintf("d%d/%d", i%20, i), fmt.Sprintln(i))
	}
	if _, err := w.ws.Undo(t.Context(), api.UndoRequest{Entry: rep.Entry}); err != nil {
		t.Fatal(err)
	}
	if d := diff(before, w.tree()); d != "" {
		t.Errorf("after the undo:\n%.1000s", d)
	}
}

// TestLargeFile lands a file of 300 MB over another one. The process that does it stays small.
func TestLargeFile(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT RUN: it writes 600 MB")
	}
	const size = 300 << 20
	w := newWorld(t, map[string]string{"a": "a\n"})
	w.lands("true")
	f, err := os.Create(w.path("big"))
	must(t, err)
	must(t, f.Truncate(size))
	must(t, f.Close())
	cmd := w.inOtherProcess("head -c 314572800 /dev/zero | tr '\\000' x > new; mv new big")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(w.path("big"))
	must(t, err)
	var st syscall.Stat_t
	must(t, syscall.Stat(w.path("big"), &st))
	if info.Size() != size || st.Blocks == 0 {
		t.Errorf("%d bytes in %d blocks", info.Size(), st.Blocks)
	}
	if kb := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; kb > 150<<10 {
		t.Errorf("the process had up to %d kB", kb)
	} else {
		t.Logf("the process had up to %d kB", kb)
	}
	w.noLayers()
}
