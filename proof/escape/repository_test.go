//go:build linux || darwin

package escape

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// The attacks in this file make git run a program. git itself says whether they did: it is run in every directory that is
// left, and it must not find a repository that was not there before, nor run anything of the workspace.

// canary is what an attack's settings and hooks create.
const canary = "PWNED"

// evilParts are the parts of a repository that runs a program as soon as somebody asks for its status.
func evilParts(top string) map[string]string {
	return map[string]string{
		"HEAD":      "ref: refs/heads/main\n",
		"config":    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch " + top + "/" + canary + "; false\"\n",
		"objects/x": "x\n",
		"refs/x":    "x\n",
	}
}

// gits are the versions of git that judge: the one in PATH, and those that EMEND_GITS names, separated as PATH is.
var gits = sync.OnceValue(func() (found []gitProgram) {
	programs := filepath.SplitList(os.Getenv("EMEND_GITS"))
	if path, err := exec.LookPath("git"); err == nil {
		programs = append([]string{path}, programs...)
	}
	for _, path := range programs {
		out, err := exec.Command(path, "version").Output()
		if err != nil {
			panic(fmt.Sprintf("EMEND_GITS: %s: %v", path, err))
		}
		version := strings.Fields(strings.TrimPrefix(string(out), "git version "))[0]
		if !slices.ContainsFunc(found, func(g gitProgram) bool { return g.version == version }) {
			found = append(found, gitProgram{path, version})
		}
	}
	return found
})

type gitProgram struct{ path, version string }

// needGits skips a test that has no git to judge it.
func needGits(t *testing.T) {
	t.Helper()
	if len(gits()) == 0 {
		t.Skip("NOT RUN: git is not installed, and EMEND_GITS names none")
	}
}

// TestGits says which versions judge. An old and a current one are wanted: what counts as a repository is git's decision.
func TestGits(t *testing.T) {
	needGits(t)
	old, current := false, false
	for _, g := range gits() {
		t.Log("git", g.version)
		var major, minor int
		fmt.Sscanf(g.version, "%d.%d", &major, &minor) //nolint:errcheck // zeros are old
		isOld := major == 2 && minor < 45
		old, current = old || isOld, current || !isOld
	}
	if !old || !current {
		t.Skipf("NOT RUN: the attacks are judged by %v only, not by both an older git (before 2.45) and a current one; EMEND_GITS names more", gits())
	}
}

// command is git in a directory, with no settings but that every repository is trusted, whoever owns it.
func (g gitProgram) command(t testing.TB, top, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(g.path, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + trusting(t),
		"GIT_CEILING_DIRECTORIES=" + top, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "LC_ALL=C"}
	return cmd
}

func (g gitProgram) run(t testing.TB, top, dir string, args ...string) (string, error) {
	t.Helper()
	out, err := g.command(t, top, dir, args...).CombinedOutput()
	return string(out), err
}

// trusting is a file of settings that every run of git has.
func trusting(t testing.TB) string {
	t.Helper()
	trustingOnce.Do(func() {
		f, err := os.CreateTemp("", "gitconfig")
		check(t, err)
		defer f.Close()
		_, err = f.WriteString("[safe]\n\tdirectory = *\n[protocol \"file\"]\n\tallow = always\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n")
		check(t, err)
		trustingFile = f.Name()
	})
	return trustingFile
}

var (
	trustingOnce sync.Once
	trustingFile string
)

// mustRun runs the first git, for a person who makes something.
func mustRun(t testing.TB, top, dir string, args ...string) {
	t.Helper()
	if out, err := gits()[0].run(t, top, dir, args...); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// repositories returns the git directory that git finds from each directory of the workspace.
func repositories(t testing.TB, top string, g gitProgram, env ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, dir := range directoriesBelow(t, top+"/ws") {
		cmd := g.command(t, top, dir, "rev-parse", "--absolute-git-dir")
		cmd.Env = append(cmd.Env, env...)
		found, err := cmd.Output()
		if err == nil {
			out[strings.TrimPrefix(dir, top+"/")] = strings.TrimPrefix(strings.TrimSpace(string(found)), top+"/")
		}
	}
	return out
}

// directoriesBelow returns dir and every directory below it, but for stores.
func directoriesBelow(t testing.TB, dir string) (out []string) {
	t.Helper()
	check(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == ".emend" {
			return filepath.SkipDir
		}
		out = append(out, path)
		return nil
	}))
	return out
}

