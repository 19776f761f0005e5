// Command tasks does what people want to do after an agent has worked, with emend and with git, and counts what a person types and how
// long it takes.
//
//	go -C bench run ./tasks     # writes bench/tasks/RESULTS.md; half a minute
//
// Each task begins with the same project. Each result is checked: a task that does not end as it should fails the run.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/proof/product"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	out := flag.String("out", "tasks/RESULTS.md", "write the results to this `file`")
	rounds := flag.Int("rounds", 7, "do each task so `many` times")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := run(ctx, *rounds, *out); err != nil {
		fmt.Fprintln(os.Stderr, "tasks:", err)
		os.Exit(1)
	}
}

// scene is a project in which an agent worked.
type scene struct {
	ctx   context.Context
	dir   string
	emend string // the program
	env   []string
}

// typed is the input of a person: a command, and the answers to its questions.
type typed struct {
	command string // "emend ..." or "git ..."
	answers string
}

// keys counts the keys: all characters, with four for ID, and Enter after each line.
func (t typed) keys() int {
	return len(strings.Replace(t.command, "ID", "abcd", 1)) + 1 + len(t.answers)
}

// task is something that a person wants.
type task struct {
	name  string
	emend []typed
	git   []typed // none where git has no answer
	note  string  // what the two do differently
	page  string  // what it takes on the pages, as TestTaskClicks of proof/browser does it
	// prepare, if it is there, sets the scene for one run, and returns what ends it.
	prepare func(*scene) (func() error, error)
	check   func(s *scene, program, output string) error
}

const agentHunks = 10

var tasks = []task{
	{
		name:  "find who changed a line",
		emend: []typed{{command: "emend blame cart.go --lines 19"}},
		git:   []typed{{command: "git blame -L 19,19 cart.go"}},
		page:  "Filters, \"Changed line contains\", a word: 2 clicks, 9 keys",
		note:  "git names commits: the agent's change, which is in none, is \"Not Committed Yet\"",
		check: func(_ *scene, program, output string) error {
			return has(output, map[string]string{"emend": "coder", "git": "Not Committed Yet"}[program])
		},
	},
	{
		name:    "undo one hunk of ten",
		emend:   []typed{{command: "emend log --oneline"}, {"emend undo -p ID", "g4\ny\nq\n"}},
		git:     []typed{{"git checkout -p cart.go", "g4\ny\nq\n"}},
		page:    "the change, the hunk's Undo, Undo: 3 clicks",
		note:    "ID is four letters that the log begins the line with. With git the hunk is gone afterwards; with emend that is on record and can be undone",
		prepare: (*scene).findEntry,
		check: func(s *scene, _, _ string) error {
			return s.holds("cart.go", cart(func(i int) bool { return i != 3 }))
		},
	},
	{
		name:    "approve an agent's call",
		emend:   []typed{{command: "emend waiting allow ID"}},
		page:    "Waiting, Allow once: 2 clicks",
		note:    "git asks nobody. ID is four letters; `emend waiting`, which shows the diff, is open in another terminal, or a page is",
		prepare: (*scene).waitingCall,
		check:   func(s *scene, _, _ string) error { return s.holds("deploy.yml", "replicas: 9\n") },
	},
	{
		name:  "restore a deleted file by its name",
		emend: []typed{{command: "emend restore notes.md"}},
		git:   []typed{{command: "git checkout notes.md"}},
		page:  "Trash, Restore, Restore: 3 clicks",
		note:  "git restores what was committed: the line that was added since is lost",
		check: func(s *scene, program, _ string) error {
			return s.holds("notes.md", map[string]string{"emend": "# Notes\nnot committed\n", "git": "# Notes\n"}[program])
		},
	},
	{
		name:  "undo what came of the last prompt",
		emend: []typed{{command: "emend undo --turn"}},
		page:  "Undo turn, Undo: 2 clicks",
		note:  "git knows no prompts: it would need a commit before each",
		check: func(s *scene, _, _ string) error {
			return errors.Join(s.holds("last.txt", ""), s.holds("notes.md", "# Notes\nnot committed\n"), s.holds("cart.go", cart(all)))
		},
	},
	{
		name:  "see what an agent did since the last commit",
		emend: []typed{{command: "emend status"}},
		git:   []typed{{command: "git status -s"}},
		page:  "Sessions, the session: 2 clicks; all of it, not since a commit",
		note:  "git lists what differs, whoever did it; emend lists by agent and session, with lines",
		check: func(_ *scene, program, output string) error {
			return errors.Join(has(output, "cart.go"), has(output, map[string]string{"emend": "coder", "git": " M cart.go"}[program]))
		},
	},
}

