//go:build npm && linux

package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// own is how an agent changes files without emend: by its shell and its own edit tools.
type own struct {
	*agent
	shellTool  string
	shell      func(command string) object
	background func(command string) object         // the shell goes on while the agent works; nil where it cannot
	read       func(w *account, name string) *step // what the agent wants before an edit; nil for nothing
	write      func(w *account, name, content string) step
	edit       func(w *account, name, old, new string) step
	ask        func(prompt string, again bool) []string
	sub        []step            // what an agent does that it starts itself
	same       func(request any) // removes from a request what differs from run to run without hooks, if that is more than [changing]
}

func (o own) run(command string) step {
	return step{does: "runs " + command, tool: o.shellTool, args: o.shell(command)}
}

func (w *account) path(name string) string { return filepath.Join(w.work, name) }

var owns = []own{
	{
		agent: claudeCode, shellTool: "Bash",
		shell: func(c string) object { return object{"command": c, "description": "run it"} },
		background: func(c string) object {
			return object{"command": c, "description": "run it", "run_in_background": true}
		},
		read: func(w *account, name string) *step {
			return &step{does: "reads", tool: "Read", args: object{"file_path": w.path(name)}}
		},
		write: func(w *account, name, content string) step {
			return step{does: "writes", tool: "Write", args: object{"file_path": w.path(name), "content": content}}
		},
		edit: func(w *account, name, old, new string) step {
			return step{does: "edits", tool: "Edit", args: object{"file_path": w.path(name), "old_string": old, "new_string": new, "replace_all": false}}
		},
		ask: func(prompt string, again bool) []string {
			args := []string{"-p", prompt, "--allowedTools", "Bash,Read,Edit,Write"}
			if again {
				args = append(args, "-c")
			}
			return args
		},
	},
	{
		agent: codexSearch, shellTool: "exec_command",
		same:       func(any) {}, // the order of members does
		shell:      func(c string) object { return object{"cmd": c} },
		background: func(c string) object { return object{"cmd": c, "yield_time_ms": 250} },
		write: func(w *account, name, content string) step {
			return step{does: "writes", tool: "apply_patch", own: "*** Begin Patch\n*** Add File: " + name + "\n+" + strings.TrimSuffix(content, "\n") + "\n*** End Patch\n"}
		},
		edit: func(w *account, name, old, new string) step {
			return step{does: "edits", tool: "apply_patch", own: "*** Begin Patch\n*** Update File: " + name + "\n@@\n-" + old + "\n+" + new + "\n*** End Patch\n"}
		},
		ask: func(prompt string, again bool) []string {
			args := []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-c", `sandbox_mode="danger-full-access"`}
			if again {
				return append(args, "resume", "--last", prompt)
			}
			return append(args, prompt)
		},
	},
	{
		agent: geminiCLI, shellTool: "run_shell_command", same: geminiSame,
		shell: func(c string) object { return object{"command": c, "description": "run it"} },
		background: func(c string) object {
			return object{"command": c, "description": "run it", "is_background": true}
		},
		write: func(w *account, name, content string) step {
			return step{does: "writes", tool: "write_file", args: object{"file_path": w.path(name), "content": content}}
		},
		edit: func(w *account, name, old, new string) step {
			return step{does: "edits", tool: "replace", args: object{"file_path": w.path(name), "instruction": "replace it", "old_string": old, "new_string": new}}
		},
		ask: func(prompt string, again bool) []string {
			args := geminiCLI.ask(prompt)
			if again {
				args = append(args, "--resume", "latest")
			}
			return args
		},
	},
	{
		agent: opencode, shellTool: "bash",
		shell: func(c string) object { return object{"command": c, "description": "run it"} },
		read: func(w *account, name string) *step {
			return &step{does: "reads", tool: "read", args: object{"filePath": w.path(name)}}
		},
		write: func(w *account, name, content string) step {
			return step{does: "writes", tool: "write", args: object{"filePath": w.path(name), "content": content}}
		},
		edit: func(w *account, name, old, new string) step {
			return step{does: "edits", tool: "edit", args: object{"filePath": w.path(name), "oldString": old, "newString": new}}
		},
		ask: func(prompt string, again bool) []string {
			if again {
				return []string{"run", "-c", prompt}
			}
			return []string{"run", prompt}
		},
	},
}

