package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// workload is one patch, and the states in which it may leave a tree. State 0 is the tree before, the last one the tree after;
// the states between are for patches that are not atomic. A file of testdata/workloads describes it: a title, then settings, a
// line each, then the patch and the states.
type workload struct {
	name   string
	patch  string   // a file
	args   []string // of apply
	fresh  bool     // the tree has no store
	git    bool     // the tree has a git directory
	base   string   // the prepared tree
	states []tree
	edited []string // paths that the patch updates in place
	verb   []string // called instead of apply, or nil
	undo   bool     // the patch is applied first, and its undo is swept: the states run backwards
	land   string   // a script whose layer is kept, and lands
	plain  bool     // the file system has no permissions: trees are compared without
}

// warmup is a file in every tree. Changing it creates the store, and shows that a store can be used.
const warmup = "warm.txt"

func warmPatch(from, to int) string {
	return fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%d\n+%d\n*** End Patch\n", warmup, from, to)
}

// workloads prepares all workloads, or those with the given names.
func workloads(t *testing.T, names ...string) []*workload {
	t.Helper()
	return workloadsIn(t, "workloads", names...)
}

func workloadsIn(t *testing.T, dir string, names ...string) []*workload {
	t.Helper()
	files, err := filepath.Glob("testdata/" + dir + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workloads: %v", err)
	}
	var out []*workload
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		w, err := prepare(t.TempDir(), file, name)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, w)
	}
	return out
}

// prepare reads a workload and creates its tree in top.
func prepare(top, file, name string) (*workload, error) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	w := &workload{name: name, git: true, base: filepath.Join(top, "base"), patch: filepath.Join(top, "patch")}
	modes, err := w.settings(string(ar.Comment))
	if err != nil {
		return nil, err
	}
	contents := w.unpack(ar)
	for _, c := range contents {
		c[warmup] = "0\n"
		if !w.fresh {
			c[warmup] = "1\n"
		}
		dir := filepath.Join(top, "state"+strconv.Itoa(len(w.states)))
		if err := w.plant(dir, c, modes); err != nil {
			return nil, err
		}
		state, err := w.read(dir)
		if err != nil {
			return nil, err
		}
		w.states = append(w.states, state)
	}
	w.edited = edited(string(ar.Files[0].Data))
	if w.undo {
		slices.Reverse(w.states)
		w.verb, w.edited = []string{"undo"}, nil
	}
	if w.land != "" {
		w.verb = landing
	}
	contents[0][warmup] = "0\n"
	if err := w.plant(w.base, contents[0], modes); err != nil {
		return nil, err
	}
	return w, errors.Join(os.WriteFile(w.patch, ar.Files[0].Data, 0o600),
		os.WriteFile(w.base+".warm", []byte(warmPatch(0, 1)), 0o600))
}

func (w *workload) settings(comment string) (map[string]fs.FileMode, error) {
	modes := map[string]fs.FileMode{}
	for line := range strings.Lines(comment) {
		switch f := strings.Fields(line); {
		case f[0] == "args":
			w.args = f[1:]
		case f[0] == "verb":
			w.verb = f[1:]
		case f[0] == "undo":
			w.undo = true
		case f[0] == "land":
			w.land = strings.TrimSpace(strings.TrimPrefix(line, "land "))
		case f[0] == "fresh":
			w.fresh = true
		case f[0] == "no" && f[1] == "git":
			w.git = false
		case f[0] == "mode":
			m, err := strconv.ParseUint(f[1], 8, 32)
			if err != nil {
				return nil, err
			}
			modes[f[2]] = fs.FileMode(m)
		}
	}
	return modes, nil
}

// unpack returns the files of each state, by path.
func (w *workload) unpack(ar *txtar.Archive) []map[string]string {
	var out []map[string]string
	for _, f := range ar.Files[1:] {
		number, name, _ := strings.Cut(f.Name, "/")
		n, _ := strconv.Atoi(number)
		for len(out) <= n {
			out = append(out, map[string]string{})
		}
		out[n][name] = string(f.Data)
	}
	return out
}

