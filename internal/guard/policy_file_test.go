package guard

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend/fail"
)

func TestPolicyFile(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	file := filepath.Join(home, "policy.toml")
	text := `
[write]
deny = ["vendor", "gen-*/**", "docs/*.md", "*.lock", "/top"]
ask = ["migrations/**"]
allow = [".github/workflows/ci.yml", "docs/open.md"]
[read]
deny = ["private"]
[workspace."` + filepath.ToSlash(root) + `".write]
deny = ["here.txt"]
[workspace."/somewhere/else".write]
deny = ["other.txt"]
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPolicy(file, root)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Open(root, Options{Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, tc := range []struct {
		path  string
		write bool
		ok    bool
	}{
		{"a.txt", true, true},
		{"vendor/x", true, false},
		{"VENDOR/x", true, false},
		{"deep/er/vendor/x", true, false}, // a name without a slash matches anywhere
		{"deep/a.lock", true, false},
		{"top/x", true, false},
		{"deep/top", true, true}, // a slash in front means directly in the workspace
		{"vendor/x", false, true},
		{"gen-go/a/b", true, false},
		{"docs/a.md", true, false},
		{"docs/a.txt", true, true},
		{"docs/open.md", true, false}, // deny comes before allow
		{"migrations/1.sql", true, false},
		{"private/x", false, false},
		{"private/x", true, true}, // reading and writing have rules of their own
		{".github/workflows/ci.yml", true, true},
		{".github/workflows/other.yml", true, false},
		{"here.txt", true, false},
		{"other.txt", true, true},
	} {
		_, err := g.Resolve(tc.path, Request{Write: tc.write})
		if (err == nil) != tc.ok || err != nil && !errors.Is(err, fail.PermissionDenied) {
			t.Errorf("%s, write %v: %v", tc.path, tc.write, err)
		}
	}
	bare, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	if bare.PolicyHash() == g.PolicyHash() {
		t.Error("the hash does not tell a policy from none")
	}
}

// TestPageOnly: any section that wants the answers of a page alone decides, and no other workspace's does.
func TestPageOnly(t *testing.T) {
	root := t.TempDir()
	mine, other := `[workspace."`+filepath.ToSlash(root)+`".ask]`, `[workspace."/somewhere/else".ask]`
	for text, want := range map[string]bool{
		"":                              false,
		"[ask]\nanswer = \"any\"\n":     false,
		"[ask]\nanswer = \"page\"\n":    true,
		mine + "\nanswer = \"page\"\n":  true,
		other + "\nanswer = \"page\"\n": false,
		"[ask]\nanswer = \"page\"\n" + mine + "\nanswer = \"any\"\n": true,
	} {
		file := filepath.Join(t.TempDir(), "policy.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := ReadPolicy(file, root)
		if err != nil || (&Guard{policy: p}).PageOnly() != want {
			t.Errorf("%s: %v, %v", text, !want, err)
		}
	}
	if new(Guard).PageOnly() {
		t.Error("without a policy")
	}
}

func TestPolicyFileIsRefused(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a pattern that is none": "[write]\ndeny = [\"[\"]\n",
		"braces":                 "[read]\ndeny = [\"**/*.{a,b}\"]\n",
		"a negation":             "[read]\ndeny = [\"!sub\"]\n",
		"stars inside a name":    "[read]\ndeny = [\"**.secret\"]\n",
		"an unknown key":         "[write]\ndenny = [\"a\"]\n",
		"an answer from nowhere": "[ask]\nanswer = \"nobody\"\n",
		"no TOML":                "[write",
	} {
		file := filepath.Join(t.TempDir(), "policy.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPolicy(file, root); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	in := filepath.Join(root, "policy.toml")
	if err := os.WriteFile(in, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPolicy(in, root); err == nil {
		t.Error("a policy inside the workspace that it governs: accepted")
	}
	if _, err := ReadPolicy(filepath.Join(root, "none"), root); !errors.Is(err, fail.NotFound) {
		t.Errorf("no policy: %v", err)
	}
}
