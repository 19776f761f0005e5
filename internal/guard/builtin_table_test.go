package guard

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// rows are the patterns of the table, written out again by what becomes of their paths, so that a row that is lost or changed is
// noticed. A star is tried as something.
var rows = map[string]string{
	"neither read nor written": `.env* *.env *.pem *.key id_rsa* id_ed25519* id_ecdsa* id_dsa* .ssh *.ppk *.p12 *.pfx *.jks *.keystore AuthKey_*.p8 *.kdbx
		.gnupg .netrc _netrc .git-credentials .config/git/credentials .aws/credentials .aws/sso .aws/cli .config/gcloud .boto
		.azure/msal_token_cache* .azure/accessTokens.json .kube/config .docker/config.json .dockercfg .config/gh .config/hub
		.config/glab-cli .npmrc .pypirc .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml
		.m2/settings-security.xml .gradle/gradle.properties .composer/auth.json .config/composer/auth.json .pgpass .pg_service.conf
		.my.cnf .mylogin.cnf .htpasswd *.tfstate *.tfstate.backup terraform.tfstate.d terraform.tfstate.*.backup .terraformrc
		.terraform.d/credentials.tfrc.json .vault-token .vault_pass* .vault-pass* .config/sops .config/rclone .s3cfg
		.claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .qwen/oauth_creds.json .emend .git/**/emend`,
	"not written": `.git .hg .svn .jj .sl .bzr _darcs .pijul _svn .fslckout* _FOSSIL_* .fos CVS/Root CVS/Repository
		CVS/*.prog CVSROOT .repo .gclient* .hgsub .vscode *.code-workspace .idea .run .fleet .zed .vs *.sublime-project .exrc .nvimrc .nvim.lua .vimrc
		.gvimrc .vim .config/nvim .emacs .emacs.d .config/emacs .dir-locals.el .dir-locals-2.el .devcontainer .devcontainer.json
		.gitpod.yml .github/workflows .husky .githooks .git-hooks .pre-commit-config.yaml lefthook.yml lefthook.yaml lefthook.toml
		lefthook.json lefthook.jsonc lefthook-local.* .lefthook.* .lefthook-local.* .lefthook .lefthook-local .overcommit.yml
		.gitconfig .gitmodules .config/git .hgrc .jjconfig.toml .config/jj .bashrc .bash_profile .bash_login .bash_logout
		.bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .config/fish .config/powershell
		.config/direnv mise.toml mise.*.toml .mise.toml .mise.*.toml .mise mise/config.toml .config/mise .tmux.conf .screenrc
		.xprofile .xinitrc .xsession .xsessionrc .config/autostart .config/systemd Library/LaunchAgents .gdbinit .lldbinit .Rprofile
		.irbrc .pryrc .ghci .iex.exs .psqlrc .sqliterc .yarnrc* .yarn/releases .yarn/plugins .yarn/sdks .pnpmfile.cjs .pnpmfile.mjs
		.cargo/config .cargo/config.toml .bundle/config .aws/config .claude .claude.json .codex .cursor .cursorrules .gemini
		.opencode opencode.json* .agents .mcp.json* mcp.json .windsurf .windsurfrules .continue .continuerules .qwen .crush
		.crush.json crush.json .aider.conf.yml .aider.model.settings.yml .roo .roomodes .roorules* .cline .clinerules* .kilo
		.kilocode .kilocodemodes kilo.json kilo.jsonc .kiro .amazonq .junie .amp .factory .augment .augment-guidelines .trae
		.openhands .copilot .github/hooks`,
	"asked about": `*.gitlab-ci.yml .github/actions .forgejo/workflows .gitea/workflows .circleci Jenkinsfile Jenkinsfile.*
		azure-pipelines*.yml .azure-pipelines bitbucket-pipelines.yml .buildkite .drone.yml .drone.star .drone.jsonnet
		.woodpecker.yml .woodpecker.yaml .woodpecker .travis.yml appveyor.yml .appveyor.yml .cirrus.yml .cirrus.star .semaphore
		.teamcity .builds .build.yml cloudbuild.yaml cloudbuild.yml buildspec.yml AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md
		CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md WARP.md .goosehints .rules .github/copilot-instructions.md .github/instructions
		.github/prompts .github/agents .github/chatmodes .github/skills`,
}

