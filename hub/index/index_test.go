package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"

	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/hubtest"
)

var must = hubtest.Must

// feed is an index with some workspaces that write.
type feed struct {
	t       testing.TB
	x       *Index
	path    string
	stream  uint64
	writers []*hubtest.Writer
	want    []row
}

// row has a record's values as the test itself made them.
type row struct {
	workspace string
	r         *api.Record
	at        time.Time // never later than it arrived
}

func newFeed(t testing.TB, workspaces int) *feed {
	f := &feed{t: t, path: filepath.Join(t.TempDir(), "index.db")}
	f.open()
	for i := range workspaces {
		f.writers = append(f.writers, hubtest.NewWriter(uint64(i)))
	}
	return f
}

func (f *feed) open() {
	x, err := Open(context.Background(), f.path, 4)
	must(f.t, err)
	f.x = x
	f.t.Cleanup(func() { x.Close() })
}

// calls adds n calls of a workspace, as one message that arrives at a time.
func (f *feed) calls(ws, n int, at, arrived time.Time) {
	f.t.Helper()
	w := f.writers[ws]
	after := w.Head
	var lines [][]byte
	for i := range n {
		lines = append(lines, w.Call(at.Add(time.Duration(i)*time.Second))...)
	}
	f.send(w.Log, arrived, after, lines...)
}

func (f *feed) send(l *hubtest.Log, arrived time.Time, after api.Head, lines ...[]byte) *chain.Verified {
	f.t.Helper()
	f.stream++
	var v *chain.Verified
	must(f.t, f.x.Update(f.t.Context(), func(tx *Tx) (err error) {
		if v, err = l.Verify(tx, f.stream, arrived, after, lines...); err != nil {
			return err
		}
		return tx.Store(v)
	}))
	for _, line := range lines {
		r, err := emend.ParseRecord(line)
		must(f.t, err)
		if !slices.Contains([]string{"applied", "abort", "recovered", "rotate"}, r.Kind) {
			at := r.At
			if arrived.Before(at) {
				at = arrived
			}
			f.want = append(f.want, row{l.Workspace, r, at})
		}
	}
	return v
}

// naive answers a query by looking at every record.
func (f *feed) naive(q Query) (out []string) {
	rows := slices.Clone(f.want)
	slices.SortStableFunc(rows, func(a, b row) int { return a.at.Compare(b.at) })
	slices.Reverse(rows)
	for _, w := range rows {
		r := w.r
		is := func(want, have string) bool { return want == "" || want == have }
		texts := []string{r.Message, r.Actor.Session, r.Actor.Agent, r.Actor.Client, r.Actor.Tool}
		inPath := q.Path == ""
		for _, file := range r.Files {
			texts = append(texts, file.Path)
			inPath = inPath || file.Path == q.Path || strings.HasPrefix(file.Path, q.Path+"/")
		}
		inText := q.Text == "" || slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(q.Text)) }) ||
			len(q.Text) > 8 && strings.HasPrefix(r.Tx, q.Text)
		kind := is(q.Kind, r.Kind) || q.Kind == "refused" && isRefusal(r.Kind)
		if is(q.Session, r.Actor.Session) && is(q.Client, r.Actor.Client) && is(q.Tool, r.Actor.Tool) && kind && inPath && inText &&
			(q.Workspaces == nil || slices.Contains(q.Workspaces, w.workspace)) &&
			(q.Since.IsZero() || !w.at.Before(q.Since)) && (q.Until.IsZero() || w.at.Before(q.Until)) {
			out = append(out, fmt.Sprintf("%s %d", w.workspace, r.Seq))
		}
	}
	return out
}

// all pages through a query.
func (f *feed) all(q Query) (out []string) {
	f.t.Helper()
	for {
		p, err := f.x.Find(f.t.Context(), q)
		must(f.t, err)
		for _, e := range p.Entries {
			out = append(out, fmt.Sprintf("%s %d", e.Workspace, e.Record.Seq))
		}
		if p.Next == 0 {
			return out
		}
		q.Before = p.Next
	}
}

