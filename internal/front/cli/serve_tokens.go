package cli

import (
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/tool"
)

// The files of the tokens, in the configuration directory.
const (
	clientTokenFile = "serve.key"
	pagesTokenFile  = "ui.key"
)

// tokenFile is a token, the path of its file, and whether it was just made.
type tokenFile struct {
	token, path string
	isNew       bool
}

// loadTokens returns the token of the clients and that of the pages, which is nil without pages. It refuses equal
// tokens: an agent could then answer its own questions at the page.
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

// loadToken reads the token from file, or from the file called name in the configuration directory. If there is none,
// or with --new-token, it makes one.
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
		if at := resolveExisting(file); inWorkspace(w, at) && !strings.HasSuffix(at, ".key") {
			return nil, usageErrorf("serve", "--%s: %s is in the workspace %s, where the agent could read it: name one outside, or one that ends in .key",
				flag, fail.Quote(at), w.Name)
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

// tokenPath returns the default path of a token's file.
func (a *app) tokenPath(name string) (string, error) {
	dir, err := a.configDir()
	return filepath.Join(dir, "emend", name), err
}

// inWorkspace reports whether file, a path without links, is in a workspace.
func inWorkspace(ws tool.Workspace, file string) bool {
	root, err := resolveDir(ws.Root())
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(rel)
}

// resolveExisting resolves the links in file. It keeps the part of the path that does not exist yet.
func resolveExisting(file string) string {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		return target
	}
	dir := filepath.Dir(file)
	if dir == file {
		return file
	}
	return filepath.Join(resolveExisting(dir), filepath.Base(file))
}
