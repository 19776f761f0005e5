package guard

// Readable says no when policy protects the path from reading, whether or not it exists.
func (g *Guard) Readable(rel string) error { return g.ReadableBy(rel, nil) }

// ReadableBy is Readable for a call whose person can be asked (see [Ask.Asks]).
func (g *Guard) ReadableBy(rel string, asks *Asks) error {
	return g.judgeFor(rel, false, asks)(split(rel))
}