// TestFind: a query is answered as by looking at every record, whatever its conditions and the size of its pages.
func TestFind(t *testing.T) {
	f := newFeed(t, 7)
	start := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		at := start.Add(time.Duration(i) * time.Minute)
		arrived := at.Add(time.Hour)
		if i%9 == 0 {
			arrived = at.Add(2 * time.Second) // some records say that they are from later than they arrived
		}
		f.calls(r.IntN(7), 1+r.IntN(20), at, arrived)
	}
	some := func() row { return f.want[r.IntN(len(f.want))] }
	for range 400 {
		q := Query{Limit: 1 + r.IntN(40)}
		maybe := func() bool { return r.IntN(4) == 0 }
		if maybe() {
			q.Workspaces = []string{}
			for range r.IntN(5) {
				q.Workspaces = append(q.Workspaces, f.writers[r.IntN(7)].Workspace)
			}
		}
		if maybe() {
			q.Session = some().r.Actor.Session
		}
		if maybe() {
			q.Client = some().r.Actor.Client
		}
		if maybe() {
			q.Tool = some().r.Actor.Tool
		}
		if maybe() {
			q.Kind = []string{"commit", "undo", "failed", "denied", "refused", "purge"}[r.IntN(6)]
		}
		if maybe() {
			q.Path = some().r.Files[0].Path
			for range r.IntN(3) {
				q.Path = filepath.Dir(q.Path)
			}
		}
		if maybe() {
			w := some()
			q.Text = []string{w.r.Files[0].Path[3:9], "NOT FOUND", "cl", "_fil", w.r.Actor.Session[1:6], "nothing has this", "e", `"`, "rule \"", w.r.Tx, w.r.Tx[:min(13, len(w.r.Tx))]}[r.IntN(11)]
		}
		if maybe() {
			q.Since = some().at
		}
		if maybe() {
			q.Until = some().at
		}
		got, want := f.all(q), f.naive(q)
		slices.Sort(got) // records of the same time have no order
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%+v: %d entries, want %d", q, len(got), len(want))
		}
	}
}

// TestOrder: entries come in the order of time, also of workspaces that arrive late, and one with a clock that is ahead does not lead for ever.
func TestOrder(t *testing.T) {
	f := newFeed(t, 3)
	now := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	f.calls(0, 3, now, now.Add(time.Minute))
	f.calls(1, 3, now.Add(-48*time.Hour), now.Add(2*time.Minute))   // was offline for days
	f.calls(2, 3, now.Add(9000*time.Hour), now.Add(3*time.Minute))  // a wrong clock
	f.calls(0, 3, now.Add(10*time.Minute), now.Add(11*time.Minute)) // newer
	p, err := f.x.Find(t.Context(), Query{})
	must(t, err)
	var order []string
	for i, e := range p.Entries {
		if i > 0 && e.At.After(p.Entries[i-1].At) {
			t.Errorf("%v after %v", p.Entries[i-1].At, e.At)
		}
		for n, w := range f.writers {
			if name := fmt.Sprint(n); w.Workspace == e.Workspace && (len(order) == 0 || order[len(order)-1] != name) {
				order = append(order, name)
			}
		}
	}
	if want := []string{"0", "2", "0", "1"}; !slices.Equal(order, want) {
		t.Errorf("workspaces in the order %v, want %v", order, want)
	}
}

