package workspace_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
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
