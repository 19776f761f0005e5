package cli

import (
	"fmt"

	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/front/web"
	"github.com/emend-dev/emend/internal/report"
)

// pagesOf are the pages over the workspaces of a server, which change nothing where its tools do not.
func pagesOf(s *mcp.Server, f *serveFlags, token string) *web.Site {
	c := web.Config{Token: token, ReadOnly: f.readOnly, Version: s.Version, Log: s.Log}
	for _, w := range s.Workspaces {
		c.Workspaces = append(c.Workspaces, web.Workspace{Name: w.Name, Workspace: w.Workspace})
	}
	return web.New(c)
}

// greetPages says where the pages are. A person at a terminal gets the address that lets in; a log gets the name of the file.
func (a *app) greetPages(s *mcp.Server, f *serveFlags, url string, k *key) {
	switch {
	case f.logFormat == "json":
		s.Log.Info("serving pages", "url", url, "token_file", k.file, "token_made", k.made)
	case a.quiet && !k.made:
	case a.ttyErr:
		fmt.Fprintf(a.err, "emend: what agents do is shown at %s\n", url+"#token="+k.token)
	default:
		fmt.Fprintf(a.err, "emend: what agents do is shown at %s, with the token that is in %s\n", url, report.Escape(k.file))
	}
}
