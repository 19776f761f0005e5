//go:build unix

package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestFollowEnds: to follow the log ends when its reader has gone, not only when there is something to write.
func TestFollowEnds(t *testing.T) {
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
