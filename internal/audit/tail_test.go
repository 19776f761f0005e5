package audit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// text returns a segment with n records after the first one, and their heads.
func text(t testing.TB, n int) (string, []Head) {
	t.Helper()
	return textOf(t, n, Options{})
}

func textOf(t testing.TB, n int, o Options) (string, []Head) {
	t.Helper()
	dir := disk(t, nil)
	l := newLog(t, dir, o)
	all := []Head{l.Head()}
	for len(all) <= n {
		for _, r := range fill(t, l, 1) {
			all = append(all, r.head())
		}
	}
	lines := strings.SplitAfter(read(t, dir, segmentName(1)), "\n")
	return strings.Join(lines[:n+1], ""), all[:n+1]
}

// settle opens dir, settles, appends and opens again; it returns the head before and what was set aside.
func settle(t testing.TB, dir vfs.Dir) (Head, *Torn) {
	t.Helper()
	l := reopen(t, dir)
	head := l.Head()
	torn, err := l.SetTornAside()
	if err != nil {
		t.Fatal(err)
	}
	fill(t, l, 1)
	if again := reopen(t, dir); again.Head() != l.Head() {
		t.Fatalf("head %v after opening again, %v before", again.Head(), l.Head())
	}
	return head, torn
}

// A log that is cut anywhere opens, sets the rest aside, continues, and has lost at most the record that was cut.
func TestCutAnywhere(t *testing.T) {
	data, heads := text(t, 6)
	for cut := range len(data) + 1 {
		dir := disk(t, map[string]string{segmentName(1): data[:cut]})
		kept := strings.Count(data[:cut], "\n")
		head, torn := settle(t, dir)
		rest := data[strings.LastIndex(data[:cut], "\n")+1 : cut]
		if want := append([]Head{{}}, heads...)[kept]; head != want {
			t.Fatalf("cut at %d: head %v, want %v", cut, head, want)
		}
		if (rest == "") != (torn == nil) || torn != nil && read(t, dir, torn.Name) != rest {
			t.Fatalf("cut at %d: set aside %+v", cut, torn)
		}
		whole(t, dir, heads[:kept]...)
	}
}

// Every byte of every record but the last is covered by the hashes; that of the last one by its own.
func TestFlipAnyByte(t *testing.T) {
	data, heads := text(t, 4)
	last := strings.LastIndex(data[:len(data)-1], "\n") + 1
	for i := range data {
		for _, flip := range []byte{1, 0x20, 0x80} {
			changed := []byte(data)
			changed[i] ^= flip
			dir := disk(t, map[string]string{segmentName(1): string(changed)})
			rep, err := Verify(dir, heads...)
			if err != nil {
				t.Fatal(err)
			}
			if rep.Whole() || i < last && len(rep.Breaks) == 0 && rep.Torn == 0 {
				t.Fatalf("byte %d (%q) flipped to %q: report %+v", i, data[i], changed[i], rep)
			}
		}
	}
}

