package web

import "strconv"

// fileIndex is the list of files at the top of a page with several.
type fileIndex struct {
	Lines          []indexLine
	Added, Removed int // lines of all files that are counted
}

// indexLine is one file of the list, with a link to its section.
type indexLine struct {
	Did, Path, To  string
	Counted        bool // its diff is on the page
	Added, Removed int
}

// add adds the file of section n. v is nil if its diff is not on the page.
func (x *fileIndex) add(n int, did, path string, v *diffView) {
	line := indexLine{Did: did, Path: path, To: "#" + fileID(n)}
	if v != nil {
		line.Counted, line.Added, line.Removed = true, v.File.Added, v.File.Removed
		x.Added += line.Added
		x.Removed += line.Removed
	}
	x.Lines = append(x.Lines, line)
}

// fileID returns the id of a file's section.
func fileID(n int) string { return "file-" + strconv.Itoa(n) }
