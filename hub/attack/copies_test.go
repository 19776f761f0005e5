package attack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/join"
)

// copied copies a directory.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// putBack makes the files of a directory those of a copy, as a program for backups does. The directories stay.
func putBack(t *testing.T, dir, from string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Remove(name)
	})
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(from))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// findings returns what the hub finds in the chain of a workspace, and its state.
func findings(t *testing.T, h *hubtest.Hub, ws string) (map[chain.Kind]int, chain.State, *hubtest.Copy) {
	t.Helper()
	c := hubtest.NewCopy()
	if err := c.CatchUp(t.Context(), h.Broker); err != nil {
		t.Fatal(err)
	}
	return c.Kinds(ws), c.Of(ws), c
}

// TestRestoredBackup: a workspace, with its log, is put back to an older copy. The hub says that the log lost records, keeps what it has, and says that
// the log is another one when it grows again.
func TestRestoredBackup(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	dir, m := hubtest.Workspace(t), h.Enrol(t, "one")
	ws := m.Joined.Workspace
	send := func(dir string, changes int) {
		t.Helper()
		hubtest.Change(t, dir, changes)
		j, stop := hubtest.Join(t, join.Options{Dir: dir, Membership: m})
		hubtest.Flush(t, j)
		stop()
	}
	send(dir, 3)
	backup := copied(t, dir)
	send(dir, 3)
	k, before, c := findings(t, h, ws)
	if len(k) != 0 {
		t.Fatalf("an honest log has the findings %v", k)
	}
	last, err := c.HashAt(ws, 1, before.Head.Seq)
	if err != nil || last == "" {
		t.Fatalf("%q, %v", last, err)
	}

	// It comes back with nothing new: the presence shows it.
	putBack(t, dir, backup)
	j, stop := hubtest.Join(t, join.Options{Dir: dir, Membership: m})
	hubtest.Until(t, "the hub hears that records are gone", func() bool {
		p, err := h.PresenceOf(t.Context(), ws)
		if err != nil {
			t.Fatal(err)
		}
		return p != nil && p.Lost != nil && *p.Lost == before.Head
	})
	p, err := h.PresenceOf(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	if f := chain.Compare(before, *p); f == nil || f.Kind != chain.Truncated || f.Have != before.Head.H {
		t.Errorf("the presence %+v proves %+v", p, f)
	}
	// It goes on.
	hubtest.Change(t, dir, 1)
	hubtest.Flush(t, j)
	stop()
	k, after, c := findings(t, h, ws)
	if k[chain.Lost] == 0 || k[chain.Forked] != 1 || after.Epoch != 2 {
		t.Errorf("the findings are %v, the state %+v", k, after)
	}
	if have, err := c.HashAt(ws, 1, before.Head.Seq); err != nil || have != last {
		t.Errorf("record %d was %s, and is %s, %v", before.Head.Seq, last, have, err)
	}
}

// TestOneKeyTwice: a machine with a joined workspace is copied, and both run. The hub says that two logs have one key, has the records of both, and
// neither makes the other send without end.
func TestOneKeyTwice(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	dir, m := hubtest.Workspace(t), h.Enrol(t, "one")
	ws := m.Joined.Workspace
	hubtest.Change(t, dir, 3)
	j, stop := hubtest.Join(t, join.Options{Dir: dir, Membership: m})
	hubtest.Flush(t, j)
	stop()
	twin := copied(t, dir)
	at, err := emend.Open(twin)
	if err == nil {
		_, _, err = at.Host().Adopt() // its owner says that it is meant
		err = errors.Join(err, at.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	a, _ := hubtest.Join(t, join.Options{Dir: dir, Membership: m})
	b, _ := hubtest.Join(t, join.Options{Dir: twin, Membership: m})
	const changes = 5
	for range changes {
		hubtest.Change(t, dir, 1)
		hubtest.Flush(t, a)
		hubtest.Change(t, twin, 1)
		hubtest.Flush(t, b)
	}
	k, s, c := findings(t, h, ws)
	if k[chain.Forked] == 0 || k[chain.Lost] == 0 || s.Epoch < 2 {
		t.Errorf("the findings are %v, the state %+v", k, s)
	}
	for name, head := range map[string]string{dir: headOf(t, dir).H, twin: headOf(t, twin).H} {
		found := false
		for e := 1; e <= s.Epoch; e++ {
			have, err := c.HashAt(ws, e, headOf(t, name).Seq)
			if err != nil {
				t.Fatal(err)
			}
			found = found || have == head
		}
		if !found {
			t.Errorf("the newest record of %s is not at the hub", name)
		}
	}
	if last, _, err := h.Last(t.Context()); err != nil || last > 6*changes {
		t.Errorf("%d changes made %d messages, %v", 2*changes, last, err)
	}
}
