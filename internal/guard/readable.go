package guard

// Readable says no when policy protects the path from reading, whether or not it exists.
func (g *Guard) Readable(rel string) error { return g.judgeFor(rel, false)(split(rel)) }
