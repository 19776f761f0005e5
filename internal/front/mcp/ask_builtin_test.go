package mcp

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestBuiltInAskOverMCP: a client that can ask its person is asked about a built-in rule, once for a call. For a client that
// cannot ask, or whose dialog fails, and with no page open, the change is made and marked.
func TestBuiltInAskOverMCP(t *testing.T) {
	const patch = "*** Begin Patch\n*** Add File: AGENTS.md\n+do this\n*** Add File: CLAUDE.md\n+do that\n*** End Patch"
	for _, way := range ways {
		for _, c := range []struct {
			name      string
			person    *person
			made      bool
			questions int
			mark      string
		}{
			{"yes", &person{answer: says("allow", "")}, true, 1, ""},
			{"no", &person{answer: says("deny", "")}, false, 1, ""},
			{"dismissed", &person{answer: does("cancel")}, false, 1, ""},
			{"cannot ask", nil, true, 0, "nobody was asked"},
			{"dialog fails", &person{answer: func(*sdk.ElicitParams) (*sdk.ElicitResult, error) { return nil, errors.New("no display") }}, true, 1, "nobody was asked"},
		} {
			if c.name == "dialog fails" && way.revision == "2026-07-28" {
				continue // there the client asks by itself, and sends no call if it cannot
			}
			dir := t.TempDir()
			ws, err := emend.Open(dir)
			must(t, err)
			cs := connect(t, New(Config{Workspaces: []tool.Workspace{{Workspace: ws}}}), c.person, way.revision, way.http)
			res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "apply_patch", Arguments: map[string]any{"patch": patch}})
			must(t, err)
			_, missing := os.Stat(filepath.Join(dir, "AGENTS.md"))
			if res.IsError == c.made || (missing == nil) != c.made {
				t.Errorf("%s, %s: %s", way.name, c.name, textOf(res))
			}
			if c.person != nil {
				if len(c.person.questions) != c.questions || !strings.Contains(c.person.questions[0], "changing CLAUDE.md (built-in rule \"CLAUDE.md\", instructions that agents follow)") {
					t.Errorf("%s, %s: asked %q", way.name, c.name, c.person.questions)
				}
			}
			log, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "history", Arguments: map[string]any{}})
			must(t, err)
			if got := strings.Contains(textOf(log), "nobody was asked"); got != (c.mark != "") {
				t.Errorf("%s, %s: %s", way.name, c.name, textOf(log))
			}
			ws.Close()
		}
	}
}
