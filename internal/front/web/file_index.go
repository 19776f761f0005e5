package web

import "strconv"

// fileIndex lists the files of a page that has several.
type fileIndex struct {
	Lines          []indexLine
	Added, Removed int // lines of all that are counted
}

// indexLine is one of them, and where on the page it is.
type indexLine struct {
	Did, Path, To  string
	Counted        bool // its difference is on the page
	Added, Removed int
}

// add puts the file in the section of a number into the list; v is nil when its difference is not on the page.
func (x *fileIndex) add(n int, did, path string, v *diffView) {
	line := indexLine{Did: did, Path: path, To: "#" + fileID(n)}
	if v != nil {
		line.Counted, line.Added, line.Removed = true, v.File.Added, v.File.Removed
		x.Added += line.Added
		x.Removed += line.Removed
	}
	x.Lines = append(x.Lines, line)
}

// fileID is the id of the section of a file.
func fileID(n int) string { return "file-" + strconv.Itoa(n) }
