package credential

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The keys are put together here, so that no scanner of sources takes this file for a leak. None of them works.
var (
	body = strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj", 2)
	abc  = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fH3jL5nP7r"
	keys = map[string][]string{
		"private key": {
			pem("PRIVATE KEY", body), pem("RSA PRIVATE KEY", body), pem("OPENSSH PRIVATE KEY", body), pem("ENCRYPTED PRIVATE KEY", body),
			pem("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\n"+body), pem("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2\n\n"+body),
			strings.ReplaceAll(pem("EC PRIVATE KEY", body), "\n", `\n`), strings.ReplaceAll(pem("PRIVATE KEY", body), "\n", "\\n\" +\n    \""),
			strings.ReplaceAll(pem("DSA PRIVATE KEY", body), "\n", "\r\n"), strings.ReplaceAll(pem("PRIVATE KEY", body), "\n", "\n      "),
		},
		"AWS access key id": {"AKIA" + "IOSFODNN7QWERTYU", "ASIA" + "Y34FZKBOKMUTVV7A"},
		"AWS secret access key": {"aws_secret_access_key = " + "@" + abc, "AWS_SECRET_ACCESS_KEY='@" + abc + "'", `"SecretAccessKey": "@` + abc + `"`,
			"secretAccessKey: @" + abc, "secret_access_key => \"@" + abc + `"`},
		"GitHub token":   {"ghp_" + abc[:36], "gho_" + abc[:36], "ghs_" + abc[:36], "github" + "_pat_" + abc[:22] + "_" + abc[:36] + abc[:23]},
		"GitLab token":   {"glpat" + "-" + abc[:20], "glpat" + "-a_b-" + abc[:20]},
		"Slack token":    {"xoxb" + "-123456789012-1234567890123-" + abc[:24], "xoxp" + "-1234567890-1234567890-" + abc[:32]},
		"Stripe key":     {"sk_live" + "_" + abc[:24], "rk_live" + "_" + abc[:40]},
		"Google API key": {"AIza" + abc[:35], "AIza" + "_-" + abc[:33]},
		"npm token":      {"npm" + "_" + abc[:36]},
		"Anthropic key":  {"sk-ant" + "-api03-" + abc + abc + "-" + abc[:10]},
		"OpenAI key":     {"sk-proj" + "-" + abc + openAIMark + abc, "sk-svcacct" + "-" + abc + openAIMark + abc},
	}
)

func pem(label, body string) string { return "-----BEGIN " + label + "-----\n" + body + "\n" }

func TestFind(t *testing.T) {
	found := map[string]bool{}
	for kind, all := range keys {
		found[kind] = true
		for _, key := range all {
			key = strings.Replace(key, "@", "", 1)
			for _, around := range []string{"%s", "a\nb\n%s\nc\n", "x = \"%s\"\n", "\t%s", "https://u:%s@host/", "'%s',"} {
				text := fmt.Sprintf(around, key)
				line := 1 + strings.Count(text[:strings.Index(text, key)], "\n")
				got := Find(text)
				if len(got) != 1 || got[0].Kind != kind || got[0].Line != line || got[0].LastLine < line {
					t.Errorf("%q: %v, not a %s in line %d", text, got, kind, line)
				}
			}
		}
	}
	for _, f := range formats {
		if !found[f.kind] {
			t.Errorf("no example of a %s", f.kind)
		}
	}
}

func TestFindNothing(t *testing.T) {
	for _, text := range []string{
		"", "a", "abc", "-----BEGIN PRIVATE KEY-----", pem("PRIVATE KEY", "..."), pem("PUBLIC KEY", body), pem("CERTIFICATE", body),
		`if !strings.HasPrefix(s, "-----BEGIN RSA PRIVATE KEY-----") { return errors.New("this is not the private key that was expected here") }`,
		"BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY", "-----BEGIN ",
		"AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + "iosfodnn7qwertyu", "xAKIA" + "IOSFODNN7QWERTYU", "AKIA" + "IOSFODNN7QWERTYUX", "AKIA", "AKIA" + "AAAAAAAAAAAAAAAA",
		"aws_secret_access_key = os.Getenv(\"AWS_SECRET_ACCESS_KEY\")", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
		"aws_secret_access_key " + abc, "secret_access_key=" + abc + "0",
		"ghp_" + strings.Repeat("x", 36), "ghp_" + abc[:20], "tmp_ghp", "xghp_" + abc[:36], "ghp_xxxx", "github_pat_", "github_path", "a_pattern",
		"glpat-", "glpattern", "xoxb-your-token", "xoxo", "sk_live_", "sk_test_" + abc, "task_live_" + abc, "AIza", "AIza" + abc, "npm_config_cache", "npm_package_version",
		"npm_" + abc, "sk-ant-", "sk-anticipation", "sk-ant-api03-", "sk-proj-", "sk-proj-" + abc + abc, "risk-proj-" + abc + openAIMark + abc, "sk-s",
		"s_key", "S_KEY", "access_keys = 1", "sKey", strings.Repeat("-", 1000), strings.Repeat("ghp_", 1000),
	} {
		if got := Find(text); len(got) > 0 {
			t.Errorf("%.100q: %v", text, got)
		}
	}
}

// TestFindAll: keys that follow one another are all found, with their lines, whatever the line ends.
func TestFindAll(t *testing.T) {
	var text strings.Builder
	var want []Hit
	for i, kind := range []string{"GitHub token", "npm token", "Stripe key", "AWS access key id"} {
		fmt.Fprintf(&text, "line %d\n%s\n", 2*i+1, keys[kind][0])
		want = append(want, Hit{2*i + 2, 2*i + 2, kind})
	}
	for _, end := range []string{"\n", "\r\n", "\r"} {
		if got := Find(strings.ReplaceAll(text.String(), "\n", end)); !slices.Equal(got, want) {
			t.Errorf("%q: %v", end, got)
		}
	}
}

func TestNote(t *testing.T) {
	hits := []Hit{{3, 3, "npm token"}, {5, 9, "private key"}, {7, 7, "a"}, {8, 8, "b"}, {9, 9, "c"}}
	if got := Note(hits[:1]); got != "line 3 looks like a key (npm token)" {
		t.Error(got)
	}
	if got := Note(hits); !strings.HasSuffix(got, "line 7 looks like a key (a), and 2 more") {
		t.Error(got)
	}
}

// FuzzFind: the skipping search finds what looking at every byte finds, and never panics.
func FuzzFind(f *testing.F) {
	for _, all := range keys {
		for _, key := range all {
			f.Add("a " + key)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		var all []anchor
		for _, b := range anchorTable().buckets {
			all = append(all, b...)
		}
		got, after := 0, 0
		for at := 0; at+4 <= len(text); at++ {
			if kind, from, to := findAt(text, at, all); kind != "" && from >= after {
				got, after = got+1, to
			}
		}
		if hits := Find(text); len(hits) != got {
			t.Errorf("%q: %v, not %d", text, hits, got)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	line := "\tif err := w.check(slices.Concat(l.ruleNames, names[depth-i:])); err != nil { return err } // a_name, of tmp_dir\n"
	text := strings.Repeat(line, 10<<20/len(line))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if len(Find(text)) > 0 {
			b.Fatal()
		}
	}
}
