package setup

// Observed with 0.61.0: it reads comments and refuses a trailing comma. "gemini mcp add" lays the whole file out
// anew, so setup edits the file. Excluding write_file by that name excludes emend's write_file as well, also through
// a policy. The name of the class excludes its own only. It warns that version 1.0 will drop tools.exclude.
var gemini = &Client{
	Name: "gemini", Title: "Gemini CLI", program: "gemini",
	format: commentedJSON, servers: "mcpServers",
	userFile:    func(h Host) string { return geminiSettings(h, User) },
	projectFile: func(h Host) string { return geminiSettings(h, Project) },
	entry: func(s Server) any {
		if s.URL != "" {
			return httpEntry{HTTPURL: s.URL, Headers: bearer("$" + tokenVar)}
		}
		return stdioEntry{Command: s.Command, Args: s.Args}
	},
	ownTools: []toolSetting{{path: []string{"tools", "exclude"}, items: []string{"EditTool", "WriteFileTool"}}},
	hooks: &hooks{
		file: geminiSettings, format: commentedJSON, shell: "run_shell_command", edit: "replace|write_file",
		settings: hookForm{client: "gemini", name: "emend", unit: 1000, endLimit: hookSeconds,
			onTool: []string{"BeforeTool", "AfterTool"},
			on:     []string{"BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd"},
			// Its matcher finds parts of names, and emend's own write_file has such a part.
			matcher: func(tools string) string { return "^(" + tools + ")$" }}.settings,
	},
	trustNote: "Gemini CLI reads a project's settings only where the folder is trusted: it asks when it starts there.",
	nextStep:  "start Gemini CLI again; gemini mcp list then shows emend as connected",
}

func geminiSettings(h Host, s Scope) string {
	if s == Project {
		return h.project(".gemini", "settings.json")
	}
	return h.home(".gemini", "settings.json")
}
