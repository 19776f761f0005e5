//go:build linux || darwin

package escape

import (
	"strings"
	"testing"
)

// TestPaths uses paths that a comparison of strings accepts as inside, or that confuse a parser.
func TestPaths(t *testing.T) {
	var rows []attack
	refuse := func(name, path, want string) {
		for verb, of := range verbs {
			rows = append(rows, attack{name: name + ": " + verb, patch: envelope(of(path)), want: want})
		}
	}
	refuse("sibling with the same prefix", "../ws_evil/f", outsideIt)
	refuse("sibling with the same prefix, new name", "../ws_evil/new", outsideIt)
	refuse("out and into a sibling", "../ws2/f", outsideIt)
	refuse("out and in again", "../ws/f", outsideIt)
	refuse("parent's file", "../f", outsideIt)
	refuse("up from deep", "d/e/../../../out/f", outsideIt)
	refuse("up from what is missing", "none/none/../../../out/f", outsideIt)
	refuse("up from a file", "f/../../out/f", outsideIt+"|"+missing)
	refuse("up with dots between", "./d/././../.././out/f", outsideIt)
	refuse("up with slashes between", "d//..//..//out/f", outsideIt)
	refuse("a great many ups", strings.Repeat("../", 1000)+"etc/passwd", outsideIt+"|"+limit)
	refuse("more ups than downs", "d/../d/../d/../../out/f", outsideIt)
	refuse("parent itself", "..", outsideIt)
	refuse("workspace itself", ".", bad)
	refuse("workspace by way of a directory", "d/..", bad)
	refuse("absolute, in the parent", "TOP/f", outsideIt)
	refuse("absolute, sibling with the same prefix", "TOP/ws_evil/f", outsideIt)
	refuse("absolute, up from inside", "TOP/ws/../out/f", outsideIt)
	refuse("absolute, up from inside by a directory", "TOP/ws/d/../../out/f", outsideIt)
	refuse("absolute, the root of the disk", "/", bad)
	refuse("absolute, through proc", "/proc/self/root/etc/passwd", outsideIt)
	refuse("absolute, through the process's directory", "/proc/self/cwd/f", outsideIt)
	refuse("absolute, two slashes", "//etc/passwd", outsideIt)
	refuse("NUL in the middle", "f\x00.txt", bad+"|"+parse)
	refuse("NUL before an escape", "f\x00/../../out/f", bad+"|"+parse)
	refuse("slash at the end", "d/", bad)
	refuse("slash after a file", "f/", bad)
	refuse("slash and dot after a file", "f/.", missing)
	refuse("below a file", "f/new", missing)
	refuse("name of 256 bytes", strings.Repeat("n", 256), bad)
	refuse("name of 256 bytes in a missing directory", "none/"+strings.Repeat("n", 256), bad)
	refuse("path over 4096 bytes", strings.Repeat("n/", 2048)+"n", bad)
	refuse("path of 4096 bytes", strings.Repeat("d/", 2047)+"xx", limit)
	refuse("deeper than the limit", strings.Repeat("n/", 128)+"n", limit)
	refuse("not UTF-8", "a\xff", bad+"|"+parse)
	refuse("overlong dots", "\xc0\xae\xc0\xae/out/f", bad+"|"+parse)
	rows = append(rows,
		attack{name: "base leaves", base: "..", patch: envelope(add("new")), want: outsideIt},
		attack{name: "base leaves by a directory", base: "d/../..", patch: envelope(add("out/new")), want: outsideIt},
		attack{name: "base is absolute", base: "/etc", patch: envelope(add("new")), want: bad},
		attack{name: "base and ups", base: "d/e", patch: envelope(update("../../../out/f")), want: outsideIt},
		attack{name: "absolute where it is not allowed", dialect: "emend", patch: envelope(update("TOP/ws/f")), want: absolute},
		attack{name: "absolute outside where it is not allowed", dialect: "emend", patch: envelope(update("TOP/out/f")), want: absolute},
		attack{name: "one of many is outside", patch: envelope(update("f"), update("d/f"), update("../out/f")), want: outsideIt},
		attack{name: "moved out", patch: envelope(move("f", "../out/new")), want: outsideIt},
		attack{name: "moved onto what is outside", patch: envelope(move("f", "../out/f")), want: outsideIt},
		attack{name: "moved in from outside", patch: envelope(move("../out/f", "new")), want: outsideIt},
		attack{name: "moved out absolutely", patch: envelope(move("f", "TOP/out/f")), want: outsideIt},
		attack{name: "moved out by move file", dialect: "emend", patch: envelope("*** Move File: f -> ../out/new\n"), want: outsideIt},
		attack{name: "copied over a directory", patch: envelope(add("d")), want: exists},
		attack{name: "moved over a directory", patch: envelope(move("f", "d")), want: exists},
		attack{name: "directory deleted", patch: envelope(remove("d")), want: directory},
		attack{name: "directory updated", patch: envelope(update("d")), want: directory},
	)
	// These only look like attacks.
	apply := func(name, path, at string) {
		rows = append(rows, attack{name: name, patch: envelope(add(path)), leaves: map[string]string{at: "evil\n"}})
	}
	for _, name := range []string{"-rf", "--help", "--root=..", "-", "~", "~root", "$HOME", "$(id)", "`id`", "%2e%2e", "..a", "...", ". .",
		`..\out\f`, "C:", "a:b", "*", "?", "new;rm f", "CON", "nul.txt", "\u2025", "．．"} {
		apply("name "+name, name, "ws/"+name)
	}
	apply("in a directory with dots", "..d/new", "ws/..d/new")
	apply("255 bytes", strings.Repeat("n", 255), "ws/"+strings.Repeat("n", 255))
	apply("absolute inside", "TOP/ws/new", "ws/new")
	apply("address", "file://etc/new", "ws/file:/etc/new")
	apply("slashes and dots", ".//d/.//./new", "ws/d/new")
	apply("up and down inside", "d/../d/e/../new", "ws/d/new")
	all(t, rows)
}
