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
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxPurged is how many removals one record of the log lists.
const maxPurged = 1000

// purging is a request while transactions are held against it.
type purging struct {
	api.PurgeRequest
	paths []string            // the ways to spell Path, from the root
	met   map[string][]string // for each of Entries, the transactions that it means
}

func Clearable(ctx context.Context, w *workspace.Workspace, r api.ClearRequest) ([]api.Trashed, error) {
	all, err := Trash(ctx, w)
	if err != nil {
		return nil, err
	}
	return pick(r, all)
}

func Clear(ctx context.Context, w *workspace.Workspace, r api.ClearRequest) (*api.Cleared, error) {
	c := &api.Cleared{}
	var err error
	if c.Entries, err = Clearable(ctx, w, r); err != nil || len(c.Entries) == 0 {
		return c, err
	}
	what := commit.Removal{}
	var ops []audit.Op
	var ids []string
	for _, t := range c.Entries {
		c.SizeBytes += t.SizeBytes
		ids = append(ids, t.ID)
		what.Names = append(what.Names, history.Names(t.ID)...)
		ops = append(ops, audit.Op{Operation: "purge", Path: path.Join(w.Keeper.Prefix, t.Path), Before: t.Sha256, Size: t.SizeBytes})
	}
	what.Records = Purges(ctx, w, "trash_clear", fmt.Sprintf("cleared from the trash: %s", SomeOf(ids)), ops)
	return c, Purge(ctx, w, what, &c.Log)
}

// Purge removes what is to leave the history.
func Purge(ctx context.Context, w *workspace.Workspace, what commit.Removal, head **api.Head) error {
	store, err := w.Keeper.Ensure()
	if err != nil {
		return err
	}
	err = store.Purge(ctx, what)
	at := store.Head()
	*head = &at
	return err
}

// pick picks from the trash, in the order of the trash.
func pick(r api.ClearRequest, all []api.Trashed) ([]api.Trashed, error) {
	wanted := map[string]bool{}
	for _, id := range r.IDs {
		wanted[id] = true
	}
	out := slices.DeleteFunc(slices.Clone(all), func(t api.Trashed) bool { return len(r.IDs) > 0 && !wanted[t.ID] })
	for _, t := range out {
		delete(wanted, t.ID)
	}
	for _, id := range r.IDs {
		if wanted[id] {
			return nil, notKept(id)
		}
	}
	return slices.DeleteFunc(out, func(t api.Trashed) bool { return !r.Before.IsZero() && !t.DeletedAt.Before(r.Before) }), nil
}

// Purges are the records of a removal: as many as it needs.
func Purges(ctx context.Context, w *workspace.Workspace, tool, message string, ops []audit.Op) []audit.Record {
	actor := w.Actor(ctx)
	actor.Tool = tool
	r := audit.Record{Kind: audit.Purge, Actor: actor, PolicyHash: w.Guard.PolicyHash(), OK: true, Message: message}
	if len(ops) == 0 {
		return []audit.Record{r}
	}
	var out []audit.Record
	for part := range slices.Chunk(ops, maxPurged) {
		r.Ops = part
		out = append(out, r)
	}
	return out
}

// SomeOf lists names, as many as a person reads.
func SomeOf(names []string) string {
	const most = 100
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], " "), len(names)-most)
}

func Purgeable(ctx context.Context, w *workspace.Workspace, r api.PurgeRequest) (*api.Purged, error) {
	out, _, err := PurgeableOps(ctx, w, r)
	return out, err
}

// PurgeableOps is Purgeable, with what the log is to say of each transaction.
func PurgeableOps(ctx context.Context, w *workspace.Workspace, r api.PurgeRequest) (*api.Purged, []audit.Op, error) {
	p, err := pastWorkspace(w)
	if err != nil {
		return nil, nil, err
	}
	out := &api.Purged{Transactions: []api.PurgedTx{}}
	if p == nil {
		return out, nil, nothingOf(r.Entries)
	}
	want, err := purgingWorkspace(w, r)
	if err != nil {
		return nil, nil, err
	}
	var ops []audit.Op
	elsewhere := 0
	for t := range p.each(ctx) {
		if !want.takes(t.Record, p) {
			continue
		}
		if paths, all := p.pathsOf(t.Record); all {
			want.follow(t.Record, p, &out.Notes)
			out.Transactions = append(out.Transactions, p.purgedTx(t, paths))
			ops = append(ops, purgedOps(t.Record)...)
		} else {
			elsewhere++
		}
	}
	if elsewhere > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d transaction(s) touched files outside of this workspace too, and stay: purge them from the top of the tree.", elsewhere))
	}
	if p.err != nil {
		return nil, nil, p.err
	}
	if err := want.unmet(); err != nil {
		return nil, nil, err
	}
	p.measure(out)
	return out, ops, nil
}

