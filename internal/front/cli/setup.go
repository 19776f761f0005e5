package cli

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend/internal/front/setup"
	"github.com/emend-dev/emend/internal/tool"
)

type setupFlags struct {
	setup.Options
	scope string
	shell string
	write bool
}

func (a *app) setup() *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:   "setup CLIENT [DIR]",
		Short: "Configure a client to use emend: print the changes, or make them with --write",
		Long: `setup configures a client so that its agents edit through emend: it adds the server
"emend serve", and turns the client's own edit tools off where there is a setting for
that. It prints the change to each file, and how to revert it. Nothing is written
without --write.

The clients are ` + strings.Join(setup.Names(), ", ") + `.

With --scope user, the default, the configuration is for all that the account does
with the client; with DIR it serves that directory only. With --scope project it is
that of the project in DIR, the current directory without one.

An edit keeps comments, order, line ends and all other settings, and leaves the old
file as FILE.emend-backup. A file that emend cannot read, that is read-only, or that
changed meanwhile is refused. If the client has a command for this, that is run
instead.

For Claude Code, Codex, Gemini CLI and opencode it also writes hooks, by which emend
sees what shell commands and the client's own tools changed: --shell witness, the
default. With --shell off, shell commands go around emend. With --shell run each
command runs as one change that can be refused; only Claude Code can do that without
giving up its own rules. --hooks-only writes the hooks alone: the client's own edit
tools stay, and there is no server.

setup is for people: no agent can call it, and no policy of a workspace applies to it.`,
		Example: "  emend setup claude-code\n  emend setup claude-code --write\n" +
			"  emend setup vscode --scope project --write\n  emend setup codex --remove --write",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usageErrorf("setup", "setup takes a CLIENT (%s) and at most one DIR", strings.Join(setup.Names(), ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.runSetup(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.write, "write", false, "do it")
	fl.BoolVar(&f.Remove, "remove", false, "undo it")
	fl.StringVar(&f.scope, "scope", "user", "for the account or for one project: user, project")
	fl.BoolVar(&f.KeepTools, "keep-tools", false, "leave the client's own edit tools on")
	fl.StringVar(&f.shell, "shell", "witness", "what becomes of shell commands: witness, run, off")
	fl.BoolVar(&f.HooksOnly, "hooks-only", false, "write hooks alone: no server, and the client's own edit tools stay on")
	fl.StringVar(&f.Profile, "profile", "emend", "the tools of which system: "+strings.Join(tool.ProfileNames(), ", "))
	fl.BoolVar(&f.ReadOnly, "read-only", false, "offer only tools that read")
	fl.BoolVar(&f.RequireHash, "require-hash", false, "require a sha256 of every file that is changed")
	fl.BoolVar(&f.Lenient, "lenient", false, "accept malformed patches, and report each correction (see emend serve --help)")
	fl.StringVar(&f.URL, "http", "", "connect to a server that runs at `URL` instead of starting one")
	completeWords(cmd, "scope", []string{"user", "project"})
	completeWords(cmd, "shell", shellNames())
	completeWords(cmd, "profile", tool.ProfileNames())
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return setup.Names(), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return cmd
}

func (a *app) runSetup(cmd *cobra.Command, args []string, f setupFlags) error {
	client, ok := setup.Named(args[0])
	if !ok {
		return usageErrorf("setup", "%q is none of %s", args[0], strings.Join(setup.Names(), ", "))
	}
	if err := f.check(); err != nil {
		return err
	}
	host, err := a.host(argument(args, 1, "."))
	if err != nil {
		return err
	}
	host.ProjectNamed = len(args) > 1
	f.Scope, f.Shell = setup.Scope(f.scope), setup.Shell(f.shell)
	if f.Binary, err = programName(f.Scope); err != nil {
		return err
	}
	plan, err := client.Plan(host, f.Options)
	if err != nil {
		return err
	}
	if f.write {
		err = plan.Apply(cmd.Context())
		a.done = err == nil
	}
	if a.json {
		if err == nil {
			err = a.printJSON(plan)
		}
		return err
	}
	if !a.quiet {
		a.printSetup(plan, f.write, err)
	}
	return err
}

func shellNames() []string {
	var out []string
	for _, s := range setup.Shells {
		out = append(out, string(s))
	}
	return out
}

func (f *setupFlags) check() error {
	if f.scope != "user" && f.scope != "project" {
		return usageErrorf("setup", "--scope: %q is none of user, project", f.scope)
	}
	if !slices.Contains(setup.Shells, setup.Shell(f.shell)) {
		return usageErrorf("setup", "--shell: %q is none of %s", f.shell, strings.Join(shellNames(), ", "))
	}
	if f.HooksOnly && (f.URL != "" || f.ReadOnly || f.RequireHash || f.Lenient || f.Profile != "emend") {
		return usageErrorf("setup", "--hooks-only writes no server: leave out --http, --profile, --read-only, --require-hash and --lenient")
	}
	profile, ok := tool.ProfileNamed(f.Profile)
	if !ok {
		return usageErrorf("setup", "--profile: %q is none of %s", f.Profile, strings.Join(tool.ProfileNames(), ", "))
	}
	serving := tool.Options{Profile: profile, ReadOnly: f.ReadOnly, RequireHash: f.RequireHash, Lenient: f.Lenient}
	if err := serving.Check(); err != nil && !f.Remove { // with these options the server would not start
		return usageErrorf("setup", "%v", err)
	}
	if f.URL == "" {
		return nil
	}
	u, err := url.Parse(f.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return usageErrorf("setup", "--http: %q is no address of a server, as http://127.0.0.1:8765/mcp is", f.URL)
	}
	if f.ReadOnly || f.RequireHash || f.Lenient || f.Profile != "emend" {
		return usageErrorf("setup", "--http connects to a server that runs: say --profile, --read-only, --require-hash and --lenient to that one")
	}
	return nil
}

// host describes this account and machine, with the project in dir.
func (a *app) host(dir string) (setup.Host, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return setup.Host{}, usageErrorf("", "cannot find the clients' files: %v", err)
	}
	project, err := filepath.Abs(dir)
	if err != nil {
		return setup.Host{}, err
	}
	if info, err := os.Stat(project); err != nil || !info.IsDir() {
		return setup.Host{}, usageErrorf("setup", "%q is no directory", dir)
	}
	return setup.Host{Home: home, Project: project, OS: runtime.GOOS, Env: a.env, LookPath: exec.LookPath}, nil
}

// programName returns the name by which a client starts this program. A project's file is shared, so it says "emend" if
// PATH finds this program by that name. A file of the account has the path, since graphical programs often have another
// PATH.
func programName(s setup.Scope) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("emend")
	if err != nil || !sameFile(found, self) {
		return self, nil
	}
	if s == setup.Project {
		return "emend", nil
	}
	return filepath.Abs(found)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
