//go:build linux && (amd64 || arm64)

package landing_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/commit"
	"golang.org/x/sys/unix"
)

// leftOutWorld has directories that ignore rules leave out: one by name, one by a rule, one by a rule that has a tracked file.
func leftOutWorld(t *testing.T) *world {
	t.Helper()
	w := gitWorld(t)
	write(t, w.path(".gitignore"), "dist/\n/built\n")
	must(t, os.MkdirAll(w.path("built"), 0o755))
	write(t, w.path("built/tracked"), "tracked\n")
	w.git("add", "-f", "built/tracked", ".gitignore")
	w.git("commit", "-qm", "rules")
	for p, text := range map[string]string{"node_modules/a/index.js": "a\n", "node_modules/a/deep/er/x": "x\n", "node_modules/b/index.js": "b\n", "dist/out.js": "out\n"} {
		must(t, os.MkdirAll(filepath.Dir(w.path(p)), 0o755))
		write(t, w.path(p), text)
	}
	return w
}

// moves skips a test of whole directories where the file system of the tests has no journal: there they land file by file.
func (w *world) moves() {
	w.t.Helper()
	if is := w.filesystem(); !is.Journal {
		w.t.Skip("NOT RUN: the file system of the tests has no journal: " + is.Type)
	}
}

func (w *world) filesystem() commit.FS {
	w.t.Helper()
	is, err := commit.Filesystem(w.dir)
	must(w.t, err)
	return is
}

// said returns what a report says of each path.
func said(rep *api.RunReport) (out []string) {
	for _, f := range rep.Files {
		s := f.Operation + " " + f.Path
		if f.Files > 0 {
			s += fmt.Sprintf(" %d files %d bytes", f.Files, f.Bytes)
		}
		out = append(out, s)
	}
	return out
}

func (w *world) says(rep *api.RunReport, want ...string) {
	w.t.Helper()
	if got := said(rep); strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("the report says %q, want %q", got, want)
	}
}

func (w *world) undo(entry string) (notes []string, err error) {
	w.t.Helper()
	rep, err := w.ws.Undo(context.Background(), api.UndoRequest{Entry: entry})
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprint(rep.Result())}, nil
}

// TestLeftOut: whatever a command does in directories that ignore rules leave out lands, is counted and not listed, and leaves nothing
// in the store.
func TestLeftOut(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		want   []string // what the report says
	}{
		"new":          {"mkdir -p x/node_modules/c/d; echo 1 > x/node_modules/c/d/1; echo 22 > x/node_modules/2; ln -s 2 x/node_modules/l", []string{"add x/node_modules 3 files 5 bytes"}},
		"replaced":     {"rm -rf node_modules; mkdir -p node_modules/c; echo c > node_modules/c/index.js", []string{"update node_modules 1 files 2 bytes"}},
		"emptied":      {"rm -rf node_modules/*; mkdir -p node_modules/a; echo new > node_modules/a/index.js", []string{"update node_modules 2 files 6 bytes"}},
		"gone":         {"rm -rf dist", []string{"delete dist 1 files 4 bytes"}},
		"in place":     {"echo more >> node_modules/b/index.js; rm node_modules/a/index.js; echo n > node_modules/n", []string{"update node_modules 3 files 9 bytes"}},
		"with others":  {"echo 1 > tracked; rm -rf dist; mkdir dist; echo 2 > dist/2", []string{"update dist 1 files 2 bytes", "add tracked"}},
		"tracked":      {"rm -rf built; mkdir built; echo 1 > built/1", []string{"add built/1", "delete built/tracked"}},
		"ignored now":  {"echo /late >> .gitignore; mkdir late; echo 1 > late/1", []string{"update .gitignore", "add late/1"}},
		"modes":        {"mkdir -m 700 dist/x; echo 1 > dist/x/1; chmod 600 dist/x/1; mkdir dist/x/empty; chmod 750 dist/x/empty", []string{"update dist 1 files 2 bytes"}},
		"moved within": {"mkdir -p dist/x; mv node_modules/b/index.js dist/x/moved; rm -rf node_modules", []string{"update dist 1 files 2 bytes", "delete node_modules 3 files 6 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := leftOutWorld(t)
			twin := leftOutWorld(t)
			cmd := exec.Command("sh", "-ec", tc.script)
			cmd.Dir = twin.dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			rep := w.lands(tc.script)
			if d := diff(withoutGit(twin.tree()), withoutGit(w.tree())); d != "" {
				t.Errorf("it landed otherwise than it runs alone:\n%s", d)
			}
			exact := w.filesystem().Journal && name != "emptied" && name != "in place" && name != "moved within"
			if exact || len(rep.Files) != len(tc.want) { // file by file, each is counted for itself
				w.says(rep, tc.want...)
			}
			for p := range w.tree() {
				if marks := overlayMarks(w.path(p)); marks != "" {
					t.Errorf("%s has marks of the overlay: %q", p, marks)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(w.store(), "dropped", "*")); len(left) > 0 {
				t.Errorf("left in the store: %q", left)
			}
		})
	}
}

