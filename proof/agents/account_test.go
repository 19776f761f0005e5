//go:build npm && linux

package agents

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// first is the workspace before the story, last after it.
var (
	first = map[string]string{
		"server.conf": "# of the shop\nport = 3000\n\nhost = local\nlog = quiet\ntimeout = 30\n",
		"a.txt":       "one\ntwo\n",
		"b.txt":       "drei\n",
		"old.txt":     "still wanted\n",
	}
	edited = map[string]string{ // after the short script
		"server.conf": "# of the shop\nport = 4000\n\nhost = local\nlog = quiet\ntimeout = 30\n",
		"a.txt":       "one\ntwo\n",
		"b.txt":       "drei\n",
		"old.txt":     "still wanted\n",
	}
	last = map[string]string{
		"server.conf": "# of the shop\nport = 5000\n\nhost = local\nlog = quiet\ntimeout = 30\n" + personLine,
		"a.txt":       "eins\ntwo <two & \"two\"\nthree\n",
		"new.txt":     "new\n",
		"b.txt":       "three\n",
		"old.txt":     "still wanted\n",
	}
)

// personLine is the line that a person adds while the agent works.
const personLine = "# checked by Ada\n"

// account is the account of one agent, which no other run shares.
type account struct {
	testing.TB
	root string // everything is below
	home string
	work string // the workspace
	env  []string
	pids []int // processes of the test itself
}

func newWorld(t testing.TB, env ...string) *account {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return newWorldIn(t, root, env...)
}

// newWorldIn makes an account in a directory.
func newWorldIn(t testing.TB, root string, env ...string) *account {
	w := &account{TB: t, root: root, home: filepath.Join(root, "home"), work: filepath.Join(root, "work")}
	tmp := filepath.Join(root, "tmp")
	for _, dir := range []string{w.home, w.work, tmp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range first {
		w.write(filepath.Join(w.work, name), content)
	}
	w.env = append([]string{"HOME=" + w.home, "TMPDIR=" + tmp, "PATH=" + path(), "LANG=C.UTF-8", "TERM=dumb"}, env...)
	if keep := os.Getenv("EMEND_AGENTS_KEEP"); keep != "" {
		t.Cleanup(func() {
			keepAll(w.root, filepath.Join(keep, filepath.FromSlash(t.Name()))+strings.TrimPrefix(w.root, root))
		})
	}
	return w
}

// path is a PATH with node, if there is one, and system directories.
func path() string {
	dirs := []string{"/usr/local/bin", "/usr/bin", "/bin"}
	if node, err := exec.LookPath("node"); err == nil {
		dirs = slices.Insert(dirs, 0, filepath.Dir(node))
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// keepAll copies the files of an agent for a person to inspect.
func keepAll(from, to string) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
		exec.Command("cp", "-a", from, to).Run()
	}
}

// write creates a file and the directories above it.
func (w *account) write(name, content string) {
	w.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(content), 0o644)
	}
	if err != nil {
		w.Error(err) // not Fatal: the model's goroutine writes too
	}
}

// writeJSON creates a configuration file of the agent, below its HOME.
func (w *account) writeJSON(name string, v object) string {
	w.Helper()
	name = filepath.Join(w.home, filepath.FromSlash(name))
	w.write(name, encode(v))
	return name
}

// found returns the files below the HOME that match a pattern.
func (w *account) found(pattern string) []string {
	out, _ := filepath.Glob(filepath.Join(w.home, filepath.FromSlash(pattern)))
	return out
}

// addJSON adds to such a file.
func (w *account) addJSON(name string, more object) {
	w.Helper()
	all := object{}
	data, err := os.ReadFile(filepath.Join(w.home, filepath.FromSlash(name)))
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		w.Fatal(err)
	}
	maps.Copy(all, more)
	w.writeJSON(name, all)
}

// person adds a line to a file, as an editor does.
func (w *account) person() {
	name := filepath.Join(w.work, "server.conf")
	old, err := os.ReadFile(name)
	if err != nil {
		w.Error(err)
		return
	}
	w.write(name, string(old)+personLine)
}

// tree returns the files of the workspace without emend's store.
func (w *account) tree() map[string]string {
	w.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.work, func(name string, d fs.DirEntry, err error) error {
		if d.Name() == ".emend" || d.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(w.work, name)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// holds reports every file with an unexpected content.
func (w *account) holds(when string, want map[string]string) {
	w.Helper()
	got := w.tree()
	names := maps.Clone(want)
	maps.Copy(names, got)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if got[name] != want[name] {
			w.Errorf("%s: %s is %q, not %q", when, name, got[name], want[name])
		}
	}
}

// run runs emend in the workspace, as the person of this account.
func (w *account) run(args ...string) string {
	w.Helper()
	cmd := exec.Command(emendProgram, args...)
	cmd.Dir, cmd.Env = w.work, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Errorf("emend %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