// ran asks every git for the status and the log in every directory of the workspace, and reports whether the canary was
// created.
func ran(t testing.TB, top string) (by []string) {
	t.Helper()
	for _, g := range gits() {
		for _, dir := range directoriesBelow(t, top+"/ws") {
			for _, args := range [][]string{{"status"}, {"log"}} {
				g.run(t, top, dir, args...) //nolint:errcheck // most of them are in no repository
				if os.Remove(top+"/"+canary) == nil {
					by = append(by, fmt.Sprintf("git %s %v in %s", g.version, args, strings.TrimPrefix(dir, top+"/")))
				}
			}
		}
	}
	return by
}

// bareGround is a workspace without a repository.
func bareGround(t testing.TB) (top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	plant(t, top, map[string]string{"ws/f": "old\n", "ws/a/b/f": "old\n", "ws/.emend/": ""})
	check(t, os.Remove(top+"/ws/.emend"))
	return top
}

func openAt(t testing.TB, top string, o ...emend.Option) *emend.Workspace {
	t.Helper()
	ws, err := emend.Open(top+"/ws", append([]emend.Option{emend.NoSync()}, o...)...)
	check(t, err)
	t.Cleanup(func() { ws.Close() })
	return ws
}

// way is a way in which an agent puts a file at a path. ready is what a person does before, whom nothing is forbidden.
type way struct {
	name  string
	ready func(t testing.TB, top string, person *emend.Workspace, path, content string) (key string)
	put   func(t testing.TB, agent *emend.Workspace, key, path, content string) error
}

func nothingToDo(testing.TB, string, *emend.Workspace, string, string) string { return "" }

// seed puts the content where an agent may have it, and returns the path.
func seed(t testing.TB, top string, _ *emend.Workspace, path, content string) string {
	name := "seeds/" + strings.ReplaceAll(path, "/", "-")
	plant(t, top, map[string]string{"ws/" + name: content})
	return name
}

// plus prints a content as the body of a section that adds it.
func plus(content string) string {
	return "+" + strings.ReplaceAll(strings.TrimSuffix(content, "\n"), "\n", "\n+") + "\n"
}

