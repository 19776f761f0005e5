package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
)

// line is what an event says, on one line: the moment, who, and what.
func line(t *testing.T, client, text string) string {
	t.Helper()
	e, err := Parse(client, []byte(text))
	if err != nil {
		t.Errorf("%s: %s: %v", client, text, err)
		return ""
	}
	if e == nil {
		return "nothing"
	}
	a, l := e.Actor, e.Look
	if a.Client != client {
		t.Errorf("%s: the client is %q", client, a.Client)
	}
	var out strings.Builder
	out.WriteString(string(l.Moment))
	for _, f := range []struct{ name, value string }{{"session", a.Session}, {"agent", a.Agent}, {"turn", a.Turn}, {"tool", a.Tool}, {"call", a.Call},
		{"runs", l.Command}, {"paths", strings.Join(l.Paths, " ")}, {"result", l.Result}, {"in", e.Dir}, {"of", e.Project}} {
		if f.value != "" {
			out.WriteString(" " + f.name + "=" + f.value)
		}
	}
	return out.String()
}

// TestEvents has every event that the clients were observed to send.
func TestEvents(t *testing.T) {
	for _, tc := range []struct{ client, text, want string }{
		// Claude Code 2.1.330
		{"claude-code", `{"hook_event_name":"PreToolUse","session_id":"b16f","prompt_id":"bf0a","tool_use_id":"toolu_01","tool_name":"Bash",
			"tool_input":{"command":"python3 x.py","description":"run it"},"cwd":"/w","permission_mode":"default","transcript_path":"t.jsonl"}`,
			"before session=b16f turn=bf0a tool=Bash call=toolu_01 runs=python3 x.py in=/w"},
		{"claude-code", `{"hook_event_name":"PostToolUse","session_id":"b16f","prompt_id":"bf0a","tool_use_id":"toolu_01","tool_name":"Bash","duration_ms":3,
			"tool_input":{"command":"python3 x.py"},"tool_response":{"stdout":"1","stderr":"","interrupted":false},"cwd":"/w"}`,
			"after session=b16f turn=bf0a tool=Bash call=toolu_01 runs=python3 x.py in=/w"},
		{"claude-code", `{"hook_event_name":"PostToolUseFailure","session_id":"b16f","prompt_id":"bf0a","tool_use_id":"toolu_02","tool_name":"Bash",
			"tool_input":{"command":"false"},"error":"Exit code 1\nsome output","is_interrupt":false}`,
			"after session=b16f turn=bf0a tool=Bash call=toolu_02 runs=false result=Exit code 1"},
		{"claude-code", `{"hook_event_name":"PostToolUseFailure","session_id":"b16f","tool_use_id":"toolu_02","tool_name":"Bash",
			"tool_input":{"command":"sleep 9"},"error":"The user stopped it","is_interrupt":true}`,
			"after session=b16f tool=Bash call=toolu_02 runs=sleep 9 result=interrupted"},
		{"claude-code", `{"hook_event_name":"PostToolUse","session_id":"b16f","tool_use_id":"toolu_03","tool_name":"Bash",
			"tool_input":{"command":"make","run_in_background":true},"tool_response":{"stdout":"","backgroundTaskId":"b1"}}`,
			"after session=b16f tool=Bash call=toolu_03 runs=make result=still running"},
		{"claude-code", `{"hook_event_name":"UserPromptSubmit","session_id":"b16f","prompt_id":"cc01","prompt":"<task-notification>b1 ended","cwd":"/w"}`,
			"task end session=b16f turn=cc01 in=/w"},
		{"claude-code", `{"hook_event_name":"PostToolUse","session_id":"b16f","prompt_id":"bf0a","tool_use_id":"toolu_04","tool_name":"Edit",
			"tool_input":{"file_path":"/w/a.txt","old_string":"two","new_string":"zwei","replace_all":false},
			"tool_response":{"filePath":"/w/a.txt","originalFile":"one\ntwo\n","structuredPatch":[],"userModified":false}}`,
			"after session=b16f turn=bf0a tool=Edit call=toolu_04 paths=/w/a.txt"},
		{"claude-code", `{"hook_event_name":"PreToolUse","session_id":"b16f","tool_use_id":"toolu_05","tool_name":"Write","tool_input":{"file_path":"/w/b","content":"x"}}`,
			"before session=b16f tool=Write call=toolu_05 paths=/w/b"},
		{"claude-code", `{"hook_event_name":"PreToolUse","session_id":"b16f","tool_use_id":"toolu_06","tool_name":"NotebookEdit","tool_input":{"notebook_path":"/w/n.ipynb"}}`,
			"before session=b16f tool=NotebookEdit call=toolu_06 paths=/w/n.ipynb"},
		{"claude-code", `{"hook_event_name":"PreToolUse","session_id":"b16f","agent_id":"a1","agent_type":"Explore","tool_use_id":"toolu_07","tool_name":"Bash","tool_input":{"command":"ls"}}`,
			"before session=b16f agent=Explore/a1 tool=Bash call=toolu_07 runs=ls"},
		{"claude-code", `{"hook_event_name":"UserPromptSubmit","session_id":"b16f","prompt_id":"bf0a","prompt":"the secret is hunter2","cwd":"/w"}`,
			"prompt session=b16f turn=bf0a in=/w"},
		{"claude-code", `{"hook_event_name":"Stop","session_id":"b16f","prompt_id":"bf0a","last_assistant_message":"Done."}`, "turn end session=b16f turn=bf0a"},
		{"claude-code", `{"hook_event_name":"SessionStart","session_id":"b16f","source":"resume"}`, "session start session=b16f"},
		{"claude-code", `{"hook_event_name":"SessionEnd","session_id":"b16f","reason":"other"}`, "session end session=b16f"},
		{"claude-code", `{"hook_event_name":"PreToolUse","session_id":"b16f","tool_use_id":"toolu_08","tool_name":"mcp__emend__read_file","tool_input":{}}`, "nothing"},
		{"claude-code", `{"hook_event_name":"PreToolUse","session_id":"b16f","tool_use_id":"toolu_09","tool_name":"mcp__files__write","tool_input":{"path":"x"}}`,
			"before session=b16f tool=mcp__files__write call=toolu_09"},
		{"claude-code", `{"hook_event_name":"PreToolUse","session_id":"b16f","tool_use_id":"toolu_10","tool_name":"Read","tool_input":{"file_path":"/w/a"}}`, "nothing"},

		// Codex 0.169.0
		{"codex", `{"hook_event_name":"PreToolUse","session_id":"01a2","turn_id":"01a3","tool_use_id":"call_01","tool_name":"Bash",
			"tool_input":{"command":"python3 x.py"},"cwd":"/w","model":"m","permission_mode":"default","transcript_path":null}`,
			"before session=01a2 turn=01a3 tool=Bash call=call_01 runs=python3 x.py in=/w"},
		{"codex", `{"hook_event_name":"PreToolUse","session_id":"01a2","turn_id":"01a3","tool_use_id":"exec-1","tool_name":"apply_patch",
			"tool_input":{"command":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch\n"}}`,
			"before session=01a2 turn=01a3 tool=apply_patch call=exec-1 paths=a b c"},
		{"codex", `{"hook_event_name":"PostToolUse","session_id":"01a2","turn_id":"01a3","tool_use_id":"call_01","tool_name":"apply_patch",
			"tool_input":{"command":"no patch"},"tool_response":"Success"}`, "after session=01a2 turn=01a3 tool=apply_patch call=call_01"},
		{"codex", `{"hook_event_name":"PreToolUse","session_id":"01a2","tool_use_id":"call_02","tool_name":"mcp__emend__edit_file","tool_input":{}}`, "nothing"},
		{"codex", `{"hook_event_name":"UserPromptSubmit","session_id":"01a2","turn_id":"01a3","prompt":"do","cwd":"/w"}`, "prompt session=01a2 turn=01a3 in=/w"},
		{"codex", `{"hook_event_name":"Stop","session_id":"01a2","turn_id":"01a3"}`, "turn end session=01a2 turn=01a3"},
		{"codex", `{"hook_event_name":"SessionStart","session_id":"01a2","cwd":"/w"}`, "session start session=01a2 in=/w"},
		{"codex", `{"hook_event_name":"SessionEnd","session_id":"01a2"}`, "session end session=01a2"},

		// Gemini CLI 0.61.0
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"54db","timestamp":"2026-11-23T10:00:00Z","tool_name":"run_shell_command",
			"tool_input":{"command":"touch x","description":"x"},"cwd":"/w","transcript_path":"t"}`,
			"before session=54db tool=run_shell_command call=" + geminiID("run_shell_command", `{"description":"x","command":"touch x"}`) + " runs=touch x in=/w"},
		{"gemini", `{"hook_event_name":"AfterTool","session_id":"54db","tool_name":"run_shell_command",
			"tool_input":{"description":"x","command":"touch x"},"tool_response":{"llmContent":"Output: x\nExit Code: 9\nExit Code: 1\nProcess Group PGID: 3","returnDisplay":"x"}}`,
			"after session=54db tool=run_shell_command call=" + geminiID("run_shell_command", `{"command":"touch x","description":"x"}`) + " runs=touch x result=exit code 1"},
		{"gemini", `{"hook_event_name":"AfterTool","session_id":"54db","tool_name":"run_shell_command",
			"tool_input":{"command":"make","is_background":true},"tool_response":{"llmContent":"Command moved to background","returnDisplay":"x"}}`,
			"after session=54db tool=run_shell_command call=" + geminiID("run_shell_command", `{"command":"make","is_background":true}`) + " runs=make result=still running"},
		{"gemini", `{"hook_event_name":"AfterTool","session_id":"54db","tool_name":"replace","tool_input":{"file_path":"/w/a"},
			"tool_response":{"llmContent":"no match","error":{"message":"no match","type":"edit_no_occurrence_found"}}}`,
			"after session=54db tool=replace call=" + geminiID("replace", `{"file_path":"/w/a"}`) + " paths=/w/a result=failed"},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"54db","tool_name":"write_file","tool_input":{"file_path":"a","content":"x"}}`,
			"before session=54db tool=write_file call=" + geminiID("write_file", `{"file_path":"a","content":"x"}`) + " paths=a"},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"54db","tool_name":"mcp_emend_write_file","tool_input":{}}`, "nothing"},
		{"gemini", `{"hook_event_name":"BeforeAgent","session_id":"54db","prompt":"do","cwd":"/w"}`, "prompt session=54db in=/w"},
		{"gemini", `{"hook_event_name":"AfterAgent","session_id":"54db","prompt_response":"done"}`, "turn end session=54db"},
		{"gemini", `{"hook_event_name":"SessionStart","session_id":"54db","source":"startup"}`, "session start session=54db"},
		{"gemini", `{"hook_event_name":"SessionEnd","session_id":"54db","reason":"exit"}`, "session end session=54db"},

		// opencode 1.18.33, by the plugin
		{"opencode", `{"hook_event_name":"tool.execute.before","session_id":"s1","turn_id":"m1","cwd":"/w/sub","project_dir":"/w","tool_name":"bash",
			"tool_use_id":"c1","tool_input":{"command":"ls"}}`, "before session=s1 turn=m1 tool=bash call=c1 runs=ls in=/w/sub of=/w"},
		{"opencode", `{"hook_event_name":"tool.execute.after","session_id":"s1","turn_id":"m1","tool_name":"bash","tool_use_id":"c1",
			"tool_input":{"command":"ls"},"tool_response":{"exit":2}}`, "after session=s1 turn=m1 tool=bash call=c1 runs=ls result=exit code 2"},
		{"opencode", `{"hook_event_name":"tool.execute.before","session_id":"s1","agent_id":"s2","tool_name":"edit","tool_use_id":"c2","tool_input":{"file_path":"/w/a"}}`,
			"before session=s1 agent=s2 tool=edit call=c2 paths=/w/a"},
		{"opencode", `{"hook_event_name":"tool.execute.after","session_id":"s1","tool_name":"apply_patch","tool_use_id":"c3",
			"tool_input":{"command":"*** Begin Patch\n*** Add File: n\n+x\n*** End Patch"},"tool_response":{}}`,
			"after session=s1 tool=apply_patch call=c3 paths=n"},
		{"opencode", `{"hook_event_name":"tool.execute.before","session_id":"s1","tool_name":"emend_edit_file","tool_input":{}}`, "nothing"},
		{"opencode", `{"hook_event_name":"chat.message","session_id":"s1","turn_id":"m1"}`, "prompt session=s1 turn=m1"},
		{"opencode", `{"hook_event_name":"session.idle","session_id":"s1","turn_id":"m1"}`, "turn end session=s1 turn=m1"},
		{"opencode", `{"hook_event_name":"session.created","session_id":"s1"}`, "session start session=s1"},
		{"opencode", `{"hook_event_name":"dispose","session_id":"s1"}`, "session end session=s1"},
	} {
		if got := line(t, tc.client, tc.text); got != tc.want {
			t.Errorf("%s: %s\n got %s\nwant %s", tc.client, tc.text, got, tc.want)
		}
	}
}

func geminiID(tool, in string) string {
	return geminiCall(&message{Session: "54db", Tool: tool, Input: json.RawMessage(in)})
}

// TestIgnored has the events that the clients send and that say nothing about files.
func TestIgnored(t *testing.T) {
	for client, events := range map[string]string{
		"claude-code": "PermissionRequest PostToolBatch CwdChanged MessageDisplay SubagentStart SubagentStop Notification StopFailure PermissionDenied FileChanged PreCompact",
		"codex":       "PermissionRequest Interrupt PreCompact PostCompact SubagentStart SubagentStop",
		"gemini":      "PreCompress BeforeModel BeforeToolSelection AfterModel Notification",
		"opencode":    "file.edited shell.env message.updated",
	} {
		for event := range strings.FieldsSeq(events) {
			if got := line(t, client, `{"hook_event_name":"`+event+`","session_id":"s","tool_name":"Bash"}`); got != "nothing" {
				t.Errorf("%s %s: %s", client, event, got)
			}
		}
	}
}

// TestPostThatDoesNotCome has the sequences in which a call begins and its end is missing, comes early, or comes under another
// name. What is asked for next must look at the tree, and must not pass for the end of the call.
func TestPostThatDoesNotCome(t *testing.T) {
	shell := func(event, id, rest string) string {
		return `{"hook_event_name":"` + event + `","session_id":"s","prompt_id":"p","turn_id":"p","tool_use_id":"` + id + `","tool_name":"Bash",` +
			`"tool_input":{"command":"x"}` + rest + `}`
	}
	patch := func(event, id string) string {
		return strings.NewReplacer(`"Bash"`, `"apply_patch"`).Replace(shell(event, id, ""))
	}
	const stop = `{"hook_event_name":"Stop","session_id":"s","prompt_id":"p","turn_id":"p"}`
	for _, tc := range []struct {
		does, client string
		events       []string
		want         string
	}{
		{"the shell exits with 1", "claude-code", []string{shell("PreToolUse", "c1", ""), shell("PostToolUseFailure", "c1", `,"error":"Exit code 1"`), stop},
			"before c1, after c1 Exit code 1, turn end"},
		{"an edit finds no place", "claude-code", []string{`{"hook_event_name":"PostToolBatch","session_id":"s"}`, stop}, "nothing, turn end"},
		{"the shell goes on in the background", "claude-code", []string{shell("PreToolUse", "c1", ""),
			shell("PostToolUse", "c1", `,"tool_response":{"backgroundTaskId":"b"}`), stop,
			`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt_id":"q","prompt":"<task-notification>x"}`, stop},
			"before c1, after c1 still running, turn end, task end, turn end"},
		{"a command is never polled to its end", "codex", []string{shell("PreToolUse", "c1", ""), shell("PreToolUse", "c2", ""), shell("PostToolUse", "c2", ""), stop},
			"before c1, before c2, after c2, turn end"},
		{"a command is polled to its end later", "codex", []string{shell("PreToolUse", "c1", ""), shell("PreToolUse", "c2", ""), shell("PostToolUse", "c2", ""),
			shell("PostToolUse", "c1", ""), stop}, "before c1, before c2, after c2, after c1, turn end"},
		{"a patch fails", "codex", []string{patch("PreToolUse", "c1"), patch("PreToolUse", "c2"), patch("PostToolUse", "c2"), stop}, "before c1, before c2, after c2, turn end"},
		{"a patch inside of a shell command", "codex", []string{shell("PreToolUse", "c1", ""), stop}, "before c1, turn end"},
		{"two commands overlap", "codex", []string{shell("PreToolUse", "c1", ""), shell("PreToolUse", "c2", ""), shell("PostToolUse", "c1", ""), shell("PostToolUse", "c2", "")},
			"before c1, before c2, after c1, after c2"},
		{"the session ends in a call", "codex", []string{shell("PreToolUse", "c1", ""), `{"hook_event_name":"SessionEnd","session_id":"s"}`}, "before c1, session end"},
	} {
		var got []string
		for _, text := range tc.events {
			e, err := Parse(tc.client, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if e == nil {
				got = append(got, "nothing")
				continue
			}
			got = append(got, strings.TrimSpace(strings.Join(strings.Fields(string(e.Look.Moment)+" "+e.Actor.Call+" "+e.Look.Result), " ")))
		}
		if all := strings.Join(got, ", "); all != tc.want {
			t.Errorf("%s, %s: %s, want %s", tc.client, tc.does, all, tc.want)
		}
	}
}

