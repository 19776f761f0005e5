package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// TestWaitingAnswered: the log says whether waiting allow ran at a terminal. Under answer = "page" neither allow nor deny is
// taken, at a terminal or not, and the refusal names the page.
func TestWaitingAnswered(t *testing.T) {
	for _, tc := range []struct {
		terminal bool
		policy   string
		want     string // in the log, or in the refusal
		code     int
	}{
		{true, "", `"asked":{"by":"terminal",`, exitDone},
		{false, "", `"asked":{"by":"command without a terminal",`, exitDone},
		{true, "[ask]\nanswer = \"page\"\n", "emend ui", exitRefused},
		{false, "[ask]\nanswer = \"page\"\n", "emend ui", exitRefused},
	} {
		dir, policy := t.TempDir(), filepath.Join(t.TempDir(), "policy.toml")
		if err := os.WriteFile(policy, []byte(tc.policy+"[write]\nask = [\"*.sql\"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		ws, err := emend.Open(dir, emend.Policy(policy))
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		leave, err := ws.Host().PageOpen(api.AnsweredByPage)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		ctx, cancel := context.WithCancel(emend.WithAsker(t.Context(), func(ctx context.Context, q api.Question) (string, error) {
			return ws.Host().AskAtPage(ctx, q, time.Minute, nil)
		}))
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := ws.Create(ctx, api.CreateRequest{Path: "a.sql", Content: "x\n"})
			done <- err
		}()
		id := ""
		for range 3000 {
			if all, err := ws.Waiting(t.Context()); err != nil {
				t.Fatal(err)
			} else if len(all) > 0 {
				id = all[0].ID
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		answer := func(verb string) (int, string) {
			var out, errs bytes.Buffer
			a := &app{in: strings.NewReader(""), out: &out, err: &errs, env: func(string) string { return "" }, ttyIn: tc.terminal, ttyOut: tc.terminal}
			return a.run(t.Context(), []string{"waiting", verb, id, "--root", dir}), out.String() + errs.String()
		}
		if tc.code == exitRefused {
			for _, verb := range []string{"deny", "allow"} {
				if code, text := answer(verb); code != exitRefused || !strings.Contains(text, tc.want) || !strings.Contains(text, "from a page only") {
					t.Errorf("%s under the policy %q: %d, %s", verb, tc.policy, code, text)
				}
			}
			cancel()
			<-done
			continue
		}
		if code, text := answer("allow"); code != exitDone {
			t.Fatalf("%d, %s", code, text)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if log, err := os.ReadFile(filepath.Join(dir, ".emend", "log", "00000001.jsonl")); err != nil || !strings.Contains(string(log), tc.want) {
			t.Errorf("at a terminal: %v; the log: %s, %v", tc.terminal, log, err)
		}
	}
}
