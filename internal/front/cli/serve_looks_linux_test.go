package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/looks"
	"github.com/emend-dev/emend/internal/tool"
)

// TestLooksOfAServer: a server looks at the workspace that it was started for, and at no other one that is in its place or has its socket.
func TestLooksOfAServer(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string) *emend.Workspace {
		t.Helper()
		root := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Join(root, ".emend"), 0o700); err != nil {
			t.Fatal(err)
		}
		ws, err := emend.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		if _, err := ws.Host().Look(t.Context(), api.LookRequest{Moment: api.AtPrompt}); err != nil {
			t.Fatal(err)
		}
		return ws
	}
	ask := func(ws *emend.Workspace) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return looks.Ask(ctx, ws.Host().LooksDir(), looks.Request{Root: ws.Root(), Look: api.LookRequest{Moment: api.BeforeCall}})
	}
	ws, other := open("ws"), open("other")
	done := lookForHooks(t.Context(), []tool.Workspace{{Name: "ws", Workspace: ws}})
	defer done()
	for ask(ws) == looks.ErrNobody {
		time.Sleep(time.Millisecond)
	}
	if err := ask(ws); err != nil {
		t.Errorf("its own workspace: %v", err)
	}
	socket := filepath.Join(ws.Host().LooksDir(), "socket")
	if err := os.Symlink(socket, filepath.Join(other.Host().LooksDir(), "socket")); err != nil {
		t.Fatal(err)
	}
	if err := ask(other); err == nil {
		t.Error("it looked for a workspace whose socket is a link to its own")
	}
	if err := os.Rename(ws.Root(), ws.Root()+".old"); err != nil {
		t.Fatal(err)
	}
	place := open("ws")
	for ask(place) == looks.ErrNobody { // it makes its socket where the path leads
		time.Sleep(time.Millisecond)
	}
	if err := ask(place); err == nil {
		t.Error("it looked for a workspace that is in the place of its own")
	}
}