// TestRows: each row does what it says, at the root and below, in another case, also for files below it and unless a person
// allowed it; and the table has no other row.
func TestRows(t *testing.T) {
	left := map[string]bool{}
	for _, r := range builtinRules {
		left[r.pattern] = true
	}
	for _, effect := range slices.Sorted(maps.Keys(rows)) {
		for pattern := range strings.FieldsSeq(rows[effect]) {
			if !left[pattern] {
				t.Errorf("%s: no row has it", pattern)
			}
			delete(left, pattern)
			path := strings.ReplaceAll(strings.ReplaceAll(pattern, "**", "modules/a/b"), "*", "x")
			for _, path := range []string{path, "sub/" + path, "a/b/" + path + "/below", strings.ToUpper(path), strings.ToLower(path)} {
				if got := effectOn(t, path, Options{}); got != effect {
					t.Errorf("%s: %s is %s, not %s", pattern, path, got, effect)
				}
			}
			if got := effectOn(t, "sub/"+path, Options{AllowProtected: []string{"sub/" + path}}); got != "free" {
				t.Errorf("%s, allowed: %s", pattern, got)
			}
		}
	}
	for pattern := range left {
		t.Errorf("%s: the test does not know this row", pattern)
	}
}

// effectOn says what becomes of a path.
func effectOn(t *testing.T, path string, o Options) string {
	t.Helper()
	g, err := Open(t.TempDir(), o)
	check(t, err)
	defer g.Close()
	read := g.CheckRead(path)
	asks := AskedPaths{CanAsk: true}
	_, err = g.Resolve(path, Request{Write: true, Asked: &asks})
	for _, err := range []error{read, err} {
		if err != nil && !errors.Is(err, fail.PermissionDenied) {
			t.Fatal(err)
		}
	}
	switch {
	case read != nil && err != nil:
		return "neither read nor written"
	case err != nil:
		return "not written"
	case read != nil:
		return "not read"
	case len(asks.List()) > 0:
		return "asked about"
	}
	return "free"
}

// TestOrdinaryProjects: what people edit every day in projects that everybody knows has no rule.
func TestOrdinaryProjects(t *testing.T) {
	for path := range strings.FieldsSeq(`README.md CONTRIBUTING.md LICENSE Makefile CMakeLists.txt Dockerfile docker-compose.yml .dockerignore .gitignore
		.gitattributes .editorconfig .prettierrc .eslintrc.json .golangci.yml .rubocop.yml .clang-format .nvmrc .node-version .tool-versions
		.python-version .ruby-version .browserslistrc .babelrc .stylelintrc .env.example config/prod.env.example deploy/example.env
		package.json package-lock.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml tsconfig.json vite.config.ts src/vite-env.d.ts
		.yarn/patches/x.patch .yarn/versions/a.yml go.mod go.sum Cargo.toml Cargo.lock rust-toolchain.toml pyproject.toml setup.cfg tox.ini
		conftest.py requirements.txt Gemfile Rakefile pom.xml build.gradle gradle.properties gradle/wrapper/gradle-wrapper.properties
		build.gradle.kts .github/dependabot.yml .github/CODEOWNERS .github/ISSUE_TEMPLATE/bug.md .github/FUNDING.yml .gitlab/issue.md
		main.tf variables.tf terraform.tfvars .terraform.lock.hcl charts/app/values.yaml k8s/config.yaml kubeconfig/kubeconfig.go
		docs/keys.md docs/agents.html docs/claude.rst src/agents.py src/env.ts src/key.go src/keystore.rs src/credentials.ts
		config.toml config/credentials.yml.enc cargo/config.rs lib/mise.rb lefthook.go internal/lefthook/config.go crush.go
		.storybook/main.ts .changeset/config.json .well-known/security.txt aws/credentials.go docker/config.json kube/config
		profile.go bashrc.md x.pub keys/deploy.pub ssh/config.go game.p8 model.pth .config/app.toml .mvn/jvm.config .bazelrc
		renovate.json .npmignore .jshintrc .rspec .yardopts src/.profile.go hooks/useThing.ts skills/SKILL.md`) {
		if got := effectOn(t, path, Options{}); got != "free" {
			t.Errorf("%s is %s", path, got)
		}
	}
}

