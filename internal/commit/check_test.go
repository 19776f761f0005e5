package commit

import (
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// TestCheck checks that Check is called with the lock held, after recovery, and that its error leaves everything as it was.
func TestCheck(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	before := w.visible(t)
	refusal, locked := &fail.Error{Kind: fail.PermissionDenied, Msg: "no"}, false
	_, err := w.do(plain, Tx{Changes: w.changes(t, wishes), Check: func() error {
		other, err := w.open(plain)
		if err != nil {
			return err
		}
		defer other.Close()
		unlock, err := other.tryLock()
		locked = unlock == nil && err == nil
		return refusal
	}})
	if err != refusal || !locked {
		t.Errorf("err = %v, locked %t", err, locked)
	}
	if d := diff(w.visible(t), before); d != "" {
		t.Errorf("changed:\n%s", d)
	}
}
