package dialect

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

func TestDetect(t *testing.T) {
	del := "*** Delete File: c"
	for _, tt := range []struct{ name, text, want string }{
		{"an envelope", in(del), "emend"},
		{"a codex envelope", in("*** Environment ID: e", del), "emend"},
		{"a padded one", "  *** Begin Patch\n" + del, "emend"},
		{"one in a fence", "```\n" + in(del) + "```", "emend"},
		{"one in a heredoc", "apply_patch <<EOF\n" + in(del) + "EOF", "emend"},
		{"one in prose", "Here:\n" + in(del), "emend"},
		{"one in JSON", `{"patch": "*** Begin Patch\n*** End Patch\n"}`, "emend"},
		{"one in JSON behind a byte order mark", "\ufeff" + `"*** Begin Patch\n*** End Patch\n"`, "emend"},
		{"one behind a byte order mark", "\ufeff" + in(del), "emend"},
		{"one that is cut off", "*** Begin Patch\n*** Upd", "emend"},
		{"one in CRLF", strings.ReplaceAll(in(del), "\n", "\r\n"), "emend"},
		{"one below a section", del + "\n" + in(del), "emend"},
		{"sections alone", del, "supyagent"},
		{"sections below prose", "Here:\n```\n*** Update File: f\n@@ a\n-b\n```", "supyagent"},
		{"a context line like a marker", "*** Update File: f\n@@ a\n *** Begin Patch\n-b", "supyagent"},
		{"an added line like a marker", "*** Add File: f\n+*** Begin Patch\n", "supyagent"},
		{"sections with a line that is lost", "*** Update File: f\nx\n@@ a\n-b\n", "supyagent"},
		{"a context line like an End", "*** Update File: f\n@@ a\n *** End Patch\n-b", "supyagent"},
		{"a mark below prose", "Here:\n\\ No newline at end of file\n" + del, "supyagent"},

		{"sections with an End", del + "\n*** End Patch \n", "! 1 it has sections, but no *** Begin Patch"},
		{"a mark that supyagent ignores", "*** Add File: a\n+x\n\\ No newline at end of file\n", "! 1 it has sections, but no *** Begin Patch"},
		{"an empty line that supyagent ignores", "*** Update File: f\n@@ a\n\n-b", "! 1 it has sections, but no *** Begin Patch"},
		{"an End of File that supyagent ignores", "*** Update File: f\n@@ a\n-b\n*** End of File", "! 1 it has sections, but no *** Begin Patch"},
		{"a move alone", "*** Move File: a -> b", "! 1 it has sections, but no *** Begin Patch"},
		{"a unified diff", "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "unified"},
		{"without git", "Fix:\n--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "unified"},
		{"search and replace", "f.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "search-replace"},
		{"search and replace of Cline", "f.py\n------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n", "search-replace"},
		{"a unified diff of a patch", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n *** Begin Patch\n-a\n", "unified"},
		{"a unified diff above an envelope", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n" + in(del), "unified"},
		{"an envelope above a unified diff", in(del) + "--- a/f\n+++ b/f\n", "emend"},
		{"sections above a unified diff", del + "\n--- a/f\n+++ b/f\n", "supyagent"},
		{"a file header below a header of sections", "*** Update File: f\n@@ a\n--- a/f\n+++ b/f\n", "supyagent"},
		{"a block above an envelope", "f\n<<<<<<< SEARCH\na\n" + in(del), "search-replace"},
		{"half a file header", "--- a/f\n@@ -1 +1 @@\n-a\n+b\n", "! 1 it looks like a unified diff"},
		{"a context diff", "*** a/f\n--- b/f\n***************\n*** 1 ****\n! a\n", "! 3 it is a context diff"},
		{"a conflict", "a\n<<<<<<< HEAD\nb\n", "! 2 it looks like SEARCH/REPLACE blocks"},
		{"capitals", "*** BEGIN PATCH\n" + del, "! 1 misspelt"},
		{"two stars", "** Begin Patch\n*** End Patch", "! 1 misspelt"},
		{"stars behind", "*** Begin Patch ***\n*** Update File: f\n", "! 1 misspelt"},
		{"JSON without an envelope", `{"patch": "*** Add File: a"}`, "! 1 it looks like JSON"},
		{"a fence", "\n```go\nfunc main() {}\n```\n", "! 2 it is fenced"},
		{"hunks", "@@\n-a\n+b", "! 1 it has hunks"},
		{"code", "func main() {}\n", `! 1 begins with "func main() {}"`},
		{"empty", "", "! 1 the patch text is empty"},
		{"binary", "a\nb\x00", "! 2 binary (NUL byte on line 2)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Detect(tt.text)
			if err == nil {
				if d.Name != tt.want {
					t.Errorf("%s claims it, want %s", d.Name, tt.want)
				}
				return
			}
			e := refusal(t, err)
			got := "! " + strings.TrimSpace(strings.Join([]string{string(rune('0' + e.Line)), e.Msg}, " "))
			if !strings.HasPrefix(tt.want, "!") || !sameRefusal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if e.Kind != fail.PatchParse || e.Hint == "" {
				t.Errorf("kind %s, hint %q", e.Kind, e.Hint)
			}
			if !strings.Contains(tt.want, "binary") && !strings.Contains(e.Hint, "*** Begin Patch\n*** Update File: ") {
				t.Errorf("hint %q shows no patch", e.Hint)
			}
		})
	}
}

func TestReads(t *testing.T) {
	text := up("@@", "-a")
	if got := strings.Join(Reads(text, nil), " "); got != "emend comma codex supyagent chimera" {
		t.Errorf("all read it, but %q do", got)
	}
	if got := strings.Join(Reads(text, Comma), " "); got != "emend codex supyagent chimera" {
		t.Errorf("without comma: %q", got)
	}
	if got := strings.Join(Reads(up("@@", "-a", "", "-b"), nil), " "); got != "emend comma codex chimera" {
		t.Errorf("an empty line in a hunk is lost on supyagent; got %q", got)
	}
	if got := strings.Join(Reads(up("@@ f", "-a"), nil), " "); got != "emend codex supyagent" {
		t.Errorf("an anchor is lost on comma and chimera; got %q", got)
	}
	if got := strings.Join(Reads(up("@@ -1,2 +1,2 @@", "-a"), Supyagent), " "); got != "emend comma codex chimera" {
		t.Errorf("line numbers are no loss; got %q", got)
	}
	if got := Reads("nothing", nil); got != nil {
		t.Errorf("nothing is read by %q", got)
	}
}
