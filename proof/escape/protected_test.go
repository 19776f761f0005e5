//go:build linux || darwin

package escape

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// The names are repeated here, so that the test notices a rule that is missing.
var (
	directories = strings.Fields(`.git .hg .svn .jj .sl .bzr _darcs .pijul _svn CVSROOT .repo .emend .vscode .idea .cursor .claude .codex .gemini .opencode .zed .agents .husky .devcontainer .github/workflows`)
	documents   = strings.Fields(`.fslckout _FOSSIL_ _FOSSIL_-journal .fos CVS/Root CVS/Repository CVS/Checkin.prog .gclient .hgsub .mcp.json mcp.json opencode.json opencode.jsonc .claude.json .cursorrules .envrc .npmrc .yarnrc .yarnrc.yml .gitconfig .gitmodules
		.pre-commit-config.yaml .env .env.local server.pem a.key id_rsa .netrc`)
)

// spellings are the ways to write a name that a file system, or git, treats as the same. Those with ignored code points are
// from git's own table of what HFS+ ignores.
var spellings = map[string]func(string) string{
	"as it is":          func(s string) string { return s },
	"upper case":        strings.ToUpper,
	"one upper case":    func(s string) string { return s[:len(s)-1] + strings.ToUpper(s[len(s)-1:]) },
	"dot at the end":    func(s string) string { return s + "." },
	"space at the end":  func(s string) string { return s + " ." },
	"stream":            func(s string) string { return s + "::$DATA" },
	"full width":        fullWidth,
	"full-width letter": func(s string) string { return s[:len(s)-1] + fullWidth(s[len(s)-1:]) },
	"one dot leader":    func(s string) string { return strings.Replace(s, ".", "․", 1) },
	"kelvin, long s":    strings.NewReplacer("k", "\u212a", "s", "ſ").Replace,
	"200c":              ignored("\u200c"), "200d": ignored("\u200d"), "200e": ignored("\u200e"), "200f": ignored("\u200f"),
	"202a": ignored("\u202a"), "202b": ignored("\u202b"), "202c": ignored("\u202c"), "202d": ignored("\u202d"), "202e": ignored("\u202e"),
	"206a": ignored("\u206a"), "206b": ignored("\u206b"), "206c": ignored("\u206c"), "206d": ignored("\u206d"), "206e": ignored("\u206e"),
	"206f": ignored("\u206f"), "feff": ignored("\ufeff"),
	"all at once": func(s string) string { return "\u200d" + fullWidth(strings.ToUpper(s)) + "\ufeff. ." },
}

func ignored(r string) func(string) string {
	return func(s string) string { return s[:1] + r + s[1:] }
}

func fullWidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < unicode.MaxASCII && r != '/' {
			return r - '!' + '！'
		}
		return r
	}, s)
}

// respell changes the spelling of each name in a path.
func respell(path string, spell func(string) string) string {
	names := strings.Split(path, "/")
	for i := range names {
		names[i] = spell(names[i])
	}
	return strings.Join(names, "/")
}

// TestProtectedNames tries every protected name, in every spelling, with every change, at the root and below, existing and not.
func TestProtectedNames(t *testing.T) {
	for _, name := range slices.Concat(directories, documents) {
		t.Run(strings.ReplaceAll(name, "/", "∕"), func(t *testing.T) { refuseAll(t, name) })
	}
}

// refuseAll tries all changes in one workspace. All must be refused, so the workspace stays as it is.
func refuseAll(t *testing.T, name string) {
	t.Helper()
	a := attack{files: map[string]string{}, want: denied}
	var paths []string
	for _, how := range slices.Sorted(maps.Keys(spellings)) {
		file := respell(name, spellings[how])
		if slices.Contains(directories, name) {
			file += "/x"
		}
		paths = append(paths, file, "sub/"+file, "sub/../none/"+file)
		if !strings.HasPrefix(file, ".emend/") { // this would be a store of the wrong kind
			a.files["ws/"+file] = "old\n"
		}
	}
	top := a.ground(t)
	ws, err := a.open(top)
	check(t, err)
	defer ws.Close()
	before := look(t, top)
	for _, path := range paths {
		for verb, of := range verbs {
			tally.attacks.Add(1)
			if got := verdict(planAndCommit(ws, envelope(of(path)))); !a.wanted(got) {
				t.Errorf("%s: %+q: the answer is %q", verb, path, got)
			}
		}
	}
	if diff := differs(before, look(t, top), nil); len(diff) > 0 {
		tally.escapes.Add(1)
		t.Errorf("changed:\n%s", strings.Join(diff, "\n"))
	}
}

