//go:build linux

package scenes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// TestUndoLaw checks that undoing any sequence of calls, the newest first, restores the tree before each of them: bytes, modes,
// links and directories. Undoing the undos restores what the calls had left. The same holds for the undo of a whole session.
func TestUndoLaw(t *testing.T) {
	n, first := number(t, "EMEND_SCENES_SEQUENCES", 30), seed(t)
	made := map[string]int{}
	for i := range n {
		whole := i%2 == 1
		if !t.Run(fmt.Sprint(first+uint64(i)), func(t *testing.T) { checkUndo(t, first+uint64(i), whole, made) }) {
			t.Fatalf("again: EMEND_SCENES_SEQUENCES=%d EMEND_SCENES_SEED=%d", 1+i%2, first+uint64(i-i%2))
		}
	}
	var said []string
	for _, what := range slices.Sorted(maps.Keys(made)) {
		said = append(said, fmt.Sprintf("%s %d", what, made[what]))
	}
	t.Logf("%d sequences from seed %d, calls that were done and taken back: %s", n, first, strings.Join(said, ", "))
	for what := range randomCalls {
		if n >= 30 && made[what] == 0 {
			t.Errorf("no %s was ever done", what)
		}
	}
}

// checkUndo makes calls and undoes them, one by one or as a session.
func checkUndo(t *testing.T, seed uint64, whole bool, made map[string]int) {
	ws := workspace(t, emend.NoSync())
	h := &randomCaller{ws: ws, dir: ws.Root(), rng: rand.New(rand.NewPCG(seed, 3)), made: made}
	h.createFiles(t)
	trees, txs := h.play(t, 3+h.rng.IntN(12))
	if whole {
		h.session(t, txs, trees)
		return
	}
	back := h.unwind(t, txs, trees)
	slices.Reverse(trees)
	h.unwind(t, back, trees)
}

// randomCaller makes random calls.
type randomCaller struct {
	ws    *emend.Workspace
	dir   string
	rng   *rand.Rand
	made  map[string]int
	trash []string
	n     int
	said  []string
}

