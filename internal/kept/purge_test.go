package kept_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// wholeLog fails the test unless the log is undamaged, and returns the number of its records of a kind.
func wholeLog(t *testing.T, ws *emend.Workspace, kind audit.Kind) int {
	t.Helper()
	dir, err := vfs.Open(filepath.Join(ws.Root(), ".emend", "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	rep, err := audit.Verify(dir)
	if err != nil || !rep.Whole() {
		t.Fatalf("the log: %+v, %v", rep, err)
	}
	return rep.Kinds[kind]
}

// TestPurgeSecret: after a purge no byte of a secret is in the store, wherever it was kept.
func TestPurgeSecret(t *testing.T) {
	const secret = "correct horse battery staple"
	ws := emendtest.Workspace(t, "conf", "a\n", "other", "b\n")
	do := func(key string, lines ...string) {
		t.Helper()
		if _, err := ws.Apply(t.Context(), emendtest.Envelope(lines...), api.PatchOptions{Dialect: map[bool]string{true: "codex", false: "comma"}[key == ""], IdempotencyKey: key}); err != nil {
			t.Fatal(err)
		}
	}
	do("k1", "*** Update File: conf", "@@", "-a", "+"+secret)                                                 // into the diff and the answer
	do("", "*** Update File: conf", "@@", "-"+secret, "+c", "*** Add File: n", "+n")                          // into the slot
	do("", "*** Add File: sub/conf", "+"+secret)                                                              //
	do("", "*** Update File: other", "*** Move to: sub/conf", "@@", "-b", "+d")                               // into the trash
	do("k2", "*** Add File: last", "+"+secret, "*** Delete File: n")                                          //
	ws.Apply(t.Context(), emendtest.Envelope("*** Add File: last", "+x"), api.PatchOptions{Dialect: "emend"}) // refused
	do("", "*** Delete File: last")
	do("", "*** Add File: kept", "+kept")
	if got := emendtest.StoreHas(t, ws, secret); len(got) < 6 {
		t.Fatalf("only %q has it", got)
	}
	for _, p := range []string{"conf", "sub", "last"} {
		r := api.PurgeRequest{Path: p}
		was, err := ws.Host().Purgeable(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		done, err := ws.Purge(t.Context(), r)
		if err != nil || len(done.Transactions) != 2 || len(was.Transactions) != 2 || done.SizeBytes == 0 || done.SizeBytes != was.SizeBytes || done.Log == nil {
			t.Errorf("%s: %+v, %+v, %v", p, was, done, err)
		}
	}
	if got := emendtest.StoreHas(t, ws, secret); len(got) > 0 {
		t.Errorf("%q has it still", got)
	}
	if got := emendtest.StoreHas(t, ws, "+kept"); len(got) != 1 {
		t.Errorf("what was not meant is in %q", got)
	}
	if n := wholeLog(t, ws, audit.Purge); n != 3 {
		t.Errorf("%d records of it", n)
	}
	if done, err := ws.Purge(t.Context(), api.PurgeRequest{Path: "conf"}); err != nil || len(done.Transactions) != 0 {
		t.Errorf("again: %+v, %v", done, err)
	}
	// The key still belongs to the call, though the stored answer is gone.
	rep, err := ws.Apply(t.Context(), emendtest.Envelope("*** Update File: conf", "@@", "-a", "+"+secret), api.PatchOptions{Dialect: "comma", IdempotencyKey: "k1"})
	if err != nil || !rep.Repeated {
		t.Errorf("%v, %v", rep, err)
	}
}

func TestPurgePicks(t *testing.T) {
	ws := emendtest.Workspace(t, "a", "1\n", "sub/b", "1\n", "sub/c", "1\n")
	var txs []string
	for i, lines := range [][]string{
		{"*** Update File: a", "@@", "-1", "+2"}, {"*** Update File: sub/b", "@@", "-1", "+2"},
		{"*** Update File: sub/c", "*** Move to: d", "@@", "-1", "+2"}, {"*** Delete File: d"},
	} {
		sub, err := emend.Open(ws.Root(), emend.ByActor(api.Actor{Session: string(rune('p' + i%2))}))
		if err != nil {
			t.Fatal(err)
		}
		rep := apply(t, sub, "codex", lines...)
		txs = append(txs, rep.Tx)
		sub.Close()
	}
	unique := 0
	for unique < len(txs[0]) && txs[0][:unique] == txs[1][:unique] {
		unique++
	}
	begin := txs[0][:max(unique+1, 6)]
	for _, tx := range txs[2:] {
		for strings.HasPrefix(tx, begin) {
			begin = txs[0][:len(begin)+1]
		}
	}
	tests := []struct {
		name string
		r    api.PurgeRequest
		want []int // of txs, the newest first
		kind error
		note string
	}{
		{"path", api.PurgeRequest{Path: "a"}, []int{0}, nil, ""},
		{"absolute", api.PurgeRequest{Path: filepath.Join(ws.Root(), "a")}, []int{0}, nil, ""},
		{"directory", api.PurgeRequest{Path: "sub"}, []int{2, 1}, nil, "sub/c was moved to d"},
		{"spelled otherwise", api.PurgeRequest{Path: "./x/../sub/"}, []int{2, 1}, nil, "moved"},
		{"everything", api.PurgeRequest{Path: "."}, []int{3, 2, 1, 0}, nil, ""},
		{"nothing there", api.PurgeRequest{Path: "su"}, []int{}, nil, ""},
		{"protected", api.PurgeRequest{Path: ".env"}, []int{}, nil, ""},
		{"outside", api.PurgeRequest{Path: "../a"}, nil, fail.OutsideWorkspace, ""},
		{"session", api.PurgeRequest{SessionID: "q"}, []int{3, 1}, nil, ""},
		{"session and path", api.PurgeRequest{SessionID: "q", Path: "sub"}, []int{1}, nil, ""},
		{"age", api.PurgeRequest{Before: time.Now()}, []int{3, 2, 1, 0}, nil, ""},
		{"too young", api.PurgeRequest{Before: time.Now().Add(-time.Hour)}, []int{}, nil, ""},
		{"entries", api.PurgeRequest{Entries: []string{txs[0], txs[3]}}, []int{3, 0}, nil, ""},
		{"beginning", api.PurgeRequest{Entries: []string{begin}}, []int{0}, nil, ""},
		{"several begin so", api.PurgeRequest{Entries: []string{txs[0][:6]}}, nil, fail.CommandFailed, ""},
		{"too short", api.PurgeRequest{Entries: []string{txs[0][:5]}}, nil, fail.CommandFailed, ""},
		{"no number", api.PurgeRequest{Entries: []string{"#x"}}, nil, fail.CommandFailed, ""},
		{"number", api.PurgeRequest{Entries: []string{"#2"}}, []int{0}, nil, ""},
		{"number of nothing", api.PurgeRequest{Entries: []string{"#1"}}, nil, fail.NotFound, ""},
		{"unknown", api.PurgeRequest{Entries: []string{"20200101-000000-aaaaaaaaaa"}}, nil, fail.NotFound, ""},
		{"empty", api.PurgeRequest{Entries: []string{""}}, nil, fail.CommandFailed, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ws.Host().Purgeable(t.Context(), tt.r)
			if tt.kind != nil {
				if !errors.Is(err, tt.kind) {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, p := range got.Transactions {
				have = append(have, p.Tx)
			}
			var want []string
			for _, i := range tt.want {
				want = append(want, txs[i])
			}
			if strings.Join(have, " ") != strings.Join(want, " ") || !strings.Contains(strings.Join(got.Notes, ""), tt.note) {
				t.Errorf("%q, want %q; %q", have, want, got.Notes)
			}
		})
	}
	got, err := ws.Host().Purgeable(t.Context(), api.PurgeRequest{Entries: txs[3:]})
	if err != nil || len(got.Transactions) != 1 {
		t.Fatal(err)
	}
	if p := got.Transactions[0]; p.SessionID != "q" || strings.Join(p.Paths, " ") != "d" || p.Files != 2 || len(p.Trash) != 1 || p.SizeBytes < 2 {
		t.Errorf("%+v", p)
	}
}

// TestPurgeOfRoot: a transaction that also changed files outside of the root is not purged from there.
func TestPurgeOfRoot(t *testing.T) {
	ws := emendtest.Workspace(t, "a", "1\n", "sub/b", "1\n", "sub/c", "1\n")
	apply(t, ws, "", "*** Update File: a", "@@", "-1", "+2", "*** Update File: sub/b", "@@", "-1", "+2")
	apply(t, ws, "", "*** Update File: sub/c", "@@", "-1", "+2")
	apply(t, ws, "", "*** Update File: a", "@@", "-2", "+3")
	sub, err := emend.Open(filepath.Join(ws.Root(), "sub"))
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	got, err := sub.Purge(t.Context(), api.PurgeRequest{Path: "."})
	if err != nil || len(got.Transactions) != 1 || got.Transactions[0].Paths[0] != "c" || len(got.Notes) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if all, err := ws.Host().Purgeable(t.Context(), api.PurgeRequest{Path: "."}); err != nil || len(all.Transactions) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
}
