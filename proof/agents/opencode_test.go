//go:build npm && linux

package agents

var opencode = &agent{
	name: "opencode", lock: "testdata/opencode", pkg: "opencode-linux-x64",
	program: []string{"opencode-linux-x64/bin/opencode", "opencode-linux-x64-baseline/bin/opencode"},
	setup:   "opencode", own: []string{"edit", "write"},
	client: "opencode", told: "content", refused: "content",
	base: func(w *account, url string) []string {
		w.writeJSON(opencodeConfig, object{"autoupdate": false, "share": "disabled", "model": "scripted/scripted",
			"provider": object{"scripted": object{"npm": "@ai-sdk/openai-compatible", "name": "scripted",
				"options": object{"baseURL": url + "/v1", "apiKey": "dummy"}, "models": object{"scripted": object{"name": "scripted"}}}}})
		// With a plugin, such as that of emend setup, opencode fetches this package, and waits for 77 s where there is no network.
		const dir, version = ".config/opencode/", "1.18.33"
		needs := object{"@opencode-ai/plugin": version}
		w.writeJSON(dir+"package.json", object{"dependencies": needs})
		w.writeJSON(dir+"node_modules/@opencode-ai/plugin/package.json", object{"name": "@opencode-ai/plugin", "version": version})
		w.writeJSON(dir+"package-lock.json", object{"lockfileVersion": 3, "requires": true, "packages": object{
			"": object{"dependencies": needs}, "node_modules/@opencode-ai/plugin": object{"version": version}}})
		return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
			"OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}
	},
	plug: func(w *account, s server) []string {
		emend := object{"type": "local", "command": s.command, "enabled": true}
		if s.url != "" {
			emend = object{"type": "remote", "url": s.url, "headers": object{"Authorization": "Bearer " + s.token}, "enabled": true}
		}
		w.addJSON(opencodeConfig, object{"mcp": object{"emend": emend}})
		return nil
	},
	ask: func(prompt string) []string { return []string{"run", prompt} },
}

const opencodeConfig = ".config/opencode/opencode.json"
