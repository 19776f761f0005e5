package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

func openDir(t *testing.T) (Dir, string) {
	t.Helper()
	path := t.TempDir()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, path
}

func put(t *testing.T, d Dir, name, text string) {
	t.Helper()
	f, err := d.Create(name, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(f, text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, d Dir, name string) string {
	t.Helper()
	f, err := d.Open(name)
	if err != nil {
		return "no file: " + err.Error()
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWindowsRenames(t *testing.T) {
	d, _ := openDir(t)
	if err := d.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	sub, err := d.Dir("SUB") // names are found whatever their case
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	put(t, d, "a", "A")
	put(t, sub, "b", "B")
	if err := d.Rename("a", sub, "b", NoReplace); !errors.Is(err, fs.ErrExist) {
		t.Errorf("no replace: %v", err)
	}
	if err := d.Link("a", sub, "b"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("link: %v", err)
	}
	if err := d.Rename("a", sub, "b", Exchange); !errors.Is(err, ErrUnsupported) {
		t.Errorf("exchange: %v", err)
	}
	if err := d.Link("a", sub, "c"); err != nil {
		t.Fatal(err)
	}
	if is, err := d.Stat("a"); err != nil || is.Links != 2 {
		t.Errorf("links: %+v %v", is, err)
	}
	if err := d.Rename("a", sub, "b", Replace); err != nil {
		t.Fatal(err)
	}
	if err := sub.Rename("c", d, "new", NoReplace); err != nil {
		t.Fatal(err)
	}
	if a, b := get(t, sub, "b"), get(t, d, "new"); a != "A" || b != "A" {
		t.Errorf("%q %q", a, b)
	}
	for _, err := range []error{d.Remove("sub"), d.Rename("new", d, "sub", Replace)} {
		if !errors.Is(err, syscall.EISDIR) {
			t.Errorf("a directory is replaced or removed as a file: %v", err)
		}
	}
	if err := d.RemoveDir("sub"); !errors.Is(err, syscall.ENOTEMPTY) {
		t.Errorf("remove a full directory: %v", err)
	}
	if err := d.RemoveDir("new"); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("remove a file as a directory: %v", err)
	}
	if err := sub.Remove("b"); err != nil {
		t.Error(err)
	}
	if err := d.Mkdir("other", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Rename("other", d, "sub", Replace); err != nil {
		t.Errorf("over an empty directory: %v", err)
	}
	if err := d.RemoveDir("sub"); err != nil {
		t.Error(err)
	}
	names, err := d.Names()
	if err != nil || !slices.Equal(names, []string{"new"}) {
		t.Errorf("%q %v", names, err)
	}
	if err := d.Sync(); err != nil {
		t.Error(err)
	}
	if _, err := d.Stat("gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestWindowsNames checks that no name leads anywhere but to the file of just that name.
func TestWindowsNames(t *testing.T) {
	d, path := openDir(t)
	put(t, d, "a.txt", "A")
	for _, name := range []string{"a.txt:s", "a.txt::$DATA", `..\x`, "../x", `sub\x`, "..", ".", "", "a\x00b"} {
		_, err := d.Create(name, 0o644)
		if _, oerr := d.Open(name); !errors.Is(err, fs.ErrInvalid) || !errors.Is(oerr, fs.ErrInvalid) {
			t.Errorf("%q: %v, %v", name, err, oerr)
		}
	}
	for _, name := range []string{"NUL", "con.txt", "b.", "b ", "b?"} {
		_, err := d.Create(name, 0o644)
		for _, err := range []error{err, d.Mkdir(name, 0o755), d.Rename("a.txt", d, name, NoReplace), d.Link("a.txt", d, name)} {
			if !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
	for _, name := range []string{"a.txt.", "a.txt ", "NUL"} {
		if _, err := d.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q is open: %v", name, err)
		}
	}
	all, err := os.ReadDir(path)
	if err != nil || len(all) != 1 {
		t.Errorf("%v %v", all, err)
	}
}

// TestWindowsReplaceOpen replaces a file that is open. The system can, or the error says so and nothing has changed.
func TestWindowsReplaceOpen(t *testing.T) {
	d, _ := openDir(t)
	put(t, d, "old", "OLD")
	put(t, d, "new", "NEW")
	reader, err := d.Open("old")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	can := ReplacesOpen(d)
	t.Logf("a file that is open can be replaced: %t", can)
	err = d.Rename("new", d, "old", Replace)
	if _, busy := errors.AsType[*InUseError](err); (err == nil) != can || err != nil && !busy {
		t.Fatal(err)
	}
	want := map[bool]string{true: "NEW", false: "OLD"}[can]
	if got := get(t, d, "old"); got != want {
		t.Errorf("old has %q", got)
	}
	if b, err := io.ReadAll(reader); err != nil || string(b) != "OLD" {
		t.Errorf("the reader reads %q, %v", b, err)
	}
	if names, err := d.Names(); err != nil || len(names) != map[bool]int{true: 1, false: 2}[can] {
		t.Errorf("%q %v", names, err)
	}
}

// TestWindowsSharing checks that a file which another program does not share is neither renamed nor removed, that the wait for it
// ends, and that a lease keeps writers out.
func TestWindowsSharing(t *testing.T) {
	d, path := openDir(t)
	put(t, d, "a", "A")
	text, _ := windows.UTF16PtrFromString(filepath.Join(path, "a"))
	h, err := windows.CreateFile(text, windows.GENERIC_READ, windows.FILE_SHARE_READ, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{d.Rename("a", d, "b", NoReplace), d.Remove("a")} {
		if _, busy := errors.AsType[*InUseError](err); !busy {
			t.Errorf("not in use: %v", err)
		}
	}
	if _, err := d.Stat("a"); err != nil {
		t.Errorf("the attributes of a locked file: %v", err)
	}
	f, err := d.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if release, open := f.Lease(); !open {
		t.Error("a lease on a file that may not be renamed")
		release()
	}
	time.AfterFunc(100*time.Millisecond, func() { windows.CloseHandle(h) })
	if err := d.Rename("a", d, "b", NoReplace); err != nil { // a scanner lets go after a while
		t.Error(err)
	}
	g, err := d.Open("b") // Wine opens a file again by the name that it had
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	release, open := g.Lease()
	if open {
		t.Fatal("the file is said to be open for writing")
	}
	if w, err := os.OpenFile(filepath.Join(path, "b"), os.O_WRONLY, 0); err == nil {
		t.Error("a leased file was opened for writing")
		w.Close()
	}
	if got := get(t, d, "b"); got != "A" {
		t.Errorf("%q", got)
	}
	release()
	w, err := os.OpenFile(filepath.Join(path, "b"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if release, open := g.Lease(); !open {
		t.Error("a lease on a file that is open for writing")
		release()
	}
}

// TestWindowsHeldDirectory checks that what opens or syncs a directory, or syncs a file, waits for a program that does not share it.
func TestWindowsHeldDirectory(t *testing.T) {
	d, path := openDir(t)
	put(t, d, "a", "A")
	f, err := d.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, tt := range []struct {
		name, held    string
		access, share uint32
		call          func() error
	}{
		{"sync of a directory", path, windows.FILE_EXECUTE, windows.FILE_SHARE_READ, d.Sync},
		{"a directory that is opened", path, windows.DELETE, shareAll, func() error {
			d, err := Open(path)
			if err != nil {
				return err
			}
			return d.Close()
		}},
		{"sync of a file", filepath.Join(path, "a"), windows.FILE_EXECUTE, windows.FILE_SHARE_READ, f.Sync},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := windows.UTF16PtrFromString(tt.held)
			if err != nil {
				t.Fatal(err)
			}
			h, err := windows.CreateFile(text, tt.access, tt.share, nil, windows.OPEN_EXISTING,
				windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(100*time.Millisecond, func() { windows.CloseHandle(h) })
			if err := tt.call(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWindowsTimes checks that the time which Stat gives of a file that was written is still its time when it is closed.
func TestWindowsTimes(t *testing.T) {
	d, _ := openDir(t)
	f, err := d.Create("a", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "A"); err != nil {
		t.Fatal(err)
	}
	is, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if now, err := d.Stat("a"); err != nil || !now.ModTime.Equal(is.ModTime) || now.ID != is.ID || now.Mode != is.Mode || now.Size != 1 {
		t.Errorf("%+v after %+v, %v", now, is, err)
	}
	set := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	g, err := d.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(g.Touch(set), g.Chmod(0o444), g.Sync(), g.Close())
	if now, serr := d.Stat("a"); err != nil || serr != nil || !now.ModTime.Equal(set) || now.Mode != 0o444 {
		t.Errorf("%+v, %v, %v", now, err, serr)
	}
	put(t, d, "b", "B")
	if err := d.Rename("b", d, "a", Replace); err != nil {
		t.Errorf("a read-only file is not replaced: %v", err)
	}
}

// TestWindowsAppend checks that an appending file writes at its end, also after it was cut, and that it can be read.
func TestWindowsAppend(t *testing.T) {
	d, _ := openDir(t)
	put(t, d, "log", "one\n")
	f, err := d.Append("log", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	other, err := d.Append("log", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, w := range []File{f, other, f} {
		if _, err := io.WriteString(w, "more\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(4); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(other, "two\n"); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 20)
	if n, err := f.ReadAt(b, 0); err != io.EOF || string(b[:n]) != "one\ntwo\n" {
		t.Errorf("%q %v", b[:n], err)
	}
	if mine, err := f.TryLock(); !mine || err != nil {
		t.Fatal(mine, err)
	}
	if mine, err := other.TryLock(); mine || err != nil {
		t.Error("two locks on one file", err)
	}
	if n, err := other.ReadAt(b, 0); n != 8 || err != io.EOF {
		t.Errorf("a locked file is read: %d %v", n, err)
	}
}

// TestWindowsLinks checks that links and junctions are opened themselves, or not at all.
func TestWindowsLinks(t *testing.T) {
	d, path := openDir(t)
	put(t, d, "a", "A")
	if err := d.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := d.Symlink("a", "link"); err != nil {
		t.Skipf("NOT RUN: symbolic links cannot be made here: %v", err)
	}
	if target, err := d.Readlink("link"); target != "a" || err != nil {
		t.Errorf("%q %v", target, err)
	}
	if is, err := d.Stat("link"); err != nil || is.Mode&fs.ModeSymlink == 0 {
		t.Errorf("%v %v", is.Mode, err)
	}
	if _, err := d.Open("link"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link is open: %v", err)
	}
	if out, err := exec.Command("cmd", "/c", "mklink", "/J", filepath.Join(path, "junction"), filepath.Join(path, "sub")).CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: junctions cannot be made here: %v %s", err, out)
	}
	if _, err := d.Dir("junction"); !errors.Is(err, syscall.EXDEV) {
		t.Errorf("a junction is open: %v", err)
	}
	if err := d.Remove("junction"); err != nil {
		t.Error(err)
	}
	if is, err := d.Stat("sub"); err != nil || !is.Mode.IsDir() {
		t.Error("what the junction led to is gone")
	}
}

// TestWindowsPrivate checks that what is for its owner alone is readable by nobody else, and that a file which gets the attributes of
// another is as open as that one.
func TestWindowsPrivate(t *testing.T) {
	d, path := openDir(t)
	f, err := d.Create("key", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	who, err := OthersMayRead(f.(*osFile).file)
	if who != "" || err != nil {
		t.Errorf("%q may read a private file: %v", who, err)
	}
	put(t, d, "open", "A")
	if out, err := exec.Command("icacls", filepath.Join(path, "open"), "/grant", "*S-1-1-0:R").CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: access lists cannot be set here: %v %s", err, strings.TrimSpace(string(out)))
	}
	from, err := d.Open("open")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if lost, err := f.CopyAttributes(from); err != nil || len(lost) > 0 {
		t.Errorf("%q %v", lost, err)
	}
	if who, err := OthersMayRead(f.(*osFile).file); who == "" || err != nil {
		t.Errorf("the access list was not kept: %v", err)
	}
}

// TestWindowsReadOnly: a new content that gets the attributes of a read-only file keeps them when its time is set.
func TestWindowsReadOnly(t *testing.T) {
	d, path := openDir(t)
	put(t, d, "old", "one\n")
	if err := os.Chmod(filepath.Join(path, "old"), 0o444); err != nil {
		t.Fatal(err)
	}
	old, err := d.Open("old")
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	f, err := d.Create("new", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.WriteString(f, "two\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.CopyAttributes(old); err != nil {
		t.Fatal(err)
	}
	if is, err := f.Stat(); err != nil || is.Mode.Perm()&0o200 != 0 { // sets the time of what was written
		t.Errorf("after its time was set: %v, %v", is.Mode, err)
	}
	if err := f.Touch(time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if is, err := d.Stat("new"); err != nil || is.Mode.Perm()&0o200 != 0 || time.Since(is.ModTime) < 50*time.Minute {
		t.Errorf("after another time was set: %v, %v, %v", is.Mode, is.ModTime, err)
	}
}
