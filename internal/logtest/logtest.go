// Package logtest makes workspaces with a long log, for tests of the pages and of what reads the log. The records are written
// by package audit, as years of agents would have left them, but most of the changes were never made: the history keeps the
// contents of the newest ones only. Tests alone import it, those of the module proof too.
package logtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/vfs"
)

const (
	weeks      = 6  // length of the log
	perSession = 60 // calls
	files      = 400
)

// Make creates a workspace at dir with a log of so many calls over six weeks: changes, refusals, undos, and what crashes left.
// The newest calls, some twenty more, are really made; one of them has a diff of 50,000 lines.
func Make(dir string, entries int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return err
	}
	place, err := commit.Locate(dir)
	if err == nil && !place.Exists {
		place, err = place.Make()
	}
	if err != nil {
		return err
	}
	m := &maker{entries: entries, rand: rand.New(rand.NewPCG(1, 2)), tree: map[string]int{},
		now: time.Now().Add(-weeks * 7 * 24 * time.Hour)}
	if err := m.log(filepath.Join(place.Dir, "log")); err != nil {
		return err
	}
	if err := m.write(dir); err != nil {
		return err
	}
	return recent(dir)
}

// maker generates a log.
type maker struct {
	out     *audit.Log
	entries int
	rand    *rand.Rand
	now     time.Time
	made    int            // number of calls
	tree    map[string]int // version of each file
	actor   audit.Actor
	before  change // the newest change that can be undone
	err     error
}

// change is a change that is not complete yet.
type change struct {
	audit.Record
	steps []step
}

// step changes a file from one version to another; 0 is no file.
type step struct {
	path     string
	from, to int
}

// log writes the log.
func (m *maker) log(at string) error {
	old, err := filepath.Glob(filepath.Join(at, "*.jsonl"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	dir, err := vfs.Open(at)
	if err != nil {
		return err
	}
	defer dir.Close()
	m.out, err = audit.Create(dir, audit.Options{Now: func() time.Time { return m.now }})
	if err != nil {
		return err
	}
	for n := 0; m.made < m.entries && m.err == nil; n++ {
		m.session(n)
	}
	return errors.Join(m.err, m.out.Sync(), m.out.Close())
}

var (
	agents  = []string{"coder", "reviewer", "tester", "docs"}
	clients = []string{"editor 1.4", "terminal 2.0", "ci"}
	tools   = []string{"apply_patch", "edit_file", "write_file"}
)

// session makes the calls of one session, and advances the time to the next.
func (m *maker) session(n int) {
	m.actor = audit.Actor{Session: fmt.Sprintf("s-%04d", n), Agent: agents[n%len(agents)], Client: clients[n%len(clients)]}
	m.before = change{}
	share := weeks * 7 * 24 * time.Hour * perSession / time.Duration(max(m.entries, perSession))
	next := m.now.Add(share)
	for range perSession {
		if m.made == m.entries || m.err != nil {
			return
		}
		m.now = m.now.Add(time.Duration(m.rand.Int64N(int64(share)/perSession) + 1))
		m.actor.Tool = tools[m.rand.IntN(len(tools))]
		m.call()
	}
	if m.now.Before(next) {
		m.now = next
	}
}

// call makes one call, or two for a change that is reverted at once.
func (m *maker) call() {
	m.made++
	switch k := m.rand.IntN(1000); {
	case k < 60:
		m.refused(audit.Failed, "patch_apply_error", m.path(), "hunk 1: the lines are not in the file")
	case k < 80:
		m.refused(audit.Denied, "permission_denied", ".env", "the name is protected")
	case k < 110 && m.before.Tx != "":
		m.undo()
	case k < 118 && m.made < m.entries:
		r := m.change(audit.Commit, m.steps()...)
		m.end(r, audit.Record{Kind: audit.Abort, ErrorKind: "stale_file", Message: "somebody saved " + r.Ops[0].Path + " meanwhile"})
		m.made++
		m.refused(audit.Failed, "stale_file", r.Ops[0].Path, "the file changed since it was read")
	case k < 126:
		m.end(m.change(audit.Commit, m.steps()...), audit.Record{Kind: audit.Abort, ErrorKind: "stale_file", Message: "interrupted, and rolled back"})
	case k < 136:
		m.keep(m.change(audit.Commit, m.steps()...), audit.Record{Kind: audit.Recovered, OK: true, Message: "it was finished"})
	case k < 166 && m.made+sizeOfGroup <= m.entries:
		m.made += sizeOfGroup - 1
		m.group()
	default:
		m.keep(m.change(audit.Commit, m.steps()...), audit.Record{Kind: audit.Applied, OK: true})
	}
}

func (m *maker) path() string {
	n := m.rand.IntN(files)
	return fmt.Sprintf("internal/room%02d/part%d.go", n/10, n%10)
}

// content returns a version of a file.
func content(path string, version int) string {
	return fmt.Sprintf("// %s\npackage room\n\nconst version = %d\n", path, version)
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
