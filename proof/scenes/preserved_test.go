//go:build linux

package scenes

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// old is a time that no file created by a test has by itself.
var old = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// changeKinds are the ways in which a patch changes a file to another. In each, the line "two" may become "2".
var changeKinds = []struct {
	name, to string
	patch    string
	edits    bool
}{
	{"update", "f", envelope("*** Update File: f", "@@", "-two", "+2"), true},
	{"move", "d/g", envelope("*** Move File: f -> d/g"), false},
	{"move and edit", "d/g", envelope("*** Update File: f", "*** Move to: d/g", "@@", "-two", "+2"), true},
}

const plain = "one\ntwo\nthree\n"

// TestPreserved checks that the metadata of a file survives a patch, or that emend reports what does not.
func TestPreserved(t *testing.T) {
	for _, tc := range []struct {
		name    string
		content string
		traits  []trait
		drops   fs.FileMode // mode bits that an edit clears
		says    string      // what emend reports about it
	}{
		{name: "private", traits: []trait{mode(0o600)}},
		{name: "executable", traits: []trait{mode(0o755)}},
		{name: "read-only", traits: []trait{mode(0o444)}},
		{name: "odd permissions", traits: []trait{mode(0o640)}},
		{name: "sticky", traits: []trait{mode(0o644 | fs.ModeSticky)}},
		{name: "setuid", traits: []trait{mode(0o755 | fs.ModeSetuid)}, drops: fs.ModeSetuid, says: "setuid"},
		{name: "setgid", traits: []trait{mode(0o755 | fs.ModeSetgid)}, drops: fs.ModeSetgid, says: "setgid"},
		{name: "another's", traits: []trait{owner(1234, 2345)}},
		{name: "another's and private", traits: []trait{owner(1234, 2345), mode(0o600)}},
		{name: "attribute", traits: []trait{attribute("user.origin", "somewhere")}},
		{name: "attributes", traits: []trait{attribute("user.a", "\x00\xff"), attribute("user.empty", "")}},
		{name: "access list", traits: []trait{mode(0o640), accessList}},
		{name: "access list, owner, attribute", traits: []trait{owner(1234, 2345), mode(0o640), accessList, attribute("user.a", "b")}},
		{name: "byte order mark", content: "\ufeff" + plain},
		{name: "byte order mark on the line", content: "\ufefftwo\nthree\n"},
		{name: "CRLF", content: "one\r\ntwo\r\nthree\r\n"},
		{name: "line ends of every kind", content: "one\r\ntwo\nthree\r\nfour\rfive\n"},
		{name: "bytes that are no text", content: "one\xff\xfe\ntwo\n\xc3\x28three\n"},
		{name: "no newline at the end", content: "one\ntwo\nthree"},
		{name: "no newline on the line", content: "one\ntwo"},
		{name: "blanks at the ends", content: "one  \ntwo\n\n\t\n\n"},
	} {
		for _, d := range changeKinds {
			t.Run(tc.name+"/"+d.name, func(t *testing.T) {
				dir := workspace(t).Root()
				before := lay(t, dir, tc.content, tc.traits...)
				want := before
				if d.edits {
					want.content = strings.Replace(want.content, "two", "2", 1)
					want.mode &^= tc.drops
				}
				said := succeed(t, dir, d.patch)
				after := look(t, filepath.Join(dir, d.to))
				for _, what := range want.lost(after) {
					t.Errorf("after %s, %s", d.name, what)
				}
				if d.edits && !strings.Contains(said, tc.says) {
					t.Errorf("emend says nothing of %q:\n%s", tc.says, said)
				}
				checkTimes(t, dir, before, after, d.edits)
			})
		}
	}
}

// lay creates an old file f, an empty directory d to move it to, and a new file to compare times with.
func lay(t *testing.T, dir, content string, traits ...trait) metadata {
	t.Helper()
	if content == "" {
		content = plain
	}
	name := filepath.Join(dir, "f")
	write(t, name, content)
	write(t, filepath.Join(dir, "begun"), "")
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	addTraits(t, name, traits...)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	return look(t, name)
}

