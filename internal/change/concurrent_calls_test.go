package change_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
)

const keyed = "*** Begin Patch\n*** Add File: a\n+new\n*** Update File: b\n@@\n-one\n+two\n*** Update File: c\n@@\n-one\n+two\n*** End Patch\n"

func keyedTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("one\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Concurrent calls with the same patch and key all succeed, and the patch is applied once; atomic, or section by section.
func TestSameKeyAtOnce(t *testing.T) {
	for _, sequential := range []bool{false, true} {
		t.Run(fmt.Sprintf("sequential=%v", sequential), func(t *testing.T) {
			dir := keyedTree(t)
			var wg sync.WaitGroup
			for range 8 {
				ws := emendtest.Open(t, dir)
				wg.Go(func() {
					if _, err := ws.Apply(context.Background(), keyed, api.PatchOptions{IdempotencyKey: "K", Sequential: sequential}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			checkOnce(t, dir, map[bool]int{false: 1, true: 3}[sequential])
		})
	}
}

func checkOnce(t *testing.T, dir string, commits int) {
	t.Helper()
	for name, want := range map[string]string{"a": "new\n", "b": "two\n", "c": "two\n"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, ".emend/log/00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(log), `"kind":"commit"`); n != commits {
		t.Errorf("%d commits, want %d", n, commits)
	}
}

// Two calls with one key apply a patch section by section, interleaved: each section is applied once.
func TestSameKeyInBetween(t *testing.T) {
	for at := 1; at <= 3; at++ {
		dir := keyedTree(t)
		first, second := emendtest.Open(t, dir), emendtest.Open(t, dir)
		o := api.PatchOptions{Sequential: true, IdempotencyKey: "K"}
		n, slow := 0, o
		slow.Progress = func(int, int) {
			if n++; n == at {
				if _, err := first.Apply(context.Background(), keyed, o); err != nil {
					t.Errorf("at %d: the first: %v", at, err)
				}
			}
		}
		if _, err := second.Apply(context.Background(), keyed, slow); err != nil {
			t.Errorf("at %d: the second: %v", at, err)
		}
		checkOnce(t, dir, 3)
	}
}

// Doctor, Recover, patches and Close run at once, for the race detector. A closed workspace refuses patches.
func TestAllAtOnce(t *testing.T) {
	for range 10 {
		dir := keyedTree(t)
		ws := emendtest.Open(t, dir)
		var wg sync.WaitGroup
		for _, call := range []func(){
			func() { ws.Apply(context.Background(), keyed, api.PatchOptions{}) },
			func() { ws.Recover(context.Background()) },
			func() { ws.Host().Doctor(context.Background()) },
			func() { ws.Plan(context.Background(), keyed, api.PatchOptions{}) },
			func() { ws.Close() },
		} {
			wg.Go(call)
		}
		wg.Wait()
		if _, err := ws.Apply(context.Background(), keyed, api.PatchOptions{}); err == nil {
			t.Error("a closed workspace applies patches")
		}
	}
}

// A retry of a call that failed half way, section by section, does not repeat the sections that were applied.
func TestKeyOfHalfACall(t *testing.T) {
	dir := keyedTree(t)
	const half = "*** Begin Patch\n*** Update File: b\n@@\n+again\n*** Update File: c\n@@\n-not there\n+two\n*** End Patch\n"
	o := api.PatchOptions{Dialect: "codex", Sequential: true, IdempotencyKey: "K"}
	for range 3 {
		if _, err := emendtest.Open(t, dir).Apply(context.Background(), half, o); err == nil {
			t.Fatal("the second section cannot be applied")
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || strings.Count(string(b), "again") != 1 {
		t.Errorf("b: %q, %v", b, err)
	}
}
