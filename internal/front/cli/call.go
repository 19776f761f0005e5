package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/spf13/cobra"
)

type callFlags struct {
	toolFlags
	list  bool
	allow []string
}

func (a *app) call() *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON]",
		Short: "Call a tool as an agent does",
		Long: `call calls one of the tools that agents have. The arguments are JSON, from the
command line or from standard input. The result, or the refusal, is printed as JSON,
as a server would send it. --list lists the tools; with --json it adds their schemas.
--profile selects the tools of another system.`,
		Example: `  emend call read_file '{"path":"a.txt"}'
  emend call apply_patch < arguments.json
  emend call --list
  emend call --profile codex apply_patch < arguments.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if f.list && len(args) > 0 {
				return usageErrorf("call", "--list takes no arguments")
			}
			if !f.list && (len(args) < 1 || len(args) > 2) {
				return usageErrorf("call", "one TOOL and its JSON, got %d arguments", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			p, ok := tool.ProfileNamed(f.profile)
			if !ok {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return p.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.runCall(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.list, "list", false, "list the tools")
	f.define(fl, "refuse the tools that change files")
	allowFlag(fl, &f.allow)
	completeWords(cmd, "profile", tool.ProfileNames())
	return cmd
}

func (a *app) runCall(cmd *cobra.Command, args []string, f callFlags) error {
	o, err := f.options("call")
	if err != nil {
		return err
	}
	if f.list {
		return a.listTools(o.Tools())
	}
	t, ok := o.Profile.Named(args[0])
	if !ok {
		return usageErrorf("call", "no tool of %s is called %q; there are %s", o.Profile.Name, args[0], strings.Join(o.Profile.Names(), ", "))
	}
	text, err := a.readArguments(args[1:])
	if err != nil {
		return err
	}
	ws, err := a.open(emend.AllowProtected(f.allow...))
	if err != nil {
		return err
	}
	defer ws.Close()
	r := o.Call(cmd.Context(), ws, args[0], json.RawMessage(text))
	a.done = r.OK() && t.Mutates
	if err := a.printJSON(r); r.OK() {
		return err
	}
	return refusedCallError(r)
}

// refusedCallError returns the error for a refusal that is printed already.
func refusedCallError(r api.Result) error { return errors.Join(errPrinted, undecidedError(r)) }

// readArguments returns the JSON from the command line, or from standard input.
func (a *app) readArguments(args []string) (string, error) {
	if len(args) > 0 && args[0] != "-" {
		return args[0], nil
	}
	a.promptForInput("the arguments", "them")
	b, err := readAll(a.stdin(), 0)
	return string(b), err
}

// undecidedError returns an error if r says that a commit is neither done nor undone, so that the exit code says it
// too. Else it returns nil.
func undecidedError(r api.Result) error {
	b, err := json.Marshal(r)
	if err != nil {
		return nil
	}
	var o struct {
		Error struct {
			Details struct{ Reason string }
		}
		Meta struct {
			Error struct {
				Details struct{ Reason string }
			}
		} `json:"_meta"`
	}
	// Some dialects have a string for an error. The decoder stops there, and finds the reason in _meta instead.
	json.Unmarshal(b, &o) //nolint:errcheck
	for _, reason := range []string{o.Error.Details.Reason, o.Meta.Error.Details.Reason} {
		if reason == "indeterminate" {
			return &fail.Error{Kind: fail.CommandFailed, Reason: reason}
		}
	}
	return nil
}

// toolEntry is one tool in the output of --list --json, with the field names of MCP.
type toolEntry struct {
	Name         string      `json:"name"`
	Title        string      `json:"title"`
	Description  string      `json:"description"`
	InputSchema  any         `json:"inputSchema"`
	OutputSchema any         `json:"outputSchema,omitempty"`
	Annotations  annotations `json:"annotations"`
}

type annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
}

func (a *app) listTools(tools []*tool.Tool) error {
	entries := []toolEntry{}
	for _, t := range tools {
		e := toolEntry{Name: t.Name, Title: t.Title, Description: t.Description(), InputSchema: t.Input(),
			Annotations: annotations{!t.Mutates, t.Destructive, t.Idempotent}}
		if s := t.Output(); s != nil {
			e.OutputSchema = s
		}
		entries = append(entries, e)
	}
	if a.json {
		return a.printJSON(entries)
	}
	for _, t := range tools {
		if _, err := fmt.Fprintf(a.out, "%s\n    %s\n", t.Name, report.Escape(strings.ReplaceAll(t.Description(), "\n", "\n    "))); err != nil {
			return err
		}
	}
	return nil
}
