package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// open opens the workspace of the current directory, or of --root.
func (a *app) open(o ...emend.Option) (*emend.Workspace, error) {
	root, base, err := a.rootAndBase()
	if err != nil {
		return nil, err
	}
	mine, err := a.workspaceOptions()
	if err != nil {
		return nil, err
	}
	ws, err := emend.Open(root, append(append(o, emend.Base(base)), mine...)...)
	if err != nil {
		return nil, err
	}
	a.reportRecovery(ws)
	return ws, nil
}

// rootAndBase returns the root of the workspace, and below it the directory that paths are relative to: the current one, or with
// --root-relative the root.
func (a *app) rootAndBase() (root, base string, err error) {
	if a.root == "" {
		root, base, err = emend.FindRoot(".")
	} else if base, err = dirBelow(a.root); err != nil {
		return "", "", &usageError{"", err}
	} else {
		root = a.root
	}
	if a.atRoot {
		base = ""
	}
	a.base = base
	return root, base, err
}

// workspaceOptions returns the options that the flags of every verb set.
func (a *app) workspaceOptions() ([]emend.Option, error) {
	out := []emend.Option{emend.ByActor(api.Actor{Client: api.CommandLine, Session: a.session, Agent: a.agent})}
	file, err := a.policyFile()
	if err != nil {
		return nil, err
	}
	if file != "" {
		out = append(out, emend.Policy(file))
	}
	if a.store != "" {
		out = append(out, emend.Store(a.store))
	}
	if a.durability == "none" {
		out = append(out, emend.NoSync())
	}
	if a.unsafeFS {
		out = append(out, emend.UnsafeFS())
	}
	return out, nil
}

// policyFile returns the path of the policy: the one of --policy, or the account's own if it exists.
func (a *app) policyFile() (string, error) {
	if a.policy != "" {
		return a.policy, nil
	}
	dir, err := a.configDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "emend", "policy.toml")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return file, nil
}

// configDir returns the configuration directory of the account. If HOME is not set, it asks the system for it: a policy
// must hold too for a service that was started without an environment.
func (a *app) configDir() (string, error) {
	dir, err := os.UserConfigDir()
	if err == nil {
		return dir, nil
	}
	if a.env("XDG_CONFIG_HOME") != "" {
		return "", &usageError{"", err}
	}
	who, err := user.Current()
	if err != nil || who.HomeDir == "" {
		return "", usageErrorf("", "cannot find the policy: set HOME, or name it with --policy")
	}
	return filepath.Join(who.HomeDir, ".config"), nil
}

// reportRecovery prints what opening the workspace recovered from an earlier run.
func (a *app) reportRecovery(ws *emend.Workspace) {
	if a.hideRecovery {
		return
	}
	r, err := ws.Host().Recovered()
	if err != nil {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(err.Error()))
	} else if r != nil && !a.quiet {
		fmt.Fprintf(a.err, "emend: %s\n", tool.RecoveryText(r))
	}
}

// withWorkspace opens the workspace, calls do in the name of a tool, and prints a refusal.
func (a *app) withWorkspace(cmd *cobra.Command, tool string, allow []string, do func(context.Context, *emend.Workspace) error) error {
	ws, err := a.open(emend.AllowProtected(allow...))
	if err != nil {
		return err
	}
	defer ws.Close()
	ctx := a.withAsker(emend.WithAbsolutePaths(emend.WithActor(cmd.Context(), api.Actor{Tool: tool})))
	if a.session == "" && a.agent == "" {
		ctx = emend.WithTyped(ctx) // an agent says who it is
	}
	err = do(ctx, ws)
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.printRefusal(r)
	}
	return err
}

// allowFlag defines --allow-protected.
func allowFlag(f *pflag.FlagSet, allow *[]string) {
	f.StringArrayVar(allow, "allow-protected", nil, "allow protected paths that match `PATTERN` (repeatable)")
}

// dirBelow returns the slash path of the current directory relative to root, or "" if it is outside.
func dirBelow(root string) (string, error) {
	root, err := resolveDir(root)
	if err != nil {
		return "", err
	}
	here, err := resolveDir(".")
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, here)
	if err != nil || !filepath.IsLocal(rel) {
		return "", nil // outside: paths are relative to the root
	}
	return filepath.ToSlash(rel), nil
}

func resolveDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(abs); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
