package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
)

// complete proposes fixed words for a flag.
func complete(cmd *cobra.Command, flag string, words []string) {
	proposed(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// noFiles keeps a shell from proposing files for a flag that takes none.
func noFiles(cmd *cobra.Command, flag string) { proposed(cmd, flag, cobra.NoFileCompletions) }

func proposed(cmd *cobra.Command, flag string, by cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, by); err != nil {
		panic(err) // the flag was just defined
	}
}

// filesAfter proposes files from the argument after the first n, and nothing for those.
func filesAfter(n int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) < n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// patience is how long a person who pressed Tab is kept waiting, and proposals how many they are shown.
const (
	patience  = time.Second
	proposals = 100
)

// entries proposes the changes in the log that stand, the newest first.
func (a *app) entries(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.fromLog(cmd, args, func(e *emend.LogEntry) string {
		if e.OK && e.UndoneBy == "" && e.Operation != "purge" && e.Entry != "" && e.Entry[0] != '#' {
			return e.Entry
		}
		return ""
	})
}

// trashIDs proposes what the trash has, and files for the target.
func (a *app) trashIDs(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.fromLog(cmd, args, func(e *emend.LogEntry) string { return e.TrashedTo })
}

// fromLog proposes the name that each entry has, with what it did. That something is wrong is not said here.
func (a *app) fromLog(cmd *cobra.Command, args []string, name func(*emend.LogEntry) string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	if len(args) > 0 || a.enter() != nil {
		return nil, none
	}
	a.calm = true
	ws, err := a.open()
	if err != nil {
		return nil, none
	}
	defer ws.Close()
	parent := cmd.Context()
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithTimeout(parent, patience)
	defer cancel()
	log, err := ws.History(ctx, emend.HistoryRequest{Limit: proposals})
	if err != nil {
		return nil, none
	}
	var out []cobra.Completion
	seen := map[string]bool{}
	for i := range log.Data.Entries {
		e := &log.Data.Entries[i]
		if id := name(e); id != "" && !seen[id] {
			seen[id] = true
			out = append(out, cobra.CompletionWithDesc(id, fmt.Sprintf("%s %s, %s", e.Operation, flat(e.Path), e.Timestamp.Local().Format("2006-01-02 15:04"))))
		}
	}
	return out, none
}
