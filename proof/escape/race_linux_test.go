package escape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"golang.org/x/sys/unix"
)

// race is a workspace in which names are exchanged while patches use them.
type race struct {
	name  string
	files map[string]string
	path  string // path that is patched
	a, b  string // names that are exchanged, in the workspace or beside it
	// Minimal numbers of each.
	swaps, attempts int64
}

func races() []race {
	return []race{
		{name: "first directory and a relative link out", files: map[string]string{"ws/l": "-> ../out"}, path: "d/f", a: "ws/d", b: "ws/l"},
		{name: "first directory and an absolute link out", files: map[string]string{"ws/l": "-> TOP/out", "ws/d/d/f": "old\n"}, path: "d/d/f", a: "ws/d", b: "ws/l"},
		{name: "first directory and a link to .git", files: map[string]string{"ws/l": "-> .git", "ws/d/config": "old\n"}, path: "d/config", a: "ws/d", b: "ws/l"},
		{name: "first directory and one from outside", path: "d/f", a: "ws/d", b: "out/d"},
		{name: "middle directory and a relative link out", files: map[string]string{"ws/d/l": "-> ../../out"}, path: "d/e/f", a: "ws/d/e", b: "ws/d/l"},
		{name: "middle directory and an absolute link out", files: map[string]string{"ws/l": "-> TOP/out/d"}, path: "d/e/f", a: "ws/d/e", b: "ws/l"},
		{name: "middle directory and a link to another inside", files: map[string]string{"ws/d/l": "-> g", "ws/d/g/f": "old\n"}, path: "d/e/f",
			a: "ws/d/e", b: "ws/d/l"},
		{name: "file and a relative link out", files: map[string]string{"ws/d/l": "-> ../../out/f"}, path: "d/f", a: "ws/d/f", b: "ws/d/l"},
		{name: "file and an absolute link out", files: map[string]string{"ws/l": "-> TOP/out/f"}, path: "d/f", a: "ws/d/f", b: "ws/l"},
		{name: "file and a FIFO", files: map[string]string{"ws/d/p": "|"}, path: "d/f", a: "ws/d/f", b: "ws/d/p"},
		{name: "file and a directory", files: map[string]string{"ws/d/g/x": "old\n"}, path: "d/f", a: "ws/d/f", b: "ws/d/g"},
	}
}

// TestRaces plans and commits patches through names that are exchanged all the time.
func TestRaces(t *testing.T) {
	for _, r := range races() {
		for _, verb := range []string{"update", "many", "replace", "create", "delete", "move"} {
			r.swaps, r.attempts = scale(t, 600), scale(t, 20)
			t.Run(r.name+": "+verb, func(t *testing.T) { r.run(t, verb) })
		}
	}
}

// text returns a patch that changes a file which has the line has.
func (r *race) text(verb, has string, n int64) string {
	fresh := filepath.Join(filepath.Dir(r.path), fmt.Sprintf("new%d", n))
	switch verb {
	case "update":
		return envelope("*** Update File: " + r.path + "\n@@\n-" + has + "\n+" + content(n) + "\n")
	case "many": // enough files to be read ahead, from directories that are held open
		sections := []string{"*** Update File: " + r.path + "\n@@\n-" + has + "\n+" + content(n) + "\n"}
		for i := range 12 {
			sections = append(sections, fmt.Sprintf("*** Add File: %s/m%d\n+evil\n", filepath.Dir(r.path), i))
		}
		return envelope(sections...)
	case "replace":
		return envelope("*** Add File: " + r.path + "\n+" + content(n) + "\n")
	case "create":
		return envelope("*** Add File: " + fresh + "\n+evil\n")
	case "delete":
		return envelope(remove(r.path))
	}
	return envelope("*** Add File: in\n+evil\n", "*** Update File: "+r.path+"\n*** Move to: "+fresh+"\n@@\n-old\n+evil\n")
}

func content(n int64) string { return "evil " + strconv.FormatInt(n, 10) }

