//go:build linux

package writers

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
)

// place is a tree in which writers work.
type place struct {
	t       *testing.T
	dir     string
	home    string
	git     bool
	mode    string
	ignored func(path string) bool
}

// mode says how emend run runs a command, and with which arguments.
type mode struct {
	name string
	args []string
}

// Over a layer, what ignore rules leave out is listed and kept like all else, so that it can be judged. internal/landing tests how it lands
// otherwise.
var modes = []mode{{"witness", []string{"--mode", "witness"}}, {"overlay", []string{"--mode", "overlay", "--keep-ignored"}}}

// layout makes the files that are there before a writer comes. Their times are long ago, and all different.
const layout = `
printf 'alpha\nbeta\ngamma\n' > a.txt
printf 'one\ntwo\nthree\n' > b.txt
mkdir -p dir/sub emptydir
printf 'c\n' > dir/c.txt
printf 'd1\nd2\n' > dir/sub/d.txt
printf '#!/bin/sh\necho run\n' > run.sh; chmod 755 run.sh
printf 'secret\n' > private; chmod 600 private
printf 'read only\n' > ro.txt; chmod 444 ro.txt
head -c 3000 /dev/zero | tr '\0' '\377' > bin.dat
: > empty
printf 'dos\r\nlines\r\n' > crlf.txt
printf 'space\n' > 'with space.txt'
printf 'umlaut\n' > 'uml-ü.txt'
printf 'linked\n' > hard1; ln hard1 hard2
ln -s a.txt link
ln -s dir dirlink
ln -s nowhere dangling
printf 'package main\nfunc main()   {\n}\n' > main.go
printf 'module example.com/m\n\ngo 1.21\n' > go.mod
printf '*.log\nbuild/\nnode_modules/\n' > .gitignore
`

const layoutGit = `
git init -q -b main .
git add -A
git commit -q -m first
printf 'changed\n' >> b.txt
printf 'staged\n' > staged.txt; git add staged.txt
printf 'untracked\n' > untracked.txt
printf 'x\n' > x.log
mkdir build; printf 'o\n' > build/out.o
`

const oldTimes = `
i=0
find . -name .git -prune -o ! -type d -print | sort | while read -r f; do
  i=$((i+1)); touch -h -d "2020-01-01 00:00:00.123456$(printf %03d $i) UTC" "$f"
done
if [ -d .git ]; then git update-index -q --refresh || true; fi
`

func newPlace(t *testing.T, git bool, m mode) *place {
	t.Helper()
	p := &place{t: t, dir: filepath.Join(t.TempDir(), "tree"), home: t.TempDir(), git: git, mode: m.name}
	p.ignored = func(path string) bool { // in a layer everything is seen
		return m.name == "witness" && (path == "node_modules" || git && path == "build")
	}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+rwX", p.dir).Run() }) //nolint:errcheck // so that it can be removed
	p.bash(layout)
	if git {
		p.bash(layoutGit)
	}
	p.bash(oldTimes)
	return p
}

func (p *place) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), name, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "HOME="+p.home, "XDG_CONFIG_HOME="+p.home, "NO_COLOR=1", "LC_ALL=C.UTF-8", "TZ=UTC",
		"GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@example.com", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@example.com",
		"GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local", "GOCACHE="+goCache(), "GOPATH="+filepath.Join(p.home, "go"), "RUSTUP_HOME="+rustHome(),
		"npm_config_cache="+filepath.Join(p.home, "npm"), "npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false",
		"PYTHONDONTWRITEBYTECODE=1", "EMEND="+program)
	return cmd
}

// goCache is the build cache of whoever runs the test: the writers' home is another one.
func goCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return os.TempDir()
	}
	return filepath.Join(dir, "go-build")
}

// rustHome is where rustup has its compilers.
func rustHome() string {
	if dir := os.Getenv("RUSTUP_HOME"); dir != "" {
		return dir
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".rustup")
}

func (p *place) bash(script string) {
	p.t.Helper()
	if out, err := p.command("bash", "-euc", script).CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s\n%s", err, out, script)
	}
}

// said is the output of emend, and its exit code.
type said struct {
	stdout, stderr string
	code           int
}