// way is a way in which an agent changes files over three turns.
type way struct {
	name  string
	turns func(o own, w *account) [][]step
	after map[string]string // the files that differ from the first workspace; "" for one that is gone
	log   [][]string        // what the log has of each turn
}

// editing returns the steps of an edit, with the read that some agents want before it.
func (o own) editing(w *account, name, old, new string) []step {
	edit := o.edit(w, name, old, new)
	if o.read == nil {
		return []step{edit}
	}
	return []step{*o.read(w, name), edit}
}

var ways = []way{
	{
		name: "shell",
		turns: func(o own, w *account) [][]step {
			return [][]step{
				{o.run("echo by-shell > new.txt"), o.run("sed -i s/two/zwei/ a.txt")},
				{o.run("mv new.txt moved.txt && printf 'more\n' >> moved.txt")},
				{o.run("rm old.txt; exit 3")},
			}
		},
		after: map[string]string{"moved.txt": "by-shell\nmore\n", "a.txt": "one\nzwei\n", "old.txt": ""},
		log:   [][]string{{"add new.txt", "update a.txt"}, {"add moved.txt", "delete new.txt"}, {"delete old.txt"}},
	},
	{
		name: "own tools",
		turns: func(o own, w *account) [][]step {
			return [][]step{
				{o.write(w, "new.txt", "by tool\n")},
				o.editing(w, "a.txt", "two", "zwei"),
				o.editing(w, "b.txt", "drei", "three"),
			}
		},
		after: map[string]string{"new.txt": "by tool\n", "a.txt": "one\nzwei\n", "b.txt": "three\n"},
		log:   [][]string{{"add new.txt"}, {"update a.txt"}, {"update b.txt"}},
	},
	{
		name: "mixed",
		turns: func(o own, w *account) [][]step {
			return [][]step{
				append([]step{o.run("echo by-shell > new.txt")}, o.editing(w, "a.txt", "two", "zwei")...),
				append(o.editing(w, "b.txt", "drei", "three"), o.run("rm old.txt")),
				{o.run("echo last >> new.txt")},
			}
		},
		after: map[string]string{"new.txt": "by-shell\nlast\n", "a.txt": "one\nzwei\n", "b.txt": "three\n", "old.txt": ""},
		log:   [][]string{{"add new.txt", "update a.txt"}, {"delete old.txt", "update b.txt"}, {"update new.txt"}},
	},
}

// TestHooks has each agent change files by its shell, by its own tools, and by both, over three turns: without hooks, with those
// of emend setup, and with an emend that is gone. What the agent asks of its model must be the same each time.
func TestHooks(t *testing.T) {
	for _, o := range owns {
		t.Run(slug(o.agent), func(t *testing.T) {
			p := install(t, o.agent)
			for _, way := range ways {
				t.Run(slug(&agent{name: way.name}), func(t *testing.T) {
					if testing.Short() && way.name != "mixed" {
						t.Skip("NOT RUN: with -short the agents change files in the mixed way only")
					}
					root, err := filepath.EvalSymlinks(t.TempDir()) // each run has the same, since its path is in the requests
					if err != nil {
						t.Fatal(err)
					}
					root = filepath.Join(root, "account")
					plain := o.turns(t, root, p, way, nil, nil)
					hooked := o.turns(t, root, p, way, func(w *account) { w.hooks(o.agent) }, func(w *account, trees []map[string]string) {
						w.heard(way)
						w.onRecord(way, trees)
					})
					hooked.sameRequests("with hooks", plain, o.same)
					if way.name == "mixed" {
						gone := o.turns(t, root, p, way, func(w *account) { w.hooks(o.agent); w.removeEmend() }, nil)
						gone.sameRequests("with an emend that is gone", plain, o.same)
					}
				})
			}
		})
	}
}

