package trace_test

import (
	"encoding/json"
	"flag"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/emendtest"
	"github.com/google/jsonschema-go/jsonschema"
)

var updateTrace = flag.Bool("update-trace", false, "write testdata/agent_trace/record.json anew")

// TestAgentTrace: the record has every line once, fits the schema of Agent Trace, and is as written down.
func TestAgentTrace(t *testing.T) {
	s := emendtest.NewStory(t, "d/f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	names := map[string]string{}
	name := func(name, tx string) { names[tx] = name }
	agent := by(s, api.Actor{Client: "editor/1", Session: "5a9f/1 é", Turn: "1", Agent: "coder"})
	name("first", agent.Edit("d/f", "2", "two\n2 more"))
	name("second", agent.Edit("d/f", "4", "four"))
	name("turn-2", by(agent, api.Actor{Turn: "2"}).Edit("d/f", "5", "five"))
	name("person", by(s, api.Actor{Client: "emend ui", Agent: api.PersonAgent, Session: "p"}).Edit("d/f", "6", "six"))
	name("command-line", by(s, api.Actor{Client: api.CommandLine}).Edit("d/f", "7", "seven"))
	look(s, "1", api.LookRequest{Moment: api.BeforeCall})
	look(s, "2", api.LookRequest{Moment: api.BeforeCall})
	s.Save("d/f", strings.Replace(s.Read("d/f"), "8", "eight", 1))
	name("seen", look(s, "1", api.LookRequest{Moment: api.AfterCall}))
	s.Save("d/f", strings.Replace(s.Read("d/f"), "9", "nine", 1))

	before := time.Now()
	record, err := s.WS.Host().AgentTrace(s.Ctx, api.BlameRequest{Path: "d/f"})
	s.Must(err)
	text, err := json.MarshalIndent(record, "", "  ")
	s.Must(err)
	fits(t, text)
	if is := record.Timestamp; is.Before(before.Truncate(time.Millisecond)) || is.Location() != time.UTC {
		t.Errorf("it was made at %s", is)
	}
	again, err := s.WS.Host().AgentTrace(s.Ctx, api.BlameRequest{Path: "d/f"})
	s.Must(err)
	if again.ID == record.ID {
		t.Error("two records have one id")
	}

	lines := strings.SplitAfter(s.Read("d/f"), "\n")
	owners := map[int]int{}
	for i, c := range record.Files[0].Conversations {
		for _, r := range c.Ranges {
			if want := "sha256:" + emendtest.Sum(strings.Join(lines[r.StartLine-1:r.EndLine], "")); r.ContentHash != want {
				t.Errorf("lines %d to %d: %s, want %s", r.StartLine, r.EndLine, r.ContentHash, want)
			}
			for n := r.StartLine; n <= r.EndLine; n++ {
				if other, taken := owners[n]; taken {
					t.Errorf("line %d is in conversations %d and %d", n, other, i)
				}
				owners[n] = i
			}
		}
	}
	if len(owners) != 10 {
		t.Errorf("%d of 10 lines are in the record", len(owners))
	}

	got := string(text)
	for tx, name := range names {
		got = strings.ReplaceAll(got, tx, name)
	}
	got = strings.ReplaceAll(got, record.ID, "UUID")
	got = regexp.MustCompile(`"timestamp": "[^"]*"`).ReplaceAllString(got, `"timestamp": "NOW"`)
	got = regexp.MustCompile(`"h": "[0-9a-f]{64}"`).ReplaceAllString(got, `"h": "HASH"`)
	const golden = "testdata/agent_trace/record.json"
	if *updateTrace {
		s.Must(os.WriteFile(golden, []byte(got+"\n"), 0o644))
	}
	want, err := os.ReadFile(golden)
	s.Must(err)
	if got+"\n" != string(want) {
		t.Errorf("it is %s", got)
	}
}

// fits fails the test unless a record fits the schema, with no field that the schema does not name, and with the formats that it
// names.
func fits(t *testing.T, record []byte) {
	t.Helper()
	data, err := os.ReadFile("testdata/agent_trace/trace-record.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	var value map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(record, &value); err != nil {
		t.Fatal(err)
	}
	closeSchema(&schema)
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%v\n%s", err, record)
	}
	if id := value["id"].(string); !regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$").MatchString(id) {
		t.Errorf("the id %q is no UUID", id)
	}
	if at := value["timestamp"].(string); !strings.HasSuffix(at, "Z") {
		t.Errorf("the timestamp %q is not UTC", at)
	}
	for _, match := range regexp.MustCompile(`"url": "([^"]*)"`).FindAllSubmatch(record, -1) {
		if u, err := url.Parse(string(match[1])); err != nil || !u.IsAbs() || u.Scheme != "emend" {
			t.Errorf("%q is no address: %v", match[1], err)
		}
	}
}

// closeSchema forbids fields that the schema does not name, but in the metadata.
func closeSchema(s *jsonschema.Schema) {
	if len(s.Properties) > 0 {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	for _, p := range s.Properties {
		closeSchema(p)
	}
	for _, d := range s.Defs {
		closeSchema(d)
	}
	if s.Items != nil {
		closeSchema(s.Items)
	}
}