// checkTimes checks that an edited file has a new time, for build tools to notice, and a moved one its old time.
func checkTimes(t *testing.T, dir string, before, after metadata, edited bool) {
	t.Helper()
	if !edited {
		if after.ino != before.ino || after.mtime != before.mtime {
			t.Errorf("only moved, the file is number %d of %s; it was %d of %s",
				after.ino, time.Unix(0, after.mtime), before.ino, time.Unix(0, before.mtime))
		}
		return
	}
	if begun := look(t, filepath.Join(dir, "begun")).mtime; after.mtime < begun {
		t.Errorf("the edited file is of %s, before the patch of %s", time.Unix(0, after.mtime), time.Unix(0, begun))
	}
}

// succeed applies a patch and returns the output.
func succeed(t *testing.T, dir, patch string) string {
	t.Helper()
	r := run(t, dir, patch, "apply")
	if r.code != 0 {
		t.Fatalf("emend apply: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	return r.stdout + r.stderr
}

// TestPreservedRig checks that the table detects an agent that preserves only the bytes.
func TestPreservedRig(t *testing.T) {
	for _, tc := range []struct {
		name   string
		traits []trait
	}{
		{"mode", []trait{mode(0o755)}},
		{"owner", []trait{mode(0o600), owner(1234, 1234)}},
		{"attribute", []trait{mode(0o600), attribute("user.origin", "somewhere")}},
		{"access list", []trait{mode(0o640), accessList}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ws := workspace(t)
			want := lay(t, ws.Root(), "", tc.traits...)
			want.content = strings.Replace(want.content, "two", "2", 1)
			if err := blindAgent(t.Context(), ws, changeKinds[0].patch); err != nil {
				t.Fatal(err)
			}
			if len(want.lost(look(t, filepath.Join(ws.Root(), "f")))) == 0 {
				t.Error("nothing is lost when nothing was kept; the table proves nothing")
			}
		})
	}
}

// TestPreservedLinks checks that delete and move act on a symbolic link itself.
func TestPreservedLinks(t *testing.T) {
	for _, tc := range []struct{ name, target, patch, to string }{
		{"moved", "f", envelope("*** Move File: link -> d/moved"), "d/moved"},
		{"moved, to nothing", "nowhere", envelope("*** Move File: link -> d/moved"), "d/moved"},
		{"deleted", "f", envelope("*** Delete File: link"), ""},
		{"deleted, to a directory", "d", envelope("*** Delete File: link"), ""},
		{"deleted, to nothing", "nowhere", envelope("*** Delete File: link"), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := workspace(t).Root()
			before := lay(t, dir, "")
			if err := os.Symlink(tc.target, filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			succeed(t, dir, tc.patch)
			if _, err := os.Lstat(filepath.Join(dir, "link")); err == nil {
				t.Error("the link is still there")
			}
			if to, err := os.Readlink(filepath.Join(dir, tc.to)); tc.to != "" && (err != nil || to != tc.target) {
				t.Errorf("it leads to %q (%v), was %q", to, err, tc.target)
			}
			after := look(t, filepath.Join(dir, "f"))
			if lost := before.lost(after); lost != nil || after.ino != before.ino {
				t.Errorf("the file that the link led to has changed: %q", lost)
			}
		})
	}
}

// TestPreservedHardLink checks that an edited file leaves its set of hard links, that the others keep the old content, and that
// emend says so. A moved file stays in its set.
func TestPreservedHardLink(t *testing.T) {
	for _, d := range changeKinds {
		t.Run(d.name, func(t *testing.T) {
			dir := workspace(t).Root()
			before := lay(t, dir, "")
			other := filepath.Join(dir, "other")
			if err := os.Link(filepath.Join(dir, "f"), other); err != nil {
				t.Fatal(err)
			}
			said := succeed(t, dir, d.patch)
			if o := look(t, other); o.content != plain || o.ino != before.ino {
				t.Errorf("the other name has %q", o.content)
			}
			after := look(t, filepath.Join(dir, d.to))
			if apart := after.ino != before.ino; apart != d.edits {
				t.Errorf("the file has left its links: %v, want %v", apart, d.edits)
			}
			if strings.Contains(said, "hard link") != d.edits {
				t.Errorf("emend says:\n%s", said)
			}
		})
	}
}
