//go:build linux

package writers

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// writer is one way to write files.
type writer struct {
	name   string
	needs  string // the programs that it needs beside bash
	before string // makes what it needs, in the tree
	script string
	code   int    // its exit code
	git    bool   // it works in a git work tree only
	root   bool   // it needs root
	wait   string // waits for what the writer left behind
	// nothing: the writer changes nothing that a look sees.
	nothing bool
	// refused: nothing of it can be undone, and undo says so.
	refused bool
	emend   bool     // it calls emend, whose changes emend made
	undo    []string // further arguments of emend undo
	says    []string // what emend run has to say
	unnamed []string // patterns of names that cannot be in the log
	ends    bool     // it removes the store
	// stays has what an undo does not give back, by a pattern of its path, and the words that name it; "" if another name's do.
	stays map[string]string
	// overlay says what is otherwise over a layer. nil: nothing is.
	overlay *overMode
}

// overMode is how a writer fares over a layer, where that differs.
type overMode struct {
	kept    string // nothing lands, and the output has these words
	plain   bool   // only in a tree without git
	code    int    // its exit code, if it is another
	nothing bool
	refused bool
	says    []string
	stays   map[string]string
	unnamed []string
}

// in returns the writer in a mode.
func (w *writer) in(m mode, git bool) *writer {
	out := *w
	if w.overlay != nil && w.overlay.plain && git {
		out.overlay = nil
	}
	if m.name != "overlay" || out.overlay == nil {
		return &out
	}
	o := w.overlay
	out.nothing, out.refused, out.says, out.stays, out.unnamed, out.ends = o.nothing, o.refused, o.says, o.stays, o.unnamed, false
	if o.code != 0 {
		out.code = o.code
	}
	if o.kept != "" {
		out.code = 125
	}
	return &out
}

// kept is a writer of which nothing lands.
func kept(why string) *overMode { return &overMode{kept: why} }

// python is a script for python3.
func python(lines ...string) string {
	return "python3 - <<'PY'\nimport os, sys, shutil, tempfile, pathlib, mmap, stat, time\n" + strings.Join(lines, "\n") + "\nPY\n"
}

const special = "special file"
const hardLink = "hard link"
const ownGit = "git's own"
const ignored = "ignore rules"
const turned = "cannot turn that back"