func (r *race) run(t *testing.T, verb string) {
	a := attack{files: r.files}
	top := a.ground(t)
	ws, err := a.open(top)
	check(t, err)
	defer ws.Close()
	all := look(t, top)
	before := r.theirs(all)
	var swaps atomic.Int64
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { stopped <- exchange(top+"/"+r.a, top+"/"+r.b, stop, &swaps) }()
	made, refused := 0, map[string]int{}
	watch := time.AfterFunc(4*patience, func() { panic(t.Name() + " hangs") })
	defer watch.Stop()
	has := "old" // in the file, as far as the test knows
	for n := int64(0); swaps.Load() < r.swaps || n < r.attempts || made == 0 && n < 100*r.attempts; n++ {
		r.restore(top, verb)
		rep, err := try(ws, r.text(verb, has, n), "codex")
		for _, v := range verdict(err) {
			refused[v]++
		}
		if err == nil {
			made++
			has = content(n)
			displaced(t, top, verb, rep)
		}
		tally.attempts.Add(1)
	}
	close(stop)
	check(t, <-stopped)
	tally.swaps.Add(swaps.Load())
	r.judge(t, top, before)
	r.checkKept(t, top, verb, all)
	t.Logf("%d swaps, %d made, answers %v", swaps.Load(), made, refused)
	if made == 0 {
		t.Error("no patch was made: nothing was raced")
	}
	for v := range refused {
		if strings.HasPrefix(v, "unknown") || strings.Contains(v, "indeterminate") || strings.HasPrefix(v, "no refusal") {
			t.Errorf("the answer %q is no answer", v)
		}
	}
}

