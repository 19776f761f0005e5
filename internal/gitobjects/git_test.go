package gitobjects

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// git runs git in dir, without the configuration of the person who runs the tests.
func git(t testing.TB, dir string, args ...string) string { return gitWith(t, dir, "", args...) }

func gitWith(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: git is not installed")
	}
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GIT_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, errs.String())
	}
	return string(out)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	must(t, err)
	return b
}

func open(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(dir)
	must(t, err)
	t.Cleanup(r.Close)
	return r
}

// newRepo makes a repository with several versions of random files.
func newRepo(t testing.TB, seed uint64, init ...string) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, append([]string{"init", "-q"}, init...)...)
	addCommits(t, dir, seed, 3)
	return dir
}

func addCommits(t testing.TB, dir string, seed uint64, commits int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	text := func(lines int) string {
		var b strings.Builder
		for range lines {
			fmt.Fprintf(&b, "line %d of %x\n", rnd.IntN(1000), rnd.Uint64())
		}
		return b.String()
	}
	long := text(3000)
	for i := range commits {
		cut := rnd.IntN(len(long))
		long = long[:cut] + text(1+rnd.IntN(20)) + long[min(cut+rnd.IntN(400), len(long)):]
		write(t, dir, "long.txt", long)
		write(t, dir, "shrinks.txt", long[:len(long)/(i+1)])
		write(t, dir, "empty", "")
		write(t, dir, fmt.Sprintf("d/%d/\xc3\xa9 x\n.txt", rnd.IntN(3)), text(rnd.IntN(50)))
		noise := make([]byte, rnd.IntN(100_000))
		for i := range noise {
			noise[i] = byte(rnd.Uint32())
		}
		write(t, dir, "noise", string(noise))
		write(t, dir, "zeros", strings.Repeat("\x00", rnd.IntN(200_000)))
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", strconv.Itoa(i))
	}
}

// gitsBlobs returns the content of every blob that git finds from dir.
func gitsBlobs(t testing.TB, dir string) map[ID]string {
	t.Helper()
	var names strings.Builder
	for line := range strings.Lines(git(t, dir, "cat-file", "--batch-all-objects", "--batch-check")) {
		if name, rest, _ := strings.Cut(line, " "); strings.HasPrefix(rest, "blob ") {
			names.WriteString(name + "\n")
		}
	}
	out := gitWith(t, dir, names.String(), "cat-file", "--batch")
	blobs := map[ID]string{}
	for out != "" {
		head, rest, _ := strings.Cut(out, "\n")
		var name, kind string
		var size int
		_, err := fmt.Sscan(head, &name, &kind, &size)
		must(t, err)
		blobs[parseID(t, name)], out = rest[:size], rest[size+1:]
	}
	if len(blobs) < 8 {
		t.Fatalf("git has %d blobs", len(blobs))
	}
	return blobs
}

func parseID(t testing.TB, name string) ID {
	t.Helper()
	id := make([]byte, len(name)/2)
	_, err := fmt.Sscanf(name, "%x", &id)
	must(t, err)
	return ID(id)
}

// sameBlobs fails unless Blob finds in dir what git finds there.
func sameBlobs(t *testing.T, dir string) {
	t.Helper()
	r := open(t, dir)
	for id, want := range gitsBlobs(t, dir) {
		got, err := r.Blob(id, 1<<20)
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v; git has %d bytes", id, len(got), err, len(want))
		}
		if got := r.BlobID([]byte(want)); got != id {
			t.Errorf("BlobID is %s, git's %s", got, id)
		}
	}
	if len(r.opened) > maxOpenPacks {
		t.Errorf("%d packs are open", len(r.opened))
	}
}

