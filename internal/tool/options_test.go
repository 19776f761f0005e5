package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// TestCheck checks that contradicting options are refused with a next step.
func TestCheck(t *testing.T) {
	for _, p := range Profiles {
		object := p == Emend || p == Comma
		for _, row := range []struct {
			o    Options
			fits bool
			says string
		}{
			{Options{Profile: p}, true, ""},
			{Options{Profile: p, Lenient: true}, p == Emend, "--lenient is for the profile emend"},
			{Options{Profile: p, RequireHash: true}, object, "use the profile emend or comma"},
			{Options{Profile: p, ReadOnly: true}, object, "use the profile emend or comma"},
			{Options{Profile: p, Workspaces: []Workspace{{Name: ""}}}, true, ""},
			{Options{Profile: p, Workspaces: []Workspace{{Name: "a"}, {Name: ""}}}, false, "needs a name"},
			{Options{Profile: p, Workspaces: []Workspace{{Name: "a"}, {Name: "b"}, {Name: "a"}}}, false, `two workspaces are called "a"`},
		} {
			err := row.o.Check()
			if (err == nil) != row.fits || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: %v, want %q", p.Name, err, row.says)
			}
		}
	}
	if err := (Options{}).Check(); err != nil {
		t.Error(err)
	}
}

// TestCommaRequireHash checks that RequireHash works with the field names of the profile comma.
func TestCommaRequireHash(t *testing.T) {
	o := Options{Profile: Comma, RequireHash: true}
	sum := "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806" // of "one\n"
	update := `{"patch":"*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+eins\n*** End Patch\n"`
	for _, row := range []struct{ tool, args, says string }{
		{"delete_file", `{"path":"a.txt"}`, "expectedSha256 is missing, and a person"},
		{"delete_file", `{"path":"a.txt","expectedSha256":"` + sum + `"}`, ""},
		{"move_file", `{"fromPath":"a.txt","toPath":"b.txt"}`, "expectedSha256 is missing"},
		{"move_file", `{"fromPath":"a.txt","toPath":"b.txt","expectedSha256":"` + sum + `"}`, ""},
		{"apply_patch", update + `}`, `no entry for "a.txt"`},
		{"apply_patch", update + `,"expectedSha256ByPath":{"a.txt":"` + sum + `"}}`, ""},
		// A file that an earlier section made needs no hash.
		{"apply_patch", `{"atomic":false,"patch":"*** Begin Patch\n*** Add File: c.txt\n+one\n*** Update File: c.txt\n@@\n-one\n+eins\n*** End Patch\n"}`, ""},
		{"apply_patch", `{"atomic":false,"patch":"*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+eins\n*** Update File: a.txt\n@@\n-eins\n+two\n*** End Patch\n",` +
			`"expectedSha256ByPath":{"a.txt":"` + sum + `"}}`, ""},
	} {
		r := replied(t, o.Call(t.Context(), open(t, map[string]string{"a.txt": "one\n"}), row.tool, json.RawMessage(row.args)))
		if r.OK != (row.says == "") || !strings.Contains(r.Output, row.says) {
			t.Errorf("%s %s: %+v", row.tool, row.args, r)
		}
	}
	for _, tool := range o.Tools() {
		if s := tool.Input(); s.Properties[hashField] != nil && !strings.Contains(strings.Join(s.Required, " "), hashField) {
			t.Errorf("%s requires %q", tool.Name, s.Required)
		}
	}
}

// TestFixedDialect checks that a profile parses only its own dialect, whatever the text looks like.
func TestFixedDialect(t *testing.T) {
	codex := "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+eins\n*** End Patch\n"
	bare := "*** Update File: a.txt\n@@ one\n-one\n+eins\n"
	for _, p := range Profiles {
		for name, text := range map[string]string{"codex": codex, "supyagent": bare} {
			ws := open(t, map[string]string{"a.txt": "one\n"})
			field := p.Tools[len(p.Tools)-1].Input().Required
			if p == Emend || p == Comma {
				field = []string{"patch"}
			}
			args, err := json.Marshal(map[string]string{field[0]: text})
			if err != nil {
				t.Fatal(err)
			}
			r := Options{Profile: p}.Call(t.Context(), ws, "apply_patch", args)
			if fits := p.Name == name || p == Emend; r.OK() != fits {
				t.Errorf("%s reads a text of %s: %s", p.Name, name, r.Text())
			}
		}
	}
}

// TestRefusalInAnyPlace checks that a refusal is logged in the workspace that the call names, and nowhere if it names
// none.
func TestRefusalInAnyPlace(t *testing.T) {
	docs, web := open(t, nil), open(t, nil)
	o := Options{Workspaces: []Workspace{{"api", docs}, {"web", web}}}
	for _, args := range []string{`{"path":"a","content":5,"workspace":"web"}`, `{"path":"a","content":"x","workspace":"none"}`, `{"path":"a","content":"x"}`, `[]`} {
		if r := o.Call(t.Context(), nil, "create_file", json.RawMessage(args)); r.OK() {
			t.Errorf("%s: %s", args, r.Text())
		}
	}
	for ws, want := range map[*emend.Workspace]int{docs: 0, web: 1} {
		a, err := ws.History(t.Context(), api.HistoryRequest{})
		if err != nil || len(a.Data.Entries) != want {
			t.Errorf("%d refusals are on record, want %d: %v", len(a.Data.Entries), want, err)
		}
	}
}
