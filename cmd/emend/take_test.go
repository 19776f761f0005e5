package main

import (
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// take puts what the last command printed into a variable: take NAME PATTERN, where the pattern has one group and is found
// just once.
func take(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: take NAME PATTERN")
	}
	all := regexp.MustCompile(args[1]).FindAllStringSubmatch(ts.ReadFile("stdout"), -1)
	if len(all) != 1 || len(all[0]) != 2 {
		ts.Fatalf("%s: %d matches", args[1], len(all))
	}
	ts.Setenv(args[0], all[0][1])
}
