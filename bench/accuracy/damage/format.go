package damage

import (
	"fmt"
	"strings"
)

func trim(s string) string { return strings.TrimSpace(s) }

func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func lines(s string) []string { return split(lf(s)) }

// Text returns the patch in an envelope, or bare for a dialect that needs none.
func (c *Case) Text(bare bool) string {
	var b strings.Builder
	if !bare {
		b.WriteString("*** Begin Patch\n")
	}
	fmt.Fprintf(&b, "*** Update File: %s\n", c.Path)
	for _, h := range c.Hunks {
		b.WriteString(strings.TrimSuffix("@@ "+h.Anchor, " ") + "\n")
		b.WriteString(join(h.Lines))
	}
	if !bare {
		b.WriteString("*** End Patch\n")
	}
	if c.wrap != nil {
		return c.wrap(b.String())
	}
	return b.String()
}

// Unified returns the patch as a unified diff, with the line numbers that its author saw. The counts are those of the hunks as
// they are sent: whether a program minds wrong counts is not tested.
func (c *Case) Unified(name, index string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/%s b/%s\n%s--- a/%s\n+++ b/%s\n", name, name, index, name, name)
	shift := 0
	for _, h := range c.Hunks {
		olds, news := len(h.old()), len(h.withoutMarks("-"))
		fmt.Fprintf(&b, "@@ -%s +%s @@%s\n", span(h.From, olds), span(h.From+shift, news), strings.TrimSuffix(" "+h.Anchor, " "))
		b.WriteString(join(h.Lines))
		shift += news - olds
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
