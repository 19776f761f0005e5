//go:build linux

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/emend-dev/emend/proof/product"
)

// TestSessions has the sessions work for a while: two seconds, or EMEND_SESSIONS_FOR. No session gets half of what another one
// gets, and memory does not grow.
func TestSessions(t *testing.T) {
	length, err := time.ParseDuration(cmp.Or(os.Getenv("EMEND_SESSIONS_FOR"), "2s"))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	o := options{length: length, sessions: 64, servers: 1, emend: filepath.Join(home, "program")}
	if err := product.Build(t.Context(), o.emend); err != nil {
		t.Fatal(err)
	}
	r, err := run(t.Context(), o, home)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.page())
	const few = 10 // more or less say nothing: a busy machine makes a few calls of each session in two seconds
	if fewest, most := r.spread(); most > 2*fewest+few {
		t.Errorf("a session made %d calls, another one %d", fewest, most)
	}
	if first, last := r.states[0].resident, r.states[quarters-1].resident; last > 2*first {
		t.Errorf("memory grew from %d to %d MiB", first>>20, last>>20)
	}
}