var writers = []writer{
	{name: "python open", needs: "python3", script: python(
		`open("a.txt", "w").write("python\n")`, `open("b.txt", "a").write("more\n")`, `open("new.txt", "x").write("new\n")`,
		`f = open("dir/c.txt", "r+"); f.seek(0); f.write("C"); f.close()`, `open("private", "w").write("still secret\n")`, `open("uml-ü.txt", "w").write("ü\n")`)},
	{name: "python pathlib", needs: "python3", script: python(
		`p = pathlib.Path("dir")`, `(p / "sub" / "d.txt").write_text("path\n")`, `(p / "n" / "m").mkdir(parents=True)`, `(p / "n" / "m" / "o").write_bytes(b"\0\1")`,
		`pathlib.Path("a.txt").unlink()`, `pathlib.Path("b.txt").rename("dir/b.txt")`, `pathlib.Path("link").unlink()`, `pathlib.Path("link").symlink_to("crlf.txt")`)},
	{name: "python os.replace", needs: "python3", script: python(
		`open("a.tmp", "w").write("replaced\n")`, `os.replace("a.tmp", "a.txt")`, `os.replace("b.txt", "dir/c.txt")`, `os.replace("dir/sub", "moved")`)},
	{name: "python shutil", needs: "python3", script: python(
		`shutil.copy("a.txt", "copy.txt")`, `shutil.copy2("a.txt", "b.txt")`, `shutil.copytree("dir", "tree", symlinks=True)`, `shutil.move("dir/c.txt", "private")`,
		`shutil.rmtree("dir/sub")`)},
	{name: "python tempfile", needs: "python3", script: python(
		`fd, tmp = tempfile.mkstemp(dir=".")`, `os.write(fd, b"atomic\n"); os.fsync(fd); os.close(fd)`, `os.replace(tmp, "a.txt")`,
		`t = tempfile.NamedTemporaryFile(dir=".", delete=False); t.write(b"kept\n"); t.close(); os.rename(t.name, "named.txt")`)},
	{name: "python mmap", needs: "python3", script: python(
		`f = open("bin.dat", "r+b")`, `m = mmap.mmap(f.fileno(), 0)`, `m[100:104] = b"mmap"`, `m.close(); f.close()`)},
	{name: "python O_TMPFILE and linkat", needs: "python3", script: python(
		`fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o640)`, `os.write(fd, b"from nowhere\n")`,
		`os.link("/proc/self/fd/%d" % fd, "linked.txt", src_dir_fd=os.open(".", os.O_RDONLY), follow_symlinks=True)`)},
	{name: "python copy_file_range", needs: "python3", script: python(
		`a = os.open("bin.dat", os.O_RDONLY); b = os.open("a.txt", os.O_RDWR)`, `os.copy_file_range(a, b, 1000, 0, 2)`,
		`c = os.open("ranged", os.O_WRONLY | os.O_CREAT, 0o644)`, `os.copy_file_range(a, c, 3000, 0)`)},
	{name: "python sendfile and pwrite", needs: "python3", script: python(
		`a = os.open("b.txt", os.O_RDONLY); b = os.open("sent", os.O_WRONLY | os.O_CREAT, 0o600)`, `os.sendfile(b, a, 0, 5)`,
		`c = os.open("bin.dat", os.O_WRONLY)`, `os.pwrite(c, b"xyz", 1500)`)},
	{name: "python same size, and the time put back", needs: "python3", script: python(
		`s = os.stat("a.txt")`, `open("a.txt", "r+").write("ALPHA")`, `os.utime("a.txt", ns=(s.st_atime_ns, s.st_mtime_ns))`)},
	{name: "sed -i", needs: "sed", script: `sed -i s/alpha/ALPHA/ a.txt; sed -i.bak 's/two/zwei/' b.txt; sed -i '$d' 'with space.txt'; sed -i s/secret/public/ private; sed -i --follow-symlinks s/gamma/G/ link`},
	{name: "sed -i over a link", needs: "sed", script: `sed -i s/beta/B/ link`},
	{name: "sed -i that changes nothing", needs: "sed", script: `sed -i s/nothing/x/ a.txt b.txt`, nothing: true},
	{name: "perl -i", needs: "perl", script: `perl -pi -e 's/beta/BETA/' a.txt dir/c.txt; perl -i.orig -ne 'print unless /two/' b.txt`},
	{name: "awk", needs: "awk", script: `awk '{print NR": "$0}' a.txt > a.tmp && mv a.tmp a.txt; awk '{print > ("part" NR)}' b.txt`},
	{name: "ed", needs: "ed", script: "printf '2d\\nw\\nq\\n' | ed -s a.txt; printf 'a\\nnew\\n.\\nw eds.txt\\nq\\n' | ed -s"},
	{name: "ex", needs: "ex", script: `ex -s -u NONE -i NONE -c '1d' -c 'wq' a.txt </dev/null`},
	{name: "heredoc", script: "cat > a.txt <<'X'\nheredoc\nX\ncat >> b.txt <<X\nappended\nX\ncat > dir/new.txt <<X\n$(date +%Y >/dev/null)new\nX\n"},
	{name: "redirections", script: `: > a.txt; echo x > empty; printf '\0\0' >> bin.dat; if [ -w ro.txt ]; then echo y >| ro.txt; fi; exec 3<>b.txt; echo ONE >&3`},
	{name: "tee", needs: "tee", script: `echo tee | tee a.txt dir/tee.txt >/dev/null; echo more | tee -a b.txt > /dev/null`},
	{name: "dd", needs: "dd", script: `dd if=/dev/zero of=bin.dat bs=10 seek=5 count=1 conv=notrunc status=none; dd if=a.txt of=dd.out status=none; dd if=/dev/null of=b.txt bs=1 seek=3 status=none`},
	{name: "cp", needs: "cp", script: `cp a.txt b.txt; cp private copy; cp -p run.sh run2.sh; cp --reflink=auto bin.dat reflinked; cp -f a.txt ro.txt`},
	{name: "cp -a", needs: "cp", script: `cp -a dir dircopy; cp -a link linkcopy; cp -a private dir/`},
	{name: "cp over a link", needs: "cp", script: `cp b.txt link`},
	{name: "mv", needs: "mv", script: `mv a.txt renamed.txt; mv b.txt dir/; mv dir/sub dir/other`},
	{name: "mv over", needs: "mv", script: `mv a.txt b.txt; mv -f run.sh private; mv link dangling`},
	{name: "mv of a directory", needs: "mv", script: `mv dir directory`},
	{name: "mv in a ring", needs: "mv", script: `mv a.txt t; mv b.txt a.txt; mv t b.txt`},
	{name: "mv of a file onto the place of a directory", needs: "mv rm", script: `rm -r dir; mv a.txt dir`, refused: true, stays: map[string]string{"a.txt": "", "dir": turned, "dir/*": turned, "dir/sub/*": turned}, overlay: kept("a file takes the place of a directory")},
	{name: "a directory in the place of a file", needs: "rm mkdir", script: `rm a.txt; mkdir a.txt; echo in > a.txt/in`, refused: true, stays: map[string]string{"a.txt": turned, "a.txt/in": ""}, overlay: kept("a directory takes the place of a file")},
	{name: "a link in the place of a file", needs: "ln", script: `ln -sf b.txt a.txt; rm link; echo file > link`},
	{name: "rm -rf", needs: "rm", script: `rm -rf dir a.txt link private`},
	{name: "rm of everything", needs: "rm", script: `rm -rf ./[!b]* ./b.txt ./bin.dat`, stays: map[string]string{"hard?": hardLink}, overlay: &overMode{}},
	{name: "rmdir", needs: "rmdir", script: `rmdir emptydir`},
	{name: "mkdir", needs: "mkdir", script: `mkdir -p x/y/z; mkdir -m 700 closed`},
	{name: "mv of an empty directory", needs: "mv", script: `mv emptydir moved`},
	{name: "ln", needs: "ln", script: `ln a.txt also.txt; ln -f b.txt private`},
	{name: "ln -s", needs: "ln", script: `ln -s a.txt new; ln -sfn dir/sub dirlink; ln -s /etc/hostname out; ln -s ../outside up; ln -sf b.txt link`},
	{name: "a write through a hard link", script: `echo more >> hard1`, stays: map[string]string{"hard?": hardLink}, overlay: &overMode{says: []string{"one of 2 hard links"}, stays: map[string]string{"hard2": ""}}},
	{name: "one name of a hard link removed", needs: "rm", script: `rm hard2`, stays: map[string]string{"hard2": hardLink, "hard1": ""}, overlay: &overMode{stays: map[string]string{"hard1": ""}}},
	{name: "chmod", needs: "chmod", script: `chmod +x a.txt; chmod 600 b.txt; chmod 644 private; chmod u+w ro.txt; chmod -x run.sh`},
	{name: "chmod of a directory", needs: "chmod", script: `chmod 700 dir; chmod 1777 emptydir`, refused: true, stays: map[string]string{"dir": "permissions of a directory", "emptydir": "permissions of a directory"}, overlay: &overMode{nothing: true, says: []string{"dir: the permissions of a directory that was there do not land"}}},
	{name: "chmod and write", needs: "chmod", script: `chmod 755 a.txt; echo x >> a.txt; chmod u+s run.sh`},
	{name: "chmod of a set-user-ID bit", needs: "chmod", before: `chmod u+s run.sh`, script: `chmod u-s run.sh`, stays: map[string]string{"run.sh": "set-user-ID"}, overlay: &overMode{}},
	{name: "a private directory removed", needs: "rm", before: `mkdir -m 700 closed; echo x > closed/x; echo y > closed/y; chmod 600 closed/y`, script: `rm -r closed`},
	{name: "touch", needs: "touch", script: `touch a.txt; touch -d 2001-01-01 b.txt`, nothing: true},
	{name: "touch of a new file", needs: "touch", script: `touch new "new 2" dir/new`},
	{name: "truncate", needs: "truncate", script: `truncate -s 3 a.txt; truncate -s 0 b.txt; truncate -s 100000 bin.dat; truncate -s +1 empty`},
	{name: "mkfifo", needs: "mkfifo", script: `mkfifo pipe; echo beside > beside`, stays: map[string]string{"pipe": special}, overlay: kept("FIFO, a socket or a device")},
	{name: "a pipe in the place of a file", needs: "mkfifo rm", script: `rm a.txt; mkfifo a.txt`, refused: true, stays: map[string]string{"a.txt": special}, overlay: kept("FIFO, a socket or a device")},
	{name: "rm of a pipe", needs: "mkfifo rm", before: `mkfifo pipe`, script: `rm pipe; echo x > a.txt`, stays: map[string]string{"pipe": special}, overlay: kept("FIFO, a socket or a device")},
	{name: "install", needs: "install", script: `install -m 755 a.txt bin; install -D -m 600 b.txt x/y/b; install -m 640 a.txt private`},
	{name: "tar", needs: "tar", before: `mkdir t; echo T > t/one; echo a > t/a.txt; ln -s one t/l; tar cf ../t.tar -C t .; rm -r t`, script: `tar xf ../t.tar; tar czf packed.tgz dir b.txt`},
	{name: "zip and unzip", needs: "zip unzip", before: `mkdir z; echo Z > z/one; echo a > z/a.txt; (cd z; zip -q ../../z.zip one a.txt); rm -r z`, script: `unzip -qo ../z.zip; zip -q packed.zip dir/c.txt`},
	{name: "gzip and xz", needs: "gzip xz", script: `gzip a.txt; xz b.txt; gzip -k crlf.txt`},
	{name: "cpio", needs: "cpio find", script: `find dir -depth | cpio -pdm --quiet out 2>/dev/null`},
	{name: "rsync", needs: "rsync", script: `rsync -a dir/ synced/; rsync -a --delete dir/sub/ emptydir/`},
	{name: "patch", needs: "patch", script: "patch -p1 -s <<'X'\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+patched\n gamma\n--- /dev/null\n+++ b/made.txt\n@@ -0,0 +1 @@\n+made\n--- a/dir/c.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\nX\n"},
	{name: "patch with a reject", needs: "patch", code: 1, script: "patch -p1 -s <<'X'\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n nothing\n-like\n+that\n here\nX\n"},
	{name: "split", needs: "split csplit", script: `split -l 1 a.txt part-; csplit -s a.txt 2`},
	{name: "find -delete and xargs", needs: "find xargs sed", script: `find dir -name '*.txt' -print0 | xargs -0 sed -i 's/^/x/'; find . -maxdepth 1 -type f -name 'b*' -delete`},
	{name: "sort -o", needs: "sort", script: `sort -r -o a.txt a.txt; sort -o sorted b.txt`},
	{name: "node", needs: "node", script: `node -e 'const fs = require("fs"); fs.writeFileSync("a.txt", "node\n"); fs.appendFileSync("b.txt", "x"); fs.cpSync("dir", "nodedir", {recursive: true}); fs.renameSync("crlf.txt", "dir/crlf.txt"); fs.rmSync("private")'`},
	{name: "jq", needs: "jq", before: `echo '{"a":1}' > j.json`, script: `jq '.a=2' j.json > j.tmp && mv j.tmp j.json`},
	{name: "sqlite3", needs: "sqlite3", before: `sqlite3 db.sqlite 'create table t(x); insert into t values (1)'`, script: `sqlite3 db.sqlite 'insert into t values (2); vacuum'`},
	{name: "npm install", needs: "npm node", before: `mkdir -p ../pkg; echo '{"name":"local","version":"1.0.0"}' > ../pkg/package.json; echo 'module.exports=1' > ../pkg/index.js; (cd .. && npm pack --silent ./pkg >/dev/null); echo '{"name":"m","version":"1.0.0"}' > package.json`,
		script: `npm install --silent --offline ../local-1.0.0.tgz`, stays: map[string]string{"node_modules": ignored}, overlay: &overMode{}},
	{name: "go mod tidy", needs: "go", before: `mkdir -p lib; printf 'module example.com/lib\n\ngo 1.21\n' > lib/go.mod; printf 'package lib\n\nvar X = 1\n' > lib/lib.go; printf 'package main\n\nimport "example.com/lib"\n\nfunc main() { println(lib.X) }\n' > main.go; printf 'replace example.com/lib => ./lib\n' >> go.mod`,
		script: `go mod tidy`},
	{name: "gofmt -w", needs: "gofmt", script: `gofmt -w main.go`},
	{name: "go build", needs: "go", script: `go build -o prog .; go vet .`},
	{name: "gcc", needs: "gcc", before: `printf 'int main(void) { return 0; }\n' > m.c`, script: `gcc -c m.c -o m.o; gcc m.o -o m`},
	{name: "rustc", needs: "rustc", before: `printf 'fn main() {}\n' > m.rs`, script: `rustc -o m m.rs`},
	{name: "make", needs: "make", before: "printf 'all: out/x out/y\\nout/%%: a.txt\\n\\t@mkdir -p out\\n\\t@cp a.txt $@\\nclean:\\n\\t@rm -rf out\\n' > Makefile", script: `make -s -j4`},
	{name: "make clean", needs: "make", before: "printf 'clean:\\n\\t@rm -rf out dir/*\\n' > Makefile; mkdir out; echo o > out/o", script: `make -s clean`},
	{name: "git checkout of files", needs: "git", git: true, script: `git checkout -q -- b.txt; git checkout -q HEAD -- a.txt`},
	{name: "git checkout of a branch", needs: "git", git: true, before: `git stash -q -u; git checkout -q -b other; echo other > a.txt; git rm -q dir/c.txt; echo o > other.txt; git add -A; git commit -q -m other; git checkout -q main`, script: `git checkout -q other`},
	{name: "git switch and reset --hard", needs: "git", git: true, script: `git reset -q --hard; git switch -q -c next; echo n > next.txt; git add next.txt; git commit -q -m n; git reset -q --hard HEAD~1; echo done > done`},
	{name: "git stash", needs: "git", git: true, script: `git stash -q`},
	{name: "git stash -u", needs: "git", git: true, script: `git stash -q -u`},
	{name: "git stash pop", needs: "git", git: true, before: `git stash -q`, script: `git stash pop -q`},
	{name: "git merge", needs: "git", git: true, before: `git stash -q -u; git checkout -q -b side; echo side > side.txt; sed -i s/alpha/side/ a.txt; git add -A; git commit -q -m side; git checkout -q main; echo m > m.txt; git add m.txt; git commit -q -m m`, script: `git merge -q side -m merge`},
	{name: "git merge with a conflict", needs: "git", git: true, code: 1, before: `git stash -q -u; git checkout -q -b side; sed -i s/alpha/side/ a.txt; git commit -q -am side; git checkout -q main; sed -i s/alpha/main/ a.txt; git commit -q -am m`, script: `git merge -q side -m merge`},
	{name: "git rebase", needs: "git", git: true, before: `git stash -q -u; git checkout -q -b side; echo side > side.txt; git add -A; git commit -q -m side; git checkout -q main; echo m > m.txt; git add m.txt; git commit -q -m m; git checkout -q side`, script: `git rebase -q main`},
	{name: "git commit", needs: "git", git: true, script: `echo committed >> a.txt; git commit -q -am 'all of it'; git tag v1`},
	{name: "git commit alone", needs: "git", git: true, script: `git commit -q -am 'what was there'`, nothing: true, overlay: &overMode{nothing: true, refused: true, says: []string{"of .git landed"}}},
	{name: "git clean", needs: "git", git: true, script: `git clean -q -f -d`},
	{name: "git mv and rm", needs: "git", git: true, script: `git mv a.txt dir/renamed.txt; git mv dir/sub dir/other; git rm -q -f b.txt; git rm -q --cached private`},
	{name: "git apply and am", needs: "git", git: true, before: `git stash -q -u; echo p >> a.txt; git commit -q -am p; git format-patch -q -1 --stdout > ../p.mbox; git reset -q --hard HEAD~1`, script: `git am -q ../p.mbox`},
	{name: "git gc after a checkout", needs: "git", git: true, script: `git checkout -q -- b.txt; git gc -q --prune=now`},
	{name: "git with a filter", needs: "git", git: true, before: `git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; echo '*.up filter=up' > .gitattributes; echo lower > f.up; git add -A; git commit -q -m f`, script: `echo other > f.up`},
	{name: "git with autocrlf", needs: "git", git: true, before: `git config core.autocrlf true; git add -A; git commit -q -m c; rm a.txt; git checkout -q a.txt`, script: `echo x > a.txt; rm crlf.txt`},
	{name: "git worktree and submodule", needs: "git", git: true, before: `git init -q ../sub; (cd ../sub; echo s > s; git add s; git commit -q -m s)`, script: `git -c protocol.file.allow=always submodule --quiet add ../sub sub 2>/dev/null || git -c protocol.file.allow=always submodule --quiet add "$(cd ../sub && pwd)" sub`, undo: []string{"--allow-protected", ".gitmodules"}, stays: map[string]string{"sub": ownGit, "sub/.git": ownGit}, overlay: kept("protected")},
	{name: "ignored files", git: true, script: `echo more >> x.log; echo y > y.log; echo o > build/new.o; rm build/out.o; echo seen > seen.txt`},
	{name: "a daemon that stays behind", script: `(exec >/dev/null 2>&1 </dev/null; sleep 0.3; echo late > late.txt; echo late >> a.txt; touch ../done) & echo early > early.txt`,
		wait: `while ! [ -e ../done ]; do sleep 0.05; done`},
	{name: "setsid", needs: "setsid", script: `setsid -f bash -c 'exec >/dev/null 2>&1 </dev/null; sleep 0.3; echo late > late.txt; touch ../done'; echo early > early.txt`,
		wait: `while ! [ -e ../done ]; do sleep 0.05; done`},
	{name: "many processes", script: `for i in 1 2 3 4 5 6 7 8; do (for k in 1 2 3 4 5; do echo $i >> shared; echo $k > own-$i-$k; done) & done; wait`},
	{name: "a command that fails in the middle", code: 3, script: `echo half > a.txt; exit 3`},
	{name: "a command that is killed", code: 137, script: `echo half > a.txt; kill -9 $$`},
	{name: "sparse files", needs: "truncate fallocate", script: `truncate -s 40M sparse; echo end >> sparse; fallocate -l 1M allocated; truncate -s 1M bin.dat`},
	{name: "a hole punched", needs: "fallocate", before: `head -c 100000 /dev/urandom > data`, script: `fallocate -p -o 4096 -l 8192 data`},
	{name: "links out of the tree", needs: "ln", before: `echo outside > ../outside.txt; mkdir ../far; echo f > ../far/f; ln -s ../outside.txt o; ln -s ../far far`, script: `echo x > o; echo y > far/f; ln -sf /etc/passwd o2`},
	{name: "links into the tree", needs: "ln", before: `ln -s "$PWD/dir" ../in`, script: `echo x > ../in/c.txt; echo n > ../in/new; rm ../in/sub/d.txt`},
	{name: "a hard link out of the tree", needs: "ln", before: `ln a.txt ../a.outside`, script: `echo x >> ../a.outside`, says: []string{hardLink}, overlay: &overMode{stays: map[string]string{"a.txt": ""}, unnamed: []string{"a.txt"}}},
	{name: "strange names", script: `echo n > "$(printf 'new\nline')"; echo t > "$(printf 'tab\there')"; echo q > 'quo"te'; echo b > 'back\slash'; echo d > -dash; echo h > '#hash'; echo s > ' lead'; echo e > "$(printf 'esc\033[31m')"; echo u > 'emoji-🙂'`},
	{name: "long names", script: `n=$(printf 'n%.0s' $(seq 255)); echo x > "$n"; d=deep; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do d=$d/deep; done; mkdir -p $d; echo x > $d/end`},
	{name: "names that are no text", needs: "python3", script: python(`open(b"latin-\xe4.txt", "w").write("x")`), says: []string{"not valid UTF-8"}, unnamed: []string{"latin-*"}, overlay: kept("not valid UTF-8")},
	{name: "a name in another case", needs: "mv", script: `mv a.txt A.TXT`},
	{name: "10,000 files", needs: "seq xargs", script: `mkdir many; cd many; seq 10000 | split -l 1 -a 4 - f`},
	{name: "10,000 files removed", needs: "split rm", before: `mkdir many; (cd many; seq 10000 | split -l 1 -a 4 - f)`, script: `rm -rf many`},
	{name: "10,000 files changed", needs: "split sed", before: `mkdir many; (cd many; seq 10000 | split -l 1 -a 4 - f)`, script: `sed -i s/1/x/ many/*`},
	{name: "a git repository made", needs: "git", script: `mkdir repo; cd repo; git init -q; echo x > x; git add x; git commit -q -m x`, stays: map[string]string{"repo": ownGit}, overlay: kept("git repository")},
	{name: "git's own directory removed", needs: "git rm", git: true, script: `rm -rf .git; echo x > a.txt`, code: 125, ends: true, overlay: kept("git runs programs that its configuration names")},
	{name: "git init", needs: "git", script: `git init -q . ; echo x > a.txt`, overlay: &overMode{plain: true, kept: "git repository"}},
	{name: "emend itself", emend: true, script: "\"$EMEND\" -q apply <<'X'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-beta\n+by emend\n*** End Patch\nX\necho beside > beside.txt\n", overlay: &overMode{code: 1, nothing: true, says: []string{"has no log of its own"}}},
	{name: "emend run in emend run", emend: true, script: `"$EMEND" -q run -- bash -c 'echo inner > inner.txt'; echo outer > outer.txt`},
	{name: "a big file made", needs: "head", script: `head -c "$BIG" /dev/zero > big; echo x > a.txt`},
	{name: "a big file removed", needs: "head", before: `head -c "$BIG" /dev/zero > big`, script: `rm big; echo x > a.txt`, stays: map[string]string{"big": "not kept"}, overlay: &overMode{}},
	{name: "a big file changed", needs: "head", before: `head -c "$BIG" /dev/zero > big`, script: `echo tail >> big; echo x > a.txt`, stays: map[string]string{"big": "not kept"}, overlay: &overMode{}},
	{name: "a big file moved", needs: "head", before: `head -c "$BIG" /dev/zero > big`, script: `mv big dir/big; echo x > a.txt`},
}

