package look_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// BenchmarkPair times a look before and one after a call that changes nothing, in a git work tree of 20,000 files whose index and
// directories are in memory, each with a workspace that was just opened.
func BenchmarkPair(b *testing.B) {
	if _, err := exec.LookPath("git"); err != nil {
		b.Skip("NOT RUN: git is not here")
	}
	dir := b.TempDir()
	for i := range 20_000 {
		d := filepath.Join(dir, fmt.Sprintf("d%d/s%d", i/1000, i/100%10))
		if i%100 == 0 {
			os.MkdirAll(d, 0o755)
		}
		os.WriteFile(filepath.Join(d, fmt.Sprintf("f%d.go", i%100)), fmt.Appendf(nil, "var X = %d\n%s", i, strings.Repeat("text ", i%300)), 0o644)
	}
	cmd := exec.Command("sh", "-ec", "git init -q . && git add -A && git -c user.name=b -c user.email=b@example.com commit -q -m b")
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, said)
	}
	time.Sleep(50 * time.Millisecond) // so that no file is fresh
	pair := func() {
		ws, err := emend.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer ws.Close()
		for _, m := range []api.Moment{api.BeforeCall, api.AfterCall} {
			if _, err := ws.Host().Look(emend.WithActor(b.Context(), api.Actor{Tool: "run", Call: "c"}), api.LookRequest{Moment: m}); err != nil {
				b.Fatal(err)
			}
		}
	}
	pair()
	pair()
	for b.Loop() {
		pair()
	}
}
