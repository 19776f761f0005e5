//go:build unix

package tool

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// TestLooksWaitForNoWriter checks that every tool which changes nothing answers while somebody has the lock and calls of the
// same process wait for it, and so does a dry run. One that waited would get no answer but "timeout".
func TestLooksWaitForNoWriter(t *testing.T) {
	ws := open(t, map[string]string{"a.txt": "one\n", "b.ts": "PORT = 1\n"})
	call := func(name, args string) reply { return replied(t, Call(t.Context(), ws, name, json.RawMessage(args))) }
	edit := func(from, to string) string {
		return fmt.Sprintf(`{"path":"a.txt","expectedSha256":"%x","edits":[{"oldText":%q,"newText":%q}]}`, sha256.Sum256([]byte(from+"\n")), from, to)
	}
	if r := call("edit_file", edit("one", "two")); !r.OK {
		t.Fatalf("%+v", r)
	}
	lock, err := os.OpenFile(filepath.Join(ws.Root(), ".emend", "lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	var edited reply
	began := make(chan struct{})
	writers.Go(func() {
		close(began)
		edited = call("edit_file", edit("two", "three"))
	})
	<-began
	looks := map[string]string{"read_file": `{"path":"a.txt"}`, "list_directory": `{"path":".","recursive":true}`, "search_files": `{"query":"PORT","mode":"text"}`,
		"glob": `{"pattern":"**/*.ts"}`, "history": `{"path":"a.txt"}`,
		"apply_patch": `{"dryRun":true,"patch":"*** Begin Patch\n*** Update File: b.ts\n@@\n-PORT = 1\n+PORT = 2\n*** End Patch"}`}
	for name, args := range looks {
		if r := call(name, args); !r.OK {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, tool := range All {
		if !tool.Mutates && !tool.PersonOnly && looks[tool.Name] == "" {
			t.Errorf("%s is not called", tool.Name)
		}
	}
	lock.Close()
	if writers.Wait(); !edited.OK {
		t.Errorf("%+v", edited)
	}
}
