package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

func newLog(t testing.TB, dir vfs.Dir, o Options) *Log {
	t.Helper()
	l, err := Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func reopen(t testing.TB, dir vfs.Dir) *Log {
	t.Helper()
	l, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func add1(t testing.TB, l *Log, r Record) Record {
	t.Helper()
	if err := l.Append(&r, r.Kind.isCommit()); err != nil {
		t.Fatalf("%s %s: %v", r.Kind, r.Tx, err)
	}
	return r
}

// addAll appends records with one sync.
func addAll(t testing.TB, l *Log, all []*Record) {
	t.Helper()
	if err := l.AppendAll(all, true); err != nil {
		t.Fatal(err)
	}
}

// fill appends n transactions with a commit, a mark and a refusal each.
func fill(t testing.TB, l *Log, n int) (all []Record) {
	t.Helper()
	for range n {
		tx := fmt.Sprintf("t%d", l.Head().Seq)
		all = append(all,
			add1(t, l, Record{Kind: Commit, Tx: tx, Idem: "key " + tx, OK: true, Ops: []Op{{Operation: "update", Path: "ä/" + tx}}}),
			add1(t, l, Record{Kind: Applied, Tx: tx, OK: true}),
			add1(t, l, Record{Kind: Denied, ErrorKind: "permission_denied", Message: "no"}))
	}
	return all
}

func heads(t testing.TB, seq func(func(*Record, error) bool)) (all []Head) {
	t.Helper()
	for r, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.head())
	}
	return all
}

func whole(t testing.TB, dir vfs.Dir, witnesses ...Head) Report {
	t.Helper()
	rep, err := Verify(dir, witnesses...)
	if err != nil {
		t.Fatal(err)
	}
	if !rep.Whole() {
		t.Fatalf("breaks %v, missing %v", rep.Breaks, rep.Missing)
	}
	return rep
}