// withoutGit leaves out what is in .git, which has times in it.
func withoutGit(tree map[string]string) map[string]string {
	for p := range tree {
		if strings.HasPrefix(p, ".git/") {
			delete(tree, p)
		}
	}
	return tree
}

func overlayMarks(p string) string {
	buf := make([]byte, 4096)
	n, err := unix.Llistxattr(p, buf)
	if err != nil || !strings.Contains(string(buf[:n]), "overlay.") {
		return ""
	}
	return string(buf[:n])
}

// TestLeftOutUndo: a new directory goes again, if nobody worked in it; what was there before stays, and the undo says so.
func TestLeftOutUndo(t *testing.T) {
	w := leftOutWorld(t)
	w.moves()
	before := w.tree()
	rep := w.lands("mkdir -p x/node_modules/c; echo 1 > x/node_modules/c/1; echo 1 > file")
	notes, err := w.undo(rep.Entry)
	must(t, err)
	if d := diff(withoutGit(before), withoutGit(w.tree())); d != "" {
		t.Errorf("after the undo:\n%s", d)
	}
	if !strings.Contains(strings.Join(notes, "\n"), "x/node_modules: it goes with all that is in it (1 file, 2 bytes)") {
		t.Errorf("notes = %q", notes)
	}
	rep = w.lands("mkdir -p x/node_modules/c; echo 1 > x/node_modules/c/1; echo 1 > file; rm -rf dist")
	write(t, w.path("x/node_modules/c/1"), "mine\n")
	notes, err = w.undo(rep.Entry)
	must(t, err)
	w.has("x/node_modules/c/1", "mine\n")
	w.hasNot("file")
	w.hasNot("dist")
	if all := strings.Join(notes, "\n"); !strings.Contains(all, "x/node_modules: something in it changed since") || !strings.Contains(all, "dist: ignore rules leave it out") {
		t.Errorf("notes = %q", notes)
	}
	rep = w.lands("rm -rf node_modules")
	if _, err = w.undo(rep.Entry); err == nil || !strings.Contains(err.Error(), "nothing of this change can be undone") {
		t.Errorf("err = %v", err)
	}
}

// TestLeftOutIsMoved: what lands whole is the very directory of the layer, and what it replaced is not kept.
func TestLeftOutIsMoved(t *testing.T) {
	w := leftOutWorld(t)
	w.moves()
	slots := w.slots()
	w.lands("rm -rf node_modules; mkdir node_modules; i=0; while [ $i -lt 300 ]; do echo $i > node_modules/$i; i=$((i+1)); done")
	if n := w.slots(); n != slots {
		t.Errorf("%d slots, %d before", n, slots)
	}
	w.has("node_modules/299", "299\n")
	w.hasNot("node_modules/a")
}

// TestLeftOutJudged: every path in such a directory is judged, what comes and what goes.
func TestLeftOutJudged(t *testing.T) {
	for name, tc := range map[string]struct{ before, script, why string }{
		"protected":           {"", "mkdir -p dist/n/.git; echo 1 > dist/n/.git/config", "protected"},
		"protected, replaced": {"node_modules/c/.git/config", "rm -rf node_modules", "protected"},
		"a repository":        {"", "mkdir -p x/dist/r/refs x/dist/r/objects; echo 1 > x/dist/r/HEAD; echo 1 > x/dist/r/refs/x", "git repository"},
		"a repository goes":   {"dist/r/HEAD dist/r/refs/x dist/r/objects/y", "rm -rf dist", "repository"},
		"a FIFO":              {"", "mkdir -p x/dist; mkfifo x/dist/f", "a FIFO"},
	} {
		t.Run(name, func(t *testing.T) {
			w := leftOutWorld(t)
			for p := range strings.FieldsSeq(tc.before) {
				must(t, os.MkdirAll(filepath.Dir(w.path(p)), 0o755))
				write(t, w.path(p), "x\n")
			}
			w.discard(w.refused(context.Background(), tc.script, tc.why))
		})
	}
}

