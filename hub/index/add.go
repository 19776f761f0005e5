package index

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/hub/chain"
)

// Marks of records.
const (
	MarkUnasked  = "unasked"  // a built-in rule wanted a person to be asked, and nobody could be
	MarkKey      = "key"      // a line of the new text looks like a key
	MarkSeen     = "seen"     // emend did not make the change but saw it
	MarkWithheld = "withheld" // the workspace sends no more of it than its number, time, kind and hashes
)

// Update stores what messages of the stream came to. fn stores each with [Tx.Store]; all of it is in the index when Update returns, or nothing.
func (x *Index) Update(ctx context.Context, fn func(*Tx) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit there is nothing to roll back
	w := &Tx{ctx: ctx, tx: tx, known: x.terms, full: x.full, fresh: map[string]int64{}, more: map[int64]int64{}, states: map[string]*workspace{}, statements: map[string]*sql.Stmt{}}
	if err := tx.QueryRowContext(ctx, "SELECT position FROM meta").Scan(&w.position); err != nil {
		return err
	}
	if err := fn(w); err != nil {
		return err
	}
	if err := w.finish(); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if len(x.terms) > maxKnownTerms {
		clear(x.terms)
	}
	maps.Copy(x.terms, w.fresh)
	return nil
}

// maxKnownTerms bounds the memory for the ids of terms.
const maxKnownTerms = 1 << 17

// Tx is one transaction. It is a [chain.Past]: it answers with what it has stored itself, too.
type Tx struct {
	ctx        context.Context
	tx         *sql.Tx
	position   uint64
	known      map[string]int64
	full       map[int64]int64  // by the first number of a microsecond that is full: where to look instead
	fresh      map[string]int64 // ids that were looked up or made in this transaction
	more       map[int64]int64  // how many records more each term has
	states     map[string]*workspace
	statements map[string]*sql.Stmt
}

var _ chain.Past = (*Tx)(nil)

// workspace is the row of a workspace, as it will be written.
type workspace struct {
	id         int64
	state      chain.State
	at         int64
	arrived    int64
	policy     string
	repository string
	changed    bool
}

// State returns how far the chain of a workspace was verified.
func (w *Tx) State(ws string) (chain.State, error) {
	row, err := w.workspace(ws)
	if err != nil {
		return chain.State{}, err
	}
	return row.state, nil
}

// HashAt returns the hash of a stored record; "" if there is none.
func (w *Tx) HashAt(ws string, epoch int, seq uint64) (string, error) {
	row, err := w.workspace(ws)
	if err != nil {
		return "", err
	}
	s, err := w.stmt("SELECT h FROM chain WHERE workspace = ? AND epoch = ? AND seq = ?")
	if err != nil {
		return "", err
	}
	var h []byte
	err = s.QueryRowContext(w.ctx, row.id, epoch, seq).Scan(&h)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return hex.EncodeToString(h), err
}

// Position returns the number of the newest message that is stored.
func (w *Tx) Position() uint64 { return w.position }

// Store stores what one message came to. A message that is stored already is skipped.
func (w *Tx) Store(v *chain.Verified) error {
	if v.Stream <= w.position {
		return nil
	}
	ws, err := w.workspace(v.Workspace)
	if err != nil {
		return err
	}
	for _, void := range v.Void {
		if _, err := w.exec("UPDATE record SET void = 1 WHERE workspace = ? AND epoch = ? AND seq >= ?", ws.id, void.Epoch, void.From); err != nil {
			return err
		}
	}
	for i := range v.Records {
		if err := w.record(ws, v, &v.Records[i]); err != nil {
			return err
		}
	}
	w.position = v.Stream
	for i := range v.Findings {
		if err := w.finding(ws, &v.Findings[i]); err != nil {
			return err
		}
	}
	ws.state, ws.arrived, ws.changed = v.State, v.At.UnixMicro(), true
	if v.Repository != "" {
		ws.repository = v.Repository
	}
	return nil
}

func (w *Tx) finding(ws *workspace, f *chain.Finding) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	grave := 0
	if f.Kind.Grave() {
		grave = 1
	}
	_, err = w.exec("INSERT INTO finding (workspace, grave, position, finding) VALUES (?, ?, ?, ?)", ws.id, grave, w.position, text)
	return err
}

func (w *Tx) stmt(q string) (*sql.Stmt, error) {
	if s := w.statements[q]; s != nil {
		return s, nil
	}
	s, err := w.tx.PrepareContext(w.ctx, q)
	if err != nil {
		return nil, err
	}
	w.statements[q] = s
	return s, nil
}

func (w *Tx) exec(q string, args ...any) (sql.Result, error) {
	s, err := w.stmt(q)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(w.ctx, args...)
}

