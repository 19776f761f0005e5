package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/overlay"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

// The exit codes of emend run that are not the command's, as of env and timeout.
const (
	exitOwnFailure = 125
	exitCannotRun  = 126
	exitNotFound   = 127
	exitSignal     = 128 // and the number of the signal
)

// exitError ends emend with an exit code; what there is to say is printed already.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// runFlags are the flags of emend run.
type runFlags struct {
	turn, mode          string
	dryRun, kept        bool
	keepIgnored         bool
	confine             bool
	show, land, discard string
	allow               []string
}

func (a *app) runVerb() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] -- CMD [ARGS]...",
		Short: "Run a command and put on record what it changed",
		Long: `run records what a command changes, so that it can be undone. The command has the
terminal, the streams and the signals that it would have without emend, and emend exits
with its exit code.

On Linux the command writes to a layer (--mode overlay): the workspace stays as it is
until the command has ended. Then all of it lands as one change, or nothing does: the
rules and the policy judge it, and if somebody else changed the same files meanwhile,
it is refused. A layer that did not land is kept: --kept lists them, --show, --land and
--discard take its name. Directories that ignore rules leave out are counted, and what
they were is kept only with --keep-ignored. Processes that the command leaves behind are
ended, and sudo does not work in it.

Where the system cannot have a layer, the command runs with --mode witness, and emend
says so and why; with --mode overlay it is not run. --mode witness looks at the
workspace before and after. What changed is an entry of the log: "made outside emend".
It can be undone as far as the contents from before are known: git has them, or emend
copied them before the command ran. What was not kept is named. What a person saves
while the command runs is taken for its work. Use it for what starts servers, or talks
to programs that look at the files meanwhile.

Neither sees what the command does outside the workspace. With --confine the kernel
(Landlock) refuses to let it write files there: it can write in the workspace's tree, in
the temporary directory, and in the directories that the policy names. docs/run.md has
what each mode promises, and what goes around --confine.`,
		Example: `  emend run -- sed -i s/8080/9090/ config.toml
  emend run -- bash
  emend undo
  emend run --dry-run -- ./generate.sh
  emend run --mode witness -- npm start
  emend run --confine -- make
  emend run --show 20261123`,
		SuggestFor: []string{"exec", "shell"},
		Args: func(cmd *cobra.Command, args []string) error {
			named := 0
			for _, on := range []bool{f.kept, f.show != "", f.land != "", f.discard != ""} {
				if on {
					named++
				}
			}
			switch {
			case named > 1 || named == 1 && (len(args) > 0 || f.dryRun || f.confine):
				return usageErrorf("run", "one of --kept, --show, --land and --discard stands alone, without a command")
			case named == 0 && len(args) == 0:
				return usageErrorf("run", "name the command to run, after --")
			case !slices.Contains(runModes, f.mode):
				return usageErrorf("run", "--mode: %q is none of %s", f.mode, strings.Join(runModes, ", "))
			case f.dryRun && f.mode == "witness":
				return usageErrorf("run", "--dry-run needs a layer: in witness mode the command writes to the workspace itself")
			case f.keepIgnored && f.mode == "witness":
				return usageErrorf("run", "--keep-ignored needs a layer: in witness mode nothing is kept of what ignore rules leave out")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.runOrLand(cmd.Context(), args, &f)
			if err != nil && !isPrinted(err) {
				a.printFailure(err)
				return exitError(exitOwnFailure)
			}
			return err
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&f.turn, "turn", "", "the turn of the session, for the log")
	cmd.Flags().StringVar(&f.mode, "mode", "auto", "auto, overlay or witness")
	cmd.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "show what the command would change, and land nothing")
	cmd.Flags().BoolVar(&f.confine, "confine", false, "let the command write only in the tree, the temporary directory and what the policy names")
	cmd.Flags().BoolVar(&f.keepIgnored, "keep-ignored", false, "list and keep what ignore rules leave out, file by file, as all else")
	cmd.Flags().BoolVar(&f.kept, "kept", false, "list the layers that did not land")
	cmd.Flags().StringVar(&f.show, "show", "", "show what the layer `NAME` would change")
	cmd.Flags().StringVar(&f.land, "land", "", "land the layer `NAME`")
	cmd.Flags().StringVar(&f.discard, "discard", "", "remove the layer `NAME`")
	allowFlag(cmd.Flags(), &f.allow)
	completeWords(cmd, "mode", runModes)
	return cmd
}