// TestHooksBackground: a shell that an agent leaves in the background writes while the next call is under way. What it changes is on
// record in the session and the turn, and the entry names it as one of those that may have done it.
func TestHooksBackground(t *testing.T) {
	for _, o := range owns {
		if o.background == nil {
			continue
		}
		t.Run(slug(o.agent), func(t *testing.T) {
			if testing.Short() {
				t.Skip("NOT RUN: not with -short")
			}
			p := install(t, o.agent)
			const late = "until test -e go; do sleep 0.05; done; echo late > late.txt; echo 1 > done"
			background := way{
				name: "background",
				turns: func(o own, w *account) [][]step {
					return [][]step{{
						{does: "leaves running " + late, tool: o.shellTool, args: o.background(late)},
						o.run("echo 1 > go; until test -e done; do sleep 0.05; done; echo front > front.txt"),
					}}
				},
				after: map[string]string{"late.txt": "late\n", "front.txt": "front\n", "go": "1\n", "done": "1\n"},
			}
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			o.turns(t, filepath.Join(root, "account"), p, background, func(w *account) { w.hooks(o.agent) }, func(w *account, trees []map[string]string) {
				var in struct {
					Data struct {
						Entries []struct {
							Turn, Call, Operation, Path string
							SessionID                   string `json:"sessionId"`
							Seen                        struct{ Others []string }
						}
					}
				}
				text := w.run("log", "--json")
				if err := json.Unmarshal([]byte(text), &in); err != nil {
					w.Fatalf("emend log --json says %.500q", text)
				}
				found := map[string]bool{}
				for _, e := range in.Data.Entries {
					found[e.Operation+" "+e.Path] = true
					if e.SessionID == "" || e.Turn == "" || e.Call == "" {
						w.Errorf("%s %s is on record in session %q, turn %q, call %q", e.Operation, e.Path, e.SessionID, e.Turn, e.Call)
					}
					if e.Path == "late.txt" && len(e.Seen.Others) == 0 {
						w.Errorf("nobody else is named for late.txt: %+v", e)
					}
				}
				for _, name := range []string{"late.txt", "front.txt", "go", "done"} {
					if !found["add "+name] {
						w.Errorf("%s is not on record: %v", name, found)
					}
				}
				w.verified()
				w.run("undo", "--turn")
				w.holds("after undo --turn", trees[0])
			})
		})
	}
}

// TestHooksSubagent: what an agent does that Claude Code starts itself, and which works beside it, is on record in the session and the turn
// of the one that started it.
func TestHooksSubagent(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT RUN: not with -short")
	}
	o := owns[slices.IndexFunc(owns, func(o own) bool { return o.setup == "claude-code" })]
	p := install(t, o.agent)
	task := way{
		name: "another agent",
		turns: func(o own, w *account) [][]step {
			return [][]step{
				{o.run("echo main > main.txt")},
				{
					{does: "starts another agent", tool: "Agent", args: object{"description": "a part", "prompt": subTask, "subagent_type": "general-purpose"}},
					o.run("echo more >> main.txt"),
				},
				{o.run("echo last >> main.txt")},
			}
		},
		after: map[string]string{"sub.txt": "sub\n", "main.txt": "main\nmore\nlast\n", "a.txt": "one\nsub\n"},
		log:   [][]string{{"add main.txt"}, {"add sub.txt", "update a.txt", "update main.txt"}, {"update main.txt"}},
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o.sub = slices.Concat([]step{o.run("echo sub > sub.txt")}, []step{o.run("sed -i s/two/sub/ a.txt")})
	o.turns(t, filepath.Join(root, "account"), p, task, func(w *account) { w.hooks(o.agent) }, func(w *account, trees []map[string]string) {
		w.onRecord(task, trees)
	})
}

