//go:build npm && linux

package agents

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// entry is a line of the log.
type entry struct {
	Client    string `json:"client"`
	Session   string `json:"sessionId"`
	Call      string `json:"call"`
	Tool      string `json:"toolName"`
	Path      string `json:"path"`
	OK        bool   `json:"ok"`
	ErrorKind string `json:"errorKind"`
	Entry     string `json:"entry"`
}

// log returns the entries of the log, the oldest first; those of one patch by path.
func (w *account) log() []entry {
	w.Helper()
	var in struct{ Data struct{ Entries []entry } }
	if text := w.run("log", "--json"); json.Unmarshal([]byte(text), &in) != nil {
		w.Fatalf("emend log --json says %.500q", text)
	}
	log := in.Data.Entries
	slices.Reverse(log)
	for i := range log[1:] {
		if a, b := &log[i], &log[i+1]; a.Entry == b.Entry && a.Path > b.Path {
			*a, *b = *b, *a
		}
	}
	return log
}

// record is an entry that the log must have, with the step that made it.
type record struct {
	step int
	entry
}

// records are the entries of the story: one for each file that a step changes. The first is also that of the short script.
var records = []record{
	{2, entry{Tool: "edit_file", Path: "server.conf", OK: true}},
	{3, entry{Tool: "apply_patch", Path: "a.txt", OK: true}},
	{3, entry{Tool: "apply_patch", Path: "b.txt", OK: true}},
	{4, entry{Tool: "edit_file", Path: "server.conf", ErrorKind: "stale_file"}},
	{6, entry{Tool: "edit_file", Path: "server.conf", OK: true}},
	{7, entry{Tool: "delete_file", Path: "old.txt", OK: true}},
	{8, entry{Tool: "restore_file", Path: "old.txt", OK: true}},
	{9, entry{Tool: "apply_patch", Path: "a.txt", OK: true}},
	{9, entry{Tool: "apply_patch", Path: "new.txt", OK: true}},
	{10, entry{Tool: "apply_patch", Path: "a.txt", OK: true}},
}

// recorded compares the log with records, and returns the id of the session.
func (w *account) recorded(p program, records []record) string {
	w.Helper()
	log := w.log()
	if len(log) != len(records) || log[0].Session == "" {
		w.Fatalf("the log has %d lines, not %d, or no session:\n%+v", len(log), len(records), log)
	}
	session := log[0].Session
	for i, got := range log {
		want, id := records[i].entry, strings.ReplaceAll(p.callID, "N", strconv.Itoa(records[i].step))
		want.Client, want.Session, want.Call, want.Entry = p.client+"/"+p.version, session, got.Call, got.Entry
		if got != want || !regexp.MustCompile("^"+id+"$").MatchString(got.Call) {
			w.Errorf("the log has\n%+v, not\n%+v with a call like %q", got, want, id)
		}
	}
	if p.session != "" && len(w.found(strings.ReplaceAll(p.session, "ID", session))) == 0 {
		w.Errorf("the log has session %s, which is not what the agent calls it", session)
	}
	w.verified()
	return session
}

// dialects checks that the log names how each patch of the story was written.
func (w *account) dialects() {
	w.Helper()
	var got []string
	for _, e := range w.log() {
		var in struct{ Data struct{ Dialect string } }
		if e.Tool != "apply_patch" {
			continue
		}
		if text := w.run("show", "--json", e.Entry); json.Unmarshal([]byte(text), &in) != nil {
			w.Fatalf("emend show --json says %.500q", text)
		}
		got = append(got, in.Data.Dialect)
	}
	if want := []string{"emend", "emend", "unified", "unified", "search-replace"}; !slices.Equal(got, want) {
		w.Errorf("the log has patches in %q, not %q", got, want)
	}
}

// undoSession undoes the session. The tree must then be the first one, with the line that a person wrote meanwhile.
func (w *account) undoSession(session string) {
	w.Helper()
	w.run("undo", "--session", session)
	want := maps.Clone(first)
	want["server.conf"] += personLine
	w.holds("after undo", want)
	w.verified()
}

// verified fails if the log is broken or differs from the files.
func (w *account) verified() {
	w.Helper()
	if out := w.run("verify"); !strings.Contains(out, "chain    whole") || !strings.Contains(out, " as the log has them, 0 not") {
		w.Errorf("emend verify says:\n%s", out)
	}
}