// waysToPut are all of them.
func waysToPut() (out []way) {
	for _, dialect := range []string{"emend", "comma", "codex", "supyagent", "chimera"} {
		for _, sequential := range []bool{false, true} {
			ready := nothingToDo
			if dialect == "comma" { // it makes no directories
				ready = func(t testing.TB, top string, _ *emend.Workspace, path, _ string) string {
					check(t, os.MkdirAll(filepath.Dir(top+"/ws/"+path), 0o755))
					return ""
				}
			}
			out = append(out, way{fmt.Sprintf("add, %s, one by one %t", dialect, sequential), ready, func(t testing.TB, agent *emend.Workspace, _, path, content string) error {
				_, err := agent.Apply(t.Context(), envelope("*** Add File: "+path+"\n"+plus(content)),
					api.PatchOptions{Dialect: dialect, Lenient: dialect == "emend", Sequential: sequential})
				return err
			}})
		}
	}
	apply := func(dialect, text string) func(t testing.TB, agent *emend.Workspace, key, path, content string) error {
		return func(t testing.TB, agent *emend.Workspace, key, path, content string) error {
			text := strings.NewReplacer("KEY", key, "PATH", path, "PLUS", strings.TrimSuffix(plus(content), "\n"), "MINUS", strings.ReplaceAll(strings.TrimSuffix(plus(content), "\n"), "+", "-")).Replace(text)
			_, err := agent.Apply(t.Context(), envelope(text), api.PatchOptions{Dialect: dialect, Lenient: dialect == "emend"})
			return err
		}
	}
	out = append(out,
		way{"move, emend", seed, apply("emend", "*** Move File: KEY -> PATH\n")},
		way{"move and change, emend", seed, apply("emend", "*** Update File: KEY\n*** Move to: PATH\n@@\nMINUS\nPLUS\n")},
		way{"move and change, codex", seed, apply("codex", "*** Update File: KEY\n*** Move to: PATH\n@@\nMINUS\nPLUS\n")},
		way{"add and move in one patch", nothingToDo, apply("codex", "*** Add File: new\nPLUS\n*** Update File: new\n*** Move to: PATH\n@@\nMINUS\nPLUS\n")},
		way{"add over what is there", func(t testing.TB, top string, _ *emend.Workspace, path, _ string) string {
			plant(t, top, map[string]string{"ws/" + path: "old\n"})
			return ""
		}, apply("codex", "*** Add File: PATH\nPLUS\n")},
		way{"create_file", nothingToDo, func(t testing.TB, agent *emend.Workspace, _, path, content string) error {
			_, err := agent.Create(t.Context(), api.CreateRequest{Path: path, Content: content, CreateParentDirectories: true})
			return err
		}},
		way{"move_file", seed, func(t testing.TB, agent *emend.Workspace, key, path, content string) error {
			_, err := agent.Move(t.Context(), api.MoveRequest{FromPath: key, ToPath: path, CreateParentDirectories: true, Plain: true})
			return err
		}},
		way{"move_file of a link", func(t testing.TB, top string, person *emend.Workspace, path, content string) string {
			target := seed(t, top, person, path, content)
			plant(t, top, map[string]string{"ws/links/" + strings.ReplaceAll(path, "/", "-"): "-> " + top + "/ws/" + target})
			return "links/" + strings.ReplaceAll(path, "/", "-")
		}, func(t testing.TB, agent *emend.Workspace, key, path, _ string) error {
			_, err := agent.Move(t.Context(), api.MoveRequest{FromPath: key, ToPath: path, CreateParentDirectories: true, Plain: true})
			return err
		}},
		way{"restore to a path", func(t testing.TB, top string, person *emend.Workspace, path, content string) string {
			a, err := person.Delete(t.Context(), api.DeleteRequest{Path: seed(t, top, person, path, content)})
			check(t, err)
			return a.Data.TrashedTo
		}, func(t testing.TB, agent *emend.Workspace, key, path, _ string) error {
			_, err := agent.Restore(t.Context(), api.RestoreRequest{TrashedPath: key, TargetPath: path})
			return err
		}},
		way{"restore where it was", deleted, func(t testing.TB, agent *emend.Workspace, key, _, _ string) error {
			_, err := agent.Restore(t.Context(), api.RestoreRequest{TrashedPath: strings.Fields(key)[0]})
			return err
		}},
		way{"undo", deleted, func(t testing.TB, agent *emend.Workspace, key, _, _ string) error {
			_, err := agent.Undo(t.Context(), api.UndoRequest{Entry: strings.Fields(key)[1]})
			return err
		}},
	)
	return out
}

// deleted lets a person make a file and delete it, and returns its place in the trash and the entry of the deletion.
func deleted(t testing.TB, top string, person *emend.Workspace, path, content string) string {
	plant(t, top, map[string]string{"ws/" + path: content})
	a, err := person.Delete(t.Context(), api.DeleteRequest{Path: path})
	check(t, err)
	return a.Data.TrashedTo + " " + a.Tx
}

// permutations returns the orders of n things.
func permutations(n int) (out [][]int) {
	var grow func(done []int)
	grow = func(done []int) {
		if len(done) == n {
			out = append(out, slices.Clone(done))
		}
		for i := range n {
			if !slices.Contains(done, i) {
				grow(append(done, i))
			}
		}
	}
	grow(nil)
	return out
}

// TestRepositoriesPartByPart makes a repository of the parts, one call for each, in every way and order and in different
// places. One of the calls has to be refused.
func TestRepositoriesPartByPart(t *testing.T) {
	needGits(t)
	names := []string{"HEAD", "config", "objects/x", "refs/x"}
	orders := permutations(len(names))
	places := []string{"docs", "a/b", ".", "Ärger/x y"}
	for n, w := range waysToPut() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			for i, order := range orders {
				if n > 0 && i%4 != n%4 {
					continue // the first way takes every order, the others share them
				}
				tally.attacks.Add(1)
				dir := places[(i+n)%len(places)]
				top := bareGround(t)
				person, parts, keys := openAt(t, top, emend.AllowProtected("**")), evilParts(top), map[string]string{}
				for _, name := range names {
					keys[name] = w.ready(t, top, person, filepath.Join(dir, name), parts[name])
					if w.name == "add over what is there" {
						check(t, os.Remove(top+"/ws/"+filepath.Join(dir, name)))
					}
				}
				agent, refusals := openAt(t, top), 0
				for _, k := range order {
					if err := w.put(t, agent, keys[names[k]], filepath.Join(dir, names[k]), parts[names[k]]); err != nil {
						refusals++
						if got := verdict(err); !slices.Equal(got, []string{denied}) {
							t.Errorf("%s in %s: %v", names[k], dir, err)
						}
					}
				}
				if refusals == 0 {
					t.Errorf("no part was refused in the order %v", order)
				}
				mustBeNoRepository(t, top)
			}
		})
	}
}

