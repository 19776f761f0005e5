package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/tool"
)

// defaultWorkspace is the name of a workspace that has none on the command line.
const defaultWorkspace = "default"

// workspaceName matches names that need no escaping in an address or a call.
var workspaceName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) })

// openWorkspaces opens the workspaces: DIR, those of --workspace, or the current directory. With an error it also
// returns those that are open already.
func (a *app) openWorkspaces(args []string, f *serveFlags) ([]tool.Workspace, error) {
	options, err := a.workspaceOptions()
	if err != nil {
		return nil, err
	}
	places, err := f.servedDirs(args)
	if err != nil {
		return nil, err
	}
	var out []tool.Workspace
	for _, p := range places {
		ws, err := emend.Open(p.dir, append(options, emend.KeepReads(), emend.AllowProtected(f.allow...))...)
		if err != nil {
			return out, err
		}
		out = append(out, tool.Workspace{Name: p.name, Workspace: ws})
		a.reportRecovery(ws)
	}
	return out, nil
}

func closeAll(workspaces []tool.Workspace) {
	for _, w := range workspaces {
		w.Close()
	}
}

// servedDir is a workspace on the command line.
type servedDir struct {
	name, dir string
	info      os.FileInfo
}

// servedDirs lists the directories to serve. It refuses a directory or a name that occurs twice.
func (f *serveFlags) servedDirs(args []string) ([]servedDir, error) {
	var out []servedDir
	if len(args) > 0 {
		out = append(out, servedDir{name: defaultWorkspace, dir: args[0]})
	} else if len(f.workspaces) == 0 {
		out = append(out, servedDir{name: defaultWorkspace, dir: "."})
	}
	for _, text := range f.workspaces {
		name, dir, ok := strings.Cut(text, "=")
		if !ok || dir == "" {
			return nil, usageErrorf("serve", "--workspace: %s is not NAME=DIR", fail.Quote(text))
		}
		if !workspaceName().MatchString(name) {
			return nil, usageErrorf("serve", "--workspace: %s is no name: one is up to 64 letters, digits, - and _", fail.Quote(name))
		}
		out = append(out, servedDir{name: name, dir: expandHome(dir)})
	}
	for i := range out {
		if err := out[i].check(out[:i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// check refuses what is not a directory, and a directory or name that is among the others.
func (p *servedDir) check(others []servedDir) (err error) {
	if p.info, err = os.Stat(p.dir); err != nil {
		return usageErrorf("serve", "the workspace %s: %w", p.name, err)
	}
	if !p.info.IsDir() {
		return usageErrorf("serve", "the workspace %s: %s is not a directory", p.name, fail.Quote(p.dir))
	}
	for _, o := range others {
		switch {
		case o.name == p.name:
			return usageErrorf("serve", "two workspaces are named %s: give one another name", p.name)
		case os.SameFile(o.info, p.info):
			return usageErrorf("serve", "the workspaces %s and %s are the same directory, %s: leave one out", o.name, p.name, fail.Quote(p.dir))
		}
	}
	return nil
}

// expandHome expands a leading ~/. A shell does so only at the start of a word, and not after NAME=.
func expandHome(dir string) string {
	rest, ok := strings.CutPrefix(dir, "~/")
	if at, err := os.UserHomeDir(); ok && err == nil {
		return filepath.Join(at, rest)
	}
	return dir
}

// listNames returns the names of the workspaces, with their addresses.
func listNames(workspaces []tool.Workspace) string {
	var out []string
	for _, w := range workspaces {
		out = append(out, fmt.Sprintf("%s (/mcp/%s)", w.Name, w.Name))
	}
	return strings.Join(out, ", ")
}
