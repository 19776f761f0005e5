//go:build unix

package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
)

// TestFollowHeeds: to follow the log says nothing before Ctrl-C is heeded, so that who has read something can stop it.
func TestFollowHeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	none := func(string) string { return "" }
	a := &app{in: strings.NewReader("x"), out: &out, err: &out, env: none}
	if a.run(t.Context(), []string{"create", "f", "--root", "."}) != exitDone {
		t.Fatal(&out)
	}
	synctest.Test(t, func(t *testing.T) {
		out.Reset()
		ctx, cancel := context.WithCancel(t.Context())
		a := &app{in: strings.NewReader(""), out: &out, err: &out, env: none}
		a.heeds.Add(1)
		ended := make(chan int, 1)
		go func() { ended <- a.run(ctx, []string{"log", "--follow", "--root", "."}) }()
		synctest.Wait()
		if out.Len() > 0 {
			t.Errorf("before Ctrl-C is heeded: %s", &out)
		}
		a.heeds.Done()
		synctest.Wait()
		if !strings.Contains(out.String(), "  A f\n") {
			t.Errorf("after Ctrl-C is heeded: %s", &out)
		}
		cancel()
		if code := <-ended; code != exitDone {
			t.Errorf("exit code %d, %s", code, &out)
		}
	})
}