// restore restores what patches delete and move, so that the race can go on. It uses the current names, like any other program,
// and may create things anywhere in the workspace.
func (r *race) restore(top, verb string) {
	if verb != "delete" && verb != "move" {
		return
	}
	dir, err := unix.Open(filepath.Dir(top+"/ws/"+r.path), unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer unix.Close(dir)
	fd, err := unix.Openat(dir, filepath.Base(r.path), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW, 0o644)
	if err != nil {
		return
	}
	unix.Write(fd, []byte("old\n"))
	unix.Close(fd)
}

func try(ws *emend.Workspace, text, dialect string) (*emend.Report, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return ws.Apply(ctx, text, api.PatchOptions{Dialect: dialect})
}

// exchange exchanges two paths until it is stopped. At the end each is where it was.
func exchange(a, b string, stop chan struct{}, swaps *atomic.Int64) error {
	for n := 0; ; {
		pauseSometimes(n)
		select {
		case <-stop:
			if n%2 == 0 {
				return nil
			}
		default:
		}
		err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
		switch err {
		case nil:
			n++
			swaps.Add(1)
		case unix.ENOENT: // a patch deleted or moved it
			select {
			case <-stop:
				return nil
			default:
			}
		default:
			return err
		}
	}
}

// pauseSometimes pauses now and then. Without pauses no patch would get as far as its commit.
func pauseSometimes(n int) {
	if n%100 < 80 {
		return
	}
	for range rand.IntN(4000) {
		unix.Getpid()
	}
}

// theirs returns what no patch may change: everything outside of the workspace and everything protected, except the exchanged
// names.
func (r *race) theirs(s state) state {
	out := state{}
	for name, is := range s {
		inside := strings.HasPrefix(name, "ws/") && !strings.HasPrefix(name, "ws/.git/") && !strings.HasPrefix(name, "ws/.vscode/")
		swapped := slices.ContainsFunc([]string{r.a, r.b}, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") })
		if inside || swapped || name == "." || name == "ws" || ours(name) {
			continue
		}
		if slices.Contains([]string{filepath.Dir(r.a), filepath.Dir(r.b)}, name) {
			is.mtime = time.Time{}
		}
		out[name] = is
	}
	return out
}

// judge checks the result: nothing of somebody else has changed, and every file is whole, either new or old.
func (r *race) judge(t *testing.T, top string, before state) {
	t.Helper()
	after := look(t, top)
	if diff := differs(before, r.theirs(after), nil); len(diff) > 0 {
		tally.escapes.Add(1)
		t.Errorf("ESCAPED:\n%s", strings.Join(diff, "\n"))
	}
	for name, is := range after {
		known := []string{"old\n", "evil\n", "ref: refs/heads/main\n"}
		if !is.mode.IsRegular() || slices.Contains(known, is.content) {
			continue
		}
		if number, ok := strings.CutPrefix(is.content, "evil "); !ok || !strings.HasSuffix(number, "\n") {
			t.Errorf("%s has %q, which nobody wrote", name, is.content)
		}
	}
}

// checkKept checks that nothing is lost that no patch may displace. It has one of the two names, or is kept in the store, as after
// another exchange before a refused patch could put it back.
func (r *race) checkKept(t *testing.T, top, verb string, before state) {
	t.Helper()
	must := []string{r.b}
	if before[r.a].mode.IsDir() {
		must = append(must, r.a)
	} else if verb == "delete" {
		must = nil // a patch may delete a link
	}
	have := map[uint64]bool{}
	kept, err := filepath.Glob(top + slots + "*")
	check(t, err)
	for _, path := range append(kept, top+"/"+r.a, top+"/"+r.b) {
		if is, err := describe(path); !errors.Is(err, fs.ErrNotExist) {
			check(t, err)
			have[is.inode] = true
		}
	}
	for _, name := range must {
		if was := before[name]; !have[was.inode] {
			tally.escapes.Add(1)
			t.Errorf("what was at %s, %v, is gone", name, was)
		}
	}
}

const slots = "/ws/.git/emend/slots/"

// displaced checks what an applied patch has displaced: files, and links if it deletes.
func displaced(t *testing.T, top, verb string, rep *emend.Report) {
	t.Helper()
	paths, err := filepath.Glob(top + slots + rep.Tx + ".?")
	check(t, err)
	for _, path := range paths {
		is, err := describe(path)
		check(t, err)
		if link := is.mode&os.ModeSymlink != 0; !is.mode.IsRegular() && !(link && verb == "delete") {
			tally.escapes.Add(1)
			t.Errorf("a patch that was made has displaced %v", is)
		}
	}
}

// TestCarriedAway moves a directory out of the workspace and back while patches are committed in it. The answers must be true:
// the file has the content of the last patch that succeeded, and of none that was refused.
func TestCarriedAway(t *testing.T) {
	least := race{swaps: scale(t, 2000), attempts: scale(t, 200)}
	a := attack{files: map[string]string{"away/": ""}}
	top := a.ground(t)
	ws, err := a.open(top)
	check(t, err)
	defer ws.Close()
	before := beside(look(t, top))
	var moves atomic.Int64
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { stopped <- carry(top+"/ws/d", top+"/away/d", stop, &moves) }()
	has, made, answers := "old", 0, map[string]int{}
	for n := int64(0); moves.Load() < least.swaps || n < least.attempts || made == 0 && n < 100*least.attempts; n++ {
		// In a dialect that creates no parents, so the directory is always the same one.
		_, err := try(ws, envelope("*** Update File: d/e/f\n@@\n-"+has+"\n+"+content(n)+"\n"), "emend")
		for _, v := range verdict(err) {
			answers[v]++
		}
		if err == nil {
			has = content(n)
			made++
		}
		tally.attempts.Add(1)
	}
	close(stop)
	check(t, <-stopped)
	tally.swaps.Add(moves.Load())
	t.Logf("%d moves, %d made, answers %v", moves.Load(), made, answers)
	if is, err := describe(top + "/ws/d/e/f"); err != nil || is.content != has+"\n" {
		t.Errorf("the file has %q, %v; the last patch that was made left %q", is.content, err, has)
	}
	if made == 0 || made == int(least.attempts) {
		t.Errorf("%d were made: nothing was raced", made)
	}
	if diff := differs(before, beside(look(t, top)), nil); len(diff) > 0 {
		tally.escapes.Add(1)
		t.Errorf("ESCAPED:\n%s", strings.Join(diff, "\n"))
	}
}

// beside returns what is outside of the workspace, except the place that the directory is moved to.
func beside(s state) state {
	s = outside(s)
	delete(s, "away")
	return s
}

// carry moves a directory away and back, and leaves it where it was.
func carry(here, there string, stop chan struct{}, moves *atomic.Int64) error {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		for _, way := range [][2]string{{here, there}, {there, here}} {
			pauseSometimes(n)
			if err := unix.Renameat2(unix.AT_FDCWD, way[0], unix.AT_FDCWD, way[1], unix.RENAME_NOREPLACE); err != nil {
				return err
			}
			moves.Add(1)
		}
	}
}
