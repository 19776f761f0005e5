package growth

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/dialect"
)

// hostile are texts of n lines, or n pieces, that could make a reader of patches walk back.
var hostile = []func(n int) string{
	func(n int) string { return patch(strings.Repeat("*** Delete File: c\n", n)) },
	func(n int) string { return patch("*** Add File: a\n" + strings.Repeat("+x\n", n)) },
	func(n int) string { return section(strings.Repeat("@@ f\n-a\n+b\n", n/3)) },
	func(n int) string { return section(strings.Repeat("@@ f\n", n) + "-a") },
	func(n int) string { return section("@@\n-a\n" + strings.Repeat("\n", n) + "-b") },
	func(n int) string { return section("@@\n-a\n" + strings.Repeat("\n", n)) },
	func(n int) string { return strings.Repeat("\n", n) + section("-a") + strings.Repeat("\n", n) },
	func(n int) string { return section("-a\n" + strings.Repeat(" *** End Patch\n", n)) },
	func(n int) string { return strings.Repeat("*** Begin Patch\n", n) },
	func(n int) string { return strings.Repeat(" *** Begin Patch\n", n) },
	func(n int) string { return strings.Repeat(patch("*** Delete File: c"), n/3) },
	func(n int) string { return strings.Repeat("```\n", n) + section("-a") + strings.Repeat("```\n", n) },
	func(n int) string {
		return strings.Repeat("\n", n) + strings.Repeat("```\n", n) + section("-a") + strings.Repeat("```\n", n) + strings.Repeat("\n", n)
	},
	func(n int) string { return section("-" + strings.Repeat("x", 16*n)) },
	func(n int) string { return strings.Repeat(" ", 16*n) + "x\n" + section("@@\n-a") },
	func(n int) string { return section("@@ " + strings.Repeat(" @@", n) + "\n-a") },
	func(n int) string { return patch("*** Move File: " + strings.Repeat(" -> ", n)) },
	func(n int) string { return fmt.Sprintf("%q", section("@@\n"+strings.Repeat("-a\n", n))) },
	func(n int) string { return strings.Repeat("{", n) + `"*** Begin Patch` },
	func(n int) string { return section("@@\n-a\n" + strings.Repeat(`\ No newline at end of file`+"\n", n)) },
	func(n int) string { return section("@@\n" + strings.Repeat("-a\r\n", n)) },
}

// parseHostile lets every dialect read every hostile text, and prints what it could read.
func parseHostile(n int) func() {
	var texts []string
	for _, text := range hostile {
		texts = append(texts, text(n))
	}
	return func() {
		for _, text := range texts {
			for _, d := range dialect.All {
				for _, o := range []dialect.Options{{}, {Lenient: true}} {
					if got, err := d.Parse(text, o); err == nil {
						d.Print(got.Patch)
					}
				}
			}
			dialect.Detect(text)
		}
	}
}

// patch puts sections between the markers.
func patch(sections string) string {
	return "*** Begin Patch\n" + sections + "\n*** End Patch\n"
}

// section puts lines into a section that updates a file.
func section(lines string) string { return patch("*** Update File: f\n" + lines) }
