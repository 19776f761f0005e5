package guard

import "time"

// BirthTime is when the regular file that e names was made; ok is false where the file system does not say. With the number
// of a file it tells it from a later one that was given the same number.
func (g *Guard) BirthTime(e Entry) (at time.Time, ok bool) {
	f, is, err := g.openEntry(e)
	if err != nil {
		return time.Time{}, false
	}
	defer f.Close()
	return birthTime(f, is)
}
