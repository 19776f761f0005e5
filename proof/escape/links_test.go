//go:build linux || darwin

package escape

import (
	"fmt"
	"testing"
)

// TestLinks uses links as the first, a middle and the last name of a path.
func TestLinks(t *testing.T) {
	var rows []attack
	through := func(name, target, want string) {
		for place, at := range map[string]string{"first": "l", "middle": "d/l"} {
			up := ""
			if place == "middle" && target[0] == '.' {
				up = "../"
			}
			files := map[string]string{"ws/" + at: "-> " + up + target}
			for verb, path := range map[string]string{"create": "new", "update": "f", "delete": "f", "move onto": "f", "move away": "f",
				"create below": "none/new"} {
				of, ok := verbs[verb]
				if !ok {
					of = add
				}
				rows = append(rows, attack{name: fmt.Sprintf("%s as %s name: %s", name, place, verb), files: files,
					patch: envelope(of(at + "/" + path)), want: want})
			}
		}
	}
	through("relative link out", "../out", outsideIt)
	through("absolute link out", "TOP/out", outsideIt)
	through("absolute link to a sibling with the same prefix", "TOP/ws_evil", outsideIt)
	through("relative link out and in again", "../ws/d", outsideIt)
	through("link to the parent", "..", outsideIt)
	through("absolute link to the parent", "TOP", outsideIt)
	through("link to the root of the disk", "/", outsideIt)
	through("dangling link out", "../none", outsideIt)
	through("dangling absolute link out", "TOP/none/none", outsideIt)
	through("link out by a link outside", "TOP/out/../out", outsideIt)
	through("link with a slash at the end", "../out/", outsideIt)
	through("link with dots at the end", "../out/.", outsideIt)
	through("/proc/self/root", "/proc/self/root", outsideIt)
	through("/proc/self/cwd", "/proc/self/cwd", outsideIt)
	through("/proc/self/fd", "/proc/self/fd", outsideIt)
	through("/proc/self/fd/0", "/proc/self/fd/0", outsideIt)
	through("/proc/1/root", "/proc/1/root/TOP/out", outsideIt)
	through("/proc/thread-self/root and back", "/proc/thread-self/root/TOP/out", outsideIt)
	through("/dev/fd", "/dev/fd/0", outsideIt)
	through("link to itself", "l", bad)

	// A link as the last name is never followed: writing there is refused, and deleting removes the link itself.
	last := func(name, target, leads string) {
		files := map[string]string{"ws/l": "-> " + target}
		rows = append(rows,
			attack{name: name + " as last name: update", files: files, patch: envelope(update("l")), want: special},
			attack{name: name + " as last name: move away", files: files, patch: envelope(move("l", "new")), want: special},
			attack{name: name + " as last name: delete", files: files, patch: envelope(remove("l")), leaves: map[string]string{"ws/l": ""}},
			attack{name: name + " as last name: create", files: files, patch: envelope(add("l")), want: special},
			attack{name: name + " as last name: move onto", files: files, patch: envelope(move("f", "l")), want: special},
			attack{name: name + " as last name, slash: update", files: files, patch: envelope(update("l/")), want: bad},
			attack{name: name + " as last name, slash: delete", files: files, patch: envelope(remove("l/")), want: bad},
			attack{name: name + " as last name, slash: create", files: files, patch: envelope(add("l/")), want: bad},
			attack{name: name + " as last name, dot: update", files: files, patch: envelope(update("l/.")), want: leads},
			attack{name: name + " as last name, dot: create", files: files, patch: envelope(add("l/.")), want: leads},
		)
	}
	last("relative link out", "../out/f", outsideIt)
	last("absolute link out", "TOP/out/f", outsideIt)
	last("link to a directory outside", "../out", outsideIt)
	last("dangling link out", "../out/none", outsideIt)
	last("link to a link outside", "../out/link", outsideIt)
	last("/proc/self/root file", "/proc/self/root/TOP/out/f", outsideIt)
	last("/proc/self/fd/0", "/proc/self/fd/0", outsideIt)
	last("/dev/stdin", "/dev/stdin", outsideIt)
	last("/dev/zero", "/dev/zero", outsideIt)
	last("/dev/tty", "/dev/tty", outsideIt)
	last("link to itself", "l", bad)
	last("link to a file inside", "f", missing)

	all(t, append(rows, oddLinks()...))
}

