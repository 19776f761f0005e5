package index

import (
	"container/heap"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
)

// Query asks for entries, the newest first. An entry matches when every condition that is set holds.
type Query struct {
	Workspaces []string // one of these; nil for all, empty for none
	Session    string
	Agent      string
	Client     string
	Tool       string
	Kind       string // commit, undo, failed, denied, purge; "refused" for the two of refusals
	Mark       string // one of the marks
	Path       string // a file, or a directory with all below it
	Text       string // part of a path, a message, or the name of a session, agent, client, tool or entry; case does not matter
	Since      time.Time
	Until      time.Time
	Before     int64 // only entries with a lower number; 0 for all
	Limit      int   // 0 for 50
	Look       int   // most entries to look through; 0 for 20,000
}

// Entry is a record of a workspace that a call made.
type Entry struct {
	Number    int64     // its place in the order of time, in this index
	At        time.Time // its own time; that of its arrival, if its own is later
	Workspace string
	Epoch     int
	Arrived   time.Time
	Void      bool // the log itself declared it void
	Outcome   api.Outcome
	UndoneBy  string // the entry that took it back, and counts
	Record    *api.Record
}

// Name returns the name of the entry at its workspace: its transaction, or its number with "#".
func (e *Entry) Name() string {
	if e.Record.Tx != "" && e.Record.Kind != "purge" {
		return e.Record.Tx
	}
	return "#" + strconv.FormatUint(e.Record.Seq, 10)
}

// Page is a page of entries.
type Page struct {
	Entries []Entry
	Next    int64 // the Before of the next page; 0 on the last
	Looked  int   // entries that were looked through
}

// mostTerms limits the terms that are read together in the order of time. With more, the entries are searched one by one.
const mostTerms = 4000

// condition is one that a record meets by having one of some terms.
type condition struct {
	terms   []int64
	records int64 // of all its terms
	has     map[int64]bool
	text    string // instead: what the record must contain, for a condition with too many terms
}