// TestHostile has texts that are no event. Each is one that begins and ends no call. None panics, and nothing quotes what was sent.
func TestHostile(t *testing.T) {
	for _, text := range []string{"", "{", "null", "[]", "7", `"x"`, `{}`, `{"hook_event_name":7}`, `{"hook_event_name":""}`, `{"hook_event_name":["secret"]}`,
		`{"hook_event_name":["secret"],"session_id":"s"}`, strings.Repeat("[", 100000), "\xff\xfe", `{"hook_event_name":"PreToolUse"`} {
		for _, c := range Clients() {
			e, err := Parse(c, []byte(text))
			if err != nil || e == nil || e.Look.Moment != api.AtUnclear || e.Unclear == nil || strings.Contains(e.Unclear.Error(), "secret") {
				t.Errorf("%s: %.60q: %+v, %v", c, text, e, err)
			}
		}
	}
	if _, err := Parse("emacs", []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "claude-code, codex, gemini, opencode") {
		t.Errorf("an unknown client: %v", err)
	}
	for _, text := range []string{
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash"}`, `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":[1]}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Edit","tool_input":{"file_path":7},"tool_response":"text"}`,
	} {
		if e, err := Parse("claude-code", []byte(text)); err != nil || e == nil || e.Unclear != nil || e.Look.Command != "" || e.Look.Paths != nil {
			t.Errorf("%s: %+v, %v", text, e, err)
		}
	}
	e, err := Parse("claude-code", []byte(`{"hook_event_name":"Stop","session_id":"a\u001b[2J\n`+strings.Repeat("é", 500)+`"}`))
	if err != nil || strings.ContainsAny(e.Actor.Session, "\x1b\n") || len(e.Actor.Session) > maxName {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestUnclear has events of which something cannot be read. What tells calls apart decides whether the event is that of a call.
func TestUnclear(t *testing.T) {
	for _, tc := range []struct{ text, want, unclear string }{
		{`{"hook_event_name":"PreToolUse","session_id":"s","tool_use_id":"c","tool_name":"Bash","tool_input":"x","cwd":null}`,
			"before session=s tool=Bash call=c", "<nil>"},
		{`{"hook_event_name":"PreToolUse","session_id":"s","tool_use_id":"c","tool_name":"Bash","cwd":7,"is_interrupt":"no","cwd":8}`,
			"before session=s tool=Bash call=c", "cwd is of another type, is_interrupt is of another type"},
		{`{"hook_event_name":"PreToolUse","session_id":7,"tool_use_id":"c","tool_name":"Bash","cwd":"/w"}`,
			"unclear in=/w", "session_id is of another type"},
		{`{"hook_event_name":"PostToolUse","session_id":"s","tool_use_id":[1],"tool_name":"Bash"}`, "unclear session=s", "tool_use_id is of another type"},
		{`{"hook_event_name":"PostToolUse","session_id":"s","tool_use_id":"c","tool_name":{}}`, "unclear session=s", "tool_name is of another type"},
		{`{"hook_event_name":"PostToolUse","session_id":"s","tool_use_id":"c"}`, "unclear session=s", "it names no tool"},
		{`{"hook_event_name":"Stop"}`, "unclear", "it names no session"},
		{`{"hook_event_name":7,"session_id":"s","cwd":"/w"}`, "unclear session=s in=/w", "hook_event_name is of another type"},
		{`{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":"cut o`, "unclear session=s in=/w", "it is not JSON, or cut off"},
		{`{"session_id":"s","hook_event_name":"Stop"}{}`, "unclear session=s", "it is not JSON, or cut off"},
	} {
		if got := line(t, "claude-code", tc.text); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.text, got, tc.want)
		}
		if e, _ := Parse("claude-code", []byte(tc.text)); e != nil && fmt.Sprint(e.Unclear) != tc.unclear {
			t.Errorf("%s: %v, want %s", tc.text, e.Unclear, tc.unclear)
		}
	}
}