// mustBeNoRepository lets git judge.
func mustBeNoRepository(t testing.TB, top string) {
	t.Helper()
	for _, g := range gits() {
		if found := repositories(t, top, g); len(found) > 0 {
			tally.escapes.Add(1)
			t.Errorf("ESCAPED: git %s finds %v", g.version, found)
		}
	}
	if by := ran(t, top); len(by) > 0 {
		tally.escapes.Add(1)
		t.Errorf("ESCAPED: run by %v", by)
	}
}

// TestRepositoriesAtOnce makes a repository in one call.
func TestRepositoriesAtOnce(t *testing.T) {
	needGits(t)
	names := []string{"HEAD", "config", "objects/x", "refs/x"}
	variants := []struct {
		name, dialect string
		spell         func(path string) string
	}{
		{"plain", "codex", func(path string) string { return path }},
		{"emend", "emend", func(path string) string { return path }},
		{"through a link", "codex", func(path string) string { return "to/" + path }},
		{"absolute", "codex", func(path string) string { return "TOP/ws/" + path }},
		{"roundabout", "codex", func(path string) string { return "a/../none/../" + path }},
	}
	for i, order := range permutations(len(names)) {
		for n, dir := range []string{"docs", ".", "a/b/c"} {
			v := variants[(i+n)%len(variants)]
			t.Run(fmt.Sprint(v.name, dir, order), func(t *testing.T) {
				t.Parallel()
				tally.attacks.Add(1)
				top := bareGround(t)
				check(t, os.Symlink(".", top+"/ws/to"))
				var sections []string
				for _, k := range order {
					sections = append(sections, "*** Add File: "+v.spell(filepath.Join(dir, names[k]))+"\n"+plus(evilParts(top)[names[k]]))
				}
				_, err := openAt(t, top).Apply(t.Context(), replaceTop(envelope(sections...), top), api.PatchOptions{Dialect: v.dialect, Lenient: v.dialect == "emend"})
				if got := verdict(err); !slices.Equal(got, []string{denied}) {
					t.Error(err)
				}
				mustBeNoRepository(t, top)
			})
		}
	}
}

