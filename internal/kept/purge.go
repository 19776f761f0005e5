package kept

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// Purgeable lists what [Purge] would remove.
func Purgeable(ctx context.Context, w *workspace.Workspace, r api.PurgeRequest) (*api.Purged, error) {
	out, _, err := selectPurge(ctx, w, r)
	return out, err
}

// Purge removes everything that the history has of the transactions that r picks.
func Purge(ctx context.Context, w *workspace.Workspace, r api.PurgeRequest) (*api.Purged, error) {
	out, ops, err := selectPurge(ctx, w, r)
	if err != nil || len(out.Transactions) == 0 {
		return out, err
	}
	what := commit.Removal{}
	for i := range out.Transactions {
		what.Txs = append(what.Txs, out.Transactions[i].Tx)
	}
	what.Records = removalRecords(ctx, w, "purge", "purged: "+JoinSome(what.Txs), ops)
	out.Log, err = remove(ctx, w, what)
	return out, err
}

// selectPurge returns what a request picks, and the changes of these transactions for the log.
func selectPurge(ctx context.Context, w *workspace.Workspace, r api.PurgeRequest) (*api.Purged, []audit.Op, error) {
	v, err := takeInventory(w, "")
	if err != nil {
		return nil, nil, err
	}
	out := &api.Purged{Transactions: []api.PurgedTx{}}
	if v == nil {
		return out, nil, nothingOf(r.Entries)
	}
	if v.damaged != nil {
		return nil, nil, v.damaged
	}
	f, err := newPurgeFilter(w, r)
	if err != nil {
		return nil, nil, err
	}
	outside := 0
	var ops []audit.Op
	for t := range v.newestFirst(ctx) {
		if !f.matches(t.Record) {
			continue
		}
		paths, all := v.pathsOf(t.Record)
		if !all {
			outside++
			continue
		}
		f.noteMoves(t.Record, &out.Notes)
		out.Transactions = append(out.Transactions, v.purgedTx(t, paths))
		ops = append(ops, purgeOps(t.Record)...)
	}
	if outside > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d transaction(s) touched files outside of this workspace too, and stay: purge them from the top of the tree.", outside))
	}
	if v.err != nil {
		return nil, nil, v.err
	}
	if err := f.checkEntries(); err != nil {
		return nil, nil, err
	}
	v.measure(out)
	return out, ops, nil
}

// purgeFilter picks transactions for a purge.
type purgeFilter struct {
	api.PurgeRequest
	workspace.Paths
	paths []string            // the ways to spell Path, from the root
	found map[string][]string // for each of Entries, the transactions that it names
}

func newPurgeFilter(w *workspace.Workspace, r api.PurgeRequest) (*purgeFilter, error) {
	f := &purgeFilter{PurgeRequest: r, Paths: w.Paths(), found: map[string][]string{}}
	for _, e := range r.Entries {
		number, isNumber := strings.CutPrefix(e, "#")
		if _, err := strconv.ParseUint(number, 10, 64); isNumber && err != nil || !isNumber && len(e) < 6 && !abbrev.IsRandom(e) {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fail.Quote(e) + " names no entry of the log",
				Hint: "Name a transaction as ‹history› lists it, the beginning of it or of its last part, or # and the number of a record."}
		}
	}
	if r.Path == "" {
		return f, nil
	}
	var err error
	f.paths, err = purgePaths(w, r.Path)
	return f, err
}

// purgePaths returns the paths from the root that a caller may mean: as it is written, and where it leads. It does not ask
// whether they may be read: a protected file can be purged too.
func purgePaths(w *workspace.Workspace, p string) ([]string, error) {
	full := path.Join(w.DefaultBase(), filepath.ToSlash(p))
	if filepath.IsAbs(p) {
		rel, err := filepath.Rel(w.Root(), p)
		if err != nil {
			rel = ".."
		}
		full = filepath.ToSlash(rel)
	}
	if full = path.Clean(full); !filepath.IsLocal(filepath.FromSlash(full)) {
		return nil, &fail.Error{Kind: fail.OutsideWorkspace, Path: p, Msg: fail.Quote(p) + " is outside of the workspace", Hint: "Name a path inside."}
	}
	out := []string{full}
	if e, err := w.Guard.Resolve(p, guard.Request{Base: w.DefaultBase(), Absolute: true}); err == nil && e.Rel != full {
		out = append(out, e.Rel)
	}
	return out, nil
}