func count(t testing.TB, pattern ...string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(pattern...))
	must(t, err)
	return len(found)
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		init []string
		then func(t *testing.T, dir string) string // returns the work tree to look from
	}{
		{name: "loose"},
		{name: "loose, sha256", init: []string{"--object-format=sha256"}},
		{name: "gc", then: func(t *testing.T, dir string) string {
			git(t, dir, "gc", "-q")
			return dir
		}},
		{name: "gc, sha256", init: []string{"--object-format=sha256"}, then: func(t *testing.T, dir string) string {
			git(t, dir, "gc", "-q")
			return dir
		}},
		{name: "packs and loose", then: func(t *testing.T, dir string) string {
			git(t, dir, "repack", "-d")
			addCommits(t, dir, 10, 3)
			git(t, dir, "repack", "-d")
			addCommits(t, dir, 11, 3)
			return dir
		}},
		{name: "deep deltas", then: func(t *testing.T, dir string) string {
			rnd := rand.New(rand.NewPCG(9, 9))
			var text, stream strings.Builder
			for range 600 {
				fmt.Fprintf(&text, "%x\n", rnd.Uint64())
				fmt.Fprintf(&stream, "blob\ndata %d\n%s\n", text.Len(), text.String())
			}
			gitWith(t, dir, stream.String(), "fast-import", "--quiet", "--depth=4095")
			deepest := 0
			packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.idx"))
			for line := range strings.Lines(git(t, dir, "verify-pack", "-v", packs[0])) {
				if f := strings.Fields(line); len(f) == 7 && f[1] == "blob" {
					depth, _ := strconv.Atoi(f[5])
					deepest = max(deepest, depth)
				}
			}
			if deepest < 500 {
				t.Fatalf("the deepest delta has depth %d", deepest)
			}
			return dir
		}},
		{name: "bases by name", then: func(t *testing.T, dir string) string {
			git(t, dir, "-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-adf")
			return dir
		}},
		{name: "pack index of version 1", then: func(t *testing.T, dir string) string {
			git(t, dir, "-c", "pack.indexVersion=1", "repack", "-q", "-adf")
			return dir
		}},
		{name: "large offsets", then: func(t *testing.T, dir string) string {
			git(t, dir, "repack", "-q", "-adf")
			packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
			before := len(read(t, strings.TrimSuffix(packs[0], ".pack")+".idx"))
			must(t, os.Remove(strings.TrimSuffix(packs[0], ".pack")+".idx"))
			git(t, dir, "index-pack", "--index-version=2,0x40", packs[0])
			if len(read(t, strings.TrimSuffix(packs[0], ".pack")+".idx")) <= before {
				t.Fatal("there are no large offsets")
			}
			return dir
		}},
		{name: "many packs", then: func(t *testing.T, dir string) string {
			for i := range maxOpenPacks + 6 {
				id := strings.TrimSpace(gitWith(t, dir, fmt.Sprint("blob ", i), "hash-object", "-w", "--stdin"))
				gitWith(t, dir, id+"\n", "pack-objects", "-q", ".git/objects/pack/pack")
			}
			git(t, dir, "prune-packed", "-q")
			return dir
		}},
		{name: "shared clone", then: func(t *testing.T, dir string) string {
			git(t, dir, "gc", "-q")
			middle, top := t.TempDir(), t.TempDir()
			git(t, dir, "clone", "-q", "--shared", dir, middle)
			addCommits(t, middle, 12, 3)
			git(t, middle, "clone", "-q", "--shared", middle, top)
			addCommits(t, top, 13, 3)
			return top
		}},
		{name: "relative and quoted alternates", then: func(t *testing.T, dir string) string {
			top := filepath.Join(dir, "top")
			git(t, dir, "init", "-q", "top")
			addCommits(t, top, 14, 2)
			write(t, top, ".git/objects/info/alternates", "# comment\n../../missing\n\"../../../.gi\\164/objects\"\n../../.git/objects\n")
			return top
		}},
		{name: "linked work tree", then: func(t *testing.T, dir string) string {
			linked := filepath.Join(t.TempDir(), "linked")
			git(t, dir, "worktree", "add", "-q", "-b", "other", linked)
			addCommits(t, linked, 15, 2)
			return linked
		}},
		{name: "submodule", then: func(t *testing.T, dir string) string {
			super := t.TempDir()
			git(t, super, "init", "-q")
			git(t, super, "submodule", "-q", "add", dir, "sub")
			return filepath.Join(super, "sub")
		}},
		{name: "separate directory", then: func(t *testing.T, dir string) string {
			git(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "elsewhere"))
			return dir
		}},
		{name: "links", then: func(t *testing.T, dir string) string {
			elsewhere := t.TempDir()
			must(t, os.Rename(filepath.Join(dir, ".git", "objects"), filepath.Join(elsewhere, "objects")))
			must(t, os.Rename(filepath.Join(dir, ".git"), filepath.Join(elsewhere, "git")))
			must(t, os.Symlink(filepath.Join(elsewhere, "objects"), filepath.Join(elsewhere, "git", "objects")))
			must(t, os.Symlink(filepath.Join(elsewhere, "git"), filepath.Join(dir, ".git")))
			return dir
		}},
		{name: "cruft and multi-pack index", then: func(t *testing.T, dir string) string {
			git(t, dir, "reset", "-q", "--hard", "HEAD~2")
			git(t, dir, "reflog", "expire", "--expire=all", "--all")
			git(t, dir, "repack", "-q", "-d", "--cruft")
			git(t, dir, "multi-pack-index", "write")
			return dir
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t, 1, tc.init...)
			if tc.then != nil {
				dir = tc.then(t, dir)
			}
			sameBlobs(t, dir)
		})
	}
}