// TestClocks: a clock that jumps by days, or to the ends of time, neither breaks a chain nor hides a record, and no record is later than it arrived.
func TestClocks(t *testing.T) {
	f := newFeed(t, 1)
	now := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	for i, at := range []time.Time{now, now.Add(-90 * 24 * time.Hour), now.Add(90 * 24 * time.Hour), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC),
		time.Unix(0, 0).UTC(), now.Add(-time.Hour)} {
		f.calls(0, 300, at, now.Add(time.Duration(i)*time.Minute))
	}
	f.calls(0, 300, now, now.Add(-30*24*time.Hour)) // the hub's own clock went back
	seen, found := map[uint64]bool{}, 0
	for q := (Query{Limit: 100}); ; {
		p, err := f.x.Find(t.Context(), q)
		must(t, err)
		for i, e := range p.Entries {
			if seen[e.Record.Seq] || e.At.After(now.Add(10*time.Minute)) || i > 0 && e.At.After(p.Entries[i-1].At) {
				t.Fatalf("record %d at %v, behind %v; seen before: %v", e.Record.Seq, e.At, p.Entries[max(0, i-1)].At, seen[e.Record.Seq])
			}
			seen[e.Record.Seq] = true
			found++
		}
		if q.Before = p.Next; p.Next == 0 {
			break
		}
	}
	if found != len(f.want) {
		t.Errorf("%d entries are found, want %d", found, len(f.want))
	}
	s, err := f.x.State(t.Context(), f.writers[0].Workspace)
	must(t, err)
	if s.Head != f.writers[0].Head || s.Findings != 0 || s.Epoch != 1 {
		t.Errorf("the chain is %+v, want the head %v and nothing found", s, f.writers[0].Head)
	}
}

// TestOutcomes: what ended or undid a change is shown with it, whichever came first.
func TestOutcomes(t *testing.T) {
	f := newFeed(t, 0)
	l := hubtest.NewLog()
	tx := func(n int) string { return fmt.Sprintf("20260501-08000%d-aaaaaaaaaa", n) }
	var lines [][]byte
	add := func(r audit.Record) { lines = append(lines, l.Add(r)) }
	op := []audit.Op{{Operation: "update", Path: "a"}}
	for n := 1; n <= 6; n++ {
		add(audit.Record{Kind: audit.Commit, Tx: tx(n), Ops: op, OK: true})
		if n != 5 && n != 6 {
			add(audit.Record{Kind: audit.Applied, Tx: tx(n), OK: true})
		}
	}
	add(audit.Record{Kind: audit.Abort, Tx: tx(5)})
	add(audit.Record{Kind: audit.Recovered, Tx: tx(6), OK: true})
	add(audit.Record{Kind: audit.Undo, Tx: "20260501-090001-aaaaaaaaaa", Ops: op, OK: true, Undoes: []string{tx(1), tx(2)}})
	add(audit.Record{Kind: audit.Undo, Tx: "20260501-090002-aaaaaaaaaa", Ops: op, OK: true, Undoes: []string{"20260501-090001-aaaaaaaaaa"}})
	add(audit.Record{Kind: audit.Undo, Tx: "20260501-090003-aaaaaaaaaa", Ops: op, OK: true, Undoes: []string{tx(2)}})
	add(audit.Record{Kind: audit.Undo, Tx: "20260501-090004-aaaaaaaaaa", Ops: op, OK: true, Undoes: []string{tx(3)}})
	add(audit.Record{Kind: audit.Abort, Tx: "20260501-090004-aaaaaaaaaa"})
	f.send(l, time.Now(), api.Head{}, lines...)
	for name, want := range map[string]api.Outcome{tx(1): api.Done, tx(2): api.Undone, tx(3): api.Done, tx(4): api.Done, tx(5): api.Aborted, tx(6): api.Recovered,
		"20260501-090001-aaaaaaaaaa": api.Undone, "20260501-090002-aaaaaaaaaa": api.Done, "20260501-090004-aaaaaaaaaa": api.Aborted} {
		e, err := f.x.Entry(t.Context(), l.Workspace, name)
		must(t, err)
		if e == nil || e.Outcome != want {
			t.Errorf("%s: %+v, want %s", name, e, want)
		}
	}
	if e, err := f.x.Entry(t.Context(), l.Workspace, "#1"); err != nil || e == nil || e.Record.Tx != tx(1) {
		t.Errorf("#1 is %+v, %v", e, err)
	}
	for _, name := range []string{"", "#", "#x", "#99", "nothing", "#-1"} {
		if e, err := f.x.Entry(t.Context(), l.Workspace, name); err != nil || e != nil {
			t.Errorf("%q is %+v, %v", name, e, err)
		}
	}
}

