//go:build linux

package writers

// exchange swaps two names in one call, as some installers do.
const exchange = `import ctypes; libc = ctypes.CDLL(None, use_errno=True)
def exchange(a, b):
    if libc.renameat2(-100, a.encode(), -100, b.encode(), 2) != 0: raise OSError(ctypes.get_errno(), a)
`

// hard are writers that are hard to follow: what they leave looks like something else, or is hardly there.
var hard = []writer{
	{name: "directories in a ring", needs: "mv", before: `mkdir -p p/x q/y r; echo 1 > p/x/1; echo 2 > q/y/2; echo 3 > r/3`, script: `mv p t; mv q p; mv r q; mv t r`},
	{name: "a directory below its own child", needs: "mv", script: `mv dir/sub sub; mv dir sub/dir`},
	{name: "a directory removed and made again", needs: "rm mkdir", script: `rm -r dir; mkdir -p dir/sub; echo c > dir/c.txt; echo other > dir/sub/d.txt; echo new > dir/new`},
	{name: "a directory made again as it was", needs: "cp rm mv", script: `cp -a dir t; rm -r dir; mv t dir`, nothing: true},
	{name: "another directory in the place of one that moved", needs: "mv mkdir", script: `mv dir old; mkdir -p dir/sub; echo d > dir/sub/d.txt; echo c > dir/c.txt; rm old/c.txt`},
	{name: "a directory moved, changed and moved back", needs: "mv", script: `mv dir t; echo x >> t/c.txt; rm t/sub/d.txt; mv t dir`},
	{name: "a chain of moves through directories", needs: "mv mkdir", before: `mkdir d1 d2 d3 d4; for i in 1 2 3 4; do echo $i > d$i/f; done`, script: `mv d1/f d2/g; mv d2/f d3/g; mv d3/f d4/g; mv d4/f d1/g; mv d2 d3/; mv d3 d4/; mv d4 d1/`},
	{name: "files exchanged", needs: "python3", script: python(exchange, `exchange("a.txt", "dir/c.txt")`, `exchange("run.sh", "private")`)},
	{name: "directories exchanged", needs: "python3", script: python(exchange, `exchange("dir", "emptydir")`)},
	{name: "a file and a directory exchanged", needs: "python3", script: python(exchange, `exchange("a.txt", "emptydir")`), refused: true, stays: map[string]string{"a.txt": "", "emptydir": turned}, overlay: kept("a directory takes the place of a file")},
	{name: "hard links across directories", needs: "ln rm", script: `ln a.txt dir/a; ln dir/a dir/sub/a; echo x >> dir/a; rm a.txt`},
	{name: "a hard link moved and written", needs: "mv", script: `mv hard1 dir/hard; echo more >> hard2`, stays: map[string]string{"hard?": hardLink}, overlay: &overMode{}},
	{name: "a file whose time is put back", needs: "touch mv", script: `touch -r a.txt ref; printf 'ALPHA\nBETA1\nGAMM\n' > a.txt; touch -r ref a.txt; cp -p b.txt t; printf X | dd of=t conv=notrunc status=none; touch -r b.txt t; mv t b.txt; rm ref`},
	{name: "permissions taken away", root: true, needs: "chmod", script: `echo x > a.txt; chmod 000 a.txt; chmod 000 b.txt; mkdir -p shut/in; echo y > shut/in/y; chmod 000 shut/in; chmod 555 shut`},
	{name: "a socket", needs: "python3", script: python(`import socket; s = socket.socket(socket.AF_UNIX); s.bind("sock"); open("beside", "w").write("x")`), unnamed: []string{"sock"}, overlay: kept("FIFO, a socket or a device")},
	{name: "case twins", script: `echo 1 > A.txt; mkdir DIR; mv dir/c.txt DIR/C.txt; echo 2 > dir/C.TXT`},
	{name: "lines in names", script: `d=$(printf 'd\n\n'); mkdir "$d"; mv a.txt "$d/$(printf '\na')"; mv dir "$d/$(printf 'dir\t\n')"; echo x > "$d/ "`},
	{name: "a directory emptied", needs: "find", script: `find dir -mindepth 1 -depth -delete`},
	{name: "find -delete of everything but git", needs: "find", git: true, script: `find . -mindepth 1 ! -path './.git*' -delete`, stays: map[string]string{"hard?": hardLink, "build": ignored}, overlay: &overMode{}},
	{name: "everything copied, removed and put back", needs: "cp rm mv", git: true, script: "shopt -s extglob dotglob\nmkdir ../copy; cp -a !(.git) ../copy/; rm -rf !(.git); mv ../copy/* .", nothing: true, overlay: &overMode{nothing: true, refused: true}},
	{name: "a map written by a child", needs: "python3", script: python(`f = open("bin.dat", "r+b"); m = mmap.mmap(f.fileno(), 3000)`, `f.close()`, `pid = os.fork()`, `if pid == 0: m[0:5] = b"child"; os._exit(0)`, `os.waitpid(pid, 0)`)},
	{name: "ranges of a file", needs: "fallocate", before: `head -c 100000 /dev/urandom > data; head -c 100000 /dev/urandom > all; head -c 65536 /dev/urandom > coll`, script: `fallocate -z -o 100 -l 5000 data; fallocate -p -o 0 -l 100000 all; fallocate -c -o 4096 -l 8192 coll || true`},
	{name: "writers behind a removal", needs: "rm", script: `for i in 1 2 3 4; do (for k in $(seq 200); do echo $k >> dir/log$i; done 2>/dev/null || true) & done; rm -rf dir || true; wait; mkdir -p dir; echo end > dir/end`},
	{name: "a daemon that ends its terminal", needs: "python3", script: python(`open("early", "w").write("x")`, `if os.fork() == 0:`, ` os.setsid()`, ` if os.fork() == 0:`, `  os.closerange(0, 64)`, `  time.sleep(0.3); os.open("late", os.O_CREAT, 0o644); os.open("../done", os.O_CREAT, 0o644)`, ` os._exit(0)`),
		wait: `while ! [ -e ../done ]; do sleep 0.05; done`},
	{name: "a directory for a link", needs: "rm mkdir", script: `rm dirlink; mkdir dirlink; echo x > dirlink/c.txt`, refused: true, stays: map[string]string{"dirlink": turned, "dirlink/*": ""}, overlay: kept("a directory takes the place")},
	{name: "a link for a directory", needs: "mv ln", script: `mv dir real; ln -s real dir`, refused: true, stays: map[string]string{"dir": turned, "dir/*": "", "dir/sub/*": "", "real": "", "real/*": "", "real/sub/*": ""}, overlay: kept("takes the place of a directory")},
	{name: "written through a link to a directory, and the link removed", script: `echo x > dirlink/new; rm dirlink; echo y >> dir/c.txt`},
	{name: "made and removed", needs: "mkdir rmdir", script: `mkdir -p m/n/o; echo x > m/n/o/x; rm m/n/o/x; rmdir -p m/n/o; echo y > y; rm y`, nothing: true},
	{name: "the same content again", script: `for f in a.txt b.txt dir/c.txt; do cp $f ../t; cat ../t > $f; done; cp -p run.sh r; mv r run.sh`, nothing: true},
	{name: "a rule that hides", script: `printf '*\n' >> .gitignore; echo hidden > a.txt; echo new > new.txt; echo d > dir/new`},
	{name: "a rule that hides a directory", script: `printf 'dir/\n' >> .gitignore; echo hidden > dir/c.txt; echo new > dir/new; rm dir/sub/d.txt`},
	{name: "a rule removed", git: true, script: `rm .gitignore; echo more >> build/out.o`},
	{name: "into an ignored directory and out of it", git: true, script: `mv build/out.o out.o; mv b.txt build/`, stays: map[string]string{}},
	{name: "a time to come", needs: "touch", script: `echo x > a.txt; touch -d 2099-01-01 a.txt; echo y > b.txt; touch -d 1970-01-01 b.txt`},
	{name: "attributes", needs: "python3", script: python(`os.setxattr("a.txt", "user.note", b"x"); open("a.txt", "a").write("more\n")`, `open("new", "w").write("n"); os.setxattr("new", "user.note", b"n")`)},
	{name: "attributes of overlays", needs: "python3", script: python(`try: os.setxattr("dir", "user.overlay.opaque", b"y")`, `except OSError: pass`, `open("dir/new", "w").write("n")`)},
	{name: "a layer's own whiteout", needs: "mknod", script: `mknod dir/gone c 0 0 2>/dev/null || true; echo x > a.txt`, stays: map[string]string{"dir/gone": special}, overlay: &overMode{}},
	{name: "git stash, and pop", needs: "git", git: true, script: `git stash -q -u; git stash pop -q; echo x >> a.txt`},
	{name: "git rebase with a conflict", needs: "git", git: true, code: 1, before: `git stash -q -u; git checkout -q -b side; sed -i s/alpha/side/ a.txt; git commit -q -am side; git checkout -q main; sed -i s/alpha/main/ a.txt; git commit -q -am m; git checkout -q side`, script: `git rebase -q main`},
	{name: "git rebase ended", needs: "git", git: true, before: `git stash -q -u; git checkout -q -b side; sed -i s/alpha/side/ a.txt; git commit -q -am side; git checkout -q main; sed -i s/alpha/main/ a.txt; git commit -q -am m; git checkout -q side`, script: `git rebase -q main || { echo both > a.txt; git add a.txt; GIT_EDITOR=true git rebase --continue; }`},
	{name: "git worktree beside", needs: "git", git: true, script: `git worktree add -q ../beside; (cd ../beside; echo w > w; git add w; git commit -q -m w); echo x >> a.txt; git worktree remove ../beside`},
	{name: "git worktree below", needs: "git", git: true, script: `git worktree add -q below; echo x >> a.txt`, stays: map[string]string{"below": "", "below/.git": ownGit}, overlay: kept("what git takes for the repository")},
	{name: "git checkout of an orphan", needs: "git", git: true, script: `git stash -q; git checkout -q --orphan empty; git rm -rfq .; echo first > first; git add first; git commit -q -m first`, stays: map[string]string{"hard?": hardLink}, overlay: &overMode{}},
	{name: "git cherry-pick and revert", needs: "git", git: true, before: `git stash -q -u; git checkout -q -b side; echo s > s; git add s; git commit -q -m s; git checkout -q main`, script: `git cherry-pick side >/dev/null; echo t > t; git add t; git commit -q -m t; git revert --no-edit HEAD~1 >/dev/null`},
	{name: "emend hook in emend run", emend: true, script: `h() { printf '{"hook_event_name":"%s","session_id":"s","prompt_id":"p","tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"x"},"cwd":"%s"}' "$1" "$PWD" | "$EMEND" hook claude-code; }; h UserPromptSubmit; h PreToolUse; echo x >> a.txt; h PostToolUse; h Stop; echo y > y`},
	{name: "emend run in emend run in emend run", emend: true, script: `"$EMEND" -q run -- "$EMEND" -q run --mode witness -- bash -c 'echo x >> a.txt; rm b.txt'; "$EMEND" -q run -- rm private; echo y > c.txt`},
	{name: "three of emend run at once", emend: true, script: `for i in 1 2 3; do "$EMEND" -q run -- bash -c "echo $i > own$i; echo $i >> dir/own$i" & done; wait; echo z > z`},
}
