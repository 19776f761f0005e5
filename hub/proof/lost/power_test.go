package lost

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/wire"
)

// TestPowerCut: the hub's directory is on an ext4 of its own, in a file. While workspaces write, the hub is stopped and the file copied: it has what reached
// the device, and not what waits in the memory of the system. A hub that starts on the copy must have every record that was acknowledged. The copy has
// whole writes in the order in which they were made; states with only a part of the writes in flight are not tried.
func TestPowerCut(t *testing.T) {
	cuts := 5
	if testing.Short() {
		cuts = 2
	}
	base := t.TempDir()
	run := func(args ...string) error {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", args, err, out)
		}
		return nil
	}
	disk, dir := filepath.Join(base, "disk"), filepath.Join(base, "mnt")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"truncate", "-s", "512M", disk}, {"mkfs.ext4", "-q", "-F", disk}, {"mount", "-o", "loop,commit=300", disk, dir}} {
		if err := run(args...); err != nil {
			t.Skipf("NOT RUN: a power cut under the hub's store: a file system in a file cannot be mounted here (%v)", err)
		}
	}
	defer run("umount", "-l", dir)
	program := program(t)
	h := &hub{t: t, program: program, dir: filepath.Join(dir, "hub"), listen: freePort(t), https: freePort(t), args: []string{"--reserve", "32"}}
	h.start()
	defer h.kill()
	b := h.attach()
	invite, err := b.Invite(t.Context(), "https://"+h.https, true, wire.Invitation{Uses: 8, Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	sims := make([]*sim, 8)
	for i := range sims {
		m, err := join.Enrol(ctx, invite, fmt.Sprint("sim-", i))
		if err == nil {
			sims[i], err = newSim(m, uint64(i))
		}
		if err != nil {
			t.Fatal(err)
		}
		defer sims[i].nc.Close()
		all.Go(func() { sims[i].ship.Run(ctx) })
		all.Go(func() {
			for ctx.Err() == nil {
				sims[i].grow(50)
				time.Sleep(2 * time.Millisecond)
			}
		})
	}
	acknowledged := uint64(0)
	for cut := range cuts {
		for start, at := time.Now(), sims[0].ship.Progress().Shipped.Seq; sims[0].ship.Progress().Shipped.Seq < at+100; time.Sleep(10 * time.Millisecond) {
			if time.Since(start) > time.Minute {
				t.Fatal("nothing is acknowledged")
			}
		}
		if err := h.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		acked := make([]api.Head, len(sims))
		for i, s := range sims {
			acked[i] = s.ship.Progress().Shipped
			acknowledged += acked[i].Seq
		}
		copied, after := filepath.Join(base, fmt.Sprint("disk-", cut)), filepath.Join(base, fmt.Sprint("mnt-", cut))
		err := copyFile(copied, disk)
		if contErr := h.cmd.Process.Signal(syscall.SIGCONT); err == nil {
			err = contErr
		}
		if err == nil {
			err = os.Mkdir(after, 0o700)
		}
		if err == nil {
			err = run("mount", "-o", "loop", copied, after)
		}
		if err != nil {
			t.Fatal(err)
		}
		again := &hub{t: t, program: program, dir: filepath.Join(after, "hub"), listen: freePort(t), https: freePort(t), args: []string{"--reserve", "32"}}
		again.start()
		b := again.attach()
		c := hubtest.NewCopy()
		if err := c.CatchUp(t.Context(), b); err != nil {
			t.Error(err)
		}
		for i, s := range sims {
			ws := s.m.Joined.Workspace
			if st := c.Of(ws); st.Head.Seq < acked[i].Seq || st.Epoch != 1 || st.Findings != 0 {
				t.Errorf("cut %d, sim %d: %v was acknowledged, and the hub has %+v", cut, i, acked[i], st)
			} else if have, _ := c.HashAt(ws, 1, acked[i].Seq); have != acked[i].H {
				t.Errorf("cut %d, sim %d: %v was acknowledged, and the hub has %s", cut, i, acked[i], have)
			}
		}
		b.Close()
		again.kill()
		if err := run("umount", after); err != nil {
			t.Log(err)
			run("umount", "-l", after)
		}
		os.Remove(copied)
	}
	t.Logf("fleet: %d power cuts under the hub's store (ext4): %d acknowledged records looked for, all there", cuts, acknowledged)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = io.Copy(out, in)
	return err
}
