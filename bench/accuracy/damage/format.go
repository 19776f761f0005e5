package damage

import (
	"fmt"
	"slices"
	"strings"
)

func trim(s string) string { return strings.TrimSpace(s) }

func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func lines(s string) []string { return split(lf(s)) }

// Root stands in a patch for the directory of the workspace, whose name only the sender knows.
const Root = "/the-root-of-the-workspace"

// Text returns the patch in an envelope, or bare for a dialect that needs none.
func (c *Case) Text(bare bool) string {
	var b strings.Builder
	if !bare {
		b.WriteString("*** Begin Patch\n")
	}
	if c.second != nil {
		c.second.section(&b, c.Path)
		c.section(&b, c.second.Path)
	} else {
		c.section(&b, c.Path)
	}
	if !bare {
		b.WriteString("*** End Patch\n")
	}
	if c.wrap != nil {
		return c.wrap(b.String())
	}
	return b.String()
}

// section writes the hunks of c under the header of a path.
func (c *Case) section(b *strings.Builder, path string) {
	if c.slip != nil {
		path = c.slip(path)
	}
	fmt.Fprintf(b, "*** Update File: %s\n", path)
	shift := 0
	for i, h := range c.Hunks {
		head := "@@ "
		if h.Numbered {
			head += h.numbers(&shift) + " @@ "
		}
		b.WriteString(strings.TrimSuffix(head+h.Anchor, " ") + "\n")
		b.WriteString(join(c.spelled(i)))
	}
}

// numbers returns the numbers of a hunk's header. shift is by how much the hunks above it lengthen the file.
func (h Hunk) numbers(shift *int) string {
	olds, news := len(h.old()), len(h.withoutMarks("-"))
	at := max(0, h.From+h.Off)
	out := fmt.Sprintf("-%s +%s", span(at, max(0, olds+h.Counts[0])), span(max(0, at+*shift), max(0, news+h.Counts[1])))
	*shift += news - olds
	return out
}

// spelled returns the lines of hunk i as they are sent.
func (c *Case) spelled(i int) []string {
	lines := c.Hunks[i].Lines
	for _, s := range c.spell {
		lines = s(i, slices.Clone(lines))
	}
	return lines
}

// spells adds a change of how hunks are written.
func (c *Case) spells(s func(hunk int, lines []string) []string) { c.spell = append(c.spell, s) }

// letter returns the hunks as their text reads. It reports false if a line of it has no mark.
func (c *Case) letter() ([]Hunk, bool) {
	if len(c.spell) == 0 {
		return c.Hunks, true
	}
	out := clone(c.Hunks)
	for i := range out {
		out[i].Lines = c.spelled(i)
		for j, l := range out[i].Lines {
			if l == "" {
				out[i].Lines[j] = " "
			} else if !strings.Contains(" +-", l[:1]) {
				return nil, false
			}
		}
	}
	return out, true
}

// File is one file that a patch meets.
type File struct{ Path, Read, Disk, Want string }

// Files returns the files that the patch changes, with the case's own first.
func (c *Case) Files() []File {
	out := []File{{c.Path, c.Read, c.Disk, c.Want}}
	if c.second != nil {
		out = append(out, c.second.Files()...)
	}
	return out
}

// Slips reports whether the path in the patch is not that of the file. Only a real directory tells where it leads.
func (c *Case) Slips() bool { return c.slip != nil }

// Unified returns the patch as a unified diff, with the line numbers that its author saw. The counts are those of the hunks as
// they are sent, unless the damage is to them.
func (c *Case) Unified(name, index string) string {
	var b strings.Builder
	if c.bareNames {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	} else {
		fmt.Fprintf(&b, "diff --git a/%s b/%s\n%s--- a/%s\n+++ b/%s\n", name, name, index, name, name)
	}
	shift := 0
	for i, h := range c.Hunks {
		numbers := h.numbers(&shift) + " @@"
		if c.unnumbered {
			numbers = ""
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("@@ %s %s", numbers, h.Anchor), " ") + "\n")
		b.WriteString(join(c.spelled(i)))
	}
	if c.wrap != nil {
		return c.wrap(b.String())
	}
	return b.String()
}

// span formats a start and a count for a unified diff.
func span(from, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, n)
}