// Find answers a query. The time it takes depends on what is looked through, which the rarest condition bounds, and not on how much there is.
func (x *Index) Find(ctx context.Context, q Query) (page *Page, err error) {
	q.Limit, q.Look = orElse(q.Limit, 50), orElse(q.Look, 20_000)
	q.Text = strings.TrimSpace(strings.ReplaceAll(q.Text, "\x00", ""))
	low, high := int64(0), int64(math.MaxInt64)
	if !q.Since.IsZero() {
		low = idAt(q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		high = idAt(q.Until.UnixMicro())
	}
	if q.Before > 0 {
		high = min(high, q.Before)
	}
	err = x.reading(ctx, func(r *reader) error {
		conditions, possible, err := r.conditions(q)
		if err != nil || !possible {
			page = &Page{}
			return err
		}
		page, err = r.find(q, conditions, low, high)
		return err
	})
	return page, err
}

func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// reader is one transaction that reads, so that all answers of a page are of one state.
type reader struct {
	ctx        context.Context
	tx         *sql.Tx
	names      map[int64]string // of workspaces
	statements map[string]*sql.Stmt
}

// reading calls fn with a reader.
func (x *Index) reading(ctx context.Context, fn func(*reader) error) error {
	tx, err := x.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	return fn(&reader{ctx: ctx, tx: tx, names: map[int64]string{}, statements: map[string]*sql.Stmt{}})
}

func (r *reader) stmt(q string) (*sql.Stmt, error) {
	if s := r.statements[q]; s != nil {
		return s, nil
	}
	s, err := r.tx.PrepareContext(r.ctx, q)
	if err != nil {
		return nil, err
	}
	r.statements[q] = s
	return s, nil
}

// row scans the only row of a query. found is false if there is none.
func (r *reader) row(q string, args []any, to ...any) (found bool, err error) {
	s, err := r.stmt(q)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(r.ctx, args...).Scan(to...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// rows calls scan for each row of a query.
func (r *reader) rows(q string, args []any, scan func(*sql.Rows) error) error {
	s, err := r.stmt(q)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(r.ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// conditions returns what a record must meet. possible is false if no record can.
func (r *reader) conditions(q Query) (out []condition, possible bool, err error) {
	add := func(kind string, values ...string) {
		if err != nil || len(values) == 1 && values[0] == "" {
			return
		}
		var c condition
		if c, err = r.anyOf([]string{kind}, values); err == nil {
			out = append(out, c)
		}
	}
	if q.Workspaces != nil {
		c, cErr := r.anyOf([]string{kindWorkspace}, q.Workspaces)
		out, err = append(out, c), cErr
	}
	add(kindSession, q.Session)
	add(kindAgent, q.Agent)
	add(kindClient, q.Client)
	add(kindTool, q.Tool)
	add(kindMark, q.Mark)
	if q.Kind == "refused" {
		add(kindRecord, "failed", "denied")
	} else {
		add(kindRecord, q.Kind)
	}
	if err != nil {
		return nil, false, err
	}
	if p := strings.Trim(q.Path, "/"); p != "" && p != "." {
		c, err := r.anyOf([]string{kindPath, kindDirectory}, []string{p})
		if err != nil {
			return nil, false, err
		}
		out = append(out, c)
	}
	if q.Text != "" {
		c, err := r.containing(q.Text)
		if err != nil {
			return nil, false, err
		}
		out = append(out, c)
	}
	for i := range out {
		if out[i].text == "" && out[i].records == 0 {
			return nil, false, nil
		}
	}
	return out, true, nil
}

// anyOf is met by the records with one of the terms.
func (r *reader) anyOf(kinds, values []string) (c condition, err error) {
	c.has = map[int64]bool{}
	for _, kind := range kinds {
		for _, value := range values {
			var id, n int64
			found, err := r.row("SELECT id, records FROM term WHERE kind = ? AND value = ?", []any{kind, value}, &id, &n)
			if err != nil {
				return c, err
			}
			if found && !c.has[id] {
				c.terms, c.records, c.has[id] = append(c.terms, id), c.records+n, true
			}
		}
	}
	return c, nil
}

// containing is met by the records with a text in one of their names, paths or messages.
func (r *reader) containing(text string) (condition, error) {
	if isTransaction(text) {
		return condition{text: text}, nil
	}
	q, arg := "SELECT term.id, term.records FROM words JOIN term ON term.id = words.rowid WHERE words MATCH ? LIMIT ?", `"`+strings.ReplaceAll(text, `"`, `""`)+`"`
	if len([]rune(text)) < 3 { // too short for trigrams: the names are looked through, which are fewer than the records
		q = "SELECT id, records FROM term WHERE kind IN ('s', 'a', 'c', 't', 'p', 'm') AND value LIKE ? ESCAPE '\\' LIMIT ?"
		arg = "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
	}
	c := condition{has: map[int64]bool{}}
	err := r.rows(q, []any{arg, mostTerms + 1}, func(rows *sql.Rows) error {
		var id, n int64
		err := rows.Scan(&id, &n)
		c.terms, c.records, c.has[id] = append(c.terms, id), c.records+n, true
		return err
	})
	if len(c.terms) > mostTerms {
		return condition{text: text}, err
	}
	return c, err
}

// find goes through the records of the rarest condition, from high down to low, and returns those that meet all.
func (r *reader) find(q Query, conditions []condition, low, high int64) (*Page, error) {
	numbers, err := r.numbers(q, conditions, low, high)
	if err != nil {
		return nil, err
	}
	page := &Page{}
	for {
		id, ok, err := numbers.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return page, nil
		}
		if len(page.Entries) == q.Limit || page.Looked == q.Look {
			page.Next = id + 1
			return page, nil
		}
		page.Looked++
		e, err := r.entry(id, conditions)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		page.Entries = append(page.Entries, *e)
	}
}

// numbers lists the numbers of the records that may match, the highest first.
func (r *reader) numbers(q Query, conditions []condition, low, high int64) (numbers, error) {
	if isTransaction(q.Text) {
		return r.query("SELECT id FROM record INDEXED BY record_tx WHERE tx <> '' AND tx >= ? AND tx < ? AND id >= ? AND id < ? ORDER BY id DESC", q.Text, q.Text+"~", low, high)
	}
	var best *condition
	for i := range conditions {
		c := &conditions[i]
		if c.text == "" && (best == nil || c.records < best.records) {
			best = c
		}
	}
	var all int64
	if best != nil && len(best.terms) > 1 {
		if _, err := r.row("SELECT coalesce(sum(records), 0) FROM term WHERE kind = ?", []any{kindRecord}, &all); err != nil {
			return nil, err
		}
	}
	switch {
	case best == nil, len(best.terms) > mostTerms, len(best.terms) > 1 && best.records > all/8:
		return r.query("SELECT id FROM record WHERE id >= ? AND id < ? ORDER BY id DESC", low, high)
	case len(best.terms) == 1:
		return r.query("SELECT record FROM posting WHERE term = ? AND record >= ? AND record < ? ORDER BY record DESC", best.terms[0], low, high)
	}
	return newMerge(r, best.terms, low, high)
}

// isTransaction reports whether a text is the name of a transaction, or its beginning with at least the day.
func isTransaction(s string) bool {
	for i, c := range s {
		digit := c >= '0' && c <= '9'
		switch {
		case i == 8 || i == 15:
			if c != '-' {
				return false
			}
		case i < 15 && !digit, i > 15 && !digit && (c < 'a' || c > 'z'):
			return false
		}
	}
	return len(s) > 8 && len(s) <= 26
}

// meets reports whether a record has the terms of all conditions.
func meets(conditions []condition, terms []byte) bool {
	for i := range conditions {
		c := &conditions[i]
		met := c.text != ""
		if !met {
			unpackTerms(terms, func(id int64) bool { met = c.has[id]; return !met })
		}
		if !met {
			return false
		}
	}
	return true
}

// contains reports whether a record has the texts of all conditions.
func contains(conditions []condition, r *api.Record) bool {
	for i := range conditions {
		text := conditions[i].text
		if text == "" || isTransaction(text) && strings.HasPrefix(r.Tx, text) {
			continue
		}
		has := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(text)) }
		if !slices.ContainsFunc(textsOf(r), has) {
			return false
		}
	}
	return true
}

// textsOf returns what a text is looked for in.
func textsOf(r *api.Record) []string {
	out := []string{r.Actor.Session, r.Actor.Agent, r.Actor.Client, r.Actor.Tool, clip(r.Message)}
	for _, f := range r.Files {
		out = append(out, f.Path, f.ToPath)
	}
	return out
}

// entry reads an entry; nil if it does not meet the conditions.
func (r *reader) entry(id int64, conditions []condition) (*Entry, error) {
	var ws, arrived int64
	var terms, line []byte
	e := &Entry{Number: id, At: timeOf(id)}
	found, err := r.row("SELECT workspace, epoch, arrived, void, terms, line FROM record WHERE id = ?", []any{id}, &ws, &e.Epoch, &arrived, &e.Void, &terms, &line)
	if err != nil || !found {
		return nil, err
	}
	if !meets(conditions, terms) {
		return nil, nil
	}
	if e.Record, err = parse(line); err != nil || !contains(conditions, e.Record) {
		return nil, err
	}
	e.Arrived = time.UnixMicro(arrived).UTC()
	if e.Workspace, err = r.workspaceName(ws); err != nil {
		return nil, err
	}
	e.Outcome, e.UndoneBy, err = r.outcome(ws, e.Record.Kind, e.Record.Tx, 0)
	return e, err
}

func (r *reader) workspaceName(id int64) (string, error) {
	if name := r.names[id]; name != "" {
		return name, nil
	}
	var name string
	_, err := r.row("SELECT name FROM workspace WHERE id = ?", []any{id}, &name)
	r.names[id] = name
	return name, err
}

// maxUndoDepth bounds how far undos of undos are followed.
const maxUndoDepth = 20

// outcome says how a call ended, and by what it was undone. An undo that failed, or was undone itself, does not count.
func (r *reader) outcome(ws int64, kind, tx string, depth int) (api.Outcome, string, error) {
	if isRefusal(kind) {
		return api.Refused, "", nil
	}
	out := api.Done
	var how string
	if _, err := r.row("SELECT how FROM ended WHERE workspace = ? AND tx = ?", []any{ws, tx}, &how); err != nil {
		return "", "", err
	}
	switch {
	case how == "abort":
		return api.Aborted, "", nil
	case how == "reverted":
		return api.Reverted, "", nil
	case how == "recovered":
		out = api.Recovered
	}
	if tx == "" || depth == maxUndoDepth {
		return out, "", nil
	}
	var undos []string
	err := r.rows("SELECT undo FROM undone WHERE workspace = ? AND tx = ? ORDER BY undo DESC", []any{ws, tx}, func(rows *sql.Rows) error {
		var undo string
		err := rows.Scan(&undo)
		undos = append(undos, undo)
		return err
	})
	if err != nil {
		return "", "", err
	}
	for _, undo := range undos {
		o, _, err := r.outcome(ws, "undo", undo, depth+1)
		if err != nil {
			return "", "", err
		}
		if o == api.Done || o == api.Recovered {
			return api.Undone, undo, nil
		}
	}
	return out, "", nil
}

// numbers gives numbers of records, the highest first.
type numbers interface {
	next() (id int64, ok bool, err error)
}

// chunk is the number of numbers that are read at once.
const chunk = 256

// list reads numbers by chunks, so that no query stays open.
type list struct {
	r     *reader
	query string
	args  []any // the last is below which
	have  []int64
	done  bool
	size  int
}

func (r *reader) query(q string, args ...any) (numbers, error) {
	return &list{r: r, query: q + " LIMIT ?", args: args, size: chunk}, nil
}

func (l *list) next() (int64, bool, error) {
	if len(l.have) == 0 && !l.done {
		err := l.r.rows(l.query, append(slices.Clone(l.args), l.size), func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			l.have = append(l.have, id)
			return err
		})
		if err != nil {
			return 0, false, err
		}
		l.done = len(l.have) < l.size
		l.size = chunk
	}
	if len(l.have) == 0 {
		return 0, false, nil
	}
	id := l.have[0]
	l.have = l.have[1:]
	l.args[len(l.args)-1] = id
	return id, true, nil
}

// merge gives the numbers of several terms, each number once.
type merge struct {
	heads heads
	last  int64
}

type mergeHead struct {
	id   int64
	list *list
}

// heads is a heap with the highest number first.
type heads []mergeHead

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return h[i].id > h[j].id }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(mergeHead)) }
func (h *heads) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func newMerge(r *reader, terms []int64, low, high int64) (*merge, error) {
	m := &merge{}
	for _, t := range terms {
		// Few numbers of each at first: most of the lists will give none that is shown.
		l := &list{r: r, query: "SELECT record FROM posting WHERE term = ? AND record >= ? AND record < ? ORDER BY record DESC LIMIT ?", args: []any{t, low, high}, size: 4}
		id, ok, err := l.next()
		if err != nil {
			return nil, err
		}
		if ok {
			m.heads = append(m.heads, mergeHead{id, l})
		}
	}
	heap.Init(&m.heads)
	return m, nil
}

func (m *merge) next() (int64, bool, error) {
	for len(m.heads) > 0 {
		id := m.heads[0].id
		following, ok, err := m.heads[0].list.next()
		switch {
		case err != nil:
			return 0, false, err
		case ok:
			m.heads[0].id = following
			heap.Fix(&m.heads, 0)
		default:
			heap.Pop(&m.heads)
		}
		if id != m.last {
			m.last = id
			return id, true, nil
		}
	}
	return 0, false, nil
}
