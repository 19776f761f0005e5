package emend

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
)

// PurgeRequest picks transactions by what the log has of them. Every condition that is given has to hold.
type PurgeRequest struct {
	Entries   []string  // they are among these: a transaction, six or more characters that it begins with, or #number
	Path      string    // they touched this file, or something below this directory
	SessionID string    // this session made them
	Before    time.Time // they were made before
}

// Purged is what leaves the history, or has left it.
type Purged struct {
	Transactions []PurgedTx `json:"transactions"` // the newest first
	SizeBytes    int64      `json:"sizeBytes"`
	Notes        []string   `json:"notes,omitempty"` // what a person should know, one sentence each
	Log          *Head      `json:"log,omitempty"`   // the newest record of the log
}

// PurgedTx is a transaction that can no longer be undone when its content has left the history.
type PurgedTx struct {
	Tx        string    `json:"tx"`
	At        time.Time `json:"at"`
	SessionID string    `json:"sessionId,omitempty"`
	AgentName string    `json:"agentName,omitempty"`
	ToolName  string    `json:"toolName,omitempty"`
	Paths     []string  `json:"paths"`
	Files     int       `json:"files"` // that the history has of it: contents, the diff, the answer
	SizeBytes int64     `json:"sizeBytes"`
	Trash     []string  `json:"trash,omitempty"` // the ids that leave the trash

	ops []audit.Op
}

// Purgeable says what [Workspace.Purge] would remove.
func (w *Workspace) Purgeable(ctx context.Context, r PurgeRequest) (*Purged, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	out, err := w.purgeable(ctx, r)
	return out, cannot(err)
}

// Purge removes from the history everything that it has of transactions: what they displaced, the trash among it, their
// diffs and their answers. The log stays whole, with the names and the hashes, and gets a record of it. It is how a
// secret leaves the store; the tree is not touched. An interrupted call has removed a part, and can be made again.
func (w *Workspace) Purge(ctx context.Context, r PurgeRequest) (*Purged, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	out, err := w.purgeable(ctx, r)
	if err != nil || len(out.Transactions) == 0 {
		return out, cannot(err)
	}
	what := commit.Removal{}
	var ops []audit.Op
	for i := range out.Transactions {
		what.Txs = append(what.Txs, out.Transactions[i].Tx)
		ops = append(ops, out.Transactions[i].ops...)
	}
	what.Records = w.purges(ctx, "purge", "purged: "+someOf(what.Txs), ops)
	return out, cannot(w.purge(ctx, what, &out.Log))
}

func (w *Workspace) purgeable(ctx context.Context, r PurgeRequest) (*Purged, error) {
	p, err := w.past()
	if err != nil {
		return nil, err
	}
	out := &Purged{Transactions: []PurgedTx{}}
	if p == nil {
		return out, nothingOf(r.Entries)
	}
	want, err := w.purging(r)
	if err != nil {
		return nil, err
	}
	elsewhere := 0
	for t := range p.each(ctx) {
		if !want.takes(t.Record, p) {
			continue
		}
		if paths, all := p.pathsOf(t.Record); all {
			want.follow(t.Record, p, &out.Notes)
			out.Transactions = append(out.Transactions, p.purgedTx(t, paths))
		} else {
			elsewhere++
		}
	}
	if elsewhere > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d transaction(s) touched files outside of this workspace too, and stay: purge them from the top of the tree.", elsewhere))
	}
	if p.err != nil {
		return nil, p.err
	}
	if err := want.unmet(); err != nil {
		return nil, err
	}
	p.measure(out)
	return out, nil
}

// purging is a request while transactions are held against it.
type purging struct {
	PurgeRequest
	paths []string            // the ways to spell Path, from the root
	met   map[string][]string // for each of Entries, the transactions that it means
}

func (w *Workspace) purging(r PurgeRequest) (*purging, error) {
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
	out.paths, err = w.purgePaths(r.Path)
	return out, err
}

// purgePaths are the paths from the root that a caller may mean: as it is written, and where it leads. What may not be read
// can be purged all the same.
func (w *Workspace) purgePaths(p string) ([]string, error) {
	full := path.Join(w.base, filepath.ToSlash(p))
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
	if e, err := w.guard.Look(p, guard.Ask{Base: w.base, Absolute: true}); err == nil && e.Rel != full {
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
			return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s begins more than one transaction: %s", fail.Quote(e), someOf(met)),
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

func (p *past) purgedTx(r told, paths []string) PurgedTx {
	out := PurgedTx{Tx: r.Tx, At: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent, ToolName: r.Actor.Tool, Paths: paths}
	sizes := map[string]int64{}
	for _, a := range r.Acts {
		if a.Old != nil {
			sizes[a.Path] = a.Old.Size
		}
	}
	for _, op := range r.Ops {
		out.ops = append(out.ops, audit.Op{Operation: "purge", Path: op.Path, Before: op.Before, Size: sizes[op.Path]})
	}
	if r.takenBack {
		return out
	}
	for _, t := range p.trashOf(r.Record) {
		out.Trash = append(out.Trash, t.ID)
	}
	return out
}

// measure says how much the history has of each transaction.
func (p *past) measure(out *Purged) {
	at := map[string]*PurgedTx{}
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
		is, err := p.store.History().Slots().Stat(name)
		if err != nil || seen[is.ID] {
			continue // gone since, or a second name
		}
		seen[is.ID] = true
		t.Files++
		t.SizeBytes += is.Size
		out.SizeBytes += is.Size
	}
}