// TestBlobsOfOpenRepo: git packs, and removes what it packed, while somebody reads.
func TestBlobsOfOpenRepo(t *testing.T) {
	t.Parallel()
	dir := newRepo(t, 2)
	r := open(t, dir)
	blobs := gitsBlobs(t, dir)
	check := func(when string) {
		t.Helper()
		for id, want := range blobs {
			if got, err := r.Blob(id, 1<<20); err != nil || string(got) != want {
				t.Fatalf("%s: %s: %d bytes, %v", when, id, len(got), err)
			}
		}
	}
	check("loose")
	git(t, dir, "repack", "-q", "-ad")
	if count(t, dir, ".git/objects/??") != 0 {
		t.Fatal("git left loose objects")
	}
	check("packed")
	write(t, dir, "more", "more")
	git(t, dir, "add", "more")
	git(t, dir, "commit", "-q", "-m", "more")
	git(t, dir, "repack", "-q", "-adf", "--depth=1")
	check("packed again")
	r.Close()
	check("closed")
	if len(r.opened) != 1 {
		t.Errorf("%d packs are open", len(r.opened))
	}
}

// TestIndex compares with git ls-files.
func TestIndex(t *testing.T) {
	t.Parallel()
	conflict := func(t *testing.T, dir string) {
		git(t, dir, "checkout", "-q", "-b", "side")
		write(t, dir, "long.txt", "side")
		git(t, dir, "commit", "-q", "-am", "side")
		git(t, dir, "checkout", "-q", "-")
		write(t, dir, "long.txt", "main")
		git(t, dir, "commit", "-q", "-am", "main")
		git(t, dir, "read-tree", "-m", git(t, dir, "merge-base", "HEAD", "side")[:40], "HEAD", "side")
		if git(t, dir, "ls-files", "-u") == "" {
			t.Fatal("there is no conflict")
		}
	}
	flags := func(t *testing.T, dir string) {
		git(t, dir, "update-index", "--assume-unchanged", "noise")
		git(t, dir, "update-index", "--skip-worktree", "zeros")
		write(t, dir, "later", "x")
		git(t, dir, "add", "-N", "later")
		must(t, os.Symlink("noise", filepath.Join(dir, "link")))
		git(t, dir, "add", "link")
		git(t, dir, "update-index", "--chmod=+x", "long.txt")
		long := strings.Repeat("long/", 1200) + "name"
		gitWith(t, dir, "100644 "+git(t, dir, "rev-parse", "HEAD:noise")[:40]+"\t"+long+"\n", "update-index", "--index-info")
	}
	version := func(n int) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--index-version", strconv.Itoa(n))
			if got := read(t, filepath.Join(dir, ".git", "index"))[7]; int(got) != n {
				t.Fatalf("git wrote version %d", got)
			}
		}
	}
	many := func(t *testing.T, dir string) {
		for i := range 300 {
			write(t, dir, fmt.Sprintf("many/%d/%d", i%7, i), fmt.Sprint(i))
		}
		git(t, dir, "add", "-A")
	}
	split := func(t *testing.T, dir string) {
		many(t, dir)
		git(t, dir, "-c", "splitIndex.maxPercentChange=100", "update-index", "--split-index")
		git(t, dir, "config", "core.splitIndex", "true")
		git(t, dir, "config", "splitIndex.maxPercentChange", "100")
		for i := range 40 {
			write(t, dir, fmt.Sprintf("many/%d/%d", i%7, i), fmt.Sprint("changed ", i))
			write(t, dir, fmt.Sprintf("many/new%d", i), "new")
			must(t, os.Remove(filepath.Join(dir, fmt.Sprintf("many/%d/%d", (i+100)%7, i+100))))
		}
		for i := 3; i < 7; i++ { // so many neighbours that a word of the bitmap is full
			must(t, os.RemoveAll(filepath.Join(dir, "many", strconv.Itoa(i))))
		}
		git(t, dir, "add", "-A")
		if count(t, dir, ".git/sharedindex.*") == 0 || !bytes.Contains(read(t, filepath.Join(dir, ".git/index")), []byte("link")) {
			t.Fatal("the index is not split")
		}
	}
	type steps []func(t *testing.T, dir string)
	for name, tc := range map[string]struct {
		init []string
		then steps
	}{
		"version 2":             {then: steps{version(2)}},
		"version 3":             {then: steps{flags}},
		"version 4":             {then: steps{many, version(4)}},
		"version 4 with flags":  {then: steps{flags, many, version(4)}},
		"version 4 with blocks": {then: steps{many, version(4), func(t *testing.T, dir string) { git(t, dir, "-c", "index.threads=3", "add", "-A") }}},
		"sha256":                {init: []string{"--object-format=sha256"}, then: steps{many, version(2)}},
		"sha256, version 4":     {init: []string{"--object-format=sha256"}, then: steps{many, version(4)}},
		"conflict":              {then: steps{conflict}},
		"split":                 {then: steps{split}},
		"split, version 4":      {then: steps{version(4), split}},
		"split, sha256":         {init: []string{"--object-format=sha256"}, then: steps{split}},
		"split, unchanged": {then: steps{many, func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--split-index")
		}}},
		"split in a linked work tree": {then: steps{many, func(t *testing.T, dir string) {
			linked := filepath.Join(t.TempDir(), "linked")
			git(t, dir, "worktree", "add", "-q", "-b", "other", linked)
			git(t, linked, "update-index", "--split-index")
			sameIndex(t, linked)
		}}},
		"extensions": {then: steps{many, func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--untracked-cache")
			git(t, dir, "status")
		}}},
		"sparse": {then: steps{many, func(t *testing.T, dir string) {
			git(t, dir, "commit", "-q", "-m", "many")
			git(t, dir, "sparse-checkout", "set", "--cone", "--sparse-index", "many/1")
			if !strings.Contains(git(t, dir, "ls-files", "--sparse"), "many/2/\n") {
				t.Fatal("the index is not sparse")
			}
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t, 3, tc.init...)
			for _, step := range tc.then {
				step(t, dir)
			}
			sameIndex(t, dir)
		})
	}
}

