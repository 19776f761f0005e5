package dialect

// All lists every dialect.
var All = []*Dialect{Emend, Comma, Codex, Supyagent, Chimera, Unified, SearchReplace}

// Named finds a dialect by its name.
func Named(name string) (*Dialect, bool) {
	for _, d := range All {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}

// Names lists the names of [All], in its order.
func Names() []string {
	out := make([]string, len(All))
	for i, d := range All {
		out[i] = d.Name
	}
	return out
}