// plant creates a tree of files. A name that ends in a slash is a directory.
func (w *workload) plant(dir string, files map[string]string, modes map[string]fs.FileMode) error {
	if w.git {
		if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
			return err
		}
	}
	for name, content := range files {
		full := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			full = filepath.Join(full, "x")
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		mode, ok := modes[name]
		if !ok {
			mode = 0o644
		}
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(strings.TrimSpace(target), full); err != nil {
				return err
			}
			continue
		}
		if err := put(full, []byte(content), mode); err != nil {
			return err
		}
	}
	return nil
}

// copy creates the tree of the workload in dir, with a store that has been used once unless the workload is fresh. The store is
// created there each time, since a copied one is refused.
func (w *workload) copy(dir string, p program) error {
	if err := copyTree(dir, w.base); err != nil || w.fresh {
		return err
	}
	return w.begin(dir, p)
}

// begin uses the store for the first time, and does what will be undone.
func (w *workload) begin(dir string, p program) error {
	if s := p.run(dir, "apply", w.base+".warm"); s.exit != 0 {
		return fmt.Errorf("the first transaction: exit %d, %s", s.exit, s.text)
	}
	if w.land != "" {
		return w.keepLayer(dir, p)
	}
	if !w.undo {
		return nil
	}
	if s := p.run(dir, slices.Concat([]string{"apply"}, w.args, []string{w.patch})...); s.exit != 0 {
		return fmt.Errorf("what is to be undone: exit %d, %s", s.exit, s.text)
	}
	return nil
}

// withoutEmptyDirs returns a tree without the empty directories that want does not have. An undo removes directories that its change
// created; one that the system refuses to remove may stay.
func (w *workload) withoutEmptyDirs(got, want tree) tree {
	if !w.undo {
		return got
	}
	got = maps.Clone(got)
	maps.DeleteFunc(got, func(name, what string) bool {
		if _, wanted := want[name]; wanted || !strings.HasPrefix(what, "directory") {
			return false
		}
		for other, what := range got {
			if strings.HasPrefix(other, name+"/") && !strings.HasPrefix(what, "directory") {
				return false
			}
		}
		return true
	})
	return got
}

func edited(patch string) []string {
	var out []string
	lines := strings.Split(patch, "\n")
	for i, line := range lines {
		name, ok := strings.CutPrefix(line, "*** Update File: ")
		if ok && !strings.HasPrefix(lines[i+1], "*** Move to:") {
			out = append(out, name)
		}
	}
	return out
}

// stores are the places of a store: in the git directory, or at the top if there is none or it is not writable.
var stores = []string{".git/emend", ".emend"}

// store returns the store of the tree in dir.
func store(dir string) string {
	for _, s := range stores {
		if _, err := os.Stat(filepath.Join(dir, s)); err == nil {
			return s
		}
	}
	return stores[0]
}

// read returns the user's files in dir: all but the store and unfinished stores.
func (w *workload) read(dir string) (tree, error) {
	t, err := read(dir, stores...)
	for _, s := range stores {
		maps.DeleteFunc(t, func(name, _ string) bool { return strings.HasPrefix(name, s+".") })
	}
	if w.plain {
		t = withoutModes(t)
	}
	return t, err
}

// withoutModes returns a tree without the permissions of its files and directories.
func withoutModes(t tree) tree {
	out := tree{}
	for name, is := range t {
		if dir := strings.HasPrefix(is, "directory "); dir {
			is = "directory"
		} else if mode, content, ok := strings.Cut(is, " "); ok && mode != "->" {
			is = "file " + content
		}
		out[name] = is
	}
	return out
}

// apply returns the arguments that apply the patch, or do what is swept instead.
func (w *workload) apply(more ...string) []string {
	if w.verb != nil {
		return slices.Concat(w.verb, more)
	}
	return slices.Concat([]string{"apply"}, w.args, more, []string{w.patch})
}

func (w *workload) before() tree { return w.states[0] }
func (w *workload) after() tree  { return w.states[len(w.states)-1] }
