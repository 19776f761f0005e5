package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
)

// FuzzShapes checks that for any arguments the answer has the shape of its system and reports no defect. The
// workspace is closed, so no call has an effect.
func FuzzShapes(f *testing.F) {
	shaped := map[*Profile]func(text string, object []byte) bool{
		Supyagent: func(_ string, object []byte) bool {
			var r struct {
				Results []struct{}
				Error   string
				Added   *int `json:"files_added"`
			}
			return json.Unmarshal(object, &r) == nil && r.Results != nil && r.Added != nil && strings.HasPrefix(r.Error, "Validation failed: ")
		},
		Chimera: func(text string, _ []byte) bool { return strings.HasPrefix(text, "apply_patch: ") },
		Codex:   func(text string, _ []byte) bool { return text != "" },
		OpenAI: func(text string, object []byte) bool {
			var r struct{ Status, Output string }
			return json.Unmarshal(object, &r) == nil && r.Status == "failed" && r.Output == text && strings.HasPrefix(text, "Error: ")
		},
		Anthropic: func(text string, _ []byte) bool { return strings.HasPrefix(text, "Error: ") },
	}
	for p := range shaped {
		for _, tool := range p.Tools {
			f.Add(tool.Example)
		}
	}
	for _, args := range []string{``, `null`, `[]`, `{}`, `{"patch":5}`, `{"patch":"x","input":"y"}`, `{"patch":"x","patch":"y"}`, `{"patch":"\ud83d"}`,
		`{"patch":"x","dry_run":1,"working_dir":null,"x":1}`, `{"patch":"x","working_dir":"../.."}`, `{"input":{}}`, `{"patch":"x"}}`,
		`{"type":"create_file","path":"a","diff":"+x"}`, `{"type":"delete_file","path":"a","diff":null}`, `{"command":"view","path":"/memories","view_range":[1,-1]}`,
		`{"command":"insert","path":"/memories/a","insert_line":1e0,"new_str":"x"}`, `{"command":"rename","old_path":"/memories/a","new_path":"/memories/b"}`,
		`{"command":"delete","path":"/memories/../a"}`, `{"command":["view"],"path":"a"}`} {
		f.Add(args)
	}
	ws, err := emend.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	if err := ws.Close(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, args string) {
		for p, fits := range shaped {
			for _, tool := range p.Tools {
				r := Options{Profile: p}.Call(t.Context(), ws, tool.Name, json.RawMessage(args))
				object, err := json.Marshal(r)
				if err != nil || r.OK() || !fits(r.Text(), object) || strings.Contains(r.Text(), tool.Name+" failed") {
					t.Errorf("%s %s: %s, %v", p.Name, args, object, err)
				}
			}
		}
	})
}