// finish writes what was collected.
func (w *Tx) finish() error {
	for _, id := range slices.Sorted(maps.Keys(w.more)) {
		if _, err := w.exec("UPDATE term SET records = records + ? WHERE id = ?", w.more[id], id); err != nil {
			return err
		}
	}
	for _, ws := range w.states {
		if !ws.changed {
			continue
		}
		state, err := json.Marshal(ws.state)
		if err != nil {
			return err
		}
		if _, err := w.exec("UPDATE workspace SET state = ?, at = ?, arrived = ?, policy = ?, repository = ? WHERE id = ?",
			state, ws.at, ws.arrived, ws.policy, ws.repository, ws.id); err != nil {
			return err
		}
	}
	_, err := w.exec("UPDATE meta SET position = ?", w.position)
	return err
}

// workspace returns the row of a workspace, and makes it.
func (w *Tx) workspace(name string) (*workspace, error) {
	if ws := w.states[name]; ws != nil {
		return ws, nil
	}
	if _, err := w.exec("INSERT INTO workspace (name, state, at, arrived, policy, repository) VALUES (?, '{}', 0, 0, '', '') ON CONFLICT DO NOTHING", name); err != nil {
		return nil, err
	}
	s, err := w.stmt("SELECT id, state, at, arrived, policy, repository FROM workspace WHERE name = ?")
	if err != nil {
		return nil, err
	}
	ws, state := new(workspace), []byte(nil)
	if err := s.QueryRowContext(w.ctx, name).Scan(&ws.id, &state, &ws.at, &ws.arrived, &ws.policy, &ws.repository); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(state, &ws.state); err != nil {
		return nil, err
	}
	w.states[name] = ws
	return ws, nil
}

// record adds one record. The ends of changes are kept with the changes; they are no entries of their own.
func (w *Tx) record(ws *workspace, v *chain.Verified, r *chain.Record) error {
	h, err := hex.DecodeString(r.H)
	if err != nil {
		return err
	}
	if _, err := w.exec("INSERT OR REPLACE INTO chain VALUES (?, ?, ?, ?, ?)", ws.id, r.Epoch, r.Seq, h, v.Stream); err != nil {
		return err
	}
	at := min(r.At.UnixMicro(), v.At.UnixMicro())
	ws.at = max(ws.at, at)
	if r.PolicyHash != "" {
		ws.policy = r.PolicyHash
	}
	switch r.Kind {
	case "applied", "abort", "recovered":
		how := r.Kind
		if how == "recovered" && !r.OK {
			how = "reverted"
		}
		_, err := w.exec("INSERT OR REPLACE INTO ended VALUES (?, ?, ?)", ws.id, r.Tx, how)
		return err
	case "commit", "undo", "failed", "denied", "purge":
	default:
		return nil
	}
	id, err := w.number(at)
	if err != nil {
		return err
	}
	terms, err := w.termsOf(v.Workspace, &r.Record)
	if err != nil {
		return err
	}
	line := r.Line
	if line == nil {
		line = headerLine(&r.Record)
	}
	if _, err := w.exec("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)", id, ws.id, r.Epoch, r.Seq, r.Tx, v.At.UnixMicro(), packTerms(terms), line); err != nil {
		return err
	}
	for _, t := range terms {
		w.more[t]++
		if _, err := w.exec("INSERT INTO posting VALUES (?, ?)", t, id); err != nil {
			return err
		}
	}
	for _, tx := range r.Undoes {
		if _, err := w.exec("INSERT OR IGNORE INTO undone VALUES (?, ?, ?)", ws.id, tx, r.Tx); err != nil {
			return err
		}
	}
	return w.tally(ws.id, at, &r.Record)
}

// number returns the number of a record of a time: the first that is free.
func (w *Tx) number(at int64) (id int64, err error) {
	s, err := w.stmt("SELECT coalesce(max(id), 0) FROM record WHERE id >= ? AND id < ?")
	if err != nil {
		return 0, err
	}
	asked := idAt(at)
	first := max(asked, w.full[asked])
	for {
		if err := s.QueryRowContext(w.ctx, first, first+perMicrosecond).Scan(&id); err != nil {
			return 0, err
		}
		if id == 0 {
			return first, nil
		}
		if id+1 < first+perMicrosecond {
			return id + 1, nil
		}
		first = max(first+perMicrosecond, w.full[first+perMicrosecond])
		if len(w.full) >= maxFull {
			clear(w.full)
		}
		w.full[asked] = first
	}
}

// maxFull bounds the memory for the microseconds that are full.
const maxFull = 1 << 12

// perMicrosecond limits the records that are numbered within one microsecond. Further ones move to the next.
const perMicrosecond = 1 << 10

// idAt returns the first number of a time. No record has the number 0, which stands for none.
func idAt(micro int64) int64 { return max(micro, 1) * perMicrosecond }