// TestRepositoriesOfOddParts has parts that are not what git writes: links, executable files for directories, a directory
// that shares another's objects, parts that were there before, other spellings.
func TestRepositoriesOfOddParts(t *testing.T) {
	needGits(t)
	rows := []struct {
		name  string
		files map[string]string // of a person
		patch []string          // one call each
	}{
		{"HEAD is a link", map[string]string{"ws/l": "-> refs/heads/main"}, []string{"*** Move File: l -> docs/HEAD\n", "*** Add File: docs/objects/x\n+x\n", "*** Add File: docs/refs/x\n+x\n"}},
		{"HEAD is a link, last", map[string]string{"ws/l": "-> refs/heads/main"}, []string{"*** Add File: docs/objects/x\n+x\n", "*** Add File: docs/refs/x\n+x\n", "*** Move File: l -> docs/HEAD\n"}},
		{"refs is a link", map[string]string{"ws/l": "-> ../r", "ws/r/x": "x\n"}, []string{"*** Add File: docs/HEAD\n+ref: refs/heads/main\n", "*** Add File: docs/objects/x\n+x\n", "*** Move File: l -> docs/refs\n"}},
		{"objects is a link", map[string]string{"ws/l": "-> ../r", "ws/r/x": "x\n"}, []string{"*** Add File: docs/HEAD\n+ref: refs/heads/main\n", "*** Move File: l -> docs/objects\n", "*** Add File: docs/refs/x\n+x\n"}},
		{"both are links", map[string]string{"ws/l": "-> ../r", "ws/m": "-> ../r", "ws/r/x": "x\n"}, []string{"*** Move File: l -> docs/refs\n*** Move File: m -> docs/objects\n", "*** Add File: docs/HEAD\n+ref: refs/heads/main\n"}},
		{"dangling link, then its target", map[string]string{"ws/docs/refs": "-> ../r", "ws/docs/objects/x": "x"}, []string{"*** Add File: docs/HEAD\n+ref: refs/heads/main\n", "*** Add File: r/x\n+x\n"}},
		{"HEAD was there", map[string]string{"ws/docs/HEAD": "ref: refs/heads/main\n"}, []string{"*** Add File: docs/objects/x\n+x\n", "*** Add File: docs/refs/x\n+x\n"}},
		{"HEAD was there and is another's", map[string]string{"ws/docs/HEAD": "x\n", "ws/docs/objects/x": "x", "ws/docs/refs/x": "x"}, []string{"*** Update File: docs/HEAD\n@@\n-x\n+ref: refs/heads/main\n"}},
		{"refs was there, empty", map[string]string{"ws/docs/refs/": "", "ws/docs/objects/": ""}, []string{"*** Add File: docs/HEAD\n+ref: refs/heads/main\n"}},
		{"a hash in HEAD", map[string]string{"ws/docs/refs/": "", "ws/docs/objects/": ""}, []string{"*** Add File: docs/HEAD\n+" + strings.Repeat("a", 40) + "\n"}},
		{"commondir", map[string]string{"ws/r/refs/": "", "ws/r/objects/": ""}, []string{"*** Add File: docs/HEAD\n+ref: refs/heads/main\n", "*** Add File: docs/commondir\n+../r\n"}},
		{"commondir first", map[string]string{"ws/r/refs/": "", "ws/r/objects/": ""}, []string{"*** Add File: docs/commondir\n+../r\n*** Add File: r/config\n+[core]\n", "*** Add File: docs/HEAD\n+ref: refs/heads/main\n"}},
		{"objects and refs of one's own beside commondir", nil, []string{"*** Add File: r/refs/x\n+x\n*** Add File: r/objects/x\n+x\n*** Add File: r/config\n+[core]\n", "*** Add File: docs/HEAD\n+ref: refs/heads/main\n*** Add File: docs/commondir\n+../r\n"}},
		{"a .git that leads to a directory that is none yet", map[string]string{"ws/sub/.git": "gitdir: ../docs\n"}, []string{"*** Add File: docs/HEAD\n+ref: refs/heads/main\n", "*** Add File: docs/refs/x\n+x\n", "*** Add File: docs/objects/x\n+x\n"}},
		{"refs within refs", nil, []string{"*** Add File: refs/HEAD\n+ref: refs/heads/main\n", "*** Add File: refs/refs/x\n+x\n*** Add File: refs/objects/x\n+x\n"}},
		{"head in small letters", nil, []string{"*** Add File: docs/head\n+ref: refs/heads/main\n", "*** Add File: docs/Refs/x\n+x\n", "*** Add File: docs/OBJECTS/x\n+x\n"}},
		{"a file goes, a directory comes", map[string]string{"ws/docs/refs": "x\n", "ws/docs/objects/x": "x\n"}, []string{"*** Delete File: docs/refs\n", "*** Add File: docs/HEAD\n+ref: refs/heads/main\n", "*** Add File: docs/refs/x\n+x\n"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, sequential := range []bool{false, true} {
				tally.attacks.Add(1)
				top := bareGround(t)
				plant(t, top, row.files)
				agent := openAt(t, top)
				calls := row.patch
				if sequential {
					calls = []string{strings.Join(row.patch, "")}
				}
				config := "*** Add File: docs/config\n" + plus(evilParts(top)["config"])
				for _, text := range append([]string{config}, calls...) {
					_, err := agent.Apply(t.Context(), envelope(text), api.PatchOptions{Dialect: "emend", Lenient: true, Sequential: sequential})
					t.Log("answer:", err)
				}
				mustBeNoRepository(t, top)
			}
		})
	}
}