// TestHooksUntrusted: Codex skips hooks that nobody has trusted. setup does not trust them, so nothing is heard, and Codex works.
func TestHooksUntrusted(t *testing.T) {
	o := owns[slices.IndexFunc(owns, func(o own) bool { return o.setup == "codex" })]
	ask := o.ask
	o.ask = func(prompt string, again bool) []string {
		return slices.DeleteFunc(ask(prompt, again), func(arg string) bool { return arg == "--dangerously-bypass-hook-trust" })
	}
	p := install(t, o.agent)
	w := o.turns(t, filepath.Join(t.TempDir(), "account"), p, ways[0], func(w *account) { w.hooks(o.agent) }, nil)
	if heard := w.events(); len(heard) > 0 {
		t.Errorf("hooks that nobody trusted were called: %+v", heard)
	}
}

// turns runs the three turns in a new account in root, which it moves away at the end. check gets the tree after each turn.
func (o own) turns(t *testing.T, root string, p program, way way, setup func(*account), check func(w *account, trees []map[string]string)) *account {
	t.Helper()
	w := newWorldIn(t, root)
	w.env = append(w.env, "PATH="+w.named(p)+":"+path())
	git := exec.Command("git", "init", "-q", "-b", "main")
	git.Dir, git.Env = w.work, w.env
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	turns := way.turns(o, w)
	m := w.model(slices.Concat(turns...))
	m.shell, m.sub = o.shellTool, o.sub
	w.env = append(w.env, p.base(w, m.url)...)
	if setup != nil {
		setup(w)
	}
	trees := []map[string]string{w.tree()}
	for i, steps := range turns {
		m.pause += len(steps)
		m.took += w.start(slices.Concat(p.command, o.ask(fmt.Sprintf("Do part %d.", i+1), i > 0))...)
		trees = append(trees, w.tree())
	}
	want := make(map[string]string)
	maps.Copy(want, first)
	for name, content := range way.after {
		if want[name] = content; content == "" {
			delete(want, name)
		}
	}
	w.holds("afterwards", want)
	if m.gaveUp != nil || len(m.seen()) != len(m.script) {
		t.Errorf("the model saw %d results of %d steps: %v\n%q", len(m.seen()), len(m.script), m.gaveUp, m.seen())
	}
	t.Logf("%s %s, %s: %d requests of the conversation%s; %.1f s", p.name, p.version, way.name, len(m.turns), m.otherRequests(), m.took.Seconds())
	if check != nil && !t.Failed() {
		check(w, trees)
	}
	w.root += time.Now().Format("-150405.000000")
	if err := os.Rename(root, w.root); err != nil {
		t.Fatal(err)
	}
	return w
}

// hooks has emend setup write its hooks, and puts a program in the place of emend that records how it is called.
func (w *account) hooks(a *agent) {
	w.Helper()
	dir := filepath.Join(w.root, "emend-bin")
	program, real := filepath.Join(dir, "emend"), filepath.Join(dir, "emend-real")
	data, err := os.ReadFile(emendProgram)
	if err != nil {
		w.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Join(w.root, "heard")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			w.Fatal(err)
		}
	}
	if err := os.WriteFile(program, data, 0o755); err != nil {
		w.Fatal(err)
	}
	was := emendFor(w, program)
	was("setup", a.setup, "--hooks-only", "--write")
	if err := os.Rename(program, real); err != nil {
		w.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nf=%s/heard/$(date +%%s%%N)-$$\npwd > $f.pwd; env > $f.env; cat > $f.in\n%s \"$@\" < $f.in > $f.out 2> $f.err\ncode=$?\n"+
		"cat $f.out; cat $f.err >&2; echo $code > $f.rc; exit $code\n", w.root, real)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		w.Fatal(err)
	}
}

// removeEmend takes the program away that the hooks call.
func (w *account) removeEmend() {
	if err := os.RemoveAll(filepath.Join(w.root, "emend-bin")); err != nil {
		w.Fatal(err)
	}
}

