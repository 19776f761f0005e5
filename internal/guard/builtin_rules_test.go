package guard

import (
	"strings"
	"testing"
	"unicode"

	"github.com/emend-dev/emend/fail"
)

// The names are written out again, so that a row lost from the table is noticed.
var (
	noWriting = strings.Fields(`.git .hg .svn .jj .sl .bzr _darcs .pijul _svn .fslckout .fslckout-journal _fossil_ _fossil_-wal .fos cvs/root cvs/repository
		cvs/update.prog cvsroot .repo .gclient .gclient_entries .hgsub .vscode .idea .cursor .claude .codex .gemini .opencode .zed .agents .husky
		.devcontainer .github/workflows .mcp.json .mcp.json.emend-backup mcp.json opencode.json opencode.jsonc opencode.json.emend-backup.2 .claude.json .cursorrules .yarnrc .yarnrc.yml .gitconfig
		.gitmodules .pre-commit-config.yaml git~1`)
	noReading = strings.Fields(`.npmrc .env .envrc .env.local .env.example.bak server.pem a.key id_rsa id_rsa.pub .netrc .emend .git/emend`)
	notRules  = strings.Fields(`.env.example env .github/x.yml github/workflows .gitignore .gitattributes .github
		.git.txt .slx darcs fossil .fossil .foss cvs cvs/john.md cvs/entries root repo .reports .hgignore git~10 x.git zed opencode opencode.go x.mcp.json a.pem.txt key id_ed25519.pub prod.env.example example.env docs/keys.md config.toml profile.go env.ts
		keystore.go .config .aws .docker agents.go lefthook.go mise.go tfstate.go workflows/.github README.md .`)
)

// disguises spell a name in ways that some system takes for the same.
var disguises = map[string]func(string) string{
	"exact":      func(s string) string { return s },
	"upper":      strings.ToUpper,
	"mixed":      func(s string) string { return s[:len(s)-1] + strings.ToUpper(s[len(s)-1:]) },
	"dots":       func(s string) string { return s + "..." },
	"spaces":     func(s string) string { return s + " . " },
	"wide space": func(s string) string { return s + "\u3000" },
	"ellipsis":   func(s string) string { return s + "…" },
	"stream":     func(s string) string { return s + "::$INDEX_ALLOCATION" },
	"joiner":     func(s string) string { return s[:1] + "\u200c" + s[1:] },
	"mark":       func(s string) string { return "\ufeff" + s },
	"direction":  func(s string) string { return s + "\u202e" },
	"selector":   func(s string) string { return s[:2] + "\ufe0f" + s[2:] },
	"filler":     func(s string) string { return s[:2] + "\u115f\u3164" + s[2:] },
	"full width": wide,
	"kelvin":     strings.NewReplacer("k", "\u212a", "s", "ſ", "i", "ı").Replace,
	"leader":     func(s string) string { return strings.Replace(s, ".", "․", 1) },
	"all": func(s string) string {
		return wide(strings.ToUpper(s[:1]+"\u2060"+s[1:])) + "．　"
	},
}

func wide(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '/' && r > ' ' && r < unicode.MaxASCII {
			return r - '!' + '！'
		}
		return r
	}, s)
}

func TestProtected(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"sub/x": "", ".git/config": "", ".github/workflows/ci.yml": "", "sub/.env": "", "id_rsa": ""})
	g, err := Open(dir, Options{})
	check(t, err)
	defer g.Close()
	for how, disguise := range disguises {
		for _, name := range append(noWriting, noReading...) {
			name := disguise(name)
			for _, path := range []string{name, name + "/below/x", "sub/" + name, "sub/none/" + name, "none/" + name + "/x", "./x/../" + name} {
				_, err := g.Resolve(path, Request{Write: true})
				if err == nil {
					t.Errorf("%s: %q may be written", how, path)
					continue
				}
				refused(t, err, denied)
			}
		}
		for _, name := range noReading {
			_, err := g.Resolve("sub/"+disguise(name), Request{})
			if err == nil {
				t.Errorf("%s: %q may be read", how, disguise(name))
				continue
			}
			refused(t, err, denied)
		}
	}
}

