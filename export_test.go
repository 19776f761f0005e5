package emend

import (
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
)

// ApplyDiff applies the diff of one file to what the file was.
var ApplyDiff = kept.ApplyDiff

// TailRecords sets how many of the newest records are read one by one, until the function that it returns is called.
func TailRecords(n uint64) (restore func()) {
	was := logbook.TailRecords
	logbook.TailRecords = n
	return func() { logbook.TailRecords = was }
}