func TestWriters(t *testing.T) {
	if os.Getenv("BIG") == "" {
		size := os.Getenv("EMEND_WRITERS_BIG")
		if size == "" {
			size = "80M"
		}
		t.Setenv("BIG", size)
	}
	noLayer := whyNoLayer(t)
	for _, m := range modes {
		for _, git := range []bool{true, false} {
			tree := "plain"
			if git {
				tree = "git"
			}
			for _, w := range slices.Concat(writers, hard) {
				if w.git && !git {
					continue
				}
				t.Run(m.name+"/"+tree+"/"+w.name, func(t *testing.T) {
					t.Parallel()
					if m.name == "overlay" && noLayer != "" {
						t.Skip("NOT RUN: " + noLayer)
					}
					if w.root && os.Geteuid() != 0 {
						t.Skip("NOT RUN: only root may read and restore what it leaves")
					}
					for _, program := range append(strings.Fields(w.needs), "bash") {
						if _, err := exec.LookPath(program); err != nil {
							t.Skip("NOT RUN: " + program + " is not here")
						}
					}
					if git {
						if _, err := exec.LookPath("git"); err != nil {
							t.Skip("NOT RUN: git is not here")
						}
					}
					newPlace(t, git, m).run(&w, m)
				})
			}
		}
	}
}

// whyNoLayer says why no command can run over a layer here; "" if one can.
func whyNoLayer(t *testing.T) string {
	t.Helper()
	p := newPlace(t, false, modes[0])
	if out := p.emend("run", "--mode", "overlay", "--", "true"); out.code != 0 {
		return strings.TrimSpace(out.stderr)
	}
	return ""
}
