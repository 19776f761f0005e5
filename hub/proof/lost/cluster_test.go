package lost

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/hubtest"
)

// node is a server of a cluster.
type node struct {
	client, route, dir, conf string
	cmd                      *exec.Cmd
}

// TestCluster: three servers with a copy of each record; one after the other is killed and started again while workspaces write.
func TestCluster(t *testing.T) {
	program := filepath.Join(t.TempDir(), "nats-server")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	trust, err := broker.ClusterConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	nodes := make([]*node, 3)
	var urls, routes []string
	for i := range nodes {
		nodes[i] = &node{client: freePort(t), route: freePort(t), dir: t.TempDir()}
		urls, routes = append(urls, "nats://"+nodes[i].client), append(routes, "nats://"+nodes[i].route)
	}
	for i, n := range nodes {
		n.conf = filepath.Join(n.dir, "server.conf")
		text := fmt.Sprintf("server_name: n%d\nlisten: %q\njetstream { store_dir: %q, sync_interval: always }\ncluster { name: c, listen: %q, routes: [\"%s\"] }\n", i, n.client, n.dir, n.route, strings.Join(routes, `", "`))
		text += strings.Replace(trust, "./accounts", n.dir+"/accounts", 1)
		if err := os.WriteFile(n.conf, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n.start(t, program)
		defer func() { n.cmd.Process.Kill(); n.cmd.Wait() }()
	}
	var h *hubtest.Hub
	for start := time.Now(); h == nil; time.Sleep(200 * time.Millisecond) { // until the three have found each other
		b, err := broker.Open(t.Context(), broker.Options{Dir: dir, NATS: strings.Join(urls, ","), Replicas: 3})
		if err == nil {
			b.Close()
			h = hubtest.Serve(t, broker.Options{Dir: dir, NATS: strings.Join(urls, ","), Replicas: 3})
		} else if time.Since(start) > time.Minute {
			log, _ := os.ReadFile(filepath.Join(nodes[0].dir, "log"))
			t.Fatalf("%v\n%s", err, log)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	sims := make([]*sim, *workspaces)
	for i := range sims {
		var err error
		if sims[i], err = newSim(h.Enrol(t, fmt.Sprint("sim-", i)), uint64(i)); err != nil {
			t.Fatal(err)
		}
		defer sims[i].nc.Close()
		all.Go(func() { sims[i].ship.Run(ctx) })
	}
	writing, stopWriting := context.WithCancel(ctx)
	defer stopWriting()
	var writers sync.WaitGroup
	for _, s := range sims {
		writers.Go(func() { write(writing, s) })
	}
	// Each server is killed at least once, however long the copies take to become equal.
	start, killed := time.Now(), 0
	for ; killed < len(nodes) || time.Since(start) < *duration; killed++ {
		n := nodes[killed%3]
		n.cmd.Process.Kill()
		n.cmd.Wait()
		time.Sleep(500 * time.Millisecond)
		n.start(t, program)
		n.ready(t)
		current(t, h)
	}
	stopWriting()
	wrote := time.Since(start).Round(time.Second)
	writers.Wait()
	deadline := time.Now().Add(3 * time.Minute)
	for _, s := range sims {
		for s.ship.Progress().Shipped != s.head() {
			if time.Now().After(deadline) || s.violated != "" {
				t.Fatalf("not everything arrived: %+v, the log has %v; %s", s.ship.Progress(), s.head(), s.violated)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	c := hubtest.NewCopy()
	// As the hub does: once more after an error, since a cluster that elects a leader does not answer.
	for err := c.CatchUp(t.Context(), h.Broker); err != nil; err = c.CatchUp(t.Context(), h.Broker) {
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	made := uint64(0)
	for i, s := range sims {
		made += s.head().Seq
		if st := c.Of(s.m.Joined.Workspace); st.Head != s.head() || st.Epoch != 1 || st.Records != s.head().Seq || st.Findings != 0 {
			t.Errorf("sim %d: the cluster has %+v, the log %v", i, st, s.head())
		}
	}
	// Each node has all of it.
	for i, n := range nodes {
		if s, err := h.JetStream().Stream(t.Context(), "EMEND_RECORDS"); err != nil {
			t.Error(err)
		} else if r := len(s.CachedInfo().Cluster.Replicas); r != 2 {
			t.Errorf("node %d (%s): %d other copies, want 2", i, n.client, r)
		}
	}
	t.Logf("fleet: a cluster of 3, %d workspaces, %v: %d records acknowledged, each there once and in order; %d nodes killed, one at a time", len(sims), wrote, made, killed)
}

func (n *node) start(t *testing.T, program string) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(n.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	n.cmd = exec.Command(program, "-c", n.conf)
	n.cmd.Stdout, n.cmd.Stderr = log, log
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// ready waits until the server takes connections.
func (n *node) ready(t *testing.T) {
	t.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial("tcp", n.client); err == nil {
			c.Close()
			return
		}
	}
	text, _ := os.ReadFile(filepath.Join(n.dir, "log"))
	t.Fatalf("a server did not start\n%s", text)
}

// current waits until every copy of the records is up to date: only then may the next server be killed, or two of three could be behind.
func current(t *testing.T, h *hubtest.Hub) {
	t.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(100 * time.Millisecond) {
		s, err := h.JetStream().Stream(t.Context(), "EMEND_RECORDS")
		if err != nil || s.CachedInfo().Cluster == nil || s.CachedInfo().Cluster.Leader == "" {
			continue
		}
		ok := len(s.CachedInfo().Cluster.Replicas) == 2
		for _, r := range s.CachedInfo().Cluster.Replicas {
			ok = ok && r.Current && !r.Offline
		}
		if ok {
			return
		}
	}
	t.Fatal("the copies do not become equal")
}
