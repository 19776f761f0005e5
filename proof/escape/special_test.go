//go:build linux || darwin

package escape

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend"
)

// TestSpecialFiles uses what is no regular file: opening it may block, reading it may never end, and no patch should change it.
func TestSpecialFiles(t *testing.T) {
	fifo := map[string]string{"ws/fifo": "|", "ws/d/l": "-> ../fifo"}
	rows := []attack{
		{name: "below a FIFO", files: fifo, patch: envelope(update("fifo/f")), want: missing},
		{name: "below a link to a FIFO", files: fifo, patch: envelope(update("d/l/f")), want: missing},
		{name: "link to a FIFO: update", files: fifo, patch: envelope(update("d/l")), want: special},
		{name: "FIFO as the base", files: fifo, base: "fifo", patch: envelope(add("f")), want: missing},
		{name: "FIFO as .git", files: fifo, prepare: swapIn(".git", func(path string) error { return unix.Mkfifo(path, 0o644) }),
			patch: envelope(update(".git/config")), want: denied},
		{name: "FIFO that git's file would name", files: map[string]string{"ws/d/.git": "|"}, patch: envelope(update("d/f")),
			leaves: map[string]string{"ws/d/f": "evil\n"}},
		{name: "FIFO as a settings directory", files: map[string]string{"ws/.claude": "|"}, patch: envelope(add(".claude/x")), want: denied},
		{name: "FIFO as the file of a common directory", files: map[string]string{"ws/d/.git": "gitdir: e", "ws/d/e/commondir": "|"},
			patch: envelope(update("d/f")), leaves: map[string]string{"ws/d/f": "evil\n"}},
	}
	for name, make := range map[string]func(path string) error{
		"FIFO":   func(path string) error { return unix.Mkfifo(path, 0o644) },
		"socket": listen,
		"null":   func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o666, device(1, 3)) },
		"zero":   func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o666, device(1, 5)) },
		"tty":    func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o666, device(5, 0)) },
		"disk":   func(path string) error { return unix.Mknod(path, unix.S_IFBLK|0o600, device(7, 200)) },
	} {
		for verb, of := range verbs {
			want := special
			if verb == "create" || verb == "move onto" {
				want = special + "|" + exists
			}
			rows = append(rows, attack{name: name + ": " + verb, prepare: swapIn("s", make), patch: envelope(of("s")), want: want})
		}
	}
	all(t, rows)
}

// swapIn puts a special file at a path of the workspace.
func swapIn(name string, make func(path string) error) func(t *testing.T, top string) {
	return func(t *testing.T, top string) {
		path := filepath.Join(top, "ws", name)
		if _, err := os.Lstat(path); err == nil {
			check(t, os.Rename(path, filepath.Join(top, "ws", "aside")))
		}
		if err := make(path); err != nil {
			t.Skip("cannot be made here:", err)
		}
	}
}

func device(major, minor uint32) int { return int(unix.Mkdev(major, minor)) }

// listen creates a socket. It uses a short name, since an address has at most about a hundred bytes.
func listen(path string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// TestKnownHolesOfRoots tries known bugs of os.Root.
func TestKnownHolesOfRoots(t *testing.T) {
	all(t, []attack{
		// A name of ".." at the end of the walk opened the parent.
		{name: "CVE-2025-22873: the parent by dots", patch: envelope(add("d/../..")), want: outsideIt},
		{name: "CVE-2025-22873: a new file in the parent", patch: envelope(add("../new")), want: outsideIt},
		{name: "CVE-2025-22873: base is the parent", base: "d/../..", patch: envelope(update("f")), want: outsideIt},
		// A listing looked up a name again by path, outside of the root.
		{name: "CVE-2026-27139: a link in a listing", files: map[string]string{"ws/d/l": "-> TOP/out/f", "ws/hard": "= ws/f"},
			patch: envelope(update("d/l")), want: special},
		// Chmod followed a link that replaced a file. The permissions of a replaced file must come from and go to handles.
		{name: "CVE-2026-32282: permissions of a link's target", files: map[string]string{"ws/l": "-> ../out/f"},
			prepare: func(t *testing.T, top string) { check(t, os.Chmod(top+"/out/f", 0o751)) },
			patch:   envelope(add("l")), want: special},
		{name: "CVE-2026-32282: permissions kept on a replaced file", prepare: func(t *testing.T, top string) { check(t, os.Chmod(top+"/ws/f", 0o4751)) },
			patch: envelope(update("f")), leaves: map[string]string{"ws/f": "evil\n"}},
		// A slash after a link that leads outside opened its target.
		{name: "CVE-2026-39822: link and slash: update", files: map[string]string{"ws/l": "-> ../out"}, patch: envelope(update("l/")), want: bad},
		{name: "CVE-2026-39822: link, slash, dot", files: map[string]string{"ws/l": "-> ../out"}, patch: envelope(update("l/.")), want: outsideIt},
		{name: "CVE-2026-39822: link with a slash in its target", files: map[string]string{"ws/l": "-> m/", "ws/m": "-> ../out"},
			patch: envelope(update("l/f")), want: outsideIt},
		{name: "CVE-2026-39822: slash, as a base", base: "l/", files: map[string]string{"ws/l": "-> ../out"}, patch: envelope(update("f")),
			want: outsideIt + "|" + bad},
	})
}

// TestRootByLink opens the workspace through a link. The directory decides what is inside.
func TestRootByLink(t *testing.T) {
	a := attack{name: "root by a link", files: map[string]string{"spelled": "-> ws"}, patch: envelope(update("TOP/spelled/../out/f")), want: outsideIt}
	tally.attacks.Add(1)
	top := a.ground(t)
	before := look(t, top)
	ws, err := emend.Open(top+"/spelled", emend.NoSync())
	check(t, err)
	defer ws.Close()
	text, o := a.text(top)
	_, err = ws.Apply(t.Context(), text, o)
	if got := verdict(err); !a.wanted(got) {
		t.Errorf("the answer is %q: %v", got, err)
	}
	if diff := differs(before, look(t, top), nil); len(diff) > 0 {
		t.Errorf("changed: %q", diff)
	}
}
