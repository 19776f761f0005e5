package tool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/google/jsonschema-go/jsonschema"
)

// reply is a result as a client decodes it.
type reply struct {
	OK     bool
	Output string
	Data   json.RawMessage
	Meta   json.RawMessage `json:"_meta"`
	Error  *struct {
		Kind, Message, SuggestedNextAction string
		Recoverable                        bool
		Details                            struct {
			Reason   string
			Failures []struct{ Message, SuggestedNextAction string }
		}
	}
}

func replied(t testing.TB, r api.Result) (out reply) {
	t.Helper()
	b, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out.OK != r.OK() {
		t.Errorf("ok is %t and %t", out.OK, r.OK())
	}
	return out
}

func open(t testing.TB, files map[string]string) *emend.Workspace {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

// TestArguments checks that each error names the argument, its value and the next step.
func TestArguments(t *testing.T) {
	ws := open(t, map[string]string{"a.txt": "one\n"})
	h := strings.Repeat("0", 64)
	tests := []struct{ tool, args, says, next string }{
		{"read_file", ``, "path is missing", "Send path: relative to the workspace."},
		{"read_file", `null`, "path is missing", ""},
		{"read_file", `{}`, "path is missing", ""},
		{"read_file", `[]`, "the arguments are a list of 0; they have to be an object", "Send one JSON object."},
		{"read_file", `"a.txt"`, `the arguments are "a.txt", a string`, "Send one JSON object."},
		{"read_file", `{"path":`, "the arguments are not JSON: they end too early", "whole"},
		{"read_file", `{"path":"a.txt",}`, "the arguments are not JSON: invalid character '}'", "Send one JSON object."},
		{"read_file", `{path:"a.txt"}`, "the arguments are not JSON: invalid character 'p'", ""},
		{"read_file", `{"path":"a.txt"} {}`, "something follows the arguments", ""},
		{"read_file", `{"path":"a.txt"}]`, "something follows the arguments", ""},
		{"read_file", `{"path":"a.txt","path":"b.txt"}`, `the arguments have "path" twice`, "Send it once."},
		{"read_file", `{"path":"a.txt","p\u0061th":"b.txt"}`, `the arguments have "path" twice`, ""},
		{"read_file", `{"path":5}`, "path is 5, a number; it has to be a string", "path: relative to the workspace"},
		{"read_file", `{"path":null}`, "path is null; it has to be a string", ""},
		{"read_file", `{"path":"a.txt","startLine":null}`, "startLine is null; it has to be an integer", "Leave startLine out instead."},
		{"read_file", `{"path":"a.txt","startLine":"5"}`, `startLine is "5", a string; it has to be an integer`, ""},
		{"read_file", `{"path":"a.txt","startLine":1.5}`, "startLine is 1.5, a number; it has to be an integer", ""},
		{"read_file", `{"path":"a.txt","startLine":1e99}`, "startLine is 1e99, which is too large", "Send a smaller startLine"},
		{"read_file", `{"path":"a.txt","startLine":99999999999999999999}`, "startLine is 99999999999999999999, which is too large", "Send a smaller startLine"},
		{"read_file", `{"path":"a.txt","startLine":-1e999}`, "startLine is -1e999, which is too small", "Send a larger startLine"},
		{"read_file", `{"path":"a.txt","startLine":1e-99}`, "startLine is 1e-99, a number; it has to be an integer", ""},
		{"read_file", `{"path":"a.txt","startLine":0}`, "startLine is 0; it has to be at least 1", "leave it out"},
		{"read_file", `{"path":"a.txt","startLine":-5}`, "startLine is -5; it has to be at least 1", "leave it out"},
		{"read_file", `{"path":"a.txt","startLine":2,"endLine":1}`, "endLine is 1", "startLine is 2"},
		{"read_file", `{"path":"a.txt","maxBytes":999999999}`, "maxBytes is 999999999; it has to be at most 67108864", "smaller"},
		{"read_file", `{"path":"a.txt","allowBinary":"yes"}`, `allowBinary is "yes", a string; it has to be a boolean`, ""},
		{"read_file", `{"path":"a.txt","strtLine":1}`, `"strtLine" is not an argument of read_file`, `Did you mean "startLine"? The arguments are: path, startLine,`},
		{"read_file", `{"path":"a.txt","start_line":1}`, `"start_line" is not an argument`, `"startLine"`},
		{"read_file", `{"path":"a.txt","Path":"b.txt"}`, `"Path" is not an argument`, `"path"`},
		{"read_file", `{"file_path":"a.txt"}`, `"file_path" is not an argument`, `Did you mean "path"?`},
		{"read_file", `{"path":"a.txt","xyzzy":1}`, `"xyzzy" is not an argument`, "The arguments are: "},
		{"read_file", "{\"path\":\"a\xff.txt\"}", "not valid UTF-8", "UTF-8"},
		{"write_file", `{"path":"a.txt","content":"\ud83d","expectedSha256":"` + h + `"}`, `half a surrogate pair: \ud83d`, "whole character"},
		{"write_file", `{"path":"a.txt","content":"x"}`, "expectedSha256 is missing", "Send expectedSha256: its sha256, from read_file."},
		{"write_file", `{"path":"a.txt","content":"x","expectedSha256":""}`, `expectedSha256 is "", which is not a sha256`, "read_file"},
		{"write_file", `{"path":"a.txt","content":"x","expectedSha256":"` + strings.Repeat("A", 64) + `"}`, "not a sha256 of 64 lower-case", "read_file"},
		{"write_file", `{"path":"a.txt","content":"x","expectedSha256":"` + h + `\n"}`, "not a sha256", "read_file"},
		{"delete_file", `{"path":"a.txt","expectedSha256":"abc"}`, `expectedSha256 is "abc"`, "read_file"},
		{"move_file", `{"from":"a.txt","to":"b.txt","expectedSha256":"` + h + `"}`, "4 failures", ""},
		{"edit_file", `{"path":"a.txt","expectedSha256":"` + h + `","edits":[]}`, "edits is a list of 0; it has to have at least 1", "edits: all against"},
		{"edit_file", `{"path":"a.txt","expectedSha256":"` + h + `","edits":{}}`, "edits is an object; it has to be a list", ""},
		{"edit_file", `{"path":"a.txt","expectedSha256":"` + h + `","edits":["x"]}`, `edits[0] is "x", a string; it has to be an object`, ""},
		{"edit_file", `{"path":"a.txt","expectedSha256":"` + h + `","edits":[{"oldText":"a","newText":"b"},{"oldText":"b"}]}`, "edits[1].newText is missing", "what takes its place"},
		{"edit_file", `{"path":"a.txt","expectedSha256":"` + h + `","edits":[{"old_string":"a","newText":"b"}]}`, `"old_string" is not a field of edits[0]`, `Did you mean "oldText"?`},
		{"edit_file", `{"path":"a.txt","expectedSha256":"` + h + `","edits":[{"oldText":"a","newText":"b","expectedOccurrences":-1}]}`, "edits[0].expectedOccurrences is -1; it has to be at least 1", ""},
		{"edit_file", `{"path":"a.txt","expectedSha256":"` + h + `","edits":[{"oldText":"a","newText":"b"}],"tolerance":"loose"}`, `tolerance is "loose"; it has to be one of exact, trailing, whitespace, unicode`, ""},
		{"search_files", `{"query":"x"}`, "mode is missing", ""},
		{"search_files", `{"query":"x","mode":"fuzzy"}`, `mode is "fuzzy"; it has to be one of path, text, regex`, "one of these words"},
		{"search_files", `{"query":"x","mode":"text","includeGlobs":"*.go"}`, `includeGlobs is "*.go", a string; it has to be a list`, ""},
		{"search_files", `{"query":"x","mode":"text","includeGlobs":[1]}`, "includeGlobs[0] is 1, a number; it has to be a string", ""},
		{"search_files", `{"query":"x","mode":"text","contextLines":-1}`, "contextLines is -1; it has to be at least 0", ""},
		{"search_files", `{"query":"x","mode":"text","maxResults":10001}`, "maxResults is 10001; it has to be at most 10000", ""},
		{"list_directory", `{"path":".","maxDepth":33}`, "maxDepth is 33; it has to be at most 32", ""},
		{"glob", `{"glob":"*"}`, `"glob" is not an argument of glob`, `Did you mean "pattern"?`},
		{"apply_patch", `{"input":"x"}`, `"input" is not an argument`, `Did you mean "patch"?`},
		{"apply_patch", `{"patch":"x","expectedSha256ByPath":{"a":5}}`, `expectedSha256ByPath."a" is 5, a number; it has to be a string`, ""},
		{"apply_patch", `{"patch":"x","dialect":"git"}`, `dialect is "git"; it has to be one of auto, emend`, ""},
		{"history", `{"limit":5000}`, "limit is 5000; it has to be at most 1000", ""},
		{"read_fle", `{}`, `no tool is called "read_fle"`, `Did you mean "read_file"?`},
		{"", `{}`, `no tool is called ""`, "The tools are: read_file, "},
	}
	for _, test := range tests {
		r := replied(t, Call(t.Context(), ws, test.tool, json.RawMessage(test.args)))
		if r.OK || r.Error == nil || r.Error.Kind != "command_failed" || r.Error.Details.Reason != "bad_arguments" || !r.Error.Recoverable {
			t.Errorf("%s %s: %+v", test.tool, test.args, r)
			continue
		}
		if !strings.Contains(r.Output, test.says) || !strings.Contains(r.Output, test.next) || !strings.Contains(r.Output, "\n  next: ") {
			t.Errorf("%s %s: %q", test.tool, test.args, r.Output)
		}
		for _, f := range r.Error.Details.Failures {
			if f.SuggestedNextAction == "" || f.Message == "" {
				t.Errorf("%s %s: %+v", test.tool, test.args, f)
			}
		}
	}
}

// TestAllComplaints checks that one answer lists all errors, up to a limit.
func TestAllComplaints(t *testing.T) {
	ws := open(t, nil)
	r := replied(t, Call(t.Context(), ws, "read_file", json.RawMessage(`{"pth":"a","startLine":"x","endLine":-1,"maxBytes":0}`)))
	for _, want := range []string{`"pth" is not`, "startLine is", "endLine is -1", "maxBytes is 0", "path is missing"} {
		if !strings.Contains(r.Output, want) {
			t.Errorf("%q lacks %q", r.Output, want)
		}
	}
	if len(r.Error.Details.Failures) != 5 {
		t.Errorf("%d failures", len(r.Error.Details.Failures))
	}
	var many strings.Builder
	many.WriteString(`{"path":"a"`)
	for i := range 1000 {
		b, _ := json.Marshal(strings.Repeat("x", i+1))
		many.WriteString("," + string(b) + ":1")
	}
	r = replied(t, Call(t.Context(), ws, "read_file", json.RawMessage(many.String()+"}")))
	if n := len(r.Error.Details.Failures); n != maxComplaints || !strings.Contains(r.Output, " more, shown when these are fixed") || len(r.Output) > 2100 {
		t.Errorf("%d failures, %d bytes", n, len(r.Output))
	}
}

// TestHostile checks that hostile arguments are refused in bounded time and memory.
func TestHostile(t *testing.T) {
	ws := open(t, nil)
	says := map[string]string{"deep": "16 levels deep", "deep, shut": "16 levels deep", "many": "over 1048576 values"}
	for name, args := range map[string]string{
		"deep":       `{"path":` + strings.Repeat("[", 1<<20),
		"deep, shut": `{"path":` + strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1001),
		"many":       `{"path":[` + strings.Repeat("1,", maxValues) + "1]}",
		"long":       `{"` + strings.Repeat("x", 1<<20) + `":1}`,
		"long value": `{"path":"a","startLine":"` + strings.Repeat("x", 1<<20) + `"}`,
		"number":     `{"path":"a","startLine":` + strings.Repeat("9", 1<<20) + `}`,
		"exponent":   `{"path":"a","startLine":1e999999999}`,
		"nul":        "{\"path\":\"a\x00\"}",
	} {
		r := replied(t, Call(t.Context(), ws, "read_file", json.RawMessage(args)))
		if r.OK || r.Error.Details.Reason != "bad_arguments" || len(r.Output) > 10_000 || !strings.Contains(r.Output, says[name]) {
			t.Errorf("%s: ok %t, %d bytes of output: %.300q", name, r.OK, len(r.Output), r.Output)
		}
	}
}

