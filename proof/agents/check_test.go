//go:build npm && linux

package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/tool"
)

// check reports every step that was not made, and every result that the model did not see.
func (m *model) check(a *agent) {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gaveUp != nil {
		m.t.Errorf("the model gave up: %v", m.gaveUp)
	}
	seen := m.seen()
	if len(seen) < len(m.script) {
		m.t.Errorf("the model was shown %d results in %d turns; the script has %d steps", len(seen), len(m.turns), len(m.script))
	}
	for i, s := range m.script[:min(len(seen), len(m.script))] {
		for _, want := range s.want {
			if !strings.Contains(seen[i], strings.TrimSpace(want)) {
				m.t.Errorf("%s: the model was not shown %q, but %q", s.does, want, seen[i])
			}
		}
		if got, want := form(seen[i]), s.form(a); s.own == "" && got != want {
			m.t.Errorf("%s: the model was shown %s, not %s: %q", s.does, got, want, seen[i])
		}
	}
	for _, u := range m.unknown {
		m.t.Logf("a request that no script answers: %s", u)
	}
}

// seen returns all that the model saw of its calls.
func (m *model) seen() []string {
	if len(m.turns) == 0 {
		return nil
	}
	return m.turns[len(m.turns)-1].results
}

// checkOffered reports each tool of emend that the agent does not offer, for instance because it does not support its schema. If
// the model has to search for tools, only those that it searched for are expected.
func (m *model) checkOffered() {
	m.t.Helper()
	if len(m.turns) == 0 || m.turns[0].finds {
		return
	}
	for _, name := range tool.Names() {
		if _, ok := m.turns[0].offers(name); !ok {
			m.t.Errorf("the model is not offered %s", name)
		}
	}
}

// offered returns those of the names that the model may call, in any turn.
func (m *model) offered(names []string) (out []string) {
	for _, name := range names {
		if slices.ContainsFunc(m.turns, func(s shown) bool { return slices.Contains(s.tools, name) }) {
			out = append(out, name)
		}
	}
	return out
}

// form returns the part of a step's result that an agent is known to show. A file's text is only in content.
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

// form returns the part of a result that a text is: structuredContent, which is an object, or content.
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

// otherRequests describes the requests of an agent beside the script.
func (m *model) otherRequests() string {
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
