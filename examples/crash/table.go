package main

import (
	"fmt"
	"strings"
	"time"
)

// table formats the trials.
func table(rows []row, n, files int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A patch over %d files, killed %d times.\n\n", files, n)
	fmt.Fprintf(&b, "%-26s  %-24s  %s\n", "", "killed, the tree was", "in the end it is")
	fmt.Fprintf(&b, "%-26s  %6s%10s%6s    %6s%6s%15s\n", "", "old", "between", "new", "old", "new", "anything else")
	for _, r := range rows {
		k, a := r.killed, r.after
		fmt.Fprintf(&b, "%-26s  %6d%10d%6d    %6d%6d%15d\n", r.name, k.old, k.other, k.new, a.old, a.new, a.other)
	}
	b.WriteString("\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "%s: undisturbed %s, of which %s from the first change on; %d of %d ended before the kill\n",
			r.name, round(r.whole), round(r.inside), r.late, n)
	}
	return b.String()
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