func (p *place) emend(args ...string) said {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := p.command(program, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Minute
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		p.t.Fatalf("emend %s: %v", strings.Join(args, " "), err)
	}
	return said{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func (p *place) snapshot() tree { return snapshot(p.t, p.dir, p.ignored) }

// entries returns what the log has after the entry, by entry, the oldest first.
func (p *place) entries() (all [][]api.LogEntry) {
	p.t.Helper()
	out := p.emend("log", "--json", "--limit", "100000")
	var answer struct {
		Data struct{ Entries []api.LogEntry }
	}
	if err := json.Unmarshal([]byte(out.stdout), &answer); err != nil {
		p.t.Fatalf("log: %v: %s%s", err, out.stdout, out.stderr)
	}
	at := map[string]int{}
	for _, e := range answer.Data.Entries {
		i, ok := at[e.Entry]
		if !ok {
			i = len(all)
			at[e.Entry] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], e)
	}
	slices.Reverse(all)
	return all
}

// checkLog holds the entries to what changed.
func (p *place) checkLog(w *writer, before, after tree, entries [][]api.LogEntry) {
	p.t.Helper()
	left := changed(before, after)
	dirs := map[string]bool{} // those with a logged name below
	named := func(path string) {
		for d := path; d != "."; d = filepath.Dir(d) {
			dirs[d] = true
		}
		delete(left, path)
	}
	for _, entry := range entries {
		for _, e := range entry {
			b, was := before[e.Path]
			a, is := after[e.Path]
			switch {
			case (e.Seen != nil) != (p.mode == "witness") && !w.emend:
				p.t.Errorf("log: %s of %s: whether it was made outside emend is %v", e.Operation, e.Path, e.Seen != nil)
			case e.Operation == "move":
				to, there := after[e.ToPath]
				if !was || is && a.mode.Type() == b.mode.Type() || !there || to.sum != b.sum {
					p.t.Errorf("log: it has a move of %s to %s, which did not happen", e.Path, e.ToPath)
				}
				named(e.ToPath)
			case path.Base(e.Path) == ".git", e.Path == "" && p.mode == "overlay": // which the test does not look into
			case left[e.Path] == "":
				p.t.Errorf("log: it has %s of %s, which did not change", e.Operation, e.Path)
			case (e.Operation == "add" || e.Operation == "mkdir") && was && b.mode.Type() == a.mode.Type(),
				(e.Operation == "delete" || e.Operation == "rmdir") && is && b.mode.Type() == a.mode.Type(),
				e.Operation == "update" && (!was || !is):
				p.t.Errorf("log: it has %s of %s; it was there before: %v, after: %v", e.Operation, e.Path, was, is)
			case e.BeforeSha256 != "" && e.BeforeSha256 != b.sum:
				p.t.Errorf("log: %s: the hash before is %s, want %s", e.Path, e.BeforeSha256, b.sum)
			case e.AfterSha256 != "" && e.AfterSha256 != a.sum:
				p.t.Errorf("log: %s: the hash after is %s, want %s", e.Path, e.AfterSha256, a.sum)
			}
		}
	}
	for _, entry := range entries {
		for _, e := range entry {
			named(e.Path)
		}
	}
	for d := range left { // the files in a directory tell of it
		if dirs[d] && before[d].mode.IsDir() != after[d].mode.IsDir() {
			delete(left, d)
		}
	}
	for _, pattern := range w.unnamed {
		maps.DeleteFunc(left, func(name, _ string) bool { ok, _ := path.Match(pattern, name); return ok })
	}
	if len(left) > 0 {
		p.t.Errorf("log: it does not have%s", listed(left))
	}
}

// notAsLogged finds that verify counts files that are not as the log has them.
var notAsLogged = regexp.MustCompile(`, [1-9]\d* not\n`)

func (p *place) verify(when string) {
	p.t.Helper()
	out := p.emend("verify")
	if out.code != 0 || notAsLogged.MatchString(out.stdout) {
		p.t.Errorf("verify %s: exit code %d\n%s%s", when, out.code, out.stdout, out.stderr)
	}
}

// run runs a writer and checks everything.
func (p *place) run(w *writer, m mode) {
	t := p.t
	w = w.in(m, p.git)
	if w.before != "" {
		p.bash(w.before)
		p.bash(oldTimes)
	}
	before := p.snapshot()
	known := len(p.entries())
	out := p.emend(append(append(append([]string{"run"}, m.args...), "--"), "bash", "-euc", w.script)...)
	if out.code != w.code {
		t.Fatalf("exit code %d, want %d\n%s%s", out.code, w.code, out.stdout, out.stderr)
	}
	if o := w.overlay; p.mode == "overlay" && o != nil && o.kept != "" {
		p.checkKept(o, before, known, out)
		return
	}
	if w.ends {
		if !strings.Contains(out.stderr, "the store") {
			t.Errorf("nothing says that the store is gone: %s", out.stderr)
		}
		return
	}
	if w.wait != "" {
		p.bash(w.wait)
		out.stderr += p.emend("run", "--mode", "witness", "--", "true").stderr
	}
	after := p.snapshot()
	for _, word := range w.says {
		if !strings.Contains(out.stderr, word) {
			t.Errorf("emend run does not say %q:\n%s", word, out.stderr)
		}
	}
	if len(changed(before, after)) == 0 && !w.nothing {
		t.Fatal("the writer changed nothing")
	}
	entries := p.entries()[known:]
	p.checkLog(w, before, after, entries)
	p.verify("after the writer")
	words, undone := out.stderr, time.Now().Add(-clockStep)
	for _, entry := range slices.Backward(entries) {
		undo := p.emend(append([]string{"undo", entry[0].Entry}, w.undo...)...)
		words += undo.stdout + undo.stderr
		if undo.code != 0 && !(w.refused && undo.code == 1) {
			t.Errorf("undo: exit code %d\n%s%s", undo.code, undo.stdout, undo.stderr)
		}
	}
	p.checkBack(w, notBack(before, after, p.snapshot(), undone), words)
	p.verify("after the undo")
	if t.Failed() {
		t.Logf("emend said:\n%.4000s", words)
	}
}

// checkKept checks that nothing of a layer landed, that the output says why, and that the layer is listed until it is discarded.
func (p *place) checkKept(o *overMode, before tree, known int, out said) {
	p.t.Helper()
	if left := notBack(before, before, p.snapshot(), time.Time{}); len(left) > 0 {
		p.t.Errorf("the layer did not land, and the tree is not as before:%s", listed(left))
	}
	if !strings.Contains(out.stderr, "nothing of it landed") || !strings.Contains(out.stderr, o.kept) {
		p.t.Errorf("emend run does not say that nothing landed, and %q:\n%s", o.kept, out.stderr)
	}
	for _, entry := range p.entries()[known:] {
		for _, e := range entry {
			if e.OK {
				p.t.Errorf("log: it has %s of %s, which did not land", e.Operation, e.Path)
			}
		}
	}
	name, _, _ := strings.Cut(p.emend("run", "--kept").stdout, " ")
	if out := p.emend("run", "--discard", name); name == "" || out.code != 0 {
		p.t.Errorf("--discard %q: exit code %d\n%s", name, out.code, out.stderr)
	}
	if out := p.emend("run", "--kept"); !strings.Contains(out.stdout, "No layers") {
		p.t.Errorf("--kept after --discard: %s%s", out.stdout, out.stderr)
	}
	p.verify("after a layer that did not land")
}

// clockStep is more than the resolution of the times that file systems keep.
const clockStep = 20 * time.Millisecond

// checkBack holds what an undo did not give back to what the writer says of it, and has each named by the output.
func (p *place) checkBack(w *writer, left map[string]string, words string) {
	p.t.Helper()
	for pattern, why := range w.stays {
		paths := slices.DeleteFunc(slices.Collect(maps.Keys(left)), func(name string) bool { ok, _ := path.Match(pattern, name); return !ok })
		if len(paths) == 0 {
			p.t.Errorf("undo: %s was given back, which was not expected", pattern)
		}
		for _, name := range paths {
			if why != "" && !slices.ContainsFunc(strings.Split(words, "\n"), func(line string) bool { return strings.Contains(line, name) && strings.Contains(line, why) }) {
				p.t.Errorf("undo: nothing says of %s (%s) that %q", name, left[name], why)
			}
			delete(left, name)
		}
	}
	for _, pattern := range w.unnamed {
		maps.DeleteFunc(left, func(name, _ string) bool { ok, _ := path.Match(pattern, name); return ok })
	}
	if len(left) > 0 {
		p.t.Errorf("undo: not as before:%s", listed(left))
	}
}
