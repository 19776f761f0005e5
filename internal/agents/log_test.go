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
}

// log is what the log has, the oldest first.
func (w *world) log() []entry {
	w.Helper()
	var in struct{ Data struct{ Entries []entry } }
	if text := w.run("log", "--json"); json.Unmarshal([]byte(text), &in) != nil {
		w.Fatalf("emend log --json says %.500q", text)
	}
	slices.Reverse(in.Data.Entries)
	return in.Data.Entries
}

// records is what the log has to have of the story: a line for each file that a step was to change.
var records = []entry{
	{Tool: "edit_file", Path: "server.conf", OK: true},
	{Tool: "apply_patch", Path: "a.txt", OK: true},
	{Tool: "apply_patch", Path: "b.txt", OK: true},
	{Tool: "edit_file", Path: "server.conf", ErrorKind: "stale_file"},
	{Tool: "edit_file", Path: "server.conf", OK: true},
	{Tool: "delete_file", Path: "old.txt", OK: true},
	{Tool: "restore_file", Path: "old.txt", OK: true},
}

// calls are the steps that made the records.
var calls = []int{2, 3, 3, 4, 6, 7, 8}

// recorded complains of what the log should have and has not, and returns the name of the session.
func (w *world) recorded(p program) string {
	w.Helper()
	log := w.log()
	if len(log) != len(records) || log[0].Session == "" {
		w.Fatalf("the log has %d lines, not %d, or no session:\n%+v", len(log), len(records), log)
	}
	slices.SortStableFunc(log[1:3], func(a, b entry) int { return strings.Compare(a.Path, b.Path) }) // of one patch
	for i, got := range log {
		want := records[i]
		want.Client, want.Session, want.Call = p.client+"/"+p.version, log[0].Session, got.Call
		id := strings.ReplaceAll(p.callID, "N", strconv.Itoa(calls[i]))
		if got != want || !regexp.MustCompile("^"+id+"$").MatchString(got.Call) {
			w.Errorf("the log has\n%+v, not\n%+v with a call like %q", got, want, id)
		}
	}
	if p.session != "" && len(w.found(strings.ReplaceAll(p.session, "ID", log[0].Session))) == 0 {
		w.Errorf("the log has session %s, which is not what the agent calls it", log[0].Session)
	}
	w.run("verify")
	return log[0].Session
}

// takeBack undoes the session: the tree is the first again, with the line that a person wrote meanwhile.
func (w *world) takeBack(session string) {
	w.Helper()
	w.run("undo", "--session", session)
	want := maps.Clone(first)
	want["server.conf"] += persons
	w.holds("after undo", want)
	w.run("verify")
}
