//go:build linux

package scenes

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
)

// asked are the arguments of each tool, as an agent sends them. PATH is the forbidden file; some arguments are invalid.
var asked = map[string][]string{
	"read_file":      {`{"path":"PATH"}`, `{"path":"PATH","startLine":2,"endLine":4}`, `{"path":"PATH","allowBinary":true}`, `{"path":"PATH","maxBytes":"all"}`, `{"path":"PATH","anchors":true}`},
	"list_directory": {`{"path":"PATH","recursive":true,"includeHidden":true,"includeIgnored":true}`},
	"search_files": {`{"query":"password","mode":"text","root":"PATH","contextLines":5}`, `{"query":".*","mode":"regex","includeGlobs":["PATH"]}`,
		`{"query":"PATH","mode":"path"}`},
	"glob":        {`{"pattern":"PATH"}`, `{"pattern":"**","root":"PATH"}`},
	"create_file": {`{"path":"PATH","content":"x"}`},
	"write_file":  {`{"path":"PATH","content":"x","expectedSha256":"SUM"}`, `{"path":"PATH","content":"x"}`},
	"edit_file": {`{"path":"PATH","expectedSha256":"SUM","edits":[{"oldText":"password = hunter-guess","newText":"x"}]}`,
		`{"path":"PATH","expectedSha256":"SUM","edits":[{"oldText":"password","newText":"x"}]}`,
		`{"path":"PATH","expectedSha256":"SUM","edits":[{"oldText":"user = nobody\npassword","newText":"x"}],"tolerance":"unicode"}`,
		`{"path":"PATH","expectedSha256":"SUM","edits":[{"line":"1:aaaa","newText":"x"}]}`},
	"delete_file": {`{"path":"PATH","expectedSha256":"SUM"}`, `{"path":"PATH"}`, `{"path":"PATH","permanent":true}`, `{"path":"PATH","idempotencyKey":"key PATH"}`},
	"move_file": {`{"fromPath":"PATH","toPath":"tool-out","expectedSha256":"SUM"}`,
		`{"fromPath":"public.txt","toPath":"PATH","expectedSha256":"SUM","overwrite":true}`},
	"restore_file": {`{"trashedPath":"ID","targetPath":"tool-back"}`, `{"trashedPath":"ID"}`, `{"trashedPath":"PATH"}`},
	"apply_patch": {`{"type":"update_file","path":"PATH","diff":"@@\n user = root\n-password = guess\n+x\n"}`, `{"type":"delete_file","path":"PATH"}`,
		`{"patch":"*** Begin Patch\n*** Update File: PATH\n@@\n user = root\n-password = guess\n+x\n*** End Patch\n"}`,
		`{"patch":"*** Begin Patch\n*** Update File: PATH\n@@\n user = root\n-password = guess\n+x\n*** End Patch\n","dryRun":true,"lenient":true}`,
		`{"patch":"*** Begin Patch\n*** Delete File: PATH\n*** End Patch\n","dryRun":true,"expectedSha256ByPath":{"PATH":"SUM"}}`},
	"edit_cell": {`{"path":"PATH","expectedSha256":"SUM","cell":"0","source":"x"}`, `{"path":"PATH","expectedSha256":"SUM","action":"delete"}`},
	"str_replace_based_edit_tool": {`{"command":"view","path":"PATH"}`, `{"command":"view","path":"PATH","view_range":[1,-1]}`, `{"command":"create","path":"PATH","file_text":"x"}`,
		`{"command":"str_replace","path":"PATH","old_str":"password","new_str":"x"}`, `{"command":"insert","path":"PATH","insert_line":1,"insert_text":"x"}`},
	"memory": {`{"command":"view","path":"/memories"}`, `{"command":"view","path":"/memories/../PATH"}`, `{"command":"rename","old_path":"/memories/../PATH","new_path":"/memories/x"}`,
		`{"command":"delete","path":"PATH"}`},
	"history": {`{"path":"PATH"}`, `{"sessionId":"before"}`, `{}`},
	"undo":    {`{"entry":"TX","dryRun":true}`, `{"entry":"TX"}`, `{"sessionId":"before","dryRun":true}`, `{}`},
}

// tools calls every tool of every profile with all arguments, as an agent does.
func (v *vault) tools(ws *emend.Workspace, ctx context.Context) {
	for _, p := range tool.Profiles {
		for _, name := range p.Names() {
			if len(asked[name]) == 0 {
				v.t.Errorf("nobody asks %s", name)
			}
			for _, text := range asked[name] {
				v.each(text, func(text string) {
					r := tool.Options{Profile: p}.Call(ctx, ws, name, json.RawMessage(text))
					b, _ := json.Marshal(r)
					v.checkLeak("the tools", p.Name+" "+name+" "+text, r.Text(), string(b))
				})
			}
		}
	}
}

// each calls call with every combination of values for the placeholders.
func (v *vault) each(text string, call func(string)) {
	switch {
	case strings.Contains(text, "ID"):
		for _, id := range v.trash {
			call(strings.ReplaceAll(text, "ID", id))
		}
	case strings.Contains(text, "TX"):
		for _, tx := range v.txs {
			call(strings.ReplaceAll(text, "TX", tx))
		}
	case strings.Contains(text, "PATH"):
		for _, p := range v.secretPaths() {
			quoted, _ := json.Marshal(p)
			call(strings.NewReplacer("PATH", strings.Trim(string(quoted), `"`), "SUM", hash(secretText)).Replace(text))
		}
	default:
		call(text)
	}
}

// personCommands tries the commands for people that have no tool.
func (v *vault) personCommands(ask func(stdin string, args ...string)) {
	for _, args := range [][]string{{"__complete", "restore", ""}, {"__complete", "undo", ""}, {"__complete", "show", ""}, {"__complete", "read", "secret/"},
		{"call", "read_file", `{"path":".env"}`}, {"call", "history", `{"path":"secret"}`}} {
		ask("", args...)
	}
	for i, name := range []string{"secret/a.txt", ".env"} {
		ask(fmt.Sprintf("by call %d\n", i), "write", name, "--expect", hash(secretText))
	}
	ask("", "purge", "--path", "secret", "--yes")
	ask("", "trash", "clear", "--yes")
}