// Verify finds a record that was removed, doubled or moved, and one of another log.
func TestMovedRecords(t *testing.T) {
	data, _ := text(t, 9)
	// Of another time: two logs with the same records at the same times are the same log, and the clock of Windows is coarse.
	other, _ := textOf(t, 9, Options{Now: func() time.Time { return time.Now().Add(time.Hour) }})
	lines := strings.SplitAfter(strings.TrimSuffix(data, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	strange := strings.SplitAfter(other, "\n")
	for i := range lines[:7] { // with a mark behind them
		for what, changed := range map[string][]string{
			"taken out": slices.Delete(slices.Clone(lines), i, i+1),
			"doubled":   slices.Insert(slices.Clone(lines), i, lines[i]),
			"moved":     slices.Insert(slices.Delete(slices.Clone(lines), i, i+1), i+1, lines[i]),
			"replaced":  slices.Replace(slices.Clone(lines), i, i+1, strange[i]),
			"put in":    slices.Insert(slices.Clone(lines), i, strange[i]),
			"emptied":   slices.Replace(slices.Clone(lines), i, i+1, "\n"),
		} {
			dir := disk(t, map[string]string{segmentName(1): strings.Join(changed, "")})
			if rep, err := Verify(dir); err != nil || len(rep.Breaks) == 0 {
				t.Errorf("record %d %s: %+v, %v", i+1, what, rep, err)
			}
		}
	}
}

// A power cut costs at most the appends that were not synced, whatever it makes of them.
func TestTornTails(t *testing.T) {
	data, heads := text(t, 12) // ends with commit, applied, denied
	lines := strings.SplitAfter(data, "\n")
	head := func(n int) (string, Head) { return strings.Join(lines[:n], ""), heads[n-1] }
	two, _ := head(2)
	all, last := head(13)
	marked, atMark := head(12)
	committed, atCommit := head(11)
	before, atDenied := head(10)
	for name, tc := range map[string]struct {
		data string
		want Head
	}{
		"zeros":                               {all + strings.Repeat("\x00", 5000), last},
		"many zeros":                          {all + strings.Repeat("\x00", 3<<20), last},
		"line ends":                           {all + strings.Repeat("\n", 100_000), last},
		"no end of line":                      {all + strings.TrimSuffix(lines[12], "\n"), last},
		"old blocks":                          {all + strings.Repeat("\x00", 100) + "\n" + lines[1] + lines[2] + lines[3], last},
		"old blocks at a line":                {all + two, last},
		"the last one again":                  {all + lines[12], last},
		"first of two lost":                   {marked + strings.Repeat("\x00", len(lines[12])) + "\n" + next(t, last, Record{Kind: Denied}), atMark},
		"first lost, a commit not yet synced": {marked + "garbage\n" + next(t, last, Record{Kind: Commit}), atMark},
		"mark lost, a refusal there":          {committed + strings.Repeat("\x00", 50) + "\n" + lines[12], atCommit},
		"commit in tatters":                   {before + lines[10][:20] + "\x00\x00\x00" + lines[10][23:], atDenied},
		"commit with a broken hash":           {before + strings.Replace(lines[10], `"ok":true`, `"ok":truE`, 1), atDenied},
	} {
		dir := disk(t, map[string]string{segmentName(1): tc.data})
		rep, err := Verify(dir)
		if err != nil || !rep.Whole() || rep.Head != tc.want || rep.Torn == 0 {
			t.Errorf("%s: %+v, %v, want the head %v", name, rep, err, tc.want)
			continue
		}
		got, torn := settle(t, dir)
		if got != tc.want || torn == nil || torn.Size != rep.Torn {
			t.Errorf("%s: head %v, want %v; set aside %+v", name, got, tc.want, torn)
		}
		whole(t, dir, tc.want)
	}
}

// A power cut may leave any part of what was appended with one sync and not synced yet. What was synced is damage.
func TestTornGroups(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{})
	fill(t, l, 2)
	addAll(t, l, []*Record{{Kind: Commit, Tx: "a", Group: 2}, {Kind: Commit, Tx: "b", Group: 1}, {Kind: Commit, Tx: "c"}})
	addAll(t, l, []*Record{{Kind: Abort, Tx: "b", Group: 3}, {Kind: Applied, Tx: "a", Group: 2}, {Kind: Applied, Tx: "c", Group: 1}})
	add1(t, l, Record{Kind: Commit, Tx: "d"})
	add1(t, l, Record{Kind: Applied, Tx: "d"})
	lines := strings.SplitAfter(read(t, dir, segmentName(1)), "\n") // 7 records, then a b c, b a c, d d
	for _, tc := range []struct {
		bad, upTo int // the record that is broken, and the last one that is there
		torn      bool
	}{
		{7, 8, true}, {7, 9, true}, {8, 9, true}, {9, 9, true}, // nothing of the group is known to be synced
		{7, 10, false}, {8, 10, false}, {9, 10, false}, {9, 12, false}, {6, 9, true}, {6, 10, false}, {0, 10, false},
		{10, 11, true}, {10, 12, true}, {11, 12, true}, {12, 12, true}, // nor is any of the ends
		{10, 13, true}, {12, 13, true}, {13, 13, true},
		{10, 14, false}, {12, 14, false}, {13, 14, false},
	} {
		changed := slices.Clone(lines[:tc.upTo+1])
		changed[tc.bad] = "x" + changed[tc.bad][1:]
		l := reopen(t, disk(t, map[string]string{segmentName(1): strings.Join(changed, "")}))
		if torn := l.Err() == nil; torn != tc.torn || torn && l.Head().Seq != uint64(tc.bad) {
			t.Errorf("record %d of %d is broken: %v, head %v", tc.bad, tc.upTo, l.Err(), l.Head())
		}
	}
}

// next is a line after h.
func next(t testing.TB, h Head, r Record) string {
	t.Helper()
	r.V, r.Seq, r.Prev = version, h.Seq+1, h.H
	line, err := encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// A bad record that was certainly synced is damage: the log refuses writes until a person begins a new segment.
func TestDamage(t *testing.T) {
	data, heads := text(t, 9)
	lines := strings.SplitAfter(data, "\n") // rotate, 3 × (commit, applied, denied)
	for name, tc := range map[string]struct {
		at   int // the line that is broken
		upTo int
	}{
		"the first record":              {0, 10},
		"a commit before its mark":      {4, 6},
		"a refusal before a commit":     {6, 9},
		"a commit far back":             {1, 10},
		"a mark and more behind it":     {5, 10},
		"the first record, with a mark": {0, 3},
	} {
		changed := slices.Clone(lines[:tc.upTo])
		changed[tc.at] = "x" + changed[tc.at][1:]
		dir := disk(t, map[string]string{segmentName(1): strings.Join(changed, "")})
		l := reopen(t, dir)
		c, ok := errors.AsType[*Corrupt](l.Err())
		if !ok || c.Line != tc.at+1 || c.Seq != uint64(tc.at) || c.Segment != segmentName(1) {
			t.Errorf("%s: %v", name, l.Err())
			continue
		}
		if l.Head() != heads[tc.upTo-1] {
			t.Errorf("%s: head %v", name, l.Head())
		}
		refuses(t, name, l)
		if err := l.Restart("disk replaced"); err != nil {
			t.Fatal(err)
		}
		if p, err := l.Pending(); err != nil || p != nil {
			t.Errorf("%s: pending %+v, %v", name, p, err)
		}
		fill(t, l, 2)
		rep, err := Verify(dir, l.Head())
		if err != nil || len(rep.Breaks) != 1 || *rep.Breaks[0] != (Corrupt{segmentName(1), tc.at + 1, uint64(tc.at), rep.Breaks[0].Why}) ||
			len(rep.Missing) > 0 || rep.Records != tc.upTo-1+1+6 {
			t.Errorf("%s: after a restart %+v, %v", name, rep, err)
		}
		if data := read(t, dir, segmentName(2)); !strings.Contains(data, `"ok":false,"message":"disk replaced"`) {
			t.Errorf("%s: the new segment begins %s", name, data)
		}
		for _, seq := range []func(func(*Record, error) bool){l.Backward(), l.Forward(0)} {
			if records, broken := count(t, seq); records != rep.Records || broken != 1 {
				t.Errorf("%s: %d records, %d damages", name, records, broken)
			}
		}
	}
}

func count(t testing.TB, seq func(func(*Record, error) bool)) (records, broken int) {
	t.Helper()
	for _, err := range seq {
		if c, other := asCorrupt(err); other != nil {
			t.Fatal(err)
		} else if c != nil {
			broken++
			continue
		}
		records++
	}
	return records, broken
}

func refuses(t testing.TB, name string, l *Log) {
	t.Helper()
	_, settled := l.SetTornAside()
	_, pending := l.Pending()
	for what, err := range map[string]error{"append": l.Append(&Record{Kind: Failed}, false), "settle": settled, "pending": pending, "sync": l.Sync()} {
		if _, ok := errors.AsType[*Corrupt](err); !ok {
			t.Errorf("%s: %s says %v", name, what, err)
		}
	}
}

// Damage across segments.
func TestDamageBetweenSegments(t *testing.T) {
	make := func() vfs.Dir {
		dir := disk(t, nil)
		fill(t, newLog(t, dir, Options{SegmentSize: 1200}), 8)
		return dir
	}
	if n := len(names(t, make())); n < 5 {
		t.Fatalf("%d segments", n)
	}
	for name, change := range map[string]func(vfs.Dir) error{
		"a segment is missing":       func(d vfs.Dir) error { return d.Remove(segmentName(3)) },
		"the first one is missing":   func(d vfs.Dir) error { return d.Remove(segmentName(1)) },
		"two are exchanged":          func(d vfs.Dir) error { return d.Rename(segmentName(2), d, segmentName(3), vfs.Exchange) },
		"the last records are gone":  func(d vfs.Dir) error { return cut(d, segmentName(2), 400) },
		"half a record is gone":      func(d vfs.Dir) error { return cut(d, segmentName(2), 20) },
		"something is put at an end": func(d vfs.Dir) error { return push(d, segmentName(2), "x") },
		"one is empty":               func(d vfs.Dir) error { return cut(d, segmentName(3), 1<<20) },
	} {
		dir := make()
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		rep, err := Verify(dir)
		if err != nil || len(rep.Breaks) == 0 {
			t.Errorf("%s: %+v, %v", name, rep, err)
		}
		l := reopen(t, dir)
		for what, seq := range map[string]func(func(*Record, error) bool){"backward": l.Backward(), "forward": l.Forward(0)} {
			records, broken := count(t, seq)
			// Verify alone asks whether a record says that the first one was dropped.
			if first := name == "the first one is missing"; records != rep.Records || broken == 0 && !first {
				t.Errorf("%s: %s %d records of %d, %d damages", name, what, records, rep.Records, broken)
			}
		}
	}
}

func cut(d vfs.Dir, name string, n int64) error {
	f, err := d.Append(name, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	return errors.Join(err, f.Truncate(max(0, info.Size-n)), f.Close())
}

func push(d vfs.Dir, name, data string) error {
	f, err := d.Append(name, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(data))
	return errors.Join(err, f.Close())
}

// Files that are not segments are ignored.
func TestOtherFiles(t *testing.T) {
	data, heads := text(t, 3)
	dir := disk(t, map[string]string{segmentName(1): data, "2.jsonl": "x", "00000003.jsonl.bak": "x", "torn-5-1": "x", "00000000.jsonl": "x",
		"-0000001.jsonl": "x", "+0000009.jsonl": "x", "000000010.jsonl": "x"})
	if got := reopen(t, dir).Head(); got != heads[3] {
		t.Errorf("head %v", got)
	}
	whole(t, dir)
}

// Witnesses are looked for by number and hash.
func TestWitnesses(t *testing.T) {
	data, heads := text(t, 3)
	dir := disk(t, map[string]string{segmentName(1): data})
	wrong := Head{Seq: heads[1].Seq, H: heads[2].H}
	beyond := Head{Seq: 99, H: heads[1].H}
	rep, err := Verify(dir, heads[0], wrong, heads[3], beyond)
	if err != nil || !slices.Equal(rep.Missing, []Head{wrong, beyond}) || rep.Whole() {
		t.Errorf("%+v, %v", rep, err)
	}
}

// Open reads the end of a segment, whatever its size.
func TestOpenReadsTheEnd(t *testing.T) {
	dir := disk(t, nil)
	l := newLog(t, dir, Options{})
	for i := range 300 {
		add1(t, l, Record{Kind: Commit, Tx: fmt.Sprint(i), Message: strings.Repeat("x", 10_000)})
	}
	f, info, err := openSegment(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counted := &counter{File: f}
	got, err := readTail(counted, info.Size, "s")
	if err != nil || got.head != l.Head() || got.end != info.Size || counted.n > 4*readBlock {
		t.Errorf("%+v, %v after %d bytes of %d", got, err, counted.n, info.Size)
	}
}

type counter struct {
	vfs.File
	n int
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.File.ReadAt(p, off)
	c.n += n
	return n, err
}

func TestBackwardLines(t *testing.T) {
	for _, data := range []string{"", "\n", "a", "a\n", "\n\n", "a\nb", "\na\n\nbc\n", strings.Repeat("x", 3*readBlock) + "\n" + strings.Repeat("y\n", readBlock) + "z"} {
		var want, got []string
		for part := range strings.SplitAfterSeq(data, "\n") {
			if part != "" {
				want = append(want, part)
			}
		}
		b := newBackwardLines(strings.NewReader(data), 0, int64(len(data)))
		at := int64(len(data))
		for {
			l, ok, err := b.next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if l.end != at || l.whole != bytes.HasSuffix([]byte(data[:l.end]), []byte("\n")) {
				t.Fatalf("line %+v ends at %d", l, at)
			}
			at = l.start
			got = append(got, data[l.start:l.end])
		}
		slices.Reverse(got)
		if !slices.Equal(got, want) {
			t.Errorf("%.20q: %d lines, want %d", data, len(got), len(want))
		}
	}
}

// A torn end is durable in its own file before it is cut off, and the cut is durable before anything is appended.
func TestSettleOrder(t *testing.T) {
	data, _ := text(t, 3)
	fault := &vfstest.Fault{At: -1}
	l := reopen(t, fault.Wrap(disk(t, map[string]string{segmentName(1): data + "torn"})))
	torn, err := l.SetTornAside()
	if err != nil || torn.Size != 4 || !strings.HasPrefix(torn.Name, "torn-5-") {
		t.Fatalf("%+v, %v", torn, err)
	}
	const want = "append 00000001.jsonl, create TORN, write TORN, sync TORN, sync directory, " +
		"truncate 00000001.jsonl, datasync 00000001.jsonl"
	if got := strings.ReplaceAll(strings.Join(fault.Trace(), ", "), torn.Name, "TORN"); got != want {
		t.Errorf("calls: %s, want %s", got, want)
	}
	if torn, err := l.SetTornAside(); torn != nil || err != nil {
		t.Errorf("a second time: %+v, %v", torn, err)
	}
}

// A rotate record is only at the beginning of a segment, and nothing else is there.
func TestRotateRecordsInPlace(t *testing.T) {
	data, heads := text(t, 3)
	middle := next(t, heads[3], Record{Kind: Rotate, OK: true})
	for name, files := range map[string]map[string]string{
		"in the middle":   {segmentName(1): data + middle},
		"another in case": {segmentName(1): data, segmentName(2): next(t, heads[3], Record{Kind: Denied})},
	} {
		if rep, err := Verify(disk(t, files)); err != nil || len(rep.Breaks) != 1 {
			t.Errorf("%s: %+v, %v", name, rep, err)
		}
	}
}

// TestVerifyChangedEnd checks that a last record that somebody changed is not taken for the torn end of a crash.
func TestVerifyChangedEnd(t *testing.T) {
	dir := disk(t, nil)
	l, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	add1(t, l, Record{Kind: Commit, Tx: "a", OK: true})
	add1(t, l, Record{Kind: Failed, Message: "no such file"})
	data, err := vfstest.ReadFile(dir, segmentName(1))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		text   string
		breaks int
	}{
		"as written":       {data, 0},
		"another message":  {strings.Replace(data, "no such file", "yes", 1), 1},
		"a blank more":     {strings.Replace(data, `"kind":"failed"`, `"kind": "failed"`, 1), 1},
		"cut short":        {data[:len(data)-9], 0},
		"zeros":            {data[:len(data)-9] + "\x00\x00\x00\x00\n", 0},
		"one put in later": {data + "{\"v\":1,\"h\":\"aa\"}\n", 1},
	} {
		rep, err := Verify(disk(t, map[string]string{segmentName(1): tc.text}))
		if err != nil || len(rep.Breaks) != tc.breaks {
			t.Errorf("%s: %v, %v", name, rep.Breaks, err)
		}
	}
}