func names(t testing.TB, dir vfs.Dir) []string {
	t.Helper()
	all, err := dir.Names()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func read(t testing.TB, dir vfs.Dir, name string) string {
	t.Helper()
	data, err := vfstest.ReadFile(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// disk is a synced disk that has the files.
func disk(t testing.TB, files map[string]string) vfs.Dir {
	t.Helper()
	m := vfstest.NewDisk(vfstest.Journal)
	if err := m.Plant(files); err != nil {
		t.Fatal(err)
	}
	m.Settle()
	return m.Root()
}

func TestLineOnDisk(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("", 3600))
	dir := disk(t, nil)
	l := newLog(t, dir, Options{Now: func() time.Time { return now }})
	first := l.Head().H
	r := Record{Kind: Commit, Tx: "t", Idem: "i", Request: "q", PolicyHash: "p", OK: true,
		Actor: Actor{Client: "c", Session: "s", Agent: "a", Tool: "apply_patch", Call: "toolu_1"},
		Ops:   []Op{{Operation: "move", Path: "<a>", ToPath: "b", Before: "x", After: "y", Mode: 0o644, Size: 5}},
		Acts:  []Act{{Do: DoSwap, Path: "a", Slot: 2, Old: &Ident{Ino: 7, Sum: "x", Size: 4}, New: &Ident{Ino: 8, Link: true}}}}
	add1(t, l, r)
	want := `{"v":1,"seq":2,"ts":"2026-01-02T02:04:05.0000006Z","prev":"` + first + `","kind":"commit","tx":"t","idem":"i","request":"q",` +
		`"actor":{"client":"c","session":"s","agent":"a","tool":"apply_patch","call":"toolu_1"},"policyHash":"p",` +
		`"ops":[{"operation":"move","path":"<a>","toPath":"b","beforeSha256":"x","afterSha256":"y","mode":420,"size":5}],` +
		`"acts":[{"do":"swap","path":"a","slot":2,"old":{"ino":7,"sha256":"x","size":4},"new":{"ino":8,"link":true}}],"ok":true,"h":"`
	_, got, _ := strings.Cut(read(t, dir, segmentName(1)), "\n")
	if !strings.HasPrefix(got, want) {
		t.Errorf("line\n%s\nwant\n%s", got, want)
	}
}

// A purge is on record, and is neither a commit nor the end of one.
func TestPurgeDecidesNothing(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{})
	add1(t, l, Record{Kind: Purge, OK: true})
	if r, err := l.Pending(); r != nil || err != nil {
		t.Errorf("pending after a purge alone: %+v, %v", r, err)
	}
	want := add1(t, l, Record{Kind: Commit, Tx: "t", OK: true})
	add1(t, l, Record{Kind: Purge, Tx: "t", OK: true})
	if r, err := reopen(t, dir).Pending(); err != nil || len(r) != 1 || r[0].H != want.H {
		t.Errorf("pending after commit and purge: %+v, %v", r, err)
	}
	if _, err := Verify(dir); err != nil {
		t.Error(err)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, s := range []string{"", "plain", "quote \" and \\", "line\nend", "\x00\x1b[2J\x7f", "\u0085\u202e\u200b\u2028\ufeff", "\U000e0041 \U0001f600", "<&>", `,"h":"x"}`} {
		dir := disk(t, nil)
		l := newLog(t, dir, Options{})
		want := add1(t, l, Record{Kind: Failed, Tx: s, Idem: s, Message: s, Actor: Actor{Agent: s}, Ops: []Op{{Path: s, Hunks: []Hunk{{7, s}}}}, Acts: []Act{{To: s, From: s, Gone: s != "", Mode: 0o1750}}, Undoes: []string{s}, Parts: []Part{{Entry: s, Path: s, Hunks: []int{2, 30}, Of: 31, Files: 2}, {}}})
		for got, err := range reopen(t, dir).Backward() {
			if err != nil || !reflect.DeepEqual(*got, want) {
				t.Errorf("%q: got %+v, %v, want %+v", s, got, err, want)
			}
			break
		}
		for _, r := range read(t, dir, segmentName(1)) {
			if r != '\n' && (r < ' ' || mustEscape(r)) {
				t.Errorf("%q: the log has %U", s, r)
			}
		}
	}
}

func TestInvalidUTF8IsRefused(t *testing.T) {
	const bad = "a\xffb"
	for i, r := range []Record{{Tx: bad}, {Idem: bad}, {Request: bad}, {PolicyHash: bad}, {ErrorKind: bad}, {Message: bad}, {Void: bad},
		{Actor: Actor{Client: bad}}, {Actor: Actor{Session: bad}}, {Actor: Actor{Agent: bad}}, {Actor: Actor{Tool: bad}}, {Actor: Actor{Call: bad}},
		{Ops: []Op{{Operation: bad}}}, {Ops: []Op{{}, {Path: bad}}}, {Ops: []Op{{ToPath: bad}}}, {Ops: []Op{{Before: bad}}}, {Ops: []Op{{After: bad}}}, {Ops: []Op{{Hunks: []Hunk{{1, bad}}}}},
		{Acts: []Act{{Do: bad}}}, {Acts: []Act{{Path: bad}}}, {Acts: []Act{{To: bad}}}, {Acts: []Act{{From: bad}}}, {Undoes: []string{"", bad}}, {Parts: []Part{{Entry: bad}}}, {Parts: []Part{{Path: bad}}}, {Acts: []Act{{Old: &Ident{Sum: bad}}}}, {Acts: []Act{{New: &Ident{Sum: bad}}}}} {
		l := newLog(t, disk(t, nil), Options{})
		before := l.Head()
		r.Kind = Failed
		err := l.Append(&r, false)
		if _, ok := errors.AsType[*NotWritten](err); !ok || l.Head() != before {
			t.Errorf("record %d: %v", i, err)
		}
	}
}

// A commit is one write and one sync of the file, whoever made the log.
func TestSyncsOfACommit(t *testing.T) {
	m := vfstest.NewDisk(vfstest.Journal)
	first := &vfstest.Fault{At: -1}
	newLog(t, first.Wrap(m.Root()), Options{})
	if got, want := strings.Join(first.Trace(), ", "), "append 00000001.jsonl, write 00000001.jsonl, datasync 00000001.jsonl, sync directory"; got != want {
		t.Errorf("creating: %s, want %s", got, want)
	}
	fault := &vfstest.Fault{At: -1}
	l := reopen(t, fault.Wrap(m.Root()))
	fill(t, l, 1)
	add1(t, l, Record{Kind: Commit, Tx: "t"})
	const want = "append, write, datasync, write, write, write, datasync"
	if got := strings.ReplaceAll(strings.Join(fault.Trace(), ", "), " 00000001.jsonl", ""); got != want {
		t.Errorf("calls: %s, want %s", got, want)
	}
}

func TestOpenWritesNothing(t *testing.T) {
	m := vfstest.NewDisk(vfstest.Journal)
	fault := &vfstest.Fault{At: -1}
	l := reopen(t, fault.Wrap(m.Root()))
	if err := l.Refresh(); err != nil {
		t.Fatal(err)
	}
	if l.Head() != (Head{}) || fault.Calls() > 0 {
		t.Errorf("head %v of an empty directory, calls %v", l.Head(), fault.Trace())
	}
	add1(t, l, Record{Kind: Failed})
	if rep := whole(t, m.Root()); rep.Records != 2 || l.Head().Seq != 2 {
		t.Errorf("the first append of all made %+v", rep)
	}
}

func TestRotation(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{SegmentSize: 2000})
	var want []Head
	for _, r := range fill(t, l, 20) {
		want = append(want, r.head())
	}
	rep := whole(t, dir, want...)
	if rep.Segments < 5 || rep.Kinds[Rotate] != rep.Segments || rep.Kinds[Commit] != 20 || rep.Records != rep.Segments+60 || rep.Head != l.Head() {
		t.Errorf("report %+v", rep)
	}
	for _, name := range names(t, dir) {
		if n := len(read(t, dir, name)); n > 2000 {
			t.Errorf("%s has %d bytes", name, n)
		}
	}
	back := heads(t, l.Backward())
	slices.Reverse(back)
	if there := heads(t, l.Forward(0)); !slices.Equal(there, back) || len(there) != rep.Records {
		t.Errorf("forward %d, backward %d, verified %d", len(there), len(back), rep.Records)
	}
	for from := range uint64(rep.Records + 2) {
		if got := heads(t, l.Forward(from)); !slices.Equal(got, back[max(1, min(int(from), len(back)+1))-1:]) {
			t.Errorf("forward from %d: %d records", from, len(got))
		}
	}
}

// A record larger than a segment gets one of its own.
func TestLargeRecord(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{SegmentSize: 1000})
	add1(t, l, Record{Kind: Failed, Message: "small"})
	add1(t, l, Record{Kind: Failed, Message: strings.Repeat("large ", 100_000)})
	add1(t, l, Record{Kind: Failed, Message: "small"})
	if rep := whole(t, dir); rep.Segments != 3 || rep.Records != 6 {
		t.Errorf("report %+v", rep)
	}
	if got := len(heads(t, reopen(t, dir).Backward())); got != 6 {
		t.Errorf("%d records backward", got)
	}
}

