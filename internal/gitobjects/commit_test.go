package gitobjects

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestCommits compares commits and the files of their trees with what git says, loose and packed, with SHA-1 and with SHA-256.
func TestCommits(t *testing.T) {
	for name, init := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t, 1, init...)
			addCommits(t, dir, 2, 6)
			git(t, dir, "checkout", "-q", "-b", "side", "HEAD~2")
			write(t, dir, "side/of/it", "x\n")
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "side: a file\n\nand why")
			git(t, dir, "merge", "-q", "-m", "merge", "-s", "ours", "main")
			sameCommits(t, dir)
			git(t, dir, "repack", "-q", "-ad")
			git(t, dir, "pack-refs", "--all")
			sameCommits(t, dir)
			git(t, dir, "checkout", "-q", "--detach", "HEAD~1")
			sameCommits(t, dir)
		})
	}
}

func sameCommits(t *testing.T, dir string) {
	t.Helper()
	r := open(t, dir)
	defer r.Close()
	head, err := r.Head()
	must(t, err)
	if want := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD")); head.String() != want {
		t.Fatalf("HEAD is %s, want %s", head, want)
	}
	n := 0
	for line := range strings.Lines(git(t, dir, "log", "--format=%H|%T|%P|%ct|%s", "HEAD")) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		c, err := r.Commit(parseID(t, f[0]))
		must(t, err)
		var parents []string
		for _, p := range c.Parents {
			parents = append(parents, p.String())
		}
		if got := []string{c.ID.String(), c.Tree.String(), strings.Join(parents, " "), strconv.FormatInt(c.Time.Unix(), 10), c.Subject}; strings.Join(got, "|") != strings.Join(f, "|") {
			t.Errorf("%q, want %q", got, f)
		}
		for file := range strings.SplitSeq(git(t, dir, "ls-tree", "-r", "-z", f[0]), "\x00") {
			about, path, ok := strings.Cut(file, "\t")
			if words := strings.Fields(about); ok && words[1] == "blob" {
				if id, err := r.BlobAt(c.Tree, path); err != nil || id.String() != words[2] {
					t.Errorf("%s: %v, %v, want %s", path, id, err, words[2])
				}
				n++
			}
		}
		for _, path := range []string{"", "no such file", "side", "side/of/it/x"} {
			if id, err := r.BlobAt(c.Tree, path); !errors.Is(err, ErrNotFound) {
				t.Errorf("%q: %v, %v", path, id, err)
			}
		}
	}
	if n == 0 {
		t.Error("no file was compared")
	}
}

// TestHeadRefusals: HEAD leads to no file outside of the references, and to none that is no reference.
func TestHeadRefusals(t *testing.T) {
	dir := newRepo(t, 1)
	r := open(t, dir)
	defer r.Close()
	write(t, dir, ".git/outside", strings.Repeat("ab", 20))
	for head, want := range map[string]error{
		"ref: refs/heads/nosuch": ErrNotFound, "ref: refs/../outside": ErrDamaged, "ref: outside": ErrDamaged, "ref: /etc/passwd": ErrDamaged,
		"ref: refs/heads/.invalid": ErrUnsupported, "abab": ErrDamaged, "": ErrDamaged,
	} {
		must(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte(head), 0o644))
		if id, err := r.Head(); !errors.Is(err, want) {
			t.Errorf("%q: %v, %v, want %v", head, id, err, want)
		}
	}
}

// FuzzCommit and FuzzTree: whatever an object has, reading it ends without a panic.
func FuzzCommit(f *testing.F) {
	id := strings.Repeat("ab", 20)
	f.Add("tree " + id + "\nparent " + id + "\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nsubject\n\nbody")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := (&Repo{format: objectFormats["sha1"]}).parseCommit(text); err == nil && (len(c.Tree) != 20 || strings.Contains(c.Subject, "\n")) {
			t.Errorf("%+v", c)
		}
	})
}

func FuzzTree(f *testing.F) {
	f.Add("100644 a\x00"+strings.Repeat("x", 20)+"40000 b\x00"+strings.Repeat("y", 20), "b")
	f.Fuzz(func(t *testing.T, text, name string) {
		if id, _, err := (&Repo{format: objectFormats["sha1"]}).treeEntry(text, name); err == nil && id != "" && len(id) != 20 {
			t.Errorf("%q", id)
		}
	})
}