// TestRepositoriesTogether has two calls that bring one part each, and know nothing of each other: both are planned before
// either is committed, or they run at the same time.
func TestRepositoriesTogether(t *testing.T) {
	needGits(t)
	for _, order := range permutations(2) {
		tally.attacks.Add(1)
		top := bareGround(t)
		check(t, os.MkdirAll(top+"/ws/docs/objects", 0o755))
		agent := openAt(t, top)
		var plans []*emend.Plan
		for _, text := range []string{"*** Add File: docs/HEAD\n+ref: refs/heads/main\n", "*** Add File: docs/refs/x\n+x\n"} {
			p, err := agent.Plan(t.Context(), envelope(text), api.PatchOptions{Dialect: "codex"})
			check(t, err)
			plans = append(plans, p)
		}
		_, first := agent.Commit(t.Context(), plans[order[0]])
		_, second := agent.Commit(t.Context(), plans[order[1]])
		if got := verdict(second); first != nil || !slices.Equal(got, []string{denied}) {
			t.Errorf("%v: %v, %v", order, first, second)
		}
		mustBeNoRepository(t, top)
	}
	for range 20 {
		tally.attacks.Add(1)
		top := bareGround(t)
		check(t, os.MkdirAll(top+"/ws/docs/objects", 0o755))
		var both sync.WaitGroup
		for _, text := range []string{"*** Add File: docs/HEAD\n+ref: refs/heads/main\n", "*** Add File: docs/refs/x\n+x\n"} {
			ws := openAt(t, top) // each as another process would
			both.Go(func() {
				_, err := ws.Apply(t.Context(), envelope(text), api.PatchOptions{Dialect: "codex"})
				t.Log("answer:", err)
			})
		}
		both.Wait()
		mustBeNoRepository(t, top)
	}
}