func TestNotProtected(t *testing.T) {
	g, err := Open(t.TempDir(), Options{})
	check(t, err)
	defer g.Close()
	for _, name := range notRules {
		if _, err := g.Resolve("sub/"+name, Request{Write: true}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range noWriting {
		if _, err := g.Resolve("sub/"+name, Request{}); err != nil {
			t.Errorf("reading %q: %v", name, err)
		}
	}
}

func TestRefusalSaysTheWayOut(t *testing.T) {
	g, err := Open(t.TempDir(), Options{})
	check(t, err)
	defer g.Close()
	_, err = g.Resolve("sub/.github/workflows/ci.yml", Request{Write: true})
	e := err.(*fail.Error)
	if !strings.Contains(e.Msg, `rule ".github/workflows"`) || !strings.Contains(e.Hint, `‹option allow-protected› "sub/.github/workflows"`) {
		t.Errorf("msg %q, hint %q", e.Msg, e.Hint)
	}
	if e.Path != "sub/.github/workflows/ci.yml" {
		t.Errorf("path %q", e.Path)
	}
}

func TestAllowProtected(t *testing.T) {
	tests := []struct{ pattern, path, want string }{
		{".vscode", ".vscode", ""},
		{".vscode", ".vscode/settings.json", ""},
		{"./.vscode/", ".vscode/settings.json", ""},
		{".vscode", "x/../.vscode/settings.json", ""},
		{".vscode", ".VSCODE/settings.json", denied}, // only the path that was allowed is
		{".vscode", "sub/.vscode/settings.json", denied},
		{".vscode", ".idea/x", denied},
		{".vscode/*.json", ".vscode/a.json", ""},
		{".vscode/*.json", ".vscode/a/b.json", denied},
		{"**/.vscode/**", "a/b/.vscode/c/d", ""},
		{"**/.vscode/**", ".vscode/c", ""},
		{".vscode/**", ".vscode", ""},
		{"**/.env.test", "a/.env.test", ""},
		{"**/.env.test", "a/.env", denied},
		{".env.[ab]", ".env.a", ""},
		{".env.[ab]", ".env.c", denied},
		{".env.?", ".env.x", ""},
		{"a/**/b/**/.env", "a/x/b/y/b/z/.env", ""},
		{"a/**/b/**/.env", "a/x/c/.env", denied},
		{"[x]/.env", "[x]/.env", ""}, // spelled as the path is
		{"**", ".git/config", ""},
	}
	for _, test := range tests {
		g, err := Open(t.TempDir(), Options{AllowProtected: []string{"none", test.pattern}})
		check(t, err)
		_, err = g.Resolve(test.path, Request{Write: true})
		if test.want != "" {
			refused(t, err, test.want)
		} else if err != nil {
			t.Errorf("%q with %q: %v", test.path, test.pattern, err)
		}
		g.Close()
	}
}

// TestRules: a rule that is not written in folded form would never match.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range builtinRules {
		if r.reason == "" || r.level != deny && r.level != ask || r.why == "" || r.source == "" || r.protects&writing == 0 || seen[r.pattern] {
			t.Errorf("%s: %+v", r.pattern, r.ruleRow)
		}
		seen[r.pattern] = true
		if r.level == ask && r.protects != writing {
			t.Errorf("%s: reading is not asked about: files are read ahead", r.pattern)
		}
		for name := range strings.SplitSeq(r.pattern, "/") {
			if name != "**" && (fold(name) != strings.ToLower(name) || strings.Count(name, "*") > 1 || strings.ContainsAny(name, "?[")) {
				t.Errorf("%q can never match", r.pattern)
			}
		}
		if r.knownByID && strings.Contains(r.pattern, "*") {
			t.Errorf("%q: a directory is recognised by one name", r.pattern)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, disguise := range disguises {
		f.Add(disguise(".git/x"))
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := fold(s)
		if again := fold(once); again != once {
			t.Errorf("%q folds to %q and then to %q", s, once, again)
		}
	})
}

func TestPolicyHash(t *testing.T) {
	seen := map[string]Options{}
	for _, o := range []Options{{}, {AllowProtected: []string{"a/b"}}, {AllowProtected: []string{"a", "b"}}, {FollowLinks: true}, {MaxDepth: 3}} {
		g, err := Open(t.TempDir(), o)
		check(t, err)
		defer g.Close()
		hash := g.PolicyHash()
		if other, ok := seen[hash]; ok || len(hash) != 64 || hash != g.PolicyHash() {
			t.Errorf("%+v and %+v have the hash %q", o, other, hash)
		}
		seen[hash] = o
	}
}
