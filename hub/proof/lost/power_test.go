package lost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/wire"
)

var (
	seed   = flag.Uint64("seed", 24, "of the power cuts")
	cuts   = flag.Int("cuts", 10, "power cuts")
	onFS   = flag.String("fs", "ext4", "with commas: the file systems under the hub's store: ext4, xfs, btrfs")
	sector = flag.Int64("sector", 512, "a power cut leaves parts of a write in units of so many bytes")
)

// mkfs has the command that makes each file system. Lazy initialization and discards would only be noise in a recording.
var mkfs = map[string][]string{
	"ext4":  {"mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"},
	"xfs":   {"mkfs.xfs", "-q", "-f", "-K"},
	"btrfs": {"mkfs.btrfs", "-q", "-f", "-K"},
}

// TestPowerCut: the hub's directory is on a file system of its own, on a disk that records each write and each flush. While workspaces write, every
// acknowledgement is noted in the recording. Then a hub is started on states in which a power cut could have left the disk: of the writes that no flush
// covered some are there, some are not, and some in part. It must have every record that was acknowledged before the cut, and every chain must verify.
func TestPowerCut(t *testing.T) {
	if !apart(t) {
		return
	}
	if testing.Short() {
		*cuts = min(*cuts, 5)
	}
	for kind := range strings.SplitSeq(*onFS, ",") {
		if mkfs[kind] == nil {
			t.Fatalf("-fs: no file system is called %q here", kind)
		}
		t.Run(kind, func(t *testing.T) { cutPower(t, lendDisk(t, kind)) })
	}
}

