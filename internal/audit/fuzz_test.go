package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
)

// FuzzSegments: whatever the segments have, nothing panics, and a log that accepts a record has it when opened again.
func FuzzSegments(f *testing.F) {
	data, _ := text(f, 9)
	lines := strings.SplitAfter(data, "\n")
	f.Add([]byte(data), []byte(nil))
	f.Add([]byte(strings.Join(lines[:5], "")), []byte("\x00\n\n{}"))
	f.Add([]byte(data[:len(data)/2]), []byte(data))
	f.Add([]byte(nil), []byte(lines[0]))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		files := map[string]string{segmentName(1): string(first)}
		if second != nil {
			files[segmentName(2)] = string(second)
		}
		laws(t, disk(t, files))
	})
}

// FuzzLines: the same for whole lines: of one log in any order, of another log, zeros and garbage.
func FuzzLines(f *testing.F) {
	data, heads := text(f, 12)
	strange, _ := text(f, 4)
	pool := strings.SplitAfter(data, "\n")[:13]
	pool = append(pool, strings.SplitAfter(strange, "\n")[:4]...)
	for _, r := range []Record{
		{Kind: Rotate, OK: true}, {Kind: Rotate, Message: "restart"},
		{Kind: Rotate, OK: true, Void: heads[12].H, Since: heads[9].String()}, {Kind: Rotate, OK: true, Since: heads[11].String()},
	} {
		pool = append(pool, next(f, heads[12], r), next(f, heads[11], r), next(f, heads[10], r))
	}
	pool = append(pool, "\x00\x00\x00", "\n", pool[3][:40], strings.Replace(pool[2], `"ok"`, `"OK"`, 1))
	f.Add([]byte{0, 1, 2, 3}, []byte{})
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, []byte{23})
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30, 12}, []byte{27, 0, 30})
	f.Add([]byte{0, 1, 2, 9, 31}, []byte{29})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		files := map[string]string{segmentName(1): pick(pool, first)}
		if len(second) > 0 {
			files[segmentName(2)] = pick(pool, second)
		}
		laws(t, disk(t, files))
	})
}

func pick(pool []string, which []byte) string {
	var b strings.Builder
	for _, i := range which[:min(len(which), 40)] {
		b.WriteString(pool[int(i)%len(pool)])
	}
	return b.String()
}

func laws(t *testing.T, dir vfs.Dir) {
	l, err := Open(dir, Options{})
	if isUnsupported(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	before, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	plain, broken := count(t, l.Backward())
	if n, b := count(t, l.Query(Query{Keys: Keys{}})); n != plain || b != broken {
		t.Fatalf("%d records and %d damages by keys without an index, %d and %d without keys", n, b, plain, broken)
	}
	if _, err := l.ByKey("key t1"); err != nil {
		t.Fatal(err)
	}
	count(t, l.Backward())
	count(t, l.Forward(3))
	if l.Err() != nil {
		if before.Whole() {
			t.Fatalf("%v, and the check finds nothing", l.Err())
		}
		if err := l.Restart("fuzz"); err != nil {
			t.Fatal(err)
		}
	} else if before.Head != l.Head() {
		t.Fatalf("the check ends at %v, the log at %v", before.Head, l.Head())
	}
	fill(t, l, 1)
	if again := reopen(t, dir); again.Head() != l.Head() || again.Err() != nil {
		t.Fatalf("head %v after opening again, %v before; %v", again.Head(), l.Head(), again.Err())
	}
	after, err := Verify(dir, l.Head())
	if err != nil || len(after.Missing) > 0 || before.Whole() && !after.Whole() || after.Torn > 0 {
		t.Fatalf("after an append %+v, %v", after, err)
	}
	if !after.Whole() {
		return
	}
	back, there := heads(t, l.Backward()), heads(t, l.Forward(0))
	if slices.Reverse(back); !slices.Equal(back, there) {
		t.Fatalf("%v forward, %v backward", there, back)
	}
}
