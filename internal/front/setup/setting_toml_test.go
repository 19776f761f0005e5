package setup

import (
	"strings"
	"testing"
)

var codexTable = tomlTable{[]string{"mcp_servers", "emend"}, map[string]any{"command": "/bin/emend", "args": []string{"serve"}}}

const inTOML = "[mcp_servers.emend]\nargs = [\"serve\"]\ncommand = \"/bin/emend\"\n"

// TestTable checks that the table is added at the end or replaced in its place, and everything else stays, byte by
// byte.
func TestTable(t *testing.T) {
	for _, tc := range []struct{ name, before, after, dropped string }{
		{"nothing", "", inTOML, ""},
		{"beside others", "model = \"x\" # why\n\n[mcp_servers.other]\nargs = [ \"a\",\n  \"b\" ] # c\n", "\n" + inTOML, "same"},
		{"no newline at the end", "model = \"x\"", "\n\n" + inTOML, "model = \"x\"\n"},
		{"CRLF", "model = \"x\"\r\n", "\r\n" + strings.ReplaceAll(inTOML, "\n", "\r\n"), "same"},
		{"a string that looks like a header", "a = \"\"\"\n[mcp_servers.emend]\n\"\"\"\n[b]\nc = 1\n", "", ""},
	} {
		want := tc.before + tc.after
		got, err := codexTable.put([]byte(tc.before))
		if tc.after == "" {
			if err == nil {
				t.Errorf("%s: edited to %q", tc.name, got)
			}
			continue
		}
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\ngot  %q\nwant %q", tc.name, err, got, want)
			continue
		}
		if tc.dropped == "same" {
			tc.dropped = tc.before
		}
		if dropped, err := codexTable.remove(got); err != nil || string(dropped) != tc.dropped {
			t.Errorf("%s: dropped %q, %v, want %q", tc.name, dropped, err, tc.dropped)
		}
	}
}

func TestTableIsReplacedInItsPlace(t *testing.T) {
	text := "[mcp_servers.emend]\ncommand = \"old\" # mine\n[mcp_servers.emend.env]\nA = \"b\"\n\n# of the next\n[tools]\nx = 1\n"
	want := inTOML + "\n# of the next\n[tools]\nx = 1\n"
	got, err := codexTable.put([]byte(text))
	if err != nil || string(got) != want {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
}

func TestTableRefusesOtherShapes(t *testing.T) {
	for _, text := range []string{
		"mcp_servers = { emend = { command = \"x\" } }\n",
		"[mcp_servers]\nemend.command = \"x\"\n",
		"mcp_servers = { other = { command = \"x\" } }\n",
		"mcp_servers = 1\n",
		"[mcp_servers\n",
	} {
		if got, err := codexTable.put([]byte(text)); err == nil {
			t.Errorf("%q was edited to %q", text, got)
		}
	}
}