func TestTwoProcesses(t *testing.T) {
	dir := disk(t, nil)
	a := newLog(t, dir, Options{SegmentSize: 1500})
	b, err := Open(dir, Options{SegmentSize: 1500})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for range 12 {
		for _, l := range []*Log{a, b} {
			if err := l.Refresh(); err != nil {
				t.Fatal(err)
			}
			fill(t, l, 1)
		}
	}
	if rep := whole(t, dir, a.Head(), b.Head()); rep.Kinds[Commit] != 24 || rep.Segments < 4 {
		t.Errorf("report %+v", rep)
	}
}

// Refresh may look at names twice, and at nothing else, when nobody wrote.
func TestRefreshIsCheap(t *testing.T) {
	m := vfstest.NewDisk(vfstest.Journal)
	newLog(t, m.Root(), Options{})
	fault := &vfstest.Fault{At: -1, Reads: true}
	l := reopen(t, fault.Wrap(m.Root()))
	fill(t, l, 1)
	before := fault.Calls()
	if err := l.Refresh(); err != nil {
		t.Fatal(err)
	}
	if calls := fault.Trace()[before:]; len(calls) > 2 {
		t.Errorf("calls: %q", calls)
	}
}

// A log that was put in another's place, even of the same size, is not continued with the old head.
func TestRefreshSeesAnotherFile(t *testing.T) {
	at := func(hour int) Options {
		return Options{Now: func() time.Time { return time.Date(2026, 1, 2, hour, 0, 0, 0, time.UTC) }}
	}
	dir := disk(t, nil)
	l := newLog(t, dir, at(10))
	fill(t, l, 2)
	other := disk(t, nil)
	fill(t, newLog(t, other, at(11)), 2)
	if err := dir.Rename(segmentName(1), dir, "old", vfs.Replace); err != nil {
		t.Fatal(err)
	}
	put(t, dir, segmentName(1), read(t, other, segmentName(1)))
	if err := l.Refresh(); err != nil {
		t.Fatal(err)
	}
	fill(t, l, 1)
	whole(t, dir, l.Head())
}