// requests returns what the agent asked of its model, with what differs from run to run replaced.
func (w *account) requests(same func(any)) []string {
	w.Helper()
	names, _ := filepath.Glob(filepath.Join(w.root, "model", "request-*.json"))
	var out []string
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			w.Fatal(err)
		}
		var v any
		if same != nil && json.Unmarshal(data, &v) == nil {
			same(v)
			data = []byte(encode(v))
		}
		out = append(out, w.constant(string(data)))
	}
	return out
}

// changing matches what differs from run to run without hooks too: ids, times, how long a command took, numbers of processes.
var changing = regexp.MustCompile(`\b(ses|msg|prt|rs|fc|ctc)_[-0-9A-Za-z]+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{64}\b` +
	`|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|Wall time: [0-9.]+ seconds|Chunk ID: [0-9a-f]+|PGID: \d+|turn_started_at_unix_ms\\*":\d+|\b[a-z_]+_\d{13}_\d+\b`)

func (w *account) constant(text string) string {
	return changing.ReplaceAllString(text, "_")
}

// sameRequests compares the requests with those of another run.
func (w *account) sameRequests(when string, other *account, same func(any)) {
	w.Helper()
	a, b := other.requests(same), w.requests(same)
	if len(a) != len(b) || len(a) == 0 {
		w.Errorf("%s: %d requests to the model, without hooks %d", when, len(b), len(a))
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			at := 0
			for at < min(len(a[i]), len(b[i])) && a[i][at] == b[i][at] {
				at++
			}
			from := max(0, at-100)
			w.Errorf("%s: request %d differs at %d:\n%q\nwithout hooks:\n%q", when, i+1, at, b[i][from:min(len(b[i]), at+200)], a[i][from:min(len(a[i]), at+200)])
		}
	}
}

// heardEvent is one call of the hook.
type heardEvent struct {
	Event   string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Prompt  string `json:"prompt_id"`
	Turn    string `json:"turn_id"`
	Call    string `json:"tool_use_id"`
	Tool    string `json:"tool_name"`

	dir, out, err, code string
}

// events returns the calls of the hook, in their order.
func (w *account) events() (out []heardEvent) {
	names, _ := filepath.Glob(filepath.Join(w.root, "heard", "*.in"))
	slices.Sort(names)
	for _, name := range names {
		read := func(ext string) string {
			data, _ := os.ReadFile(strings.TrimSuffix(name, "in") + ext)
			return string(data)
		}
		var e heardEvent
		if err := json.Unmarshal([]byte(read("in")), &e); err != nil {
			w.Errorf("an event that cannot be read: %v", err)
		}
		e.dir, e.out, e.err, e.code = read("pwd"), read("out"), read("err"), read("rc")
		out = append(out, e)
	}
	return out
}

// moments are the words of the four agents for what a hook must hear: a prompt, before and after a call, the end of a turn.
var moments = map[string]string{
	"UserPromptSubmit": "prompt", "BeforeAgent": "prompt", "chat.message": "prompt",
	"PreToolUse": "before", "BeforeTool": "before", "tool.execute.before": "before",
	"PostToolUse": "after", "PostToolUseFailure": "after", "AfterTool": "after", "tool.execute.after": "after",
	"Stop": "end", "AfterAgent": "end", "session.idle": "end",
}

// heard checks that the hooks were called at each prompt, around each call and at the end of each turn, in one session, and that
// they answered nothing.
func (w *account) heard(way way) {
	w.Helper()
	count, sessions := map[string]int{}, map[string]bool{}
	for _, e := range w.events() {
		count[moments[e.Event]]++
		sessions[e.Session] = true
		if e.out != "" || e.err != "" || e.code != "0\n" {
			w.Errorf("%s %s: the hook printed %q and %q, and ended with %s", e.Event, e.Tool, e.out, e.err, e.code)
		}
	}
	changes := 0
	for _, turn := range way.log {
		changes += len(turn)
	}
	if count["prompt"] != 3 || count["end"] != 3 || count["before"] != count["after"] || count["before"] == 0 || len(sessions) != 1 {
		w.Errorf("the hooks heard %v in %d sessions", count, len(sessions))
	}
}

