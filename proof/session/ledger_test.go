package session

import (
	"strings"
	"testing"
)

// TestJudge checks that Judge finds planted disagreements.
func TestJudge(t *testing.T) {
	before := Change{"a": "1", "b": "1"}
	log := []Logged{{"t1", Change{"a": "1"}, Change{"a": "2"}}, {"t2", Change{"a": "2", "b": "1"}, Change{"a": "3", "b": "2"}},
		{"t3", Change{"b": "2"}, Change{"b": ""}}}
	good := func() *Ledger {
		l := NewLedger()
		l.Done("t1", Change{"a": "2"})
		l.Done("t2", Change{"a": "3", "b": "2"})
		l.Lost(Change{"b": ""})
		return l
	}
	for _, tc := range []struct {
		name  string
		spoil func(l *Ledger) (log []Logged, after Change)
		want  string
	}{
		{"nothing", func(*Ledger) ([]Logged, Change) { return log, Change{"a": "3"} }, ""},
		{"an answered change is in no log", func(l *Ledger) ([]Logged, Change) { l.Done("t4", Change{"a": "3"}); return log, Change{"a": "3"} }, "t4 was answered and is lost"},
		{"a change that nobody asked for", func(l *Ledger) ([]Logged, Change) { l.Open = nil; return log, Change{"a": "3"} }, "t3 is in the log, and nobody waited"},
		{"an older file", func(*Ledger) ([]Logged, Change) { return log, Change{"a": "2"} }, `a has "2"`},
		{"a file more", func(*Ledger) ([]Logged, Change) { return log, Change{"a": "3", "c": "1"} }, "c is there"},
		{"a file less", func(*Ledger) ([]Logged, Change) { return log, Change{} }, `a has ""`},
		{"half a change", func(*Ledger) ([]Logged, Change) { return log, Change{"a": "3", "b": "2"} }, "b is there"},
		{"another hash was answered", func(l *Ledger) ([]Logged, Change) { l.Done("t1", Change{"a": "9"}); return log, Change{"a": "3"} }, "t1 was answered as"},
		{"a change of what was changed before", func(l *Ledger) ([]Logged, Change) {
			l.Done("t4", Change{"a": "4"})
			return append(log[:3:3], Logged{"t4", Change{"a": "2"}, Change{"a": "4"}}), Change{"a": "4"}
		}, `t4 changed a from "2", which had "3"`},
	} {
		l := good()
		log, after := tc.spoil(l)
		got := strings.Join(l.Judge(log, before, after), "\n")
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
