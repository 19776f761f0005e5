package web

import (
	"path"
	"strconv"
)

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

// indexDirectory has the files of one directory; its name is "" for the root.
type indexDirectory struct {
	Name  string
	Lines []indexLine
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

// Directories returns the files below their directories, in the order of the page.
func (x *fileIndex) Directories() (out []indexDirectory) {
	at := map[string]int{}
	for _, l := range x.Lines {
		dir := path.Dir(l.Path)
		if dir == "." {
			dir = ""
		}
		n, known := at[dir]
		if !known {
			n = len(out)
			at[dir], out = n, append(out, indexDirectory{Name: dir})
		}
		out[n].Lines = append(out[n].Lines, l)
	}
	return out
}

// Name returns the name of the file in its directory.
func (l indexLine) Name() string { return path.Base(l.Path) }

// fileID returns the id of a file's section.
func fileID(n int) string { return "file-" + strconv.Itoa(n) }

// lineAnchor returns how the ids of the lines of a file's diff begin. L and the number follow for a line of the file before, R and
// the number for one of the file after.
func lineAnchor(n int) string { return "f" + strconv.Itoa(n) }