// timeOf returns the time that a number begins with.
func timeOf(id int64) time.Time { return time.UnixMicro(id / perMicrosecond).UTC() }

// tally counts a record for its session and its hour.
func (w *Tx) tally(ws, at int64, r *api.Record) error {
	refused := 0
	if isRefusal(r.Kind) {
		refused = 1
	}
	if _, err := w.exec(`INSERT INTO hours VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET done = done + excluded.done, refused = refused + excluded.refused`,
		ws, at/int64(time.Hour/time.Microsecond), 1-refused, refused); err != nil || r.Actor.Session == "" {
		return err
	}
	_, err := w.exec(`INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET calls = calls + 1, refused = refused + excluded.refused,
		first = min(first, excluded.first), last = max(last, excluded.last)`, ws, r.Actor.Session, r.Actor.Agent, r.Actor.Client, at, at, refused)
	return err
}

func isRefusal(kind string) bool { return kind == "failed" || kind == "denied" }

// termsOf returns the ids of the terms of a record, in order, each once.
func (w *Tx) termsOf(workspace string, r *api.Record) ([]int64, error) {
	var ids []int64
	var failed error
	term := func(kind, value string) {
		if value == "" || failed != nil {
			return
		}
		id, err := w.term(kind, value)
		ids, failed = append(ids, id), err
	}
	term(kindWorkspace, workspace)
	term(kindSession, r.Actor.Session)
	term(kindAgent, r.Actor.Agent)
	term(kindClient, r.Actor.Client)
	term(kindTool, r.Actor.Tool)
	term(kindRecord, r.Kind)
	term(kindMessage, clip(r.Message))
	if r.Withheld {
		term(kindMark, MarkWithheld)
	}
	if r.Command != "" {
		term(kindMark, MarkSeen)
	}
	for _, f := range r.Files {
		if f.Unasked {
			term(kindMark, MarkUnasked)
		}
		if f.Keys > 0 {
			term(kindMark, MarkKey)
		}
		for _, p := range []string{f.Path, f.ToPath} {
			if p == "" {
				continue
			}
			term(kindPath, p)
			for d := path.Dir(p); d != "." && d != "/"; d = path.Dir(d) {
				term(kindDirectory, d)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), failed
}

// clip shortens a message to what is searched of it.
func clip(s string) string { return s[:min(len(s), 500)] }

// term returns the id of a term, and makes it.
func (w *Tx) term(kind, value string) (int64, error) {
	key := termKey(kind, value)
	if id, ok := w.fresh[key]; ok {
		return id, nil
	}
	if id, ok := w.known[key]; ok {
		return id, nil
	}
	find, err := w.stmt("SELECT id FROM term WHERE kind = ? AND value = ?")
	if err != nil {
		return 0, err
	}
	var id int64
	switch err := find.QueryRowContext(w.ctx, kind, value).Scan(&id); err {
	case nil:
	case sql.ErrNoRows:
		made, err := w.exec("INSERT INTO term (kind, value, records) VALUES (?, ?, 0)", kind, value)
		if err != nil {
			return 0, err
		}
		if id, err = made.LastInsertId(); err != nil {
			return 0, err
		}
		if isText(kind) {
			if _, err := w.exec("INSERT INTO words (rowid, value) VALUES (?, ?)", id, value); err != nil {
				return 0, err
			}
		}
	default:
		return 0, err
	}
	w.fresh[key] = id
	return id, nil
}

// packTerms writes ascending ids as the differences between them.
func packTerms(ids []int64) []byte {
	var out []byte
	var last int64
	for _, id := range ids {
		out = binary.AppendUvarint(out, uint64(id-last))
		last = id
	}
	return out
}

// unpackTerms calls tell with each id of packed terms, until it returns false.
func unpackTerms(packed []byte, tell func(int64) bool) {
	var id int64
	for len(packed) > 0 {
		d, n := binary.Uvarint(packed)
		if n <= 0 {
			return
		}
		packed, id = packed[n:], id+int64(d)
		if !tell(id) {
			return
		}
	}
}

// headerLine returns the line that the index keeps for a record whose own line it does not have. No line of a log begins like it.
func headerLine(r *api.Record) []byte {
	out, _ := json.Marshal(api.Record{Seq: r.Seq, At: r.At, Prev: r.Prev, Kind: r.Kind, H: r.H, Withheld: true}) // numbers, times and strings
	return append([]byte("header "), out...)
}

// parse reads what the index keeps of a record.
func parse(line []byte) (*api.Record, error) {
	header, ok := bytes.CutPrefix(line, []byte("header "))
	if !ok {
		return emend.ParseRecord(line)
	}
	var r api.Record
	return &r, json.Unmarshal(header, &r)
}