// planAndCommit plans, and commits the plan unless it is refused.
func planAndCommit(ws *emend.Workspace, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p, err := ws.Plan(ctx, text, api.PatchOptions{Dialect: "codex"})
	if err == nil {
		_, err = ws.Commit(ctx, p)
	}
	return err
}

// TestProtectedByOtherWays uses git~1 and other short names that NTFS generates.
func TestProtectedByOtherWays(t *testing.T) {
	var rows []attack
	refuse := func(name string, files map[string]string, paths ...string) {
		for _, path := range paths {
			for verb, of := range verbs {
				rows = append(rows, attack{name: name + ": " + path + ": " + verb, files: files, patch: envelope(of(path)), want: denied})
			}
		}
	}
	refuse("short name", nil, "git~1/config", "GIT~1/hooks/x", "sub/Git~1")
	refuse("link to .git", map[string]string{"ws/l": "-> .git", "ws/d/l": "-> ../.git/hooks"}, "l/config", "l/new", "d/l/pre-commit", "d/l/new/x")
	refuse("absolute link to .git", map[string]string{"ws/l": "-> TOP/ws/.git"}, "l/config", "l/hooks/new")
	refuse("link to what is to be .vscode", map[string]string{"ws/l": "-> .claude"}, "l/settings.json")
	refuse("link to a link to .git", map[string]string{"ws/l": "-> m", "ws/m": "-> d/../.git"}, "l/config")
	refuse("link called .claude", map[string]string{"ws/.claude": "-> d"}, ".claude/f", ".claude/new", "d/f", "d/new")
	refuse("link called .git in a directory", map[string]string{"ws/d/.git": "-> e"}, "d/.git/f", "d/e/f", "d/.git")
	refuse("absolute path", nil, "TOP/ws/.git/config", "TOP/ws/d/../.git/new")
	refuse("through ups", nil, "d/../.git/config", "d/e/../../.git/config", "none/../.git/config", ".git/../.git/config")
	refuse("bare directory that .git names", map[string]string{"ws/sub/.git": "gitdir: bare\n", "ws/sub/bare/config": "old\n"},
		"sub/bare/config", "sub/bare/hooks/new", "sub/.git")
	refuse("submodule's own", map[string]string{"ws/sub/.git/config": "old\n", "ws/.git/modules/sub/config": "old\n"}, "sub/.git/config",
		".git/modules/sub/config")
	refuse("what agents run later", nil, ".git/hooks/post-checkout", ".husky/pre-push", ".github/workflows/new.yml", ".devcontainer/devcontainer.json",
		".claude/settings.local.json", ".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json", ".vscode/tasks.json", ".idea/workspace.xml",
		".zed/tasks.json", ".zed/settings.json", ".opencode/plugin/new.js", "opencode.jsonc", ".mcp.json.emend-backup")
	rows = append(rows,
		attack{name: ".git by the base", base: ".git", patch: envelope(update("config")), want: denied},
		attack{name: ".git by a link as the base", base: "l", files: map[string]string{"ws/l": "-> .git"}, patch: envelope(update("config")), want: denied},
		attack{name: ".git moved away", dialect: "emend", patch: envelope("*** Move File: .git -> git\n"), want: denied},
		attack{name: ".git deleted", patch: envelope(remove(".git")), want: denied},
		attack{name: ".git moved away and a pointer written", dialect: "codex",
			patch: envelope(move(".git/config", "git/config"), "*** Add File: .git\n+gitdir: git\n"), want: denied},
		attack{name: "pointer written where there is no .git", patch: envelope("*** Add File: sub/.git\n+gitdir: ../d\n"), want: denied},
		attack{name: "pointer moved into place", files: map[string]string{"ws/pointer": "gitdir: d\n"}, dialect: "emend",
			patch: envelope("*** Move File: pointer -> .git\n"), want: denied},
		attack{name: "pointer moved into place below", files: map[string]string{"ws/pointer": "gitdir: d\n"}, dialect: "emend",
			patch: envelope("*** Move File: pointer -> d/.git\n"), want: denied},
		attack{name: "hook moved into place", files: map[string]string{"ws/hook": "#!/bin/sh\n"}, dialect: "emend",
			patch: envelope("*** Move File: hook -> .git/hooks/post-checkout\n"), want: denied},
		attack{name: "hook moved into place by a link", files: map[string]string{"ws/hook": "#!/bin/sh\n", "ws/l": "-> .git/hooks"},
			dialect: "emend", patch: envelope("*** Move File: hook -> l/post-checkout\n"), want: denied},
		attack{name: "secret moved to a readable name", files: map[string]string{"ws/.env": "SECRET=1\n"}, dialect: "emend",
			patch: envelope("*** Move File: .env -> env\n"), want: denied},
		attack{name: "secret read by a hunk that fails", files: map[string]string{"ws/.env": "SECRET=1\n"},
			patch: envelope("*** Update File: .env\n@@\n-SECRET=\n+x\n"), want: denied},
		attack{name: "secret read through a link", files: map[string]string{"ws/keys.pem/f": "SECRET\n", "ws/l": "-> keys.pem"},
			patch: envelope("*** Update File: l/f\n@@\n-x\n+y\n"), want: denied},
		attack{name: "one of many is protected", patch: envelope(update("f"), add("new"), add(".git/new"), update("d/f")), want: denied},
		attack{name: "only what was opened is open", options: []emend.Option{emend.AllowProtected(".vscode/*.json")},
			patch: envelope(update(".vscode/settings.json"), add(".vscode/tasks.sh")), want: denied},
		attack{name: "what was opened, in another spelling", options: []emend.Option{emend.AllowProtected(".vscode")},
			patch: envelope(add(".VSCODE/x")), want: denied},
		attack{name: "what was opened is open", options: []emend.Option{emend.AllowProtected(".vscode")},
			patch: envelope(update(".vscode/settings.json")), leaves: map[string]string{"ws/.vscode/settings.json": "evil\n"}},
	)
	all(t, rows)
}