// TestRebuild: a message that comes again changes nothing, a transaction that fails leaves nothing, and a file that was removed, damaged or cut
// off gives the same answers once the stream was read again.
func TestRebuild(t *testing.T) {
	f := newFeed(t, 3)
	now := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	type message struct {
		log     *hubtest.Log
		arrived time.Time
		after   api.Head
		lines   [][]byte
	}
	var stream []message
	for i := range 30 {
		w := f.writers[i%3]
		m := message{log: w.Log, arrived: now.Add(time.Duration(i) * time.Hour), after: w.Head}
		for j := range 10 {
			m.lines = append(m.lines, w.Call(m.arrived.Add(-time.Duration(j)*time.Minute))...)
		}
		stream = append(stream, m)
	}
	replay := func(from uint64) {
		t.Helper()
		for i := int(from); i < len(stream); i++ {
			m := stream[i]
			must(t, f.x.Update(t.Context(), func(tx *Tx) error {
				v, err := m.log.Verify(tx, uint64(i+1), m.arrived, m.after, m.lines...)
				if err != nil {
					return err
				}
				return tx.Store(v)
			}))
		}
	}
	dump := func() string {
		t.Helper()
		var b strings.Builder
		p, err := f.x.Find(t.Context(), Query{Limit: 1000})
		must(t, err)
		for _, e := range p.Entries {
			fmt.Fprintln(&b, e.Number, e.Workspace, e.Record.Seq, e.Record.H, e.Outcome, e.UndoneBy)
		}
		s, _, err := f.x.Sessions(t.Context(), nil, "", 1000)
		must(t, err)
		h, err := f.x.Hours(t.Context(), nil, time.Time{})
		must(t, err)
		ws, err := f.x.Workspaces(t.Context())
		must(t, err)
		fmt.Fprintf(&b, "%+v %+v %+v", s, h, ws)
		return b.String()
	}
	replay(0)
	want := dump()
	if len(want) < 10_000 {
		t.Fatalf("there is little in it: %s", want)
	}

	replay(0)
	if got := dump(); got != want {
		t.Error("messages that came again changed something")
	}
	failed := fmt.Errorf("no")
	err := f.x.Update(t.Context(), func(tx *Tx) error {
		v, err := f.writers[0].Verify(tx, 99, now, f.writers[0].Head, f.writers[0].Call(now)...)
		if err == nil {
			err = tx.Store(v)
		}
		if err == nil {
			err = failed
		}
		return err
	})
	if err != failed || dump() != want {
		t.Errorf("a transaction that failed left something: %v", err)
	}

	for name, damage := range map[string]func([]byte) []byte{
		"removed":     func([]byte) []byte { return nil },
		"no database": func([]byte) []byte { return []byte("this is no database, but a text of some length ....") },
		"cut off":     func(b []byte) []byte { return b[:5000] },
		"version":     nil,
	} {
		if damage == nil {
			_, err := f.x.write.Exec("UPDATE meta SET version = version + 1")
			must(t, err)
		}
		must(t, f.x.Close())
		if damage != nil {
			b, err := os.ReadFile(f.path)
			must(t, err)
			must(t, os.Remove(f.path))
			if b = damage(b); b != nil {
				must(t, os.WriteFile(f.path, b, 0o600))
			}
		}
		f.open()
		position, err := f.x.Position(t.Context())
		must(t, err)
		if position != 0 {
			t.Errorf("%s: the index goes on at %d", name, position)
		}
		replay(position)
		if got := dump(); got != want {
			t.Errorf("%s: the index differs", name)
		}
	}
}

