package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

func TestHealth(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil)
	s.health.maxAge = time.Millisecond
	ask := request{method: "GET", path: "/healthz", token: "-"}
	s.want(ask, 200, "ok\n")
	s.want(request{method: "HEAD", path: "/healthz", token: "-"}, 200)
	s.want(toolCall("create_file", `{"path":"new.txt","content":"x"}`), 200)
	store := filepath.Join(s.dir, ".emend")
	if err := os.Rename(store, store+".away"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "/healthz says that the store is gone", func() bool {
		r, body := s.ask(request{method: "GET", path: "/healthz"})
		return r.StatusCode == 503 && strings.Contains(body, "workspace default")
	})
	if err := os.Rename(store+".away", store); err != nil {
		t.Fatal(err)
	}
	eventually(t, "/healthz says ok again", func() bool { r, _ := s.ask(ask); return r.StatusCode == 200 })
}

// TestHealthToStrangers checks that only who sends the token is told why a server is not ready.
func TestHealthToStrangers(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil)
	s.health.maxAge = time.Millisecond
	s.want(toolCall("create_file", `{"path":"new.txt","content":"x"}`), 200)
	must(t, os.Rename(filepath.Join(s.dir, ".emend"), filepath.Join(s.dir, "away")))
	eventually(t, "who has the token is told", func() bool {
		r, body := s.ask(request{method: "GET", path: "/healthz"})
		return r.StatusCode == 503 && strings.Contains(body, "workspace default")
	})
	for _, token := range []string{"-", "Bearer wrong", "Bearer " + testToken + "x", "Basic " + testToken} {
		for _, method := range []string{"GET", "HEAD"} {
			r, body := s.ask(request{method: method, path: "/healthz", token: token})
			if r.StatusCode != 503 || method == "GET" && body != "emend: not ready\n" {
				t.Errorf("%s with the token %q: %d %q", method, token, r.StatusCode, body)
			}
			for name, values := range r.Header {
				switch name {
				case "Cache-Control", "Content-Length", "Content-Type", "Date", "X-Content-Type-Options":
				default:
					t.Errorf("%s: %q", name, values)
				}
			}
		}
	}
}

// TestHealthPending checks that an interrupted change makes the server unhealthy until it is recovered.
func TestHealthPending(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil)
	s.health.maxAge = time.Millisecond
	s.want(toolCall("create_file", `{"path":"new.txt","content":"x"}`), 200)
	dir, err := vfs.Open(filepath.Join(s.dir, ".emend", "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	log, err := audit.Open(dir, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Append(&audit.Record{Kind: audit.Commit, Tx: history.NewID(time.Now()), OK: true}, false); err != nil {
		t.Fatal(err)
	}
	ask := request{method: "GET", path: "/healthz", token: "-"}
	eventually(t, "/healthz says so", func() bool {
		r, body := s.ask(request{method: "GET", path: "/healthz"})
		return r.StatusCode == 503 && strings.Contains(body, "was interrupted")
	})
	if _, err := s.Workspaces[0].Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "/healthz says ok again", func() bool { r, _ := s.ask(ask); return r.StatusCode == 200 })
}
