package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVerdicts(t *testing.T) {
	must := round{mustFail: true}
	for _, tc := range []struct {
		r       result
		want    string
		failed  bool
		allowed bool // missing file systems, with -allow-missing
	}{
		{result{}, "ok", false, false},
		{result{bad: 1}, "WRONG", true, true},
		{result{round: must, bad: 1}, "caught", false, false},
		{result{round: must}, "MISSED", true, true},
		{result{notRun: "no disk"}, "NOT RUN", true, false},
		{result{err: errors.New("x")}, "BROKE OFF", true, true},
		{result{round: must, bad: 1, err: errors.New("x")}, "BROKE OFF", true, true},
	} {
		if got := tc.r.verdict(); got != tc.want || tc.r.failed(false) != tc.failed || tc.r.failed(true) != tc.allowed {
			t.Errorf("%s (failed %v, with -allow-missing %v), want %s", got, tc.r.failed(false), tc.r.failed(true), tc.want)
		}
	}
}

func TestReplaceSection(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.md")
	if err := os.WriteFile(file, []byte("a\n<!-- x -->\nold\n<!-- /x -->\nb\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replaceSection(file, "x", "$1 new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if want := "a\n<!-- x -->\n$1 new\n<!-- /x -->\nb\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if replaceSection(file, "y", "") == nil {
		t.Error("a file without the marks is no error")
	}
}

func TestFlags(t *testing.T) {
	for _, bad := range [][]string{{"-fs", "ext5"}, {"-states", "0"}, {"-write", "x.md", "-writer", "plain"}} {
		if _, err := flags(bad); err == nil {
			t.Errorf("%v is no error", bad)
		}
	}
	c, err := flags([]string{"-fs", "btrfs,ext2", "-selftest"})
	if err != nil {
		t.Fatal(err)
	}
	if got := table([]*result{{round: c.rounds()[5]}}); !strings.Contains(got, "| btrfs | emend with no-dir-sync |") {
		t.Errorf("the rounds of a self-test are %v", c.rounds())
	}
}
