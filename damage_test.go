package emend_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/emendtest"
)

var everyByte = flag.Bool("every-byte", false, "damage an index and a pack in every byte; without it, in some")

// damageWorkspace makes a workspace with a log that begins with first.txt, and returns the entry that deleted that file.
func damageWorkspace(t *testing.T, edits int) (ws *emend.Workspace, deleted string) {
	t.Helper()
	ws = emendtest.Workspace(t, ".emend/x", "")
	if err := os.RemoveAll(filepath.Join(ws.Root(), ".emend/x")); err != nil {
		t.Fatal(err)
	}
	s := &emendtest.Story{T: t, WS: ws, Ctx: t.Context()}
	s.Create("first.txt", "first\n")
	s.Create("b", strings.Repeat("a line that stays\n", 10)+"0\n")
	s.Edit("first.txt", "first\n", "second\n")
	deleted, _ = s.Remove("first.txt")
	for i := range edits {
		s.Edit("b", fmt.Sprintf("stays\n%d\n", i), fmt.Sprintf("stays\n%d\n", i+1))
	}
	if _, err := ws.Apply(s.Ctx, emendtest.Envelope("*** Add File: key.txt", "+key"), api.PatchOptions{IdempotencyKey: "key"}); err != nil {
		t.Fatal(err)
	}
	return ws, deleted
}

// damageQuestions are what is asked of the log and the history, each as text.
func damageQuestions(t *testing.T, dir, deleted string) []string {
	t.Helper()
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	ctx := t.Context()
	text := func(v any, err error) string {
		if err != nil {
			return "error: " + err.Error()
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	answer := func(r interface{ Result() api.Result }, err error) string {
		if err != nil {
			return text(nil, err)
		}
		return r.Result().Text()
	}
	trash, err := ws.Trash(ctx)
	out := []string{text(trash, err)}
	out = append(out,
		answer(ws.History(ctx, api.HistoryRequest{Path: "first.txt"})),
		text(ws.FileHistory(ctx, "first.txt", 10)),
		answer(ws.Show(ctx, deleted)),
		text(ws.Timeline(ctx, api.TimelineRequest{Before: 9})),
		answer(ws.Undo(ctx, api.UndoRequest{Entry: deleted, DryRun: true})),
		answer(ws.Apply(ctx, emendtest.Envelope("*** Add File: key.txt", "+key"), api.PatchOptions{IdempotencyKey: "key"})))
	for _, f := range trash {
		out = append(out, text(ws.Content(ctx, f.ID)))
	}
	return out
}

// damageEach damages a file of the store byte by byte, each changed and as the end of the file, and asks all questions.
func damageEach(t *testing.T, ws *emend.Workspace, deleted, name string, mayRefuse bool) {
	t.Helper()
	want := damageQuestions(t, ws.Root(), deleted)
	for _, w := range want {
		if strings.HasPrefix(w, "error: ") {
			t.Fatal(w)
		}
	}
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	step, refused := 1, 0
	if !*everyByte {
		step = len(good)/30 + 1
	}
	for at := rnd.IntN(step); at < len(good); at += step {
		for _, bad := range []string{string(good[:at]), string(good[:at]) + string(good[at]^byte(1+rnd.IntN(255))) + string(good[at+1:])} {
			if err := os.WriteFile(name, []byte(bad), 0o600); err != nil {
				t.Fatal(err)
			}
			got := damageQuestions(t, ws.Root(), deleted)
			for i := range want {
				switch {
				case i < len(got) && got[i] == want[i]:
				case mayRefuse && (i >= len(got) || strings.Contains(got[i], "part of the history cannot be read")):
					refused++
				default:
					t.Fatalf("byte %d of %d of %s: question %d is answered\n%s\nand without damage\n%s", at, len(good), filepath.Base(name), i, got[i], want[i])
				}
			}
		}
	}
	if mayRefuse && refused == 0 {
		t.Error("nothing was ever refused: the questions do not read the file")
	}
	if err := os.WriteFile(name, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := damageQuestions(t, ws.Root(), deleted); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("with the file as it was:\n%s\nand before\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDamagedIndex damages the index of a small log in each byte: every question is answered as before.
func TestDamagedIndex(t *testing.T) {
	t.Cleanup(audit.IndexEvery(2000))
	ws, deleted := damageWorkspace(t, 12)
	names, err := filepath.Glob(filepath.Join(ws.Root(), ".emend/log/*.idx-part"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	damageEach(t, ws, deleted, names[0], false)
}

// TestDamagedPack damages a pack of old contents in each byte: every question is answered as before, or refused because the pack
// cannot be read.
func TestDamagedPack(t *testing.T) {
	ws, deleted := damageWorkspace(t, 105)
	if _, err := ws.Host().PackAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(ws.Root(), ".emend/slots/packs/*.pack"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	damageEach(t, ws, deleted, names[0], true)
}