// TestDenyBeforeAsk: a path with both kinds of rules is denied, whichever name comes first.
func TestDenyBeforeAsk(t *testing.T) {
	for _, path := range []string{".claude/CLAUDE.md", ".git/AGENTS.md", ".circleci/.claude/settings.json", ".circleci/.env", "AGENTS.md/.git/config", ".github/actions/.npmrc", ".emend/AGENTS.md"} {
		if got := effectOn(t, path, Options{}); got == "asked about" || got == "free" {
			t.Errorf("%s is %s", path, got)
		}
	}
	if got := effectOn(t, "store/AGENTS.md", Options{Store: "store"}); got != "neither read nor written" {
		t.Errorf("in the store: %s", got)
	}
}

// TestUnasked: a built-in rule that asks lets a call pass that can ask nobody, and remembers it, unless the policy denies that. A
// call without a collection is refused, and a rule of the policy decides before.
func TestUnasked(t *testing.T) {
	root := t.TempDir()
	open := func(policy string) *Guard {
		file := filepath.Join(t.TempDir(), "policy.toml")
		check(t, os.WriteFile(file, []byte(strings.ReplaceAll(policy, "ROOT", root)), 0o600))
		p, err := ReadPolicy(file, root)
		check(t, err)
		g, err := Open(root, Options{Policy: p})
		check(t, err)
		t.Cleanup(func() { g.Close() })
		return g
	}
	asked := []api.AskedPath{{Path: "AGENTS.md", Write: true, Rule: "AGENTS.md", BuiltIn: true, Why: "instructions that agents follow"}}
	for _, test := range []struct {
		policy string
		want   []api.AskedPath
		denied string
	}{
		{"", asked, ""},
		{"[write]\nunasked = \"allow\"\n", asked, ""},
		{"[write]\nunasked = \"deny\"\n", nil, "without approval"},
		{"[write]\nunasked = \"deny\"\n[workspace.\"ROOT\".write]\nunasked = \"allow\"\n", asked, ""},
		{"[workspace.\"ROOT\".write]\nunasked = \"deny\"\n", nil, "without approval"},
		{"[workspace.\"/elsewhere\".write]\nunasked = \"deny\"\n", asked, ""},
		{"[write]\nask = [\"AGENTS.md\"]\n", nil, "the policy requires"},
		{"[write]\ndeny = [\"AGENTS.md\"]\n", nil, "denied by the policy"},
		{"[write]\nallow = [\"AGENTS.md\"]\nunasked = \"deny\"\n", nil, ""},
	} {
		g := open(test.policy)
		var asks AskedPaths
		_, err := g.Resolve("AGENTS.md", Request{Write: true, Asked: &asks})
		if (err == nil) != (test.denied == "") || err != nil && !strings.Contains(err.Error(), test.denied) || !slices.Equal(asks.List(), test.want) {
			t.Errorf("%q: %v, %v", test.policy, asks.List(), err)
		}
		_, err = g.Resolve("AGENTS.md", Request{Write: true})
		if (err == nil) != strings.Contains(test.policy, "allow = [") {
			t.Errorf("%q, with no collection: %v", test.policy, err)
		}
	}
	for _, bad := range []string{"[write]\nunasked = \"ask\"\n", "[read]\nunasked = \"allow\"\n", "unasked = \"allow\"\n"} {
		file := filepath.Join(t.TempDir(), "policy.toml")
		check(t, os.WriteFile(file, []byte(bad), 0o600))
		if _, err := ReadPolicy(file, root); err == nil {
			t.Errorf("%q is a policy", bad)
		}
	}
}

