package setup

import (
	"slices"
	"strings"
	"testing"
)

// TestShown checks that a diff, which is printed to shared terminals and logs, has no key of another server, whatever
// the layout, and that it still says what changes.
func TestShown(t *testing.T) {
	const secret = "ghp_Wm3"
	for _, tc := range []struct {
		c    *Client
		text string
	}{
		{cursor, `{"mcpServers":{"other":{"command":"npx","env":{"TOKEN":"SECRET"}}}}`},
		{cursor, "{\n  \"mcpServers\": {\n    \"other\": {\n      \"env\": {\n        \"TOKEN\": \"SECRET\"\n      }\n    }\n  }\n}\n"},
		{cursor, "{\n  \"mcpServers\": {\n    // TOKEN is SECRET\n    \"other\": {\"headers\": {\"Authorization\": \"Bearer \\\"SECRET\"}}\n  }\n}\n"},
		{cursor, "{\n  \"mcpServers\": {\n    \"emend\": {\"headers\": {\"Authorization\": \"Bearer SECRET\"}}\n  }\n}\n"},
		{opencode, "{\n  \"mcp\": {},\n  \"key\": \"SECRET\"\n}\n"},
		{zed, "{\"assistant\": {\"key\": \"SECRET\"}}"},
		{codex, "[mcp_servers.other.env]\nTOKEN = 'SECRET'"},
		{codex, "[mcp_servers.other]\nenv = { \"TOKEN\" = \"SECRET\" }"},
		{codex, "[mcp_servers.other]\nkey = \"\"\"\nSECRET\nSECRET\n\"\"\"\n"},
		{codex, "[mcp_servers.emend]\ncommand = \"old\"\nenv = { TOKEN = \"SECRET\" }\n"},
	} {
		h, o := account(t), asked
		give(t, tc.c, h, User, strings.ReplaceAll(tc.text, "SECRET", secret))
		for _, o.Remove = range []bool{false, true} {
			p := apply(t, tc.c, h, o)
			for _, s := range p.Steps {
				if strings.Contains(s.Diff, secret) {
					t.Errorf("%s, remove %t:\n%s", tc.c.Name, o.Remove, s.Diff)
				}
			}
			if d := serverStep(p, tc.c, h).Diff; !strings.Contains(d, `/opt/emend"`) || !strings.Contains(d, "emend") {
				t.Errorf("%s, remove %t: the diff does not say what changes:\n%s", tc.c.Name, o.Remove, d)
			}
		}
	}
}

// serverStep returns the step of the file with the servers.
func serverStep(p *Plan, c *Client, h Host) *Step {
	i := slices.IndexFunc(p.Steps, func(s *Step) bool { return s.File == c.serverFile(h, User) })
	return p.Steps[i]
}

// TestRefusalQuotesNothing checks that the error about an unreadable file names the place and quotes nothing.
func TestRefusalQuotesNothing(t *testing.T) {
	h := account(t)
	give(t, cursor, h, User, `{"key": "ghp_Wm3\q"}`)
	if _, err := cursor.Plan(h, asked); err == nil || strings.Contains(err.Error(), "ghp") || !strings.HasSuffix(err.Error(), "line 1, column 9: invalid literal") {
		t.Errorf("%v", err)
	}
}