// sameIndex fails unless Index has in dir what git ls-files lists, but for directories.
func sameIndex(t *testing.T, dir string) {
	t.Helper()
	x, err := open(t, dir).Index()
	must(t, err)
	var got, want []string
	for _, e := range x.Entries {
		flags := uint32(e.Stage) << 12
		for i, set := range []bool{e.AssumeValid, e.SkipWorktree, e.IntentToAdd} {
			if set {
				flags |= []uint32{0x8000, 0x40000000, 0x20000000}[i]
			}
		}
		got = append(got, fmt.Sprintf("%06o %s %d %q ctime %d:%d mtime %d:%d dev %d ino %d size %d flags %x", e.Mode, e.ID, e.Stage, e.Path,
			e.CTime>>32, uint32(e.CTime), e.MTime>>32, uint32(e.MTime), e.Dev, e.Ino, e.Size, flags))
		if f := x.Find(e.Path); e.Stage == 0 && (f == nil || *f != e) {
			t.Errorf("Find(%q) = %v", e.Path, f)
		}
	}
	// With -z the lines of --debug follow the zero behind the path.
	out := git(t, dir, "ls-files", "--sparse", "--stage", "--debug", "-z")
	for out != "" {
		var mode, id, stage string
		var n [8]uint32
		head, rest, _ := strings.Cut(out, "\x00")
		head, path, _ := strings.Cut(head, "\t")
		_, err := fmt.Sscan(head, &mode, &id, &stage)
		must(t, err)
		lines := strings.SplitAfterN(rest, "\n", 6)
		text := strings.Join(lines[:5], "")
		out = lines[5]
		var uid, gid uint32
		_, err = fmt.Sscanf(text, "  ctime: %d:%d\n  mtime: %d:%d\n  dev: %d\tino: %d\n  uid: %d\tgid: %d\n  size: %d\tflags: %x\n",
			&n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &uid, &gid, &n[6], &n[7])
		if err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		if strings.HasSuffix(path, "/") {
			continue
		}
		want = append(want, fmt.Sprintf("%s %s %s %q ctime %d:%d mtime %d:%d dev %d ino %d size %d flags %x", mode, id, stage, path,
			n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]&0x6000b000))
	}
	if len(want) == 0 || len(got) != len(want) {
		t.Fatalf("%d entries, git has %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("entry %d:\n%s\ngit has\n%s", i, got[i], want[i])
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files map[string]string
		want  error
	}{
		"nothing":           {nil, ErrNone},
		"empty .git":        {map[string]string{".git/x": ""}, ErrNone},
		"other file":        {map[string]string{".git": "x"}, ErrNone},
		"empty name":        {map[string]string{".git": "gitdir: \n"}, ErrNone},
		"leads nowhere":     {map[string]string{".git": "gitdir: nowhere\n"}, ErrNone},
		"leads to itself":   {map[string]string{".git": "gitdir: .git\n"}, ErrNone},
		"common nowhere":    {map[string]string{".git/commondir": "../x\n", ".git/objects/x": ""}, ErrNone},
		"later version":     {map[string]string{".git/config": "[core]\n\trepositoryformatversion = 2\n", ".git/objects/x": ""}, ErrUnsupported},
		"no version":        {map[string]string{".git/config": "[core]\n\trepositoryformatversion = x\n", ".git/objects/x": ""}, ErrDamaged},
		"unknown extension": {map[string]string{".git/config": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tnewThing\n", ".git/objects/x": ""}, ErrUnsupported},
		"unknown hash":      {map[string]string{".git/config": "[core]\n\trepositoryformatversion = 1\n[Extensions] objectFormat = \"md5\" ; x\n", ".git/objects/x": ""}, ErrUnsupported},
		"large config":      {map[string]string{".git/config": strings.Repeat(" ", 1<<20+1), ".git/objects/x": ""}, ErrTooLarge},
	} {
		dir := t.TempDir()
		for name, content := range tc.files {
			write(t, dir, name, content)
		}
		_, err := Open(dir)
		if !isKind(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

func TestRefstorageAndVersion0(t *testing.T) {
	t.Parallel()
	for config, size := range map[string]int{
		"": 20,
		"[core]\n\trepositoryformatversion = 0\n[extensions]\n\tobjectformat = sha256\n\tstrange = 1\n":                                 20,
		"[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n\tobjectFormat = SHA256 # x\n\tworktreeConfig\n": 32,
		"; [extensions]\n# [extensions]\n[core]\nrepositoryFormatVersion=1\n[extensions \"x\"]\nobjectformat = md5\n":                   20,
	} {
		dir := t.TempDir()
		write(t, dir, ".git/objects/x", "")
		write(t, dir, ".git/config", config)
		r, err := Open(dir)
		if err != nil || r.format.size != size {
			t.Errorf("%q: %v", config, err)
			continue
		}
		if x, err := r.Index(); err != nil || len(x.Entries) != 0 {
			t.Errorf("a repository without an index: %v, %v", x, err)
		}
	}
}

// TestNestedAlternates: loops end, and so does a chain that is deeper than git follows.
func TestNestedAlternates(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	var ids []ID
	for i := range maxStoreDepth + 3 {
		dir := filepath.Join(top, strconv.Itoa(i))
		must(t, os.Mkdir(dir, 0o755))
		git(t, dir, "init", "-q")
		ids = append(ids, parseID(t, strings.TrimSpace(gitWith(t, dir, strconv.Itoa(i), "hash-object", "-w", "--stdin"))))
		write(t, dir, ".git/objects/info/alternates", fmt.Sprintf(".\n../../../%d/.git/objects\n../../../0/.git/objects\n", i+1))
	}
	r := open(t, filepath.Join(top, "0"))
	for i, id := range ids {
		content, err := r.Blob(id, 10)
		if i <= maxStoreDepth && string(content) != strconv.Itoa(i) || i > maxStoreDepth && !isKind(err, ErrNotFound) {
			t.Errorf("store %d: %q, %v", i, content, err)
		}
	}
	if len(r.stores) != maxStoreDepth+1 {
		t.Errorf("%d stores", len(r.stores))
	}
}

// TestDamage: with any byte of the repository changed, what is read is right or refused.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := newRepo(t, 4)
	git(t, dir, "repack", "-q", "-adf")
	addCommits(t, dir, 5, 1)
	blobs := gitsBlobs(t, dir)
	rnd := rand.New(rand.NewPCG(6, 7))
	var files []string
	must(t, filepath.WalkDir(filepath.Join(dir, ".git", "objects"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			must(t, os.Chmod(path, 0o644))
			files = append(files, path)
		}
		return err
	}))
	refused := 0
	for range 60 {
		file := files[rnd.IntN(len(files))]
		was := read(t, file)
		is := bytes.Clone(was)
		for range 1 + rnd.IntN(8) {
			is[rnd.IntN(len(is))] ^= byte(1 + rnd.IntN(255))
		}
		if rnd.IntN(4) == 0 {
			is = is[:rnd.IntN(len(is))]
		}
		must(t, os.WriteFile(file, is, 0o644))
		r := open(t, dir)
		for id, want := range blobs {
			got, err := r.Blob(id, 1<<20)
			if err != nil {
				refused++
			} else if string(got) != want {
				t.Fatalf("%s: another content after a change of %s", id, file)
			}
		}
		r.Close()
		must(t, os.WriteFile(file, was, 0o644))
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}
