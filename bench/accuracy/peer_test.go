package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

// TestPeers has the programs apply cases with known outcomes. The outcome must be reported correctly, and no case may influence
// the next.
func TestPeers(t *testing.T) {
	var before strings.Builder
	for n := range 60 {
		fmt.Fprintf(&before, "line %d is not like the others\n", n)
	}
	after := strings.NewReplacer("line 20 is", "line 20 was", "line 50 is", "line 50 was").Replace(before.String())
	ch, ok := damage.NewChange("d/f.txt", before.String(), after)
	if !ok {
		t.Fatal("no change")
	}
	for _, p := range unifiedPeers(t.Context()) {
		if p.why != "" {
			t.Logf("NOT RUN: %s: %s", p.name, p.why)
			continue
		}
		r, err := newRoom(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, tc := range []struct {
			kind string
			want map[string]outcome
		}{
			{"none", nil},
			{"changed inside", map[string]outcome{gitApply: refused}},
			{"none", nil},
			{"trailing gained", map[string]outcome{gitApply: refused, threeWay: refused, gnu: refused}},
			{"all applied", map[string]outcome{gitApply: refused, gnu: refused}},
			{"CRLF patch", map[string]outcome{gitApply: refused, threeWay: refused}},
		} {
			k, _ := damage.Named(tc.kind)
			c, ok := ch.Case(damage.Wide, 1, k)
			if !ok {
				t.Fatalf("%s: nothing to spoil", tc.kind)
			}
			got, err := p.fare(t.Context(), r, c)
			if err != nil {
				t.Fatal(err)
			}
			if got.first.outcome != tc.want[p.name] || got.first.left && p.name == gitApply {
				t.Errorf("%s: %s: %v, left %v: %s", p.name, tc.kind, got.first.outcome, got.first.left, got.first.said)
			}
		}
	}
}

// TestLeftBehind: GNU patch applies some hunks and refuses the rest, which must be counted.
func TestLeftBehind(t *testing.T) {
	for _, p := range unifiedPeers(t.Context()) {
		if p.name != gnu || p.why != "" {
			continue
		}
		r, err := newRoom(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		c := &damage.Case{Path: "f", Disk: "a\nb\n", Want: "A\nB\n", Hunks: []damage.Hunk{{Lines: []string{"-a", "+A"}}, {Lines: []string{"-x", "+B"}, From: 1}}}
		got, err := p.fare(t.Context(), r, c)
		if err != nil || got.first.outcome != refused || !got.first.left || got.first.got != "A\nb\n" {
			t.Errorf("%v, %v, left %v: %q: %s", err, got.first.outcome, got.first.left, got.first.got, got.first.said)
		}
		return
	}
	t.Skip("NOT RUN: GNU patch is not installed")
}

// TestBlob compares with git hash-object.
func TestBlob(t *testing.T) {
	if got, want := blob("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
