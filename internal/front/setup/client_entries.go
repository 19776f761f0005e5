package setup

// stdioEntry is the entry of a server that the client starts.
type stdioEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// httpEntry is the entry of a server that runs already.
type httpEntry struct {
	Type    string            `json:"type,omitempty"`
	URL     string            `json:"url,omitempty"`
	HTTPURL string            `json:"httpUrl,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// entries returns a function that makes the entry of a server from one of two templates.
func entries(stdio stdioEntry, http httpEntry) func(Server) any {
	return func(s Server) any {
		if s.URL != "" {
			http := http
			http.URL = s.URL
			return http
		}
		stdio := stdio
		stdio.Command, stdio.Args = s.Command, s.Args
		return stdio
	}
}

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}
