package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/proof/session"
)

// actor calls emend again and again, on files of its own and on shared ones.
type actor struct {
	caller
	world *world
	n     int
	have  map[string]string        // content of its own files, by path
	last  struct{ tx, was string } // its last change of its file "a", and what the file had before
}

func (w *world) actor(n int, c caller) *actor {
	a := &actor{caller: c, world: w, n: n, have: map[string]string{}}
	for _, kind := range []string{"a", "b", "c", "d", "e"} {
		a.have[own(kind, n)] = page(own(kind, n), 0)
	}
	return a
}

func own(kind string, n int) string { return fmt.Sprintf("own/%s%03d.txt", kind, n) }

func (a *actor) own(kind string) string { return own(kind, a.n) }

// page is a file with a line that changes.
func page(title string, version int) string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%s, line %d: nobody has a reason to change this\n", title, i)
	}
	fmt.Fprintf(&b, "version %d\n", version)
	return b.String()
}

// next returns the text with the next version, and the old and the new line.
func next(text string) (after, from, to string) {
	_, last, _ := strings.Cut(text, "\nversion ")
	v := 0
	fmt.Sscanf(last, "%d", &v)
	from, to = fmt.Sprintf("version %d", v), fmt.Sprintf("version %d", v+1)
	return strings.Replace(text, from+"\n", to+"\n", 1), from, to
}

// work makes calls until the time is over.
func (a *actor) work(ctx context.Context) {
	steps := []func() error{a.read, a.edit, a.edit, a.write, a.patch, a.move, a.away, a.undo, a.share, a.share, a.search, a.history}
	if _, ok := a.caller.(*process); ok {
		steps = append(steps, a.look, a.forget, a.forget)
	}
	for sleep(ctx, a.rest()) {
		if err := steps[rand.IntN(len(steps))](); err != nil {
			a.world.complain("%d: %v", a.n, err)
			return
		}
	}
	if s, ok := a.caller.(*stdio); ok {
		s.stop()
	}
}

func (a *actor) rest() time.Duration {
	if p := a.pause(); p > 0 {
		return rand.N(p)
	}
	return 0
}

// becomes says what files have after a call, "" for none.
type becomes map[string]string

func (b becomes) change() session.Change {
	out := session.Change{}
	for path, text := range b {
		if out[path] = ""; text != "" {
			out[path] = session.Sum(text)
		}
	}
	return out
}

// busy are words of refusals that any call may have: too many others want the lock, or the server, or it is ending.
var busy = []string{"timeout", "busy", "cancelled", "is stopping"}

func isBusy(r *reply) bool {
	return slices.ContainsFunc(busy, func(words string) bool { return strings.Contains(r.Error.Kind+r.Error.Message+r.text, words) })
}

// try makes a call that changes the actor's own files as b says. It reports whether the call was done. A refusal must be of one of
// the declared kinds. If nobody knows whether a call was done, the files tell.
func (a *actor) try(b becomes, tool string, arguments args, declared ...string) (*reply, bool, error) {
	a.world.ledger.Count(tool)
	got, err := a.call(tool, arguments)
	switch {
	case errors.Is(err, errBefore):
		a.world.ledger.Refusal("503")
		return nil, false, nil
	case errors.Is(err, errCut):
		done, err := a.settle(b)
		return nil, done && len(b) == 0, err // without an answer there is nothing to go on with
	case err != nil:
		return nil, false, fmt.Errorf("%s: %w", tool, err)
	case !got.ok:
		kind := got.Error.Kind
		a.world.ledger.Refusal(kind)
		if !slices.Contains(declared, kind) && !isBusy(got) {
			return nil, false, fmt.Errorf("%s %v is refused: %.500s%.500s", tool, arguments, got.Error.Message, got.text)
		}
		return got, false, nil
	}
	if len(b) == 0 {
		return got, true, nil
	}
	if got.Meta.Tx == "" {
		return nil, false, fmt.Errorf("%s names no transaction: %.500s", tool, got.text)
	}
	a.world.ledger.Done(got.Meta.Tx, b.change())
	a.keep(b)
	return got, true, nil
}

func (a *actor) keep(b becomes) {
	maps.Copy(a.have, b)
	if _, ok := b[a.own("a")]; ok {
		a.last.tx = "" // whoever can undo says so
	}
}

// settle finds out whether a call happened that nobody answered: it recovers and looks.
func (a *actor) settle(b becomes) (done bool, err error) {
	if len(b) == 0 {
		return false, nil
	}
	a.world.ledger.Lost(b.change())
	if err := a.world.recover(); err != nil {
		return false, err
	}
	old, now := true, true
	for path, text := range b {
		if strings.HasPrefix(path, "shared/") {
			return false, nil // others change it too: the log will tell
		}
		has, err := os.ReadFile(filepath.Join(a.world.dir, path))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return false, err
		}
		old, now = old && string(has) == a.have[path], now && string(has) == text
	}
	if old == now {
		return false, fmt.Errorf("cut off and recovered, %v are neither all old nor all new", slices.Sorted(maps.Keys(b)))
	}
	if now {
		a.keep(b)
	}
	return now, nil
}

