//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
)

// log --follow prints nothing before Ctrl-C is handled, so that whoever has read an entry can stop it.
func TestFollowPrintsAfterInterruptIsHandled(t *testing.T) {
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
		a.interruptReady.Add(1)
		ended := make(chan int, 1)
		go func() { ended <- a.run(ctx, []string{"log", "--follow", "--root", "."}) }()
		synctest.Wait()
		if out.Len() > 0 {
			t.Errorf("before Ctrl-C is heeded: %s", &out)
		}
		a.interruptReady.Done()
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

// log --follow ends when its reader has gone, also if there is nothing to write.
func TestFollowEndsWithReader(t *testing.T) {
	t.Chdir(t.TempDir())
	var errs bytes.Buffer
	a := &app{in: strings.NewReader("x"), out: &errs, err: &errs, env: func(string) string { return "" }}
	if a.run(t.Context(), []string{"create", "f", "--root", "."}) != exitDone {
		t.Fatal(&errs)
	}
	errs.Reset()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ended := make(chan int)
	go func() {
		a := &app{in: strings.NewReader(""), out: w, err: &errs, env: func(string) string { return "" }}
		ended <- a.run(t.Context(), []string{"log", "--follow", "--root", "."})
	}()
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if code := <-ended; code != exitRefused || errs.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}
