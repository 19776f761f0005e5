package sweep

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestQuota runs as a user of an ext4 with quotas, and in a subvolume of a btrfs with one, for each amount of space that the quota
// leaves until everything fits.
func TestQuota(t *testing.T) {
	prog := newProgram(t, "")
	if !inNamespace(t, prog) {
		return
	}
	works := []*workload{largeFiles(t)}
	if whole() {
		works = append(works, workloads(t)...)
	} else {
		works = append(works, workloads(t, "mixed")...)
	}
	t.Run("ext4", func(t *testing.T) { quotaExt4(t, prog, works) })
	t.Run("btrfs", func(t *testing.T) { quotaBtrfs(t, prog, works) })
}

// quotaUser is the user whose quota is exceeded. The superuser has none.
const quotaUser = 12347

func quotaExt4(t *testing.T, prog program, works []*workload) {
	v := volume{name: "quotas of ext4", kind: "ext4", mkfs: []string{"mkfs.ext4", "-q", "-F", "-O", "quota"}, options: "usrquota"}
	dir := v.mount(t)
	limit := func(kib, inodes int) {
		v.command(t, "setquota", "-u", strconv.Itoa(quotaUser), fmt.Sprint(kib), fmt.Sprint(kib), fmt.Sprint(inodes), fmt.Sprint(inodes), dir)
	}
	limit(0, 0)
	reachable(t, dir, &prog)
	user, home := prog, filepath.Join(dir, "settings")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	user.env = slices.Concat(prog.env, []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home})
	user.user = &syscall.Credential{Uid: quotaUser, Gid: quotaUser}
	has := func() (kib, inodes int) {
		for line := range strings.Lines(v.command(t, "repquota", "-un", dir)) {
			if f := strings.Fields(line); len(f) > 6 && f[0] == "#"+strconv.Itoa(quotaUser) {
				kib, _ = strconv.Atoi(f[2])
				inodes, _ = strconv.Atoi(f[5])
			}
		}
		return kib, inodes
	}
	for _, w := range works {
		w := readable(t, w, dir)
		fillQuota(t, w, "ext4, by bytes", 4, func(room int) *trial {
			tr := owned(t, w, dir, user)
			kib, _ := has()
			limit(kib+room, 0)
			tr.ease = func() { limit(0, 0) }
			return tr
		})
		fillQuota(t, w, "ext4, by inodes", 1, func(room int) *trial {
			tr := owned(t, w, dir, user)
			_, inodes := has()
			limit(0, inodes+room)
			tr.ease = func() { limit(0, 0) }
			return tr
		})
	}
}

// owned makes the tree of a workload for a user.
func owned(t *testing.T, w *workload, dir string, user program) *trial {
	t.Helper()
	tr := &trial{point: point{w: w, name: w.name + "/quota"}, prog: user, dir: filepath.Join(dir, "home", "ws")}
	makeOwned(t, w, tr.dir, quotaUser, user)
	return tr
}

func quotaBtrfs(t *testing.T, prog program, works []*workload) {
	v := volume{name: "quotas of btrfs", kind: "btrfs", mkfs: []string{"mkfs.btrfs", "-q", "-f"}}
	dir := v.mount(t)
	v.command(t, "btrfs", "quota", "enable", dir)
	for _, w := range works {
		n := 0
		fillQuota(t, w, "btrfs, by bytes", 16, func(room int) *trial {
			n++
			home := filepath.Join(dir, "home")
			v.command(t, "btrfs", "subvolume", "create", home)
			tr := &trial{point: point{w: w, name: fmt.Sprintf("%s/quota %d", w.name, n)}, prog: prog, dir: filepath.Join(home, "ws")}
			if err := w.copy(tr.dir, prog); err != nil {
				t.Fatal(err)
			}
			exec.Command("sync", "-f", dir).Run()
			// Asked of the top, since a call on a subvolume that is full needs space itself.
			group := "0/" + strings.TrimSpace(v.command(t, "btrfs", "inspect-internal", "rootid", home))
			v.command(t, "btrfs", "qgroup", "limit", fmt.Sprint((referenced(t, v, home)+room)<<10), group, dir)
			tr.ease = func() { v.command(t, "btrfs", "qgroup", "limit", "none", group, dir) }
			return tr
		})
	}
}

// referenced returns the KiB that a subvolume uses by its quota.
func referenced(t *testing.T, v volume, dir string) int {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(v.command(t, "btrfs", "qgroup", "show", "--raw", "-f", dir)), "\n")
	f := strings.Fields(lines[len(lines)-1])
	n, err := strconv.Atoi(f[1])
	if err != nil {
		t.Fatalf("%q: %v", lines, err)
	}
	return n >> 10
}

// fillQuota makes trials with more and more space until the workload has succeeded often enough.
func fillQuota(t *testing.T, w *workload, what string, step int, prepare func(room int) *trial) {
	t.Helper()
	var c count
	for room := 0; c.done < 3; room += step {
		tr := prepare(room)
		tr.name = fmt.Sprintf("%s, %s %d", tr.name, what, room)
		r := tr.prog.result(tr.dir, w.apply()...)
		c.add(r.Exit)
		tr.report(t, r)
		tr.relieve()
		home := filepath.Dir(tr.dir)
		if exec.Command("btrfs", "subvolume", "delete", home).Run() != nil {
			os.RemoveAll(home)
		}
		if room > 1000*step {
			t.Fatalf("%s: never done", w.name)
		}
	}
	// On btrfs every rename may need space, also one that takes back: then the transaction is undecided until there is some.
	if c.refused == 0 || c.undecided > 0 && !strings.HasPrefix(what, "btrfs") {
		t.Errorf("%s: quota of %s: %s", w.name, what, &c)
	}
	t.Logf("T2: quota of %s, %s: %s", what, w.name, &c)
}
