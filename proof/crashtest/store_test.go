package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// chain makes a log with records of these kinds.
func chain(kinds ...string) string {
	var out strings.Builder
	prev := ""
	for i, k := range kinds {
		line := fmt.Sprintf(`{"v":1,"seq":%d,"prev":%q,"kind":%q,"ok":true}`, i+1, prev, k)
		prev = fmt.Sprintf("%x", sha256.Sum256([]byte(line)))
		out.WriteString(strings.TrimSuffix(line, "}") + `,"h":"` + prev + "\"}\n")
	}
	return out.String()
}

func TestCheckStore(t *testing.T) {
	w := &work{gone: [][]string{{"first"}, {"second", "third"}}}
	good := chain("rotate", "commit", "applied", "commit", "abort", "commit")
	lines := strings.SplitAfter(good, "\n")
	slots := map[string]string{"tx1.0": "first", "tx2.1": "third", "tx2.0": "second"}
	for _, tc := range []struct {
		name, log, lost string
		t               int
		want            string // "" if nothing is wrong
	}{
		{"all is well", good, "", 2, ""},
		{"more may be kept than is needed", chain("rotate", "commit"), "tx2.0", 1, ""},
		{"a commit too few", good, "", 1, "2 commits and the tree 1"},
		{"a record is missing", lines[0] + strings.Join(lines[2:], ""), "", 1, "does not follow"},
		{"a record is changed", strings.Replace(good, "applied", "applieD", 1), "", 2, "hash"},
		{"the last line is half there", strings.TrimSuffix(good, "\n"), "", 2, "no end"},
		{"the last line is garbage", good + "\x00\x00\n", "", 2, "invalid character"},
		{"a text is lost", good, "tx2.0", 2, "what transaction 2 displaced is lost"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := fstest.MapFS{"log/00000001.jsonl": {Data: []byte(tc.log)}}
			for name, text := range slots {
				if name != tc.lost {
					store["slots/"+name] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			err := errors.Join(checkStore(store, w, tc.t, nil)...)
			if said := fmt.Sprint(err); (tc.want == "") != (err == nil) || !strings.Contains(said, tc.want) {
				t.Errorf("%s, want %q", said, tc.want)
			}
		})
	}
}

func TestNoStoreIsNoCommit(t *testing.T) {
	if errs := checkStore(fstest.MapFS{}, &work{}, 0, nil); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestStrays(t *testing.T) {
	git := fstest.MapFS{"HEAD": {}, "emend/lock": {}, "emend.20260101-000000-abc/format": {}}
	if err := unexpectedFiles(git); err != nil {
		t.Error(err)
	}
	git["index.lock"] = &fstest.MapFile{}
	if unexpectedFiles(git) == nil {
		t.Error("a stray file is not seen")
	}
}
