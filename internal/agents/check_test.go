//go:build npm && linux

package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// check complains of every step that was not made, and of everything that the model was not shown.
func (m *model) check(a *agent) {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gaveUp != nil {
		m.t.Errorf("the model gave up: %v", m.gaveUp)
	}
	var seen []string
	if len(m.turns) > 0 {
		seen = m.turns[len(m.turns)-1].results
	}
	if len(seen) < len(m.script) {
		m.t.Errorf("the model was shown %d results in %d turns; the script has %d steps", len(seen), len(m.turns), len(m.script))
	}
	for i, s := range m.script[:min(len(seen), len(m.script))] {
		for _, want := range s.want {
			if !strings.Contains(seen[i], strings.TrimSpace(want)) {
				m.t.Errorf("%s: the model was not shown %q, but %q", s.does, want, seen[i])
			}
		}
		if got, want := form(seen[i]), s.form(a); got != want {
			m.t.Errorf("%s: the model was shown %s, not %s: %q", s.does, got, want, seen[i])
		}
	}
	for _, u := range m.unknown {
		m.t.Logf("a request that no script answers: %s", u)
	}
}

// form is the part of a step's result that an agent is known to show; a file's text is in no other part than content.
func (s step) form(a *agent) string {
	switch {
	case s.tool == "read_file":
		return "content"
	case s.refused:
		return a.refused
	default:
		return a.told
	}
}

// form is which part of a result a text is: the object that clients of MCP call structuredContent, or the text in content.
func form(shown string) string {
	var in struct {
		OK                *bool
		StructuredContent json.RawMessage
	}
	if i := strings.IndexByte(shown, '{'); i >= 0 {
		json.NewDecoder(strings.NewReader(shown[i:])).Decode(&in) // a text that is no object is content
	}
	switch {
	case in.StructuredContent != nil:
		return "both"
	case in.OK != nil:
		return "structuredContent"
	}
	return "content"
}

// aside says what an agent wanted beside the script.
func (m *model) aside() string {
	out := ""
	if len(m.sought) > 0 {
		out += fmt.Sprintf(" (%d to find tools)", len(m.sought))
	}
	if m.asides > 0 {
		out += fmt.Sprintf(", %d for titles and the like", m.asides)
	}
	if len(m.strangers) > 0 {
		hosts := map[string]int{}
		for _, h := range m.strangers {
			hosts[h]++
		}
		out += ", kept from " + strings.Join(slices.Sorted(maps.Keys(hosts)), " ")
	}
	return out
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

// revision is the revision of the protocol that was spoken, as the streams have it.
func (w *world) revision() string {
	const meta = "io.modelcontextprotocol/protocolVersion"
	for _, line := range w.wire("in") {
		var in struct {
			Params struct {
				Meta map[string]any `json:"_meta"`
			}
		}
		if json.Unmarshal([]byte(line), &in) == nil && in.Params.Meta[meta] != nil {
			return fmt.Sprint(in.Params.Meta[meta])
		}
	}
	for _, line := range w.wire("out") {
		var in struct {
			Result struct{ ProtocolVersion string }
		}
		if json.Unmarshal([]byte(line), &in) == nil && in.Result.ProtocolVersion != "" {
			return in.Result.ProtocolVersion
		}
	}
	return "unknown"
}

func (w *world) wire(which string) []string {
	data, _ := os.ReadFile(filepath.Join(w.root, "wire-"+which))
	return strings.Split(string(data), "\n")
}