// oddLinks returns links with unusual targets.
func oddLinks() []attack {
	chain := map[string]string{}
	for i := range 50 {
		chain[fmt.Sprintf("ws/n%d", i)] = fmt.Sprintf("-> n%d", i+1)
	}
	chain["ws/n50"] = "-> ../out"
	long := map[string]string{}
	for i := range 30 {
		long[fmt.Sprintf("ws/n%d", i)] = fmt.Sprintf("-> n%d", i+1)
	}
	long["ws/n30"] = "-> ../out"
	fan := map[string]string{"ws/x0": "-> ../out"} // each name doubles the length of the path
	for i := range 39 {
		fan[fmt.Sprintf("ws/x%d", i+1)] = fmt.Sprintf("-> x%d/../x%d", i, i)
	}
	rows := []attack{
		{name: "chain of over 40 links out", files: chain, patch: envelope(update("n0/f")), want: bad},
		{name: "chain of 30 links out", files: long, patch: envelope(update("n0/f")), want: outsideIt},
		{name: "links that double", files: fan, patch: envelope(update("x39/f")), want: outsideIt + "|" + bad},
		{name: "ring of two links", files: map[string]string{"ws/a": "-> b/x", "ws/b": "-> a/x"}, patch: envelope(add("a/f")), want: bad},
		{name: "link, then up, as strings read it", files: map[string]string{"ws/l": "-> ../out/d"}, patch: envelope(update("l/../f")),
			want: outsideIt},
		{name: "link in, then up, then out", files: map[string]string{"ws/l": "-> d/e"}, patch: envelope(update("l/../../../out/f")),
			want: outsideIt},
		{name: "link to the workspace, then up", files: map[string]string{"ws/d/l": "-> .."}, patch: envelope(update("d/l/../out/f")),
			want: outsideIt},
		{name: "link out by way of a link in", files: map[string]string{"ws/in": "-> d", "ws/d/out": "-> ../../out"},
			patch: envelope(update("in/out/f")), want: outsideIt},
		{name: "absolute link by a link outside", files: map[string]string{"door": "-> out", "ws/l": "-> TOP/door"},
			patch: envelope(update("l/f")), want: outsideIt},
		{name: "absolute path by a link outside", files: map[string]string{"door": "-> out"}, patch: envelope(update("TOP/door/f")),
			want: outsideIt},
		{name: "absolute path by a link into and out", files: map[string]string{"door": "-> ws/l", "ws/l": "-> ../out"},
			patch: envelope(update("TOP/door/f")), want: outsideIt},
		{name: "base is a link out", base: "l", files: map[string]string{"ws/l": "-> ../out"}, patch: envelope(update("f")),
			want: outsideIt},
		{name: "link through a file", files: map[string]string{"ws/l": "-> f/../../out"}, patch: envelope(update("l/f")),
			want: missing},
		{name: "moved into a link out", files: map[string]string{"ws/l": "-> ../out"}, patch: envelope(move("f", "l/new")), want: outsideIt},
		{name: "parents made through a link out", files: map[string]string{"ws/l": "-> ../none"}, patch: envelope(add("l/a/b/c")), want: outsideIt},
		{name: "link in its own patch's way", files: map[string]string{"ws/l": "-> ../out"},
			patch: envelope(remove("l"), update("l/f")), want: outsideIt},
	}
	// Links that stay inside are followed, and the file is changed where it really is.
	for name, target := range map[string]string{"relative": "d", "absolute": "TOP/ws/d", "dots": "./d/e/..", "absolute by a link": "TOP/spelled/d"} {
		rows = append(rows, attack{name: name + " link inside leads on", files: map[string]string{"ws/l": "-> " + target, "spelled": "-> ws"},
			patch: envelope(update("l/f"), add("l/new")), leaves: map[string]string{"ws/d/f": "evil\n", "ws/d/new": "evil\n"}})
	}
	return rows
}

// TestHardLinks uses a hard link to a file outside, which shares its bytes: they must never be written.
func TestHardLinks(t *testing.T) {
	files := map[string]string{"ws/hard": "= out/f"}
	protected := map[string]string{"ws/hook": "= ws/.git/hooks/pre-commit", "ws/config": "= ws/.git/config", "ws/settings": "= ws/.vscode/settings.json",
		"ws/.npmrc": "old\n", "ws/rc": "= ws/.npmrc"}
	rows := []attack{
		{name: "outside file: update", files: files, patch: envelope(update("hard")), leaves: map[string]string{"ws/hard": "evil\n"}},
		{name: "outside file: replace", files: files, patch: envelope(add("hard")), leaves: map[string]string{"ws/hard": "evil\n"}},
		{name: "outside file: delete", files: files, patch: envelope(remove("hard")), leaves: map[string]string{"ws/hard": ""}},
		{name: "outside file: move away", files: files, patch: envelope(move("hard", "new")),
			leaves: map[string]string{"ws/hard": "", "ws/new": "evil\n"}},
		{name: "outside file: move onto", files: files, patch: envelope(move("f", "hard")),
			leaves: map[string]string{"ws/hard": "evil\n", "ws/f": ""}},
		{name: "outside file: move away unchanged, then update", files: files, dialect: "emend",
			patch: envelope("*** Move File: hard -> new\n"), leaves: map[string]string{"ws/hard": "", "ws/new": "old\n"}},
	}
	for _, name := range []string{"hook", "config", "settings", "rc"} {
		for verb, of := range verbs {
			rows = append(rows, attack{name: "protected file as " + name + ": " + verb, files: protected, patch: envelope(of(name)), want: denied})
		}
	}
	all(t, rows)
}