// read reads a file that only this actor changes. It must be as it was left.
func (a *actor) read() error {
	path := a.own("a")
	got, ok, err := a.try(nil, "read_file", args{"path": path})
	if err == nil && ok && !strings.Contains(got.text, session.Sum(a.have[path])) {
		err = fmt.Errorf("read_file: %s is not as it was left: %.300q", path, got.text)
	}
	return err
}

func (a *actor) edit() error {
	path := a.own("a")
	was := a.have[path]
	after, from, to := next(was)
	got, ok, err := a.try(becomes{path: after}, "edit_file", editArgs(path, was, from, to))
	if ok && got != nil {
		a.last.tx, a.last.was = got.Meta.Tx, was
	}
	return err
}

func editArgs(path, has, from, to string) args {
	return args{"path": path, "expectedSha256": session.Sum(has), "edits": []map[string]string{{"oldText": from, "newText": to}}}
}

func (a *actor) write() error {
	path := a.own("b")
	after, _, _ := next(a.have[path])
	_, _, err := a.try(becomes{path: after}, "write_file", args{"path": path, "content": after, "expectedSha256": session.Sum(a.have[path])})
	return err
}

// patch changes two files at once.
func (a *actor) patch() error {
	x, y := a.own("b"), a.own("c")
	afterX, fromX, toX := next(a.have[x])
	afterY, fromY, toY := next(a.have[y])
	text := fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n", x, fromX, toX, y, fromY, toY)
	_, _, err := a.try(becomes{x: afterX, y: afterY}, "apply_patch", args{"patch": text})
	return err
}

// create makes a new file.
func (a *actor) create(path string) error {
	text := page(path, 1)
	_, _, err := a.try(becomes{path: text}, "create_file", args{"path": path, "content": text})
	return err
}

// move moves a file there, or back.
func (a *actor) move() error {
	from, to := a.own("e"), a.own("f")
	if a.have[from] == "" {
		from, to = to, from
	}
	_, _, err := a.try(becomes{from: "", to: a.have[from]}, "move_file", args{"fromPath": from, "toPath": to, "expectedSha256": session.Sum(a.have[from])})
	return err
}

// away deletes a file and restores it, or creates it again.
func (a *actor) away() error {
	path := a.own("d")
	text := a.have[path]
	if text == "" {
		return a.create(path)
	}
	got, ok, err := a.try(becomes{path: ""}, "delete_file", args{"path": path, "expectedSha256": session.Sum(text)})
	if err != nil || !ok || got == nil {
		return err
	}
	_, _, err = a.try(becomes{path: text}, "restore_file", args{"trashedPath": got.Data.TrashedTo})
	return err
}

// undo takes the last edit back, unless the history of it is gone.
func (a *actor) undo() error {
	tx := a.last.tx
	if tx == "" {
		return nil
	}
	a.last.tx = ""
	_, _, err := a.try(becomes{a.own("a"): a.last.was}, "undo", args{"entry": tx}, "not_found")
	return err
}

// share edits a file that everybody edits: it reads the file and edits it, and gives up if another one was faster.
func (a *actor) share() error {
	path := sharedName(rand.IntN(sharedFiles))
	text, err := os.ReadFile(filepath.Join(a.world.dir, path))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is not there", path)
	}
	if err != nil {
		return err
	}
	after, from, to := next(string(text))
	if after == string(text) {
		return fmt.Errorf("%s is not whole: %.300q", path, text)
	}
	_, _, err = a.try(becomes{path: after}, "edit_file", editArgs(path, string(text), from, to), "stale_file")
	delete(a.have, path)
	return err
}

func (a *actor) search() error {
	path := a.own("a")
	got, ok, err := a.try(nil, "search_files", args{"query": path + ", line 7:", "mode": "text"})
	if err == nil && ok && !strings.Contains(got.text, path) {
		err = fmt.Errorf("search_files: what is in %s is not found: %.300q", path, got.text)
	}
	return err
}

// history asks the log for the file that was edited last. That change must be the newest.
// history asks for the latest changes of a file of the actor's own, and expects its last one among them, unless prunes of the file were
// recorded since: each of these is an entry, too.
func (a *actor) history() error {
	got, ok, err := a.try(nil, "history", args{"path": a.own("a"), "limit": 3})
	if err == nil && ok && a.last.tx != "" && !strings.Contains(got.text, a.last.tx) && !strings.Contains(got.text, "prune") {
		err = fmt.Errorf("history: %s, which was acknowledged, is not in the log of %s: %.500q", a.last.tx, a.own("a"), got.text)
	}
	return err
}

// look checks the log, or recovers.
func (a *actor) look() error {
	tool := "recover"
	if rand.IntN(8) == 0 {
		tool = "verify"
	}
	_, _, err := a.try(nil, tool, nil)
	return err
}

// forget removes something from the history for good: a file from the trash, or all changes of a file. A purge reads the whole log while
// it has the lock, so it is rare.
func (a *actor) forget() error {
	if rand.IntN(20) == 0 {
		_, _, err := a.try(nil, "purge", args{"path": a.own("c")}, "not_found")
		return err
	}
	path := a.own("d")
	if a.have[path] == "" {
		return a.create(path)
	}
	got, ok, err := a.try(becomes{path: ""}, "delete_file", args{"path": path, "expectedSha256": session.Sum(a.have[path])})
	if err != nil || !ok || got == nil {
		return err
	}
	_, _, err = a.try(nil, "trash clear", args{"id": got.Data.TrashedTo})
	return err
}
