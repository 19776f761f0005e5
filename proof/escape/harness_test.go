//go:build linux || darwin

package escape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/cli"
	"golang.org/x/sys/unix"
)

// patience is the time limit for an attack, far more than it needs on a slow machine.
const patience = 30 * time.Second

// tally has the totals for the last line of a run.
var tally struct{ attacks, escapes, hangs, swaps, attempts atomic.Int64 }

const asProgram = "EMEND_ESCAPE_PROGRAM"

// self is the absolute path of this program.
var self, _ = os.Executable()

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Main())
	}
	unix.Umask(0o022)
	code := m.Run()
	fmt.Printf("escape: %d attacks, %d escapes, %d hangs; races: %d swaps, %d attempts\n", tally.attacks.Load(),
		tally.escapes.Load(), tally.hangs.Load(), tally.swaps.Load(), tally.attempts.Load())
	os.Exit(code)
}

// attack is one attempt to escape.
type attack struct {
	name string
	// files are created in addition to those of [ground], by their path from the top: "ws/" is the workspace. A name that ends
	// in a slash is a directory, a content "-> x" a link to x, "= x" a hard link to the file x, "|" a FIFO. TOP in a content
	// stands for the path of the top.
	files   map[string]string
	prepare func(t *testing.T, top string) // what files cannot express
	patch   string                         // may contain TOP
	dialect string                         // default: "codex", which creates, replaces and follows the most
	lenient bool
	base    string // directory in the workspace that paths are relative to
	options []emend.Option
	store   string // directory of the store, from the top

	// want is the expected refusal, "kind" or "kind/reason", or several separated by "|". If it is empty the patch must apply.
	// With [anything] the patch may apply or be refused, but may change only what is in leaves.
	want string
	// leaves has the contents that a patch may leave; "" is a deleted file.
	leaves map[string]string
}

const anything = "*"

// baseFiles is the set of files for every attack. Everything outside "ws/" belongs to somebody else.
var baseFiles = map[string]string{
	"ws/f": "old\n", "ws/d/f": "old\n", "ws/d/e/f": "old\n", "ws/.git/HEAD": "ref: refs/heads/main\n", "ws/.git/config": "old\n",
	"ws/.git/hooks/pre-commit": "old\n", "ws/.vscode/settings.json": "old\n",
	"out/f": "old\n", "out/d/f": "old\n", "out/.git/config": "old\n", "out/link": "-> f", "out/empty/": "",
	"ws_evil/f": "old\n", "ws2/f": "old\n", "f": "old\n",
}

// ours reports whether the engine may keep its own files at a path: beside .git, whatever name that is mounted under, or
// without one at the root.
func ours(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(name, "ws/") && (base == "emend" || base == ".emend")
}

// scale returns n multiplied by EMEND_ESCAPE_RACES.
func scale(t *testing.T, n int64) int64 {
	t.Helper()
	text := os.Getenv("EMEND_ESCAPE_RACES")
	if text == "" {
		return n
	}
	by, err := strconv.ParseFloat(text, 64)
	check(t, err)
	return int64(float64(n) * by)
}

func replaceTop(s, top string) string { return strings.ReplaceAll(s, "TOP", top) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func plant(t testing.TB, top string, files map[string]string) {
	t.Helper()
	// In order, so that the target of a link exists before anything is created through it; hard links last.
	for _, hard := range []bool{false, true} {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if content := replaceTop(files[name], top); strings.HasPrefix(content, "= ") == hard {
				plantOne(t, top, name, content)
			}
		}
	}
}

func plantOne(t testing.TB, top, name, content string) {
	t.Helper()
	path := top + "/" + name
	if dir, ok := strings.CutSuffix(path, "/"); ok {
		check(t, os.MkdirAll(dir, 0o755))
		return
	}
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	target, link := strings.CutPrefix(content, "-> ")
	of, hard := strings.CutPrefix(content, "= ")
	switch {
	case link:
		check(t, os.Symlink(target, path))
	case hard:
		check(t, os.Link(filepath.Join(top, of), path))
	case content == "|":
		check(t, unix.Mkfifo(path, 0o644))
	default:
		// A process that is being forked would have the file open for writing until it runs its program.
		syscall.ForkLock.RLock()
		err := os.WriteFile(path, []byte(content), 0o644)
		syscall.ForkLock.RUnlock()
		check(t, err)
	}
}

