package commit

import (
	"context"
	"testing"

	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// TestSigned checks that the lock file names the holder, whatever it said before.
func TestSigned(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	for _, who := range []string{"process 17", "process 17", "process 1", "process 1234", "somebody else", "p", "process 17\nof two lines"} {
		s, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		s.opts.Holder = who
		unlock, err := s.lock(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		has, err := vfstest.ReadFile(s.dir, lockName)
		if err != nil || has != who+"\n" {
			t.Errorf("it says %q, %v; want %q", has, err, who)
		}
		unlock()
		s.Close()
	}
}
