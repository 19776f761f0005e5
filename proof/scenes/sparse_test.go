//go:build linux

package scenes

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// peakVar names the file for the peak memory of emend, when it runs as a process of a scene.
const peakVar = "EMEND_SCENES_PEAK"

// peak writes the peak memory of this process, as the kernel counts it, in KiB. getrusage would include the process that
// started it.
func peak() {
	name := os.Getenv(peakVar)
	if name == "" {
		return
	}
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(rest, " kB")
	os.WriteFile(name, []byte(strings.TrimSpace(line)), 0o600)
}

// bound is the limit of memory for any call, however large the file: the program itself, and some buffers.
const bound = raceFactor * 32 << 20

// sparse is a workspace with a file that is almost entirely a hole.
type sparse struct {
	dir, sum string
	size     int64
	inode    uint64
}

// TestSparse checks that a huge file is never loaded: reading a slice with the hash of the whole file, searching beside it,
// deleting, moving, restoring, and undoing these.
func TestSparse(t *testing.T) {
	s := newSparse(t)
	said := s.emend(t, 0, "read", "big.txt", "--start", "5", "--end", "10", "--json")
	if got := s.field(t, said, "sha256"); got != s.sum {
		t.Errorf("read says the hash is %s, want %s", got, s.sum)
	}
	if got, want := s.field(t, said, "content"), numbered("big", 10, "\n"); got != strings.Join(strings.SplitAfter(want, "\n")[4:], "") {
		t.Errorf("lines 5 to 10 are %q", got)
	}
	said = s.emend(t, 0, "search", "needle", "--json")
	if !strings.Contains(said.stdout, "small.txt") || strings.Contains(said.stdout, "big.txt") {
		t.Errorf("search says\n%.2000s", said.stdout)
	}
	s.emend(t, 0, "search", "big 1[0-9]", "--mode", "regex", "--context", "2", "--json")
	s.emend(t, 0, "ls", "--recursive", "--json")
	s.emend(t, 0, "glob", "**/*.txt", "--json")
	s.emend(t, 0, "mv", "big.txt", "d/moved.txt", "--expect", s.sum, "--json")
	s.there(t, "d/moved.txt")
	s.emend(t, 0, "undo", "--json")
	s.there(t, "big.txt")
	said = s.emend(t, 0, "rm", "big.txt", "--expect", s.sum, "--json")
	if _, err := os.Lstat(filepath.Join(s.dir, "big.txt")); err == nil {
		t.Error("it was deleted, and is there")
	}
	id := s.field(t, said, "trashedTo")
	s.emend(t, 0, "trash", "list", "--json")
	s.emend(t, 0, "trash", "show", id, "--json")
	s.emend(t, 0, "restore", id, "d/back.txt", "--json")
	s.there(t, "d/back.txt")
	s.emend(t, 0, "log", "--diff", "--json")
	s.emend(t, 0, "verify", "--json")
	if s.size > api.DefaultLimits.FileBytes {
		s.tooLarge(t, "edit", "d/back.txt", "--old", "big 5\n", "--new", "small 5\n", "--expect", s.sum, "--json")
		s.tooLarge(t, "write", "d/back.txt", "--expect", s.sum, "--json")
	}
	s.there(t, "d/back.txt")
}

// tooLarge checks that a call which needs the text of a file is refused at once if the file is over the limit.
func (s *sparse) tooLarge(t *testing.T, args ...string) {
	t.Helper()
	if r := s.emend(t, 1, args...); !strings.Contains(r.stdout, string(fail.FileTooLarge)) {
		t.Errorf("emend %s says\n%.2000s", args[0], r.stdout)
	}
}

func newSparse(t *testing.T) *sparse {
	t.Helper()
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skipf("sha256sum is missing: %v", err)
	}
	s := &sparse{dir: workspace(t).Root(), size: sparseSize(t)}
	name := filepath.Join(s.dir, "big.txt")
	write(t, name, numbered("big", 2000, "\n"))
	write(t, filepath.Join(s.dir, "small.txt"), "one\na needle\nthree\n")
	write(t, filepath.Join(s.dir, "d", "small.txt"), "one\ntwo\n")
	if err := os.Truncate(name, s.size); err != nil {
		t.Skipf("no file of %d bytes can be made here: %v", s.size, err)
	}
	start := time.Now()
	out, err := exec.CommandContext(t.Context(), "sha256sum", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	s.sum, _, _ = strings.Cut(string(out), " ")
	s.inode = stat(t, name).Ino
	t.Logf("%d bytes: sha256sum takes %.1f s", s.size, time.Since(start).Seconds())
	return s
}

// sparseSize returns the size of the file: a number of bytes, of MiB with an M, of GiB with a G.
func sparseSize(t *testing.T) int64 {
	t.Helper()
	text := os.Getenv("EMEND_SCENES_SPARSE")
	if text == "" {
		return 256 << 20
	}
	units := map[byte]int{'M': 20, 'G': 30}
	shift := units[text[len(text)-1]]
	n, err := strconv.ParseInt(strings.TrimRight(text, "MG"), 10, 64)
	if err != nil || n < 1 {
		t.Fatalf("EMEND_SCENES_SPARSE=%s is no size", text)
	}
	return n << shift
}

func stat(t *testing.T, name string) *syscall.Stat_t {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t)
}

// there checks that the name has the same file, including the hole.
func (s *sparse) there(t *testing.T, name string) {
	t.Helper()
	is := stat(t, filepath.Join(s.dir, name))
	if is.Ino != s.inode || is.Size != s.size || is.Blocks*512 > 1<<20 {
		t.Errorf("%s is number %d of %d bytes on %d; it was %d of %d", name, is.Ino, is.Size, is.Blocks*512, s.inode, s.size)
	}
}

// emend runs a command, and checks its exit code and memory.
func (s *sparse) emend(t *testing.T, code int, args ...string) said {
	t.Helper()
	file := filepath.Join(t.TempDir(), "peak")
	t.Setenv(peakVar, file)
	start := time.Now()
	r := run(t, s.dir, "", args...)
	took := time.Since(start)
	if r.code != code {
		t.Errorf("emend %s: exit %d, want %d\n%.2000s%.2000s", strings.Join(args, " "), r.code, code, r.stdout, r.stderr)
	}
	var kib int64
	if _, err := fmt.Sscan(read(t, file), &kib); err != nil {
		t.Fatal(err)
	}
	if kib<<10 > bound {
		t.Errorf("emend %s has %d MiB of memory, at most %d are allowed", args[0], kib>>10, bound>>20)
	}
	t.Logf("%-60.60s %6.2f s, %3d MiB, exit %d", strings.Join(args, " "), took.Seconds(), kib>>10, r.code)
	return r
}

// field returns a field of the data of a result.
func (s *sparse) field(t *testing.T, r said, name string) string {
	t.Helper()
	var o struct{ Data map[string]any }
	if err := json.Unmarshal([]byte(r.stdout), &o); err != nil {
		t.Fatalf("%v in\n%.2000s", err, r.stdout)
	}
	text, ok := o.Data[name].(string)
	if !ok {
		t.Fatalf("no %s in\n%.2000s", name, r.stdout)
	}
	return text
}