// matches reports whether the request picks a transaction.
func (f *purgeFilter) matches(r *audit.Record) bool {
	switch {
	case f.SessionID != "" && r.Actor.Session != f.SessionID:
		return false
	case !f.Before.IsZero() && !r.TS.Before(f.Before):
		return false
	case f.Path != "" && !slices.ContainsFunc(r.Ops, func(op audit.Op) bool { return f.matchesPath(op.Path) || f.matchesPath(op.ToPath) }):
		return false
	}
	named := len(f.Entries) == 0
	for _, e := range f.Entries {
		if e == r.Tx || e == "#"+strconv.FormatUint(r.Seq, 10) || e[0] != '#' && abbrev.Fits(r.Tx, e) {
			f.found[e] = append(f.found[e], r.Tx)
			named = true
		}
	}
	return named
}

// matchesPath reports whether a path of the log is the path of the request, or below it.
func (f *purgeFilter) matchesPath(top string) bool {
	rel, inside := f.FromTop(top)
	return inside && slices.ContainsFunc(f.paths, func(want string) bool {
		return want == "." || rel == want || strings.HasPrefix(rel, want+"/")
	})
}

// noteMoves notes where a transaction moved a file that is purged by its path.
func (f *purgeFilter) noteMoves(r *audit.Record, notes *[]string) {
	for _, op := range r.Ops {
		if f.Path != "" && op.ToPath != "" && f.matchesPath(op.Path) && !f.matchesPath(op.ToPath) {
			from, _ := f.FromTop(op.Path)
			to, _ := f.FromTop(op.ToPath)
			*notes = append(*notes, fmt.Sprintf("%s was moved to %s: purge that path as well if it is about what the file said.", from, to))
		}
	}
}

// checkEntries refuses a request with an entry that names no transaction, or more than one.
func (f *purgeFilter) checkEntries() error {
	for _, e := range f.Entries {
		switch found := f.found[e]; {
		case len(found) == 0:
			return nothingOf([]string{e})
		case len(found) > 1:
			return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s abbreviates more than one transaction: %s", fail.Quote(e), JoinSome(found)),
				Hint: "Name one of them whole."}
		}
	}
	return nil
}

func nothingOf(entries []string) error {
	if len(entries) == 0 {
		return nil
	}
	return &fail.Error{Kind: fail.NotFound, Msg: "the history has nothing of " + fail.Quote(entries[0]),
		Hint: "Look at ‹history›: the entry may be another, or be a refusal, or it was purged or pruned before."}
}

// pathsOf returns the paths that a transaction touched, from the root. It reports false if one is outside of the root.
func (v *inventory) pathsOf(r *audit.Record) (paths []string, all bool) {
	for _, op := range r.Ops {
		for _, top := range []string{op.Path, op.ToPath} {
			if top == "" {
				continue
			}
			rel, inside := v.FromTop(top)
			if !inside {
				return nil, false
			}
			paths = append(paths, rel)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), true
}

func (v *inventory) purgedTx(t keptTx, paths []string) api.PurgedTx {
	out := api.PurgedTx{Tx: t.Tx, At: t.TS, SessionID: t.Actor.Session, AgentName: t.Actor.Agent, Client: t.Actor.Client, ToolName: t.Actor.Tool, Paths: paths}
	if t.failed {
		return out
	}
	for _, f := range v.deleted(t.Record) {
		out.Trash = append(out.Trash, f.ID)
	}
	return out
}

// purgeOps returns the changes of a transaction as the record of its purge lists them.
func purgeOps(r *audit.Record) (out []audit.Op) {
	sizes := map[string]int64{}
	for _, a := range r.Acts {
		if a.Old != nil {
			sizes[a.Path] = a.Old.Size
		}
	}
	for _, op := range r.Ops {
		out = append(out, audit.Op{Operation: purgeOperation, Path: op.Path, Before: op.Before, Size: sizes[op.Path]})
	}
	return out
}

// measure adds how much the history has of each transaction. A file with two names counts once.
func (v *inventory) measure(out *api.Purged) {
	byTx := map[string]*api.PurgedTx{}
	for i := range out.Transactions {
		byTx[out.Transactions[i].Tx] = &out.Transactions[i]
	}
	seen := map[vfs.ID]bool{}
	for name := range v.names {
		tx, _, _ := strings.Cut(name, ".")
		t := byTx[tx]
		if t == nil {
			continue
		}
		is, _, err := v.store.History().Stat(name)
		if err != nil || is.Links > 1 && seen[is.ID] {
			continue // removed meanwhile, or the second name
		}
		seen[is.ID] = true
		t.Files++
		t.SizeBytes += is.Size
		out.SizeBytes += is.Size
	}
}
