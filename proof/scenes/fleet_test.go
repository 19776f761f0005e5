//go:build linux

package scenes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// processes is the number of processes that change the files at once.
const processes = 16

// fleet is a run of many processes over the same files.
type fleet struct {
	dir   string
	blind bool
	seed  uint64

	mu      sync.Mutex
	running map[int]*exec.Cmd
	over    bool
	stops   []io.Closer
	events  []event
	clients []int // by event
	killed  int
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{dir: workspace(t).Root(), seed: seed(t), running: map[int]*exec.Cmd{}}
	for _, name := range files {
		write(t, filepath.Join(f.dir, name), "head root\n")
	}
	return f
}

// TestFleet has 16 processes apply overlapping patches over several files, and kills some of them. Every acknowledged patch
// must be in all its files exactly once, and every refused one in none. A patch whose process was killed must be in all of its
// files or in none. The answers must be linearizable.
func TestFleet(t *testing.T) {
	seconds := number(t, "EMEND_SCENES_SECONDS", 5)
	f := newFleet(t)
	f.run(t, time.Duration(seconds)*time.Second, number(t, "EMEND_SCENES_KILLS", 2*seconds))
	if r := run(t, f.dir, "", "recover"); r.code != 0 {
		t.Fatalf("emend recover: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	led := f.ledger(t)
	for _, complaint := range led.check(f.chains(t)) {
		t.Error(complaint)
	}
	t.Logf("fleet: %d processes, %d s, %d killed: %s", processes, seconds, f.killed, led)
	if !t.Failed() { // the checker takes long to find that a history is impossible
		led.prove(t)
	}
}

// TestFleetRig checks that the scene detects an agent that renames blindly.
func TestFleetRig(t *testing.T) {
	f := newFleet(t)
	f.blind = true
	f.run(t, time.Second, 0)
	led := f.ledger(t)
	complaints := led.check(f.chains(t))
	if len(complaints) == 0 {
		t.Error("nothing is wrong with the files that blind agents wrote; the scene proves nothing")
	}
	t.Logf("blind agents: %d complaints of %s", len(complaints), led)
}

// run has the processes work for so long.
func (f *fleet) run(t *testing.T, d time.Duration, kills int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var wg sync.WaitGroup
	for client := range processes {
		wg.Go(func() { f.keep(t, client) })
	}
	f.kill(ctx, d, kills)
	<-ctx.Done()
	f.end()
	wg.Wait()
}

// keep runs the process of a client until the scene ends, and replaces it when it is killed.
func (f *fleet) keep(t *testing.T, client int) {
	for life := 0; ; life++ {
		o := orders{Dir: f.dir, Name: fmt.Sprintf("p%d.%d", client, life), Blind: f.blind, Fresh: client%2 == 1,
			Seed: f.seed<<32 + uint64(client)<<16 + uint64(life)}
		var stderr bytes.Buffer
		cmd, out, ok := f.start(t, client, o, &stderr)
		if !ok {
			return
		}
		f.listen(t, client, out)
		err := cmd.Wait()
		if cmd.ProcessState.Exited() && err != nil {
			t.Errorf("process %s: %v: %s", o.Name, err, stderr.Bytes())
			return
		}
	}
}

// start starts a client's process, unless the scene has ended.
func (f *fleet) start(t *testing.T, client int, o orders, stderr io.Writer) (*exec.Cmd, io.Reader, bool) {
	told, err := json.Marshal(o)
	if err != nil {
		t.Error(err)
		return nil, nil, false
	}
	exe, err := os.Executable()
	if err != nil {
		t.Error(err)
		return nil, nil, false
	}
	cmd := exec.Command(exe)
	cmd.Env, cmd.Stderr = append(os.Environ(), roleVar+"=worker", ordersVar+"="+string(told)), stderr
	stop, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, nil, false
	}
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Errorf("process %s does not start", o.Name)
		return nil, nil, false
	}
	f.running[client], f.stops = cmd, append(f.stops, stop)
	return cmd, out, true
}

// listen collects the reports of a process until it ends. It drops a last line without an end, which a killed process leaves.
func (f *fleet) listen(t *testing.T, client int, out io.Reader) {
	dec := json.NewDecoder(out)
	for {
		var e event
		if err := dec.Decode(&e); err != nil {
			return
		}
		if e.Odd {
			t.Errorf("patch %s: %s", e.ID, e.Err)
		}
		f.mu.Lock()
		f.events, f.clients = append(f.events, e), append(f.clients, client)
		f.mu.Unlock()
	}
}

// kill kills so many processes, spread over the time.
func (f *fleet) kill(ctx context.Context, d time.Duration, kills int) {
	rng := rand.New(rand.NewPCG(f.seed, 1))
	for i := range kills {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(rng.Int64N(2 * int64(d) / int64(kills+1)))):
		}
		f.killOne(rng.IntN(processes), i%2 == 0)
	}
}

// killOne kills the process of a client, or the one that holds the lock and so is in the middle of a transaction.
func (f *fleet) killOne(client int, locked bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if holder := f.holder(); locked && holder >= 0 {
		client = holder
	}
	if cmd := f.running[client]; cmd != nil && cmd.Process.Kill() == nil {
		f.killed++
	}
}

// holder returns the client that the lock names, or -1.
func (f *fleet) holder() int {
	data, err := os.ReadFile(filepath.Join(f.dir, ".git", "emend", "lock"))
	if err != nil {
		return -1
	}
	for client, cmd := range f.running {
		if strings.HasPrefix(string(data), fmt.Sprintf("process %d ", cmd.Process.Pid)) {
			return client
		}
	}
	return -1
}

// end tells every process to finish its patch and stop.
func (f *fleet) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	for _, s := range f.stops {
		s.Close()
	}
}

// chains reads the files.
func (f *fleet) chains(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, name := range files {
		chain, err := readChain(filepath.Join(f.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = chain
	}
	return out
}