// runModes are what --mode takes. auto is overlay where there can be a layer, else witness.
var runModes = []string{"auto", "overlay", "witness"}

// runOrLand does what the flags say.
func (a *app) runOrLand(ctx context.Context, args []string, f *runFlags) error {
	ws, err := a.open(emend.AllowProtected(f.allow...))
	if err != nil {
		return err
	}
	defer ws.Close()
	ctx = emend.WithActor(ctx, api.Actor{Tool: "run", Turn: f.turn, Call: fmt.Sprintf("run-%d-%d", os.Getpid(), time.Now().UnixNano())})
	switch {
	case f.kept:
		return a.listLayers(ctx, ws)
	case f.show != "":
		rep, err := ws.Host().ShowLayer(ctx, f.show)
		if rep != nil {
			a.printRan(a.out, rep, true)
		}
		return a.printError(err)
	case f.land != "":
		rep, err := ws.Host().LandLayer(ctx, f.land)
		if err == nil {
			a.printRan(a.out, rep, false)
		}
		return a.printError(err)
	case f.discard != "":
		return a.printError(ws.Host().DiscardLayer(ctx, f.discard))
	}
	program, err := a.findProgram(args[0])
	if err != nil {
		return err
	}
	if f.confine {
		if err := emend.CannotConfine(); err != nil {
			fmt.Fprintf(a.err, "emend: the command was not run: %s\n", report.Escape(err.Error()))
			return exitError(exitOwnFailure)
		}
	}
	start := (*exec.Cmd).Start
	if f.confine {
		start = ws.Host().StartConfined
	}
	if ws.Host().InLayer() && !f.dryRun { // the run around this one records it
		return exitWith(a.waitFor(program, args, start))
	}
	if f.mode != "witness" {
		if err := a.runOverlay(ctx, ws, args, f); err != errNoLayer {
			return err
		}
	}
	return a.runWitnessed(context.WithoutCancel(ctx), ws, program, args, start)
}

// findProgram finds a program as the shell does, or prints why it cannot be run.
func (a *app) findProgram(name string) (string, error) {
	program, err := exec.LookPath(name)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EISDIR):
		fmt.Fprintf(a.err, "emend: %s cannot be run: permission denied\n", report.Escape(name))
		return "", exitError(exitCannotRun)
	case err != nil && !errors.Is(err, exec.ErrDot):
		fmt.Fprintf(a.err, "emend: %s: command not found\n", report.Escape(name))
		return "", exitError(exitNotFound)
	}
	return program, nil
}

// runWitnessed runs a command between two looks. An exitError has the command's exit code.
func (a *app) runWitnessed(ctx context.Context, ws *emend.Workspace, program string, args []string, start startFunc) error {
	bar := a.newProgressBar()
	looking := ctx
	if bar != nil {
		looking = emend.WithProgress(ctx, bar.update)
	}
	looker := ws.Host().NewLooker()
	defer looker.Close()
	before, err := looker.Look(looking, api.LookRequest{Moment: api.BeforeCall, Command: strings.Join(args, " "), Quiet: true})
	bar.finish()
	if err != nil {
		return err
	}
	a.printNotKept(before)
	adoptOrphans()
	code := a.waitFor(program, args, start)
	left := hasOrphans()
	after, err := looker.Look(ctx, api.LookRequest{Moment: api.AfterCall, Command: strings.Join(args, " "), Result: fmt.Sprintf("exit code %d", code), StillRuns: left})
	if err != nil {
		fmt.Fprintf(a.err, "emend: the command ended with exit code %d; what it changed is not on record\n", code)
		return err
	}
	a.printSeen(after)
	if left && !a.quiet {
		fmt.Fprintln(a.err, "emend: a process that the command started still runs; what it changes from now on is recorded at the next look")
	}
	return exitWith(code)
}

