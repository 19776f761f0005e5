package logtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// changedLines is the number of removed and added lines in the long diff.
const changedLines = 50_000

// recent makes the newest calls, with the engine.
func recent(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "table.csv"), []byte(table("old")), 0o644); err != nil {
		return err
	}
	ws, err := emend.Open(dir, emend.ByActor(api.Actor{Client: "terminal 2.0", Session: "s-today", Agent: "coder"}))
	if err != nil {
		return err
	}
	return errors.Join(calls(ws), ws.Close())
}

func calls(ws *emend.Workspace) error {
	ctx := context.Background()
	var last *api.Answer[api.CreateData]
	for n := range 12 {
		var err error
		last, err = ws.Create(ctx, api.CreateRequest{Path: fmt.Sprintf("notes/day%d.md", n), Content: fmt.Sprintf("# Day %d\n\nDone.\n", n), CreateParentDirectories: true})
		if err != nil {
			return err
		}
	}
	old, err := ws.Read(ctx, api.ReadRequest{Path: "table.csv", StartLine: 1, EndLine: 1})
	if err != nil {
		return err
	}
	if _, err := ws.Write(ctx, api.WriteRequest{Path: "table.csv", Content: table("new"), ExpectedSha256: old.Data.Sha256}); err != nil {
		return err
	}
	patch := "*** Begin Patch\n*** Update File: notes/day1.md\n@@\n-Done.\n+Done, and checked.\n*** Update File: notes/day2.md\n@@\n-Nothing.\n+Done.\n*** End Patch\n"
	if _, err := ws.Apply(ctx, patch, api.PatchOptions{}); err == nil {
		return errors.New("a patch that fits nowhere was applied")
	}
	if _, err := ws.Apply(ctx, strings.ReplaceAll(patch, "-Nothing.\n", "-Done.\n"), api.PatchOptions{}); err != nil {
		return err
	}
	if _, err := ws.Delete(ctx, api.DeleteRequest{Path: "notes/day3.md"}); err != nil {
		return err
	}
	_, err = ws.Undo(ctx, api.UndoRequest{Entry: last.Tx})
	return err
}

// table has one line for every two of the diff, since each is removed and added.
func table(state string) string {
	var b strings.Builder
	for n := range changedLines / 2 {
		fmt.Fprintf(&b, "%d,%s,a value of row %d that stays\n", n, state, n)
	}
	return b.String()
}
