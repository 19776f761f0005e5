package cli

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/spf13/cobra"
)

// verb is one of the commands of emend.
type verb struct {
	name  string
	make  func(*app) *cobra.Command
	exits string // the exit codes, for its help; may be ""
}

// The exit codes that several verbs have.
const (
	readExits   = "0 done, 1 refused, 2 wrong usage."
	changeExits = "0 done, 1 refused and nothing changed, 2 wrong usage, 3 undecided: run\nemend recover."
)

// verbs lists the verbs. A process runs one of them, so each can be made alone: making all takes longer than many a
// call.
var verbs = []verb{
	{"read", (*app).read, readExits},
	{"ls", (*app).ls, readExits},
	{"glob", (*app).glob, "0 done, also without a match; 1 refused, 2 wrong usage."},
	{"search", (*app).search, "0 something was found, 1 nothing was found, or it was refused, which\nstandard error says; 2 wrong usage."},
	{"create", (*app).create, changeExits},
	{"write", (*app).write, changeExits},
	{"edit", (*app).edit, changeExits},
	{"rm", (*app).rm, changeExits},
	{"mv", (*app).mv, changeExits},
	{"undo", (*app).undo, changeExits},
	{"redo", (*app).redo, changeExits},
	{"mark", (*app).mark, readExits},
	{"freeze", (*app).freeze, readExits},
	{"thaw", (*app).thaw, readExits},
	{"restore", (*app).restore, changeExits},
	{"trash", (*app).trash, ""},
	{"apply", (*app).apply, "0 done, 1 refused and nothing changed (with --no-atomic: stopped,\n" +
		"what was applied is listed), 2 wrong usage, 3 undecided: run emend recover."},
	{"convert", (*app).convert, ""},
	{"make", (*app).make, ""},
	{"explain", (*app).explain, "0 all of it would be applied, 1 it would be refused, 2 wrong usage."},
	{"ui", (*app).ui, "0 ended with Ctrl-C, 1 could not serve, 2 wrong usage."},
	{"waiting", (*app).waiting, "0 done, 1 no such call waits any more, 2 wrong usage."},
	{"run", (*app).runVerb, "the command's; 128 and the number of the signal that ended it; 125 emend\ncould not look, record or land, 126 the command cannot be run, 127 it is not found."},
	{"serve", (*app).serve, "0 ended by a signal, 1 could not serve, 2 wrong usage."},
	{"hook", (*app).hook, "0 always, also when it failed, so that no agent is ever held up."},
	{"call", (*app).call, "0 done, 1 refused and nothing changed, 2 wrong usage, 3 undecided:\nrun emend recover."},
	{"status", (*app).status, readExits},
	{"diff", (*app).diff, "0 done, also without a difference; 1 refused, 2 wrong usage."},
	{"log", (*app).log, readExits},
	{"show", (*app).show, "0 done, 1 there is no such entry, 2 wrong usage."},
	{"blame", (*app).blame, readExits},
	{"verify", (*app).verify, "0 the log is whole and has every head, 1 it does not, 2 wrong usage."},
	{"purge", (*app).purge, ""},
	{"recover", (*app).recoverVerb, "0 done or nothing to do, 1 the lock could not be had or the store\n" +
		"cannot be written, 3 still undecided: see to the disk and run it again."},
	{"doctor", (*app).doctor, "0 no problems, 1 emend cannot write here."},
	{"setup", (*app).setup, "0 done or nothing to do, 1 refused, 2 wrong usage."},
	{"version", (*app).version, ""},
}

// command returns the command of the verb.
func (v verb) command(a *app) *cobra.Command { return withExits(v.make(a), v.exits) }

// withExits appends the exit codes to the long help of cmd.
func withExits(cmd *cobra.Command, exits string) *cobra.Command {
	if exits != "" {
		cmd.Long += "\n\nExit codes: " + exits
	}
	return cmd
}