// exitWith returns the error that ends emend with a command's exit code.
func exitWith(code int) error {
	if code == 0 {
		return nil
	}
	return exitError(code)
}

// errNoLayer says that the command was not run, and is to run in witness mode.
var errNoLayer = errors.New("no layer")

// runOverlay runs a command over a layer and lands what it left. With --mode auto, the error is errNoLayer if there can be none, which is
// said then.
func (a *app) runOverlay(ctx context.Context, ws *emend.Workspace, args []string, f *runFlags) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	rep, err := ws.Host().Run(context.WithoutCancel(ctx), api.RunRequest{Args: args, Dir: dir, Env: os.Environ(), DryRun: f.dryRun, Confine: f.confine, KeepIgnored: f.keepIgnored})
	dryRun := f.dryRun
	switch {
	case rep == nil && err != nil && f.mode == "auto" && !dryRun && !ws.Host().InLayer(): // nothing was run
		if !a.quiet {
			fmt.Fprintf(a.err, "emend: in witness mode: %s\n", report.OneLine(err.Error()))
		}
		return errNoLayer
	case emend.IsNoLayer(err):
		fmt.Fprintf(a.err, "emend: the command was not run: %s\n", report.Escape(err.Error()))
		if u, ok := errors.AsType[*overlay.Unsupported](err); ok && u.Hint != "" {
			fmt.Fprintf(a.err, "  next: %s\n", report.Escape(u.Hint))
		}
		if overlay.AppArmor() {
			fmt.Fprintln(a.err, "  emend doctor --apparmor prints a profile")
		}
		fmt.Fprintln(a.err, "Without a layer it runs in witness mode: emend run --mode witness")
		return exitError(exitOwnFailure)
	case rep == nil:
		return err
	case rep.NotRun != "":
		fmt.Fprintf(a.err, "emend: %s cannot be run: %s\n", report.Escape(args[0]), report.Escape(rep.NotRun))
		return exitError(rep.Exit)
	case err != nil:
		fmt.Fprintf(a.err, "emend: the command ended with exit code %d, and nothing of it landed\n", rep.Exit)
		a.printFailure(err)
		if rep.Layer != "" {
			fmt.Fprintf(a.err, "emend: what it left is kept: emend run --show %s, or --land, or --discard\n", rep.Layer)
		}
		return exitError(exitOwnFailure)
	}
	a.printRan(a.err, rep, f.dryRun)
	return exitWith(rep.Exit)
}

// printRan says what landed, or would.
func (a *app) printRan(w io.Writer, rep *api.RunReport, dry bool) {
	if a.json {
		a.printJSON(rep) //nolint:errcheck // the writer keeps it
		return
	}
	if a.quiet {
		return
	}
	switch {
	case dry && len(rep.Files) > 0:
		fmt.Fprintf(w, "emend: %s would land\n", plural(len(rep.Files), "change"))
	case rep.Entry != "" && len(rep.Files) > 0:
		fmt.Fprintf(w, "emend: %s landed; to undo: emend undo %s\n", plural(len(rep.Files), "change"), rep.Entry)
	}
	for i, f := range rep.Files {
		if i == maxShown && !dry {
			fmt.Fprintf(w, "  and %d more\n", len(rep.Files)-maxShown)
			break
		}
		fmt.Fprintf(w, "  %s %s", report.OpLetter(&api.LogEntry{Operation: f.Operation}), report.OneLine(a.shown(f.Path)))
		if f.Files > 0 {
			fmt.Fprint(w, ": "+report.FilesInside(f.Files, f.Bytes))
		}
		if f.NoUndo != "" {
			fmt.Fprintf(w, " (%s)", f.NoUndo)
		}
		fmt.Fprintln(w)
		if dry && f.Diff != "" {
			a.printDiff(w, f.Diff)
		}
	}
	for _, n := range rep.Notes {
		fmt.Fprintf(w, "emend: %s\n", report.OneLine(n))
	}
}