func TestWithin(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, link := filepath.Join(dir, "root"), filepath.Join(dir, "link")
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, link); err != nil {
		t.Skipf("NOT RUN: no links here: %v", err)
	}
	if err := os.Symlink(dir, filepath.Join(root, "away")); err != nil {
		t.Fatal(err)
	}
	e := &Event{Dir: filepath.Join(root, "sub"), Look: api.LookRequest{Paths: []string{"a", "../b", "../../c", filepath.Join(root, "new", "deep", "d"),
		filepath.Join(link, "e"), filepath.Join(dir, "f"), filepath.Join(root, "away"), filepath.Join(root, "away", "g"), "..", "/", strings.Repeat("x/", maxPath/2) + "y"}}}
	want := []string{"sub/a", "b", "new/deep/d", "e", "away", "."}
	if got := e.Within(root).Look.Paths; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(e.Look.Paths) != 11 {
		t.Error("the event itself changed")
	}
}

func TestRoot(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, repo, plain := filepath.Join(dir, "home"), filepath.Join(dir, "home", "repo"), filepath.Join(dir, "plain")
	for _, d := range []string{filepath.Join(repo, ".git"), filepath.Join(repo, "sub", "deep"), plain} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sub := filepath.Join(repo, "sub")
	for _, tc := range []struct{ client, variable, project, cwd, want string }{
		{"claude-code", "CLAUDE_PROJECT_DIR=" + sub, "", filepath.Join(sub, "deep"), sub},
		{"claude-code", "", "", filepath.Join(sub, "deep"), repo},
		{"claude-code", "CLAUDE_PROJECT_DIR=" + filepath.Join(dir, "gone"), "", sub, repo},
		{"claude-code", "CLAUDE_PROJECT_DIR=sub", "", sub, repo},
		{"claude-code", "GEMINI_PROJECT_DIR=" + plain, "", sub, repo},
		{"gemini", "GEMINI_PROJECT_DIR=" + plain, "", sub, plain},
		{"codex", "CLAUDE_PROJECT_DIR=" + plain, "", sub, repo},
		{"codex", "", "", plain, plain},
		{"opencode", "", repo, sub, repo},
		{"opencode", "", "/", sub, repo},
		{"codex", "", "", home, ""},
		{"claude-code", "CLAUDE_PROJECT_DIR=" + home, "", home, ""},
		{"codex", "", "", "/", ""},
	} {
		env := func(name string) string {
			value, _ := strings.CutPrefix(tc.variable, name+"=")
			if value == tc.variable {
				return ""
			}
			return value
		}
		e := &Event{Actor: api.Actor{Client: tc.client}, Dir: tc.cwd, Project: tc.project}
		got, err := e.Root(env, home)
		if tc.want == "" && err == nil || tc.want != "" && (err != nil || got != tc.want) {
			t.Errorf("%+v: %q, %v", tc, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"x"}}`)
	f.Add(`{"hook_event_name":"AfterTool","session_id":"s","tool_name":"run_shell_command","tool_input":{"command":"x"},"tool_response":{"llmContent":"\nExit Code: 1"}}`)
	f.Add(`{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: n\n+x\n*** End Patch"}}`)
	f.Add(`{"hook_event_name":"tool.execute.after","tool_name":"bash","tool_response":{"exit":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Clients() {
			e, err := Parse(c, []byte(text))
			if err != nil || e == nil {
				continue
			}
			for _, name := range []string{e.Actor.Session, e.Actor.Agent, e.Actor.Tool, e.Actor.Call, e.Actor.Turn, e.Look.Result} {
				if len(name) > maxName || name != clean(name) {
					t.Errorf("%s: a name of %d bytes: %q", c, len(name), name)
				}
			}
			if len(e.Look.Command) > maxCommand {
				t.Errorf("%s: a command of %d bytes", c, len(e.Look.Command))
			}
			for _, p := range e.Within("/w").Look.Paths {
				if !filepath.IsLocal(p) {
					t.Errorf("%s: the path %q", c, p)
				}
			}
		}
	})
}
