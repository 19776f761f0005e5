//go:build unix

package siege

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/emend-dev/emend/proof/session"
)

// sharedFiles is the number of files that all sessions edit.
const sharedFiles = 8

func sharedName(i int) string { return fmt.Sprintf("shared/%d.txt", i) }

// agent is one session. It works on files of its own and on shared ones.
type agent struct {
	*session.Client
	*session.Ledger
	rand     *rand.Rand
	n        int
	have     map[string]string // content of its own files
	stopping *atomic.Bool      // the server was told to end
}

// errEnd ends the work of an agent when the server has ended.
var errEnd = errors.New("the server has ended")

func (a *agent) own(kind string) string { return fmt.Sprintf("own/%s%03d.txt", kind, a.n) }

// page is a file with a line that changes.
func page(title string, version int) string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%s, line %d: nobody has a reason to change this\n", title, i)
	}
	fmt.Fprintf(&b, "version %d\n", version)
	return b.String()
}

func version(text string) (v int) {
	_, last, _ := strings.Cut(text, "\nversion ")
	fmt.Sscanf(last, "%d", &v)
	return v
}

// next returns the text with the next version, and the old and the new line.
func next(text string) (after, from, to string) {
	v := version(text)
	from, to = fmt.Sprintf("version %d", v), fmt.Sprintf("version %d", v+1)
	return strings.Replace(text, from+"\n", to+"\n", 1), from, to
}

// work makes calls until the server ends.
func (a *agent) work() error {
	steps := []func() error{a.read, a.read, a.edit, a.edit, a.share, a.share, a.patch, a.list, a.search, a.away}
	for {
		if err := steps[a.rand.IntN(len(steps))](); err != nil {
			if errors.Is(err, errEnd) {
				return nil
			}
			return fmt.Errorf("session %d: %w", a.n, err)
		}
	}
}

// try makes a call that makes the change c, or none. It reports false if the call was refused, which must be of one of the
// declared kinds.
func (a *agent) try(c session.Change, tool string, arguments map[string]any, declared ...string) (out *session.Answer, ok bool, err error) {
	a.Count(tool)
	out, err = a.Call(tool, arguments)
	if err != nil {
		if !a.stopping.Load() {
			return nil, false, fmt.Errorf("%s: %w", tool, err)
		}
		if e, ok := errors.AsType[*session.StatusError](err); ok && e.Code == http.StatusServiceUnavailable {
			a.Refusal("503") // so nothing was changed
		} else if c != nil {
			a.Lost(c)
		}
		return nil, false, errEnd
	}
	if out.IsError {
		kind := out.StructuredContent.Error.Kind
		a.Refusal(kind)
		if a.stopping.Load() {
			return out, false, errEnd
		}
		if !slices.Contains(declared, kind) {
			return nil, false, fmt.Errorf("%s is refused: %.500s", tool, out.Text())
		}
		return out, false, nil
	}
	if c == nil {
		return out, true, nil
	}
	if out.StructuredContent.Meta.Tx == "" {
		return nil, false, fmt.Errorf("%s names no transaction: %.500s", tool, out.Text())
	}
	a.Done(out.StructuredContent.Meta.Tx, c)
	return out, true, nil
}

// read reads a file that only this session changes. It must be as this session left it.
func (a *agent) read() error {
	out, _, err := a.try(nil, "read_file", map[string]any{"path": a.own("a")})
	if err != nil {
		return err
	}
	if _, text, _ := strings.Cut(out.Text(), "\n"); text != a.have[a.own("a")] {
		return fmt.Errorf("read_file: %s is not as it was left: version %d, left at %d", a.own("a"), version(text), version(a.have[a.own("a")]))
	}
	return nil
}

func (a *agent) edit() error {
	name := a.own("a")
	after, from, to := next(a.have[name])
	out, _, err := a.try(session.Change{name: session.Sum(after)}, "edit_file", map[string]any{"path": name, "expectedSha256": session.Sum(a.have[name]),
		"edits": []map[string]string{{"oldText": from, "newText": to}}})
	if err != nil {
		return err
	}
	if got := out.StructuredContent.Data.AfterSha256; got != session.Sum(after) {
		return fmt.Errorf("edit_file: %s became %s", name, got)
	}
	a.have[name] = after
	return nil
}

// share edits a file that all sessions edit: it reads the file and edits it, and gives up if another session was faster.
func (a *agent) share() error {
	name := sharedName(a.rand.IntN(sharedFiles))
	out, _, err := a.try(nil, "read_file", map[string]any{"path": name})
	if err != nil {
		return err
	}
	_, text, _ := strings.Cut(out.Text(), "\n")
	if !strings.Contains(out.Text(), session.Sum(text)) {
		return fmt.Errorf("read_file: %s does not have the hash that it is said to have", name)
	}
	after, from, to := next(text)
	_, _, err = a.try(session.Change{name: session.Sum(after)}, "edit_file", map[string]any{"path": name, "expectedSha256": session.Sum(text),
		"edits": []map[string]string{{"oldText": from, "newText": to}}}, "stale_file")
	return err
}

// patch changes two files at once.
func (a *agent) patch() error {
	x, y := a.own("b"), a.own("c")
	afterX, fromX, toX := next(a.have[x])
	afterY, fromY, toY := next(a.have[y])
	text := fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n", x, fromX, toX, y, fromY, toY)
	_, _, err := a.try(session.Change{x: session.Sum(afterX), y: session.Sum(afterY)}, "apply_patch", map[string]any{"patch": text})
	if err == nil {
		a.have[x], a.have[y] = afterX, afterY
	}
	return err
}

func (a *agent) list() error {
	out, _, err := a.try(nil, "list_directory", map[string]any{"path": "own"})
	if err == nil && !strings.Contains(out.Text(), a.own("a")) {
		err = fmt.Errorf("list_directory: %s is not there", a.own("a"))
	}
	return err
}

func (a *agent) search() error {
	out, _, err := a.try(nil, "search_files", map[string]any{"query": fmt.Sprintf("own/a%03d.txt, line 7:", a.n), "mode": "text"})
	if err == nil && !strings.Contains(out.Text(), a.own("a")) {
		err = fmt.Errorf("search_files: what is in %s is not found: %.300q", a.own("a"), out.Text())
	}
	return err
}

// away deletes a file and restores it.
func (a *agent) away() error {
	name := a.own("d")
	out, _, err := a.try(session.Change{name: ""}, "delete_file", map[string]any{"path": name, "expectedSha256": session.Sum(a.have[name])})
	if err != nil {
		return err
	}
	_, _, err = a.try(session.Change{name: session.Sum(a.have[name])}, "restore_file", map[string]any{"trashedPath": out.StructuredContent.Data.TrashedTo})
	return err
}
