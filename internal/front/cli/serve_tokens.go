package cli

import (
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/tool"
)

// The names of the files that keep the tokens, in the configuration directory.
const (
	clientTokenFile = "serve.key"
	pagesTokenFile  = "ui.key"
)

// tokenFile is a token and the file that keeps it; made says that it is new.
type tokenFile struct {
	token, path string
	isNew       bool
}

// loadTokens are what clients must send, and what a person must show to see the pages: nil where there are none. They are never
// the same, so that an agent cannot answer for itself.
func (a *app) loadTokens(s *mcp.Server, f *serveFlags) (clients, pages *tokenFile, err error) {
	if clients, err = a.loadToken(s, f, "token-file", f.tokenFile, clientTokenFile); err != nil || f.noUI {
		return clients, nil, err
	}
	if pages, err = a.loadToken(s, f, "ui-token-file", f.uiToken, pagesTokenFile); err != nil {
		return nil, nil, err
	}
	if clients.token == pages.token {
		return nil, nil, usageErrorf("serve", "--ui-token-file: %s has the token that clients send, with which an agent could answer for itself: name another file",
			fail.Quote(pages.path))
	}
	return clients, pages, nil
}

// loadToken is the token that the file of a flag keeps, or that of a name in the configuration directory.
func (a *app) loadToken(s *mcp.Server, f *serveFlags, flag, file, name string) (*tokenFile, error) {
	var err error
	if file == "" {
		if file, err = a.tokenPath(name); err != nil {
			return nil, err
		}
	}
	if file, err = filepath.Abs(file); err != nil {
		return nil, &usageError{"serve", err}
	}
	for _, w := range s.Workspaces {
		if is := resolveExisting(file); inWorkspace(w, is) && !strings.HasSuffix(is, ".key") {
			return nil, usageErrorf("serve", "--%s: %s is in the workspace %s, where the agent could read it: name one outside, or one that ends in .key",
				flag, fail.Quote(is), w.Name)
		}
	}
	k := &tokenFile{path: file, isNew: true}
	if f.newToken {
		k.token, err = mcp.ReplaceToken(file)
	} else {
		k.token, k.isNew, err = mcp.LoadToken(file)
	}
	return k, err
}

// tokenPath is where a token is kept when nobody names a file.
func (a *app) tokenPath(name string) (string, error) {
	dir, err := a.configDir()
	return filepath.Join(dir, "emend", name), err
}

// inWorkspace reports whether a file, named without links, is in a workspace.
func inWorkspace(ws tool.Workspace, file string) bool {
	root, err := resolveDir(ws.Root())
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(rel)
}

// resolveExisting is the name of a file without links. What of it is not there yet has none.
func resolveExisting(file string) string {
	if is, err := filepath.EvalSymlinks(file); err == nil {
		return is
	}
	dir := filepath.Dir(file)
	if dir == file {
		return file
	}
	return filepath.Join(resolveExisting(dir), filepath.Base(file))
}
