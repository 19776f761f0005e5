package main

import (
	"fmt"
	"testing"
)

// TestHalves: every package is in one half, always the same, and both halves are of use.
func TestHalves(t *testing.T) {
	counts := map[string]int{}
	for n := range 200 {
		name := fmt.Sprintf("package%d", n)
		if inHalf("tune", name) == inHalf("report", name) || !inHalf("all", name) {
			t.Fatalf("%s is in both halves, or in none", name)
		}
		counts[map[bool]string{true: "tune", false: "report"}[inHalf("tune", name)]]++
	}
	if counts["tune"] < 70 || counts["report"] < 70 {
		t.Errorf("%v", counts)
	}
	// The rule must never change: packages would move into the half that is reported after the engine was tuned to them.
	for name, tune := range map[string]bool{"node-gyp": true, "bootstrap": false, "golang.org/x/tools": false, "sharp": false} {
		if inHalf("tune", name) != tune {
			t.Errorf("%s moved to the other half", name)
		}
	}
	if checkHalf("both") == nil || checkHalf("report") != nil {
		t.Error("the names of the halves")
	}
}