// listLayers lists the layers that did not land.
func (a *app) listLayers(ctx context.Context, ws *emend.Workspace) error {
	all, err := ws.Host().Layers(ctx)
	if err != nil {
		return a.printError(err)
	}
	if a.json {
		return a.printJSON(struct {
			Layers []api.KeptLayer `json:"layers"`
		}{append([]api.KeptLayer{}, all...)})
	}
	if len(all) == 0 && !a.quiet {
		fmt.Fprintln(a.out, "No layers are kept.")
	}
	for _, l := range all {
		fmt.Fprintf(a.out, "%s  %s  %s\n  %s\n", l.Name, ageOf(l.Began), report.OneLine(strings.Join(l.Command, " ")), report.OneLine(l.Why))
	}
	return nil
}

// ageOf says how long ago an RFC 3339 time was.
func ageOf(began string) string {
	t, err := time.Parse(time.RFC3339, began)
	if err != nil {
		return "of unknown age"
	}
	switch d := max(0, time.Since(t)); {
	case d < 2*time.Hour:
		return plural(int(d/time.Minute), "minute") + " old"
	case d < 48*time.Hour:
		return plural(int(d/time.Hour), "hour") + " old"
	default:
		return plural(int(d/(24*time.Hour)), "day") + " old"
	}
}

// startFunc starts a command.
type startFunc func(*exec.Cmd) error

// waitFor runs the program with the streams of this process, in its process group, so that the keyboard's signals reach both:
// emend waits for what the program makes of them. Signals that are sent to emend alone are passed on.
func (a *app) waitFor(program string, args []string, start startFunc) int {
	cmd := &exec.Cmd{Path: program, Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, runSignals...)
	defer signal.Stop(signals)
	if err := start(cmd); err != nil {
		fmt.Fprintf(a.err, "emend: %s cannot be run: %v\n", report.Escape(args[0]), cmp.Or(errors.Unwrap(err), err))
		return exitCannotRun
	}
	ended := make(chan struct{})
	var passing panics.Group
	passing.Go(func() {
		for {
			select {
			case s := <-signals:
				if !fromKeyboard(s) {
					cmd.Process.Signal(s) //nolint:errcheck // it ended meanwhile
				}
			case <-ended:
				return
			}
		}
	})
	err := cmd.Wait()
	close(ended)
	passing.Wait()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		fmt.Fprintf(a.err, "emend: %s: %v\n", report.Escape(args[0]), err)
		return exitOwnFailure
	}
	return exitStatus(cmd.ProcessState)
}

// maxShown is how many files are named on standard error.
const maxShown = 20

// printSeen says what was recorded.
func (a *app) printSeen(l *api.Look) {
	if a.quiet {
		return
	}
	for _, e := range l.Entries {
		fmt.Fprintf(a.err, "emend: recorded %s made outside emend; to undo: emend undo %s\n", plural(len(e.Files), "change"), e.Entry)
		a.printSeenFiles(a.err, e.Files)
	}
	for _, n := range l.Notes {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(n))
	}
}

func (a *app) printSeenFiles(w io.Writer, files []api.SeenFile) {
	for _, f := range files[:min(len(files), maxShown)] {
		line := "  " + report.OpLetter(&api.LogEntry{Operation: f.Operation}) + " " + report.OneLine(a.shown(f.Path))
		if f.ToPath != "" {
			line += " -> " + report.OneLine(a.shown(f.ToPath))
		}
		if f.NoUndo != "" {
			line += " (" + f.NoUndo + ")"
		}
		fmt.Fprintln(w, line)
	}
	if more := len(files) - maxShown; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// printNotKept says what could not be taken back if the command changed it.
func (a *app) printNotKept(l *api.Look) {
	if a.quiet {
		return
	}
	for _, n := range l.NotKept[:min(len(l.NotKept), 5)] {
		fmt.Fprintf(a.err, "emend: not kept, so a change of it cannot be undone: %s (%s, %s): %s\n",
			report.OneLine(a.shown(n.Path)), plural(n.Files, "file"), formatBytes(n.Bytes), n.Why)
	}
	if more := len(l.NotKept) - 5; more > 0 {
		fmt.Fprintf(a.err, "emend: nor are %d other directories and files\n", more)
	}
}