// command returns emend with its verbs. If args name one at once, it makes only that one.
func (a *app) command(args ...string) *cobra.Command {
	root := withExits(&cobra.Command{
		Use:   "emend",
		Short: "Apply what coding agents write to files, entirely or not at all",
		Long: `emend applies patches that models write, in any of seven dialects, entirely or not
at all. If a patch does not fit, it says why and what would work instead. It also
reads, searches, creates, edits, moves and deletes files by the same rules: it
touches nothing outside the workspace, overwrites no edit that the caller has not
seen, and records every change, so that it can be undone.`,
		Example: `  emend apply change.patch
  pbpaste | emend apply --dry-run
  emend search 'TODO(' src
  emend edit config.go --old 'PORT = 3000' --new 'PORT = 8080'
  emend undo`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.applyGlobalFlags() },
	}, "0 done (a dry run: would apply), 1 refused and nothing changed (of\n"+
		"search: or nothing found), 2 wrong usage, 3 undecided: run emend recover.")
	root.Version = emend.Version().Version
	root.SetVersionTemplate(versionText(emend.Version()))
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "directory", "C", "", "change to `DIR` before doing anything")
	f.StringVar(&a.root, "root", "", "the workspace's root `DIR` (default: the nearest directory upward with .git or .emend)")
	f.BoolVar(&a.atRoot, "root-relative", false, "paths count from the workspace's root, not from the current directory: for scripts")
	f.BoolVar(&a.json, "json", false, "print the result as JSON, refusals included; its paths count from the root")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print nothing but errors")
	f.BoolVar(&a.noColor, "no-color", false, "no colour, as with NO_COLOR set")
	f.BoolVar(&a.noPager, "no-pager", false, "print long texts at once, also on a terminal")
	f.StringVar(&a.store, "store", "", "the store `DIR`, on the workspace's own mount (default: found, or made beside .git)")
	f.StringVar(&a.policy, "policy", "", "the policy `FILE` (default: emend/policy.toml in the configuration directory, if there is one)")
	f.StringVar(&a.session, "session", "", "the session, for the log")
	f.StringVar(&a.agent, "agent", "", "the agent, for the log")
	f.StringVar(&a.durability, "durability", "full", "full, or none: without syncs, which survives kill -9 but not a power cut")
	f.BoolVar(&a.unsafeFS, "unsafe-fs", false, "write to a network file system too, where less can be promised")
	completeWords(root, "durability", []string{"full", "none"})
	for _, flag := range []string{"directory", "root", "store"} {
		registerCompletion(root, flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		})
	}
	if v, ok := verbOf(args); ok {
		root.AddCommand(v.command(a))
		root.CompletionOptions.DisableDefaultCmd = true
	} else {
		a.addVerbs(root)
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "emend"), " "), err}
	})
	return root
}

// usageTemplate leaves the flags of every verb to the help of emend itself.
func usageTemplate(standard string) string {
	from := strings.Index(standard, "{{if .HasAvailableInheritedFlags}}")
	if from < 0 {
		return standard
	}
	to := from + strings.Index(standard[from:], "{{end}}") + len("{{end}}")
	return standard[:from] + "{{if .HasAvailableInheritedFlags}}\n\n" + globalFlagsHelp + "{{end}}" + standard[to:]
}

// globalFlagsHelp stands in the help of a verb instead of the flags that every verb has.
const globalFlagsHelp = "Flags of every verb, such as --directory, --json and --quiet: emend --help"

// valueFlags are the flags of every verb that take a value, as somebody writes them before the verb.
var valueFlags = []string{"--root", "--store", "--policy", "--session", "--agent", "--durability"}

// switches are the flags of every verb that take none.
var switches = []string{"--root-relative", "--json", "--quiet", "-q", "--no-color", "--no-pager", "--unsafe-fs"}

// verbOf returns the verb that args begin with, or that follows flags of every verb. It finds none if help, completion or anything
// else comes first.
func verbOf(args []string) (verb, bool) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, _, has := strings.Cut(args[0], "=")
		switch takes := slices.Contains(valueFlags, name); {
		case takes && has || slices.Contains(switches, args[0]):
			args = args[1:]
		case takes && len(args) > 1:
			args = args[2:]
		default:
			return verb{}, false
		}
	}
	for _, v := range verbs {
		if len(args) > 0 && v.name == args[0] {
			return v, true
		}
	}
	return verb{}, false
}

// addVerbs adds every verb, the groups of the help, and the completions of arguments.
func (a *app) addVerbs(root *cobra.Command) {
	for _, v := range verbs {
		root.AddCommand(v.command(a))
	}
	root.AddCommand(a.man())
	groupVerbs(root)
	a.addLogCompletions(root)
}

// verbGroups are the groups of verbs in the help.
var verbGroups = []struct{ title, verbs string }{
	{"Patches", "apply convert make explain"},
	{"Reading", "read ls glob search"},
	{"Changing", "create write edit rm mv"},
	{"Undo", "undo redo mark restore trash"},
	{"History and maintenance", "status diff log show ui waiting blame verify freeze thaw recover doctor purge setup version completion help"},
	{"For programs", "run serve call hook"},
}

// groupVerbs puts every verb into its group. A verb without one stands apart in the help.
func groupVerbs(root *cobra.Command) {
	for _, g := range verbGroups {
		there := false
		for verb := range strings.FieldsSeq(g.verbs) {
			for _, cmd := range root.Commands() {
				if cmd.Name() == verb {
					cmd.GroupID, there = g.title, true
				}
			}
			switch verb {
			case "completion":
				root.SetCompletionCommandGroupID(g.title)
			case "help":
				root.SetHelpCommandGroupID(g.title)
			}
		}
		if there {
			root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		}
	}
}
