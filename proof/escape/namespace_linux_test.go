package escape

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rerun runs the tests that match pattern in a child process, and adds what that counted to the tally. It skips the test if the
// system does not permit such a process.
func rerun(t *testing.T, pattern string, attr *syscall.SysProcAttr, env ...string) {
	t.Helper()
	args := []string{"-test.run=" + pattern, "-test.v"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	exit, ran := errors.AsType[*exec.ExitError](err)
	if err != nil && !ran || ran && exit.ExitCode() == skipped {
		t.Skip("such a process cannot be made here:", err, string(out))
	}
	if err != nil {
		t.Errorf("%v\n%s", err, failures(string(out)))
	}
	count(t, string(out))
}

func failures(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") && !strings.Contains(line, "answer: ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func count(t *testing.T, out string) {
	t.Helper()
	_, last, ok := strings.Cut(out, "\nescape: ")
	var attacks, escapes, hangs, swaps, attempts int64
	if _, err := fmt.Sscanf(last, "%d attacks, %d escapes, %d hangs; races: %d swaps, %d attempts", &attacks, &escapes, &hangs, &swaps, &attempts); err != nil || !ok {
		t.Errorf("the process counted nothing: %v\n%s", err, out)
	}
	tally.attacks.Add(attacks)
	tally.escapes.Add(escapes)
	tally.hangs.Add(hangs)
	tally.swaps.Add(swaps)
	tally.attempts.Add(attempts)
}

const withoutOpenat2 = "EMEND_ESCAPE_WITHOUT_OPENAT2"

func init() {
	if os.Getenv(withoutOpenat2) != "" {
		if err := forbidOpenat2(); err != nil {
			fmt.Println(withoutOpenat2, err)
			os.Exit(skipped)
		}
	}
}

// skipped is the exit code of a process that cannot get the attributes that it needs.
const skipped = 77

// forbidOpenat2 has the kernel tell every thread of this process that openat2 does not exist.
func forbidOpenat2() error {
	const nr = 0 // offset of the number of the call in the filter's input
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: nr},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 1, K: unix.SYS_OPENAT2},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	// This includes the threads that the runtime has already started.
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	if _, err := unix.Openat2(unix.AT_FDCWD, ".", &unix.OpenHow{Flags: unix.O_PATH}); err != unix.ENOSYS {
		return fmt.Errorf("openat2 still answers: %w", err)
	}
	return nil
}

// TestWithoutOpenat2 repeats the tests without openat2: emend then inspects, opens and compares each name.
func TestWithoutOpenat2(t *testing.T) {
	if os.Getenv(withoutOpenat2) != "" {
		t.Skip("this is that system")
	}
	rerun(t, "^(TestPaths|TestLinks|TestHardLinks|TestSpecialFiles|TestKnownHolesOfRoots|TestBetweenPlanAndCommit|TestRaces|TestCarriedAway|TestMounts)$",
		nil, withoutOpenat2+"=1")
}

// inNamespace runs the rest of the test in a private mount namespace. It reports whether this is the process in the namespace.
func inNamespace(t *testing.T) bool {
	t.Helper()
	const env = "EMEND_ESCAPE_NAMESPACE"
	if os.Getenv(env) == t.Name() {
		check(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		return true
	}
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	rerun(t, "^"+t.Name()+"$", attr, env+"="+t.Name())
	return false
}

// TestMounts mounts something in the workspace. It does not belong to the workspace, and no rename reaches it.
func TestMounts(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	var rows []attack
	mount := func(name, what, at, want string, paths ...string) {
		for _, path := range paths {
			for verb, of := range verbs {
				rows = append(rows, attack{name: name + ": " + path + ": " + verb, patch: envelope(of(path)), want: want,
					prepare: func(t *testing.T, top string) { bind(t, top, what, top+"/"+at) }})
			}
		}
	}
	mount("directory from outside", "out", "ws/vol", mounted, "vol/f", "vol/new", "vol/d/f", "vol/none/new", "vol")
	mount("file from outside", "out/f", "ws/one", mounted, "one")
	mount("file from outside over a file", "out/f", "ws/d/f", mounted, "d/f")
	mount("directory from outside over one", "out", "ws/d", mounted, "d/f", "d/new", "d/e/f")
	mount("directory of the workspace", "ws/d", "ws/twin", mounted, "twin/f", "twin/new")
	mount("file of the workspace", "ws/f", "ws/twin.txt", mounted, "twin.txt")
	mount(".git under another name", "ws/.git", "ws/git", denied, "git/config", "git/hooks/new", "git/none/new")
	mount(".git's hooks under another name", "ws/.git/hooks", "ws/d/hooks", denied+"|"+mounted, "d/hooks/pre-commit", "d/hooks/new")
	mount("git's file under another name", "ws/.git/config", "ws/config", mounted, "config")
	mount("settings under another name", "ws/.vscode", "ws/vscode", denied, "vscode/settings.json", "vscode/new")
	mount("processes", "/proc", "ws/p", mounted+"|"+outsideIt+"|"+missing, "p/self/root/etc/passwd", "p/self/cwd/f", "p/sysrq-trigger")
	mount("devices", "/dev", "ws/dev", mounted, "dev/null", "dev/zero", "dev/new")
	mount("file system of its own", "tmpfs", "ws/tmp", mounted, "tmp/new", "tmp/none/new", "tmp")
	mount("workspace in itself", "ws", "ws/self", denied+"|"+mounted, "self/f", "self/.git/config", "self/d/new")
	rows = append(rows,
		attack{name: "the workspace itself is mounted", want: "", patch: envelope(update("f")), leaves: map[string]string{"ws/f": "evil\n"},
			prepare: func(t *testing.T, top string) { bind(t, top, "ws", top+"/ws") }},
		attack{name: "through a link to a mount", files: map[string]string{"ws/l": "-> vol"}, patch: envelope(update("l/f")), want: mounted,
			prepare: func(t *testing.T, top string) { bind(t, top, "out", top+"/ws/vol") }},
	)
	all(t, rows)
	for what, from := range map[string]string{"directory": "out", "file": "out/f"} {
		for verb, text := range map[string]string{"update": update("d/f"), "create": add("d/new"), "delete": remove("d/f")} {
			at := "d"
			if what == "file" {
				at = "d/f"
			}
			if what == "file" && verb == "create" {
				continue
			}
			betweenMount(t, what+" mounted between plan and commit: "+verb, text, from, at)
		}
	}
}

// betweenMount is between for a mount, which must be refused with any message.
func betweenMount(t *testing.T, name, text, what, at string) {
	betweenAs(t, name, text, stale+"|"+mounted, func(t *testing.T, top string) error {
		bind(t, top, what, top+"/ws/"+at)
		return nil
	})
}

// bind mounts what, a path from the top or an absolute one, until the test ends.
func bind(t *testing.T, top, what, at string) {
	t.Helper()
	source, kind, flags := filepath.Join(top, what), "", uintptr(unix.MS_BIND|unix.MS_REC)
	if strings.HasPrefix(what, "/") {
		source = what
	}
	if what == "tmpfs" {
		source, kind, flags = what, what, 0
	}
	if fi, err := os.Stat(source); err == nil && !fi.IsDir() {
		f, err := os.OpenFile(at, os.O_CREATE, 0o644)
		check(t, err)
		check(t, f.Close())
	} else if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		check(t, os.Mkdir(at, 0o755))
	}
	if err := unix.Mount(source, at, kind, flags, ""); err != nil {
		t.Skip("cannot be mounted here:", err)
	}
	t.Cleanup(func() { check(t, unix.Unmount(at, unix.MNT_DETACH)) })
}
