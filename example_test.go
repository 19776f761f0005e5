package emend_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// project makes a directory with one file, for the examples.
func project() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "emend-example-")
	if err != nil {
		panic(err)
	}
	os.WriteFile(filepath.Join(dir, "server.ts"), []byte("const PORT = 3000\nlisten(PORT)\n"), 0o644) //nolint:errcheck // the example shows it
	return dir, func() { os.RemoveAll(dir) }
}

const changePort = `*** Begin Patch
*** Update File: server.ts
@@
-const PORT = 3000
+const PORT = 4000
 listen(PORT)
*** End Patch
`

// Plan what a patch would do, look at it, and commit it.
func Example() {
	dir, remove := project()
	defer remove()
	ctx := context.Background()

	ws, err := emend.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()

	plan, err := ws.Plan(ctx, changePort, api.PatchOptions{}) // reads only
	if refused, ok := errors.AsType[*emend.Refusal](err); ok {
		fmt.Println(refused.Result().Text()) // written for the model that sent the patch
		return
	}
	for _, f := range plan.Files() {
		fmt.Println(f.Op, f.Path, "line", f.Hunks[0].Line, f.Hunks[0].Rung)
	}
	report, err := ws.Commit(ctx, plan) // all of it, or nothing
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(report.Files()), "file changed")
	// Output:
	// update server.ts line 1 exact
	// 1 file changed
}

// Apply plans and commits in one call. A refusal names every hunk that fails.
func ExampleWorkspace_Apply() {
	dir, remove := project()
	defer remove()
	ctx := context.Background()
	ws, err := emend.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()

	if _, err := ws.Apply(ctx, changePort, api.PatchOptions{}); err != nil {
		fmt.Println(err)
	}
	_, err = ws.Apply(ctx, changePort, api.PatchOptions{}) // the file has changed since
	fmt.Println(errors.Is(err, fail.PatchApply))
	// Output:
	// true
}

// An edit names the sha256 of what the caller has seen. If somebody changed the file since, the edit is refused as stale.
func ExampleWorkspace_Edit() {
	dir, remove := project()
	defer remove()
	ctx := context.Background()
	ws, err := emend.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()

	file, err := ws.Read(ctx, api.ReadRequest{Path: "server.ts"})
	if err != nil {
		fmt.Println(err)
		return
	}
	change := api.EditRequest{Path: "server.ts", ExpectedSha256: file.Data.Sha256,
		Edits: []api.TextEdit{{OldText: "PORT = 3000", NewText: "PORT = 4000"}}}
	edit, err := ws.Edit(ctx, change)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(edit.Data.Path, edit.Data.AppliedEdits[0].Lines[0].StartLine)

	_, err = ws.Edit(ctx, change)
	fmt.Println(errors.Is(err, fail.Stale))
	// Output:
	// server.ts 1
	// true
}

// Undo takes back a change by its transaction, and can itself be undone. History lists both.
func ExampleWorkspace_Undo() {
	dir, remove := project()
	defer remove()
	ctx := emend.WithActor(context.Background(), api.Actor{Session: "s1"})
	ws, err := emend.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()

	report, err := ws.Apply(ctx, changePort, api.PatchOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := ws.Undo(ctx, api.UndoRequest{Entry: report.Tx}); err != nil {
		fmt.Println(err)
		return
	}
	history, err := ws.History(ctx, api.HistoryRequest{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range history.Data.Entries { // the newest first
		fmt.Println(e.ToolName, e.Path, e.UndoneBy != "")
	}
	// Output:
	// undo server.ts false
	// apply_patch server.ts true
}

// Convert writes a patch in another dialect, without reading a file.
func ExampleConvert() {
	text, _, err := emend.Convert(changePort, "supyagent", api.PatchOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text)
	// Output:
	// *** Update File: server.ts
	// @@ const PORT = 3000
	// -const PORT = 3000
	// +const PORT = 4000
	//  listen(PORT)
}