// TestLeftOutSavedMeanwhile: somebody works in a directory that the command replaces or removes.
func TestLeftOutSavedMeanwhile(t *testing.T) {
	for name, person := range map[string]func(w *world){
		"in place":  func(w *world) { write(w.t, w.path("node_modules/a/deep/er/x"), "y\n") },
		"new":       func(w *world) { write(w.t, w.path("node_modules/a/deep/er/new"), "new\n") },
		"removed":   func(w *world) { os.Remove(w.path("node_modules/a/deep/er/x")) },
		"mode":      func(w *world) { os.Chmod(w.path("node_modules/b/index.js"), 0o600) },
		"over name": func(w *world) { os.Rename(w.path("node_modules/b"), w.path("node_modules/z")) },
	} {
		for how, rest := range map[string]string{"replaced": "rm -rf node_modules; mkdir node_modules; echo 1 > node_modules/1", "gone": "rm -rf node_modules"} {
			t.Run(name+" "+how, func(t *testing.T) {
				w := leftOutWorld(t)
				script := w.meanwhile("true", rest, func() { person(w) })
				rep, err := w.run(context.Background(), script)
				w.isRefused(err, "somebody")
				if _, serr := os.Stat(w.path("node_modules/a/index.js")); serr != nil || rep.Layer == "" {
					t.Fatalf("%v, %+v", serr, rep)
				}
				w.discard(rep.Layer)
			})
		}
	}
}

// TestLeftOutLandsLater: a layer with whole directories that was refused lands when what was in the way is gone.
func TestLeftOutLandsLater(t *testing.T) {
	w := leftOutWorld(t)
	script := w.meanwhile("echo 1 > made", "rm -rf node_modules; mkdir -p node_modules/n; echo 1 > node_modules/n/1", func() { write(t, w.path("made"), "by a person\n") })
	rep, err := w.run(context.Background(), script)
	w.isRefused(err, "somebody")
	w.has("node_modules/a/index.js", "a\n")
	must(t, os.Remove(w.path("made")))
	_, err = w.ws.Host().LandLayer(context.Background(), rep.Layer)
	must(t, err)
	w.has("node_modules/n/1", "1\n")
	w.hasNot("node_modules/a")
	w.noLayers()
}

// TestKeepIgnored: on request, what ignore rules leave out is listed, kept and undone like all else, also of a layer that lands later.
func TestKeepIgnored(t *testing.T) {
	w := leftOutWorld(t)
	before := w.tree()
	ctx := context.Background()
	rep, err := w.request(ctx, api.RunRequest{Args: []string{"sh", "-ec", "rm -r dist; echo 1 > node_modules/n; echo 2 > node_modules/a/index.js"}, KeepIgnored: true})
	must(t, err)
	w.says(rep, "delete dist/out.js", "update node_modules/a/index.js", "add node_modules/n")
	if _, err := w.undo(rep.Entry); err != nil {
		t.Fatal(err)
	}
	if d := diff(withoutGit(before), withoutGit(w.tree())); d != "" {
		t.Errorf("after the undo:\n%s", d)
	}
	script := w.meanwhile("echo 1 > made", "echo 2 > node_modules/n", func() { write(t, w.path("made"), "by a person\n") })
	rep, err = w.request(ctx, api.RunRequest{Args: []string{"sh", "-ec", script}, KeepIgnored: true})
	w.isRefused(err, "somebody")
	must(t, os.Remove(w.path("made")))
	rep, err = w.ws.Host().LandLayer(ctx, rep.Layer)
	must(t, err)
	w.says(rep, "add made", "add node_modules/n")
	w.noLayers()
}

// TestGenerated: packages carry settings of editors and pipelines, and land with them. Repositories do not, nor what ignore rules leave
// out because it is protected itself; and a rule of the policy counts everywhere.
func TestGenerated(t *testing.T) {
	w := leftOutWorld(t)
	write(t, w.path(".gitignore"), "dist/\n/.vscode/\n")
	w.git("commit", "-qam", "more rules")
	for _, dir := range []string{"dist/new", "node_modules/c"} { // one comes whole, the other into a directory that is there
		w.lands("mkdir -p " + dir + "/.github/workflows " + dir + "/.vscode; cd " + dir + "; echo x > .github/workflows/a.yml; echo x > .vscode/settings.json; echo x > .env; echo x > AGENTS.md")
		w.has(dir+"/.vscode/settings.json", "x\n")
		w.discard(w.refused(t.Context(), "mkdir -p "+dir+"/.git; echo x > "+dir+"/.git/x", "protected"))
		w.discard(w.refused(t.Context(), "mkdir -p "+dir+"/.idea/.git; echo x > "+dir+"/.idea/.git/x", "protected"))
		w.discard(w.refused(t.Context(), "git init -q --bare "+dir+"/bare", "repository"))
	}
	w.discard(w.refused(t.Context(), "mkdir .vscode; echo x > .vscode/settings.json", "protected"))
	w.discard(w.refused(t.Context(), "mkdir -p src/.vscode; echo x > src/.vscode/settings.json", "protected"))
}
