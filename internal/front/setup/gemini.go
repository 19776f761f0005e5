package setup

// What was seen of 0.61.0: it reads comments, and refuses a trailing comma. "gemini mcp add" lays the whole file out
// anew, so the file is edited here. Excluding write_file by that name takes emend's write_file away as well, also through
// a policy; by the name of the class only its own goes. It warns that tools.exclude will go with its 1.0.
var gemini = &Client{
	Name: "gemini", Title: "Gemini CLI", program: "gemini",
	scopes: []Scope{User, Project},
	server: func(h Host, s Scope) place { return place{h.geminiFile(s), commentedJSON, []string{"mcpServers"}} },
	entry: func(s Server) any {
		if s.URL != "" {
			return remote{HTTPURL: s.URL, Headers: bearer("$" + tokenVar)}
		}
		return local{Command: s.Command, Args: s.Args}
	},
	tools: func(h Host, s Scope) []rule {
		return []rule{{
			place: place{h.geminiFile(s), commentedJSON, []string{"tools", "exclude"}},
			items: []string{"EditTool", "WriteFileTool"},
		}}
	},
	trust: "Gemini CLI reads a project's settings only where the folder is trusted: it asks when it starts there.",
	next:  "start Gemini CLI again; gemini mcp list then shows emend as connected",
}

func (h Host) geminiFile(s Scope) string {
	if s == Project {
		return h.project(".gemini", "settings.json")
	}
	return h.home(".gemini", "settings.json")
}
