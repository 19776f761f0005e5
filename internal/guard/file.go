package guard

import "os"

// File is a regular file that is open for reading.
type File struct {
	Size int64
	fd   int
	f    *os.File
}