func put(t testing.TB, dir vfs.Dir, name, data string) {
	t.Helper()
	f, err := dir.Create(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
}

func TestForgottenRefresh(t *testing.T) {
	dir := disk(t, nil)
	a, b := newLog(t, dir, Options{}), reopen(t, dir)
	fill(t, a, 1)
	err := b.Append(&Record{Kind: Failed}, false)
	if _, ok := errors.AsType[*NotWritten](err); !ok || !errors.Is(err, errOtherWriter) {
		t.Errorf("append with an old head: %v", err)
	}
	add1(t, b, Record{Kind: Failed})
	whole(t, dir, a.Head())
}

func TestPending(t *testing.T) {
	for _, tc := range []struct {
		records string
		want    string
	}{
		{"", ""},
		{"denied -", ""},
		{"commit a", "a"},
		{"undo a", "a"},
		{"commit a, applied a", ""},
		{"commit a, abort a", ""},
		{"commit a, recovered a", ""},
		{"commit a, denied -, failed -", "a"},
		{"commit a, applied a, denied -, commit b, failed -", "b"},
		{"commit a, applied a, commit b, abort b, denied -", ""},
		{"commit a, recovered b", ""}, // the commit of b was lost with a failed sync
		{"commit a 2, commit b 1, commit c", "a b c"},
		{"commit z, applied z, commit a 1, commit b, denied -", "a b"},
		{"commit z, commit a 1, commit b", "a b"}, // nothing of the sort is written; only the last group counts
		{"commit a 2, commit b 1, commit c, abort b 3, denied -, applied a 2", "c"},
		{"commit a 2, commit b 1, commit c, abort b 3, applied c 2, failed -, recovered a", ""},
		{"commit a 2, commit b 1, commit c, applied a 3, applied b 2, applied c 1", ""},
		{"commit a 2, commit b 1", "a b"}, // a power cut took the last one before the sync
		{"commit a 2, commit b 1, recovered a 2", "b"},
	} {
		for _, size := range []int64{0, 300} {
			l := newLog(t, disk(t, nil), Options{SegmentSize: size})
			var all []*Record // of a group
			for one := range strings.SplitSeq(tc.records, ", ") {
				f := strings.Fields(one)
				if len(f) < 2 {
					continue
				}
				group, _ := strconv.Atoi(strings.Join(f[2:], ""))
				all = append(all, &Record{Kind: Kind(f[0]), Tx: f[1], Group: group})
				if commits := all[0].Kind.isCommit(); !commits || group == 0 {
					addAll(t, l, all)
					all = nil
				}
			}
			if len(all) > 0 {
				addAll(t, l, all)
			}
			r, err := l.Pending()
			if err != nil || txs(r) != tc.want {
				t.Errorf("%q in segments of %d: %q, %v; want %q", tc.records, size, txs(r), err, tc.want)
			}
			if r, err = reopen(t, l.dir).Pending(); err != nil || txs(r) != tc.want {
				t.Errorf("%q in segments of %d, opened again: %q, %v; want %q", tc.records, size, txs(r), err, tc.want)
			}
		}
	}
}

// txs returns the transactions of records.
func txs(all []*Record) string {
	var out []string
	for _, r := range all {
		out = append(out, r.Tx)
	}
	return strings.Join(out, " ")
}

func TestByKey(t *testing.T) {
	records := []Record{
		{Kind: Commit, Tx: "a", Idem: "k", OK: true}, {Kind: Applied, Tx: "a"},
		{Kind: Commit, Tx: "b", Idem: "k", OK: true}, {Kind: Abort, Tx: "b"},
		{Kind: Commit, Tx: "c", Idem: "back"}, {Kind: Denied}, {Kind: Purge, Tx: "c", OK: true}, {Kind: Recovered, Tx: "c"},
		{Kind: Commit, Tx: "d", Idem: "forth"}, {Kind: Recovered, Tx: "d", OK: true},
		{Kind: Denied, Idem: "denied", Message: `,"idem":"said"`},
		{Kind: Commit, Tx: "e", Idem: "é\u202e\"<"}, {Kind: Abort, Tx: "other"},
		{Kind: Commit, Tx: "f", Idem: "again"}, {Kind: Applied, Tx: "f"},
		{Kind: Undo, Tx: "g", Idem: "again"},
	}
	for _, size := range []int64{0, 400, 900} {
		l := newLog(t, disk(t, nil), Options{SegmentSize: size})
		for _, r := range records {
			add1(t, l, r)
		}
		for key, want := range map[string]string{"k": "a", "back": "", "forth": "d", "denied": "", "said": "", "é\u202e\"<": "e",
			"again": "g", "": "", "aga": "", "missing": ""} {
			r, err := l.ByKey(key)
			if err != nil || r == nil != (want == "") || r != nil && r.Tx != want {
				t.Errorf("key %q in segments of %d: %+v, %v, want %q", key, size, r, err, want)
			}
		}
	}
}

// A key that lies across two blocks is found.
func TestByKeyAcrossBlocks(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{})
	add1(t, l, Record{Kind: Failed, Message: strings.Repeat("x", scanBlock-len(read(t, dir, segmentName(1)))-520)})
	for i := range 300 {
		add1(t, l, Record{Kind: Commit, Tx: fmt.Sprint(i), Idem: fmt.Sprintf("%04d", i)})
	}
	for i := range 300 {
		if r, err := l.ByKey(fmt.Sprintf("%04d", i)); err != nil || r == nil || r.Tx != fmt.Sprint(i) {
			t.Fatalf("key %d: %+v, %v", i, r, err)
		}
	}
}