func cutPower(t *testing.T, d *borrowed) {
	d.mkfs(t)
	d.mount(t)
	h := &hub{t: t, program: program(t), dir: filepath.Join(d.mnt, "hub"), listen: freePort(t), https: freePort(t), args: []string{"--reserve", "32"}}
	h.start()
	defer h.kill()
	invite := d.invite(t, h, 8)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	sims := joinSims(t, invite, 8)
	for _, s := range sims {
		all.Go(func() { s.ship.Run(ctx) })
		all.Go(func() {
			for ctx.Err() == nil {
				s.grow(50)
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	if err := sh("sync", "-f", d.mnt); err != nil {
		t.Fatal(err)
	}
	d.order(t, loan{Do: "record"})
	var acked [][]api.Head // by note
	for start := time.Now(); time.Since(start) < 4*time.Second; time.Sleep(5 * time.Millisecond) {
		heads := make([]api.Head, len(sims))
		for i, s := range sims {
			heads[i] = s.ship.Progress().Shipped
		}
		acked = append(acked, heads)
		d.order(t, loan{Do: "note", N: len(acked) - 1})
	}
	recorded := d.order(t, loan{Do: "stop", Seed: *seed, Sector: *sector})
	cancel()
	all.Wait()
	h.kill()
	d.unmount(t)
	if n := acked[len(acked)-1][0].Seq; n < 50 {
		t.Fatalf("only %d records of a workspace were acknowledged: the recording has nothing to lose", n)
	}
	looked, parts, bad := uint64(0), 0, 0
	for cut := range *cuts {
		state := d.order(t, loan{Do: "next"})
		d.mount(t)
		h := &hub{t: t, program: h.program, dir: h.dir, listen: freePort(t), https: freePort(t), args: h.args}
		h.start()
		heads := d.heads(t, h)
		h.stop()
		d.unmount(t)
		if state.Kept > 0 && state.Lost > 0 {
			parts++
		}
		for i, s := range sims {
			want, got := acked[state.N][i], heads[s.m.Joined.Workspace]
			looked += want.Seq
			s.mu.Lock()
			if got.Findings > 0 || got.Epoch > 1 || got.Head.Seq < want.Seq || !s.has(got.Head) {
				t.Errorf("cut %d (%d pieces kept, %d lost), sim %d: %v was acknowledged, and the hub has %+v", cut, state.Kept, state.Lost, i, want, got)
				bad++
			}
			s.mu.Unlock()
		}
	}
	t.Logf("fleet: %d power cuts under the hub's store (%s), %d with a part of the writes in flight, in pieces of %d bytes: %d acknowledged records looked for, %d workspaces lack some (%d writes and %d flushes recorded)",
		*cuts, d.kind, parts, *sector, looked, bad, recorded.Writes, recorded.Flushes)
}

// has reports whether the log has a record with this hash. Those that were forgotten count.
func (s *sim) has(h api.Head) bool {
	switch i := int(h.Seq) - int(s.base.Seq); {
	case i < 0:
		return true
	case i == 0:
		return h == s.base
	default:
		return i <= len(s.records) && s.records[i-1].H == h.H
	}
}

// invite and heads run the program, which reads files of the hub.
func (d *borrowed) invite(t *testing.T, h *hub, uses int) wire.Invite {
	t.Helper()
	out, err := exec.Command(h.program, "invite", "--data", h.dir, "--uses", fmt.Sprint(uses)).Output()
	if err != nil {
		t.Fatal(err)
	}
	i, err := wire.ParseInvite(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func (d *borrowed) heads(t *testing.T, h *hub) map[string]chain.State {
	t.Helper()
	out, err := exec.Command(h.program, "verify", "--data", h.dir, "--json").Output()
	var rep struct{ Workspaces map[string]chain.State }
	if jsonErr := json.Unmarshal(out, &rep); jsonErr != nil {
		t.Errorf("verify: %v: %.300s", errors.Join(err, jsonErr), out)
	}
	return rep.Workspaces
}

// loan and lent are those of proof/crashtest.
type (
	loan struct {
		Do     string
		N      int
		Seed   uint64
		Sector int64
	}
	lent struct {
		Err             string
		Flushes, Writes int
		N, Kept, Lost   int
	}
)

// borrowed is a disk of proof/crashtest, which another process serves. This process never touches a file on it: if it were killed, it would wait for a
// disk that nobody serves any more.
type borrowed struct {
	kind           string // of the file system
	file, mnt, dev string
	orders         *json.Encoder
	answers        *json.Decoder
}

func sh(args ...string) error {
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// apart runs this test in a process with a mount namespace of its own, and reports whether this is it. Otherwise a namespace that somebody makes
// meanwhile would get a copy of each mount, and keep the disk in use.
func apart(t *testing.T) bool {
	t.Helper()
	const inside = "EMEND_LOST_APART"
	if os.Getenv(inside) != "" {
		return true
	}
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("NOT RUN: power cuts under the hub's store: they need Linux and root")
	}
	if err := sh("unshare", "-m", "true"); err != nil {
		t.Skipf("NOT RUN: power cuts under the hub's store: %v", err)
	}
	cmd := exec.Command("unshare", append(append([]string{"-m", os.Args[0]}, os.Args[1:]...), "-test.run", "^"+t.Name()+"$", "-test.count", "1")...)
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("the test in a namespace of its own: %v", err)
	}
	return false
}

// lendDisk borrows a disk. The test is skipped if it cannot be had.
func lendDisk(t *testing.T, kind string) *borrowed {
	t.Helper()
	for _, need := range []string{mkfs[kind][0], "losetup", "/dev/fuse", "/dev/loop-control"} {
		_, err := exec.LookPath(need)
		if strings.HasPrefix(need, "/") {
			_, err = os.Stat(need)
		}
		if err != nil {
			t.Skipf("NOT RUN: power cuts under the hub's store on %s: %v", kind, err)
		}
	}
	base := t.TempDir()
	d := &borrowed{kind: kind, file: filepath.Join(base, "lent", "disk"), mnt: filepath.Join(base, "mnt")}
	for _, dir := range []string{filepath.Dir(d.file), d.mnt} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(base, "crashtest")
	if err := sh("go", "-C", "../../../proof", "build", "-o", program, "./crashtest"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "lend", filepath.Dir(d.file))
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if d.dev != "" {
			d.unmount(t)
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("crashtest: %v: %s", err, said.String())
		}
	})
	d.orders, d.answers = json.NewEncoder(in), json.NewDecoder(out)
	if err := d.answers.Decode(new(lent)); errors.Is(err, io.EOF) {
		t.Skip("NOT RUN: power cuts under the hub's store: the disk cannot be served here")
	} else if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *borrowed) order(t *testing.T, o loan) (a lent) {
	t.Helper()
	err := d.orders.Encode(o)
	if err == nil {
		err = d.answers.Decode(&a)
	}
	if err == nil && a.Err != "" {
		err = errors.New(a.Err)
	}
	if err != nil {
		t.Fatalf("%s: %v", o.Do, err)
	}
	return a
}

// attach makes a device of the disk as it is now.
func (d *borrowed) attach(t *testing.T) {
	t.Helper()
	out, err := exec.Command("losetup", "--direct-io=on", "--show", "-f", d.file).Output()
	if err != nil {
		t.Fatalf("losetup: %v", err)
	}
	d.dev = strings.TrimSpace(string(out))
}

func (d *borrowed) mkfs(t *testing.T) {
	t.Helper()
	d.attach(t)
	if err := errors.Join(sh(append(slices.Clone(mkfs[d.kind]), d.dev)...), sh("losetup", "-d", d.dev)); err != nil {
		t.Fatal(err)
	}
}

func (d *borrowed) mount(t *testing.T) {
	t.Helper()
	d.attach(t)
	if err := sh("mount", "-t", d.kind, d.dev, d.mnt); err != nil {
		t.Fatal(err)
	}
}

func (d *borrowed) unmount(t *testing.T) {
	t.Helper()
	if err := errors.Join(sh("umount", d.mnt), sh("losetup", "-d", d.dev)); err != nil {
		t.Error(err)
	}
	d.dev = ""
}
