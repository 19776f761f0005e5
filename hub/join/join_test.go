package join_test

import (
	"testing"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/join"
)

// TestShip: what was there before, what comes, and what comes while the workspace had not joined.
func TestShip(t *testing.T) {
	h := hubtest.Serve(t, broker.Options{})
	dir, m := hubtest.Workspace(t), h.Enrol(t, "one")
	hubtest.Change(t, dir, 3)
	j, stop := hubtest.Join(t, join.Options{Dir: dir, Membership: m})
	hubtest.Flush(t, j)
	hubtest.Change(t, dir, 2)
	hubtest.Flush(t, j)
	stop()
	hubtest.Change(t, dir, 2)
	j, _ = hubtest.Join(t, join.Options{Dir: dir, Membership: m})
	hubtest.Flush(t, j)

	c := hubtest.NewCopy()
	if err := c.CatchUp(t.Context(), h.Broker); err != nil {
		t.Fatal(err)
	}
	s := c.Of(m.Joined.Workspace)
	if p := j.Progress(); s.Head != p.Local || s.Epoch != 1 || s.Records != s.Head.Seq || s.Repeated != 0 || len(c.Findings) != 0 {
		t.Errorf("the hub has %+v, the log %+v; findings %+v", s, p.Local, c.Findings)
	}
}
