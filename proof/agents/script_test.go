//go:build npm && linux

package agents

import (
	"fmt"
	"regexp"
	"strings"
)

// step is one call of the scripted model, and what the result must show.
type step struct {
	does    string
	tool    string
	before  func() // runs before the call
	refused bool
	own     string // what it says to a tool of the agent itself that takes text
	args    object // what it says to a tool of the agent itself that takes arguments
	// call builds the arguments from the results of earlier steps; the model knows nothing else.
	call func(seen []string) (object, error)
	want []string // what the result must contain
}

var (
	hashWords  = regexp.MustCompile(`sha256[: ]([0-9a-f]{64})`)
	trashWords = regexp.MustCompile(`in the trash as ([-0-9a-z]+\.[0-9]+)`)
)

// nextStep is emend's advice to a caller with a stale hash.
const nextStep = "Re-read the file to obtain the current sha256 and re-apply your edit."

// found returns what re matches in a text.
func found(re *regexp.Regexp, text string) (string, error) {
	m := re.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("the model was not shown %s, but %.300q", re, text)
	}
	return m[1], nil
}

// short returns the script for HTTP: a read and an edit.
func short() []step {
	return []step{
		{does: "reads", tool: "read_file", call: always(object{"path": "server.conf"}), want: []string{"port = 3000"}},
		{does: "edits with the hash", tool: "edit_file", call: edit(0, "port = 3000", "port = 4000"), want: []string{"Edited server.conf"}},
	}
}

// story returns the whole script. person changes a file behind the model's back.
func story(person func()) []step {
	return append(short(), []step{
		{does: "patches two files", tool: "apply_patch", call: always(object{"patch": twoFiles}), want: []string{"2 file(s)", "a.txt", "b.txt"}},
		{does: "edits with a stale hash", tool: "edit_file", before: person, refused: true, call: edit(1, "port = 4000", "port = 5000"),
			want: []string{"stale_file", nextStep}},
		{does: "reads again, as it was told", tool: "read_file", call: afterRefusal(3, object{"path": "server.conf"}), want: []string{"port = 4000", personLine}},
		{does: "edits with the new hash", tool: "edit_file", call: edit(4, "port = 4000", "port = 5000"), want: []string{"Edited server.conf"}},
		{does: "deletes", tool: "delete_file", call: always(object{"path": "old.txt"}), want: []string{"Deleted old.txt", "in the trash"}},
		{does: "restores by the trash id", tool: "restore_file", call: restore(6), want: []string{"Restored old.txt"}},
		{does: "sends a unified diff", tool: "apply_patch", call: always(object{"patch": unifiedDiff}), want: []string{"2 file(s)", "a.txt", "new.txt"}},
		{does: "sends a SEARCH/REPLACE block", tool: "apply_patch", call: always(object{"patch": searchReplace}), want: []string{"1 file(s)", "a.txt"}},
	}...)
}

const twoFiles = `*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+zwei
*** Update File: b.txt
@@
-drei
+three
*** End Patch
`

const unifiedDiff = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,3 @@
 one
-zwei
+two <two & "two"
+three
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+new
`

const searchReplace = "a.txt\n```\n<<<<<<< SEARCH\none\n=======\neins\n>>>>>>> REPLACE\n```\n"

func always(args object) func([]string) (object, error) {
	return func([]string) (object, error) { return args, nil }
}

// edit replaces a text in the file whose hash is in the result of step n.
func edit(n int, old, new string) func([]string) (object, error) {
	return func(seen []string) (object, error) {
		hash, err := found(hashWords, seen[n])
		return object{"path": "server.conf", "expectedSha256": hash, "edits": []object{{"oldText": old, "newText": new}}}, err
	}
}

// afterRefusal continues only if the refusal of step n says how.
func afterRefusal(n int, args object) func([]string) (object, error) {
	return func(seen []string) (object, error) {
		if !strings.Contains(seen[n], nextStep) {
			return nil, fmt.Errorf("the refusal does not say what to do next: %.300q", seen[n])
		}
		return args, nil
	}
}

func restore(n int) func([]string) (object, error) {
	return func(seen []string) (object, error) {
		id, err := found(trashWords, seen[n])
		return object{"trashedPath": id}, err
	}
}