// TestAskByOtherNames: a path that leads to a file of a rule that asks, by a link or as a hard link, is asked about, once.
func TestAskByOtherNames(t *testing.T) {
	root := t.TempDir()
	plant(t, root, map[string]string{"AGENTS.md": "text", ".circleci/config.yml": "text"})
	check(t, os.Symlink(".circleci", filepath.Join(root, "ci")))
	check(t, os.Link(filepath.Join(root, "AGENTS.md"), filepath.Join(root, "notes.txt")))
	g, err := Open(root, Options{})
	check(t, err)
	defer g.Close()
	for path, want := range map[string]string{"ci/config.yml": ".circleci/config.yml", "notes.txt": "AGENTS.md"} {
		asks := AskedPaths{CanAsk: true}
		b := g.NewBatch()
		_, err := b.Resolve(path, Request{Write: true, Asked: &asks})
		check(t, err)
		check(t, b.Recheck())
		b.Close()
		if l := asks.List(); len(l) != 1 || l[0].Path != want {
			t.Errorf("%s: asked about %v", path, l)
		}
		if _, err := g.Resolve(path, Request{Write: true}); !errors.Is(err, fail.PermissionDenied) {
			t.Errorf("%s, with no collection: %v", path, err)
		}
	}
}

var update = flag.Bool("update", false, "write the table of docs/rules.md anew")

const (
	tableBegins = "<!-- The tables are written by: go test ./internal/guard -run TestRulesPage -update -->\n"
	rulesPage   = "../../docs/rules.md"
)

// TestRulesPage: docs/rules.md has the table as it is.
func TestRulesPage(t *testing.T) {
	page, err := os.ReadFile(rulesPage)
	check(t, err)
	before, _, ok := strings.Cut(string(page), tableBegins)
	if !ok {
		t.Fatalf("%s has no line %s", rulesPage, tableBegins)
	}
	want := before + tableBegins + tablesAsMarkdown()
	if *update {
		check(t, os.WriteFile(rulesPage, []byte(want), 0o644))
	} else if string(page) != want {
		t.Errorf("%s has another table: go test ./internal/guard -run TestRulesPage -update", rulesPage)
	}
}

func tablesAsMarkdown() string {
	var b strings.Builder
	for _, part := range []struct {
		reason ruleReason
		title  string
	}{{holdsSecrets, "Holds secrets"}, {ownFiles, "Repositories and the store"}, {runsCode, "Runs code"}, {steersAgents, "Steers agents"}} {
		fmt.Fprintf(&b, "\n## %s\n\n| pattern | protected from | level | what it is |\n|---|---|---|---|\n", part.title)
		for _, r := range ruleTable {
			if r.reason != part.reason {
				continue
			}
			level := "deny"
			if r.level == ask {
				level = "ask"
			}
			patterns := codes(r.patterns)
			if r.except != "" {
				patterns += ", but not " + codes(r.except)
			}
			source := r.source
			if file, ok := strings.CutPrefix(source, "docs/"); ok {
				source = file
			}
			fmt.Fprintf(&b, "| %s | %s | %s | [%s](%s) |\n", patterns, r.protects, level, r.why, source)
		}
	}
	return b.String()
}

func codes(names string) string {
	var out []string
	for name := range strings.FieldsSeq(names) {
		out = append(out, "`"+name+"`")
	}
	return strings.Join(out, " ")
}