func TestCallersKinds(t *testing.T) {
	l := newLog(t, disk(t, nil), Options{})
	for _, kind := range []Kind{"", "other", Rotate} {
		if err := l.Append(&Record{Kind: kind}, false); !errors.Is(err, errReservedKind) {
			t.Errorf("kind %q: %v", kind, err)
		}
	}
}

func TestErrorsAreRefusals(t *testing.T) {
	for _, tc := range []struct {
		err    error
		reason string
	}{
		{&Corrupt{Segment: "s"}, fail.StoreUnwritable},
		{&NotWritten{Cause: fs.ErrPermission}, fail.StoreUnwritable},
		{&Undecided{fs.ErrPermission}, fail.Indeterminate},
		{&Unsupported{1, 2}, fail.StoreUnwritable},
	} {
		e, ok := errors.AsType[*fail.Error](tc.err)
		if !ok || e.Kind != fail.CommandFailed || e.Reason != tc.reason || e.Msg != tc.err.Error() || e.Hint == "" {
			t.Errorf("%T: %+v", tc.err, e)
		}
	}
	if !errors.Is(&NotWritten{Cause: fs.ErrPermission}, fs.ErrPermission) || !errors.Is(&Undecided{fs.ErrPermission}, fs.ErrPermission) {
		t.Error("the cause is lost")
	}
}

