package emend

import (
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
)

// Redo applies the diff of one file to what the file was.
var Redo = kept.Redo

// Nearby has what is so far from the end of the log be read from there, until it is put back.
func Nearby(n uint64) (back func()) {
	was := logbook.Nearby
	logbook.Nearby = n
	return func() { logbook.Nearby = was }
}
