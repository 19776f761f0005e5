package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// TestMigrateWhileOthersLook moves a store while other goroutines look at it. With -race it shows that they share nothing
// without a lock.
func TestMigrateWhileOthersLook(t *testing.T) {
	dir := t.TempDir()
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ws.Create(t.Context(), api.CreateRequest{Path: "b", Content: "b\n"}); err != nil {
		t.Fatal(err)
	}
	ws.Close()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil { // a new store would be made there
		t.Fatal(err)
	}
	if ws, err = emend.Open(dir); err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	host, moved := ws.Host(), make(chan struct{})
	var looking sync.WaitGroup
	for range 2 {
		looking.Go(func() {
			for {
				host.Ready() //nolint:errcheck // while the store moves it may be at neither place
				select {
				case <-moved:
					return
				default:
				}
			}
		})
	}
	_, to, err := host.Migrate(t.Context())
	close(moved)
	looking.Wait()
	if err != nil || to != filepath.Join(dir, ".git", "emend") {
		t.Errorf("moved to %q, %v", to, err)
	}
	if err := host.Ready(); err != nil {
		t.Error(err)
	}
}

// TestMigrateNothing checks that a Migrate with nothing to move does not forget the store that a person named.
func TestMigrateNothing(t *testing.T) {
	dir, store := t.TempDir(), filepath.Join(t.TempDir(), "store")
	ws, err := emend.Open(dir, emend.Store(store))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if _, _, err := ws.Host().Migrate(t.Context()); !errors.Is(err, fail.NotFound) {
		t.Fatal(err)
	}
	if _, err := ws.Create(t.Context(), api.CreateRequest{Path: "b", Content: "b\n"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(store, "format")); err != nil {
		t.Error(err)
	}
}
