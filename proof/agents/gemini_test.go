//go:build npm && linux

package agents

var geminiCLI = &agent{
	name: "Gemini CLI", lock: "testdata/gemini-cli", pkg: "@google/gemini-cli",
	program: []string{"@google/gemini-cli/bundle/gemini.js"}, node: true,
	setup: "gemini", own: []string{"replace", "write_file"},
	client: "gemini-cli-mcp-client", told: "content", refused: "content",
	base: func(w *account, url string) []string {
		w.writeJSON(geminiConfig, object{
			"general":   object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
			"privacy":   object{"usageStatisticsEnabled": false},
			"telemetry": object{"enabled": false},
			"security":  object{"folderTrust": object{"enabled": false}, "auth": object{"selectedType": "gemini-api-key"}},
		})
		return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=dummy"}
	},
	plug: func(w *account, s server) []string {
		emend := object{"httpUrl": s.url, "headers": object{"Authorization": "Bearer " + s.token}}
		if s.url == "" {
			emend = object{"command": s.command[0], "args": s.command[1:]}
		}
		w.addJSON(geminiConfig, object{"mcpServers": object{"emend": emend}})
		return nil
	},
	ask: func(prompt string) []string { return []string{"-p", prompt, "--yolo", "-m", "gemini-2.5-flash"} },
}

const geminiConfig = ".gemini/settings.json"