// createFiles creates what the calls work on.
func (h *randomCaller) createFiles(t *testing.T) {
	t.Helper()
	for name, content := range map[string]string{
		"a.txt": numbered("a", 30, "\n"), "crlf.txt": numbered("c", 12, "\r\n"), "mixed.txt": "one\r\ntwo\nthree\r\nfour\n",
		"no-newline.txt": "one\ntwo\nthree", "empty.txt": "", "run.sh": "#!/bin/sh\necho one\necho two\n", "bom.txt": "\ufeffone\ntwo\n",
		"d/private.txt": numbered("p", 9, "\n"), "d/e/read-only.txt": "one\ntwo\n", "binary": "\x00\x01\xff\n\x00", "latin": "caf\xe9\ntwo\n",
	} {
		write(t, filepath.Join(h.dir, name), content)
	}
	for name, m := range map[string]fs.FileMode{"run.sh": 0o755, "d/private.txt": 0o600, "d/e/read-only.txt": 0o444, "d/e": 0o700, "crlf.txt": 0o640} {
		if err := os.Chmod(filepath.Join(h.dir, name), m); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"to-file": "a.txt", "to-dir": "d", "d/to-nothing": "../nowhere"} {
		if err := os.Symlink(target, filepath.Join(h.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func numbered(what string, n int, end string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d%s", what, i, end)
	}
	return b.String()
}

// treeEntry is one entry of a tree.
type treeEntry struct {
	mode fs.FileMode
	text string // bytes of a file, target of a link
}

// tree is everything below the root except the store.
type tree map[string]treeEntry

func grow(t *testing.T, dir string) tree {
	t.Helper()
	out := tree{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if rel == ".git" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		is := treeEntry{mode: info.Mode()}
		switch {
		case info.Mode().IsRegular():
			var b []byte
			b, err = os.ReadFile(name)
			is.text = string(b)
		case info.Mode()&fs.ModeSymlink != 0:
			is.text, err = os.Readlink(name)
		}
		out[rel] = is
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// against lists the differences from want.
func (tr tree) against(want tree) (out []string) {
	all := maps.Clone(tr)
	maps.Copy(all, want)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		is, there := tr[name]
		was, before := want[name]
		switch {
		case !before:
			out = append(out, fmt.Sprintf("%s is there (%s), and should not be", name, is.mode))
		case !there:
			out = append(out, fmt.Sprintf("%s (%s) is missing", name, was.mode))
		case is != was:
			out = append(out, fmt.Sprintf("%s is %s %.80q, want %s %.80q", name, is.mode, is.text, was.mode, was.text))
		}
	}
	return out
}

func (h *randomCaller) ctx(t *testing.T, session string) context.Context {
	return emend.WithActor(t.Context(), api.Actor{Session: session, Tool: "hand"})
}

// play makes calls until n have succeeded. It returns the tree before all and after each, and their entries in the log.
func (h *randomCaller) play(t *testing.T, n int) (trees []tree, txs []string) {
	t.Helper()
	ctx := h.ctx(t, "calls")
	trees = []tree{grow(t, h.dir)}
	kinds := slices.Sorted(maps.Keys(randomCalls))
	for tries := 0; len(txs) < n && tries < 20*n; tries++ {
		what := kinds[h.rng.IntN(len(kinds))]
		now := trees[len(trees)-1]
		h.n++
		call, words := randomCalls[what](h, now)
		if call == nil {
			continue
		}
		tx, err := call(ctx)
		after := grow(t, h.dir)
		if err != nil {
			h.refused(t, what+" "+words, err, after.against(now))
			continue
		}
		if tx == "" {
			t.Fatalf("%s %s was done, and has no name", what, words)
		}
		h.said = append(h.said, fmt.Sprintf("%s: %s %s", tx, what, words))
		h.made[what]++
		trees, txs = append(trees, after), append(txs, tx)
	}
	return trees, txs
}

// refused checks a refused call: it must be refused for a valid reason, and change nothing.
func (h *randomCaller) refused(t *testing.T, what string, err error, changed []string) {
	t.Helper()
	if len(changed) > 0 {
		t.Fatalf("%s was refused (%v), and changed:\n%s", what, err, strings.Join(changed, "\n"))
	}
	for _, k := range []fail.Kind{fail.Unknown, fail.Timeout, fail.Stale, fail.PatchParse} {
		if errors.Is(err, k) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if _, ok := errors.AsType[*emend.Refusal](err); !ok {
		t.Fatalf("%s: %v is no refusal", what, err)
	}
	h.made["(refused) "+strings.Fields(what)[0]]++
}

// unwind undoes the entries, the last one first: trees[i] is the tree before entry i.
func (h *randomCaller) unwind(t *testing.T, txs []string, trees []tree) (undone []string) {
	t.Helper()
	for i := len(txs) - 1; i >= 0; i-- {
		rep, err := h.ws.Undo(h.ctx(t, "undo"), api.UndoRequest{Entry: txs[i]})
		if err != nil {
			t.Fatalf("undo of entry %d, %s: %v\nof\n%s", i+1, txs[i], err, strings.Join(h.said, "\n"))
		}
		h.checkTree(t, fmt.Sprintf("the undo of entry %d, %s", i+1, txs[i]), trees[i])
		undone = append(undone, rep.Tx)
	}
	return undone
}

// session undoes the session, and then the undo. A link cannot take the place of something else in the undo of a session: that
// is refused and changes nothing, and single undos work.
func (h *randomCaller) session(t *testing.T, txs []string, trees []tree) {
	t.Helper()
	first, last := trees[0], trees[len(trees)-1]
	rep, err := h.ws.Undo(h.ctx(t, "undo"), api.UndoRequest{SessionID: "calls"})
	if errors.Is(err, fail.AlreadyExists) && strings.Contains(err.Error(), "symbolic link") {
		h.made["(refused) undo"]++
		h.checkTree(t, "the refusal: "+err.Error(), last)
		h.unwind(t, txs, trees)
		return
	}
	if err != nil {
		t.Fatalf("undo of all: %v\nof\n%s", err, strings.Join(h.said, "\n"))
	}
	h.checkTree(t, "the undo of all, "+rep.Tx, first)
	if rep, err = h.ws.Undo(h.ctx(t, "again"), api.UndoRequest{SessionID: "undo"}); err != nil {
		t.Fatalf("undo of the undo: %v\nof\n%s", err, strings.Join(h.said, "\n"))
	}
	h.checkTree(t, "the undo of the undo, "+rep.Tx, last)
}

// checkTree checks the tree.
func (h *randomCaller) checkTree(t *testing.T, after string, want tree) {
	t.Helper()
	if diff := grow(t, h.dir).against(want); len(diff) > 0 {
		t.Fatalf("after %s:\n%s\nof\n%s", after, strings.Join(diff, "\n"), strings.Join(h.said, "\n"))
	}
}

// done is a call that can be made. It returns its entry in the log.
type done func(ctx context.Context) (tx string, err error)

// randomCalls are the calls that a hand makes in a tree, with a description. A nil call means that the tree has nothing for it.
var randomCalls = map[string]func(h *randomCaller, now tree) (done, string){
	"create_file": (*randomCaller).create,
	"write_file":  (*randomCaller).rewrite,
	"edit_file":   (*randomCaller).edit,
	"delete_file": (*randomCaller).remove,
	"move_file":   func(h *randomCaller, now tree) (done, string) { return h.move(now, h.free(now), false) },
	"move_file over": func(h *randomCaller, now tree) (done, string) {
		return h.move(now, h.pick(now, treeEntry.movable), true)
	},
	"restore_file": (*randomCaller).restore,
	"apply_patch":  (*randomCaller).patch,
}

func (l treeEntry) regular() bool { return l.mode.IsRegular() }
func (l treeEntry) movable() bool { return !l.mode.IsDir() }
func (l treeEntry) isText() bool  { return l.regular() && !strings.Contains(l.text, "\x00") }

// pick returns a random path that satisfies is, or "".
func (h *randomCaller) pick(now tree, is func(treeEntry) bool) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if is(now[name]) {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[h.rng.IntN(len(all))]
}

// free returns a path that does not exist, maybe in directories that do not exist.
func (h *randomCaller) free(now tree) string {
	dir := []string{".", "d", "d/e", fmt.Sprintf("new%d", h.n), fmt.Sprintf("d/deep%d/er", h.n), "shared/below"}[h.rng.IntN(6)]
	return path.Join(dir, fmt.Sprintf("f%d", h.n))
}

// content returns a text that no other call has written.
func (h *randomCaller) content() string {
	mine := fmt.Sprintf("by call %d\n", h.n)
	return []string{"", mine, mine + "no newline", strings.ReplaceAll(mine+"and\nmore\n", "\n", "\r\n"), mine + numbered("n", 40, "\n"),
		"\ufeff" + mine, mine + "ünïcödé ✓\n"}[h.rng.IntN(7)]
}

func txOf[T any](a *api.Answer[T], err error) (string, error) {
	if err != nil {
		return "", err
	}
	return a.Tx, nil
}

func (h *randomCaller) create(now tree) (done, string) {
	r := api.CreateRequest{Path: h.free(now), Content: h.content(), CreateParentDirectories: h.rng.IntN(5) > 0, Executable: h.rng.IntN(3) == 0}
	return func(ctx context.Context) (string, error) { return txOf(h.ws.Create(ctx, r)) }, fmt.Sprintf("%s %.20q", r.Path, r.Content)
}

func (h *randomCaller) rewrite(now tree) (done, string) {
	name := h.pick(now, treeEntry.isText)
	if name == "" {
		return nil, ""
	}
	r := api.WriteRequest{Path: name, Content: fmt.Sprintf("rewritten %d\n", h.n) + h.content(), ExpectedSha256: hash(now[name].text)}
	return func(ctx context.Context) (string, error) { return txOf(h.ws.Write(ctx, r)) }, fmt.Sprintf("%s %.20q", name, r.Content)
}

func (h *randomCaller) edit(now tree) (done, string) {
	name := h.pick(now, func(l treeEntry) bool { return l.isText() && len(l.text) > 0 })
	if name == "" {
		return nil, ""
	}
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(now[name].text, "\ufeff"), "\r\n", "\n"), "\n")
	r := api.EditRequest{Path: name, ExpectedSha256: hash(now[name].text)}
	for i := range 1 + h.rng.IntN(3) {
		old := lines[h.rng.IntN(len(lines))]
		to := []string{fmt.Sprintf("edited %d.%d", h.n, i), "", fmt.Sprintf("edited %d.%d\nand one more", h.n, i), old + " and more"}[h.rng.IntN(4)]
		r.Edits = append(r.Edits, api.TextEdit{OldText: old, NewText: to})
	}
	return func(ctx context.Context) (string, error) { return txOf(h.ws.Edit(ctx, r)) }, fmt.Sprintf("%s %.60q", name, fmt.Sprint(r.Edits))
}

func (h *randomCaller) remove(now tree) (done, string) {
	name := h.pick(now, treeEntry.movable)
	if name == "" {
		return nil, ""
	}
	r := api.DeleteRequest{Path: name}
	if now[name].regular() && h.rng.IntN(2) == 0 {
		r.ExpectedSha256 = hash(now[name].text)
	}
	return func(ctx context.Context) (string, error) {
		a, err := h.ws.Delete(ctx, r)
		if err == nil {
			h.trash = append(h.trash, a.Data.TrashedTo)
		}
		return txOf(a, err)
	}, name
}

// move moves a file or a link. The hash of a link is that of its target.
func (h *randomCaller) move(now tree, to string, over bool) (done, string) {
	from := h.pick(now, treeEntry.movable)
	if from == "" || to == "" || from == to {
		return nil, ""
	}
	r := api.MoveRequest{FromPath: from, ToPath: to, Overwrite: over, ExpectedSha256: hash(now[from].text),
		CreateParentDirectories: h.rng.IntN(5) > 0}
	return func(ctx context.Context) (string, error) {
		a, err := h.ws.Move(ctx, r)
		if err == nil && over {
			h.trash = append(h.trash, a.Data.OverwroteTrashedTo)
		}
		return txOf(a, err)
	}, from + " to " + to
}

func (h *randomCaller) restore(now tree) (done, string) {
	if len(h.trash) == 0 {
		return nil, ""
	}
	r := api.RestoreRequest{TrashedPath: h.trash[h.rng.IntN(len(h.trash))]}
	if h.rng.IntN(2) == 0 {
		r.TargetPath = h.free(now)
	}
	return func(ctx context.Context) (string, error) { return txOf(h.ws.Restore(ctx, r)) }, r.TrashedPath + " to " + r.TargetPath
}

// patch changes several files at once.
func (h *randomCaller) patch(now tree) (done, string) {
	lines := []string{"*** Add File: " + h.free(now), "+added by " + fmt.Sprint(h.n), "+and more"}
	used := map[string]bool{}
	for range 1 + h.rng.IntN(3) {
		name := h.pick(now, func(l treeEntry) bool { return l.isText() && strings.Count(l.text, "\n") > 1 })
		if name == "" || used[name] {
			continue
		}
		used[name] = true
		first, _, _ := strings.Cut(strings.TrimPrefix(now[name].text, "\ufeff"), "\n")
		first = strings.TrimSuffix(first, "\r")
		hunk := []string{"@@", "-" + first, fmt.Sprintf("+patched %d", h.n)}
		switch h.rng.IntN(4) {
		case 0:
			lines = append(lines, "*** Delete File: "+name)
		case 1:
			lines = append(append(lines, "*** Update File: "+name, "*** Move to: "+h.free(now)+"-"+path.Base(name)), hunk...)
		default:
			lines = append(append(lines, "*** Update File: "+name), hunk...)
		}
	}
	text := envelope(lines...)
	return func(ctx context.Context) (string, error) {
		rep, err := h.ws.Apply(ctx, text, api.PatchOptions{})
		if err != nil {
			return "", err
		}
		return rep.Tx, nil
	}, fmt.Sprintf("%.300q", text)
}