// TestCallReads checks that valid arguments reach the workspace, with integers in any notation of JSON.
func TestCallReads(t *testing.T) {
	ws := open(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	for _, args := range []string{`{"path":"a.txt","startLine":2,"endLine":2}`, `{"path":"a.txt","startLine":2.0,"endLine":2e0}`, ` {"path":"\u0061.txt","startLine":20E-1,"endLine":2,"maxBytes":4} `} {
		r := replied(t, Call(t.Context(), ws, "read_file", json.RawMessage(args)))
		if !r.OK || !strings.HasSuffix(r.Output, "\ntwo\n") || !strings.Contains(string(r.Data), `"startLine":2,`) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	r := replied(t, Call(t.Context(), ws, "read_file", json.RawMessage(`{"path":"b.txt"}`)))
	if r.OK || r.Error.Kind != "not_found" || !strings.HasPrefix(r.Output, "Cannot do this.\n") {
		t.Errorf("%+v", r)
	}
}

// TestCellNumber checks that the number of a cell may be written as a number.
func TestCellNumber(t *testing.T) {
	for cell, want := range map[string]bool{`0`: true, `0.0`: true, `"0"`: true, `7`: false, `0.5`: false, `[0]`: false} {
		ws := open(t, map[string]string{"n.ipynb": notebook})
		args := `{"path":"n.ipynb","expectedSha256":"` + text.Sum(notebook) + `","cell":` + cell + `,"source":"x"}`
		if r := replied(t, Call(t.Context(), ws, "edit_cell", json.RawMessage(args))); r.OK != want {
			t.Errorf("cell %s: %+v", cell, r)
		}
	}
}

// TestReadOnly checks that no tool that changes files is offered or runs.
func TestReadOnly(t *testing.T) {
	ws := open(t, map[string]string{"a.txt": "one\n"})
	o := Options{ReadOnly: true, Profile: People}
	for _, tool := range All {
		r := replied(t, o.Call(t.Context(), ws, tool.Name, json.RawMessage(tool.Example)))
		if refused := r.Error != nil && r.Error.Kind == "permission_denied"; refused != tool.Mutates {
			t.Errorf("%s: %+v", tool.Name, r)
		}
		if tool.Mutates && (!strings.Contains(r.Output, tool.Name) || r.Error.SuggestedNextAction == "") {
			t.Errorf("%s: %q", tool.Name, r.Output)
		}
	}
	for _, tool := range (Options{ReadOnly: true}).Tools() {
		if tool.Mutates {
			t.Errorf("%s is offered", tool.Name)
		}
	}
	if entries, err := os.ReadDir(ws.Root()); err != nil || len(entries) != 1 {
		t.Errorf("the workspace has %v, %v", entries, err)
	}
}

// TestPanic checks that a panic is reported as a defect.
func TestPanic(t *testing.T) {
	r := replied(t, Call(t.Context(), nil, "read_file", json.RawMessage(`{"path":"a"}`)))
	if r.OK || r.Error.Kind != "unknown" || !strings.Contains(r.Output, "read_file failed") {
		t.Errorf("%+v", r)
	}
}

func TestCancelled(t *testing.T) {
	ws := open(t, map[string]string{"a.txt": "one\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := replied(t, Call(ctx, ws, "read_file", json.RawMessage(`{"path":"a.txt"}`)))
	if r.OK || r.Error.Details.Reason != "cancelled" {
		t.Errorf("%+v", r)
	}
}

func TestHalfPair(t *testing.T) {
	for text, want := range map[string]string{
		`"\ud83d\ude00"`: "", `"\uD83D\uDE00\ud83d\ude00"`: "", `"\u00e9 \n \\ud83d"`: "", `"\ud83d"`: `\ud83d`, `"\ude00\ud83d"`: `\ude00`,
		`"\ud83dx"`: `\ud83d`, `"\ud83d\n"`: `\ud83d`, `"\ud83d\ud83d\ude00"`: `\ud83d`, `\`: "", `"\u`: "", `"\\\ud83d"`: `\ud83d`, `"\ud83d\u`: `\ud83d`, "": "",
	} {
		if got := halfPair([]byte(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

var large = regexp.MustCompile(`[eE][+-]?\d{3}`)

// FuzzCall checks that no arguments make a call panic, that accepted arguments fit the schema, and that the tool's
// type accepts them too. The workspace is closed, so no call has an effect.
func FuzzCall(f *testing.F) {
	all := slices.Concat(All, Comma.Tools)
	for i, tool := range all {
		f.Add(i, tool.Example)
	}
	f.Add(0, `{"path":"a","startLine":1.0}`)
	f.Add(10, `{"patch":"x","expectedSha256ByPath":{"":""}}`)
	f.Add(6, `{"path":"a","edits":[{"oldText":"\ud83d","newText":"","expectedOccurrences":1e1}]}`)
	f.Add(2, `[[{"":[]}]]`)
	f.Add(0, `{}`)
	f.Add(8, `{"trashedPath":null,"x":1}`)
	f.Add(2, `{"query":"","mode":"x","maxResults":0}`)
	f.Add(6, `{"path":"a","expectedSha256":"0","edits":[]}`)
	f.Add(13, `{"path":"a","version":"x","expectedSha256":""}`)
	f.Add(16, `{"before":"yesterday"}`)
	f.Add(17, `{"dryRun":true,"path":""}`)
	f.Add(17, `{"before":"2w"}`)
	ws, err := emend.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	if err := ws.Close(); err != nil {
		f.Fatal(err)
	}
	schemas := map[*Tool]*jsonschema.Resolved{}
	for _, tool := range all {
		if schemas[tool], err = tool.Input().Resolve(nil); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, n int, args string) {
		n = max(n%len(all), 0)
		tool, o := all[n], Options{Profile: People}
		if n >= len(All) {
			o.Profile = Comma
		}
		v, err := parse(json.RawMessage(args))
		if err == nil {
			err = tool.check(v)
		}
		// If the arguments could be parsed. The schema library expands large exponents into zeros.
		if (err == nil || errors.As(err, new(fail.List))) && !large.MatchString(args) {
			if invalid := schemas[tool].Validate(v.plain()); (invalid == nil) != (err == nil) {
				t.Errorf("%v, and by the schema %v", err, invalid)
			}
		}
		_, err = o.arguments(tool, json.RawMessage(args)) // the schema does not express some of the checks, as of the form of a hash
		r := replied(t, o.Call(t.Context(), ws, tool.Name, json.RawMessage(args)))
		if r.OK || r.Error.Kind != "command_failed" || r.Error.Details.Reason != "bad_arguments" {
			t.Errorf("%+v", r)
		}
		if closed := strings.Contains(r.Output, "the workspace is closed"); closed != (err == nil) {
			t.Errorf("%v, and then %q", err, r.Output)
		}
	})
}

func TestErrorsThatAreNoRefusals(t *testing.T) {
	r := replied(t, Options{}.refusal(nil, errors.New("boom")))
	if r.OK || r.Error.Kind != "unknown" || r.Error.SuggestedNextAction == "" {
		t.Errorf("%+v", r)
	}
}

// TestRefusalsAreLogged checks that the refusal of a tool that changes files is logged with its tool, session and
// path, and that of other tools is not.
func TestRefusalsAreLogged(t *testing.T) {
	ws := open(t, map[string]string{"a.txt": "one\n"})
	ctx := emend.WithActor(t.Context(), api.Actor{Session: "s1", Client: "test"})
	h := strings.Repeat("0", 64)
	calls := []struct{ tool, args, kind, path string }{
		{"write_file", `{"path":"a.txt","content":5}`, "command_failed", "a.txt"},
		{"move_file", `{"fromPath":"a.txt"}`, "command_failed", "a.txt"},
		{"apply_patch", `{"patch":"*** Begin Patch\n*** Delete File: b.txt\n*** End Patch","x":1}`, "command_failed", "b.txt"},
		{"edit_file", `nonsense`, "command_failed", ""},
		{"write_file", `{"path":"a.txt","content":"x","expectedSha256":"` + h + `"}`, "stale_file", "a.txt"},
		{"delete_file", `{"path":".env"}`, "permission_denied", ".env"},
		{"create_file", `{"path":"../x","content":""}`, "outside_workspace", "../x"},
		{"read_file", `{}`, "", ""},
		{"read_file", `{"path":"none"}`, "", ""},
		{"glob", `{}`, "", ""},
	}
	var want []string
	for _, c := range calls {
		r := replied(t, Call(ctx, ws, c.tool, json.RawMessage(c.args)))
		if r.OK {
			t.Errorf("%s %s: %+v", c.tool, c.args, r)
		}
		if c.kind != "" {
			want = append(want, c.tool+" "+c.kind+" "+c.path+" s1 test")
			if r.Error.Kind != c.kind {
				t.Errorf("%s %s: %+v", c.tool, c.args, r)
			}
		}
	}
	a, err := ws.History(t.Context(), api.HistoryRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range a.Data.Entries {
		if e.OK {
			t.Errorf("%+v", e)
		}
		got = append([]string{e.ToolName + " " + e.ErrorKind + " " + e.Path + " " + e.SessionID + " " + e.Client}, got...)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestToolIsLogged checks that the log has the name of the tool that made a change, whatever name the caller had set
// before.
func TestToolIsLogged(t *testing.T) {
	ws := open(t, nil)
	ctx := emend.WithActor(t.Context(), api.Actor{Tool: "something_else", Agent: "a1"})
	for _, c := range [][2]string{
		{"create_file", `{"path":"a","content":"1\n"}`},
		{"apply_patch", `{"patch":"*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** End Patch"}`},
		{"undo", `{}`},
		{"delete_file", `{"path":"a"}`},
	} {
		if r := replied(t, Call(ctx, ws, c[0], json.RawMessage(c[1]))); !r.OK {
			t.Errorf("%s: %+v", c[0], r)
		}
		a, err := ws.History(t.Context(), api.HistoryRequest{Limit: 1})
		if err != nil || len(a.Data.Entries) != 1 || a.Data.Entries[0].ToolName != c[0] || a.Data.Entries[0].AgentName != "a1" {
			t.Errorf("%s: %+v, %v", c[0], a, err)
		}
	}
}

// TestRequireHash checks that RequireHash demands a hash for every existing file, where the tool itself does not.
func TestRequireHash(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", "b.txt": "two\n"}
	sum := "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806" // of "one\n"
	patch := func(lines ...string) string {
		b, err := json.Marshal("*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n")
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	updateA := []string{"*** Update File: a.txt", "@@", "-one", "+eins"}
	tests := []struct{ tool, args, kind, says string }{
		{"delete_file", `{"path":"a.txt"}`, "command_failed", "expectedSha256 is missing"},
		{"delete_file", `{"path":"a.txt","expectedSha256":"` + sum + `"}`, "", ""},
		{"create_file", `{"path":"c.txt","content":"x"}`, "", ""},
		{"apply_patch", `{"patch":` + patch(updateA...) + `}`, "command_failed", `no entry for "a.txt"`},
		{"apply_patch", `{"patch":` + patch(updateA...) + `,"dryRun":true}`, "command_failed", `no entry for "a.txt"`},
		{"apply_patch", `{"patch":` + patch(updateA...) + `,"expectedSha256ByPath":{"a.txt":"` + sum + `"}}`, "", ""},
		{"apply_patch", `{"patch":` + patch(updateA...) + `,"expectedSha256ByPath":{"a.txt":"` + strings.Repeat("0", 64) + `"}}`, "stale_file", ""},
		{"apply_patch", `{"patch":` + patch(append(updateA, "*** Delete File: b.txt")...) + `,"expectedSha256ByPath":{"a.txt":"` + sum + `"}}`, "command_failed", `no entry for "b.txt"`},
		{"apply_patch", `{"patch":` + patch("*** Move File: a.txt -> c.txt") + `}`, "command_failed", `no entry for "a.txt"`},
		{"apply_patch", `{"patch":` + patch("*** Move File: a.txt -> c.txt") + `,"expectedSha256ByPath":{"a.txt":"` + sum + `"}}`, "", ""},
		{"apply_patch", `{"patch":` + patch("*** Add File: c.txt", "+x") + `}`, "", ""},
		{"apply_patch", `{"patch":` + patch("*** Add File: b.txt", "+x") + `,"dialect":"codex"}`, "already_exists", ""},
		{"apply_patch", `{"patch":` + patch("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-one", "+eins") +
			`,"dialect":"codex","expectedSha256ByPath":{"a.txt":"` + sum + `"}}`, "command_failed", "may overwrite a file unseen"},
		{"apply_patch", `{"patch":"no patch"}`, "patch_parse_error", ""},
		// a text that can only be read if it is decoded
		{"apply_patch", `{"lenient":true,"patch":` + patch("*** Update File: a.txt", "@@", "1: -one", "1: +eins") + `}`, "command_failed", `no entry for "a.txt"`},
		{"apply_patch", `{"lenient":true,"patch":` + patch("*** Update File: a.txt", "@@", "1: -one", "1: +eins") + `,"expectedSha256ByPath":{"a.txt":"` + sum + `"}}`, "", ""},
	}
	for _, test := range tests {
		ws := open(t, files)
		r := replied(t, Options{RequireHash: true}.Call(t.Context(), ws, test.tool, json.RawMessage(test.args)))
		if r.OK != (test.kind == "") || r.Error != nil && r.Error.Kind != test.kind || !strings.Contains(r.Output, test.says) {
			t.Errorf("%s %s: %+v", test.tool, test.args, r)
		}
	}
	for _, tool := range (Options{RequireHash: true}).Tools() {
		_, has := tool.Input().Properties["expectedSha256"]
		if has != strings.Contains(strings.Join(tool.Input().Required, " "), "expectedSha256") {
			t.Errorf("%s requires %q", tool.Name, tool.Input().Required)
		}
	}
	if len(deleteFile.Input().Required) != 1 {
		t.Errorf("delete_file itself requires %q", deleteFile.Input().Required)
	}
}
