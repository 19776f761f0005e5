package web

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/tool"
)

// TestSessionTurns: a session's calls stand below their turns, and a turn is taken back alone. What was seen and not made says so.
func TestSessionTurns(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	call := func(turn, patch string) {
		t.Helper()
		ctx := emend.WithActor(context.Background(), api.Actor{Agent: "robot", Session: "s1", Turn: turn})
		if o := tool.Call(ctx, p.ws, "apply_patch", []byte(`{"patch":"*** Begin Patch\n`+strings.ReplaceAll(patch, "\n", `\n`)+`*** End Patch\n"}`)); !o.OK() {
			t.Fatal(o.Text())
		}
	}
	call("", update("a.txt", "one", "two"))
	saysNot(t, p.get("/ui/default/session?id=s1"), "Turn of", "No turn")
	call("first<i>", update("a.txt", "two", "three"))
	call("second", update("b.txt", "one", "two"))
	look := func(moment api.Moment) {
		t.Helper()
		ctx := emend.WithActor(context.Background(), api.Actor{Session: "s1", Turn: "second", Call: "c1", Tool: "shell"})
		_, err := p.ws.Host().Look(ctx, api.LookRequest{Moment: moment, Command: "sed -i s/two/three/ b.txt"})
		must(t, err)
	}
	look(api.BeforeCall)
	must(t, os.WriteFile(filepath.Join(p.dir, "b.txt"), []byte("three\n"), 0o644))
	look(api.AfterCall)
	body := p.get("/ui/default/session?id=s1")
	says(t, body, "Undo turn", "Turn of", "No turn",
		"made outside emend: sed -i s/two/three/ b.txt")
	if strings.Count(body, "Undo turn") != 2 {
		t.Errorf("of no turn, and an undo of it\n%s", words(body))
	}
	says(t, p.get(p.entryPage(p.lastEntry())), "Made outside emend: sed -i s/two/three/ b.txt", "second")
	says(t, p.get("/ui/default/"), "Turn of")

	dry := p.get("/ui/default/confirm/undo_turn?sessionId=s1&turn=second")
	says(t, dry, "Undo a turn", "1 file would change", "Edit b.txt")
	says(t, p.submit(dry, "do"), "Done:", "Reverted b.txt")
	if p.read("a.txt") != "three\n" || p.read("b.txt") != "one\n" {
		t.Errorf("%q %q", p.read("a.txt"), p.read("b.txt"))
	}
	body = p.get("/ui/default/session?id=s1")
	if strings.Count(body, "Undo turn") != 1 {
		t.Errorf("a turn that is undone can be undone again\n%s", words(body))
	}
	says(t, p.get("/ui/default/confirm/undo_turn?sessionId=s1&turn=second"), "no change to undo")
}