// state is everything below a directory that an attack could change.
type state map[string]thing

type thing struct {
	mode    fs.FileMode
	inode   uint64
	uid     uint32
	mtime   time.Time
	content string // of a link: its target
}

func look(t testing.TB, top string) state {
	t.Helper()
	out := state{}
	var st unix.Stat_t
	check(t, unix.Lstat(top, &st))
	disk := st.Dev
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		if d.IsDir() && (ours(rel) || unix.Lstat(path, &st) != nil || st.Dev != disk) {
			out[rel] = thing{mode: fs.ModeDir}
			return fs.SkipDir
		}
		out[rel], err = describe(path)
		return err
	})
	check(t, err)
	return out
}

func describe(path string) (thing, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return thing{}, err
	}
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return thing{}, err
	}
	is := thing{mode: fi.Mode(), inode: st.Ino, uid: st.Uid, mtime: fi.ModTime()}
	switch {
	case fi.Mode().IsRegular():
		var b []byte
		b, err = os.ReadFile(path)
		is.content = string(b)
	case fi.Mode()&fs.ModeSymlink != 0:
		is.content, err = os.Readlink(path)
	}
	return is, err
}

// differs names what has changed, except what may change and the times of its directories.
func differs(before, after state, may map[string]string) []string {
	var out []string
	idle := map[string]bool{}
	for name := range after {
		if ours(name) { // a new store changes the time of its directory
			idle[filepath.Dir(name)] = true
		}
	}
	for name := range may {
		for up := filepath.Dir(name); ; up = filepath.Dir(up) {
			idle[up] = true
			if up == "." {
				break
			}
		}
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, is := before[name], after[name]
		if idle[name] {
			was.mtime, is.mtime = time.Time{}, time.Time{}
		}
		if _, ok := may[name]; !ok && was != is && !ours(name) {
			if _, existed := before[name]; !existed && idle[name] {
				continue // a directory above a created file
			}
			out = append(out, fmt.Sprintf("%s was %v, is %v", name, was, is))
		}
	}
	return out
}

// outside returns the part of a state that belongs to somebody else.
func outside(s state) state {
	return maps.Collect(func(yield func(string, thing) bool) {
		for name, is := range s {
			if name != "." && name != "ws" && !strings.HasPrefix(name, "ws/") && !yield(name, is) {
				return
			}
		}
	})
}

// verdict returns "kind" or "kind/reason" of every failure; "" for none.
func verdict(err error) []string {
	if err == nil {
		return []string{""}
	}
	if kinds, ok := errors.AsType[answered](err); ok {
		return kinds
	}
	r, ok := errors.AsType[*emend.Refusal](err)
	if !ok {
		return []string{"no refusal: " + err.Error()}
	}
	var out []string
	for _, e := range r.Failures {
		kind := string(e.Kind)
		if e.Reason != "" {
			kind += "/" + e.Reason
		}
		out = append(out, kind)
	}
	return out
}

func (a *attack) wanted(got []string) bool {
	return a.want == anything || !slices.ContainsFunc(got, func(kind string) bool { return !slices.Contains(strings.Split(a.want, "|"), kind) })
}

// run creates the ground, attacks with how, and checks the result.
func (a *attack) run(t *testing.T, how func(ctx context.Context, top string) error) {
	top := a.ground(t)
	a.try(t, top, a.plan, nil)
	switch a.want {
	case "":
		a.try(t, top, how, a.leaves)
		a.landed(t, top)
	case anything:
		a.try(t, top, how, a.leaves)
	default:
		a.try(t, top, how, nil)
	}
}

func (a *attack) ground(t *testing.T) (top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	plant(t, top, baseFiles)
	plant(t, top, a.files)
	if a.prepare != nil {
		a.prepare(t, top)
	}
	return top
}