// TestRepositoriesThatAreThere attacks repositories that a person has below the root: bare ones, git directories and working
// trees of all kinds. Nothing in them may change.
func TestRepositoriesThatAreThere(t *testing.T) {
	needGits(t)
	top := bareGround(t)
	ws := top + "/ws"
	check(t, os.MkdirAll(ws+"/main", 0o755))
	mustRun(t, top, ws+"/main", "init", "-q", "--separate-git-dir", ws+"/away")
	check(t, os.WriteFile(ws+"/main/f", []byte("old\n"), 0o644))
	mustRun(t, top, ws+"/main", "add", "f")
	mustRun(t, top, ws+"/main", "commit", "-qm", "x")
	mustRun(t, top, ws, "clone", "-q", "--bare", ws+"/main", "srv.git")
	mustRun(t, top, ws+"/srv.git", "worktree", "add", "-q", "../linked", "-b", "linked")
	mustRun(t, top, ws+"/srv.git", "worktree", "add", "-q", "inside", "-b", "inside")
	mustRun(t, top, ws, "clone", "-q", ws+"/main", "super")
	mustRun(t, top, ws+"/super", "submodule", "add", "-q", ws+"/main", "sub")
	mustRun(t, top, ws, "init", "-q", "--bare", "a/b/empty")
	check(t, os.Symlink("srv.git", ws+"/to"))
	agent := openAt(t, top)
	before := look(t, top)
	in := map[string][]string{"away": nil, "srv.git": nil, "to": nil, "srv.git/worktrees/linked": nil, "super/.git": nil, "super/.git/modules/sub": nil, "a/b/empty": nil}
	for dir := range in {
		for _, name := range []string{"config", "HEAD", "hooks/post-checkout", "hooks/pre-commit.sample", "info/attributes", "info/exclude", "objects/info/alternates",
			"commondir", "config.worktree", "gitdir", "modules/x/config", "worktrees/x/HEAD", "rebase-merge/git-rebase-todo", "packed-refs", "index", "description", "refs/heads/main",
			"HOOKS/post-checkout", "new", "new/x"} {
			in[dir] = append(in[dir], dir+"/"+name)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(in)) {
		for _, path := range in[dir] {
			for verb, of := range verbs {
				tally.attacks.Add(1)
				if got := verdict(planAndCommit(agent, envelope(of(path)))); !slices.Equal(got, []string{denied}) {
					t.Errorf("%s: %s: the answer is %q", verb, path, got)
				}
			}
		}
	}
	if diff := differs(before, look(t, top), nil); len(diff) > 0 {
		tally.escapes.Add(1)
		t.Errorf("changed:\n%s", strings.Join(diff, "\n"))
	}
	// The working trees are open, also the one inside the repository that it belongs to.
	for _, path := range []string{"main/f", "linked/f", "srv.git/inside/f", "super/f", "super/sub/f"} {
		if err := planAndCommit(agent, envelope(update(path))); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestRepositoriesRun checks that the attacks of this file are some: where a person allows them, every git runs the program.
func TestRepositoriesRun(t *testing.T) {
	needGits(t)
	top := bareGround(t)
	ws := openAt(t, top, emend.AllowProtected("docs"))
	var sections []string
	for name, content := range evilParts(top) {
		sections = append(sections, "*** Add File: docs/"+name+"\n"+plus(content))
	}
	_, err := ws.Apply(t.Context(), envelope(sections...), api.PatchOptions{Dialect: "codex"})
	check(t, err)
	by := strings.Join(ran(t, top), "\n")
	for _, g := range gits() {
		if !strings.Contains(by, "git "+g.version+" [status] in ws/docs") {
			t.Errorf("git %s runs nothing: %s", g.version, by)
		}
	}
}

// TestRandomRepositories applies random small patches over the names that make repositories, and asks git after each few.
// EMEND_ESCAPE_RACES multiplies their number.
func TestRandomRepositories(t *testing.T) {
	needGits(t)
	const workspaces, calls = 80, 10
	var applied, refused, made atomic.Int64
	for n := range scale(t, workspaces) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(16, uint64(n)))
			top, free := bareGround(t), bareGround(t)
			for _, one := range []string{top, free} {
				plant(t, one, map[string]string{"ws/r/refs/x": "", "ws/r/objects/x": "", "ws/l": "-> refs/heads/main", "ws/m": "-> r/refs", "ws/n": "-> r", "ws/docs/f": "old\n"})
			}
			agent, person := openAt(t, top), openAt(t, free, emend.AllowProtected("**"))
			var story strings.Builder
			for range calls {
				tally.attacks.Add(1)
				text, o := randomPatch(r)
				fmt.Fprintf(&story, "%s\n", text)
				if _, err := agent.Apply(t.Context(), text, o); err == nil {
					applied.Add(1)
				} else if slices.Contains(verdict(err), denied) {
					refused.Add(1)
				}
				person.Apply(t.Context(), text, o) //nolint:errcheck // some do not fit
			}
			for _, g := range gits() {
				for _, env := range []string{"", "GIT_OBJECT_DIRECTORY=" + top} { // objects may be elsewhere
					if found := repositories(t, top, g, env); len(found) > 0 {
						tally.escapes.Add(1)
						t.Errorf("ESCAPED: git %s %s finds %v after\n%s", g.version, env, found, story.String())
					}
				}
			}
			if len(repositories(t, free, gits()[0])) > 0 {
				made.Add(1)
			}
		})
	}
	t.Cleanup(func() {
		t.Logf("%d calls applied, %d refused; where all was allowed, git found a repository in %d workspaces", applied.Load(), refused.Load(), made.Load())
		if applied.Load() == 0 || refused.Load() == 0 || made.Load() == 0 {
			t.Error("the patches attack nothing")
		}
	})
}

// randomPatch returns one to four sections.
func randomPatch(r *rand.Rand) (string, api.PatchOptions) {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	path := func() string {
		return filepath.Join(pick("docs", "docs", "docs", "r", "n", ".", "docs/refs", "Docs"),
			pick("HEAD", "HEAD", "refs/x", "refs/heads/x", "refs", "objects/x", "objects/y", "objects", "commondir", "config", "head", "x"))
	}
	dialect, sections := pick("codex", "codex", "emend"), []string(nil)
	for range 1 + r.IntN(3) {
		switch p := path(); {
		case r.IntN(10) == 0:
			sections = append(sections, remove(p))
		case dialect == "emend":
			sections = append(sections, "*** Move File: "+pick("l", "m", "docs/f", path())+" -> "+p+"\n")
		default:
			sections = append(sections, "*** Add File: "+p+"\n+"+pick("ref: refs/heads/main", "ref: refs/heads/main", strings.Repeat("a", 40), "../r", ".", "../docs")+"\n")
		}
	}
	return envelope(sections...), api.PatchOptions{Dialect: dialect, Lenient: dialect == "emend", Sequential: r.IntN(4) == 0}
}
