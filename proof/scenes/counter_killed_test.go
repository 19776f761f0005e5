//go:build linux

package scenes

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
)

// TestCounterKilled kills counting processes at random moments, most of them while they hold the lock, and others continue.
// Afterwards the log must be whole, and every write in it must start from what the one before left. Every acknowledged write
// must be there, and no write that nobody asked for. All reads and answers must be linearizable.
func TestCounterKilled(t *testing.T) {
	kills := number(t, "EMEND_SCENES_KILLS", 20)
	for _, how := range []string{"write_file", "edit_file", "apply_patch"} {
		t.Run(how, func(t *testing.T) {
			c := newCrew(t, 16, countOrders{How: how, Until: 1 << 30, Tell: true})
			took := c.work(t, func(ctx context.Context) { c.killMany(ctx, kills) })
			if r := run(t, c.dir, "", "recover"); r.code != 0 {
				t.Fatalf("emend recover: exit %d\n%s%s", r.code, r.stdout, r.stderr)
			}
			c.survived(t, took)
		})
	}
}

// killMany kills so many processes and then tells all to stop.
func (c *counterRun) killMany(ctx context.Context, kills int) {
	defer c.end()
	rng := rand.New(rand.NewPCG(c.seed, 2))
	for i := 0; c.dead() < kills; i++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(rng.Int64N(int64(60 * time.Millisecond)))):
		}
		moment := time.Duration(0)
		if i%4 > 0 {
			moment = time.Duration(rng.Int64N(int64(4 * time.Millisecond)))
		}
		c.kill(rng.IntN(c.processes), moment)
	}
}

func (c *counterRun) dead() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed
}

func (c *counterRun) survived(t *testing.T, took time.Duration) {
	t.Helper()
	now, led := c.says(t), c.recorded(t)
	for _, complaint := range led.check(c, now) {
		t.Error(complaint)
	}
	times, asked := map[string]int{}, map[string]bool{}
	for _, op := range led.written {
		times[op.After]++
	}
	for _, s := range c.steps {
		if !s.Write {
			continue
		}
		sum := hash(tick{s.N, s.ID}.String())
		asked[sum] = true
		if s.OK && times[sum] != 1 {
			t.Errorf("write %s was acknowledged and is %d times in the log", s.ID, times[sum])
		}
		if !s.OK && !s.Begins && times[sum] != 0 {
			t.Errorf("write %s was refused and is in the log: %s", s.ID, s.Err)
		}
	}
	for sum := range times {
		if !asked[sum] {
			t.Errorf("the log has a write of %.12s, which nobody asked for", sum)
		}
	}
	said := map[string]int{}
	for _, s := range c.steps {
		if s.Write {
			said[s.ID] = s.N
		}
	}
	all, cut := c.accesses(func(id string) bool { return times[hash(tick{said[id], id}.String())] > 0 })
	if now.n < c.done || now.n > c.done+cut || cut > c.killed {
		t.Errorf("the file says %d; %d writes were acknowledged, and %d cut off by %d kills", now.n, c.done, cut, c.killed)
	}
	t.Logf("%s: %.1f s, %d killed: %d writes acknowledged, %d cut off (%d of them in the file, %d finished by others), refusals in the log %v",
		c.How, took.Seconds(), c.killed, c.done, cut, now.n-c.done, led.healed, led.refused)
	prove(t, all)
}