func all(int) bool { return true }

// cart is the text of cart.go. changed says which of the agent's ten hunks are in it.
func cart(changed func(int) bool) string {
	var b strings.Builder
	for i := range agentHunks {
		fmt.Fprintf(&b, "// price%d returns a price.\nfunc price%d(n int) int {\n", i, i)
		if changed(i) {
			fmt.Fprintf(&b, "\treturn n * %d // in cents\n", i+100)
		} else {
			fmt.Fprintf(&b, "\treturn n * %d\n", i)
		}
		b.WriteString("}\n\n\n\n\n")
	}
	return b.String()
}

func has(text, want string) error {
	if !strings.Contains(text, want) {
		return fmt.Errorf("%q is not in: %s", want, text)
	}
	return nil
}

// holds checks the content of a file; "" means that there is none.
func (s *scene) holds(name, want string) error {
	got, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil && want != "" || string(got) != want {
		return fmt.Errorf("%s is %q, want %q: %v", name, got, want, err)
	}
	return nil
}

// command runs a command with the shell, as a person would type it, and returns what it printed.
func (s *scene) command(command, input string) (string, error) {
	cmd := exec.CommandContext(s.ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdin = s.dir, s.env, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	return string(out), nil
}

// build makes the project: a commit, a line that is not committed, and an agent that edits cart.go in ten places and, in its last
// turn, deletes notes.md and writes last.txt.
func (s *scene) build() error {
	for name, text := range map[string]string{"cart.go": cart(func(int) bool { return false }), "notes.md": "# Notes\n", "deploy.yml": "replicas: 2\n", ".gitignore": ".emend\n"} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	var patch strings.Builder
	patch.WriteString("*** Begin Patch\n*** Update File: cart.go\n")
	for i := range agentHunks {
		fmt.Fprintf(&patch, "@@\n-\treturn n * %d\n+\treturn n * %d // in cents\n", i, i+100)
	}
	patch.WriteString("*** End Patch\n")
	for _, c := range []typed{
		{"git init -q && git add -A && git commit -q -m begin && echo 'not committed' >> notes.md", ""},
		{"emend --session s1 --agent coder apply", patch.String()},
		{"emend --session s1 --agent coder run --mode witness --turn t2 -- sh -c 'rm notes.md; echo last > last.txt'", ""},
	} {
		if _, err := s.command(c.command, c.answers); err != nil {
			return err
		}
	}
	return nil
}

// findEntry puts the beginning of the name of the agent's first change into the environment, as a person reads it in the log.
func (s *scene) findEntry() (func() error, error) {
	log, err := s.command("emend log --oneline", "")
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if err != nil {
		return nil, err
	}
	s.env = append(s.env, "ID="+lines[len(lines)-1][:4])
	return func() error { return nil }, nil
}

// waitingCall has an agent make a call that waits for a person, and puts the call's ID into the environment.
func (s *scene) waitingCall() (func() error, error) {
	policy := filepath.Join(s.dir, "..", "policy.toml")
	if err := os.WriteFile(policy, []byte("[write]\nask = [\"deploy.yml\"]\n"), 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(s.ctx, time.Minute)
	follow := exec.CommandContext(ctx, s.emend, "--policy", policy, "waiting", "--follow")
	follow.Dir, follow.Env = s.dir, s.env
	shown, err := follow.StdoutPipe()
	if err == nil {
		err = follow.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	serve := exec.CommandContext(ctx, s.emend, "--policy", policy, "serve", s.dir)
	serve.Env = s.env
	session, err := mcp.NewClient(&mcp.Implementation{Name: "coder", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: serve}, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- callDeploy(ctx, session) }()
	id := regexp.MustCompile(`\bq[a-z0-9]{11}\b`)
	lines := bufio.NewScanner(shown)
	for lines.Scan() {
		if found := id.FindString(lines.Text()); found != "" {
			s.env = append(s.env, "ID="+found[:4])
			go func() {
				for lines.Scan() { // so that it can go on printing
				}
			}()
			return func() error {
				defer cancel()
				defer session.Close()
				return <-done
			}, nil
		}
	}
	cancel()
	return nil, errors.New("no call waits")
}

// callDeploy changes deploy.yml as an agent. The call is refused while nobody is there to be asked, and made again.
func callDeploy(ctx context.Context, session *mcp.ClientSession) error {
	for {
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "apply_patch", Arguments: map[string]any{
			"patch": "*** Begin Patch\n*** Update File: deploy.yml\n@@\n-replicas: 2\n+replicas: 9\n*** End Patch\n"}})
		if err != nil || !r.IsError {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the call was refused: %s", r.Content[0].(*mcp.TextContent).Text)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// result has the costs of a task with one program.
type result struct {
	keys int
	took time.Duration // the median
}

// do does a task with one program in a copy of the project, and returns how long the commands took.
func (s *scene) do(t *task, program string, steps []typed) (took time.Duration, err error) {
	copied := *s
	if copied.dir, err = os.MkdirTemp(filepath.Dir(s.dir), "run"); err != nil {
		return 0, err
	}
	copied.dir = filepath.Join(copied.dir, "project")
	defer os.RemoveAll(filepath.Dir(copied.dir))
	if err := os.Mkdir(copied.dir, 0o755); err != nil {
		return 0, err
	}
	if err := copied.build(); err != nil {
		return 0, err
	}
	end := func() error { return nil }
	if t.prepare != nil {
		if end, err = t.prepare(&copied); err != nil {
			return 0, err
		}
	}
	var output strings.Builder
	began := time.Now()
	for _, step := range steps {
		said, err := copied.command(strings.ReplaceAll(step.command, " ID", " $ID"), step.answers)
		if err != nil {
			return 0, err
		}
		output.WriteString(said)
	}
	took = time.Since(began)
	if err := end(); err != nil {
		return 0, err
	}
	return took, t.check(&copied, program, output.String())
}

func (s *scene) measure(t *task, program string, steps []typed, rounds int) (*result, error) {
	if len(steps) == 0 {
		return nil, nil
	}
	r := &result{}
	for _, step := range steps {
		r.keys += step.keys()
	}
	var all []time.Duration
	for range rounds {
		took, err := s.do(t, program, steps)
		if err != nil {
			return nil, fmt.Errorf("%s, with %s: %w", t.name, program, err)
		}
		all = append(all, took)
	}
	slices.Sort(all)
	r.took = all[len(all)/2]
	return r, nil
}

func run(ctx context.Context, rounds int, out string) error {
	scratch, err := os.MkdirTemp("", "emend-tasks")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	bin := filepath.Join(scratch, "bin")
	s := &scene{ctx: ctx, dir: filepath.Join(scratch, "project"), emend: filepath.Join(bin, "emend")}
	if err := errors.Join(os.Mkdir(bin, 0o755), os.Mkdir(s.dir, 0o755), product.BuildRelease(ctx, s.emend)); err != nil {
		return err
	}
	s.env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+scratch, "XDG_CONFIG_HOME="+scratch,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	git, err := s.command("git --version", "")
	if err != nil {
		return err
	}
	var rows bytes.Buffer
	for i := range tasks {
		t := &tasks[i]
		mine, err := s.measure(t, "emend", t.emend, rounds)
		if err != nil {
			return err
		}
		gits, err := s.measure(t, "git", t.git, rounds)
		if err != nil {
			return err
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s |\n", t.name, cell(t.emend, mine), t.page, cell(t.git, gits), t.note)
	}
	page := strings.NewReplacer("GIT", strings.TrimSpace(git), "ROUNDS", fmt.Sprint(rounds), "ROWS", strings.TrimSpace(rows.String())).Replace(pageText)
	fmt.Print(page)
	return os.WriteFile(out, []byte(page), 0o644)
}

func cell(steps []typed, r *result) string {
	if r == nil {
		return "–"
	}
	var words []string
	for _, s := range steps {
		text := "`" + s.command + "`"
		if s.answers != "" {
			text += ", `" + strings.ReplaceAll(strings.TrimSpace(s.answers), "\n", " ") + "`"
		}
		words = append(words, text)
	}
	return fmt.Sprintf("%s: %d keys, %.2f s", strings.Join(words, ", "), r.keys, r.took.Seconds())
}
