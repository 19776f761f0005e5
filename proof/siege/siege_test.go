//go:build unix

package siege

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/proof/session"
)

// TestSiege has many sessions work for some time, and then sends SIGTERM. Every acknowledged change must be there, and no
// other. EMEND_SIEGE_SECONDS and EMEND_SIEGE_SESSIONS make it longer and larger.
func TestSiege(t *testing.T) {
	s := lay(t)
	s.begin()
	s.watch(time.Duration(number(t, "EMEND_SIEGE_SECONDS", 3)) * time.Second)
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("SIGTERM: exit %d\n%.4000s", code, s.said.Bytes())
	}
	s.judge()
}

// TestSiegeKilled does the same with kill -9. The next command then recovers.
func TestSiegeKilled(t *testing.T) {
	s := lay(t)
	s.begin()
	s.watch(time.Duration(number(t, "EMEND_SIEGE_SECONDS", 3)) * time.Second / 3)
	s.end(syscall.SIGKILL)
	run(t, s.home, "-C", s.dir, "recover")
	s.judge()
}

// siege is a server, its tree, and its sessions.
type siege struct {
	*testing.T
	*server
	*session.Ledger
	dir      string
	sessions int
	before   session.Change
	agents   []*agent
	errs     []error
	all      sync.WaitGroup
	stopping atomic.Bool
}

// lay creates the tree.
func lay(t *testing.T) *siege {
	home := t.TempDir()
	s := &siege{T: t, Ledger: session.NewLedger(), dir: filepath.Join(home, "tree"), sessions: number(t, "EMEND_SIEGE_SESSIONS", 40)}
	s.write(".git/HEAD", "ref: refs/heads/main\n")
	for i := range sharedFiles {
		s.write(sharedName(i), page(sharedName(i), 0))
	}
	s.server = serve(t, home, s.dir)
	for n := range s.sessions {
		a := &agent{Ledger: s.Ledger, rand: rand.New(rand.NewPCG(1, uint64(n))), n: n, have: map[string]string{}, stopping: &s.stopping,
			Client: &session.Client{URL: s.url, Token: s.token, Old: n%2 == 0, HTTP: &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}}}
		for _, kind := range []string{"a", "b", "c", "d"} {
			a.have[a.own(kind)] = page(a.own(kind), 0)
			s.write(a.own(kind), page(a.own(kind), 0))
		}
		s.agents = append(s.agents, a)
	}
	s.before = s.tree()
	return s
}

func (s *siege) write(path, text string) {
	name := filepath.Join(s.dir, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

func (s *siege) tree() session.Change {
	out, err := session.Snapshot(s.dir)
	if err != nil {
		s.Fatal(err)
	}
	return out
}

// begin starts all sessions at once.
func (s *siege) begin() {
	s.errs = make([]error, len(s.agents))
	for i, a := range s.agents {
		s.all.Go(func() {
			defer a.HTTP.CloseIdleConnections()
			if s.errs[i] = a.Meet(); s.errs[i] == nil {
				s.errs[i] = a.work()
			}
		})
	}
}

// end sends the signal while the sessions work, and returns the exit code of the server.
func (s *siege) end(sig syscall.Signal) int {
	s.stopping.Store(true)
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.Fatal(err)
	}
	code := status(s.wait())
	s.all.Wait()
	for _, err := range s.errs {
		if err != nil {
			s.Error(err)
		}
	}
	return code
}

// judge compares the answers with what is there.
func (s *siege) judge() {
	run(s.T, s.home, "-C", s.dir, "verify")
	log, err := session.ReadLog(run(s.T, s.home, "-C", s.dir, "log", "--limit", "0", "--json"))
	if err != nil {
		s.Fatal(err)
	}
	wrong := s.Judge(log, s.before, s.tree())
	for _, w := range wrong[:min(len(wrong), 20)] {
		s.Error(w)
	}
	s.Logf("%d sessions, calls %v, %d changes answered, %d in the log, %d calls cut off, refused: %v; %d things do not agree",
		s.sessions, s.Calls, len(s.Answered), len(log), len(s.Open), s.Refused, len(wrong))
	if len(s.Answered) < s.sessions {
		s.Errorf("%d changes were answered: too few to prove anything", len(s.Answered))
	}
}

// watch has the sessions work, and watches the memory of the server meanwhile. It must not grow.
func (s *siege) watch(during time.Duration) {
	const looks = 12
	var sizes []int64
	for range looks {
		time.Sleep(during / looks)
		sizes = append(sizes, s.memory())
	}
	for begun := time.Now(); s.Changes() < 2*s.sessions && time.Since(begun) < time.Minute; {
		time.Sleep(10 * time.Millisecond) // a slow machine has too little to judge yet
	}
	inMiB := make([]int64, looks)
	for i, n := range sizes {
		inMiB[i] = n >> 20
	}
	s.Logf("the memory of the server in MiB, every %v: %d", (during / looks).Round(time.Millisecond), inMiB)
	if sizes[0] == 0 {
		s.Log("NOT RUN: the check of the memory: this system does not say how much a process has")
	}
	early, late := max(sizes[looks/3-1], sizes[looks/3]), sizes[looks-1]
	if most := early + early/2 + 32<<20; late > most {
		s.Errorf("the server's memory grew from %d to %d MiB", early>>20, late>>20)
	}
}
