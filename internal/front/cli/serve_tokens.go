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
	clientsKey = "serve.key"
	pagesKey   = "ui.key"
)

// key is a token and the file that keeps it; made says that it is new.
type key struct {
	token, file string
	made        bool
}

// keys are what clients must send, and what a person must show to see the pages: nil where there are none. They are never
// the same, so that an agent cannot answer for itself.
func (a *app) keys(s *mcp.Server, f *serveFlags) (clients, pages *key, err error) {
	if clients, err = a.key(s, f, "token-file", f.tokenFile, clientsKey); err != nil || f.noUI {
		return clients, nil, err
	}
	if pages, err = a.key(s, f, "ui-token-file", f.uiToken, pagesKey); err != nil {
		return nil, nil, err
	}
	if clients.token == pages.token {
		return nil, nil, badUse("serve", "--ui-token-file: %s has the token that clients send, with which an agent could answer for itself: name another file",
			fail.Quote(pages.file))
	}
	return clients, pages, nil
}

// key is the token that the file of a flag keeps, or that of a name in the configuration directory.
func (a *app) key(s *mcp.Server, f *serveFlags, flag, file, name string) (*key, error) {
	var err error
	if file == "" {
		if file, err = a.keyFile(name); err != nil {
			return nil, err
		}
	}
	if file, err = filepath.Abs(file); err != nil {
		return nil, &usage{"serve", err}
	}
	for _, w := range s.Workspaces {
		if is := actual(file); within(w, is) && !strings.HasSuffix(is, ".key") {
			return nil, badUse("serve", "--%s: %s is in the workspace %s, where the agent could read it: name one outside, or one that ends in .key",
				flag, fail.Quote(is), w.Name)
		}
	}
	k := &key{file: file, made: true}
	if f.newToken {
		k.token, err = mcp.ReplaceToken(file)
	} else {
		k.token, k.made, err = mcp.LoadToken(file)
	}
	return k, err
}

// keyFile is where a token is kept when nobody names a file.
func (a *app) keyFile(name string) (string, error) {
	dir, err := a.configDir()
	return filepath.Join(dir, "emend", name), err
}

// within reports whether a file, named without links, is in a workspace.
func within(ws tool.Workspace, file string) bool {
	root, err := resolved(ws.Root())
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(rel)
}

// actual is the name of a file without links. What of it is not there yet has none.
func actual(file string) string {
	if is, err := filepath.EvalSymlinks(file); err == nil {
		return is
	}
	dir := filepath.Dir(file)
	if dir == file {
		return file
	}
	return filepath.Join(actual(dir), filepath.Base(file))
}