func TestHeadText(t *testing.T) {
	h := Head{Seq: 12, H: strings.Repeat("0a", 32)}
	if got, err := ParseHead(h.String()); err != nil || got != h {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "12", ":", "x:" + h.H, "12:" + h.H[1:], "12:" + strings.ToUpper(h.H), "-1:" + h.H} {
		if _, err := ParseHead(bad); err == nil {
			t.Errorf("%q is taken for a head", bad)
		}
	}
}

// A record of a later version is neither torn nor damaged.
func TestLaterVersion(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{})
	body := strings.Replace(strings.TrimSuffix(read(t, dir, segmentName(1)), "\n"), `"v":1,"seq":1`, `"v":2,"seq":2`, 1)
	body = body[:len(body)-hashedTail]
	put(t, dir, segmentName(2), body+hashPrefix+hash([]byte(body))+hashSuffix+"\n")
	if err := l.Refresh(); !isUnsupported(err) {
		t.Errorf("refresh: %v", err)
	}
	if err := l.Append(&Record{Kind: Failed}, false); !isUnsupported(err) {
		t.Errorf("append: %v", err)
	}
	if _, err := Open(dir, Options{}); !isUnsupported(err) {
		t.Errorf("open: %v", err)
	}
	if _, err := Verify(dir); !isUnsupported(err) {
		t.Errorf("verify: %v", err)
	}
}

func isUnsupported(err error) bool {
	_, ok := errors.AsType[*Unsupported](err)
	return ok
}

// Create adds nothing to an existing log.
func TestCreateAgain(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{})
	fill(t, l, 1)
	if again := newLog(t, dir, Options{}); again.Head() != l.Head() || len(names(t, dir)) != 1 {
		t.Errorf("head %v, was %v; files %v", again.Head(), l.Head(), names(t, dir))
	}
}

// A segment that another process has begun is not begun again.
func TestForgottenRefreshBeforeRotation(t *testing.T) {
	dir := disk(t, nil)
	a := newLog(t, dir, Options{SegmentSize: 900})
	b, err := Open(dir, Options{SegmentSize: 400})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	add1(t, a, Record{Kind: Failed})
	if err := b.Refresh(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		add1(t, a, Record{Kind: Failed})
	}
	if err := b.Append(&Record{Kind: Failed}, false); !errors.Is(err, errOtherWriter) {
		t.Errorf("append with an old head: %v", err)
	}
	whole(t, dir, a.Head())
}

func TestFindAcrossBlocks(t *testing.T) {
	const pattern = `,"idem":"key"`
	for shift := range len(pattern) + 2 {
		at := scanBlock - len(pattern) - 1 + shift
		data := strings.Repeat("x", at) + pattern + "y" + pattern
		got, err := findAll(strings.NewReader(data), 0, int64(len(data)), []byte(pattern))
		if want := []int64{int64(at), int64(at + len(pattern) + 1)}; err != nil || !slices.Equal(got, want) {
			t.Errorf("found at %v, want %v; %v", got, want, err)
		}
	}
}
