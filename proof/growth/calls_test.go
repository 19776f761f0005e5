package growth

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/proof/product"
)

// TestSystemCalls checks the number of system calls on files of the whole program: for its start, and for each further file. It
// needs strace.
func TestSystemCalls(t *testing.T) {
	only(t, "system calls")
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("NOT RUN: system calls: there is no strace here")
	}
	prog := filepath.Join(t.TempDir(), "emend")
	check(t, product.Build(t.Context(), prog))
	for _, c := range []struct {
		name string
		args []string
	}{
		{"apply", []string{"apply", "-q", "../patch"}},
		{"apply, nothing synced", []string{"apply", "-q", "--durability", "none", "../patch"}},
		{"search", []string{"search", "-q", "nowhere"}},
		{"list", []string{"ls", "-R"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var calls []float64
			for _, n := range []int{100, 200, 400} {
				calls = append(calls, called(t, strace, prog, n, c.args))
			}
			hold(t, "system calls for 300 files: "+c.name, calls[2]-calls[0])
			hold(t, "system calls for none: "+c.name, max(0, calls[0]-(calls[2]-calls[0])/3))
			grow(t, "system calls", calls)
		})
	}
}

// called returns the least number of system calls on files of a run of emend in a tree of n files.
func called(t *testing.T, strace, prog string, n int, args []string) float64 {
	least := 0.0
	for range 2 {
		top := t.TempDir()
		files := small(n)
		dir := filepath.Join(top, "tree")
		var patch strings.Builder
		patch.WriteString("*** Begin Patch\n")
		for i := range n {
			name := fmt.Sprintf("d%d/f%d.txt", i/20, i)
			check(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
			check(t, os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o644))
			old := time.Now().Add(-time.Hour) // a file that was just written is read a second time under the lock
			check(t, os.Chtimes(filepath.Join(dir, name), old, old))
			patch.WriteString("*** Update File: " + name + "\n@@\n-line 3 of a file\n+changed\n")
		}
		check(t, os.WriteFile(filepath.Join(top, "patch"), []byte(patch.String()+"*** End Patch\n"), 0o644))
		out := filepath.Join(top, "calls")
		cmd := exec.Command(strace, append([]string{"-f", "-c", "-o", out, prog, "--root", "."}, args...)...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + top, "PATH=/usr/bin:/bin"}
		if said, err := cmd.CombinedOutput(); err != nil && (args[0] != "search" || cmd.ProcessState.ExitCode() != 1) { // it found nothing
			t.Fatalf("strace: %v\n%s", err, said)
		}
		if n := summed(t, out); least == 0 || n < least {
			least = n
		}
	}
	return least
}

// onFiles lists the calls that count. The others are the runtime's, and their number varies.
var onFiles = strings.Fields(`openat openat2 close stat lstat fstat newfstatat statx getdents64 read pread64 pwrite64 readlinkat
	mkdirat renameat renameat2 linkat unlinkat fsync fdatasync syncfs sync_file_range ftruncate fchmod fchmodat fchown fchownat
	fgetxattr fsetxattr flistxattr flock fstatfs statfs utimensat fallocate fadvise64 faccessat faccessat2 readahead copy_file_range`)

// summed adds up the calls on files in a table of strace -c. The fourth column is their number, the last one the name.
func summed(t *testing.T, name string) float64 {
	f, err := os.Open(name)
	check(t, err)
	defer f.Close()
	total := 0.0
	for in := bufio.NewScanner(f); in.Scan(); {
		fields := strings.Fields(in.Text())
		if len(fields) >= 5 && slices.Contains(onFiles, fields[len(fields)-1]) {
			var n float64
			_, err := fmt.Sscan(fields[3], &n)
			check(t, err)
			total += n
		}
	}
	if total == 0 {
		t.Fatal("strace counted nothing")
	}
	return total
}
