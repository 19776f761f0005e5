package kept_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// changedTimes makes a workspace with a file in the trash and then n changes to a file "a", whose last pruning was days ago.
// It returns the transactions, the oldest first.
func changedTimes(t *testing.T, n int) (ws *emend.Workspace, txs []string) {
	t.Helper()
	ws = emendtest.Workspace(t, "a", "0\n", "gone", "gone\n")
	fast, err := emend.Open(ws.Root(), emend.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	txs = append(txs, apply(t, fast, "", "*** Delete File: gone").Tx)
	for i := range n {
		txs = append(txs, apply(t, fast, "", "*** Update File: a", "@@", fmt.Sprintf("-%d", i), fmt.Sprintf("+%d", i+1)).Tx)
	}
	if err := fast.Close(); err != nil {
		t.Fatal(err)
	}
	overdue(t, ws)
	return ws, txs
}

// overdue sets the time of the last pruning to days ago.
func overdue(t *testing.T, ws *emend.Workspace) {
	t.Helper()
	ago := time.Now().Add(-50 * time.Hour)
	for _, name := range []string{"format", "pruned"} {
		if err := os.Chtimes(filepath.Join(ws.Root(), ".emend", name), ago, ago); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

// change opens the workspace, makes one more change, and closes it.
func change(t *testing.T, ws *emend.Workspace, o ...emend.Option) {
	t.Helper()
	one, err := emend.Open(ws.Root(), append(o, emend.NoSync())...)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, one, "", "*** Add File: "+fmt.Sprint("n", time.Now().UnixNano()), "+x")
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
}

// has returns the indexes of the transactions of which the history has something.
func has(t *testing.T, ws *emend.Workspace, txs []string) (which []int) {
	t.Helper()
	names := strings.Join(slots(t, ws), "\n")
	for i, tx := range txs {
		if strings.Contains(names, tx) {
			which = append(which, i)
		}
	}
	return which
}

func ranges(all []int) string {
	var out []string
	for i := 0; i < len(all); {
		k := i
		for k+1 < len(all) && all[k+1] == all[k]+1 {
			k++
		}
		out = append(out, fmt.Sprintf("%d-%d", all[i], all[k]))
		i = k + 1
	}
	return strings.Join(out, " ")
}

// TestPrune: once a day, after a change, what is too old or too much goes. The trash and the newest hundred stay.
func TestPrune(t *testing.T) {
	for _, tt := range []struct {
		name  string
		age   time.Duration
		bytes int64
		want  string
	}{
		{"default", 0, 0, "0-109"},
		{"age", time.Nanosecond, 0, "0-0 11-109"},
		{"size", 0, 1, "0-0 11-109"},
		{"size of all", 0, 1 << 20, "0-109"},
		{"no bounds", -1, -1, "0-109"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ws, txs := changedTimes(t, 109)
			before := len(slots(t, ws))
			change(t, ws, emend.KeepHistory(tt.age, tt.bytes))
			if got := ranges(has(t, ws, txs)); got != tt.want {
				t.Errorf("the history has %s of %d, want %s", got, len(txs), tt.want)
			}
			if emendtest.TrashPaths(emendtest.Trash(t, ws)) != "delete gone" {
				t.Error("the trash was pruned")
			}
			records := wholeLog(t, ws, audit.Purge)
			if pruned := len(slots(t, ws)) < before; records != map[bool]int{true: 1}[pruned] {
				t.Errorf("%d records", records)
			}
			if _, err := os.Stat(filepath.Join(ws.Root(), ".emend", "pruned")); err != nil {
				t.Error(err)
			}
			// Not again on the same day.
			change(t, ws, emend.KeepHistory(time.Nanosecond, 1))
			if got := ranges(has(t, ws, txs)); got != tt.want {
				t.Errorf("the next time it has %s", got)
			}
		})
	}
}

// TestPrunePolicy: the bounds of the policy hold where the program sets none.
func TestPrunePolicy(t *testing.T) {
	ws, txs := changedTimes(t, 104)
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte("[history]\nsize = \"1KiB\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	change(t, ws, emend.Policy(policy))
	if got := ranges(has(t, ws, txs)); got != "0-0 6-104" {
		t.Errorf("the history has %s", got)
	}
}

// TestPrunedIsSaid: an undo of a pruned change is refused with that reason, and changes nothing.
func TestPrunedIsSaid(t *testing.T) {
	ws, txs := changedTimes(t, 104)
	change(t, ws, emend.KeepHistory(time.Nanosecond, 0))
	_, err := ws.Undo(t.Context(), api.UndoRequest{Entry: txs[1]})
	if _, refused := errors.AsType[*emend.Refusal](err); !refused {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(filepath.Join(ws.Root(), "a")); err != nil || string(text) != "104\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := ws.Undo(t.Context(), api.UndoRequest{Entry: txs[104]}); err != nil {
		t.Errorf("the last one cannot be undone: %v", err)
	}
}

// TestPruneWaitsForNobody: it does nothing while somebody else has the lock, after no write, and in a young store.
func TestPruneWaitsForNobody(t *testing.T) {
	ws, txs := changedTimes(t, 104)
	all := ranges(has(t, ws, txs))
	keep := emend.KeepHistory(time.Nanosecond, 0)

	reader, err := emend.Open(ws.Root(), keep)
	if err != nil {
		t.Fatal(err)
	}
	emendtest.Trash(t, reader)
	reader.Close()
	if got := ranges(has(t, ws, txs)); got != all {
		t.Errorf("a call that reads left %s", got)
	}

	one, err := emend.Open(ws.Root(), keep)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, one, "", "*** Add File: new", "+x")
	dir, err := vfs.Open(filepath.Join(ws.Root(), ".emend"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	lock, err := dir.Append("lock", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if mine, err := lock.TryLock(); err != nil || !mine {
		t.Fatal(mine, err)
	}
	if p, err := one.Host().Prune(t.Context()); err != nil || p.Files != 0 {
		t.Errorf("beside somebody at work: %+v, %v", p, err)
	}
	lock.Close()
	if p, err := one.Host().Prune(t.Context()); err != nil || p.Transactions != 6 || p.Files < 10 || p.SizeBytes == 0 {
		t.Errorf("%+v, %v", p, err)
	}
	one.Close()

	young := emendtest.Workspace(t, "a", "1\n")
	change(t, young, keep)
	if _, err := os.Stat(filepath.Join(young.Root(), ".emend", "pruned")); err == nil {
		t.Error("a store of today was pruned")
	}
}
