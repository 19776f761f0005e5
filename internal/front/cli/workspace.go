package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// open opens the workspace that the current directory belongs to.
func (a *app) open(o ...emend.Option) (*emend.Workspace, error) {
	root, base := a.root, ""
	if root == "" {
		var err error
		if root, base, err = emend.FindRoot("."); err != nil {
			return nil, err
		}
	} else {
		var err error
		if base, err = dirBelow(root); err != nil {
			return nil, &usageError{"", err}
		}
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

// workspaceOptions are what the flags of every verb say of the workspace.
func (a *app) workspaceOptions() ([]emend.Option, error) {
	out := []emend.Option{emend.By(emend.Actor{Client: "cli", Session: a.session, Agent: a.agent})}
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

// policyFile is the policy that was named, or the person's own if there is one.
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

// configDir is where programs keep what the person configured. Without a HOME it is sought where the account has its own:
// a policy must not vanish because a service was started without an environment.
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
		return "", usageErrorf("", "nobody knows where the policy is: set HOME, or name it with --policy")
	}
	return filepath.Join(who.HomeDir, ".config"), nil
}

// reportRecovery says what opening the workspace found of an earlier run.
func (a *app) reportRecovery(ws *emend.Workspace) {
	if a.hideRecovery {
		return
	}
	r, err := ws.Recovered()
	if err != nil {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(err.Error()))
	} else if r != nil && !a.quiet {
		fmt.Fprintf(a.err, "emend: %s\n", tool.RecoveryText(r))
	}
}

// withWorkspace opens the workspace and does something in it, as the tool of that name, with a bar for a person who waits. A
// refusal is printed.
func (a *app) withWorkspace(cmd *cobra.Command, tool string, allow []string, do func(context.Context, *emend.Workspace) error) error {
	ws, err := a.open(emend.AllowProtected(allow...))
	if err != nil {
		return err
	}
	defer ws.Close()
	err = do(emend.As(cmd.Context(), emend.Actor{Tool: tool}), ws)
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.printRefusal(r)
	}
	return err
}

// dirBelow is the current directory's slash path relative to root.
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
		return "", nil // outside: paths are then relative to the root
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
