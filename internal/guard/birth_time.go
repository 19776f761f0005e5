package guard

import "time"

// BirthTime returns the time when the regular file that e names was created; ok is false if the file system does not report
// it. Together with the inode it distinguishes a file from a later one that was given the same inode.
func (g *Guard) BirthTime(e Entry) (at time.Time, ok bool) {
	f, is, err := g.openEntry(e)
	if err != nil {
		return time.Time{}, false
	}
	defer f.Close()
	return birthTime(f, is)
}
