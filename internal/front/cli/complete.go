package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

// completeWords completes a flag with fixed words.
func completeWords(cmd *cobra.Command, flag string, words []string) {
	registerCompletion(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeNothing keeps the shell from completing a flag with file names.
func completeNothing(cmd *cobra.Command, flag string) {
	registerCompletion(cmd, flag, cobra.NoFileCompletions)
}

func registerCompletion(cmd *cobra.Command, flag string, by cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, by); err != nil {
		panic(err) // the flag was just defined
	}
}

// completeFilesAfter completes arguments with file names, but for the first n arguments, which get nothing.
func completeFilesAfter(n int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) < n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// completionTimeout bounds how long a person waits after pressing Tab, and maxCompletions what the shell shows then.
const (
	completionTimeout = time.Second
	maxCompletions    = 100
)

// completeEntries completes the first argument with the log's entries that can be undone, the newest first.
func (a *app) completeEntries(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeFromLog(cmd, undoableEntry)
}

// completeTrashIDs completes the first argument with ids of the trash, or with archives if no id begins as typed, and
// the second argument with file names.
func (a *app) completeTrashIDs(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	ids, directive := a.completeFromLog(cmd, entryTrashID)
	if prefix != "" && !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, prefix) }) {
		return []cobra.Completion{"gz", "tgz"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return ids, directive
}

// These functions return what to complete from an entry of the log; "" for nothing.
func entryID(e *api.LogEntry) string { return e.Entry }

func entryTrashID(e *api.LogEntry) string { return e.TrashedTo }

func entrySession(e *api.LogEntry) string { return e.SessionID }

func undoableEntry(e *api.LogEntry) string {
	if e.OK && e.UndoneBy == "" && e.Operation != "purge" && !strings.HasPrefix(e.Entry, "#") {
		return e.Entry
	}
	return ""
}

// addLogCompletions adds completions from the log: for the arguments of show, purge and trash clear, and for the
// --session of undo, log and purge.
func (a *app) addLogCompletions(root *cobra.Command) {
	by := func(name func(*api.LogEntry) string) cobra.CompletionFunc {
		return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return a.completeFromLog(cmd, name)
		}
	}
	for path, name := range map[string]func(*api.LogEntry) string{"show": entryID, "purge": entryID, "trash clear": entryTrashID} {
		if cmd, _, err := root.Find(strings.Fields(path)); err == nil && cmd.CommandPath() == "emend "+path {
			cmd.ValidArgsFunction = by(name)
		}
	}
	for _, verb := range []string{"undo", "log", "purge"} {
		if cmd, _, err := root.Find([]string{verb}); err == nil && cmd.LocalNonPersistentFlags().Lookup("session") != nil {
			registerCompletion(cmd, "session", by(entrySession))
		}
	}
}

// completeFromLog completes with what name returns for each entry, described by what the entry did. It reports no
// errors: a completion has no place for them.
func (a *app) completeFromLog(cmd *cobra.Command, name func(*api.LogEntry) string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	ws := a.openForCompletion()
	if ws == nil {
		return nil, directive
	}
	defer ws.Close()
	ctx, cancel := context.WithTimeout(cmp.Or(cmd.Context(), context.Background()), completionTimeout)
	defer cancel()
	log, err := ws.History(ctx, api.HistoryRequest{Limit: maxCompletions})
	if err != nil {
		return nil, directive
	}
	var out []cobra.Completion
	seen := map[string]bool{}
	for i := range log.Data.Entries {
		e := &log.Data.Entries[i]
		if id := name(e); id != "" && !seen[id] {
			seen[id] = true
			out = append(out, cobra.CompletionWithDesc(id, fmt.Sprintf("%s %s, %s", e.Operation, report.OneLine(e.Path), e.Timestamp.Local().Format("2006-01-02 15:04"))))
		}
	}
	return out, directive
}

// openForCompletion opens the workspace without printing anything. It returns nil if that fails.
func (a *app) openForCompletion() *emend.Workspace {
	if a.applyGlobalFlags() != nil {
		return nil
	}
	a.hideRecovery = true
	ws, _ := a.open(emend.NoRecovery())
	return ws
}