// unreadable are texts that a person cannot read, or that control the person's terminal.
var unreadable = map[string]string{
	"escape": "a\x1b[2Jb", "title": "a\x1b]0;x\x07b", "clipboard": "a\x1b]52;c;ZXZpbA==\x07b", "link": "a\x1b]8;;x:y\x1b\\b", "bell": "a\ab",
	"backspace": "evil\b\b\b\bgood", "return": "a\rb", "tab": "a\tb", "delete": "a\x7fb", "C1 escape": "a\u009b2Jb", "next line": "a\u0085b",
	"line separator": "a\u2028b", "paragraph separator": "a\u2029b", "right to left": "a\u202egpj.exe", "isolate": "a\u2066b", "zero width": "a\u200bb",
	"joiner": "a\u200db", "word joiner": "a\u2060b", "byte order mark": "\ufeffa", "soft hyphen": "a\u00adb", "tag": "a\U000e0041b", "filler": "a\u3164b",
}

// TestUnreadableNames checks that such names are not created, and that an existing file with such a name can be changed.
func TestUnreadableNames(t *testing.T) {
	var rows []attack
	for name, s := range unreadable {

		for place, path := range map[string]string{"name": s, "missing directory": s + "/f", "move": ""} {
			patch := add(path)
			if place == "move" {
				patch = move("f", s)
			}
			rows = append(rows, attack{name: fmt.Sprintf("%s as a %s", name, place), patch: envelope(patch), want: bad + "|" + parse})
		}
		rows = append(rows, attack{name: name + " that is there", files: map[string]string{"ws/" + s: "old\n"}, patch: envelope(update(s)),
			leaves: map[string]string{"ws/" + s: "evil\n"}})
	}
	rows = append(rows,
		attack{name: "new line in a name", patch: envelope("*** Add File: a\nb\n+x\n"), want: parse},
		attack{name: "new line and a header in a name", patch: envelope("*** Add File: a\n*** Add File: ../out/new\n+x\n"), want: outsideIt + "|" + parse},
		attack{name: "quoted escape in a name", patch: envelope(`*** Add File: "..\057out\057new"` + "\n+x\n"), want: ""},
	)
	rows[len(rows)-1].leaves = map[string]string{filepath.Join("ws", `"..\057out\057new"`): "x\n"}
	all(t, rows)
}
