package emend

// Redo applies the diff of one file to what the file was.
var Redo = redo

// Nearby has what is so far from the end of the log be read from there, until it is put back.
func Nearby(n uint64) (back func()) {
	was := nearby
	nearby = n
	return func() { nearby = was }
}