// try attacks once, with a time limit, and checks that the answer is right and that nothing changed but what may.
func (a *attack) try(t *testing.T, top string, how func(ctx context.Context, top string) error, may map[string]string) {
	t.Helper()
	before := look(t, top)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- how(ctx, top) }()
	select {
	case err := <-answer:
		if ctx.Err() != nil {
			tally.hangs.Add(1)
			t.Errorf("hung until it was cancelled: %v", err)
		}
		if got := verdict(err); !a.wanted(got) {
			t.Errorf("the answer is %q, want %q: %v", got, a.want, err)
		}
		t.Log("answer:", err)
	case <-time.After(2 * patience):
		tally.hangs.Add(1)
		t.Fatal("hangs")
	}
	after := look(t, top)
	if diff := differs(outside(before), outside(after), nil); len(diff) > 0 {
		tally.escapes.Add(1)
		t.Errorf("ESCAPED:\n%s", strings.Join(diff, "\n"))
	} else if diff := differs(before, after, may); len(diff) > 0 {
		tally.escapes.Add(1)
		t.Errorf("changed:\n%s", strings.Join(diff, "\n"))
	}
}

// landed checks what an applied patch has left.
func (a *attack) landed(t *testing.T, top string) {
	t.Helper()
	for name, want := range a.leaves {
		is, err := describe(filepath.Join(top, name))
		gone := errors.Is(err, fs.ErrNotExist)
		if want == "" && !gone || want != "" && (err != nil || is.content != want) {
			t.Errorf("%s has %q, %v, want %q", name, is.content, err, want)
		}
	}
}

func (a *attack) open(top string) (*emend.Workspace, error) {
	options := []emend.Option{emend.NoSync(), emend.Base(a.base)}
	if a.store != "" {
		options = append(options, emend.Store(filepath.Join(top, a.store)))
	}
	return emend.Open(top+"/ws", append(options, a.options...)...)
}

func (a *attack) text(top string) (string, api.PatchOptions) {
	o := api.PatchOptions{Dialect: a.dialect, Lenient: a.lenient}
	if o.Dialect == "" {
		o.Dialect = "codex"
	}
	return replaceTop(a.patch, top), o
}

func (a *attack) plan(ctx context.Context, top string) error {
	ws, err := a.open(top)
	if err != nil {
		return err
	}
	defer ws.Close()
	text, o := a.text(top)
	_, err = ws.Plan(ctx, text, o)
	return err
}

func (a *attack) apply(ctx context.Context, top string) error {
	ws, err := a.open(top)
	if err != nil {
		return err
	}
	defer ws.Close()
	text, o := a.text(top)
	_, err = ws.Apply(ctx, text, o)
	return err
}

// all runs a table of attacks: each by the engine, and a part also by the program, which takes longer.
func all(t *testing.T, attacks []attack) {
	t.Helper()
	const every = 12
	for i := range attacks {
		a := &attacks[i]
		name := strings.ReplaceAll(a.name, "/", "∕")
		tally.attacks.Add(1)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a.run(t, a.apply)
		})
		if i%every == 0 && a.forProgram() {
			t.Run("program: "+name, func(t *testing.T) {
				t.Parallel()
				a.run(t, a.program)
			})
		}
	}
}

// envelope wraps sections in a patch.
func envelope(sections ...string) string {
	return "*** Begin Patch\n" + strings.Join(sections, "") + "*** End Patch\n"
}

func add(path string) string    { return "*** Add File: " + path + "\n+evil\n" }
func update(path string) string { return "*** Update File: " + path + "\n@@\n-old\n+evil\n" }
func remove(path string) string { return "*** Delete File: " + path + "\n" }
func move(from, to string) string {
	return "*** Update File: " + from + "\n*** Move to: " + to + "\n@@\n-old\n+evil\n"
}

// verbs are all changes that a patch can make at a path, which may exist or not.
var verbs = map[string]func(path string) string{
	"create":    add,
	"update":    update,
	"delete":    remove,
	"move onto": func(path string) string { return move("f", path) },
	"move away": func(path string) string { return move(path, "moved") },
}

const (
	bad       = "command_failed/bad_arguments"
	special   = "command_failed/special_file"
	mounted   = "command_failed/mount_point"
	limit     = "command_failed/limit"
	absolute  = "command_failed/absolute_path"
	outsideIt = "outside_workspace"
	denied    = "permission_denied"
	missing   = "not_found"
	directory = "not_found/special_file"
	exists    = "already_exists"
	stale     = "stale_file"
	parse     = "patch_parse_error"
)
