package sweep

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// volume is a file system in a file, mounted for one test.
type volume struct {
	name    string   // for the report
	kind    string   // as mount has it
	mkfs    []string // the file is appended
	options string
	plain   bool // it has no permissions of its own
	folds   bool // it takes some different names for the same
}

// mount makes the file system and mounts it. Without the programs, or a kernel that knows it, the test is skipped.
func (v volume) mount(t *testing.T) string {
	t.Helper()
	dir, image := openDir(t), filepath.Join(t.TempDir(), "image")
	err := os.WriteFile(image, nil, 0o600)
	if err == nil {
		err = os.Truncate(image, 320<<20) // less is too little for xfs
	}
	if err != nil {
		t.Fatal(err)
	}
	v.command(t, v.mkfs[0], append(v.mkfs[1:], image)...)
	v.command(t, "mount", "-t", v.kind, "-o", "loop,"+v.options, image, dir)
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// command runs a program that the file system needs.
func (v volume) command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Skipf("T2 NOT RUN: %s: %s: %v: %s", v.name, name, err, oneLine(out))
	}
	return string(out)
}

// TestVolumes runs on file systems that have journals, on one that has none, and on an overlay, as the others do.
func TestVolumes(t *testing.T) {
	prog := newProgram(t, "")
	if !inNamespace(t, prog) {
		return
	}
	for _, v := range []volume{
		{name: "ext4", kind: "ext4", mkfs: []string{"mkfs.ext4", "-q", "-F"}},
		{name: "ext2", kind: "ext2", mkfs: []string{"mkfs.ext2", "-q", "-F"}},
		{name: "xfs", kind: "xfs", mkfs: []string{"mkfs.xfs", "-q", "-f"}, options: "nouuid"},
		{name: "btrfs", kind: "btrfs", mkfs: []string{"mkfs.btrfs", "-q", "-f"}},
	} {
		t.Run(v.name, func(t *testing.T) { onVolume(t, prog, v, v.mount(t)) })
	}
	t.Run("overlayfs", func(t *testing.T) {
		layers := mount(t, "tmpfs", "size=64m")
		for _, dir := range []string{"lower", "upper", "work"} {
			if err := os.Mkdir(filepath.Join(layers, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		onVolume(t, prog, volume{name: "overlayfs"}, mount(t, "overlay",
			fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work%[2]s", layers, userXattrOption())))
	})
}

// TestVFAT runs on a file system without permissions, links and a journal, that folds case and has a second, short name for each file.
func TestVFAT(t *testing.T) {
	prog := newProgram(t, "")
	if !inNamespace(t, prog) {
		return
	}
	v := volume{name: "vfat", kind: "vfat", mkfs: []string{"mkfs.vfat"}, options: "utf8", plain: true, folds: true}
	onVolume(t, prog, v, v.mount(t))
}

// TestCasefold runs in a directory of an ext4 that folds case, width and what cannot be seen.
func TestCasefold(t *testing.T) {
	prog := newProgram(t, "")
	if !inNamespace(t, prog) {
		return
	}
	v := volume{name: "casefold ext4", kind: "ext4", mkfs: []string{"mkfs.ext4", "-q", "-F", "-O", "casefold"}, folds: true}
	dir := filepath.Join(v.mount(t), "folded")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	v.command(t, "chattr", "+F", dir)
	onVolume(t, prog, v, dir)
}

// onVolume applies, undoes, attacks and kills on a file system, and prints what it found.
func onVolume(t *testing.T, prog program, v volume, dir string) {
	t.Helper()
	works := workloads(t)
	for _, w := range works {
		if w.plain = v.plain; v.plain {
			for i, s := range w.states {
				w.states[i] = withoutModes(s)
			}
		}
	}
	var c count
	undone := 0
	for _, w := range works {
		r := c.try(t, realTrial{w: w, what: v.name, prog: prog, as: prog, dir: dir})
		if r.Exit != 0 {
			t.Errorf("%s on %s: exit %d: %s%s", w.name, v.name, r.Exit, r.Out, r.ErrText)
			continue
		}
		undone += undoes(t, prog, w, v, dir)
	}
	t.Logf("%s: changes and undos are done", v.name)
	same, tried := protectedOn(t, v, dir)
	t.Logf("%s: protected names are done: %d of %d", v.name, same, tried)
	var points []point
	for _, w := range works {
		points = append(points, w.points(len(w.recordIn(t, prog, dir)))...)
	}
	points = slices.DeleteFunc(points, func(p point) bool { return p.save != nil })
	sum := sweepIn(t, prog, some(t, points, int(number(t, "POINTS", 120)/8)), dir)
	for _, w := range sum.wrong {
		t.Errorf("%s: %s", v.name, w)
	}
	t.Logf("T2: %s: %s; %d undone; %d spellings of protected names reach them, %d tried, all refused; %d kills and failures, %d violations",
		v.name, &c, undone, same, tried, sum.tried, len(sum.wrong))
	if v.folds && same == 0 {
		t.Errorf("%s folds no name: the test tells nothing of it", v.name)
	}
}

// undoes applies a workload and takes it back. It returns 1 if the workload is one change that can be undone.
func undoes(t *testing.T, prog program, w *workload, v volume, dir string) int {
	t.Helper()
	if w.undo || w.verb != nil || len(w.states) > 2 {
		return 0
	}
	tr := &trial{point: point{w: w, name: w.name + "/undo on " + v.name}, prog: prog, dir: filepath.Join(dir, "ws")}
	if err := w.copy(tr.dir, prog); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tr.dir)
	for _, args := range [][]string{w.apply(), {"undo"}} {
		if r := prog.result(tr.dir, args...); r.Exit != 0 {
			t.Errorf("%s: %q: exit %d: %s%s", tr.name, args, r.Exit, r.Out, r.ErrText)
		}
	}
	if err := tr.expectState("undone", w.before()); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range tr.wrong {
		t.Errorf("%s: %s", tr.name, wrong)
	}
	return 1
}

// guarded are protected files, which agents must not write. Those that hold a secret must not be read either.
var guarded = map[string]string{
	".git/config": "", ".git/hooks/pre-commit": "", "sub/.git/config": "", ".claude/settings.json": "", ".vscode/tasks.json": "",
	".github/workflows/ci.yml": "", "opencode.json": "", ".envrc": "", ".husky/pre-push": "",
	".env": secretText, ".env.local": secretText, "server.pem": secretText, "deep/id_rsa": secretText, "deep/.netrc": secretText,
}

const secretText = "hunter2-hunter2\n"

// protectedOn tries other spellings of protected names: those that reach a protected file must be refused, and none may make one. It
// returns how many reach one, and how many calls were made.
func protectedOn(t *testing.T, v volume, dir string) (same, tried int) {
	t.Helper()
	for path := range guarded {
		others := []string{path}
		if v.folds {
			others = respellings(path)
		}
		for _, other := range others {
			full := filepath.Join(dir, "ws")
			plantGuarded(t, full)
			if reaches(full, other, path) {
				same++
				tried += attackGuarded(t, v, full, path, other)
			}
			os.RemoveAll(full)
			tried += makeGuarded(t, v, full, path, other)
			os.RemoveAll(full)
		}
	}
	return same, tried
}

func plantGuarded(t *testing.T, ws string) {
	t.Helper()
	for path, text := range guarded {
		full := filepath.Join(ws, path)
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		if err == nil {
			err = put(full, []byte(text+"old\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := put(filepath.Join(ws, "free.txt"), []byte("free\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// reaches reports whether another spelling of a path leads to the same file.
func reaches(ws, other, path string) bool {
	a, err := os.Stat(filepath.Join(ws, other))
	if err != nil {
		return false
	}
	b, err := os.Stat(filepath.Join(ws, path))
	return err == nil && os.SameFile(a, b)
}

// attackGuarded changes a protected file by another name, in every way, and reads it.
func attackGuarded(t *testing.T, v volume, ws, path, other string) (tried int) {
	t.Helper()
	was, err := read(ws, ".git/emend", ".emend")
	if err != nil {
		t.Fatal(err)
	}
	for what, patch := range map[string]string{
		"update":    "*** Update File: " + other + "\n@@\n-old\n+new\n",
		"delete":    "*** Delete File: " + other + "\n",
		"add":       "*** Add File: " + other + "\n+new\n",
		"move away": "*** Move File: " + other + " -> elsewhere.txt\n",
		"move onto": "*** Move File: free.txt -> " + other + "\n",
		"beside":    "*** Add File: " + filepath.Join(filepath.Dir(other), "beside.txt") + "\n+new\n",
	} {
		if up := filepath.Dir(path); what == "beside" && (up == "." || !strings.Contains(up, ".")) {
			continue // its directory is not protected
		}
		r := applyText(t, ws, patch)
		tried++
		is, err := read(ws, ".git/emend", ".emend")
		if d := difference(is, was); d != "" || err != nil || r.Exit != 1 {
			t.Errorf("%s: %s of %s by %q: exit %d, %v: %s%s%s", v.name, what, path, other, r.Exit, err, r.Out, r.ErrText, d)
		}
	}
	if guarded[path] == "" {
		return tried
	}
	tried += 2
	if text := readText(t, ws, other); strings.Contains(text, strings.TrimSpace(secretText)) {
		t.Errorf("%s: reading %q, or searching, shows %s: %s", v.name, other, path, text)
	}
	return tried
}

// makeGuarded adds a file with another spelling of a protected name where the protected one is not there.
func makeGuarded(t *testing.T, v volume, ws, path, other string) (tried int) {
	t.Helper()
	if other == path {
		return 0
	}
	if err := os.MkdirAll(filepath.Join(ws, ".emend"), 0o700); err != nil { // the top of the tree
		t.Fatal(err)
	}
	r := applyText(t, ws, "*** Add File: "+other+"\n+new\n")
	if _, err := os.Lstat(filepath.Join(ws, path)); err == nil {
		t.Errorf("%s: adding %q made %s: exit %d: %s%s", v.name, other, path, r.Exit, r.Out, r.ErrText)
	}
	return 1
}

// applyText applies a patch by the library, which takes less time than a process.
func applyText(t *testing.T, ws, sections string) Result {
	t.Helper()
	w, err := emend.Open(ws, emend.NoSync(), emend.UnsafeFS())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Apply(t.Context(), "*** Begin Patch\n"+sections+"*** End Patch\n", api.PatchOptions{Dialect: "emend", Lenient: true}); err != nil {
		return Result{Exit: 1, ErrText: err.Error()}
	}
	return Result{}
}

// readText returns what the workspace tells of a file, and what a search for the secrets finds.
func readText(t *testing.T, ws, path string) string {
	t.Helper()
	w, err := emend.Open(ws, emend.NoSync(), emend.UnsafeFS())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	read, err := w.Read(t.Context(), api.ReadRequest{Path: path})
	found, serr := w.Search(t.Context(), api.SearchRequest{Query: "hunter2", Mode: "text"})
	text, jerr := json.Marshal([]any{read, found})
	if jerr != nil {
		t.Fatal(jerr)
	}
	return fmt.Sprint(string(text), err, serr)
}

// respellings returns other spellings of the names of a path: those that some file system takes for the same.
func respellings(path string) []string {
	names := strings.Split(path, "/")
	out := []string{path}
	for i, name := range names {
		for _, other := range spellings(name) {
			if again := slices.Clone(names); other != name {
				again[i] = other
				out = append(out, strings.Join(again, "/"))
			}
		}
	}
	return out
}

func spellings(name string) []string {
	base, ext, _ := strings.Cut(strings.TrimLeft(name, "."), ".")
	short := strings.ToUpper(strings.NewReplacer(" ", "", "+", "_", ",", "_").Replace(base))
	out := []string{strings.ToUpper(name), name[:1] + strings.ToUpper(name[1:2]) + name[2:], name + ".", name + " ", name + ". .", name + "::$DATA",
		name[:1] + "\u200c" + name[1:], name + "\ufeff", name[:1] + "\u00ad" + name[1:], name[:1] + "\u034f" + name[1:],
		strings.NewReplacer("k", "\u212a", "s", "ſ").Replace(name), strings.Map(wide, name),
		strings.NewReplacer("i", "ı").Replace(name), strings.NewReplacer("s", "ß").Replace(name), strings.NewReplacer("fi", "ﬁ", "st", "ﬆ").Replace(name)}
	for _, e := range []string{"", "." + strings.ToUpper(ext[:min(3, len(ext))])} {
		out = append(out, short[:min(6, len(short))]+"~1"+e, strings.ToLower(short[:min(6, len(short))]+"~1"+e))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func wide(r rune) rune {
	if r > ' ' && r < 0x7f {
		return r - '!' + '！'
	}
	return r
}
