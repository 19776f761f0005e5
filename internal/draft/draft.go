// Package draft writes the patch that turns old contents into new ones. It does no I/O.
//
// Every section is proved before it is handed out: printed, parsed and planned on the old content, it gives the
// new one, byte for byte, with every hunk on the lines it was made from.
package draft

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Change is one file before and after.
type Change = api.Change

// Between returns the patch for changes in dialect d. It has at least context lines around each change, and as many more
// as every hunk needs to have exactly one place. Applying it to the old contents gives the new ones, byte for byte. It
// refuses what d cannot express, naming the file and the line, and leaves out changes that change nothing.
func Between(d *dialect.Dialect, changes []Change, context int) (patch.Patch, error) {
	var p patch.Patch
	var errs fail.List
	for i := range changes {
		c := &changes[i]
		if c.HasOld == c.HasNew && c.Old == c.New {
			continue
		}
		s, err := section(d, c, context)
		if err == nil {
			p.Sections = append(p.Sections, s)
			continue
		}
		for _, e := range fail.All(err) {
			e.Path = c.Path
			errs = append(errs, e)
		}
	}
	if len(errs) > 0 {
		return patch.Patch{}, errs
	}
	return p, nil
}

func section(d *dialect.Dialect, c *Change, context int) (patch.Section, error) {
	switch {
	case !c.HasNew:
		s := patch.Section{Op: patch.Delete, Path: c.Path}
		if bytesCount(d) && c.Old != "" && !strings.Contains(c.Old, "\x00") {
			s.Hunks = []patch.Hunk{deletedLines(c.Old)}
		}
		_, err := reparse(d, s)
		return s, err
	case strings.IndexByte(c.Old, 0) >= 0, strings.IndexByte(c.New, 0) >= 0:
		return patch.Section{}, cannot(0, "the file is binary (it holds a NUL byte)")
	case !c.HasOld:
		return added(d, c)
	}
	return updated(d, c, context)
}

// bytesCount reports whether line ends are content in d, and a deleted file is named with what it holds.
func bytesCount(d *dialect.Dialect) bool { return d.Rules(dialect.Options{}).Bytes }

// deletedLines returns the hunk that removes all lines of a file.
func deletedLines(content string) patch.Hunk {
	file := text.SplitLF(content)
	h := patch.Hunk{At: 1, OldOpen: file.Open()}
	for i := range file.Len() {
		h.Lines = append(h.Lines, patch.Line("-"+file.Line(i)))
	}
	return h
}

func added(d *dialect.Dialect, c *Change) (patch.Section, error) {
	s := patch.Section{Op: patch.Add, Path: c.Path, Content: c.New}
	back, err := reparse(d, s)
	if err == nil && back.Content != c.New {
		err = cannot(firstDifference(text.Split(back.Content), text.Split(c.New)), "the patch text would not give these bytes")
	}
	return s, err
}

// reparse prints s and reads it back.
func reparse(d *dialect.Dialect, s patch.Section) (patch.Section, error) {
	out, err := d.Print(patch.Patch{Sections: []patch.Section{s}})
	if err != nil {
		return s, err
	}
	parsed, err := d.Parse(out, dialect.Options{})
	if err != nil {
		return s, err
	}
	if len(parsed.Patch.Sections) != 1 {
		return s, cannot(0, "its path or its lines read as patch text")
	}
	return parsed.Patch.Sections[0], nil
}

func cannot(line int, msg string) *fail.Error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Line: line, Msg: msg,
		Hint: "Send the whole file another way, or make this change by hand."}
}

// firstDifference returns the first line, from 1, on which two texts are not the same bytes.
func firstDifference(have, want *text.Lines) int {
	if have.HasBOM() != want.HasBOM() {
		return 1
	}
	for i := range min(have.Len(), want.Len()) {
		if have.Raw(i, i+1) != want.Raw(i, i+1) {
			return i + 1
		}
	}
	return min(have.Len(), want.Len()) + 1
}

// inexpressible says which line of the new text no patch in this dialect can produce.
func inexpressible(got, want string) *fail.Error {
	have, wish := text.Split(got), text.Split(want)
	n := firstDifference(have, wish)
	switch {
	case have.HasBOM() != wish.HasBOM():
		return cannot(1, "the byte order mark comes or goes, which a patch of lines cannot say")
	case n <= min(have.Len(), wish.Len()) && have.Line(n-1) == wish.Line(n-1):
		return cannot(n, fmt.Sprintf("its line end is %q where a patch of lines gives %q", wish.End(n-1), have.End(n-1)))
	}
	return cannot(n, "a patch of lines cannot give these bytes")
}
