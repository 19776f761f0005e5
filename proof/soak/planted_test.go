//go:build planted && unix

package main

import (
	"strings"
	"testing"
	"time"
)

// TestPlanted checks that the soak detects changes that a kill leaves out of the log, because the record is written after the files.
func TestPlanted(t *testing.T) {
	wrong, err := soak(t.Context(), config{during: 20 * time.Second, processes: 8, sessions: 4, killed: 0.6, bug: "log-after-apply"}, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(wrong, "\n"), "by then") {
		t.Errorf("the soak did not notice the planted bug: %d complaints: %.2000q", len(wrong), wrong)
	}
}
