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
	}
	for p := range shaped {
		f.Add(p.Tools[0].Example)
	}
	for _, args := range []string{``, `null`, `[]`, `{}`, `{"patch":5}`, `{"patch":"x","input":"y"}`, `{"patch":"x","patch":"y"}`, `{"patch":"\ud83d"}`,
		`{"patch":"x","dry_run":1,"working_dir":null,"x":1}`, `{"patch":"x","working_dir":"../.."}`, `{"input":{}}`, `{"patch":"x"}}`} {
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
			r := Options{Profile: p}.Call(t.Context(), ws, "apply_patch", json.RawMessage(args))
			object, err := json.Marshal(r)
			if err != nil || r.OK() || !fits(r.Text(), object) || strings.Contains(r.Text(), "apply_patch failed") {
				t.Errorf("%s %s: %s, %v", p.Name, args, object, err)
			}
		}
	})
}