func purgingWorkspace(w *workspace.Workspace, r api.PurgeRequest) (*purging, error) {
	out := &purging{PurgeRequest: r, met: map[string][]string{}}
	for _, e := range r.Entries {
		number, isNumber := strings.CutPrefix(e, "#")
		if _, err := strconv.ParseUint(number, 10, 64); isNumber && err != nil || !isNumber && len(e) < 6 {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fail.Quote(e) + " names no entry of the log",
				Hint: "Name a transaction as emend log lists it, six or more characters of its beginning, or # and the number of a record."}
		}
	}
	if r.Path == "" {
		return out, nil
	}
	var err error
	out.paths, err = purgePaths(w, r.Path)
	return out, err
}

// purgePaths are the paths from the root that a caller may mean: as it is written, and where it leads. What may not be read
// can be purged all the same.
func purgePaths(w *workspace.Workspace, p string) ([]string, error) {
	full := path.Join(w.Base, filepath.ToSlash(p))
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
	if e, err := w.Guard.Resolve(p, guard.Request{Base: w.Base, Absolute: true}); err == nil && e.Rel != full {
		out = append(out, e.Rel)
	}
	return out, nil
}

// takes reports whether a transaction is one of those that are wanted.
func (q *purging) takes(r *audit.Record, p *past) bool {
	switch {
	case q.SessionID != "" && r.Actor.Session != q.SessionID:
		return false
	case !q.Before.IsZero() && !r.TS.Before(q.Before):
		return false
	case q.Path != "" && !slices.ContainsFunc(r.Ops, func(op audit.Op) bool { return q.at(op.Path, p) || q.at(op.ToPath, p) }):
		return false
	}
	named := len(q.Entries) == 0
	for _, e := range q.Entries {
		if e == r.Tx || e == "#"+strconv.FormatUint(r.Seq, 10) || e[0] != '#' && strings.HasPrefix(r.Tx, e) {
			q.met[e] = append(q.met[e], r.Tx)
			named = true
		}
	}
	return named
}

// at reports whether a path of the log is the path that is wanted, or below it.
func (q *purging) at(top string, p *past) bool {
	rel, inside := p.inside(top)
	return inside && top != "" && slices.ContainsFunc(q.paths, func(want string) bool {
		return want == "." || rel == want || strings.HasPrefix(rel, want+"/")
	})
}

// follow notes where a file went that is purged by its path.
func (q *purging) follow(r *audit.Record, p *past, notes *[]string) {
	for _, op := range r.Ops {
		if q.Path != "" && op.ToPath != "" && q.at(op.Path, p) && !q.at(op.ToPath, p) {
			from, _ := p.inside(op.Path)
			to, _ := p.inside(op.ToPath)
			*notes = append(*notes, fmt.Sprintf("%s was moved to %s: purge that path as well if it is about what the file said.", from, to))
		}
	}
}

// unmet refuses a request of which an entry names nothing, or more than one transaction.
func (q *purging) unmet() error {
	for _, e := range q.Entries {
		switch met := q.met[e]; {
		case len(met) == 0:
			return nothingOf([]string{e})
		case len(met) > 1:
			return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s begins more than one transaction: %s", fail.Quote(e), SomeOf(met)),
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
		Hint: "Look at emend log: the entry may be another, or be a refusal, or it was purged or pruned before."}
}

// pathsOf are the paths that a transaction touched, from the root; all says that none is outside of it.
func (p *past) pathsOf(r *audit.Record) (paths []string, all bool) {
	for _, op := range r.Ops {
		for _, top := range []string{op.Path, op.ToPath} {
			if top == "" {
				continue
			}
			rel, inside := p.inside(top)
			if !inside {
				return nil, false
			}
			paths = append(paths, rel)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), true
}

func purgedOps(r *audit.Record) (out []audit.Op) {
	sizes := map[string]int64{}
	for _, a := range r.Acts {
		if a.Old != nil {
			sizes[a.Path] = a.Old.Size
		}
	}
	for _, op := range r.Ops {
		out = append(out, audit.Op{Operation: "purge", Path: op.Path, Before: op.Before, Size: sizes[op.Path]})
	}
	return out
}

func (p *past) purgedTx(r told, paths []string) api.PurgedTx {
	out := api.PurgedTx{Tx: r.Tx, At: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent, ToolName: r.Actor.Tool, Paths: paths}
	if r.takenBack {
		return out
	}
	for _, t := range p.trashOf(r.Record) {
		out.Trash = append(out.Trash, t.ID)
	}
	return out
}

// measure says how much the history has of each transaction.
func (p *past) measure(out *api.Purged) {
	at := map[string]*api.PurgedTx{}
	for i := range out.Transactions {
		at[out.Transactions[i].Tx] = &out.Transactions[i]
	}
	seen := map[vfs.ID]bool{}
	for name := range p.names {
		tx, _, _ := strings.Cut(name, ".")
		t := at[tx]
		if t == nil {
			continue
		}
		is, err := p.Store.History().Slots().Stat(name)
		if err != nil || seen[is.ID] {
			continue // gone since, or a second name
		}
		seen[is.ID] = true
		t.Files++
		t.SizeBytes += is.Size
		out.SizeBytes += is.Size
	}
}