// TestFindings: a log that was rewritten is found and told, and both versions stay.
func TestFindings(t *testing.T) {
	f := newFeed(t, 2)
	now := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	f.calls(0, 5, now, now)
	w := f.writers[1]
	var heads []api.Head
	for range 3 {
		heads = append(heads, w.Head)
		f.send(w.Log, now, w.Head, w.Add(audit.Record{TS: now, Kind: audit.Failed, Message: "first"}))
	}
	w.Head = heads[2]
	v := f.send(w.Log, now, w.Head, w.Add(audit.Record{TS: now, Kind: audit.Failed, Message: "rewritten"}))
	if len(v.Findings) != 1 || v.Findings[0].Kind != chain.Forked {
		t.Fatalf("findings %+v", v.Findings)
	}
	for _, only := range [][]string{nil, {w.Workspace}} {
		got, err := f.x.Findings(t.Context(), only, true, 0)
		must(t, err)
		if len(got) != 1 || got[0] != v.Findings[0] {
			t.Errorf("%+v", got)
		}
	}
	if got, err := f.x.Findings(t.Context(), []string{f.writers[0].Workspace}, false, 0); err != nil || len(got) != 0 {
		t.Errorf("%+v %v", got, err)
	}
	ws, err := f.x.Workspaces(t.Context())
	must(t, err)
	if ws[w.Workspace].Grave != 1 || ws[f.writers[0].Workspace].Grave != 0 {
		t.Errorf("%+v", ws)
	}
	for text, want := range map[string]int{"first": 3, "rewritten": 1} {
		if got := f.all(Query{Text: text}); len(got) != want {
			t.Errorf("%d records say %q, want %d", len(got), text, want)
		}
	}
	e, err := f.x.Entry(t.Context(), w.Workspace, "#3")
	must(t, err)
	if e.Record.Message != "rewritten" || e.Epoch != 2 {
		t.Errorf("record 3 is %+v", e)
	}
}

// TestSessions: sessions come with their numbers of calls, the newest first, page by page.
func TestSessions(t *testing.T) {
	f := newFeed(t, 4)
	now := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	for i := range 40 {
		f.calls(i%4, 25, now.Add(time.Duration(i)*time.Hour), now.Add(1000*time.Hour))
	}
	want := map[string]int{}
	for _, w := range f.want {
		want[w.workspace+w.r.Actor.Session]++
	}
	// Sessions that end in the same microsecond: each is on one page.
	for i, w := range f.writers {
		for n := range 5 {
			head, name := w.Head, fmt.Sprintf("same-%d.%d", i, n)
			want[w.Workspace+name] = 1
			line := w.Add(audit.Record{TS: now.Add(500 * time.Hour), Kind: audit.Failed, Actor: api.Actor{Session: name, Tool: "edit_file"}, ErrorKind: "Stale"})
			f.send(w.Log, now.Add(1000*time.Hour), head, line)
		}
	}
	before, last := "", time.Time{}
	got := 0
	for {
		page, next, err := f.x.Sessions(t.Context(), nil, before, 3)
		must(t, err)
		for _, s := range page {
			if !last.IsZero() && s.Last.After(last) {
				t.Errorf("%v after %v", last, s.Last)
			}
			if want[s.Workspace+s.Name] != s.Calls {
				t.Errorf("%s has %d calls, want %d", s.Name, s.Calls, want[s.Workspace+s.Name])
			}
			one, err := f.x.Session(t.Context(), s.Workspace, s.Name)
			if err != nil || *one != s {
				t.Errorf("%+v, want %+v: %v", one, s, err)
			}
			last, got = s.Last, got+1
		}
		if before = next; before == "" {
			break
		}
	}
	if got != len(want) {
		t.Errorf("%d sessions, want %d", got, len(want))
	}
	if page, _, err := f.x.Sessions(t.Context(), []string{f.writers[2].Workspace}, "", 100); err != nil || len(page) != 10 {
		t.Errorf("%d sessions of one workspace, %v", len(page), err)
	}
	if page, _, err := f.x.Sessions(t.Context(), []string{}, "", 100); err != nil || len(page) != 0 {
		t.Errorf("%d sessions of no workspace, %v", len(page), err)
	}
}
