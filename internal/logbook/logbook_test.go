package logbook_test

import (
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
)

// logged makes a workspace with entries of every kind in its log.
func logged(t *testing.T) *emend.Workspace {
	t.Helper()
	ws := emendtest.Workspace(t, "f", "one\n", "gone", "bye\n", "d/m", "m\n", "d/n", "over\n", "e/x", "x\n")
	emendtest.MustApply(t, ws, api.Actor{Session: "s1", Agent: "alice", Tool: "t"}, "emend",
		"*** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** Add File: d/new\n+n\n*** Delete File: gone\n*** End Patch\n")
	emendtest.MustApply(t, ws, api.Actor{Session: "s2", Agent: "bob"}, "codex",
		"*** Begin Patch\n*** Update File: d/m\n*** Move to: d/n\n@@\n-m\n+M\n*** End Patch\n")
	refuse(t, ws, "*** Begin Patch\n*** Update File: f\n@@\n-nosuch\n+x\n*** End Patch\n")
	refuse(t, ws, "*** Begin Patch\n*** Add File: .env\n+SECRET\n*** End Patch\n")
	return ws
}

func isKind(err error, k fail.Kind) bool {
	r, ok := err.(*emend.Refusal)
	return ok && len(r.Failures) > 0 && r.Failures[0].Kind == k
}

// decided returns the records of a transaction that succeeded.
func decided(kind audit.Kind, tx string, undoes ...string) []audit.Record {
	return []audit.Record{{Kind: kind, Tx: tx, OK: true, Undoes: undoes, Ops: []audit.Op{{Operation: "update", Path: tx}}},
		{Kind: audit.Applied, Tx: tx, OK: true}}
}

func aborted(tx string, undoes ...string) []audit.Record {
	return []audit.Record{decided(audit.Undo, tx, undoes...)[0], {Kind: audit.Abort, Tx: tx, ErrorKind: "stale_file", Message: "somebody saved it"}}
}
