package lost

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/wire"
)

var (
	workspaces = flag.Int("workspaces", 20, "simulated workspaces")
	real       = flag.Int("real", 3, "workspaces on disk, each with a joined process")
	duration   = flag.Duration("for", 8*time.Second, "how long")
	think      = flag.Duration("think", 200*time.Millisecond, "most time that an agent takes between two calls")
	kills      = flag.Int("kills", 3, "how often the hub is killed")
	rate       = flag.Int("rate", 4000, "records a second of all simulated workspaces; 0 for what the hub takes")
)

var builtIn string // the directory of the program; "" if it was not built

// built returns the path of emend-hub, which it builds once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "emend-hub-")
	if err != nil {
		return "", err
	}
	builtIn = dir
	file := filepath.Join(dir, "emend-hub")
	if out, err := exec.Command("go", "build", "-o", file, "../../cmd/emend-hub").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})

func program(t *testing.T) string {
	t.Helper()
	file, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(builtIn)
	os.Exit(code)
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// hub is a process that serves a hub, and can be killed.
type hub struct {
	t        *testing.T
	program  string
	dir      string
	args     []string
	cmd      *exec.Cmd
	listen   string
	https    string
	starts   int
	recovery time.Duration // the longest start
}

func (h *hub) start() {
	h.t.Helper()
	h.cmd = exec.Command(h.program, append([]string{"serve", "--data", h.dir, "--listen", h.listen, "--http", h.https}, h.args...)...)
	log, err := os.OpenFile(filepath.Join(h.t.ArtifactDir(), "hub.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	defer log.Close()
	h.cmd.Stdout, h.cmd.Stderr = log, log
	begin := time.Now()
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	for time.Since(begin) < time.Minute {
		c, err := net.Dial("tcp", h.https)
		if err == nil {
			c.Close()
			h.starts++
			h.recovery = max(h.recovery, time.Since(begin))
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	h.t.Fatalf("the hub did not start\n%s", text)
}

func (h *hub) kill() {
	h.cmd.Process.Kill()
	h.cmd.Wait()
}

func (h *hub) stop() {
	h.t.Helper()
	h.cmd.Process.Signal(os.Interrupt)
	if err := h.cmd.Wait(); err != nil {
		h.t.Errorf("the hub ended with %v", err)
	}
}

func (h *hub) attach() *broker.Broker {
	h.t.Helper()
	var err error
	for range 100 {
		var b *broker.Broker
		if b, err = broker.Attach(h.t.Context(), broker.Options{Dir: h.dir}); err == nil {
			return b
		}
		time.Sleep(100 * time.Millisecond)
	}
	h.t.Fatal(err)
	return nil
}

// joinSims joins n simulated workspaces, some at once.
func joinSims(t *testing.T, invite wire.Invite, n int) []*sim {
	t.Helper()
	sims := make([]*sim, n)
	var joining sync.WaitGroup
	places := make(chan struct{}, 8)
	for i := range sims {
		places <- struct{}{}
		joining.Go(func() {
			defer func() { <-places }()
			m, err := join.Enrol(t.Context(), invite, fmt.Sprint("sim-", i))
			if err == nil {
				sims[i], err = newSim(m, uint64(i))
			}
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(sims[i].nc.Close)
		})
	}
	joining.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return sims
}

// TestLost: the workspaces write as fast as the hub takes it, or at a rate, while it is killed and the network misbehaves.
func TestLost(t *testing.T) {
	began := time.Now()
	phase := func(what string) { t.Logf("%v: %s", time.Since(began).Round(100*time.Millisecond), what) }
	h := &hub{t: t, program: program(t), dir: t.TempDir(), listen: freePort(t), https: freePort(t)}
	p, err := newProxy(h.listen)
	if err != nil {
		t.Fatal(err)
	}
	defer p.l.Close()
	h.args = []string{"--advertise", "tls://" + p.l.Addr().String()}
	h.start()
	b := h.attach()
	invite, err := b.Invite(t.Context(), "https://"+h.https, true, wire.Invitation{Uses: *workspaces + *real, Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()

	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	sims := joinSims(t, invite, *workspaces)
	for _, s := range sims {
		all.Go(func() { s.ship.Run(ctx) })
	}
	phase("joined")
	reals := startReals(t, ctx, &all, h.program, invite)

	end := time.Now().Add(*duration)
	writing, stopWriting := context.WithDeadline(ctx, end)
	defer stopWriting()
	var writers sync.WaitGroup
	for _, s := range sims {
		writers.Go(func() { write(writing, s) })
	}
	for _, r := range reals {
		writers.Go(func() { r.work(t, writing) })
	}
	for k := range *kills {
		next := end.Add(-*duration * time.Duration(*kills-k) / time.Duration(*kills+1))
		time.Sleep(time.Until(next))
		h.kill()
		p.cut(1)
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
		h.start()
		p.cut(0.2)
		for _, s := range sims[:min(len(sims), 5)] {
			s.again() // not while there is no connection
		}
		if len(reals) > 0 {
			reals[k%len(reals)].kill()
		}
	}
	writers.Wait()
	p.calm.Store(true)
	phase("written")

	var made uint64
	for _, s := range sims {
		made += s.head().Seq
	}
	deadline := time.Now().Add(5 * time.Minute)
	for _, s := range sims {
		for s.ship.Progress().Shipped != s.head() {
			if time.Now().After(deadline) || s.violated != "" {
				t.Fatalf("not everything arrived: %+v, the log has %v; %s", s.ship.Progress(), s.head(), s.violated)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	phase("arrived")
	for _, r := range reals {
		r.flush(t, h.program)
		made += r.head(t).Seq
	}
	cancel()
	all.Wait()
	phase("ended")

	// What the broker has, verified from the beginning; and what the hub made of it through all kills.
	b = h.attach()
	defer b.Close()
	c := hubtest.NewCopy()
	if err := c.CatchUp(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	last, size, err := b.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x := waitIndex(t, h, last)
	defer x.Close()
	states, err := x.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	phase("read back")
	var repeated uint64
	check := func(name, ws string, head api.Head) {
		s := c.Of(ws)
		repeated += s.Repeated
		if s.Head != head || s.Epoch != 1 || s.Records != head.Seq || s.Gaps != nil || s.Findings != 0 {
			t.Errorf("%s: the broker has %+v, the log %v", name, s, head)
		}
		if i := states[ws].State; i.Head != s.Head || i.Records != s.Records || i.Findings != 0 || i.Epoch != 1 {
			t.Errorf("%s: the index has %+v, the broker %+v", name, i, s)
		}
	}
	for i, s := range sims {
		check(fmt.Sprint("sim ", i), s.m.Joined.Workspace, s.head())
	}
	var did agents
	kinds := map[string]int{}
	for _, r := range reals {
		check(r.dir, r.m.Joined.Workspace, r.head(t))
		for kind, n := range r.check(t, x) {
			kinds[kind] += n
		}
		did.sessions, did.turns, did.done, did.refused = did.sessions+r.sessions, did.turns+r.turns, append(did.done, r.done...), did.refused+r.refused
	}
	t.Logf("fleet: %d workspaces and %d real ones, %v: %d records acknowledged, each there once and in order; %d kills of the hub (longest start %v), %d cuts, %d pieces twice or out of order, %d records sent again; %d messages, %.0f bytes a record on disk",
		len(sims), len(reals), *duration, made, h.starts-1, h.recovery.Round(time.Millisecond), p.cuts.Load(), p.mixed.Load(), repeated, last, float64(size)/float64(made))
	t.Logf("fleet: %d agents on disk: %d sessions, %d prompts, %d changes and %d refusals that their clients were told of, each in the index under its session and call; also %d changes that were seen, %d records with a turn",
		len(reals), did.sessions, did.turns, len(did.done), did.refused, kinds["seen"], kinds["turn"])
}

// write makes a workspace's log grow until ctx ends.
func write(ctx context.Context, s *sim) {
	pause := time.Duration(0)
	if *rate > 0 {
		pause = time.Duration(float64(time.Second) * 1.9 * float64(*workspaces) / float64(*rate)) // a call is 1.9 records
	}
	for ctx.Err() == nil {
		if s.grow(2000) && pause == 0 {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(max(pause, time.Millisecond)):
		}
	}
}

// waitIndex stops the hub when its index has everything, and opens the index.
func waitIndex(t *testing.T, h *hub, last uint64) *index.Index {
	t.Helper()
	for start := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		x, err := index.Open(t.Context(), filepath.Join(h.dir, "index.db"), 1)
		if err != nil {
			t.Fatal(err)
		}
		n, err := x.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n >= last {
			h.stop()
			return x
		}
		x.Close()
		if time.Since(start) > 10*time.Minute {
			t.Fatalf("the index is at %d of %d", n, last)
		}
	}
}

// onDisk is a workspace on disk with a joined process.
type onDisk struct {
	dir, home string
	m         *wire.Membership
	program   string
	mu        sync.Mutex
	cmd       *exec.Cmd
}

func startReals(t *testing.T, ctx context.Context, all *sync.WaitGroup, program string, invite wire.Invite) (out []*agents) {
	t.Helper()
	emendProgram, err := builtEmend()
	if err != nil {
		t.Fatal(err)
	}
	for range *real {
		r := &onDisk{dir: t.TempDir(), home: t.TempDir(), program: program}
		out = append(out, &agents{onDisk: r, emend: emendProgram})
		m, err := join.Enrol(ctx, invite, "real")
		if err != nil {
			t.Fatal(err)
		}
		r.m = m
		t.Setenv("XDG_CONFIG_HOME", r.home)
		file, err := join.MembershipFile(r.dir)
		if err == nil {
			err = join.WriteMembership(file, m)
		}
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() { // a process that is killed is started again
			for ctx.Err() == nil {
				cmd := r.command("join", r.dir)
				r.mu.Lock()
				r.cmd = cmd
				err := cmd.Start()
				r.mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
				stop := context.AfterFunc(ctx, func() { cmd.Process.Signal(os.Interrupt) })
				cmd.Wait()
				stop()
			}
		})
	}
	return out
}

func (r *onDisk) command(args ...string) *exec.Cmd {
	cmd := exec.Command(r.program, args...)
	cmd.Env = r.env()
	return cmd
}

func (r *onDisk) env() []string {
	return []string{"XDG_CONFIG_HOME=" + r.home, "HOME=" + r.home, "PATH=" + os.Getenv("PATH")}
}

func (r *onDisk) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cmd.Process.Kill()
}

// flush runs join --ack: it ends when the hub has everything.
func (r *onDisk) flush(t *testing.T, program string) {
	t.Helper()
	if out, err := r.command("join", "--ack", "--ack-wait", "2m", r.dir).CombinedOutput(); err != nil || !strings.Contains(string(out), "the hub has all") {
		t.Errorf("join --ack: %v\n%s", err, out)
	}
}

func (r *onDisk) head(t *testing.T) api.Head {
	t.Helper()
	ws, err := emend.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	got, err := ws.Host().Records(t.Context(), api.RecordsRequest{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return got.Head
}
