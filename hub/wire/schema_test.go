package wire_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/wire"
)

var update = flag.Bool("update", false, "write the schemas anew")

// published are the types with a schema, and an example of each.
var published = map[string]any{
	"ask":      wire.Ask{V: 1, ID: wire.NewID(), At: time.Unix(1, 0).UTC(), By: "anna", Undo: &wire.Undo{Entry: "20260131-120102-ab", Preview: true}},
	"reply":    wire.Reply{V: 1, ID: "1", OK: true, Text: "done", Head: api.Head{Seq: 1, H: "ab"}},
	"batch":    wire.Batch{V: 1, Workspace: "U", After: api.Head{Seq: 1, H: "ab"}, Count: 2},
	"header":   wire.Header{Seq: 3, Prev: "ab", Kind: "commit", H: "cd", At: time.Unix(1, 0).UTC()},
	"diffs":    wire.Diffs{V: 1, Seq: 3, H: "cd", Entry: "20260131-120102-ab", Files: []wire.FileDiff{{Path: "a", Diff: "@@"}}},
	"presence": wire.Presence{V: 1, Workspace: "U", Root: "/srv", Host: "h", Ship: wire.ShipDiffs, Every: wire.PresenceEvery, Frozen: &api.Frozen{By: "hub"}},
	"question": wire.Question{V: 1, Workspace: "U", ID: "q", Paths: []api.AskedPath{{Path: "a", Write: true, Rule: "a"}}, Digest: "ab"},
	"pack":     wire.Pack{Name: "team", Version: 1, At: time.Unix(1, 0).UTC(), Policy: "[write]\ndeny=[\"a\"]\n"},
	"signed":   wire.SignedPack{Pack: []byte("{}"), Key: "ab", Sig: []byte("x")},
	"member":   wire.Member{ID: "U", Name: "one", Labels: []string{"a"}},
}

// TestSchemas: the published schemas are those of the types, and an example of each type fits.
func TestSchemas(t *testing.T) {
	for name, example := range published {
		s, err := jsonschema.ForType(reflect.TypeOf(example), &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[[]byte](): {Type: "string", ContentEncoding: "base64"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		s.ID, s.Schema = "https://emend.dev/schema/hub/"+name+".v1.json", "https://json-schema.org/draft/2020-12/schema"
		s.AdditionalProperties = nil // a later version may add fields
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, '\n')
		file := filepath.Join("schemas", name+".v1.json")
		if *update {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(have, text) {
			t.Errorf("%s is not the schema of the type (%v): go test ./wire -run TestSchemas -update; a field that is gone or changed needs a new version", file, err)
			continue
		}
		published := new(jsonschema.Schema)
		if err := json.Unmarshal(have, published); err != nil {
			t.Fatal(err)
		}
		r, err := published.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		data, err := json.Marshal(example)
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(v); err != nil {
			t.Errorf("%s: the example does not fit: %v", name, err)
		}
	}
	if n := len(wire.SchemaNames()); !*update && n != len(published) {
		t.Errorf("%d schemas are published, want %d", n, len(published))
	}
}