// onRecord checks that the log has every change, in the session and the turn in which it was made, and that undo takes back the last
// turn and then the session.
func (w *account) onRecord(way way, trees []map[string]string) {
	w.Helper()
	var in struct {
		Data struct {
			Entries []struct {
				Session   string `json:"sessionId"`
				Turn      string `json:"turn"`
				Call      string `json:"call"`
				Operation string `json:"operation"`
				Path      string `json:"path"`
				ToPath    string `json:"toPath"`
			}
		}
	}
	text := w.run("log", "--json")
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		w.Fatalf("emend log --json says %.500q", text)
	}
	session, named := "", []string{} // turns, as the agent names them
	for _, e := range w.events() {
		session = e.Session
		if id := e.Prompt + e.Turn; moments[e.Event] == "prompt" && id != "" {
			named = append(named, id)
		}
	}
	var turns []string
	got := map[string][]string{}
	for _, e := range slices.Backward(in.Data.Entries) {
		if e.Session != session || e.Turn == "" || e.Call == "" {
			w.Errorf("%s %s is on record in session %q, turn %q, call %q", e.Operation, e.Path, e.Session, e.Turn, e.Call)
		}
		if !slices.Contains(turns, e.Turn) {
			turns = append(turns, e.Turn)
		}
		what := e.Operation + " " + e.Path
		if e.ToPath != "" {
			what += " " + e.ToPath
		}
		got[e.Turn] = append(got[e.Turn], what)
	}
	named = slices.DeleteFunc(named, func(id string) bool { return !slices.Contains(turns, id) }) // one in which nothing changed
	if len(turns) != 3 || len(named) > 0 && !slices.Equal(turns, named) {
		w.Fatalf("the log has the turns %q, the agent named %q:\n%s", turns, named, w.run("log"))
	}
	for i, turn := range turns {
		if slices.Sort(got[turn]); !slices.Equal(got[turn], way.log[i]) {
			w.Errorf("turn %d: the log has %q, not %q", i+1, got[turn], way.log[i])
		}
	}
	w.verified()
	w.run("undo", "--turn")
	w.holds("after undo --turn", trees[2])
	w.run("undo", "--session", session)
	w.holds("after undo --session", trees[0])
	w.verified()
}

// emendFor returns a function that runs emend by the name of program.
func emendFor(w *account, program string) func(args ...string) string {
	return func(args ...string) string {
		w.Helper()
		was := emendProgram
		emendProgram = program
		defer func() { emendProgram = was }()
		return w.run(args...)
	}
}

// geminiSame removes what Gemini CLI does in some runs and not in others: of a session that goes on it sends some results twice, and
// the skills that it brings along are in any order.
func geminiSame(request any) {
	of := func(v any, key string) any { m, _ := v.(map[string]any); return m[key] }
	list := func(v any) []any { l, _ := v.([]any); return l }
	seen := map[string]bool{}
	for _, content := range list(of(request, "contents")) {
		content.(map[string]any)["parts"] = slices.DeleteFunc(list(of(content, "parts")), func(part any) bool {
			id, ok := of(of(part, "functionResponse"), "id").(string)
			again := ok && seen[id]
			seen[id] = seen[id] || ok
			return again
		})
	}
	for _, part := range list(of(of(request, "systemInstruction"), "parts")) {
		if text, ok := of(part, "text").(string); ok {
			part.(map[string]any)["text"] = sortedSkills(text)
		}
	}
}

func sortedSkills(text string) string {
	const from, to = "<available_skills>", "</available_skills>"
	head, rest, ok := strings.Cut(text, from)
	skills, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		return text
	}
	all := strings.SplitAfter(skills, "</skill>")
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(strings.TrimSpace(a), strings.TrimSpace(b)) })
	return head + from + strings.Join(all, "") + to + tail
}
