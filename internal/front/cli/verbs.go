package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// verb is a verb and what makes it.
type verb struct {
	name string
	make func(*app) *cobra.Command
}

// verbs are those that can be made alone. A process calls one of them, and to make the others takes longer than many a call.
var verbs = []verb{
	{"read", (*app).read}, {"ls", (*app).ls}, {"glob", (*app).glob}, {"search", (*app).search},
	{"create", (*app).create}, {"write", (*app).write}, {"edit", (*app).edit}, {"rm", (*app).rm}, {"mv", (*app).mv},
	{"undo", (*app).undo}, {"restore", (*app).restore}, {"trash", (*app).trash},
	{"apply", (*app).apply}, {"convert", (*app).convert}, {"make", (*app).make}, {"explain", (*app).explain},
	{"ui", (*app).ui}, {"waiting", (*app).waiting}, {"serve", (*app).serve}, {"call", (*app).call},
	{"log", (*app).log}, {"show", (*app).show}, {"verify", (*app).verify}, {"purge", (*app).purge},
	{"recover", (*app).recoverVerb}, {"doctor", (*app).doctor}, {"setup", (*app).setup}, {"version", (*app).version},
}

// command is emend and its verbs; where the first of args names one, that one alone.
func (a *app) command(args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:   "emend",
		Short: "Apply what coding agents write to files, entirely or not at all",
		Long: `emend takes the patch text that a model wrote, in any of five dialects, and makes
it true on disk, entirely or not at all; or it says why not and what would work
instead. It reads, searches, creates, edits, moves and deletes files by the same
rules: nothing outside the workspace is touched, nobody's edit is overwritten
unseen, what was done is on record and can be taken back.

Exit codes: 0 done (a dry run: would apply), 1 refused and nothing changed (of
search: or nothing found), 2 wrong usage, 3 undecided: run emend recover.`,
		Example: `  emend apply change.patch
  pbpaste | emend apply --dry-run
  emend search 'TODO(' src
  emend edit config.go --old 'PORT = 3000' --new 'PORT = 8080'
  emend undo`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.enter() },
	}
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "directory", "C", "", "change to `DIR` before doing anything")
	f.StringVar(&a.root, "root", "", "the workspace's root `DIR` (default: the nearest directory upward with .git or .emend)")
	f.BoolVar(&a.json, "json", false, "print the result as JSON, refusals included")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print nothing but errors")
	f.BoolVar(&a.noColor, "no-color", false, "no colour, as with NO_COLOR set")
	f.BoolVar(&a.noPager, "no-pager", false, "print long texts at once, also on a terminal")
	f.StringVar(&a.store, "store", "", "the store `DIR`, on the workspace's own mount (default: found, or made beside .git)")
	f.StringVar(&a.policy, "policy", "", "the policy `FILE` (default: emend/policy.toml in the configuration directory, if there is one)")
	f.StringVar(&a.session, "session", "", "the session, for the log")
	f.StringVar(&a.agent, "agent", "", "the agent, for the log")
	f.StringVar(&a.durability, "durability", "full", "full, or none: without syncs, which survives kill -9 but not a power cut")
	f.BoolVar(&a.unsafe, "unsafe-fs", false, "write to a network file system too, where less can be promised")
	complete(root, "durability", []string{"full", "none"})
	for _, flag := range []string{"directory", "root", "store"} {
		proposed(root, flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		})
	}
	if verb := called(args); verb != nil {
		root.AddCommand(verb(a))
		root.CompletionOptions.DisableDefaultCmd = true
	} else {
		a.addAll(root)
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usage{strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "emend"), " "), err}
	})
	return root
}

// called is what makes the verb that args begin with; nil for none, and where flags, help or completions come first.
func called(args []string) func(*app) *cobra.Command {
	if len(args) == 0 {
		return nil
	}
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == args[0] })
	if i < 0 {
		return nil
	}
	return verbs[i].make
}

// addAll adds every verb, in groups, with the completions of their arguments.
func (a *app) addAll(root *cobra.Command) {
	for _, v := range verbs {
		root.AddCommand(v.make(a))
	}
	root.AddCommand(a.man()) // which describes the others
	group(root)
	a.propose(root)
}

// groups order the verbs in the help, by what a person wants to do.
var groups = []struct{ title, verbs string }{
	{"Patches", "apply convert make explain"},
	{"Reading", "read ls glob search"},
	{"Changing", "create write edit rm mv"},
	{"Taking back", "undo restore trash"},
	{"Looking after", "ui waiting log show verify recover doctor purge setup version completion help"},
	{"For programs", "serve call"},
}

// group gives every verb its group; one that has none stands in the help under a title of its own.
func group(root *cobra.Command) {
	for _, g := range groups {
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
